package analyze

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"pgmpi/analyze/judge"
	"pgmpi/analyze/medians"
)

// Compare tests for every case that both folders planned whether B is slower
// or faster than A (S-REVISITED §6.2), and lists the guidelines whose verdict
// changed. Folders that measured other operations, or nothing in common, are
// a *NotComparable; all other factors that differ are in the Comparison.
func Compare(a, b *Side, cfg CompareConfig) (*Comparison, error) {
	d, matches, err := compareDesign(a, b, cfg)
	if err != nil {
		return nil, err
	}
	c := &Comparison{
		Schema: CompareSchema, Version: a.manifest.Version, A: a.folder(), B: b.folder(), Operation: operationOf(&a.manifest.Plan),
		Alternative: cfg.Alternative, Paired: cfg.Paired, Alpha: cfg.Alpha, MinSlowdown: cfg.MinSlowdown,
		Test: d.Test(0).Name, Adjust: d.Adjust, M: d.M, PMin: d.PMin(0), Refused: d.Refused,
		ClockTickS: float64(max(a.set.TickNS, b.set.TickNS)) / 1e9, Guidelines: changedGuidelines(a, b), Differences: differences(a, b),
		Wrong: slices.Concat([]CaseMessage{}, a.Report.Wrong, b.Report.Wrong), FailOn: cmp.Or(cfg.FailOn, ExitOnBoth),
		Need: cfg.Need, AllRows: cfg.AllRows, Shift: machineShift(a.Report, b.Report, cfg.Paired),
	}
	c.OnlyA, c.OnlyB = a.without(b), b.without(a)
	if c.Cases, err = compareCases(c, d, a, b, matches); err != nil {
		return nil, err
	}
	c.Functions = means(c.Cases)
	c.sensitivity()
	c.Warnings = compareWarnings(c, a, b)
	c.Exit = c.ExitCode()
	return c, nil
}

// CompareDesign is how two folders will be compared, asked without data.
func CompareDesign(a, b *Side, cfg CompareConfig) (*judge.Design, error) {
	d, _, err := compareDesign(a, b, cfg)
	return d, err
}

// match is a case of both folders, by index into their Plans.
type match struct{ a, b int }

// compareDesign also gives the cases to compare. The family is all of them but
// those that could not be measured.
func compareDesign(a, b *Side, cfg CompareConfig) (*judge.Design, []match, error) {
	if err := sameOperation(a, b); err != nil {
		return nil, nil, err
	}
	var matches []match
	m := 0
	inB := b.cases()
	for i, k := range a.manifest.Plan.Cases {
		j, ok := inB[k]
		if !ok || !alike(a, b, k.Shape.String()) || isMockup(k.Function) && !cfg.All || cfg.Only != nil && !cfg.Only(medians.CellOf(k)) {
			continue
		}
		matches = append(matches, match{i, j})
		if change, _ := unusable(a, b, match{i, j}); change != LeftOut {
			m++
		}
	}
	if len(matches) == 0 {
		if reason := placedUnlike(a, b); reason != "" {
			return nil, nil, &NotComparable{reason}
		}
		return nil, nil, &NotComparable{fmt.Sprintf("%s and %s have no function at one size on one number of processes in common: there is nothing to compare", a.Name, b.Name)}
	}
	d, err := judge.NewComparison(cfg.Config, cfg.Alternative, cfg.Paired, a.mpiruns(), b.mpiruns(), m)
	if err != nil {
		return nil, nil, &NotComparable{err.Error()}
	}
	return d, matches, nil
}

// alike tells whether the ranks of a shape lay on as many nodes in both folders, as far
// as that is known: p4 on one node and p4 on four are not the same question.
func alike(a, b *Side, shape string) bool {
	pa, pb := a.manifest.Factors.Place(shape), b.manifest.Factors.Place(shape)
	return pa == "" || pb == "" || pa == pb
}

// placedUnlike says which numbers of processes are not compared for that; "" where none.
func placedUnlike(a, b *Side) string {
	var out []string
	for _, s := range a.manifest.Plan.Shapes {
		if slices.Contains(b.manifest.Plan.Shapes, s) && !alike(a, b, s.String()) {
			out = append(out, fmt.Sprintf("the ranks of %s were placed as %s in %s and as %s in %s (nodes × ranks on each): they are not compared; measure both with the same --shape",
				s, a.manifest.Factors.Place(s.String()), a.Name, b.manifest.Factors.Place(s.String()), b.Name))
		}
	}
	return strings.Join(out, "; ")
}

// unusable says why a case cannot be compared; empty: it can.
func unusable(a, b *Side, m match) (change Change, reason string) {
	for _, side := range []struct {
		name string
		*Side
		at int
	}{{"A", a, m.a}, {"B", b, m.b}} {
		switch yes, left, why := side.unusable(side.at); {
		case left:
			return LeftOut, side.name + ": " + why
		case yes:
			return NotCompared, side.name + ": " + why
		}
	}
	return "", ""
}

