package analyze

import (
	"pgmpi/analyze/judge"
	"pgmpi/guidelines"
	"pgmpi/measure/results"
)

// ofMessages tells whether a comparison belongs to the family of messages, which changes no other verdict.
func (a *Analysis) ofMessages(c results.Comparison) bool {
	return guidelines.IsMessage(a.manifest.Plan.Tests[c.Test].Function)
}

// judgeMessages judges the other guidelines about messages as judgeSplit judges splits: by medians, for the experiment
// to test.
func (a *Analysis) judgeMessages() {
	runs := a.family.Looks[0]
	for i, t := range a.manifest.Plan.Tests {
		if t.Type == guidelines.Split || !guidelines.IsMessage(t.Function) {
			continue
		}
		v := &a.verdicts[i]
		a.settle(v, judge.Once(runs), t.Case, t.Others[0])
		orig, other := a.sides(i)
		v.MedianS, v.OtherMedianS = Seconds(orig.MedianOf(runs)), Seconds(other.MedianOf(runs))
		if v.Verdict != "" {
			continue
		}
		yes, no := a.byMedians()
		v.Ratio, v.Verdict = Number(orig.MedianOf(runs)/other.MedianOf(runs)), no
		if Or(v.Ratio, 0) >= a.cfg.MinSlowdown {
			v.Verdict = yes
		}
	}
}
