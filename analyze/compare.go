package analyze

import (
	"fmt"
	"math"
	"slices"

	"pgmpi/guidelines"
	"pgmpi/internal/conf"
	"pgmpi/internal/stats"
	"pgmpi/measure/protocol"
	"pgmpi/measure/results"
	"pgmpi/mockups"
)

// Side is a results folder that has been read and judged, to be compared with
// others.
type Side struct {
	name     string
	manifest *results.Manifest
	cases    []collected // by index into Plan.Cases
	problems []string    // of these: why one cannot be compared
	tickNS   int64
	report   *Report
}

// Side judges what has been collected; name is what the user calls the folder.
func (c *Collector) Side(name string, cfg Config) (*Side, error) {
	r, err := c.Report(cfg)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	s := &Side{name: name, manifest: c.manifest, cases: c.cases, tickNS: c.tickNS, report: r}
	for i := range c.cases {
		s.problems = append(s.problems, c.problem(i))
	}
	return s, nil
}

// NotComparable is the error for folders whose numbers do not mean the same.
type NotComparable struct{ Reason string }

func (e *NotComparable) Error() string { return e.Reason }

// Compare tests for every case that both folders planned whether B is slower
// or faster than A (S-REVISITED §6.2), and lists the guidelines whose verdict
// changed. Folders that measured other operations, or nothing in common, are
// a *NotComparable; all other factors that differ are in the Comparison.
func Compare(a, b *Side, cfg CompareConfig) (*Comparison, error) {
	if !slices.Contains(Alternatives, cfg.Alternative) {
		return nil, &NotComparable{conf.Unknown("alternative", cfg.Alternative, Alternatives)}
	}
	if err := sameOperation(a, b); err != nil {
		return nil, err
	}
	c := frameOf(a, b, cfg)
	pairs := c.match(a, b, cfg.All)
	if len(c.Cases) == 0 {
		return nil, &NotComparable{fmt.Sprintf("%s and %s have no function at one size on one number of processes in common: there is nothing to compare", a.name, b.name)}
	}
	family := c.family()
	if err := c.chooseTest(cfg, len(family)); err != nil {
		return nil, err
	}
	if err := c.test(family, pairs); err != nil {
		return nil, err
	}
	c.sumUp()
	c.compareGuidelines(a, b)
	c.differences(a, b)
	c.warnings(a, b)
	c.Exit = c.ExitCode()
	return c, nil
}

func frameOf(a, b *Side, cfg CompareConfig) *Comparison {
	p := a.manifest.Plan
	return &Comparison{
		Schema: CompareSchema, Version: a.manifest.Version, A: a.folder(), B: b.folder(),
		Datatype: p.Datatype, Op: p.Op, Root: p.Root, MsizeUnits: Legend,
		Alternative: cfg.Alternative, Paired: cfg.Paired, Alpha: cfg.Alpha, MinSlowdown: cfg.MinSlowdown,
		ClockTickS: float64(max(a.tickNS, b.tickNS)) / 1e9,
		Cases:      []CaseChange{}, Functions: []FunctionChange{}, Guidelines: []GuidelineChange{},
		Differences: []Difference{}, Wrong: slices.Concat([]CaseMessage{}, a.report.Wrong, b.report.Wrong), Warnings: []Warning{},
	}
}

func (s *Side) folder() ComparedFolder {
	m := s.manifest
	return ComparedFolder{Folder: s.name, Library: s.report.Library, Hash: m.Rank.Hash, Created: m.Created, R: m.Runs(protocol.ModeMeasure)}
}

