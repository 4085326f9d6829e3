package series

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"pgmpi/analyze"
	"pgmpi/analyze/judge"
	"pgmpi/analyze/medians"
	"pgmpi/guidelines"
	"pgmpi/internal/conf"
	"pgmpi/internal/lists"
	"pgmpi/internal/stats"
)

// Compare tests whether B is slower or faster than A in each common case (S-REVISITED §6.2). It
// lists the guidelines whose verdict changed, and returns a *NotComparable for folders that
// measured other operations, or nothing in common. All other factors that differ are in the
// Comparison.
func Compare(a, b *analyze.Side, cfg CompareConfig) (*Comparison, error) {
	all, err := CompareLevels([]*analyze.Side{a, b}, cfg)
	if err != nil {
		return nil, err
	}
	return all[0], nil
}

// CompareLevels compares all later sides with the first, as levels of one factor (S-REVISITED §5.5
// to 5.8). All their tests are one family.
func CompareLevels(sides []*analyze.Side, cfg CompareConfig) (out []*Comparison, err error) {
	d, matches, err := compareDesign(sides, cfg)
	if err != nil {
		return nil, err
	}
	a, all := sides[0], &compareFamily{}
	for i, b := range sides[1:] {
		c := begun(a, b, d, cfg)
		c.Cases = all.add(c, cfg, a, b, matches[i])
		out = append(out, c)
	}
	if err := all.judge(d); err != nil {
		return nil, err
	}
	for i, c := range out {
		c.Functions = means(c.Cases)
		c.sensitivity()
		c.Warnings = compareWarnings(c, a, sides[1+i])
		c.Exit = c.ExitCode()
	}
	return out, nil
}

// begun returns a comparison without its cases.
func begun(a, b *analyze.Side, d *judge.Design, cfg CompareConfig) *Comparison {
	c := &Comparison{
		Schema: CompareSchema, Version: a.Manifest.Version, A: a.Folder(), B: b.Folder(), Operation: analyze.OperationOf(&a.Manifest.Plan),
		Alternative: cfg.Alternative, Paired: cfg.Paired, Alpha: cfg.Alpha, MinSlowdown: cfg.MinSlowdown,
		Test: d.Test(0).Name, Adjust: d.Adjust, M: d.M, PMin: d.PMin(0), Refused: d.Refused,
		ClockTickS: float64(max(a.Set.TickNS, b.Set.TickNS)) / 1e9, Guidelines: changedGuidelines(a, b), Algorithms: changedAlgorithms(a, b), Differences: differences(a, b, cfg.Paired),
		Wrong: slices.Concat([]analyze.CaseMessage{}, a.Report.Wrong, b.Report.Wrong), FailOn: cmp.Or(cfg.FailOn, ExitOnBoth),
		Need: cfg.Need, AllRows: cfg.AllRows,
	}
	if cfg.Paired {
		c.Shift = shiftByTurns(a, b)
	} else {
		c.Shift = MachineShift(CheckOf(a.Report, a.Name), CheckOf(b.Report, b.Name))
	}
	c.OnlyA, c.OnlyB = without(a, b), without(b, a)
	return c
}

// CompareDesign returns the design by which the other folders will be compared with the first; it
// needs no data.
func CompareDesign(sides []*analyze.Side, cfg CompareConfig) (*judge.Design, error) {
	d, _, err := compareDesign(sides, cfg)
	return d, err
}

// match names a case of both folders, by index into their Plans.
type match struct {
	a, b   int
	change Change // why it cannot be compared, or ""
	reason string
}

// compareDesign also returns the cases to compare, by side after the first. The family has all of
// them but those that could not be measured.
func compareDesign(sides []*analyze.Side, cfg CompareConfig) (*judge.Design, [][]match, error) {
	var all [][]match
	a, m := sides[0], 0
	for _, b := range sides[1:] {
		matches, n, err := matched(a, b, cfg)
		if err != nil {
			return nil, nil, err
		}
		all, m = append(all, matches), m+n
	}
	d, err := judge.NewComparison(cfg.Config, cfg.Alternative, cfg.Paired, a.Mpiruns(), sides[1].Mpiruns(), m)
	if err != nil {
		return nil, nil, &analyze.NotComparable{Reason: err.Error()}
	}
	return d, all, nil
}

