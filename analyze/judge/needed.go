package judge

import (
	"math"

	"gonum.org/v1/gonum/mathext"

	"pgmpi/internal/lists"
	"pgmpi/internal/stats"
)

const (
	// neededLimit is the most mpiruns that an estimate names: the run medians of a few mpiruns say
	// nothing about an effect so small that it needs more.
	neededLimit = 1000
	// power is the chance that an estimated number of mpiruns decides.
	power = 0.8
)

// RunsNeeded says how many mpiruns of a new check would decide an undecided test.
type RunsNeeded struct {
	R       int      `json:"r" column:"runs_needed,omitzero"`               // in all, not in addition; 0 if above Limit
	Limit   int      `json:"limit"`                                         // the most that were considered
	Chance  float64  `json:"chance"`                                        // that R mpiruns decide it, or Limit mpiruns
	Towards Verdict  `json:"towards" column:"runs_needed_towards,omitzero"` // probable verdict; empty if unknown or R = 0
	Test    TestName `json:"test"`                                          // that R mpiruns choose, or Limit mpiruns
}

// Outlook says what new checks with more mpiruns would decide.
type Outlook struct {
	Needed []*RunsNeeded // by test; nil unless the data leave it undecided
	Half   *Half         // nil if no R up to the limit decides half of those, or if there are no such tests
}

// Half names the least R that probably decides half of what is undecided.
type Half struct {
	R       int     `json:"r"`
	Decides float64 `json:"decides"` // how many tests it probably decides: half or a little more
}

// Outlook estimates how many mpiruns would decide what is undecided
// (docs/dev/statistics.md, "R needed").
func (f *Family) Outlook() Outlook {
	out := Outlook{Needed: make([]*RunsNeeded, f.M)}
	open, made := f.open()
	if len(open) == 0 {
		return out
	}
	var p prospects
	left := len(open)
	for r := made + 1; r <= neededLimit && (left > 0 || out.Half == nil); r = following(r) {
		l := f.at(r, r)
		if l.weak {
			continue
		}
		if p.test != l.test {
			p = f.prospects(l.test)
		}
		slower, kept := f.chances(&p, r)
		sum := 0.0
		for _, i := range open {
			chance := slower[i] + kept[i]
			sum += chance
			n := out.Needed[i]
			if n != nil && n.R > 0 {
				continue
			}
			n = &RunsNeeded{Limit: neededLimit, Chance: chance, Test: l.test.Name}
			if chance >= power {
				n.R, n.Towards = r, f.towards(i, slower[i], kept[i])
				left--
			}
			out.Needed[i] = n
		}
		if out.Half == nil && 2*sum >= float64(len(open)) {
			out.Half = &Half{r, sum}
		}
	}
	return out
}

// open returns the tests that the data leave undecided, and the most mpiruns that any test has.
func (f *Family) open() (open []int, made int) {
	if f.Refused != nil || f.looks[f.Last()].weak || f.folders {
		return nil, 0
	}
	for i, o := range f.Outcomes {
		if made = max(made, o.Runs); o.Verdict == Undecided && (o.Stopped || o.Runs == f.R()) {
			open = append(open, i)
		}
	}
	return open, made
}

// following returns the next R to try: large ones need not be exact.
func following(r int) int {
	if r < neededLimit {
		return min(neededLimit, r+max(1, r/20))
	}
	return r + 1
}

// towards returns the verdict that a test would probably have if it were decided. If the interval
// holds both 1 and the minimum slowdown, nobody knows.
func (f *Family) towards(i int, slower, kept float64) Verdict {
	o := f.Outcomes[i]
	switch {
	case o.Lo95 <= 1 && f.MinSlowdown <= o.Hi95 || max(slower, kept) < power*(slower+kept):
		return ""
	case kept > slower:
		return Kept
	case o.Ratio >= f.MinSlowdown && f.visible(f.pairs[i]):
		return Violated
	}
	return Marginal
}

// prospects holds the expected outcomes of a family's tests by a Test.
type prospects struct {
	test *Test
	by   []prospect // by test of the family; n is 0 without data
}

// prospect holds what is known of one test: its effect, by its logarithm, from n mpiruns.
type prospect struct {
	effect float64
	// spread is the standard deviation of one mpirun's difference as the Test sees it. paired is
	// the deviation of the two sides in the same mpirun, which moves the estimate.
	spread, paired float64
	unsure         float64 // standard deviation of the logarithm of spread
	hidden         bool    // by the clock, or by what checks differ: it is not kept, whatever R is
	n              int
}

func (f *Family) prospects(t *Test) prospects {
	p := prospects{t, make([]prospect, f.M)}
	known := map[int][2]float64{} // reach by n: most tests have the same n
	for i, pair := range f.pairs {
		n := len(pair.Orig)
		if n < 2 {
			continue
		}
		reach, ok := known[n]
		if !ok {
			reach = [2]float64{reachOf95(t, n), reachOf95(&cappedRank, n)}
			known[n] = reach
		}
		// P has refused values that these cannot take.
		paired, _ := cappedRank.Effect(pair.Orig, pair.Other)
		pair = f.aligned(t, pair)
		e, _ := t.Effect(pair.Orig, pair.Other)
		p.by[i] = prospect{effect: math.Log(e.Ratio), spread: math.Log(e.Hi95/e.Lo95) / 2 / reach[0], paired: math.Log(paired.Hi95/paired.Lo95) / 2 / reach[1],
			hidden: f.hides(pair) || f.near(e.Ratio), n: n}
	}
	p.moderate(&cappedRank, func(q *prospect) *float64 { return &q.paired })
	p.moderate(t, func(q *prospect) *float64 { return &q.spread })
	return p
}

