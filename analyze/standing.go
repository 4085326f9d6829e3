package analyze

import (
	"fmt"
	"math"
	"slices"

	"pgmpi/analyze/judge"
	"pgmpi/measure/results"
)

// Standing says how far a violation is shown: in all conditions that it was measured in, and
// whether a new check would show it.
type Standing string

const (
	Sure        Standing = "sure"       // nothing contradicts it, and a new check would probably find it
	GoneInTurns Standing = "gone"       // kept when the calls take turns
	OneMalloc   Standing = "one_malloc" // kept or marginal in the other state of malloc
	Smaller     Standing = "smaller"    // not violated when the calls take turns, and the interval lies below
	NotShown    Standing = "not_shown"  // not decided in another condition
	NearLimit   Standing = "near"       // a new check may miss it, as it is near the threshold
	Unsteady    Standing = "unsteady"   // a new check may miss it, as mpiruns differ
	nearLimit            = 1.2          // a ratio whose interval ends below this times the threshold is near
)

// Conditional tells whether a violation was measured in a condition in which it is not shown.
func (s Standing) Conditional() bool {
	return slices.Contains([]Standing{GoneInTurns, OneMalloc, Smaller, NotShown}, s)
}

// Stand says of every violation how far it is shown. Where no test has a probability of replication,
// that does not count.
func (r *Report) Stand() {
	rated := slices.ContainsFunc(r.Verdicts, func(v Verdict) bool { return v.Replication != nil })
	for i := range r.Verdicts {
		if v := &r.Verdicts[i]; v.Verdict == judge.Violated {
			v.Standing = v.stands(v.Firm || !rated, nearLimit*r.MinSlowdown)
			v.Firm = v.Firm && v.Standing == Sure
		}
	}
}

func (v *Verdict) stands(again bool, near float64) Standing {
	alternating, malloc := answerOf(v.Alternating), answerOf(v.OtherMalloc)
	switch {
	case alternating == judge.Kept:
		return GoneInTurns
	case malloc == judge.Kept || malloc == judge.Marginal:
		return OneMalloc
	case alternating != judge.Violated && v.Apart(v.Alternating):
		return Smaller
	case alternating != judge.Violated || malloc != judge.Violated:
		return NotShown
	case again:
		return Sure
	case v.RatioHi95 != nil && *v.RatioHi95 <= near:
		return NearLimit
	}
	return Unsteady
}

// answerOf returns the verdict under another condition; what was not measured contradicts nothing.
func answerOf(e *Elsewhere) judge.Verdict {
	if e == nil {
		return judge.Violated
	}
	return e.Verdict
}

// Apart tells whether the interval under another condition does not touch the check's.
func (v *Verdict) Apart(e *Elsewhere) bool {
	if e == nil {
		return false
	}
	low, high := v.ends()
	otherLow, otherHigh := e.ends()
	return otherHigh < low || otherLow > high
}

// ends returns the ends of the interval; an unknown one touches everything.
func (e Effect) ends() (low, high float64) { return Or(e.RatioLo95, 0), Or(e.RatioHi95, math.Inf(1)) }

// Least returns the least ratio of those that were measured under several conditions. The check's
// own counts unless an interval lies below its interval.
func (v *Verdict) Least() Effect {
	least := v.Effect
	for _, e := range []*Elsewhere{v.Alternating, v.OtherMalloc} {
		if v.Apart(e) && e.Ratio != nil && least.Ratio != nil && *e.Ratio < *least.Ratio {
			least = e.Effect
		}
	}
	return least
}

// Between says how far a ratio of another check may lie from this one's.
type Between struct {
	Tau    float64 `json:"tau"`    // standard deviation of the true log ratio from check to check
	Source string  `json:"source"` // measured, quiet, busy
}

const (
	TauMeasured = "measured" // analyze.between_checks, or the baselines' own
	TauQuiet    = "quiet"    // of the table in docs/statistics.md
	TauBusy     = "busy"     // the same, beside other programs
)

func betweenOf(m *results.Manifest, cfg judge.Config) Between {
	switch {
	case cfg.BetweenChecks > 0:
		return Between{cfg.BetweenChecks, TauMeasured}
	case m.Factors.Busy():
		return Between{judge.BetweenBusy, TauBusy}
	}
	return Between{judge.Between, TauQuiet}
}

// OfAnotherCheck gives every ratio the interval for the ratio of another check: this one's and that
// one's sampling error, and what differs between them.
func (r *Report) OfAnotherCheck(b Between) {
	if !r.Method.Rules().Slowdown || r.SeenOnce != "" {
		return
	}
	r.Between = b
	for i := range r.Verdicts {
		if v := &r.Verdicts[i]; v.Ratio != nil && v.RatioLo95 != nil && v.RatioHi95 != nil {
			half := judge.AnotherCheck(*v.RatioLo95, *v.RatioHi95, b.Tau)
			v.AnotherLo95, v.AnotherHi95 = Number(*v.Ratio*math.Exp(-half)), Number(*v.Ratio*math.Exp(half))
		}
	}
}

// TooNear says why what a check has shown to be kept is undecided.
func TooNear(least, tau float64) string {
	return fmt.Sprintf("kept in this check, but nearer to %g× than checks differ (%.3g %%)", least, 100*tau)
}
