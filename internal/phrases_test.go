package internal

import (
	"regexp"
	"slices"
	"strings"
	"testing"
)

// Phrases that bend a sentence: a plain one has a verb, and the noun that is meant.
var bent = regexp.MustCompile(`(?i)\b(that|those|what) of\b|\bso many\b|\b(is|are) said\b|\b(it|that|they|which) (is|are) none\b|\bput up with\b|[;(] ?(nothing|nil|absent|empty|null): `)

// Folders, with all below them, and pages that are not cleaned of them yet.
var bentStill = []string{"cmd/bench/", "testdata/", "docs/dev/benchmarks.md"}

var generated = regexp.MustCompile(`(?s)<!-- [^>]*made by go test.*?<!-- end -->`)

// The texts of tables that are made from Go are looked at there; examples and output of
// programs are as they are.
func TestSentencesSayWhoDoesWhat(t *testing.T) {
	texts := textsOf(t, ".md", ".go", ".c", ".h", ".sh", ".py", ".yml", ".gl", ".toml", "Makefile", "Jenkinsfile")
	for file, text := range texts {
		switch {
		case file == "internal/phrases_test.go", excused(file):
			continue
		case strings.HasSuffix(file, ".md"):
			text = prose(generated.ReplaceAllString(text, ""))
		}
		for line := range strings.Lines(text) {
			if m := bent.FindString(line); m != "" {
				t.Errorf("%s: %q in: %s", file, m, strings.TrimSpace(line))
			}
		}
	}
	for _, s := range []string{"the ratio is that of the medians", "it is none: what of it", "its name; nothing: none"} {
		if !bent.MatchString(s) {
			t.Errorf("%q passes", s)
		}
	}
}

func excused(file string) bool {
	return slices.ContainsFunc(bentStill, func(still string) bool { return strings.HasPrefix(file, still) })
}