// matched returns the cases of both folders; m of them are tested.
func matched(a, b *analyze.Side, cfg CompareConfig) (matches []match, m int, err error) {
	if err := sameOperation(a, b); err != nil {
		return nil, 0, err
	}
	inB := b.Cases()
	for i, k := range a.Manifest.Plan.Cases {
		j, ok := inB[k]
		if !ok || !alike(a, b, k.Shape.String()) || analyze.IsMockup(k.Function) && !cfg.All || cfg.Only != nil && !cfg.Only(medians.CellOf(k)) {
			continue
		}
		one := match{a: i, b: j}
		for _, side := range []struct {
			name string
			*analyze.Side
			at int
		}{{"B", b, j}, {"A", a, i}} {
			if yes, left, why := side.Unusable(side.at); yes {
				one.change, one.reason = NotCompared, side.name+": "+why
				if left {
					one.change = LeftOut
				}
			}
		}
		matches = append(matches, one)
		if one.change != LeftOut {
			m++
		}
	}
	if len(matches) == 0 {
		if reason := placedUnlike(a, b); reason != "" {
			return nil, 0, &analyze.NotComparable{Reason: reason}
		}
		return nil, 0, &analyze.NotComparable{Reason: fmt.Sprintf("%s and %s have no function at one size on one number of processes in common: there is nothing to compare", a.Name, b.Name)}
	}
	return matches, m, nil
}

// alike tells whether a shape's ranks may have lain on equally many nodes in both folders: p4 on
// one node and p4 on four are not the same question.
func alike(a, b *analyze.Side, shape string) bool {
	pa, pb := a.Manifest.Factors.Place(shape), b.Manifest.Factors.Place(shape)
	return pa == "" || pb == "" || pa == pb
}

// placedUnlike names the numbers of processes that are not compared for that reason, or "".
func placedUnlike(a, b *analyze.Side) string {
	var out []string
	for _, s := range a.Manifest.Plan.Shapes {
		if !alike(a, b, s.String()) {
			out = append(out, fmt.Sprintf("the ranks of %s were placed as %s in %s and as %s in %s (nodes × ranks on each): they are not compared; measure both with the same --shape",
				s, a.Manifest.Factors.Place(s.String()), a.Name, b.Manifest.Factors.Place(s.String()), b.Name))
		}
	}
	return strings.Join(out, "; ")
}

// aligner divides run medians by how slow their mpirun was within its folder. One slow mpirun then
// does not hide what changed; what all mpiruns of a folder share stays.
func aligner(slowness func(guidelines.Shape, int) []float64) func(k guidelines.Case, of *medians.Case) []float64 {
	general := map[string][]float64{}
	return func(k guidelines.Case, of *medians.Case) []float64 {
		out := slices.Clone(of.Medians)
		key := fmt.Sprint(k.Shape, len(out))
		if _, known := general[key]; !known {
			general[key] = slowness(k.Shape, len(out))
		}
		for i, by := range general[key] {
			out[i] /= by
		}
		return out
	}
}

// yardstick returns how much slower each mpirun of B was than its neighbour of A: in the median
// over the cases of a shape that were measured in all of them, and that a function selects.
func yardstick(a, b *analyze.Side, selects func(medians.Cell) bool) func(guidelines.Shape, int) []float64 {
	inB := b.Cases()
	return func(shape guidelines.Shape, runs int) []float64 {
		var ratios [][]float64 // by run
		for _, i := range a.Manifest.Plan.CasesOf(shape) {
			k := a.Manifest.Plan.Cases[i]
			j, ok := inB[k]
			if !ok || !selects(medians.CellOf(k)) {
				continue
			}
			badA, _, _ := a.Unusable(i)
			if badB, _, _ := b.Unusable(j); badA || badB {
				continue
			}
			for run := range runs {
				ratios = slices.Grow(ratios, runs)[:runs]
				ratios[run] = append(ratios[run], b.Set.Cases[j].Medians[run]/a.Set.Cases[i].Medians[run])
			}
		}
		out := make([]float64, len(ratios))
		for run, of := range ratios {
			if len(of) < medians.GeneralCases {
				return nil
			}
			out[run] = stats.MedianFinite(of)
		}
		return out
	}
}

// compareFamily holds the cases whose tests are adjusted together.
type compareFamily struct {
	pairs []judge.Pair
	rows  []*CaseChange
	of    []*Comparison // by row
}

