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
	"pgmpi/analyze/samples"
	"pgmpi/guidelines"
	"pgmpi/internal/conf"
	"pgmpi/internal/document"
	"pgmpi/internal/phrase"
	"pgmpi/internal/picture"
)

// Explanations shows one verdict each, with everything that it rests on: the samples by mpirun, a
// picture of both sides, their dependence, the test, and the reason in words.
var Explanations = document.Kind[analyze.Explanation]{Name: "explain", Sections: explainSections}

var tones = map[judge.Verdict]picture.Tone{judge.Violated: picture.Slow, judge.Wrong: picture.Slow, judge.Undecided: picture.Open, judge.Suspected: picture.Open, judge.SeenOnce: picture.Open}

func explainSections(e *analyze.Explanation) []document.Section {
	v := e.Verdict
	headline := strings.ToUpper(phrase.Words(v.Verdict)) + phrase.When(v.Ratio != nil, ", %s", effect(v.Effect))
	head := document.Titled("%s %s at %s on %s: %s", v.Guideline, phrase.Plain(v.Cell().Call()), phrase.Size(v.Msize), v.Shape, headline)
	head.Tone = tones[v.Verdict]
	samples := []document.Section{side(&e.Call, "The call")}
	if e.Other != nil {
		head.Say("%s must not be slower than %s.", sideName(&e.Call), sideName(e.Other))
		switch n := e.Call.Visits; {
		case n == 1:
			head.Say("The times are from one call repeated in a row; --turns gives times of calls that take turns with others.")
		case n > 1:
			head.Say("The times are from calls that take turns with others, in %d turns an mpirun; --turns 1 gives times of one call repeated in a row.", n)
		}
		samples = append(samples, side(e.Other, "What it must not be slower than"))
	}
	if now := byDefault(e.Report, v); now != "" {
		head.Say("%s.", phrase.Capital(now))
	}
	samples[len(samples)-1].Note("outliers: left out by the filter. warm-up: the first repetition after a warm-up that the running minimum suggests; that " +
		"misfires often, and nothing is left out for it.")
	verdict := document.Titled("The verdict: %s", phrase.Words(v.Verdict))
	verdict.Tone = tones[v.Verdict]
	because(&verdict, e)
	byStateReason(&verdict, v)
	return slices.Concat([]document.Section{head}, samples, pictures(e), counted(e), dependence(e), numbers(e), []document.Section{verdict})
}

func sideName(s *samples.Side) string {
	return fmt.Sprintf("%s%s at %s", phrase.When(s.Calls > 1, "%d calls of ", s.Calls), emulation(s.Function), phrase.Size(s.Msize))
}

func side(s *samples.Side, what string) document.Section {
	out := document.Titled("%s: %s at %s%s%s", what, emulation(s.Function), phrase.Size(s.Msize), phrase.When(strings.Contains(s.Function, "_as_"), ", by %s", s.Function),
		phrase.When(s.Calls > 1, ", the times of one call"))
	if len(s.Runs) == 0 {
		out.Say("It was not measured.")
		return out
	}
	out.Table = &document.Table{Head: []string{"mpirun", "n", "valid", "outliers", "min", "Q1", "median", "Q3", "run median", "warm-up", "lag 1", "faults", "switches"},
		Align: "rrrrrrrrrrlrr", Spare: []int{9, 10, 1, 2}}
	late, long, counted := 0, 0, false
	for _, r := range s.Runs {
		counted = counted || !math.IsNaN(r.Usage.Faults)
		lag1 := "-"
		if r.ACF != nil {
			lag1 = Correlation(r.ACF[0]) + phrase.When(math.Abs(r.ACF[0]) > r.ACFBound, "*")
		}
		out.Table.Add(fmt.Sprint(r.Run), fmt.Sprint(r.Samples), fmt.Sprint(r.Valid), fmt.Sprint(r.Valid-len(r.Kept)),
			phrase.Nanoseconds(r.Min), phrase.Nanoseconds(r.Q1), phrase.Nanoseconds(r.Median), phrase.Nanoseconds(r.Q3), phrase.Nanoseconds(r.RunMedian),
			cmp.Or(phrase.When(r.WarmupEnd >= 0, "%d", r.WarmupEnd), "."), lag1, aCall(r.Usage.Faults), aCall(r.Usage.Switches))
		late, long = late+r.Late, long+r.Long
	}
	if counted {
		out.Note("faults, switches: page faults and involuntary context switches a call, at the rank that has most.")
	} else {
		out.Table.Drop(12)
		out.Table.Drop(11)
	}
	if late+long > 0 {
		out.Note("Not valid: %d started late, %d took longer than the window.", late, long)
	}
	return out
}

