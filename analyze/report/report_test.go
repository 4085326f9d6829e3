package report

import (
	"encoding/csv"
	"encoding/json"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"

	"pgmpi/analyze"
	"pgmpi/analyze/judge"
	"pgmpi/analyze/medians"
	"pgmpi/analyze/report/check"
	"pgmpi/guidelines"
	"pgmpi/measure/protocol"
	"pgmpi/testkit/documents"
	"pgmpi/testkit/fixture"
	"pgmpi/testkit/must"
	"pgmpi/testkit/should"
	"pgmpi/testkit/shown"
)

type example = documents.Example

// What several packages show documents of.
var (
	few, noisySizes          = shown.Few, shown.NoisySizes
	measured, planted, noisy = shown.Measured, shown.Planted, shown.Noisy
	countFaults              = shown.CountFaults
)

// synthetic measures invented functions: ns gives a case's run-time.
func synthetic(t *testing.T, shapes []guidelines.Shape, sizes []int64, patterns []fixture.Pattern, r int, cfg judge.Config,
	ns func(function string, size int64) int64) *analyze.Report {
	t.Helper()
	m, runs := measured(shapes, sizes, patterns, r, func(function string, size int64, run int) []protocol.Sample {
		// Neighbouring mpiruns differ by .1 %.
		base := ns(function, size)
		base += int64(run) * base / 1000
		return []protocol.Sample{{NS: base}, {NS: base + 1}, {NS: base + 2}}
	})
	a := must.Get(analyze.Analyze(m, runs, cfg))(t)
	return a.Report
}

func text(t *testing.T, name string, r *analyze.Report) string {
	t.Helper()
	return documents.Written(t, name, check.Reports.Document(r))
}

func config() judge.Config {
	return judge.Config{Method: "default", Test: "auto", Alpha: 0.05, Adjust: "auto", MinSlowdown: 1.05, SplitTolerance: 0.05}
}

// wideReport has long names, many sizes and two shapes. It is made once, for tests that read it.
func wideReport(t *testing.T) *analyze.Report {
	t.Helper()
	wide.Do(func() { wide.report = newWideReport(t) })
	must.Hold(t, wide.report != nil, "an earlier test could not make the wide report")
	return wide.report
}

var wide struct {
	sync.Once
	report *analyze.Report
}

func newWideReport(t *testing.T) *analyze.Report {
	var sizes []int64
	for s := int64(1); s <= 1<<20; s *= 2 {
		sizes = append(sizes, s, s+s/2*3+100001)
	}
	slices.Sort(sizes)
	sizes = slices.Compact(sizes)
	wide := append(slices.Clone(few),
		fixture.Pattern{ID: "a-very-long-id-of-a-users-own-guideline", Function: "MPI_Reduce_scatter_block", Mockup: "reduce_scatter_block_as_reduce+scatter"},
		fixture.Pattern{ID: "GL13", Function: "MPI_Allreduce", Mockup: "allreduce_as_reduce_scatter_block+allgather"})
	shapes := []guidelines.Shape{{NP: 1024, Nodes: 128, PPN: 8}, {NP: 16384, Nodes: 1024, PPN: 16}}
	alternate := func(function string, size int64) int64 {
		if strings.HasPrefix(function, "MPI_") {
			return 900000000 + size*1237
		}
		return 10 + size%977
	}
	r := synthetic(t, shapes, sizes, wide, 14, config(), alternate)
	r.Library.Version = strings.Repeat("x", 300)
	r.Notes = []string{strings.Repeat("word ", 60), strings.Repeat("y", 250)}
	r.Wrong = []analyze.CaseMessage{{Cell: medians.Cell{Function: "MPI_Reduce"}, Message: strings.Repeat("block ", 50)}}
	r.Exclude = []string{strings.Repeat("z", 120)}
	return r
}

func TestTheWideReportIsWide(t *testing.T) {
	r := wideReport(t)
	should.Hold(t, r.ExitCode() == 3, "exit code %d with wrong data", r.ExitCode())
	out := text(t, "table", r)
	should.Hold(t, strings.Contains(out, "GL13 Allreduce") && strings.Contains(out, "Reduce_scatter_block"),
		"no row of GL13 or Reduce_scatter_block: the test of widths is not about a wide table")
}

