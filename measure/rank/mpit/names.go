package mpit

import (
	"regexp"
	"strings"

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

// together has the words of MPICH 4.0 and older, whose texts have no line breaks: there nothing shows where
// one text ends and the next word begins.
var together = map[string]string{
	"MPI_Allgather":            "brucks nb recursive_doubling ring",
	"MPI_Allgatherv":           "brucks nb recursive_doubling ring",
	"MPI_Allreduce":            "nb smp recursive_doubling reduce_scatter_allgather",
	"MPI_Alltoall":             "brucks nb pairwise pairwise_sendrecv_replace scattered",
	"MPI_Alltoallv":            "nb pairwise_sendrecv_replace scattered",
	"MPI_Barrier":              "nb smp dissemination",
	"MPI_Bcast":                "binomial nb smp scatter_recursive_doubling_allgather scatter_ring_allgather",
	"MPI_Exscan":               "nb recursive_doubling",
	"MPI_Gather":               "binomial nb",
	"MPI_Gatherv":              "linear nb",
	"MPI_Reduce":               "binomial nb smp reduce_scatter_gather",
	"MPI_Reduce_scatter":       "nb noncommutative pairwise recursive_doubling recursive_halving",
	"MPI_Reduce_scatter_block": "noncommutative recursive_doubling pairwise recursive_halving nb",
	"MPI_Scan":                 "nb smp recursive_doubling",
	"MPI_Scatter":              "binomial nb",
	"MPI_Scatterv":             "linear nb",
}

// separator stands between a word and its text.
var separator = regexp.MustCompile(`\s+-\s`)

// namesTogether is namesIn for a text without line breaks. It returns none unless the text has these
// words, in this order, and no other.
func namesTogether(collective, text string, now int) []protocol.Algorithm {
	names := []protocol.Algorithm{}
	words := strings.Fields(together[collective])
	parts := separator.Split(text, -1)
	if len(words) == 0 || len(parts) != len(words)+2 || !strings.HasSuffix(parts[0], byDefault) || now < 0 || now > len(words) {
		return names
	}
	for i, word := range words {
		if !strings.HasSuffix(parts[i+1], word) {
			return []protocol.Algorithm{}
		}
		names = append(names, protocol.Algorithm{Name: word, Value: i + 1})
	}
	return names
}
