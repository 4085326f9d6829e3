package check

import (
	"cmp"
	"fmt"
	"math"
	"regexp"
	"slices"
	"strings"

	"pgmpi/analyze"
	"pgmpi/analyze/judge"
	"pgmpi/analyze/medians"
	"pgmpi/guidelines"
	"pgmpi/internal/clean"
	"pgmpi/internal/document"
	"pgmpi/internal/lists"
	"pgmpi/internal/osu"
	"pgmpi/internal/phrase"
)

// ReportOutcomes returns a suite for every shape and type of guideline.
func ReportOutcomes(r *analyze.Report) *document.Outcomes {
	title, _ := headline(r)
	out := &document.Outcomes{Answer: document.OneLine(title), Created: r.Created, Host: document.OneLine(r.Host)}
	out.Fact("answer", title)
	out.Fact("library", phrase.ShortVersion(r.Library.Version))
	out.Fact("host", r.Host)
	out.Fact("R", fmt.Sprint(r.R))
	out.Fact("pgmpi", r.Version)
	out.Fact("folder", r.Folder)
	spent := spentS(r)
	formulas := map[[2]string]string{}
	for _, g := range r.Guidelines {
		formulas[[2]string{g.Guideline, g.Function}] = g.Formula
	}
	for _, s := range r.Summary {
		out.Suites = append(out.Suites, document.Suite{Name: document.OneLine(s.Shape + "." + string(s.Type))})
	}
	for i := range r.Verdicts {
		v := &r.Verdicts[i]
		out.Add(v.Shape+"."+string(v.Type), outcomeOf(r, v, formulas[[2]string{v.Guideline, v.Function}], spent))
	}
	slower(out, r)
	return out
}

func slower(o *document.Outcomes, r *analyze.Report) {
	if r.Gate == nil {
		return
	}
	for _, k := range r.Gate.Slower {
		times := fmt.Sprintf("%s instead of %s in %s", phrase.Duration(k.NowS), phrase.Duration(k.BeforeS), k.Baseline)
		o.Add(k.Shape+".times", document.Outcome{Class: "pgmpi." + k.Shape + ".times." + k.Function, Name: fmt.Sprintf("%d B", k.Msize), Result: document.Failed, Why: "slower",
			Title: fmt.Sprintf("%s %s, %s: takes %s as long as before", phrase.Plain(k.Function), phrase.Size(k.Msize), k.Shape, phrase.Ratio(k.Ratio)),
			Text:  fmt.Sprintf("slower: %s at %s on %s takes %s", k.Function, phrase.Size(k.Msize), k.Shape, times)})
	}
}

func spentS(r *analyze.Report) map[medians.Cell]float64 {
	out := map[medians.Cell]float64{}
	for _, k := range r.Measured.Cases {
		for _, run := range k.Runs {
			if !math.IsNaN(run.NS) {
				out[k.Cell] += run.NS / 1e9 * float64(run.Samples+run.Invalid)
			}
		}
	}
	return out
}