func TestAllSizesOfADefaultCheckFitIntoOneMatrix(t *testing.T) {
	var sizes []int64
	for s := int64(1); s <= 1<<20; s *= 2 {
		sizes = append(sizes, s)
	}
	out := text(t, "table", synthetic(t, []guidelines.Shape{{NP: 2}}, sizes, few, 14, config(), planted))
	found := false
	for line := range strings.Lines(out) {
		f := strings.Fields(line)
		found = found || len(f) == 22 && f[0] == "guideline" && f[21] == "1M"
	}
	should.Hold(t, found, "no head with all 21 sizes in:\n%s", out)
}

func TestNothingFoundIsSaidHonestly(t *testing.T) {
	r := synthetic(t, []guidelines.Shape{{NP: 2}}, []int64{1, 1024}, few, 12, config(), func(string, int64) int64 { return 5000 })
	should.Contain(t, text(t, "table", r), "of 8 tests 0 violated")
}

func TestOneOfAKindIsSingular(t *testing.T) {
	r := synthetic(t, []guidelines.Shape{{NP: 2}}, []int64{1, 1024}, few, 12, config(), planted)
	r.M, r.TiedTests, r.ZeroDifferences = 1, 1, 1
	r.Verdicts = r.Verdicts[:1]
	r.Verdicts[0].Verdict, r.Verdicts[0].RunsNeeded = judge.Undecided, &judge.RunsNeeded{R: 23, Limit: 1000, Towards: judge.Kept, Test: r.Test}
	r.RunsNeededHalf = &judge.Half{R: 23, Decides: .8}
	r.NotMeasured = []analyze.CaseMessage{{Cell: medians.Cell{Function: "MPI_Reduce", Msize: 8, Shape: "p2"}, Message: "too large"}}
	r.Incomplete = []analyze.Incomplete{{Guideline: "GL8", Cell: medians.Cell{Msize: 8, Shape: "p2"}, Reason: "no data"}}
	r.Looks = &analyze.LooksSummary{Looks: []int{12}, Weights: []float64{1}, Decided: []int{1}}
	out := strings.Join(strings.Fields(text(t, "table", r)), " ")
	should.Contain(t, out, "m = 1 test,", "1 test with ties, 1 zero difference Looks", "Not measured: 1 case -", "for lack of data: 1 test;",
		"Undecided: 1 test, neither violated nor kept is shown guideline", "A new check with --mpiruns 23 would probably decide it; this one has made 12.")
	m := regexp.MustCompile(`\b1 (tests|cases|guideline rows)\b.*`).FindAllString(out, -1)
	should.Hold(t, m == nil, "%q in:\n%s", m, out)
}

func TestTheTestOfMoreMpirunsIsNamedWhereItIsAnother(t *testing.T) {
	r := synthetic(t, []guidelines.Shape{{NP: 2}}, []int64{1, 1024}, few, 12, config(), planted)
	r.Test, r.Verdicts[0].Verdict = judge.TestRankSum, judge.Undecided
	for test, named := range map[judge.TestName]bool{judge.TestRankSum: false, judge.TestSignedRank: true} {
		r.Verdicts[0].RunsNeeded = &judge.RunsNeeded{R: 23, Limit: 1000, Towards: judge.Kept, Test: test}
		out := strings.Join(strings.Fields(text(t, "table", r)), " ")
		should.Equal(t, strings.Contains(out, "That many mpiruns choose another test: exact signed-rank."), named, "%s: %s", test, out)
	}
}

