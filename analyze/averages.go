package analyze

import (
	"fmt"
	"slices"

	"pgmpi/analyze/judge"
	"pgmpi/internal/phrase"
)

// averages takes verdicts back that averages over the ranks do not bear. In a collective with a root some ranks
// return early, so the average is below the time of the slowest rank, which all other collectives show. A ratio of
// such an average to them is at least what was seen, and one of them to it says nothing.
func (a *Analysis) averages() {
	if a.manifest.Imported == nil {
		return
	}
	averaged := func(function string) bool { return slices.Contains(a.manifest.Imported.Averages, function) }
	for _, i := range a.tests {
		v, t := &a.verdicts[i], &a.manifest.Plan.Tests[i]
		others, all := []string{}, true
		for _, k := range a.callsOf(t.Others[0]) {
			function := a.manifest.Plan.Cases[k].Function
			if all = all && averaged(function); averaged(function) {
				others = append(others, function)
			}
		}
		found := v.Verdict == judge.Violated || v.Verdict == judge.SeenOnce
		switch {
		case averaged(v.Function) && all, v.Verdict == judge.NotMeasured, v.Verdict == judge.Wrong:
		case len(others) > 0:
			a.tooFast(v, others[0])
		case averaged(v.Function) && !found:
			a.tooFast(v, v.Function)
		}
	}
}

func (a *Analysis) tooFast(v *Verdict, function string) {
	v.Verdict, v.Firm, v.Averaged = judge.Undecided, false, true
	v.Reason = fmt.Sprintf("the time of %s is an average over all ranks, and some return early", phrase.Plain(function))
}

// callsOf returns the cases whose times a case is the sum of, or itself.
func (a *Analysis) callsOf(i int) []int {
	if parts := a.manifest.Sums[i]; len(parts) > 0 {
		return parts
	}
	return []int{i}
}