// aCall writes how many of something a call has, and "." where there are none.
func aCall(n float64) string {
	switch {
	case math.IsNaN(n):
		return "-"
	case n == 0:
		return "."
	case n < 0.01:
		return "<0.01"
	}
	return phrase.Digits(n)
}

// Correlation writes a number from −1 to 1, never "-0.00".
func Correlation(r float64) string {
	if math.Abs(r) < 0.005 {
		return "0.00"
	}
	return fmt.Sprintf("%.2f", r)
}

func dependence(e *analyze.Explanation) []document.Section {
	sides := []*samples.Side{&e.Call}
	if e.Other != nil && (e.Other.Function != e.Call.Function || e.Other.Msize != e.Call.Msize) {
		sides = append(sides, e.Other)
	}
	t := &document.Table{Head: []string{"lag"}, Align: "l", Narrow: true}
	for h := 1; h <= e.Report.Dependence.Lags; h++ {
		t.Columns("r", fmt.Sprintf("%4d", h))
		t.Spare = append([]int{h}, t.Spare...)
	}
	t.Columns("r", " bound", " n for 1")
	for _, s := range sides {
		if s.ACF == nil {
			continue
		}
		numbers, bars := []string{phrase.Fit(emulation(s.Function), 40)}, []string{" " + phrase.Size(s.Msize)}
		for _, r := range s.ACF {
			numbers, bars = append(numbers, Correlation(r)), append(bars, picture.Bar(r))
		}
		t.Rows = append(t.Rows, append(numbers, fmt.Sprintf("%.2f", s.ACFBound), fmt.Sprintf("%.1f", s.Inefficiency)), append(bars, "", ""))
	}
	return document.Tabled(t, "bound: independent samples stay within ±1.96/√n at 19 of 20 lags; above, * marks an mpirun whose lag 1 does not. "+
		"n for 1: that many samples in a row are worth one independent sample. The tests do not need independent samples, only independent mpiruns.",
		"Do the samples depend on each other? Autocorrelation by lag, medians over the mpiruns")
}

// otherSide names what a method's test compares the call with.
func otherSide(r *analyze.Report) string {
	return phrase.When(r.Method.Rules().Margin, "%.2f times ", r.MinSlowdown) + "the other side"
}

func numbers(e *analyze.Explanation) []document.Section {
	if e.Test == nil {
		return nil
	}
	r, v, t := e.Report, e.Verdict, e.Test
	s := document.Titled("The test: method %s, %s, one-sided, R = %d mpiruns", r.Method, t.Test.Title(t.R), t.R)
	s.Table = &document.Table{Head: []string{"is the call …", t.Test.Symbol, "largest", "p", "adjusted", "alpha"}, Align: "lrrrrr"}
	s.Table.Add("slower than "+otherSide(r)+"?", number(t.Statistic), number(t.Largest), phrase.Probability(v.PValue),
		strings.TrimSpace(phrase.Probability(v.PAdjusted)+" "+v.Stars), fmt.Sprint(t.Alpha))
	s.Table.Add(fmt.Sprintf("less than %.2f× slower?", r.MinSlowdown), number(t.KeptStatistic), number(t.KeptLargest), phrase.Probability(v.PKept),
		"not adjusted", fmt.Sprint(t.KeptAlpha))
	if v.Type == guidelines.Split {
		s.Note("The medians above only suggested it. The test rests on other mpiruns, in which %d calls in a row are one sample.", v.K)
	} else if t.Screen {
		s.Note("This look finds no violations: it only tells what need not be measured any further.")
	} else if r.Looks != nil {
		s.Note("p is the smallest of the looks so far, each divided by its share of the error.")
	}
	if !t.Test.Paired {
		s.Note("Exact if both sides spread alike and do not depend on each other; else p may be too small (docs/statistics.md#tests).")
	}
	adjusted := cmp.Or(phrase.When(r.Adjust == judge.AdjustNone, "not adjusted; it is number %d of m = %d p-values, the smallest first", t.Rank, t.Family),
		fmt.Sprintf("%s over m = %s: this p is number %d of them, the smallest first", AdjustNames[r.Adjust], conf.Plural(t.Family, "test"), t.Rank))
	s.Note("%s; smallest p attainable %s", adjusted, phrase.Probability(&t.PMin))
	s.Note("effect %s (95 %% interval of this test alone); the call was slower in %d of %d mpiruns%s; the medians differ by %s%s", effect(v.Effect), t.Slower, t.R,
		phrase.When(t.Equal > 0, ", equal in %d", t.Equal), phrase.Nanoseconds(math.Abs(t.Difference)), phrase.When(t.Tick > 0, ", %s", ticks(t)))
	return []document.Section{s}
}

