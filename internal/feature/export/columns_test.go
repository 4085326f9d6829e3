package export

import (
	"os"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"

	"pgmpi/analyze"
	"pgmpi/testkit/must"
	"pgmpi/testkit/should"
)

// between is a part of docs/results-format.md, without line breaks.
func between(t *testing.T, begin, end string) string {
	t.Helper()
	text := must.Get(os.ReadFile("../../../docs/results-format.md"))(t)
	_, rest, found := strings.Cut(string(text), begin)
	part, _, ended := strings.Cut(rest, end)
	must.Hold(t, found && ended, "docs/results-format.md has no part from %q to %q", begin, end)
	return part
}

func TestEveryFieldOfAVerdictHasItsLineInTheDocs(t *testing.T) {
	table := between(t, "\n### A verdict\n", "\n## ")
	for _, f := range reflect.VisibleFields(reflect.TypeFor[analyze.Verdict]()) {
		name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
		if f.Anonymous || len(f.Index) > 2 {
			continue
		}
		called := "`" + name + "`"
		if other, ok := strings.CutPrefix(name, "other_"); ok && !strings.Contains(table, called) {
			called = "`" + other + "`.*`other_…`"
		}
		should.Hold(t, regexp.MustCompile("(?m)^\\|[^|]*("+called+")[^|]*\\|").MatchString(table),
			"field %s of a verdict has no line in the table of docs/results-format.md", name)
	}
}

func TestTheDocsListTheColumnsOfVerdicts(t *testing.T) {
	var want, got []string
	for name := range columnsOf(Verdict) {
		want = append(want, name)
	}
	want = want[reflect.TypeFor[Source]().NumField():]
	for _, m := range regexp.MustCompile("`([a-z0-9_]+)`").FindAllStringSubmatch(between(t, "\n| `verdicts` | `guideline`, `type`, ", "|\n"), -1) {
		got = append(got, m[1])
	}
	should.Hold(t, slices.Equal(got, want[2:]), "docs/results-format.md lists\n%s\nnot\n%s", strings.Join(got, ", "), strings.Join(want[2:], ", "))
}
