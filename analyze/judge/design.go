package judge

import (
	"errors"
	"fmt"
	"math"
	"slices"

	"pgmpi/internal/conf"
	"pgmpi/internal/stats"
)

// maxR bounds the search for a sufficient number of mpiruns.
const maxR = 10000

// Alternative says what a test asks of the call, or of folder B against A.
type Alternative string

// The alternatives; greater means that the call, or B, takes longer.
const (
	TwoSided Alternative = "two-sided"
	Less     Alternative = "less"
	Greater  Alternative = "greater"
)

var Alternatives = []Alternative{TwoSided, Less, Greater}

// Design fixes everything about a family of tests before there are data: R, the number of tests and
// alpha choose the test and the adjustment.
type Design struct {
	Config   // Adjust is never "auto"
	Schedule // of the call's mpiruns
	M        int
	Refused  *Refusal // if no look can find a lone violation
	Blind    []int    // looks that cannot, in mpiruns

	looks   []look
	finding []float64 // by look: the share of alpha for violations
	// For a comparison of two folders.
	folders     bool
	alternative Alternative
	other       int // mpiruns of the other side
	unpaired    bool
}

type look struct {
	test *Test
	pMin float64 // smallest p-value that it can give
	weak bool    // pMin is above the level: no verdicts
	// screen tells that the look finds no violations. It drops tests that are kept or do not point
	// to a violation: a later look can pair the mpiruns.
	screen bool
}

// Refusal says why no verdict is possible, and how many mpiruns would suffice.
type Refusal struct {
	Reason string `json:"reason"`
	// RNeeded is the least R at which a lone violation can be reported, or 0.
	RNeeded int `json:"r_needed"`
}

// NewDesign returns the design of m tests of guidelines. An unknown name in the configuration is an
// error.
func NewDesign(cfg Config, s Schedule, m int) (*Design, error) {
	return choose(Design{Config: cfg, Schedule: s, M: m, alternative: Greater})
}

// NewComparison returns the design of m tests between a mpiruns of A and b of B. paired means that
// their mpiruns were neighbours in time. Of cfg only Alpha, MinSlowdown and the adjustment count.
func NewComparison(cfg Config, alternative Alternative, paired bool, a, b, m int) (*Design, error) {
	if !slices.Contains(Alternatives, alternative) {
		return nil, errors.New(conf.Unknown("alternative", string(alternative), Strings(Alternatives)))
	}
	cfg, err := cfg.resolved()
	if err != nil {
		return nil, err
	}
	cfg.Method, cfg.Test = MethodDefault, TestAuto
	return choose(Design{Config: cfg, Schedule: Once(b), M: m, folders: true, alternative: alternative, other: a, unpaired: !paired})
}

// choose chooses the test of every look. All of alpha chooses the test; each look can spend alpha
// times its share.
func choose(d Design) (*Design, error) {
	var err error
	if d.Config, err = d.resolved(); err != nil {
		return nil, err
	}
	for _, r := range d.Looks {
		other := r
		if d.folders {
			other = d.other
		}
		d.looks = append(d.looks, d.at(r, other))
	}
	d.screens()
	d.finding = d.shares()
	sharp := 0
	for k, l := range d.looks {
		switch {
		case l.screen:
		case d.M > 0 && l.pMin > d.needs(0)*d.finding[k]:
			d.Blind = append(d.Blind, d.Looks[k])
		default:
			sharp++
		}
	}
	if sharp == 0 {
		d.Refused = d.refusal()
	}
	return &d, nil
}

// screens makes screens of looks with too few mpiruns for the paired test that the last look has.
func (d *Design) screens() {
	last := len(d.looks) - 1
	t := d.looks[last].test
	if !t.Paired {
		return
	}
	for k := range last {
		r := d.Looks[k]
		if p := d.minP(t, r, r); p > d.needs(0)/pairingReserve {
			d.looks[k] = look{test: t, pMin: p, screen: true}
		}
	}
}

// shares returns the shares of alpha that the looks have for violations. A screen's share is
// divided among the others.
func (d *Design) shares() []float64 {
	sum := 0.0
	out := make([]float64, len(d.looks))
	for k, l := range d.looks {
		if !l.screen {
			out[k] = d.Weights[k]
			sum += out[k]
		}
	}
	all := 0.0
	for _, w := range d.Weights {
		all += w
	}
	for k := range out {
		out[k] *= all / sum
	}
	return out
}

func (d *Design) Last() int { return len(d.looks) - 1 }

// Screen tells whether the k-th look finds no violations.
func (d *Design) Screen(k int) bool { return d.looks[k].screen }

// Test returns the k-th look's test, PMin the smallest p-value that it can give.
func (d *Design) Test(k int) *Test   { return d.looks[k].test }
func (d *Design) PMin(k int) float64 { return d.looks[k].pMin }

// needs returns the p-value that one more rejection needs after `rejected` tests have been
// rejected.
func (d *Design) needs(rejected int) float64 {
	if rejected >= d.M {
		return d.Alpha
	}
	switch d.Adjust {
	case AdjustBH:
		return d.Alpha * float64(rejected+1) / float64(d.M)
	case AdjustHolm:
		return d.Alpha / float64(d.M-rejected)
	case AdjustNone, AdjustAuto:
	}
	return d.Alpha
}