// reachOf95 returns half the 95 % interval of n differences, in spreads. It ends where the Test
// becomes significant.
func reachOf95(t *Test, n int) float64 {
	reach := t.Reach(n, 0.025)
	if math.IsInf(reach, 0) { // too few for an interval that covers 95 %
		reach = stats.StudentQuantile(0.975, n-1) / math.Sqrt(float64(n))
	}
	return reach
}

// varies returns the variance of the logarithm of the spread of n normal differences. It simulates
// them.
func varies(t *Test, n int) float64 {
	if t.Paired {
		return 0.6 / float64(n-1)
	}
	return 0.35 / float64(n-1)
}

// moderate moves spreads towards the usual one of the family. It does so as far as spreads of so
// few mpiruns differ by chance. Tests are often undecided because their spread was estimated too
// large.
func (p *prospects) moderate(t *Test, of func(*prospect) *float64) {
	var logs []float64
	chance := 0.0
	for i := range p.by {
		if spread := *of(&p.by[i]); spread > 0 {
			logs = append(logs, math.Log(spread))
			chance += varies(t, p.by[i].n)
		}
	}
	usual := stats.MedianFinite(logs)
	deviations := lists.Map(logs, func(l float64) float64 { return math.Abs(l - usual) })
	const normalMAD = 0.6745
	all := stats.MedianFinite(deviations) / normalMAD
	between := max(0, all*all-chance/float64(len(logs)))
	for i := range p.by {
		q := &p.by[i]
		if spread := of(q); *spread > 0 {
			own := varies(t, q.n)
			*spread *= math.Exp((usual - math.Log(*spread)) * own / (own + between))
			q.unsure = math.Sqrt(own * between / (own + between))
		}
	}
}

// chances returns the probabilities that a check with r mpiruns decides each test: that it shows it
// slower, and kept. What a finding needs depends on the number of findings.
func (f *Family) chances(p *prospects, r int) (slower, kept []float64) {
	forKept := p.test.Reach(r, f.Alpha)
	slower, kept = make([]float64, f.M), make([]float64, f.M)
	rejected, before, anew := 0, -1, 1/float64(r)
	if !p.test.Paired { // they spread more than the estimate
		anew *= 1.5
	}
	for range 10 {
		if rejected == before {
			break
		}
		forSlower, sum := p.test.Reach(r, f.needs(rejected)), 0.0
		for i := range p.by {
			if p.by[i].n > 0 {
				slower[i], kept[i] = f.chance(&p.by[i], anew, forSlower, forKept, varies(p.test, r+1))
				sum += slower[i]
			}
		}
		before, rejected = rejected, int(sum)
	}
	return slower, kept
}

// cases holds the middles of five equally probable parts of the standard normal distribution.
var cases = [...]float64{-1.2816, -0.5244, 0, 0.5244, 1.2816}

// chance returns the probabilities that the estimate of r new mpiruns decides the test. The
// estimate, which spreads about the true effect as this one does, must be far enough from 1 or from
// the minimum slowdown. Its variance is `anew` times one mpirun's. The logarithm of
// the spread that the new mpiruns happen to have varies by `again`.
func (f *Family) chance(p *prospect, anew, forSlower, forKept, again float64) (slower, kept float64) {
	zero, allowed := 0.0, math.Log(f.MinSlowdown)
	if f.Method.Rules().Margin {
		zero = allowed
	}
	for _, z := range cases {
		moves := p.paired * math.Sqrt(1/float64(p.n)+anew) * math.Exp(z*p.unsure)
		spread := p.spread * math.Exp(z*math.Sqrt(p.unsure*p.unsure+again))
		low, high := allowed-forKept*spread, zero+forSlower*spread
		if math.IsNaN(low) || math.IsNaN(high) { // no spread, and a test that cannot find it
			low, high = math.Inf(-1), math.Inf(1)
		}
		above, below := over(p.effect-high, moves), over(low-p.effect, moves)
		// A significant test is not tested for being kept.
		slower += above / float64(len(cases))
		if !p.hidden {
			kept += min(below, 1-above) / float64(len(cases))
		}
	}
	return slower, kept
}

// over returns the probability of a value above 0. The value spreads about x with a standard
// deviation.
func over(x, deviation float64) float64 {
	switch {
	case deviation != 0:
		return stats.NormalCDF(x / deviation)
	case x > 0:
		return 1
	case x == 0:
		return 0.5
	}
	return 0
}

const (
	// seeing is the chance to see Visible.
	seeing = 0.8
	// twoSided95 turns a standard error into half a 95 % interval.
	twoSided95 = 1.959964
)

// Visible returns the ratio that a test shows with a chance of 80 %, or +Inf. The test has this 95
// % interval of its ratio, and nothing else in its family is significant. It is an estimate: the
// test's own distribution is taken for normal on the log scale.
func (d *Design) Visible(lo, hi float64) float64 {
	p := d.needs(0) * d.finding[d.Last()]
	if d.looks[d.Last()].pMin > p || !(lo > 0) || !(hi >= lo) || math.IsInf(hi, 1) {
		return math.Inf(1)
	}
	if d.alternative == TwoSided {
		p /= 2
	}
	se := math.Log(hi/lo) / (2 * twoSided95)
	z := mathext.NormalQuantile(1-p) + mathext.NormalQuantile(seeing)
	return max(d.MinSlowdown, math.Exp(z*se))
}

// AnotherCheck returns half the width, on the log scale, of the 95 % interval for another check's
// ratio, from this check's interval of its own ratio.
func AnotherCheck(lo, hi, between float64) float64 {
	se := math.Log(hi/lo) / (2 * twoSided95)
	return twoSided95 * math.Sqrt2 * math.Hypot(se, between)
}
