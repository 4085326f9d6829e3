package internal

import (
	"regexp"
	"strings"
	"testing"

	"pgmpi/testkit/should"
)

// Phrases that bend a sentence: a plain one has a verb, and the noun that is meant.
var bent = regexp.MustCompile(`(?i)\b(that|those|what) of\b|\bso many\b|\b(is|are) said\b|\b(it|that|they|which) (is|are) none\b|\bput up with\b|[;(] ?(nothing|nil|absent|empty|null): `)

var generated = regexp.MustCompile(`(?s)<!-- [^>]*made by make docs.*?<!-- end -->`)

// The texts of tables that are made from Go are looked at there; examples and output of
// programs are as they are.
func TestSentencesSayWhoDoesWhat(t *testing.T) {
	texts := textsOf(t, ".md", ".go", ".c", ".h", ".sh", ".py", ".yml", ".gl", ".toml", "Makefile", "Jenkinsfile")
	for file, text := range texts {
		switch {
		case file == "internal/phrases_test.go":
			continue
		case strings.HasSuffix(file, ".md"):
			text = prose(generated.ReplaceAllString(text, ""))
		}
		for line := range strings.Lines(text) {
			m := bent.FindString(line)
			should.Hold(t, m == "", "%s: %q in: %s", file, m, strings.TrimSpace(line))
		}
	}
	for _, s := range []string{"the ratio is that of the medians", "it is none: what of it", "its name; nothing: none"} {
		should.Hold(t, bent.MatchString(s), "%q passes", s)
	}
}
