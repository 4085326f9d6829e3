package check

import (
	"cmp"
	"fmt"
	"math"
	"strings"

	"pgmpi/analyze"
	"pgmpi/analyze/judge"
	"pgmpi/guidelines"
	"pgmpi/internal/conf"
	"pgmpi/internal/document"
	"pgmpi/internal/phrase"
)

func because(s *document.Section, e *analyze.Explanation) {
	r, v := e.Report, e.Verdict
	if v.Tolerant {
		s.Say("A request has a price: the other side is given %g times its time, and %s more. Test and ratio are about that.",
			1+r.NBTolerance, phrase.Duration(&r.NBAllowance))
	}
	fromMedians := v.Type == guidelines.Split && v.PValue == nil && e.Other != nil && v.OtherMedianS != nil
	switch {
	case v.Verdict == judge.Wrong:
		s.Say("It was not timed. %s.", v.Reason)
	case v.Verdict == judge.NotMeasured:
		s.Say("%s.", v.Reason)
	case fromMedians:
		splitReason(s, e)
	case r.Refused != nil && e.Test != nil:
		s.Say("No verdict is possible: %s.", r.Refused.Reason)
	case e.Test == nil:
		s.Say("No test was made%s.", phrase.When(v.Reason != "", ": %s", v.Reason))
	case v.Verdict == judge.Violated:
		significantReason(s, e)
		violatedReason(s, e)
	case v.Verdict == judge.Marginal && v.Ratio != nil && *v.Ratio < r.MinSlowdown:
		significantReason(s, e)
		s.Say("But the ratio is only %s, less than the minimum slowdown of %.2f×.", effect(v.Effect), r.MinSlowdown)
	case v.Verdict == judge.Marginal:
		significantReason(s, e)
		s.Say("But the medians differ by %s, less than two steps of the clock (%s each): the clock could have made this difference.",
			phrase.Nanoseconds(math.Abs(e.Test.Difference)), phrase.Nanoseconds(e.Test.Tick))
	case v.Verdict == judge.Kept:
		keptReason(s, e)
	default:
		undecidedReason(s, e)
	}
	PayoffReason(s, v)
}

func PayoffReason(s *document.Section, v *analyze.Verdict) {
	p := v.Payoff
	if p == nil {
		return
	}
	use := cmp.Or(phrase.When(p.GainS <= 0, "a use takes %s more", phrase.Nanoseconds(-p.GainS*1e9)), "a use saves "+phrase.Duration(&p.GainS))
	beside := fmt.Sprintf("it costs %s beside its uses, and", phrase.Either(p.InitS <= 0, "nothing to speak of", phrase.Duration(&p.InitS)))
	switch {
	case p.From != nil:
		s.Say("The request pays from %s on: %s %s.", conf.Plural(*p.From, "use"), beside, use)
	case p.Never:
		s.Say("The request never pays: %s %s.", beside, use)
	default:
		s.Say("From how many uses on the request pays cannot be told: %s %s, but ten uses take no longer.", beside, use)
	}
	s.Say("That is computed from medians, and no test.")
}

func splitReason(s *document.Section, e *analyze.Explanation) {
	r, v := e.Report, e.Verdict
	relation := phrase.When(v.Verdict != judge.Suspected && v.Verdict != judge.Violated, "not ") + "more than"
	s.Say("One call takes %s. %d calls on 1/%d of the data take %d × %s = %s, with the tolerance of %g %% %s: the one call takes %s that.",
		phrase.Duration(v.MedianS), v.K, v.K, v.K, phrase.Duration(v.OtherMedianS), phrase.Duration(v.AllCallsS()), 100*r.SplitTolerance, phrase.Duration(e.LimitS), relation)
	s.Say("This compares medians and assumes that k calls in a row take k times as long as one; it is no test and has no p-value.")
}

func significantReason(s *document.Section, e *analyze.Explanation) {
	r, v, t := e.Report, e.Verdict, e.Test
	s.Say("The call was slower in %d of %d mpiruns. If it were not slower than %s, mpiruns that speak against it as clearly as these "+
		"would come up with a probability of %s.", t.Slower, t.R, otherSide(r), phrase.Probability(v.PValue))
	if r.Adjust == judge.AdjustNone {
		s.Say("That is at most the level of %g. It was not adjusted for the %s of this check, so up to about %d of them would be called violated by chance.",
			t.Alpha, conf.Plural(t.Family, "test"), t.ByChance)
		return
	}
	left := cmp.Or(phrase.When(r.Adjust == judge.AdjustHolm, "up to one in %.0f of checks has such a finding by chance", 1/t.Alpha),
		fmt.Sprintf("on average up to one in %.0f of such findings is chance", 1/t.Alpha))
	s.Say("%s %s asked of the same measurement, so it counts as %s, which is at most the level of %g: %s.",
		conf.Plural(t.Family, "question"), phrase.Either(t.Family == 1, "was", "were"), phrase.Probability(v.PAdjusted), t.Alpha, left)
}

