package report

import (
	"fmt"
	"io"
	"math"
	"strings"

	"pgmpi/analyze"
	"pgmpi/analyze/judge"
	"pgmpi/guidelines"
	"pgmpi/internal/stats"
)

// Explain writes one verdict with everything that it rests on: the samples by
// mpirun, a picture of both sides, their dependence, the test, and the reason
// in words. Lines are at most 100 columns wide.
func Explain(w io.Writer, e *analyze.Explanation) error {
	p := &page{}
	v := e.Verdict
	headline := strings.ToUpper(strings.ReplaceAll(string(v.Verdict), "_", " "))
	if v.Ratio != nil {
		headline += ", " + effect(v)
	}
	p.say("%s %s at %s on %s: %s", v.Guideline, plain(v.Function), size(v.Msize), v.Shape, headline)
	if e.Other != nil {
		p.say("%s must not be slower than %s.", sideName(&e.Call), sideName(e.Other))
	}
	p.side(&e.Call, "The call")
	if e.Other != nil {
		p.side(e.Other, "What it must not be slower than")
	}
	p.say("outliers: left out by the filter. warm-up: the first repetition after a warm-up that the running minimum suggests; that " +
		"misfires often, and nothing is left out for it.")
	if e.Other != nil {
		p.pictures(e)
	}
	p.dependence(e)
	if e.Test != nil {
		p.numbers(e)
	}
	p.title("The verdict: %s", strings.ReplaceAll(string(v.Verdict), "_", " "))
	for _, sentence := range because(e) {
		p.say("%s", sentence)
	}
	if p.err != nil {
		return p.err
	}
	_, err := w.Write(p.out.Bytes())
	return err
}

// sideName is "MPI_Reduce at 1 KiB" or "4 calls of MPI_Bcast at 16 KiB".
func sideName(s *analyze.SideSamples) string {
	name := fmt.Sprintf("%s at %s", s.Function, size(s.Msize))
	if s.Calls > 1 {
		return fmt.Sprintf("%d calls of %s", s.Calls, name)
	}
	return name
}

// side lists the samples of one side by mpirun.
func (p *page) side(s *analyze.SideSamples, what string) {
	of := ""
	if s.Calls > 1 {
		of = ", the times of one call"
	}
	p.title("%s: %s at %s%s", what, s.Function, size(s.Msize), of)
	if len(s.Runs) == 0 {
		p.say("It was not measured.")
		return
	}
	g := grid{head: []string{"mpirun", "n", "valid", "outliers", "min", "Q1", "median", "Q3", "run median", "warm-up", "lag 1"},
		align: "rrrrrrrrrrl", gap: 2}
	for _, r := range s.Runs {
		warmup, lag1 := ".", "-"
		if r.WarmupEnd >= 0 {
			warmup = fmt.Sprint(r.WarmupEnd)
		}
		if r.ACF != nil {
			lag1 = correlation(r.ACF[0])
			if math.Abs(r.ACF[0]) > stats.AutocorrelationBound(len(r.Kept)) {
				lag1 += "*"
			}
		}
		g.rows = append(g.rows, []string{fmt.Sprint(r.Run), fmt.Sprint(r.Samples), fmt.Sprint(r.Valid), fmt.Sprint(r.Valid - len(r.Kept)),
			nanoseconds(r.Min), nanoseconds(r.Q1), nanoseconds(r.Median), nanoseconds(r.Q3), nanoseconds(r.RunMedian), warmup, lag1})
	}
	p.grid(g)
	late, long := 0, 0
	for _, r := range s.Runs {
		late, long = late+r.Late, long+r.Long
	}
	if late+long > 0 {
		p.say("Not valid: %d started late, %d took longer than the window.", late, long)
	}
}

// correlation writes a number from −1 to 1, never "-0.00".
func correlation(r float64) string {
	if math.Abs(r) < 0.005 {
		return "0.00"
	}
	return fmt.Sprintf("%.2f", r)
}

// nanoseconds is duration for times of samples.
func nanoseconds(ns float64) string {
	if math.IsNaN(ns) {
		return "-"
	}
	s := ns / 1e9
	return duration(&s)
}

