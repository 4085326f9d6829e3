package analyze

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"pgmpi/analyze/judge"
	"pgmpi/analyze/medians"
	"pgmpi/guidelines"
	"pgmpi/internal/conf"
	"pgmpi/internal/phrase"
	"pgmpi/internal/remark"
	"pgmpi/internal/stats"
	"pgmpi/measure/results"
)

// Remarks collects remarks in the order in which they are shown.
type Remarks []remark.Remark

func (r *Remarks) Add(id remark.ID, format string, args ...any) {
	*r = append(*r, remark.New(id, "", format, args...))
}

func (a *Analysis) warnings(r *Report) []remark.Remark {
	out := Remarks{}
	m, set := a.manifest, a.set
	if !r.Method.Rules().Slowdown {
		out.Add(remark.PaperMethod, "method paper neither adjusts for m = %d tests nor asks for a minimum slowdown: expect false violations", r.M)
	} else if r.Test == judge.TestRankSumNormal {
		out.Add(remark.NormalApproximation, "with more than %d mpiruns the rank-sum p-values are from the normal approximation", stats.MaxExactRankSum)
	}
	if r.SeenOnce != "" {
		out.Add(remark.SeenOnce, "no verdicts: %s; how far mpiruns differ is unknown here, and the intervals hold for these mpiruns alone", r.SeenOnce)
	}
	out = append(out, m.Remarks()...)
	if n := len(m.Events); n > 0 {
		out.Add(remark.Repeated, "failed mpiruns that were repeated: %d, the last one: %s", n, m.Events[n-1])
	}
	if set.Joined > 0 {
		out.Add(remark.Joined, "mpiruns that were cut off and went on in another one: %d; each run median of theirs is of samples of both", set.Joined)
	}
	if set.ZeroIQR > 0 {
		out.Add(remark.ZeroIQR, "%d times the quartiles of a case in an mpirun were equal, so the outlier filter kept one value only: "+
			"the clock ticks coarsely (%.0f ns) for calls this short", set.ZeroIQR, 1e9*r.ClockTickS)
	}
	out.ofSamples(r, set)
	out.ofFaults(r)
	out.ofStates(r.States)
	out.ofNeighbours(m, set)
	out.ofPairing(a, r)
	if n := len(r.NotConverged); n > 0 {
		out.Add(remark.NotConverged, "cases that reached nrep.max or nrep.max_time before their run-time was stable: %d", n)
	}
	if r.Looks != nil && len(r.Looks.Blind) > 0 && r.Refused == nil {
		out.Add(remark.BlindLook, "after %v mpiruns a lone violation cannot be found yet: the smallest p-value of the test is above alpha·weight/m", r.Looks.Blind)
	}
	if n := len(r.Incomplete); n > 0 {
		out.Add(remark.Incomplete, "planned tests that have no verdict for lack of valid data: %d", n)
	}
	return out
}

func (r *Remarks) ofSamples(of *Report, set *medians.Set) {
	total, measured := 0, 0
	for i := range set.Cases {
		n := set.Cases[i].Samples().Total
		total += n
		if n > 0 {
			measured++
		}
	}
	if len(of.OutOfSync) > 0 {
		invalid, inconclusive := 0, 0
		for _, k := range of.OutOfSync {
			invalid += k.Invalid
			if k.TooMany {
				inconclusive++
			}
		}
		r.Add(remark.OutOfSync, "%d of %d samples were out of sync and left out; cases with more than %.0f %% of them are inconclusive (%d here)",
			invalid, total, 100*medians.MaxInvalid, inconclusive)
	}
	if set.Drifted > 0 {
		r.Add(remark.Drift, "in %d mpiruns a global clock was off by more than measure.max_drift when it was synchronised again, at worst by %.3g µs",
			set.Drifted, float64(set.WorstDriftNS)/1e3)
	}
	if slow := phrase.Join(", ", "%v", of.Disturbed()); slow != "" {
		r.Add(remark.SlowMpirun, "slower than the others throughout: %s. Such an mpirun counts like the others, and leaves small slowdowns undecided", slow)
	}
	if strong := of.Dependence.Strong; len(strong) > 0 {
		worst := slices.MaxFunc(strong, func(a, b medians.DependentCase) int { return cmp.Compare(a.Inefficiency, b.Inefficiency) })
		r.Add(remark.DependentSamples, "in %d of %d cases the samples resemble their neighbours so much that %d of them are worth one independent sample or less "+
			"(the worst: %s at %s on %s, where %.0f are worth one). The tests compare mpiruns, not samples; but the run medians are less precise than stage 1 thought",
			len(strong), measured, medians.StrongDependence, worst.Function, conf.HumanSize(worst.Msize), worst.Shape, worst.Inefficiency)
	}
}

