package report

import (
	"fmt"
	"math"
	"strings"

	"pgmpi/analyze"
	"pgmpi/analyze/judge"
)

// because says in words why the verdict is what it is.
func because(e *analyze.Explanation) []string {
	r, v := e.Report, e.Verdict
	switch {
	case v.Verdict == judge.Wrong:
		return []string{"It was not timed, since the data were wrong. " + v.Reason + "."}
	case v.Verdict == judge.NotMeasured:
		return []string{v.Reason + "."}
	case splitFromMedians(v) && e.Other != nil && v.OtherMedianS != nil:
		return splitReason(e)
	case r.Refused != nil && e.Test != nil:
		return []string{"No verdict is possible: " + r.Refused.Reason + "."}
	case e.Test == nil:
		return []string{noTestReason(v)}
	}
	switch v.Verdict {
	case judge.Violated:
		return append(significantReason(e), violatedReason(e)...)
	case judge.Marginal:
		return append(significantReason(e), marginalReason(e))
	case judge.Kept:
		return keptReason(e)
	}
	return undecidedReason(e)
}

func noTestReason(v *analyze.Verdict) string {
	if v.Reason == "" {
		return "No test was made."
	}
	return "No test was made: " + v.Reason + "."
}

func splitReason(e *analyze.Explanation) []string {
	r, v := e.Report, e.Verdict
	relation := "not more than"
	if v.Verdict == judge.Suspected || v.Verdict == judge.Violated {
		relation = "more than"
	}
	return []string{
		fmt.Sprintf("One call takes %s. %d calls on 1/%d of the data take %d × %s = %s, with the tolerance of %g %% %s: the one call takes %s that.",
			duration(v.MedianS), v.K, v.K, v.K, duration(v.OtherMedianS), duration(v.AllCallsS()), 100*r.SplitTolerance, duration(e.LimitS), relation),
		"This compares medians and assumes that k calls in a row take k times as long as one; it is no test and has no p-value.",
	}
}

// significantReason: chance does not explain the difference.
func significantReason(e *analyze.Explanation) []string {
	r, v, t := e.Report, e.Verdict, e.Test
	than := "the other side"
	if r.Method == judge.MethodMargin {
		than = fmt.Sprintf("%.2f times the other side", r.MinSlowdown)
	}
	chance := fmt.Sprintf("The call was slower in %d of %d mpiruns. If it were not slower than %s, mpiruns that speak against it as clearly as these "+
		"would come up with a probability of %s.", t.Slower, t.R, than, reasonNumber(v.PValue))
	if r.Adjust == judge.AdjustNone {
		return []string{chance, fmt.Sprintf("That is at most alpha = %g. It was not adjusted for the %s of this check, so up to about %d of them would be called violated by chance.",
			r.Alpha, plural(t.Family, "test"), t.ByChance)}
	}
	questions := fmt.Sprintf("%d questions were", t.Family)
	if t.Family == 1 {
		questions = "1 question was"
	}
	return []string{chance, fmt.Sprintf("%s asked of the same measurement, so it counts as %s, which is still at most alpha = %g: chance does not explain it.",
		questions, reasonNumber(v.PAdjusted), r.Alpha)}
}

func violatedReason(e *analyze.Explanation) []string {
	r, v, t := e.Report, e.Verdict, e.Test
	var out []string
	if r.Method == judge.MethodPaper {
		out = append(out, fmt.Sprintf("The medians' ratio is %s. Method paper asks for no minimum slowdown.", Ratio(v.Ratio)))
	} else {
		visible := ""
		if t.Tick > 0 {
			visible = fmt.Sprintf(", and the medians differ by %s steps of the clock, at least two", digits(math.Abs(t.Difference)/t.Tick))
		}
		out = append(out, fmt.Sprintf("It takes %s as long (between %s and %s with 95 %% confidence), which reaches the minimum slowdown of %.2f×%s.",
			Ratio(v.Ratio), Ratio(v.RatioLo95), Ratio(v.RatioHi95), r.MinSlowdown, visible))
	}
	if a := v.Alternative; a != nil {
		out = append(out, fmt.Sprintf("The fastest that was measured in its place: %s, %s instead of %s.", strings.ReplaceAll(instead(v), "\n", ""), duration(&a.MedianS), duration(v.MedianS)))
	}
	return out
}

func marginalReason(e *analyze.Explanation) string {
	r, v, t := e.Report, e.Verdict, e.Test
	if v.Ratio != nil && *v.Ratio < r.MinSlowdown {
		return fmt.Sprintf("But it takes only %s as long, less than the minimum slowdown of %.2f×: real, and too small to act on.", Ratio(v.Ratio), r.MinSlowdown)
	}
	return fmt.Sprintf("But the medians differ by %s, less than two steps of the clock (%s each): the clock could have made this difference.",
		nanoseconds(math.Abs(t.Difference)), nanoseconds(t.Tick))
}

func keptReason(e *analyze.Explanation) []string {
	r, v, t := e.Report, e.Verdict, e.Test
	first := fmt.Sprintf("The call was slower in %d of %d mpiruns; that it is slower is not shown (adjusted p = %s, above alpha = %g).",
		t.Slower, t.R, reasonNumber(v.PAdjusted), r.Alpha)
	if r.Method == judge.MethodPaper {
		return []string{first, "Method paper calls everything kept that is not violated; it does not ask whether anything shows that the guideline holds."}
	}
	return []string{first, fmt.Sprintf("That it is less than %.2f× slower is shown: if it were not, mpiruns like these would come up with a probability of %s, at most alpha.",
		r.MinSlowdown, reasonNumber(v.PKept))}
}

func undecidedReason(e *analyze.Explanation) []string {
	r, v, t := e.Report, e.Verdict, e.Test
	out := []string{
		fmt.Sprintf("The call was slower in %d of %d mpiruns. That it is slower is not shown (adjusted p = %s, above alpha = %g); that it is less than %.2f× slower "+
			"is not shown either (p = %s).", t.Slower, t.R, reasonNumber(v.PAdjusted), r.Alpha, r.MinSlowdown, reasonNumber(v.PKept)),
		fmt.Sprintf("The mpiruns differ so much that the ratio lies anywhere between %s and %s (95 %% interval).", Ratio(v.RatioLo95), Ratio(v.RatioHi95)),
	}
	if v.RunsNeeded != nil {
		out = append(out, neededReason(t, v.RunsNeeded))
	}
	return out
}

func neededReason(t *judge.Numbers, n *judge.RunsNeeded) string {
	by := ""
	if n.Test != t.Test.Name {
		by = fmt.Sprintf(" That is by the %s test, which that many mpiruns choose.", n.Test.Title(n.R))
	}
	if n.R == 0 {
		return fmt.Sprintf("If effect and spread stay as they are, %d mpiruns are not enough to decide it.%s", n.Limit, by)
	}
	return fmt.Sprintf("If effect and spread stay as they are, a new check with about R = %d mpiruns in place of %d decides it four times in five, probably as %s.%s",
		n.R, t.R, n.Towards, by)
}