// compareCases tests B (Orig) against A (Other).
func compareCases(c *Comparison, d *judge.Design, a, b *Side, matches []match) ([]CaseChange, error) {
	rows := make([]CaseChange, len(matches))
	var pairs []judge.Pair
	var family []*CaseChange
	for n, m := range matches {
		k, caseA, caseB := a.manifest.Plan.Cases[m.a], &a.set.Cases[m.a], &b.set.Cases[m.b]
		pair := judge.Pair{Orig: medians.Valid(caseB.Medians), Other: medians.Valid(caseA.Medians)}
		if c.Paired {
			pair = bothValid(judge.Pair{Orig: caseB.Medians, Other: caseA.Medians})
		}
		row := &rows[n]
		*row = CaseChange{Cell: medians.CellOf(k), NP: k.Shape.NP,
			AMedianS: seconds(caseA.Median()), BMedianS: seconds(caseB.Median()), AR: len(pair.Other), BR: len(pair.Orig)}
		row.Change, row.Reason = unusable(a, b, m)
		if row.Change == LeftOut {
			continue
		}
		if row.Change != "" {
			pair = judge.Pair{} // planned, hence counted
		}
		pairs, family = append(pairs, pair), append(family, row)
	}
	f := d.Family(1e9 * c.ClockTickS)
	if err := f.Look(pairs); err != nil {
		return nil, err
	}
	for n, o := range f.Outcomes {
		if row := family[n]; o.Runs > 0 {
			row.PValue, row.PAdjusted, row.Ratio = number(o.P), number(o.PAdjusted), number(o.Ratio)
			row.RatioLo, row.RatioHi = number(o.Lo95), number(o.Hi95)
			row.CouldHaveSeen = number(d.Visible(o.Lo95, o.Hi95))
			row.judge(c, o)
		}
	}
	return rows, nil
}

// sensitivity says what the data could have shown. A case with a significant change has
// shown what there was.
func (c *Comparison) sensitivity() {
	var seen []float64
	for _, k := range c.Cases {
		if k.Change == LeftOut || k.Change == NotCompared {
			continue
		}
		least := math.Inf(1)
		if k.CouldHaveSeen != nil {
			least = *k.CouldHaveSeen
		}
		seen = append(seen, least)
		if c.Need > 0 && k.Change == NoDifference && least > c.Need {
			c.Blind++
		}
	}
	if len(seen) > 0 {
		slices.Sort(seen)
		c.CouldHaveSeen = number(seen[(len(seen)-1)/2]) // half of the cases, or more
	}
}

func bothValid(p judge.Pair) judge.Pair {
	var out judge.Pair
	for i := range min(len(p.Orig), len(p.Other)) {
		if !math.IsNaN(p.Orig[i]) && !math.IsNaN(p.Other[i]) {
			out.Orig, out.Other = append(out.Orig, p.Orig[i]), append(out.Other, p.Other[i])
		}
	}
	return out
}

// judge gives the change of a case from its adjusted p-value and its effect.
func (row *CaseChange) judge(c *Comparison, o judge.Outcome) {
	row.Change = NoDifference
	if c.Refused != nil || !(o.PAdjusted <= c.Alpha) || row.Ratio == nil {
		return
	}
	row.Stars = o.Stars
	ratio, up := o.Ratio, c.Alternative == judge.Greater || c.Alternative == judge.TwoSided && o.Ratio > 1
	if !up {
		ratio = 1 / ratio
	}
	large := ratio >= c.MinSlowdown && math.Abs(*row.AMedianS-*row.BMedianS) >= 2*c.ClockTickS
	switch {
	case up && large:
		row.Change = Slower
	case up:
		row.Change = SlightlySlower
	case large:
		row.Change = Faster
	default:
		row.Change = SlightlyFaster
	}
}

// means makes the geometric means: of the ratios, since those are what is
// compared, over the sizes that were.
func means(cases []CaseChange) []FunctionChange {
	out := []FunctionChange{}
	for _, k := range cases {
		if k.Ratio == nil {
			continue
		}
		i := slices.IndexFunc(out, func(f FunctionChange) bool { return f.Function == k.Function && f.Shape == k.Shape })
		if i < 0 {
			i = len(out)
			out = append(out, FunctionChange{Function: k.Function, Shape: k.Shape})
		}
		f := &out[i]
		f.Sizes++
		f.logs += math.Log(*k.Ratio)
		f.Ratio = number(math.Exp(f.logs / float64(f.Sizes)))
		if k.Change == Slower {
			f.Slower++
		}
		if k.Change == Faster {
			f.Faster++
		}
	}
	return out
}

// without counts the cases that another folder lacks.
func (s *Side) without(other *Side) (n int) {
	there := other.cases()
	for _, k := range s.manifest.Plan.Cases {
		if _, ok := there[k]; !ok || !alike(s, other, k.Shape.String()) {
			n++
		}
	}
	return n
}

// ExitCode sums the comparison up.
func (c *Comparison) ExitCode() int {
	slow, incomplete := false, c.Refused != nil || c.Blind > 0
	times := c.FailOn == ExitOnTimes || c.FailOn != ExitOnGuidelines && c.Shift == nil
	for _, k := range c.Cases {
		slow = slow || times && k.Change == Slower
		incomplete = incomplete || k.Change == NotCompared
	}
	for _, g := range c.Guidelines {
		slow = slow || g.Change == NewlyViolated
	}
	return exitCode(len(c.Wrong) > 0, slow, incomplete)
}