// match fills Cases with what both sides planned, and returns the run medians
// of each in nanoseconds.
func (c *Comparison) match(a, b *Side, all bool) []Pair {
	inB := map[guidelines.Case]int{}
	for i, k := range b.manifest.Plan.Cases {
		inB[k] = i
	}
	var pairs []Pair
	common := 0
	for i, k := range a.manifest.Plan.Cases {
		j, ok := inB[k]
		if !ok {
			continue
		}
		common++
		if !all && isMockup(k.Function) {
			continue
		}
		row := CaseChange{Function: k.Function, Msize: k.Msize, Shape: k.Shape.String(), NP: k.Shape.NP}
		for _, side := range []struct {
			name string
			of   *Side
			i    int
		}{{"A", a, i}, {"B", b, j}} {
			if change, reason := side.of.unusable(side.i); change != "" && row.Change == "" {
				row.Change, row.Reason = change, side.name+": "+reason
			}
		}
		pair := Pair{Orig: b.cases[j].medians, Other: a.cases[i].medians}
		if c.Paired {
			pair = bothValid(pair)
		} else {
			pair = Pair{Orig: valid(pair.Orig), Other: valid(pair.Other)}
		}
		row.AMedianS, row.BMedianS = seconds(a.cases[i].median()), seconds(b.cases[j].median())
		row.AR, row.BR = len(pair.Other), len(pair.Orig)
		c.Cases, pairs = append(c.Cases, row), append(pairs, pair)
	}
	c.OnlyA, c.OnlyB = len(a.manifest.Plan.Cases)-common, len(b.manifest.Plan.Cases)-common
	return pairs
}

func isMockup(function string) bool {
	f, known := mockups.Get(function)
	return known && f.IsMockup()
}

// unusable says why a case cannot be compared; empty: it can.
func (s *Side) unusable(i int) (change, reason string) {
	k, problem := &s.cases[i], s.problems[i]
	switch {
	case k.status == protocol.StatusWrong:
		return NotCompared, "wrong data: " + k.message
	case k.status == protocol.StatusNotMeasured:
		return NotMeasured, k.message
	case problem != "":
		return NotCompared, problem
	}
	return "", ""
}

func valid(medians []float64) []float64 {
	return slices.DeleteFunc(slices.Clone(medians), math.IsNaN)
}

func bothValid(p Pair) Pair {
	var out Pair
	for i := range min(len(p.Orig), len(p.Other)) {
		if !math.IsNaN(p.Orig[i]) && !math.IsNaN(p.Other[i]) {
			out.Orig, out.Other = append(out.Orig, p.Orig[i]), append(out.Other, p.Other[i])
		}
	}
	return out
}

// family is what the adjustment is over: every planned case but those that
// could not be measured.
func (c *Comparison) family() []int {
	var family []int
	for i := range c.Cases {
		if c.Cases[i].Change != NotMeasured {
			family = append(family, i)
		}
	}
	return family
}

// chooseTest applies docs/statistics.md to a test with one or two sides: from R,
// m and α, never from the data.
func (c *Comparison) chooseTest(cfg CompareConfig, m int) error {
	p := Procedure{Method: cfg.Method, Adjust: cfg.Adjust, Alpha: cfg.Alpha, M: m}
	if err := p.chooseAdjust(); err != nil {
		return &NotComparable{err.Error()}
	}
	c.Adjust, c.M = p.Adjust, m
	level := p.level()
	rankSum := rankSumOf(max(c.A.R, c.B.R))
	tests := []string{rankSum}
	if cfg.Paired {
		tests = []string{TestSignedRank, rankSum}
	}
	for _, test := range tests {
		c.Test, c.PMin = test, c.smallestP(test, c.A.R, c.B.R)
		if m == 0 || c.PMin <= level {
			return nil
		}
	}
	c.Refused = &Refusal{Reason: fmt.Sprintf(
		"%d and %d mpiruns are too few: the smallest %s p-value that %s can give is %.2g, a lone change among m = %d cases needs %.2g",
		c.A.R, c.B.R, c.Alternative, c.Test, c.PMin, m, level)}
	for r := min(c.A.R, c.B.R) + 1; r <= maxR; r++ {
		if c.smallestP(TestRankSum, r, r) <= level {
			c.Refused.RNeeded = r
			c.Refused.Reason += fmt.Sprintf("; R = %d in both would do", r)
			break
		}
	}
	return nil
}

