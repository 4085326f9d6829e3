package report

import (
	"strings"
	"testing"
	"unicode/utf8"

	"pgmpi/analyze"
	"pgmpi/analyze/judge"
	"pgmpi/analyze/report/check"
	"pgmpi/analyze/selector"
	"pgmpi/guidelines"
	"pgmpi/internal/document"
	"pgmpi/measure/protocol"
	"pgmpi/measure/results"
	"pgmpi/testkit/documents"
	"pgmpi/testkit/fixture"
	"pgmpi/testkit/must"
	"pgmpi/testkit/should"
)

func noisyReport(t *testing.T) *analyze.Report {
	t.Helper()
	m, runs := measured([]guidelines.Shape{{NP: 2}}, noisySizes, few, 10, noisy)
	for i := range runs {
		runs[i].Cases[0].Provable = &protocol.Bound{N: 40, MedianNS: 2100 + int64(i), MinNS: 1900}
	}
	countFaults(runs)
	a := must.Get(analyze.Analyze(m, runs, config()))(t)
	return a.Report
}

// explained are the verdicts that the selector names.
func explained(t *testing.T, patterns []fixture.Pattern, sizes []int64, cfg judge.Config, text string,
	samples func(string, int64, int) []protocol.Sample) []*analyze.Explanation {
	t.Helper()
	m, runs := measured([]guidelines.Shape{{NP: 2}}, sizes, patterns, 10, samples)
	countFaults(runs)
	a := must.Get(analyze.Analyze(m, runs, cfg))(t)
	selection := must.Get(selector.Select(&m.Plan, text))(t)
	var out []*analyze.Explanation
	for _, i := range selection.Tests {
		e := must.Get(a.Explain(i, func(run int) (*results.Run, error) { return &runs[run-1], nil }))(t)
		out = append(out, e)
	}
	return out
}

// explanation is the text about them.
func explanation(t *testing.T, patterns []fixture.Pattern, sizes []int64, cfg judge.Config, selector string,
	samples func(string, int64, int) []protocol.Sample) string {
	t.Helper()
	text := ""
	for _, e := range explained(t, patterns, sizes, cfg, selector, samples) {
		text += documents.Written(t, "table", check.Explanations.Document(e))
	}
	for line := range strings.Lines(text) {
		n := utf8.RuneCountInString(strings.TrimSuffix(line, "\n"))
		should.Hold(t, n <= document.UsualWidth, "%d columns: %s", n, line)
	}
	return text
}

func explainExample(t *testing.T) example {
	return documents.Of(check.Explanations, explained(t, few, noisySizes, config(), "GL8:64Ki", noisy)[0])
}

func caused(t *testing.T) *check.Caused {
	r := noisyReport(t)
	of := &check.Caused{Report: r, Folder: "DIR"}
	for i := range r.Verdicts {
		of.Tests = append(of.Tests, &r.Verdicts[i])
	}
	return of
}

func TestExplanationsMatchGoldenFiles(t *testing.T) {
	for name, selector := range map[string]string{"violated": "GL8:64Ki", "undecided": "GL8:1", "split": "GL2:Reduce:64Ki", "inconclusive": "GL5:1"} {
		documents.Golden(t, "explain-"+name+".txt", explanation(t, few, noisySizes, config(), selector, noisy))
	}
}

func TestExplanationSaysWhetherCallsTookTurns(t *testing.T) {
	e := explained(t, few, noisySizes, config(), "GL8:64Ki", noisy)[0]
	for visits, want := range map[int]string{0: "", 1: "one call repeated in a row; --turns gives", 4: "in 4 turns an mpirun; --turns 1 gives"} {
		e.Call.Visits = visits
		text := strings.Join(strings.Fields(documents.Written(t, "table", check.Explanations.Document(e))), " ")
		should.Hold(t, strings.Contains(text, want) && strings.Contains(text, "--turns") == (visits > 0), "%d visits: %s", visits, text)
	}
}

