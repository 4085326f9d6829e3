package mpit

import (
	"regexp"

	"pgmpi/measure/protocol"
)

// value matches a word of a variable in the text that describes it. MPICH makes the numbers of the
// words from this text, by the same rule (maint/extractcvars.in).
var value = regexp.MustCompile(`(?m)^\s*(\w+)\s+-\s`)

// byDefault is MPICH's word for the value with which it chooses by itself.
const byDefault = "auto"

// namesIn returns the algorithms that MPICH's text about a variable names, by their numbers from 0 on.
// It returns none where the text is of another form, or cannot be about the variable's value: the
// numbers would be guessed.
func namesIn(text string, now int) []protocol.Algorithm {
	names := []protocol.Algorithm{}
	words := value.FindAllStringSubmatch(text, -1)
	if len(words) == 0 || words[0][1] != byDefault || now < 0 || now >= len(words) {
		return names
	}
	for i, word := range words[1:] {
		names = append(names, protocol.Algorithm{Name: word[1], Value: i + 1})
	}
	return names
}
