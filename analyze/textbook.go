package analyze

import (
	"cmp"
	"slices"

	"pgmpi/analyze/judge"
	"pgmpi/analyze/medians"
	"pgmpi/guidelines"
	"pgmpi/internal/lists"
	"pgmpi/measure/protocol"
	"pgmpi/measure/results"
	"pgmpi/mockups"
)

// OneOf are the guidelines with one test for all mock-ups of a kind, each a family of its own.
var OneOf = []string{guidelines.TextbookID, guidelines.FewerID}

// ModeOf returns the mode of the mpiruns that test such a guideline.
func ModeOf(id string) protocol.Mode {
	return map[string]protocol.Mode{guidelines.TextbookID: protocol.ModeTextbook, guidelines.FewerID: protocol.ModeFewer}[id]
}

// judgeOneOf asks of each collective and size, by the medians of the first look and without a test, whether a
// mock-up of the guideline's kind is faster. It takes the fastest.
func (a *Analysis) judgeOneOf() {
	median := func(c int) float64 { return a.set.Cases[c].MedianOf(a.family.Looks[0]) }
	for i, t := range a.manifest.Plan.Tests {
		if !guidelines.OneOf(t.Guideline) {
			continue
		}
		v := &a.verdicts[i]
		usable := lists.Keep(t.Others, func(o int) bool { return a.set.Cases[o].Status == protocol.StatusOK })
		if len(usable) == 0 {
			usable = t.Others
		}
		a.settle(v, judge.Once(a.family.Looks[0]), append([]int{t.Case}, usable...)...)
		v.MedianS = Seconds(median(t.Case))
		if v.Verdict != "" {
			continue
		}
		fastest := slices.MinFunc(usable, func(x, y int) int { return cmp.Compare(median(x), median(y)) })
		v.Mockup, v.OtherMedianS = a.manifest.Plan.Cases[fastest].Function, Seconds(median(fastest))
		v.Ratio, v.Verdict = Number(median(t.Case)/median(fastest)), judge.NotSuspected
		if Or(v.Ratio, 0) >= a.cfg.MinSlowdown {
			v.Verdict = judge.Suspected
		}
	}
}

// PlanOneOf plans one test for each cell in which a mock-up of a guideline's kind seems to be faster by min_slowdown,
// of the fastest: data that choose never test. It returns nil if there is nothing to test, or R is too small.
func PlanOneOf(id string, m *results.Manifest, set *medians.Set, cfg judge.Config) (*results.FollowUps, error) {
	a, err := begin(m, set, cfg)
	if err != nil || !cfg.Method.Rules().FollowsUp {
		return nil, err
	}
	a.judgeOneOf()
	var list []results.Comparison
	for i, t := range m.Plan.Tests {
		if v := &a.verdicts[i]; t.Guideline == id && v.Verdict == judge.Suspected {
			list = append(list, results.Comparison{Test: i, Case: t.Case, Part: a.other(i), Calls: 1})
		}
	}
	r := min(a.family.R(), a.pairing(cfg.Alpha, len(list)))
	d, err := judge.NewDesign(cfg, judge.Once(r), len(list))
	if err != nil || d.Refused != nil {
		return nil, err
	}
	return again(list, r), nil
}

// oneOf judges what PlanOneOf has planned, each guideline as a family of its own: it changes no other verdict.
func (a *Analysis) oneOf() error {
	a.apart = map[string]*FollowedUp{}
	for _, id := range OneOf {
		x, err := a.followed(ModeOf(id), a.cfg)
		if err != nil {
			return err
		}
		if a.apart[id] = x; x != nil && x.Refused == nil {
			a.answered(x)
		}
	}
	return nil
}

func (a *Analysis) answered(x *FollowedUp) {
	for _, f := range x.Answers {
		v := &a.verdicts[f.Test]
		if v.Verdict == judge.NotMeasured || v.Verdict == judge.Wrong {
			continue
		}
		v.Mockup = a.manifest.Plan.Cases[f.Part].Function
		if f.Problem != "" { // it stays suspected
			v.Reason = "its experiment: " + f.Problem
			a.isIncomplete(v)
			continue
		}
		v.set(f.Outcome, nil)
		v.Reason, v.MedianS, v.OtherMedianS = "", f.WholeS, f.PartS
	}
}

// other returns the case that a verdict compares its call with, or −1 if it names none.
func (a *Analysis) other(i int) int {
	plan, v := &a.manifest.Plan, &a.verdicts[i]
	for _, o := range plan.Tests[i].Others {
		c := plan.Cases[o]
		if c.Msize == v.MsizeOther && (!guidelines.OneOf(v.Guideline) || c.Function == v.Mockup) && (v.Type != guidelines.Split || v.K > 0) {
			return o
		}
	}
	return -1
}

// LacksTextbook tells whether a check has asked of collectives, but not whether textbook algorithms are faster.
func (r *Report) LacksTextbook() bool {
	could := r.Where(func(v *Verdict) bool { return len(mockups.Textbook(v.Function)) > 0 })
	return len(could) > 0 && !slices.ContainsFunc(could, func(v *Verdict) bool { return v.Guideline == guidelines.TextbookID })
}