// add takes in the cases of a comparison, B (Orig) against A (Other). It returns their rows.
func (all *compareFamily) add(c *Comparison, cfg CompareConfig, a, b *analyze.Side, matches []match) []CaseChange {
	rows := make([]CaseChange, len(matches))
	inA, inB := aligner(a.Set.General), aligner(b.Set.General)
	if cfg.Paired && cfg.Yardstick != nil {
		inA, inB = aligner(func(guidelines.Shape, int) []float64 { return nil }), aligner(yardstick(a, b, cfg.Yardstick))
	}
	for n, m := range matches {
		k, caseA, caseB := a.Manifest.Plan.Cases[m.a], &a.Set.Cases[m.a], &b.Set.Cases[m.b]
		pair := judge.Pair{Orig: inB(k, caseB), Other: inA(k, caseA)}
		if c.Paired {
			pair = bothValid(pair)
		} else {
			pair = judge.Pair{Orig: medians.Valid(pair.Orig), Other: medians.Valid(pair.Other)}
		}
		row := &rows[n]
		*row = CaseChange{Cell: medians.CellOf(k), NP: k.Shape.NP,
			AMedianS: analyze.Seconds(caseA.Median()), BMedianS: analyze.Seconds(caseB.Median()), AR: len(pair.Other), BR: len(pair.Orig), Change: m.change, Reason: m.reason}
		if m.change == NotCompared {
			pair = judge.Pair{} // planned, and so counted
		}
		if m.change != LeftOut {
			all.pairs, all.rows, all.of = append(all.pairs, pair), append(all.rows, row), append(all.of, c)
		}
	}
	return rows
}

// judge tests the whole family.
func (all *compareFamily) judge(d *judge.Design) error {
	tick := 0.0
	for _, c := range all.of {
		tick = max(tick, c.ClockTickS)
	}
	f := d.Family(1e9 * tick)
	if err := f.Look(all.pairs); err != nil {
		return err
	}
	for n, o := range f.Outcomes {
		if row := all.rows[n]; o.Runs > 0 {
			row.PValue, row.PAdjusted, row.Ratio = analyze.Number(o.P), analyze.Number(o.PAdjusted), analyze.Number(o.Ratio)
			if all.of[n].bounded(row.AR, row.BR) {
				row.RatioLo, row.RatioHi = analyze.Number(o.Lo95), analyze.Number(o.Hi95)
			}
			row.CouldHaveSeen = analyze.Number(d.Visible(o.Lo95, o.Hi95))
			row.judge(all.of[n], o, f.VisibleAt(n))
		}
	}
	return nil
}

// bounded tells whether a and b mpiruns bear an interval: the ends of a few medians hold less than 95 %.
func (c *Comparison) bounded(a, b int) bool {
	if c.Paired {
		return stats.MinPSignedRank(min(a, b)) <= .025
	}
	return stats.MinPRankSum(a, b) <= .025
}

func (c *Comparison) Of(cell medians.Cell) *CaseChange {
	return lists.First(c.Cases, func(k CaseChange) bool { return k.Cell == cell })
}