func (d *Design) at(m, n int) look {
	var l look
	for _, t := range d.candidates(max(m, n)) {
		l.test, l.pMin = t, d.minP(t, m, n)
		if d.M == 0 || l.pMin <= d.needs(0) {
			return l
		}
	}
	l.weak = true
	return l
}

// candidates returns the tests for r medians per side, the preferred one first.
func (d *Design) candidates(r int) []*Test {
	asked := automatic
	switch {
	case d.Config.Test != TestAuto:
		asked = []*Test{Get(d.Config.Test)}
	case !d.Method.Rules().Exact:
		asked = []*Test{&rankSum}
	}
	var out []*Test
	for _, t := range asked {
		if t.Beyond != nil && (!d.Method.Rules().Exact || r > t.Most) {
			t = t.Beyond
		}
		if !(t.Paired && d.unpaired) {
			out = append(out, t)
		}
	}
	return out
}

func (d *Design) minP(t *Test, m, n int) float64 {
	if d.alternative == TwoSided {
		return min(1, 2*t.MinP(m, n))
	}
	return t.MinP(m, n)
}

func (d *Design) refusal() *Refusal {
	k := len(d.looks) - 1
	l, needs, from, both, what := d.looks[k], d.needs(0)*d.finding[k], d.R(), "", "violation"
	few := fmt.Sprintf("%d mpiruns are too few for %s", d.R(), conf.Plural(d.M, "test"))
	if d.folders {
		from, both, what = min(from, d.other), " in both", "change"
		few = fmt.Sprintf("%d and %d mpiruns are too few for %s", d.other, d.R(), conf.Plural(d.M, "case"))
	}
	reason := fmt.Sprintf(": the smallest p-value that %s can give is %.2g, and a lone %s needs %.2g",
		l.test.Name, l.pMin, what, needs)
	for r := from + 1; r <= maxR; r++ {
		if l := d.at(r, r); l.pMin <= needs {
			return &Refusal{fmt.Sprintf("%s (%d%s would do)%s", few, r, both, reason), r}
		}
	}
	return &Refusal{Reason: few + reason}
}

// Schedule says after how many mpiruns a check looks at its data. It also gives the share of the
// error that each look may spend, and is fixed before the start.
type Schedule struct {
	Looks   []int     // ascending; the last is R
	Weights []float64 // positive, with a sum of at most 1
}

func Once(r int) Schedule { return Schedule{[]int{r}, []float64{1}} }

// Constants of the usual schedule, chosen by simulation (docs/dev/statistics.md).
const (
	ScreenAt = 10 // mpiruns of the first look, which measures everything
	// SuspectAt is enough where medians only suspect, and mpiruns of their own test: in a check of messages alone.
	SuspectAt = 5
	PairedAt  = 16 // of the second, at least
	MoreR     = 8  // that the last look has in addition
	alone     = 10 // where there is one look
)

// pairingReserve lowers the smallest p-value that the paired test should reach for a lone
// violation. Without this factor, one disturbed mpirun hides a violation.
const pairingReserve = 8

// Pairing returns the least R with which paired tests find one violation among m. One disturbed
// mpirun does not prevent that.
func Pairing(alpha float64, m int) int {
	return int(math.Ceil(math.Log2(pairingReserve * float64(max(1, m)) / alpha)))
}

// Usual returns the Schedule of m tests unless one is asked for. A method that does not plan looks
// once.
func Usual(cfg Config, m int) Schedule {
	if !cfg.Method.Rules().Plans {
		return Once(alone)
	}
	second := max(PairedAt, Pairing(cfg.Alpha, m))
	return Schedule{[]int{ScreenAt, second, second + MoreR}, []float64{.5, .25, .25}}
}

func (s Schedule) R() int { return s.Looks[len(s.Looks)-1] }

// Several tells whether the error is spent in parts.
func (s Schedule) Several() bool { return len(s.Looks) > 1 || s.Weights[0] < 1-1e-9 }

// After returns the index of the last look that n mpiruns suffice for, or -1.
func (s Schedule) After(n int) int {
	k := -1
	for k+1 < len(s.Looks) && s.Looks[k+1] <= n {
		k++
	}
	return k
}

// Check refuses looks that lead nowhere in at most r mpiruns.
func (s Schedule) Check(r int) error {
	if len(s.Looks) != len(s.Weights) {
		return fmt.Errorf("%d looks with %d weights", len(s.Looks), len(s.Weights))
	}
	if len(s.Looks) > 0 {
		if _, err := stats.SequentialP([]float64{1}, s.Weights); err != nil {
			return fmt.Errorf("look_weights: %w", err)
		}
	}
	for i, at := range s.Looks {
		if at < 1 || at > r || (i > 0 && at <= s.Looks[i-1]) {
			return fmt.Errorf("the looks %v are not ascending numbers of mpiruns up to %d", s.Looks, r)
		}
	}
	return nil
}
