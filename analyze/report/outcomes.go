package report

import (
	"cmp"
	"fmt"
	"strings"

	"pgmpi/analyze"
	"pgmpi/analyze/judge"
	"pgmpi/guidelines"
)

// reportOutcomes has a suite for every shape and type of guideline.
func reportOutcomes(r *analyze.Report) *Outcomes {
	out := &Outcomes{Created: r.Created, Host: oneLine(r.Host)}
	out.fact("library", ShortVersion(r.Library.Version))
	out.fact("host", r.Host)
	out.fact("R", fmt.Sprint(r.R))
	out.fact("pgmpi", r.Version)
	out.fact("folder", r.Folder)
	formulas := map[[2]string]string{}
	for _, g := range r.Guidelines {
		formulas[[2]string{g.Guideline, g.Function}] = g.Formula
	}
	for _, s := range r.Summary {
		suite := Suite{Name: oneLine(s.Shape + "." + string(s.Type))}
		for i := range r.Verdicts {
			if v := &r.Verdicts[i]; v.Shape == s.Shape && v.Type == s.Type {
				suite.Outcomes = append(suite.Outcomes, outcomeOf(r, v, formulas[[2]string{v.Guideline, v.Function}]))
			}
		}
		out.Suites = append(out.Suites, suite)
	}
	return out.slower(r)
}

// slower adds a suite for every shape with run-times that are alarms.
func (o *Outcomes) slower(r *analyze.Report) *Outcomes {
	if r.Gate == nil {
		return o
	}
	for _, s := range r.Shapes {
		suite := Suite{Name: oneLine(s.Name + ".times")}
		for _, k := range r.Gate.Slower {
			if k.Shape != s.Name {
				continue
			}
			times := fmt.Sprintf("%s instead of %s in %s", Duration(k.NowS), Duration(k.BeforeS), k.Baseline)
			suite.Outcomes = append(suite.Outcomes, Outcome{
				Class: oneLine("pgmpi." + k.Shape + ".times." + k.Function), Name: fmt.Sprintf("%d B", k.Msize), Result: Failed, Why: "slower",
				Title: oneLine(fmt.Sprintf("%s %s, %s: takes %s as long as before", plain(k.Function), size(k.Msize), k.Shape, Ratio(k.Ratio))),
				Text:  oneLine(fmt.Sprintf("slower: %s at %s on %s takes %s", k.Function, size(k.Msize), k.Shape, times)), Seconds: k.NowS})
		}
		if len(suite.Outcomes) > 0 {
			o.Suites = append(o.Suites, suite)
		}
	}
	return o
}

func outcomeOf(r *analyze.Report, v *analyze.Verdict, formula string) Outcome {
	o := Outcome{Class: oneLine("pgmpi." + v.Shape + "." + v.Guideline + "." + v.Function), Name: fmt.Sprintf("%d B", v.Msize), Seconds: v.MedianS}
	o.Result, o.Why = resultOf(r, v)
	if v.Ratio != nil {
		o.Ratio = *v.Ratio
	}
	call := fmt.Sprintf("%s %s, %s", plain(v.Function), size(v.Msize), v.Shape)
	o.Title = call + ": " + words(o.Why)
	if v.Verdict == judge.Violated && v.Ratio != nil {
		o.Title = fmt.Sprintf("%s: %s slower than %s", call, Ratio(v.Ratio), rival(v))
	}
	o.Title, o.Text = oneLine(o.Title), oneLine(sentence(v, o.Why))
	for _, d := range []Label{
		{"guideline", strings.TrimSpace(v.Guideline + "  " + formula)},
		{"call", fmt.Sprintf("%s, msize %d B, %s: %s", v.Function, v.Msize, v.Shape, Duration(v.MedianS))},
		{"other", fmt.Sprintf("%s: %s", rival(v), Duration(v.AllCallsS()))},
		{"ratio", effect(v)},
		{"p adjusted", strings.TrimSpace(probability(v.PAdjusted) + " " + v.Stars)},
		{"mpiruns", fmt.Sprint(v.Runs)},
		{"again", again(v)},
		{"fastest", strings.ReplaceAll(instead(v), "\n", "")},
		{"verdict", words(v.Verdict)},
		{"reason", v.Reason},
	} {
		if d.Value != "" && d.Value != "-" {
			o.Details = append(o.Details, Label{d.Name, oneLine(d.Value)})
		}
	}
	if g := v.Gated; g != nil {
		o.Details = append(o.Details, Label{"state", oneLine(words(g.State) + when(g.StateReason != "", ": %s", g.StateReason))})
		if g.Ticket != "" {
			o.Details = append(o.Details, Label{"ticket", oneLine(g.Ticket)})
		}
	}
	return o
}

// resultOf says how a test ended, and why in a word. Where there is a gate, only its alarms fail.
func resultOf(r *analyze.Report, v *analyze.Verdict) (result Result, why string) {
	why = string(v.Verdict)
	if v.Gated != nil && v.Verdict != judge.Wrong {
		why = string(v.State)
	}
	switch v.Verdict {
	case judge.Wrong:
		return Errored, why
	case judge.Violated:
		result = Failed
	case judge.Undecided, judge.Suspected, judge.NotMeasured:
		result = Skipped
	case judge.Kept, judge.Marginal, judge.NotSuspected:
		result = Passed
	}
	switch {
	case v.Gated != nil && v.Alarm:
		result = Failed
	case r.Gate != nil && result == Failed:
		result = Skipped
	}
	return result, why
}

// rival is what the call must not be slower than.
func rival(v *analyze.Verdict) string {
	switch v.Type {
	case guidelines.Monotony:
		return "itself at " + size(v.MsizeOther)
	case guidelines.Split:
		if v.K == 0 {
			return "calls of smaller sizes"
		}
		return fmt.Sprintf("%d calls of %s", v.K, size(v.MsizeOther))
	case guidelines.Pattern:
	}
	return plain(v.Mockup)
}

// sentence says what was found, and why it counts as it does.
func sentence(v *analyze.Verdict, why string) string {
	var reason string
	if g := v.Gated; g != nil {
		reason = strings.TrimSpace(g.StateReason + when(g.Ticket != "", " (%s)", g.Ticket))
	}
	reason = cmp.Or(reason, v.Reason)
	text := words(why)
	if v.Ratio != nil && v.MedianS != nil {
		text += fmt.Sprintf(": %s at %s on %s takes %s, %s as long as %s (%s)",
			v.Function, size(v.Msize), v.Shape, Duration(v.MedianS), effect(v), rival(v), Duration(v.AllCallsS()))
	}
	return strings.TrimRight(text+when(reason != "", "; %s", reason), ".")
}
