package remark

import (
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"pgmpi/testkit/must"
	"pgmpi/testkit/should"
)

// section returns the part of a page below a heading, without the headings after it.
func section(t *testing.T, page, heading string) string {
	t.Helper()
	text := must.Get(os.ReadFile("../../docs/" + page))(t)
	_, below, ok := strings.Cut(string(text), "\n## "+heading+"\n")
	must.Hold(t, ok, "%s has no section %q", page, heading)
	below, _, _ = strings.Cut(below, "\n## ")
	return below
}

func found(text, pattern string) []string {
	var ids []string
	for _, m := range regexp.MustCompile(pattern).FindAllStringSubmatch(text, -1) {
		ids = append(ids, m[1])
	}
	return ids
}

// Every kind has a remedy and is explained where it says so, and nothing else is.
func TestEveryRemarkHasARemedyAndAPlaceInTheDocs(t *testing.T) {
	_, row, _ := strings.Cut(section(t, "results-format.md", "compare.json"), "\n| `warnings` |")
	_, row, _ = strings.Cut(row, "…`)") // the factors
	row, _, _ = strings.Cut(row, "\n")
	documented := map[string][]string{
		inStatistics: found(section(t, "statistics.md", "Warnings"), `\n### (\S+)\n`),
		onRanks:      found(section(t, "cluster.md", "What the ranks run on"), "\n\\| `([^`]+)`"),
		Comparing:    found(row, "`([a-z-]+)`"),
	}
	section(t, "statistics.md", "Comparing two folders")
	for id, k := range kinds {
		place := strings.TrimSuffix(k.docs, string(id))
		if i := slices.Index(documented[place], string(id)); i < 0 {
			t.Errorf("%s is not explained in %s", id, k.docs)
		} else {
			documented[place] = slices.Delete(documented[place], i, i+1)
		}
		should.Hold(t, k.remedy != "", "%s has no remedy", id)
	}
	for place, ids := range documented {
		should.Hold(t, len(ids) == 0, "%s is about %q, which nobody gives", place, ids)
	}
	r := New(ZeroIQR, "p2", "%d times", 3)
	should.Hold(t, r.Docs == "docs/statistics.md#iqr-zero" && r.Remedy != "" && r.Text == "3 times", "%+v", r)
}