func outcomeOf(r *analyze.Report, v *analyze.Verdict, formula string, spent map[medians.Cell]float64) document.Outcome {
	other := medians.Cell{Function: cmp.Or(v.Mockup, v.Function), Msize: v.MsizeOther, Shape: v.Shape, Elements: v.Elements}
	took := spent[v.Cell()] + spent[other]
	o := document.Outcome{Class: "pgmpi." + v.Shape + "." + v.Guideline + "." + v.Cell().Call(), Name: fmt.Sprintf("%d B", v.Msize), Seconds: &took}
	o.Result, o.Why = ResultOf(r, v)
	o.Ratio = analyze.Or(v.Ratio, 0)
	call := fmt.Sprintf("%s %s, %s", phrase.Plain(v.Cell().Call()), phrase.Size(v.Msize), v.Shape)
	o.Title = call + ": " + phrase.Words(o.Why)
	if v.Verdict == judge.Violated && v.Ratio != nil {
		o.Title = fmt.Sprintf("%s: %s slower than %s", call, phrase.Ratio(v.Ratio), rival(v))
	}
	o.Text = Sentence(v, o.Why)
	for _, d := range []document.Label{
		{Name: "guideline", Value: strings.TrimSpace(v.Guideline + "  " + formula)},
		{Name: "call", Value: fmt.Sprintf("%s, size %d B, %s: %s", v.Function, v.Msize, v.Shape, phrase.Duration(v.MedianS))},
		{Name: "other", Value: fmt.Sprintf("%s: %s", rival(v), phrase.Duration(v.PossibleS()))},
		{Name: "ratio", Value: effect(v.Effect)},
		{Name: "p adjusted", Value: strings.TrimSpace(phrase.Probability(v.PAdjusted) + " " + v.Stars)},
		{Name: "mpiruns", Value: fmt.Sprint(v.Runs)},
		{Name: "again", Value: Again(v)},
		{Name: "fastest", Value: strings.ReplaceAll(instead(v), "\n", "")},
		{Name: "verdict", Value: phrase.Words(v.Verdict)},
		{Name: "reason", Value: v.Reason},
	} {
		if d.Value != "" && d.Value != "-" {
			o.Details = append(o.Details, d)
		}
	}
	if g := v.Gated; g != nil {
		o.Details = append(o.Details, document.Label{Name: "state", Value: phrase.Words(g.State) + phrase.When(g.StateReason != "", ": %s", g.StateReason)})
		if g.Ticket != "" {
			o.Details = append(o.Details, document.Label{Name: "ticket", Value: g.Ticket})
		}
	}
	return o
}

// ResultOf says how a test ended, and why in a word. With a gate, only its alarms fail.
func ResultOf(r *analyze.Report, v *analyze.Verdict) (result document.Result, why string) {
	why = string(v.Verdict)
	if v.Gated != nil && v.Verdict != judge.Wrong {
		why = string(v.State)
	}
	switch v.Verdict {
	case judge.Wrong:
		return document.Errored, why
	case judge.Violated:
		result = document.Failed
	case judge.Undecided, judge.Suspected, judge.NotSuspected, judge.SeenOnce, judge.NotMeasured:
		result = document.Skipped
	case judge.Kept, judge.Marginal:
		result = document.Passed
	}
	switch {
	case v.Gated != nil && v.Alarm:
		result = document.Failed
	case r.Gate != nil && result == document.Failed:
		result = document.Skipped
	case r.Gate != nil && result == document.Passed && slices.Contains(r.Gate.NotJudged, v.Shape):
		result, why = document.Skipped, "not_judged"
	}
	return result, why
}

func rival(v *analyze.Verdict) string { return Rival(v.Type, v.Mockup, v.Msize, v.MsizeOther) }

// Rival names what a call of msize bytes is compared with. other is the size of monotony, or of each part of a split.
func Rival(of guidelines.Type, mockup string, msize, other int64) string {
	switch of {
	case guidelines.Monotony:
		return "itself at " + phrase.Size(other)
	case guidelines.Split:
		if other <= 0 || other >= msize { // none was found to be slower than
			return "calls of smaller sizes"
		}
		return fmt.Sprintf("%d calls of %s", (msize+other-1)/other, phrase.Size(other))
	case guidelines.Pattern:
	}
	return emulation(mockup)
}

func Sentence(v *analyze.Verdict, why string) string {
	var reason string
	if g := v.Gated; g != nil {
		reason = strings.TrimSpace(g.StateReason + phrase.When(g.Ticket != "", " (%s)", g.Ticket))
	}
	reason = cmp.Or(reason, v.Reason)
	text := phrase.Words(why)
	if v.Ratio != nil && v.MedianS != nil {
		text += fmt.Sprintf(": %s at %s on %s takes %s, %s as long as %s (%s)",
			v.Function, phrase.Size(v.Msize), v.Shape, phrase.Duration(v.MedianS), effect(v.Effect), rival(v), phrase.Duration(v.PossibleS()))
	}
	return strings.TrimRight(text+phrase.When(reason != "", "; %s", reason), ".")
}

