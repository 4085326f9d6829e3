package judge

// neededLimit is the most mpiruns that an estimate names: beyond, the run
// medians of a few mpiruns say nothing about so small an effect.
const neededLimit = 1000

// RunsNeeded is how many mpiruns would decide an undecided test, if the effect
// and the spread of the run medians stay as observed.
type RunsNeeded struct {
	R       int      `json:"r"`       // in all, not in addition; 0: more than Limit
	Limit   int      `json:"limit"`   // the most that were considered
	Towards Verdict  `json:"towards"` // the verdict it would probably be; empty with R = 0
	Test    TestName `json:"test"`    // that R mpiruns choose, or Limit of them
}

// Needed estimates, by test, how many mpiruns would decide those that the data
// leave undecided; nil for the others.
func (f *Family) Needed() []*RunsNeeded {
	out := make([]*RunsNeeded, f.M)
	if f.Refused != nil || f.looks[len(f.looks)-1].weak || f.Method == MethodPaper {
		return out
	}
	var chosen []*Test // by R
	rejected := 0
	for _, o := range f.Outcomes {
		if o.Verdict != Undecided && o.PAdjusted <= f.Alpha {
			rejected++
		}
	}
	for i, o := range f.Outcomes {
		if o.Runs != f.R() || o.Verdict != Undecided {
			continue
		}
		if chosen == nil {
			chosen = f.testsByR()
		}
		out[i] = f.needed(f.pairs[i], o.Ratio, f.needs(rejected), chosen)
	}
	return out
}

// testsByR says, by R up to neededLimit, which test would be chosen; nil: none
// is strong enough.
func (d *Design) testsByR() []*Test {
	chosen := make([]*Test, neededLimit+1)
	for r := d.R() + 1; r <= neededLimit; r++ {
		if l := d.at(r, r); !l.weak {
			chosen[r] = l.test
		}
	}
	return chosen
}

// needed is the least R from which the observed medians would be significant
// at the level, or kept at Alpha, whichever comes first.
func (f *Family) needed(pair Pair, ratio, level float64, chosen []*Test) *RunsNeeded {
	slower := Marginal
	if ratio >= f.MinSlowdown && f.visible(pair) {
		slower = Violated
	}
	allowed := scale(pair.Other, f.MinSlowdown)
	var t *Test
	var forSlower, forKept float64
	for r := f.R() + 1; r <= neededLimit; r++ {
		if chosen[r] == nil {
			continue
		}
		if t != chosen[r] {
			t = chosen[r]
			forSlower, forKept = t.SampleSize(pair.Orig, f.Against(pair), level), t.SampleSize(allowed, pair.Orig, f.Alpha)
		}
		switch {
		case float64(r) >= forSlower && ratio > 1:
			return &RunsNeeded{r, neededLimit, slower, t.Name}
		case float64(r) >= forKept:
			return &RunsNeeded{r, neededLimit, Kept, t.Name}
		}
	}
	out := &RunsNeeded{Limit: neededLimit}
	if t := chosen[neededLimit]; t != nil {
		out.Test = t.Name
	}
	return out
}
