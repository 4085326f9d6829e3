package analyze

import (
	"math"
	"slices"

	"pgmpi/guidelines"
	"pgmpi/mockups"
)

// Payoff is from how many uses on a persistent request is faster than as many nonblocking
// calls, by the lines through the medians of one use and of ten. It is no test.
type Payoff struct {
	InitS float64 `json:"init_s"` // what the request costs beside its uses: making and freeing it, seconds
	GainS float64 `json:"gain_s"` // what a use saves, seconds; negative: it costs more
	From  *int    `json:"from"`   // uses; null if Never, or if the lines contradict each other
	Never bool    `json:"never"`
}

// uses are the times of a number of calls in a row, in seconds: of one, and of mockups.Times.
type uses struct{ one, many float64 }

// each is what one call in a row takes.
func (u uses) each() float64 { return (u.many - u.one) / (mockups.Times - 1) }

// payoffs fills in every verdict that holds a request's whole life against
// nonblocking calls.
func (a *Analysis) payoffs() {
	for i, t := range a.manifest.Plan.Tests {
		v := &a.verdicts[i]
		f, _ := mockups.Get(t.Function)
		m, _ := mockups.Get(t.Mockup)
		if f.Call != mockups.PersistentTimes || m.Call != mockups.NonblockingTimes || v.MedianS == nil || v.OtherMedianS == nil {
			continue
		}
		life := uses{a.medianBeside(t, mockups.PersistentOnce), *v.MedianS}
		other := uses{a.medianBeside(t, mockups.Nonblocking), *v.OtherMedianS}
		if !math.IsNaN(life.one) && !math.IsNaN(other.one) {
			v.Payoff = payoff(life, other)
		}
	}
}

// medianBeside is the median of another call of a test's collective, in seconds; NaN: it has none.
func (a *Analysis) medianBeside(t guidelines.Test, c mockups.Call) float64 {
	plan, id := &a.manifest.Plan, mockups.CallOf(mockups.Collective(t.Function), c)
	at := slices.IndexFunc(plan.Cases, func(k guidelines.Case) bool { return k.Function == id && k.Msize == t.Msize && k.Shape == t.Shape })
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
