package analyze

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// Every id that the report of a check warns with has a remedy and a heading in the docs,
// and nothing else has.
func TestEveryWarningHasARemedyAndAPlaceInTheDocs(t *testing.T) {
	used := map[string]bool{}
	files, err := filepath.Glob("*.go")
	if err != nil {
		t.Fatal(err)
	}
	call := regexp.MustCompile(`(?:warn|newWarning)\("([^"]+)"`)
	for _, f := range files {
		if strings.HasPrefix(f, "compare") {
			continue // comparisons say it in their text
		}
		text, err := os.ReadFile(f)
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range call.FindAllStringSubmatch(string(text), -1) {
			used[m[1]] = true
		}
	}
	docs, err := os.ReadFile("../docs/statistics.md")
	if err != nil {
		t.Fatal(err)
	}
	_, section, ok := strings.Cut(string(docs), "\n## Warnings\n")
	if !ok || len(used) == 0 {
		t.Fatal("no section about warnings, or no warnings")
	}
	section, _, _ = strings.Cut(section, "\n## ")
	for id := range used {
		if remedies[id] == "" {
			t.Errorf("warning %s has no remedy", id)
		}
		if !strings.Contains(section, "\n### "+id+"\n") {
			t.Errorf("warning %s has no heading in docs/statistics.md", id)
		}
	}
	for _, m := range regexp.MustCompile(`\n### (\S+)\n`).FindAllStringSubmatch(section, -1) {
		if !used[m[1]] {
			t.Errorf("docs/statistics.md is about a warning %s that nobody gives", m[1])
		}
	}
	for id := range remedies {
		if !used[id] {
			t.Errorf("a remedy for %s, which nobody gives", id)
		}
	}
	w := newWarning("iqr-zero", "x")
	if w.Docs != "docs/statistics.md#iqr-zero" || w.Remedy == "" {
		t.Errorf("%+v", w)
	}
}