// Every verdict has its own reason, which must be about that verdict.
func TestReasonsAreThoseOfTheVerdict(t *testing.T) {
	slower := func(percent int64) func(string, int64, int) []protocol.Sample {
		return func(function string, _ int64, run int) []protocol.Sample {
			ns := int64(100000 + 50*run)
			if strings.HasPrefix(function, "MPI_") {
				ns += ns * percent / 100
			}
			return []protocol.Sample{{NS: ns}, {NS: ns + 1}, {NS: ns - 1}}
		}
	}
	for _, c := range []struct {
		percent int64
		method  judge.Method
		want    string
	}{
		{50, "default", "on average up to one in 20 of such findings is chance"},
		{50, "ci", "up to one in 20 of checks has such a finding by chance"},
		{50, "default", "is for this test alone"},
		{50, "default", "A new check of this design in this state of the machine shows it again with an estimated probability of > .99"},
		{50, "default", "which reaches the minimum slowdown of 1.05×"},
		{50, "default", "The fastest that was measured in its place: Allreduce"},
		{3, "default", "But the ratio is only 1.03×"},
		{-20, "default", "That it is less than 1.05× slower is shown"},
		{-20, "default", "up to one in 20 is called kept"},
		{50, "ci", "adjusted by Holm over m = 8 tests"},
		{50, "margin", "If it were not slower than 1.05 times the other side"},
		{3, "paper", "asks for no minimum slowdown"},
		{-20, "paper", "Method paper calls everything kept"},
	} {
		cfg := config()
		cfg.Method = c.method
		out := explanation(t, few, []int64{1, 64}, cfg, "GL8:64", slower(c.percent))
		should.Hold(t, strings.Contains(strings.Join(strings.Fields(out), " "), c.want), "%d %% slower, method %s: %q is not in\n%s", c.percent, c.method, c.want, out)
	}
}

func TestWhenARequestPaysIsSaid(t *testing.T) {
	seven := 7
	for _, c := range []struct {
		payoff *analyze.Payoff
		want   string
	}{
		{nil, ""},
		{&analyze.Payoff{InitS: 3.5e-6, GainS: 0.5e-6, From: &seven}, "The request pays from 7 uses on: it costs 3.50 µs beside its uses, and a use saves 500 ns."},
		{&analyze.Payoff{InitS: 3.5e-6, GainS: -0.5e-6, Never: true}, "The request never pays: it costs 3.50 µs beside its uses, and a use takes 500 ns more."},
		{&analyze.Payoff{InitS: -1e-6, GainS: -0.5e-6}, "From how many uses on the request pays cannot be told: it costs nothing to speak of beside its uses, and a use takes 500 ns more, but ten uses take no longer."},
	} {
		s := document.Titled("x")
		if check.PayoffReason(&s, &analyze.Verdict{Payoff: c.payoff}); len(s.Text) == 0 && c.want == "" {
			continue
		}
		should.Hold(t, len(s.Text) == 2 && s.Text[0].Text == c.want, "%+v: %v, want %q", c.payoff, s.Text, c.want)
	}
}

func TestAScreenIsExplainedAsOne(t *testing.T) {
	e := explained(t, few, noisySizes, config(), "GL8:1", noisy)[0] // undecided
	e.Test.Screen = true
	e.Report.R = 25
	out := strings.Join(strings.Fields(documents.Written(t, "table", check.Explanations.Document(e))), " ")
	should.Contain(t, out, "This look finds no violations", "(10 mpiruns are too few for that)", "It did not point to a violation, so it was not measured any further.")
}

func TestNoExplanationIsWiderThan100Columns(t *testing.T) {
	long := []fixture.Pattern{{ID: "a-very-long-id-of-a-users-own-guideline", Function: "MPI_Reduce_scatter_block", Mockup: "reduce_scatter_block_as_reduce+scatter"},
		{ID: "GL13", Function: "MPI_Allreduce", Mockup: "allreduce_as_reduce_scatter_block+allgather"}}
	wide := func(function string, size int64, run int) []protocol.Sample {
		out := noisy(function, size, run)
		for i := range out {
			out[i].NS *= 123456
		}
		return out
	}
	explanation(t, long, []int64{1023, 1048575}, config(), "a-very-long-id-of-a-users-own-guideline:1048575", wide)
	explanation(t, long, []int64{1023, 1048575}, config(), "GL13:1023", wide)
}
