package analyze

import (
	"math"
	"slices"

	"pgmpi/analyze/medians"
	"pgmpi/guidelines"
	"pgmpi/mockups"
)

// Payoff says from how many uses on a persistent request beats as many calls. It compares medians,
// without a test.
type Payoff struct {
	InitS float64 `json:"init_s"` // cost of the request besides its uses: making and freeing it, seconds
	GainS float64 `json:"gain_s"` // seconds that a use saves; negative if it costs more
	From  *int    `json:"from"`   // uses; null if Never, or if the lines contradict each other
	Never bool    `json:"never"`
}

// uses holds the times of calls in a row, in seconds: of one, and of mockups.Times.
type uses struct{ one, many float64 }

func (u uses) each() float64 { return (u.many - u.one) / (mockups.Times - 1) }

// payoffs fills in every verdict about a request's whole life. It compares ten uses with
// nonblocking calls, or one use with a blocking call, and then assumes that all later uses and
// calls are like the measured ones.
func (a *Analysis) payoffs() {
	for i, t := range a.manifest.Plan.Tests {
		v := &a.verdicts[i]
		f, _ := mockups.Get(t.Function)
		m, _ := mockups.Get(t.Mockup)
		if v.MedianS == nil || v.OtherMedianS == nil {
			continue
		}
		var life, other uses
		switch {
		case f.Call == mockups.PersistentTimes && m.Call == mockups.NonblockingTimes:
			life = uses{a.medianBeside(t, mockups.PersistentOnce), *v.MedianS}
			other = uses{a.medianBeside(t, mockups.Nonblocking), *v.OtherMedianS}
		case f.Call == "" && m.Call == mockups.PersistentOnce:
			more := (mockups.Times - 1) * a.medianBeside(t, mockups.Persistent)
			life = uses{*v.OtherMedianS, *v.OtherMedianS + more}
			other = uses{*v.MedianS, mockups.Times * *v.MedianS}
		default:
			continue
		}
		if !math.IsNaN(life.one + life.many + other.one) {
			v.Payoff = payoff(life, other)
		}
	}
}

// medianBeside returns the median of another call of a test's collective in seconds, or NaN.
func (a *Analysis) medianBeside(t guidelines.Test, c mockups.Call) float64 {
	want := medians.Cell{Function: mockups.CallOf(mockups.Collective(t.Function), c), Msize: t.Msize, Shape: t.Shape.String(), Elements: t.Elements}
	at := slices.IndexFunc(a.manifest.Plan.Cases, func(k guidelines.Case) bool { return medians.CellOf(k) == want })
	if at < 0 {
		return math.NaN()
	}
	return a.set.Cases[at].Median() / 1e9
}

// payoff compares a request with nonblocking calls. It pays within mockups.Times uses if
// and only if that many take no longer.
func payoff(request, calls uses) *Payoff {
	gain := calls.each() - request.each()
	p := &Payoff{InitS: request.one - calls.one + gain, GainS: gain}
	const rounding = 1e-9
	switch from := math.Ceil(p.InitS/gain - rounding); {
	case gain > 0 && from <= math.MaxInt32:
		n := max(1, int(from))
		p.From = &n
	default:
		p.Never = request.many > calls.many
	}
	return p
}