func (c *Comparison) smallestP(test string, ra, rb int) float64 {
	p := stats.MinPRankSumOf(rb, ra)
	switch {
	case test == TestSignedRank:
		p = stats.MinPSignedRank(min(ra, rb))
	case test == TestRankSumNormal && min(ra, rb) > 0:
		p = smallestNormal(ra, rb)
	}
	if c.Alternative == TwoSided {
		p *= 2
	}
	return min(p, 1)
}

// test fills p-values, effects and changes in.
func (c *Comparison) test(family []int, pairs []Pair) error {
	ps := make([]float64, len(family))
	for n, i := range family {
		ps[n] = 1 // planned, hence counted
		row := &c.Cases[i]
		if row.Change == NotCompared {
			continue
		}
		p, err := c.pValue(pairs[i])
		if err != nil {
			return err
		}
		ps[n], row.PValue = p, number(p)
		estimate := stats.HodgesLehmannRankSum
		if c.Test == TestSignedRank {
			estimate = stats.HodgesLehmannSignedRank
		}
		e, err := estimate(pairs[i].Orig, pairs[i].Other)
		if err != nil {
			return err
		}
		row.Ratio, row.RatioLo, row.RatioHi = number(e.Ratio), number(e.Lo95), number(e.Hi95)
	}
	if len(ps) == 0 {
		return nil
	}
	adjusted, err := stats.Adjust(ps, c.Adjust)
	if err != nil {
		return err
	}
	for n, i := range family {
		if row := &c.Cases[i]; row.Change != NotCompared {
			row.PAdjusted = number(adjusted[n])
			c.judge(row)
		}
	}
	return nil
}

// pValue tests B (Orig) against A (Other), on the log scale as the interval is:
// what is compared is a ratio. The two-sided p-value is twice the smaller of
// both sides.
func (c *Comparison) pValue(p Pair) (float64, error) {
	p = Pair{Orig: logs(p.Orig), Other: logs(p.Other)}
	slower, err := pValue(c.Test, p.Orig, p.Other)
	if err != nil || c.Alternative == Greater {
		return slower, err
	}
	faster, err := pValue(c.Test, p.Other, p.Orig)
	if err != nil || c.Alternative == Less {
		return faster, err
	}
	return min(1, 2*min(slower, faster)), nil
}

// judge gives the change of a case from its adjusted p-value and its effect.
func (c *Comparison) judge(row *CaseChange) {
	row.Change = NoDifference
	if c.Refused != nil || row.PAdjusted == nil || *row.PAdjusted > c.Alpha || row.Ratio == nil {
		return
	}
	row.Stars = stats.Stars(*row.PAdjusted)
	ratio, up := *row.Ratio, c.Alternative == Greater || c.Alternative == TwoSided && *row.Ratio > 1
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

// sumUp makes the geometric means: of the ratios, since those are what is
// compared, over the sizes that were.
func (c *Comparison) sumUp() {
	at := map[[2]string]int{}
	sums := []float64{}
	for _, k := range c.Cases {
		if k.Ratio == nil {
			continue
		}
		key := [2]string{k.Function, k.Shape}
		i, ok := at[key]
		if !ok {
			i = len(c.Functions)
			at[key] = i
			c.Functions, sums = append(c.Functions, FunctionChange{Function: k.Function, Shape: k.Shape}), append(sums, 0)
		}
		f := &c.Functions[i]
		f.Sizes++
		sums[i] += math.Log(*k.Ratio)
		switch k.Change {
		case Slower:
			f.Slower++
		case Faster:
			f.Faster++
		}
	}
	for i := range c.Functions {
		c.Functions[i].Ratio = number(math.Exp(sums[i] / float64(c.Functions[i].Sizes)))
	}
}
