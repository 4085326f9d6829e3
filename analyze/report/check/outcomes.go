package check

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"pgmpi/analyze"
	"pgmpi/analyze/judge"
	"pgmpi/analyze/medians"
	"pgmpi/guidelines"
	"pgmpi/internal/document"
	"pgmpi/internal/phrase"
)

// ReportOutcomes has a suite for every shape and type of guideline.
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

// slower adds a suite for every shape with run-times that are alarms.
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

// spentS are the seconds that the samples of each case took, by its function, size and shape.
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
	other := medians.Cell{Function: cmp.Or(v.Mockup, v.Function), Msize: v.MsizeOther, Shape: v.Shape}
	took := spent[v.Cell()] + spent[other]
	o := document.Outcome{Class: "pgmpi." + v.Shape + "." + v.Guideline + "." + v.Function, Name: fmt.Sprintf("%d B", v.Msize), Seconds: &took}
	o.Result, o.Why = ResultOf(r, v)
	if v.Ratio != nil {
		o.Ratio = *v.Ratio
	}
	call := fmt.Sprintf("%s %s, %s", phrase.Plain(v.Function), phrase.Size(v.Msize), v.Shape)
	o.Title = call + ": " + phrase.Words(o.Why)
	if v.Verdict == judge.Violated && v.Ratio != nil {
		o.Title = fmt.Sprintf("%s: %s slower than %s", call, phrase.Ratio(v.Ratio), rival(v))
	}
	o.Text = Sentence(v, o.Why)
	for _, d := range []document.Label{
		{Name: "guideline", Value: strings.TrimSpace(v.Guideline + "  " + formula)},
		{Name: "call", Value: fmt.Sprintf("%s, msize %d B, %s: %s", v.Function, v.Msize, v.Shape, phrase.Duration(v.MedianS))},
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

// ResultOf says how a test ended, and why in a word. Where there is a gate, only its alarms fail.
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

func rival(v *analyze.Verdict) string {
	switch v.Type {
	case guidelines.Monotony:
		return "itself at " + phrase.Size(v.MsizeOther)
	case guidelines.Split:
		if v.K == 0 {
			return "calls of smaller sizes"
		}
		return fmt.Sprintf("%d calls of %s", v.K, phrase.Size(v.MsizeOther))
	case guidelines.Pattern:
	}
	return phrase.Plain(v.Mockup)
}

// Sentence says what was found, and why it counts as it does.
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
