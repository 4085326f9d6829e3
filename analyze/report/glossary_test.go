package report

import (
	"os"
	"regexp"
	"strings"
	"testing"

	"pgmpi/internal/document"
	"pgmpi/testkit/must"
	"pgmpi/testkit/should"
)

var (
	inGlossary = regexp.MustCompile("(?m)^### (.+)$|\\*([^*\n]+)\\*|`([^`\n]+)`")
	word       = regexp.MustCompile(`[A-Za-z]+([/-][A-Za-z]+)*`)
	withDigits = regexp.MustCompile(`\S*[0-9]\S*`)
)

// Headings, and words of its first table, are explained there; what only stands in its sentences is not.
func TestTheGlossaryHasTheColumnsAndLabelsOfFirstScreens(t *testing.T) {
	explained := map[string]bool{"note": true, "utc": true}
	for _, m := range inGlossary.FindAllStringSubmatch(string(must.Get(os.ReadFile("../../docs/glossary.md"))(t)), -1) {
		for _, w := range word.FindAllString(strings.Join(m[1:], " "), -1) {
			explained[strings.ToLower(w)] = true
		}
	}
	all, asked := examples(t), 0
	for _, name := range strings.Fields("planted clean refused noisy states gate compare shift history causes") {
		for _, s := range all[name].Document.Brief().Sections {
			var shown []string
			if s.Table != nil {
				shown = append(shown, s.Table.Head...)
			}
			for _, text := range s.Text {
				if text.Style == document.Fact {
					shown = append(shown, text.Name)
				}
			}
			for _, label := range shown {
				for _, w := range word.FindAllString(withDigits.ReplaceAllString(label, ""), -1) {
					asked++
					should.Hold(t, explained[strings.ToLower(w)], "%s: docs/glossary.md does not explain %q of %q", name, w, label)
				}
			}
		}
	}
	should.Hold(t, asked > 50, "the screens have only %d words", asked)
}