func reportMetrics(r *analyze.Report) []document.Metric {
	ratio := document.Metric{Name: "pgmpi_ratio", Help: "How many times slower the call is than what it must not be slower than."}
	violated := 0
	for i := range r.Verdicts {
		v := &r.Verdicts[i]
		if v.Verdict == judge.Violated {
			violated++
		}
		if v.Ratio != nil {
			ratio.Add(*v.Ratio, append([]document.Label{{Name: "guideline", Value: v.Guideline}}, CellLabels(v.Cell())...)...)
		}
	}
	seconds := document.Metric{Name: "pgmpi_seconds", Help: "Median of the run medians of a call, in seconds."}
	for _, k := range r.Measured.Cases {
		seconds.Add(k.MedianNS/1e9, CellLabels(k.Cell)...)
	}
	count := func(name, help string, n int) document.Metric {
		return document.Metric{Name: name, Help: help, Values: []document.MetricValue{{Value: float64(n)}}}
	}
	alarms := violated
	if r.Gate != nil {
		alarms = r.Gate.Alarms
	}
	yardstick := document.Metric{Name: "pgmpi_yardstick_seconds", Help: "How fast the machine was, in seconds of the median mpirun."}
	for _, s := range r.Probes {
		for _, q := range medians.ProbeQuantities {
			if ns := *s.At(q); ns > 0 {
				yardstick.Add(ns/1e9, document.Label{Name: "quantity", Value: string(q)}, document.Label{Name: "shape", Value: s.Shape})
			}
		}
	}
	all := []document.Metric{ratio, seconds,
		count("pgmpi_violated", "Tests whose guideline is violated.", violated),
		count("pgmpi_alarms", "Tests that make the check fail: new ones where there is a baseline, else all that are violated.", alarms),
		count("pgmpi_slow_mpiruns", "Mpiruns that were slower than the others throughout.", len(r.SlowMpiruns)), yardstick}
	return lists.Keep(all, func(m document.Metric) bool { return len(m.Values) > 0 })
}

// release matches a version in what a library says of itself.
var release = regexp.MustCompile(`\d+(?:\.\d+)+\w*`)

// Source labels metrics with the library and the host of a measurement, as far as they are known.
func Source(l analyze.Library, host string) (out []document.Label) {
	for _, label := range []document.Label{{Name: "library", Value: l.Name}, {Name: "version", Value: release.FindString(l.Version)}, {Name: "host", Value: host}} {
		if label.Value = clean.Line(label.Value); label.Value != "" {
			out = append(out, label)
		}
	}
	return out
}

func CellLabels(c medians.Cell) []document.Label {
	labels := []document.Label{{Name: "function", Value: c.Function}, {Name: "msize", Value: fmt.Sprint(c.Msize)}, {Name: "shape", Value: c.Shape}}
	if c.Elements != "" {
		labels = append(labels, document.Label{Name: "elements", Value: c.Elements})
	}
	return labels
}

func reportPlotted(r *analyze.Report) string {
	var times []osu.Time
	for _, k := range r.Measured.Cases {
		if strings.HasPrefix(k.Function, "MPI_") {
			times = append(times, osu.Time{Function: k.Function, Msize: k.Msize, Shape: guidelines.ShapeOf(k.Shape, k.NP), NS: k.MedianNS})
		}
	}
	return osu.Text(phrase.ShortVersion(r.Library.Version), times)
}

// RunMedians holds the run medians of a results folder, for programs only.
var RunMedians = document.Kind[[]medians.CaseMedians]{Name: "medians", Rows: runMedianRows,
	Sections: func(*[]medians.CaseMedians) []document.Section { return nil }}

func runMedianRows(list *[]medians.CaseMedians) [][]string {
	out := [][]string{{"function", "mockup_of", "msize", "shape", "np", "mpirun", "median_s", "n", "outliers", "finished_at",
		"mode", "calls", "invalid", "page_faults", "page_faults_rank", "switches", "switches_rank", "pair"}}
	for _, k := range *list {
		for _, r := range k.Runs {
			u := r.Usage
			out = append(out, phrase.Row(k.Function, k.MockupOf, k.Msize, k.Shape, k.NP, r.Run, r.Seconds(), r.Samples-r.Outliers, r.Outliers, r.FinishedAt,
				k.Mode, k.Calls, r.Invalid, ifCounted(u, u.Faults), ifCounted(u, u.FaultsRank), ifCounted(u, u.Switches), ifCounted(u, u.SwitchesRank), k.Pair))
		}
	}
	return out
}

func ifCounted(u medians.Usage, value any) any {
	if math.IsNaN(u.Faults) {
		return nil
	}
	return value
}