// A remark on neighbouring mpiruns needs enough of them. It also needs an autocorrelation that
// chance exceeds in one of twenty folders.
const (
	leastNeighbours = 10
	normal95        = 1.645 // one-sided
)

func (r *Remarks) ofNeighbours(m *results.Manifest, set *medians.Set) {
	for _, shape := range m.Plan.Shapes {
		general := set.LastGeneral(shape)
		if len(general) < leastNeighbours {
			continue
		}
		if rho, z, err := stats.RankAutocorrelation(general); err == nil && z > normal95 {
			*r = append(*r, remark.New(remark.NeighboursAlike, shape.String(), "on %s an mpirun is about as slow as the one before it (rank autocorrelation %.2f over %d mpiruns): "+
				"p-values and intervals hold as far as mpiruns are independent, and neighbours in time are not quite", shape, rho, len(general)))
		}
	}
}

// ofPairing adds remarks on tests that compare run medians across mpiruns.
func (r *Remarks) ofPairing(a *Analysis, of *Report) {
	d := a.family
	if d.Test(d.Last()).Paired || !of.Method.Rules().Exact || d.M == 0 {
		return
	}
	pairing := judge.Pairing(d.Alpha, d.M)
	if a.cfg.Test == judge.TestAuto && d.R() < pairing && of.Refused == nil {
		r.Add(remark.NotPaired, "R = %d mpiruns are too few to compare the two sides of a test within each mpirun (m = %s), so that mpiruns which are slow throughout hide slowdowns; "+
			"R = %d mpiruns would do", d.R(), conf.Plural(d.M, "test"), pairing)
	}
	tests, differ := 0, 0
	general := map[int]map[guidelines.Shape][]float64{}
	for _, at := range d.Looks {
		general[at] = a.general(at)
	}
	for n, i := range a.tests {
		runs := d.Outcomes[n].Runs
		if runs < leastSpread {
			continue
		}
		tests++
		orig, other := a.sides(i)
		factor := general[runs][a.manifest.Plan.Tests[i].Shape]
		x, y := spreadOf(orig.Medians[:runs], factor), spreadOf(other.Medians[:runs], factor)
		if max(x, y) > unlike*min(x, y) {
			differ++
		}
	}
	usual := unlikeShare * float64(tests)
	if float64(differ) > usual+2*math.Sqrt(usual*(1-unlikeShare)) {
		r.Add(remark.SpreadsDiffer, "in %d of %s the run medians of one side spread over three times as far as the other's; the %s test takes both for alike and may err there. "+
			"R = %d mpiruns would pair the sides", differ, conf.Plural(tests, "test"), of.Test, pairing)
	}
}

// The spreads of two sides are unlike when one is three times the other. Chance makes them so in up
// to one test in ten (docs/dev/statistics.md).
const (
	leastSpread = 10 // mpiruns
	unlike      = 3
	unlikeShare = 0.1
)

// spreadOf returns the interquartile range of the logarithms of run medians. It leaves out what
// their mpiruns have in common, as far as that is known.
func spreadOf(runMedians, factor []float64) float64 {
	logs := stats.Logs(runMedians)
	for i := range logs {
		if factor != nil {
			logs[i] -= math.Log(factor[i])
		}
	}
	lo, _ := stats.Quantile(logs, 0.25)
	hi, _ := stats.Quantile(logs, 0.75)
	return hi - lo
}

// Differs adds a remark about a factor that is not the same in all folders.
func (r *Remarks) Differs(factor, remedy, format string, args ...any) {
	*r = append(*r, remark.Remark{ID: remark.Differs + remark.ID(strings.NewReplacer(".", "-", " ", "-").Replace(factor)), Place: factor,
		Text: fmt.Sprintf(format, args...), Remedy: remedy, Docs: remark.Comparing})
}

const mostNamed = 3

func (r *Remarks) ofFaults(of *Report) {
	if len(of.PageFaults) == 0 {
		return
	}
	var named []string
	for _, f := range of.PageFaults[:min(mostNamed, len(of.PageFaults))] {
		named = append(named, fmt.Sprintf("%s at %s on %s: %s (rank %d)", f.Function, conf.HumanSize(f.Msize), f.Shape,
			conf.Plural(int(f.PerCall+.5), "page fault"), f.Rank))
	}
	r.Add(remark.PageFaults, "%s in which every call meets memory that the kernel has to map first; most a call: %s",
		conf.Plural(len(of.PageFaults), "case"), strings.Join(named, "; "))
}
