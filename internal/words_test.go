package internal

import (
	"strings"
	"testing"
	"unicode"

	"pgmpi/testkit/should"
)

// Most words of README.md and docs/, and of docs/dev without its notes. Bars and rules of tables, which wc -w counts
// too, are none.
const (
	mostForUsers      = 31_000
	mostForDevelopers = 20_000
)

// Whoever adds to a page looks for what it says twice.
func TestPagesHaveNoMoreWordsThanAReaderBears(t *testing.T) {
	var users, developersToo, readable [2]int // as wc -w counts, and without bars and rules of tables
	count := func(of *[2]int, text string) {
		for _, w := range strings.Fields(text) {
			of[0]++
			if strings.ContainsFunc(w, func(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) }) {
				of[1]++
			}
		}
	}
	for file, text := range textsOf(t, ".md") {
		switch {
		case strings.HasPrefix(file, developers+"notes/"):
			count(&readable, text)
		case strings.HasPrefix(file, developers):
			count(&developersToo, text)
		case file == "README.md" || strings.HasPrefix(file, "docs/"):
			count(&users, text)
		}
	}
	t.Logf("words: users %d (%d without bars of tables), developers %d (%d), notes %d", users[0], users[1], developersToo[0], developersToo[1], readable[0])
	should.Hold(t, users[1] <= mostForUsers, "README.md and docs/ have %d words, more than %d", users[1], mostForUsers)
	should.Hold(t, developersToo[1] <= mostForDevelopers, "docs/dev has %d words, more than %d", developersToo[1], mostForDevelopers)
	should.Hold(t, users[1] > mostForUsers/2 && developersToo[1] > mostForDevelopers/2, "pages were not found")
}

// What breaks comes first, and no heading has more than six lines. A version that changes much has more headings.
func TestTheChangesOfAVersionAreShort(t *testing.T) {
	for version, most := range map[string]int{"0.4.0": 13, "0.3.0": 8} {
		_, text, found := strings.Cut(textsOf(t, "CHANGELOG.md")["CHANGELOG.md"], "\n## "+version)
		should.Hold(t, found, "CHANGELOG.md has no %s", version)
		text, _, _ = strings.Cut(text, "\n## ")
		parts := strings.Split(text, "\n### ")[1:]
		should.Hold(t, len(parts) <= most && strings.HasPrefix(parts[0], "What breaks\n"), "%s: %d headings, or what breaks is not the first", version, len(parts))
		for _, part := range parts {
			lines := 0
			for line := range strings.Lines(part) {
				if strings.TrimSpace(line) != "" {
					lines++
				}
			}
			should.Hold(t, lines-1 <= 6, "%s: %d lines below %s", version, lines-1, part)
		}
	}
}