// sensitivity says what the data could have shown. A case with a significant change has shown its
// change.
func (c *Comparison) sensitivity() {
	var seen []float64
	for _, k := range c.Cases {
		if k.Change == LeftOut || k.Change == NotCompared {
			continue
		}
		least := analyze.Or(k.CouldHaveSeen, math.Inf(1))
		seen = append(seen, least)
		if c.Need > 0 && k.Change == NoDifference && least > c.Need {
			c.Blind++
		}
	}
	if len(seen) > 0 {
		slices.Sort(seen)
		c.CouldHaveSeen = analyze.Number(seen[(len(seen)-1)/2]) // half of the cases, or more
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

// judge sets the change of a case from its adjusted p-value and its effect.
func (row *CaseChange) judge(c *Comparison, o judge.Outcome, visible bool) {
	row.Change = NoDifference
	if c.Refused != nil || !(o.PAdjusted <= c.Alpha) || row.Ratio == nil {
		return
	}
	row.Stars = o.Stars
	ratio, up := o.Ratio, c.Alternative == judge.Greater || c.Alternative == judge.TwoSided && o.Ratio > 1
	if !up {
		ratio = 1 / ratio
	}
	large := ratio >= c.MinSlowdown && visible
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

// means returns geometric means of the ratios, which the tests compare, over the sizes compared.
func means(cases []CaseChange) []FunctionChange {
	out := []FunctionChange{}
	for _, k := range cases {
		if k.Ratio == nil {
			continue
		}
		same := func(f FunctionChange) bool { return f.Function == k.Function && f.Shape == k.Shape }
		f := lists.FirstOrNew(&out, same, FunctionChange{Function: k.Function, Shape: k.Shape})
		f.Sizes++
		f.logs += math.Log(*k.Ratio)
		f.Ratio = analyze.Number(math.Exp(f.logs / float64(f.Sizes)))
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
func without(s *analyze.Side, other *analyze.Side) int {
	there := other.Cases()
	return lists.Count(s.Manifest.Plan.Cases, func(k guidelines.Case) bool {
		_, ok := there[k]
		return !ok || !alike(s, other, k.Shape.String())
	})
}

// NotJudged returns why no call could be compared. It returns "" if some could, or something is
// wrong or worse.
func (c *Comparison) NotJudged() string {
	switch {
	case len(c.Wrong) > 0 || slices.ContainsFunc(c.Guidelines, func(g GuidelineChange) bool { return g.Change == NewlyViolated }):
	case c.Refused != nil:
		return c.Refused.Reason
	case !slices.ContainsFunc(c.Cases, func(k CaseChange) bool { return k.Change != NotCompared }):
		return conf.Plural(len(c.Cases), "call") + " cannot be compared: the folders have no valid times of the same ones"
	}
	return ""
}

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
	return analyze.ExitCode(len(c.Wrong) > 0, slow, incomplete)
}

// changedGuidelines lists the tests of both folders that are violated in only one. The case studies
// of S-PGMPI §5.2 and §5.3 do the same.
func changedGuidelines(a, b *analyze.Side) []GuidelineChange {
	out := []GuidelineChange{}
	before, now := CheckOf(a.Report, a.Name), CheckOf(b.Report, b.Name)
	for i := range before.Points {
		pa := &before.Points[i]
		pb := now.find(pa.Asked)
		if pb == nil || !alike(a, b, pa.Shape) {
			continue
		}
		change := guidelineChange(pa, pb, b.Report.MinSlowdown)
		if change == "" {
			continue
		}
		asked := pa.Asked
		if pb.Verdict == judge.Violated {
			asked.MsizeOther = pb.MsizeOther
		}
		out = append(out, GuidelineChange{Change: change, Asked: asked, AVerdict: pa.Verdict, BVerdict: pb.Verdict, ARatio: pa.Ratio, BRatio: pb.Ratio})
	}
	return out
}

// changedAlgorithms lists the calls of one library that certainly changed their algorithm. Both
// folders must know it.
func changedAlgorithms(a, b *analyze.Side) []AlgorithmChange {
	out := []AlgorithmChange{}
	if a.Report.Which == nil || a.Report.Library.Name != b.Report.Library.Name {
		return out
	}
	for _, was := range a.Report.Which.Rows {
		if now := b.Report.Which.Of(was.Collective, was.Shape, was.Msize); now != nil && alike(a, b, was.Shape) && was.Differs(now) {
			out = append(out, AlgorithmChange{medians.Cell{Function: was.Collective, Msize: was.Msize, Shape: was.Shape}, was.Default(), now.Default()})
		}
	}
	return out
}

// guidelineChange reports no change if a folder lacks data, or has wrong data. It calls new what
// the gate calls new.
func guidelineChange(a, b *Point, least float64) Change {
	missing := func(p *Point) bool {
		return p.Verdict == judge.NotMeasured || p.Verdict == judge.Wrong || p.Verdict == judge.SeenOnce || p.Verdict == judge.Undecided && p.Reason != ""
	}
	above, tells := a.above(least)
	apart := tells && b.RatioLo95 != nil && *b.RatioLo95 > above
	switch {
	case a.Verdict == b.Verdict || missing(a) || missing(b):
	case b.Verdict == judge.Violated && !apart:
		return NewlyShown
	case b.Verdict == judge.Violated:
		return NewlyViolated
	case a.Verdict == judge.Violated && (b.Verdict == judge.Undecided || untested(b)):
		return NoLongerShown
	case a.Verdict == judge.Violated:
		return NewlyKept
	}
	return ""
}

// untested reports whether a verdict is from medians, without a test.
func untested(p *Point) bool { return p.Verdict == judge.Suspected || p.Verdict == judge.NotSuspected }