// dependence shows the autocorrelation of the samples as bars.
func (p *page) dependence(e *analyze.Explanation) {
	sides := []*analyze.SideSamples{&e.Call}
	if e.Other != nil && (e.Other.Function != e.Call.Function || e.Other.Msize != e.Call.Msize) {
		sides = append(sides, e.Other)
	}
	g := grid{head: []string{"autocorrelation at lag"}, align: "l", gap: 1}
	for h := 1; h <= e.Report.Dependence.Lags; h++ {
		g.head, g.align = append(g.head, fmt.Sprintf("%4d", h)), g.align+"r"
	}
	g.head, g.align = append(g.head, " bound", " n for 1"), g.align+"rr"
	for _, s := range sides {
		acf, bound, inefficiency := medianACF(s, e.Report.Dependence.Lags)
		if acf == nil {
			continue
		}
		numbers, bars := []string{fit(plain(s.Function), 31)}, []string{" " + size(s.Msize)}
		for _, r := range acf {
			numbers, bars = append(numbers, correlation(r)), append(bars, bar(r))
		}
		g.rows = append(g.rows, append(numbers, fmt.Sprintf("%.2f", bound), fmt.Sprintf("%.1f", inefficiency)), append(bars, "", ""))
	}
	if len(g.rows) == 0 {
		return
	}
	p.title("Do the samples depend on each other? Medians over the mpiruns")
	p.grid(g)
	p.say("bound: independent samples stay within ±1.96/√n at 19 of 20 lags; above, * marks an mpirun whose lag 1 does not. n for 1: so many " +
		"samples in a row are worth one independent sample. The tests do not need independent samples, only independent mpiruns.")
}

// reasonNumber writes p-values in sentences.
func reasonNumber(p *float64) string {
	if p == nil {
		return "-"
	}
	return probability(*p)
}

// numbers is the test.
func (p *page) numbers(e *analyze.Explanation) {
	r, v, t := e.Report, e.Verdict, e.Test
	against := "the other side"
	if r.Method == judge.MethodMargin {
		against = fmt.Sprintf("%.2f times the other side", r.MinSlowdown)
	}
	p.title("The test: method %s, %s, one-sided, R = %d mpiruns", r.Method, t.Test.Title(t.R), t.R)
	g := grid{head: []string{"is the call …", t.Test.Symbol, "largest", "p", "adjusted", "alpha"}, align: "lrrrrr", gap: 2}
	g.rows = append(g.rows,
		[]string{"slower than " + against + "?", number(t.Statistic), number(t.Largest), reasonNumber(v.PValue),
			strings.TrimSpace(reasonNumber(v.PAdjusted) + " " + v.Stars), fmt.Sprint(r.Alpha)},
		[]string{fmt.Sprintf("less than %.2f× slower?", r.MinSlowdown), number(t.KeptStatistic), number(t.Largest), reasonNumber(v.PKept), "not adjusted", fmt.Sprint(r.Alpha)})
	p.grid(g)
	if v.Type == guidelines.Split {
		p.say("The medians above only suggested it. The test rests on mpiruns of their own, in which %d calls in a row are one sample.", v.K)
	}
	if r.Looks != nil && v.Type != guidelines.Split {
		p.say("p is the smallest of the looks so far, each divided by its share of the error.")
	}
	adjusted := fmt.Sprintf("%s over m = %s: this p is number %d of them, the smallest first", adjustNames[r.Adjust], plural(t.Family, "test"), t.Rank)
	if r.Adjust == judge.AdjustNone {
		adjusted = fmt.Sprintf("not adjusted; it is number %d of m = %d p-values, the smallest first", t.Rank, t.Family)
	}
	p.say("%s; smallest p attainable %s", adjusted, probability(t.PMin))
	slower := fmt.Sprintf("the call was slower in %d of %d mpiruns", t.Slower, t.R)
	if t.Equal > 0 {
		slower += fmt.Sprintf(", equal in %d", t.Equal)
	}
	ticks := ""
	if t.Tick > 0 {
		ticks = fmt.Sprintf(", %s steps of the clock", digits(math.Abs(t.Difference)/t.Tick))
	}
	difference := math.Abs(t.Difference)
	p.say("effect %s (95 %% interval); %s; the medians differ by %s%s", effect(v), slower, nanoseconds(difference), ticks)
}

// number writes a statistic: whole and half numbers in full.
func number(x float64) string {
	if x == math.Trunc(2*x)/2 {
		return fmt.Sprint(x)
	}
	return fmt.Sprintf("%.3g", x)
}

// splitFromMedians: a verdict without a test.
func splitFromMedians(v *analyze.Verdict) bool {
	return v.Type == guidelines.Split && v.PValue == nil
}