func TestTheHeaderSaysWhatEachLookMeasured(t *testing.T) {
	r := synthetic(t, []guidelines.Shape{{NP: 2}}, []int64{1, 1024}, few, 12, config(), planted)
	r.M = 30
	for _, c := range []struct {
		looks analyze.LooksSummary
		want  string
	}{
		{analyze.LooksSummary{Looks: []int{10, 25}, Weights: []float64{.5, .5}, Screens: []int{10}, Decided: []int{7, 13}},
			"10 mpiruns measured everything, 15 more what pointed to a violation; 7 of m = 30 tests decided after 10, 13 after 25; stage 2"},
		{analyze.LooksSummary{Looks: []int{14, 20, 30}, Weights: []float64{.2, .3, .5}, Decided: []int{1, 2, 3}},
			"14 mpiruns measured everything, 6 more what pointed to a violation, 10 more of that what still did (weights 0.2, 0.3, 0.5); 1 of m = 30"},
	} {
		r.Looks = &c.looks
		out := strings.Join(strings.Fields(text(t, "table", r)), " ")
		should.Hold(t, strings.Contains(out, "Looks "+c.want), "no %q in:\n%s", c.want, out)
	}
}

func TestTheRankSumsAssumptionIsSaidWhereItIsUsed(t *testing.T) {
	for test, said := range map[judge.TestName]bool{judge.TestRankSum: true, judge.TestSignedRank: false} {
		cfg := config()
		cfg.Test = test
		r := synthetic(t, []guidelines.Shape{{NP: 2}}, []int64{1, 1024, 65536}, few, 12, cfg, planted)
		out := text(t, "table", r)
		should.Hold(t, strings.Contains(out, "if both sides spread alike") == said && strings.Contains(out, "Violations"), "%s:\n%s", test, out)
	}
}

func TestTheProbabilityOfARepeatIsCutNotRounded(t *testing.T) {
	for q, want := range map[float64]string{.999: "> .99", .99: ".99", .899999: ".89", .9: ".90", .05: ".05", .001: "< .01"} {
		should.Equal(t, check.Again(&analyze.Verdict{Replication: &q}), want, "%g", q)
	}
	r := synthetic(t, []guidelines.Shape{{NP: 2}}, []int64{1, 1024, 65536}, few, 12, config(), planted)
	for i := range r.Verdicts {
		r.Verdicts[i].Replication, r.Verdicts[i].Firm = nil, false
	}
	out := text(t, "table", r)
	should.Hold(t, !strings.Contains(out, "again") && !strings.Contains(out, "firm") && strings.Contains(out, "Violations"),
		"repeats are mentioned where nothing is known:\n%s", out)
}

func TestCSVHasOneRowPerVerdict(t *testing.T) {
	r := synthetic(t, []guidelines.Shape{{NP: 2}}, []int64{1, 1024, 65536}, few, 12, config(), planted)
	rows := must.Get(csv.NewReader(strings.NewReader(text(t, "csv", r))).ReadAll())(t)
	should.Hold(t, len(rows) == len(r.Verdicts)+1 && len(rows[0]) == len(analyze.Columns) && rows[0][0] == analyze.Columns[0].Name,
		"%d rows for %d verdicts, head %v", len(rows), len(r.Verdicts), rows[0])
}

func TestJSONHasTheDocumentedKeysAndNoNulledLists(t *testing.T) {
	r := synthetic(t, []guidelines.Shape{{NP: 2}}, []int64{1, 1024}, few, 12, config(), planted)
	var top map[string]any
	must.Do(t, json.Unmarshal([]byte(text(t, "json", r)), &top))
	should.Hold(t, top["schema"] == analyze.Schema, "schema %v", top["schema"])
	for _, list := range []string{"verdicts", "summary", "guidelines", "wrong", "not_measured", "not_converged", "incomplete", "warnings", "notes", "exclude", "shapes", "out_of_sync"} {
		_, ok := top[list].([]any)
		should.Hold(t, ok, "%s is %v, not a list", list, top[list])
	}
	verdict := top["verdicts"].([]any)[0].(map[string]any)
	for _, key := range []string{"guideline", "type", "function", "mockup", "msize", "msize_other", "np", "median_s", "other_median_s",
		"ratio", "ratio_lo95", "ratio_hi95", "p_value", "p_adjusted", "verdict", "runs_needed", "replication", "firm"} {
		_, ok := verdict[key]
		should.Hold(t, ok, "a verdict has no %s", key)
	}
}
