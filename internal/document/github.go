package document

import (
	"cmp"
	"fmt"
	"io"
	"slices"
	"strings"

	"pgmpi/internal/conf"
	"pgmpi/internal/lists"
	"pgmpi/internal/phrase"
)

var githubFormat = Format{Name: "github", from: outcomes, Log: "GITHUB_ACTIONS", Write: writeGitHub}

// mostAnnotations is the limit of errors of a step that GitHub shows.
const mostAnnotations = 10

// writeGitHub writes wrong data first, then the largest ratios.
func writeGitHub(w io.Writer, d *Document) error {
	var found []Outcome
	for _, s := range d.Outcomes.Suites {
		found = append(found, lists.Keep(s.Outcomes, func(o Outcome) bool { return o.Result == Failed || o.Result == Errored })...)
	}
	slices.SortStableFunc(found, func(a, b Outcome) int {
		return cmp.Or(cmp.Compare(b.Result, a.Result), cmp.Compare(b.Ratio, a.Ratio))
	})
	shown, more := phrase.First(found, mostAnnotations, "and %d more: see the report")
	var out strings.Builder
	if d.Outcomes.Answer != "" {
		fmt.Fprintf(&out, "::notice title=pgmpi::%s\n", githubData.Replace(d.Outcomes.Answer))
	}
	for _, o := range shown {
		fmt.Fprintf(&out, "::error title=%s::%s\n", githubProperty.Replace(o.Title), githubData.Replace(o.Text))
	}
	if more != "" {
		fmt.Fprintf(&out, "::notice title=%s::%s\n", githubProperty.Replace("pgmpi: "+conf.Plural(len(found), "finding")), githubData.Replace(more))
	}
	_, err := io.WriteString(w, out.String())
	return err
}

// Escapes of workflow commands.
var (
	githubData     = strings.NewReplacer("%", "%25", "\r", "%0D", "\n", "%0A")
	githubProperty = strings.NewReplacer("%", "%25", "\r", "%0D", "\n", "%0A", ":", "%3A", ",", "%2C")
)