func violatedReason(s *document.Section, e *analyze.Explanation) {
	r, v, t := e.Report, e.Verdict, e.Test
	if !r.Method.Rules().Slowdown {
		s.Say("The medians' ratio is %s. Method paper asks for no minimum slowdown.", phrase.Ratio(v.Ratio))
	} else {
		s.Say("It takes %s as long, which reaches the minimum slowdown of %.2f×%s. The 95 %% interval, %s to %s, is for this test alone%s.",
			phrase.Ratio(v.Ratio), r.MinSlowdown, phrase.When(t.Tick > 0, ", and the medians differ by %s, at least two", ticks(t)),
			phrase.Ratio(v.RatioLo95), phrase.Ratio(v.RatioHi95), phrase.When(*v.RatioLo95 < r.MinSlowdown, ", and begins below that"))
		if v.Replication != nil {
			s.Say("A new check of this design in this state of the machine shows it again with an estimated probability of %s%s.", Again(v), ifFollowedUp(v))
		}
	}
	again := func(how string, e *analyze.Elsewhere) {
		if e != nil {
			s.Say("Measured again in %s, %s: %s, %s.", conf.Plural(e.Mpiruns, "mpirun"), how, effect(e.Effect), phrase.Words(e.Verdict))
		}
	}
	again("both sides alternating call by call", v.Alternating)
	if e := v.OtherMalloc; e != nil {
		again("malloc "+e.Malloc, e)
	}
	if a := v.Alternative; a != nil {
		s.Say("The fastest that was measured in its place: %s, %s instead of %s.",
			strings.ReplaceAll(instead(v), "\n", ""), phrase.Duration(&a.MedianS), phrase.Duration(v.MedianS))
	}
}

func keptReason(s *document.Section, e *analyze.Explanation) {
	r, v, t := e.Report, e.Verdict, e.Test
	s.Say("The call was slower in %d of %d mpiruns; that it is slower is not shown (%s).", t.Slower, t.R, notSignificant(e))
	if !r.Method.Rules().Slowdown {
		s.Say("Method paper calls everything kept that is not violated; it does not ask whether anything shows that the guideline holds.")
		return
	}
	s.Say("That it is less than %.2f× slower is shown: if it were not, mpiruns like these would come up with a probability of %s, at most %g. "+
		"This p is not adjusted: of tests that are as slow as that, up to one in %.0f is called kept.", r.MinSlowdown, phrase.Probability(v.PKept), t.KeptAlpha, 1/t.KeptAlpha)
}

func notSignificant(e *analyze.Explanation) string {
	return cmp.Or(phrase.When(e.Test.Screen, "%d mpiruns are too few for that", e.Test.R),
		fmt.Sprintf("adjusted p = %s, above %g", phrase.Probability(e.Verdict.PAdjusted), e.Test.Alpha))
}

func undecidedReason(s *document.Section, e *analyze.Explanation) {
	r, v, t := e.Report, e.Verdict, e.Test
	s.Say("The call was slower in %d of %d mpiruns. That it is slower is not shown (%s); that it is less than %.2f× slower "+
		"is not shown either (p = %s, above %g).", t.Slower, t.R, notSignificant(e), r.MinSlowdown, phrase.Probability(v.PKept), t.KeptAlpha)
	s.Say("The 95 %% interval of the ratio goes from %s to %s.", phrase.Ratio(v.RatioLo95), phrase.Ratio(v.RatioHi95))
	if !guidelines.Apart(v.Type, v.Guideline, v.Function) && t.R < r.R && v.Reason == "" {
		s.Say("It did not point to a violation, so it was not measured any further.")
	}
	n := v.RunsNeeded
	if n == nil {
		return
	}
	by := phrase.When(n.Test != t.Test.Name, " That is by the %s test, which that many mpiruns choose.", n.Test.Title(n.R))
	if n.R == 0 {
		s.Say("If effect and spread stay as they are, %d mpiruns are not enough to decide it.%s", n.Limit, by)
		return
	}
	s.Say("If effect and spread stay as they are, a new check with about R = %d mpiruns in place of %d decides it four times in five or more%s.%s",
		n.R, t.R, phrase.When(n.Towards != "", ", probably as %s", n.Towards), by)
}
