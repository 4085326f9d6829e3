package analyze

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"pgmpi/analyze/judge"
	"pgmpi/analyze/medians"
	"pgmpi/internal/conf"
	"pgmpi/internal/remark"
	"pgmpi/internal/stats"
	"pgmpi/measure/results"
)

// remarks are collected in the order in which they are shown.
type remarks []remark.Remark

func (r *remarks) add(id remark.ID, format string, args ...any) {
	*r = append(*r, remark.New(id, "", format, args...))
}

// warnings collects what a reader of the verdicts should know.
func warnings(r *Report, m *results.Manifest, set *medians.Set) []remark.Remark {
	out := remarks{}
	if r.Method == judge.MethodPaper {
		out.add(remark.PaperMethod, "method paper neither adjusts for m = %d tests nor asks for a minimum slowdown: expect false violations", r.M)
	} else if r.Test == judge.TestRankSumNormal {
		out.add(remark.NormalApproximation, "with more than %d mpiruns the rank-sum p-values are from the normal approximation", stats.MaxExactRankSum)
	}
	out = append(out, m.Factors.Remarks()...)
	out.ofCores(m)
	if n := len(m.Events); n > 0 {
		out.add(remark.Repeated, "failed mpiruns that were repeated: %d, the last one: %s", n, m.Events[n-1])
	}
	if set.ZeroIQR > 0 {
		out.add(remark.ZeroIQR, "%d times the quartiles of a case in an mpirun were equal, so the outlier filter kept one value only: "+
			"the clock ticks coarsely (%.0f ns) for calls this short", set.ZeroIQR, 1e9*r.ClockTickS)
	}
	out.ofSamples(r, set)
	if n := len(r.NotConverged); n > 0 {
		out.add(remark.NotConverged, "cases that reached nrep.max or nrep.max_time before their run-time was stable: %d", n)
	}
	if r.Looks != nil && len(r.Looks.Blind) > 0 && r.Refused == nil {
		out.add(remark.BlindLook, "after %v mpiruns a lone violation cannot be found yet: the smallest p-value of the test is above alpha·weight/m", r.Looks.Blind)
	}
	if n := len(r.Incomplete); n > 0 {
		out.add(remark.Incomplete, "planned tests that have no verdict for lack of valid data: %d", n)
	}
	return out
}

// ofCores is for older folders, whose ranks have not said where they ran.
func (r *remarks) ofCores(m *results.Manifest) {
	for _, shape := range m.Plan.Shapes {
		if shape.Nodes > 0 || len(m.Factors.Layouts) > 0 {
			continue
		}
		if found, ok := m.Factors.Oversubscribed(shape.String(), shape.NP); ok {
			*r = append(*r, found)
		}
	}
}

// ofSamples is about what the run medians rest on.
func (r *remarks) ofSamples(of *Report, set *medians.Set) {
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
		r.add(remark.OutOfSync, "%d of %d samples were out of sync and left out; cases with more than %.0f %% of them are inconclusive (%d here)",
			invalid, total, 100*medians.MaxInvalid, inconclusive)
	}
	if set.Drifted > 0 {
		r.add(remark.Drift, "in %d mpiruns a global clock was off by more than measure.max_drift when it was synchronised again, at worst by %.3g µs",
			set.Drifted, float64(set.WorstDriftNS)/1e3)
	}
	var slow []string
	for _, s := range of.SlowMpiruns {
		slow = append(slow, s.String())
	}
	if len(slow) > 0 {
		r.add(remark.SlowMpirun, "slower than the others throughout: %s. Such an mpirun counts like the others, and leaves small slowdowns undecided",
			strings.Join(slow, ", "))
	}
	if strong := of.Dependence.Strong; len(strong) > 0 {
		worst := slices.MaxFunc(strong, func(a, b medians.DependentCase) int { return cmp.Compare(a.Inefficiency, b.Inefficiency) })
		r.add(remark.DependentSamples, "in %d of %d cases the samples resemble their neighbours so much that %d of them are worth one independent sample or less "+
			"(the worst: %s at %s on %s, where %.0f are worth one). The tests compare mpiruns, not samples; but the run medians are less precise than stage 1 thought",
			len(strong), measured, medians.StrongDependence, worst.Function, conf.HumanSize(worst.Msize), worst.Shape, worst.Inefficiency)
	}
}

// differs is a remark about a factor that is not the same in all folders.
func (r *remarks) differs(factor, remedy, format string, args ...any) {
	*r = append(*r, remark.Remark{ID: remark.Differs + remark.ID(strings.NewReplacer(".", "-", " ", "-").Replace(factor)), Place: factor,
		Text: fmt.Sprintf(format, args...), Remedy: remedy, Docs: remark.Comparing})
}