func ticks(t *judge.Numbers) string {
	return phrase.Digits(math.Abs(t.Difference)/t.Tick) + " steps of the clock"
}

// number writes a statistic: whole and half numbers in full.
func number(x float64) string {
	if x == math.Trunc(2*x)/2 {
		return fmt.Sprint(x)
	}
	return fmt.Sprintf("%.3g", x)
}

func counted(e *analyze.Explanation) []document.Section {
	v := e.Verdict
	if v.PageFaults == nil && v.Sent == nil {
		return nil
	}
	t := &document.Table{Head: []string{"a call of", "page faults", "lost its core", "messages", "sent"}, Align: "lrrrr", Flex: 0}
	add := func(name string, faults, switches *float64, s *medians.Sent) {
		messages, bytes := "-", "-"
		if s != nil {
			messages, bytes = phrase.Digits(s.Messages), phrase.Size(int64(s.Bytes+.5))
		}
		t.Add(name, CallsOf(faults), CallsOf(switches), messages, bytes)
	}
	add(fmt.Sprintf("%s at %s", emulation(e.Call.Function), phrase.Size(e.Call.Msize)), v.PageFaults, v.Switches, v.Sent)
	if e.Other != nil {
		add(fmt.Sprintf("%s at %s", emulation(e.Other.Function), phrase.Size(e.Other.Msize)), v.OtherPageFaults, v.OtherSwitches, v.OtherSent)
	}
	note := "page faults: memory that the kernel had to map first; lost its core: involuntary context switches; both in the median mpirun, at the rank that has most."
	if v.Sent != nil {
		note += " messages, sent: by all ranks together, inside of the library."
	} else {
		t.Drop(4)
		t.Drop(3)
	}
	return document.Tabled(t, note, "What a call does, counted without a clock")
}

func CallsOf(n *float64) string { return aCall(analyze.Or(n, math.NaN())) }

// pictures returns the run medians and the samples of both sides. For split the other side is all k
// calls together.
func pictures(e *analyze.Explanation) []document.Section {
	if e.Other == nil {
		return nil
	}
	axis := picture.Axis{Title: "run-time", Scale: picture.Log, Unit: picture.Seconds}
	middle := picture.Figure{ID: "run-medians", Title: "Run medians, one per mpirun", X: axis, Y: picture.Axis{Title: "side", Scale: picture.Named, Names: []string{"instead", "call"}},
		Text: "The test compares these."}
	all := picture.Figure{ID: "samples", Title: "All samples", X: axis, Y: picture.Axis{Title: "share that takes no longer"},
		Text: "The samples of all mpiruns after the outlier filter."}
	for i, s := range []*samples.Side{&e.Call, e.Other} {
		role := []picture.Role{picture.Call, picture.Instead}[i]
		medians, samples := picture.Series{Name: sideName(s), Role: role, Form: picture.Dots}, picture.Series{Name: sideName(s), Role: role}
		var kept []float64
		for _, r := range s.Runs {
			kept = append(kept, r.Kept...)
			if !math.IsNaN(r.RunMedian) {
				medians.Points = append(medians.Points, picture.Bare(r.RunMedian*float64(s.Calls)/1e9, float64(1-i)))
			}
		}
		if len(medians.Points) == 0 {
			return nil
		}
		slices.Sort(kept)
		const most = 100 // points
		for k := range min(len(kept), most) {
			rank := k * (len(kept) - 1) / max(1, min(len(kept), most)-1)
			samples.Points = append(samples.Points, picture.Bare(kept[rank]*float64(s.Calls)/1e9, float64(rank+1)/float64(len(kept))))
		}
		middle.Series, all.Series = append(middle.Series, medians), append(all.Series, samples)
	}
	out := document.Titled("Run medians, which the test compares, and all samples after the outlier filter")
	out.Draw(middle, all)
	return []document.Section{out}
}
