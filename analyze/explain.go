package analyze

import (
	"math"
	"slices"

	"pgmpi/analyze/judge"
	"pgmpi/analyze/medians"
	"pgmpi/guidelines"
	"pgmpi/internal/lists"
	"pgmpi/internal/stats"
	"pgmpi/measure/protocol"
	"pgmpi/measure/results"
)

// Explanation holds one verdict with everything that it rests on.
type Explanation struct {
	Report  *Report
	Verdict *Verdict
	Call    SideSamples
	Other   *SideSamples   // what the call must not be slower than; nil for split without a smaller size
	Test    *judge.Numbers // in nanoseconds; nil without a test
	LimitS  *float64       // split: what the call may take by the medians, in seconds
}

// SideSamples describes the call, or its other side, in every mpirun.
type SideSamples struct {
	Function string
	Msize    int64 // bytes
	Calls    int   // split: k calls are compared with the one; else 1
	Visits   int   // parts in which an mpirun made its samples: 1 if in a row, 0 if unknown
	Runs     []SideRun
	// Medians over the mpiruns of the fields of SideRun; nil and 0 if no mpirun has them.
	ACF                    []float64
	ACFBound, Inefficiency float64
}

// SideRun describes the samples of one mpirun in nanoseconds, of ONE call.
type SideRun struct {
	Run                 int
	Samples, Late, Long int
	Valid               int     // in sync
	Min, Q1, Median, Q3 float64 // of the valid ones, or NaN without any
	Kept                []float64
	RunMedian           float64   // of Kept, what the outlier filter left, in the order of measurement
	WarmupEnd           int       // first repetition after a warm-up, or −1 if none was seen
	ACF                 []float64 // of Kept, from lag 1 on; nil if they are too few, or all equal
	Usage               medians.Usage
	ACFBound            float64 // most of ACF lies within it if samples do not depend on each other
}

// Explain gathers what verdict i of the Report rests on. read returns a finished mpirun of the
// verdict's shape, or nil; only the samples of the two cases are kept.
func (a *Analysis) Explain(i int, read func(run int) (*results.Run, error)) (*Explanation, error) {
	plan := &a.manifest.Plan
	t, v := &plan.Tests[i], &a.verdicts[i]
	call := plan.Cases[t.Case]
	e := &Explanation{Report: a.Report, Verdict: v, Call: SideSamples{Function: call.Function, Msize: call.Msize, Calls: 1}}
	cases, sides := []int{t.Case}, []*SideSamples{&e.Call}
	if o := a.other(i); o >= 0 {
		other := plan.Cases[o]
		e.Other = &SideSamples{Function: other.Function, Msize: other.Msize, Calls: max(v.K, 1)}
		cases, sides = append(cases, o), append(sides, e.Other)
	}
	last := len(a.set.Cases[t.Case].Medians)
	if v.PValue != nil && !t.Apart() {
		last = v.Runs // other tests may have needed more mpiruns of a case
	}
	for n := 1; n <= last; n++ {
		run, err := read(n)
		if err != nil {
			return nil, err
		}
		for k, side := range sides {
			if err := side.Add(run, cases[k]); err != nil {
				return nil, err
			}
		}
	}
	for _, side := range sides {
		side.Dependence()
	}
	if all := v.AllCallsS(); all != nil {
		limit := *all * (1 + a.Report.SplitTolerance)
		e.LimitS = &limit
	}
	if v.PValue == nil {
		return e, nil
	}
	switch {
	case guidelines.IsMessage(t.Function):
		e.Test = a.messages.Numbers(a.messages.at(i))
	case t.Type == guidelines.Split:
		e.Test = a.split.Numbers(a.split.at(i))
	case t.Apart():
		e.Test = a.apart[t.Guideline].Numbers(a.apart[t.Guideline].at(i))
	default:
		e.Test = a.family.Numbers(slices.Index(a.tests, i))
	}
	return e, nil
}

func (s *SideSamples) Add(run *results.Run, plan int) error {
	if run == nil {
		return nil
	}
	at := slices.IndexFunc(run.Cases, func(k results.CaseInfo) bool { return k.Plan == plan })
	if at < 0 || run.Cases[at].Status != protocol.StatusOK {
		return nil
	}
	s.Visits = max(s.Visits, lists.Count(run.Order, func(i int) bool { return i == at }))
	valid := protocol.Valid(run.Samples[at])
	var flagged protocol.CaseResult
	flagged.Count(run.Samples[at])
	nan := math.NaN()
	out := SideRun{Run: run.Run, Samples: len(run.Samples[at]), Late: flagged.Late, Long: flagged.Long, Valid: len(valid),
		Usage: medians.UsageOf(&run.Cases[at]), Min: nan, Q1: nan, Median: nan, Q3: nan, RunMedian: nan, WarmupEnd: -1}
	if len(valid) > 0 {
		if err := out.describe(valid); err != nil {
			return err
		}
	}
	s.Runs = append(s.Runs, out)
	return nil
}

// describe filters the samples as medians.Set does, and sums them up.
func (s *SideRun) describe(valid []float64) error {
	kept, fences, err := stats.Tukey(valid, stats.TukeyFactor)
	if err != nil {
		return err
	}
	if s.WarmupEnd, err = stats.WarmupEnd(valid); err != nil {
		return err
	}
	s.Min = slices.Min(valid)
	s.Q1, s.Median, s.Q3 = fences.Q1, stats.MedianFinite(valid), fences.Q3
	s.Kept, s.RunMedian = kept, stats.MedianFinite(kept)
	s.ACFBound = stats.AutocorrelationBound(len(s.Kept))
	s.ACF, err = medians.Autocorrelation(s.Kept)
	return err
}

func (s *SideSamples) Dependence() {
	var bounds, inefficiencies []float64
	lags := make([][]float64, medians.Lags)
	for _, r := range s.Runs {
		for h, x := range r.ACF {
			lags[h] = append(lags[h], x)
		}
		if r.ACF != nil {
			bounds = append(bounds, r.ACFBound)
			inefficiencies = append(inefficiencies, stats.Inefficiency(r.ACF, len(r.Kept)))
		}
	}
	if len(bounds) == 0 {
		return
	}
	s.ACF = lists.Map(lags, stats.MedianFinite)
	s.ACFBound, s.Inefficiency = stats.MedianFinite(bounds), stats.MedianFinite(inefficiencies)
}
