package analyze

import (
	"slices"

	"pgmpi/analyze/judge"
	"pgmpi/analyze/samples"
	"pgmpi/guidelines"
	"pgmpi/measure/results"
)

// Explanation holds one verdict with everything that it rests on.
type Explanation struct {
	Report  *Report
	Verdict *Verdict
	Call    samples.Side
	Other   *samples.Side  // what the call must not be slower than; nil for split without a smaller size
	Test    *judge.Numbers // in nanoseconds; nil without a test
	LimitS  *float64       // split: what the call may take by the medians, in seconds
}

// Explain gathers what verdict i of the Report rests on. read returns a finished mpirun of the
// verdict's shape, or nil; only the samples of the two cases are kept.
func (a *Analysis) Explain(i int, read func(run int) (*results.Run, error)) (*Explanation, error) {
	plan := &a.manifest.Plan
	t, v := &plan.Tests[i], &a.verdicts[i]
	call := plan.Cases[t.Case]
	e := &Explanation{Report: a.Report, Verdict: v, Call: samples.Side{Function: call.Function, Msize: call.Msize, Calls: 1}}
	cases, sides := []int{t.Case}, []*samples.Side{&e.Call}
	if o := a.other(i); o >= 0 {
		other := plan.Cases[o]
		e.Other = &samples.Side{Function: other.Function, Msize: other.Msize, Calls: max(v.K, 1)}
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
