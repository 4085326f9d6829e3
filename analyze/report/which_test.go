package report

import (
	"strings"
	"testing"

	"pgmpi/analyze"
	"pgmpi/analyze/chosen"
	"pgmpi/analyze/report/check"
	"pgmpi/guidelines"
	"pgmpi/testkit/documents"
	"pgmpi/testkit/must"
	"pgmpi/testkit/should"
)

// Reduce is violated at both sizes; a row of the losses has one algorithm.
func TestEveryViolationNamesTheDefaultWhereItIsKnown(t *testing.T) {
	sizes := []int64{64, 65536, 131072}
	r := synthetic(t, []guidelines.Shape{{NP: 2}}, sizes, few, 12, config(), planted)
	row := func(text string) (out []string) {
		for _, line := range strings.Split(text, "\n") {
			if strings.Contains(line, "<tr") && (strings.Contains(line, "64 KiB") || strings.Contains(line, "128 KiB")) {
				out = append(out, line)
			}
		}
		return out
	}
	before := documents.Written(t, "html", check.Reports.Document(r))
	should.Hold(t, !strings.Contains(before, "the default is"), "nobody has asked for it")
	joined := len(row(before))
	r.Which = &chosen.Which{Rows: []chosen.WhichRow{{Collective: "MPI_Reduce", Shape: "p2", Msize: 65536, Algorithms: []string{"pipeline+128Ki"}},
		{Collective: "MPI_Reduce", Shape: "p2", Msize: 131072, Algorithms: []string{"binomial"}}}}
	page := documents.Written(t, "html", check.Reports.Document(r))
	should.Contain(t, page, "the default is pipeline, 128 KiB segments", "the default is binomial")
	should.Hold(t, len(row(page)) > joined, "%d rows, and %d without algorithms", len(row(page)), joined)
	e := &analyze.Explanation{Report: r}
	for i := range r.Verdicts {
		if v := &r.Verdicts[i]; v.Function == "MPI_Reduce" && v.Msize == 65536 && v.Verdict == "violated" {
			e.Verdict = v
		}
	}
	must.Hold(t, e.Verdict != nil, "nothing is violated")
	should.Contain(t, documents.Written(t, "table", check.Explanations.Document(e)), "The default is pipeline, 128 KiB segments.")
	causes := check.Causes.Document(&check.Caused{Report: r, Tests: []*analyze.Verdict{e.Verdict}})
	should.Contain(t, strings.Join(strings.Fields(documents.Written(t, "table", causes)), " "), "takes now", "pipeline, 128 KiB segments")
}
