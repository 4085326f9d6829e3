package remedy

import (
	"cmp"
	"fmt"
	"maps"
	"math"
	"slices"

	"pgmpi/analyze"
	"pgmpi/analyze/judge"
	"pgmpi/analyze/medians"
	"pgmpi/analyze/series"
	"pgmpi/internal/conf"
	"pgmpi/internal/feature/remedy/reach"
	"pgmpi/internal/lists"
	"pgmpi/internal/phrase"
	"pgmpi/internal/stats"
	"pgmpi/internal/tuning"
	"pgmpi/measure/protocol"
	"pgmpi/measure/results"
)

// effects holds the findings of a proof about a setting: the violated cells, tested for being faster,
// and all cases, tested for being slower.
type effects struct {
	helped, harmed *series.Comparison
	before, after  *analyze.Report
	setUp          *series.SetUp // nil if it does not take longer with the setting
	// held lists what was proved before, if anything. more compares the violated cells with it, and
	// earlier has its own effects in the same rounds.
	held    []tuning.Choice
	more    *series.Comparison
	earlier *effects
	// choices can change some cases; the others are the control. Without any it may change all.
	choices []tuning.Choice
	// again has what was measured again, in mpiruns with a control of their own, which is slower by looked at most.
	again  map[medians.Cell]bool
	looked float64
	// These violated cells are shown to keep their guidelines without and with the setting.
	keptBefore, keptAfter map[medians.Cell]bool
}

func effectsOf(sides []*analyze.Side, cfg judge.Config, r *Result, choices, held []tuning.Choice) (e *effects, err error) {
	helps, harms := questions(cfg, r, choices)
	a, b := sides[alone], sides[withIt]
	e = &effects{before: a.Report, after: b.Report, setUp: series.SetUpOf(a, b), held: held, choices: choices}
	if len(sides) > before {
		c := sides[before]
		if e.more, err = series.Compare(c, b, helps); err != nil {
			return nil, err
		}
		_, itsHarms := questions(cfg, r, held)
		e.earlier = &effects{before: a.Report, after: c.Report, choices: held}
		if e.earlier.harmed, err = series.Compare(a, c, itsHarms); err != nil {
			return nil, err
		}
	}
	if e.helped, err = series.Compare(a, b, helps); err != nil {
		return nil, err
	}
	if e.harmed, err = series.Compare(a, b, harms); err != nil {
		return nil, err
	}
	if e.keptBefore, err = kept(a, cfg, r.Cells); err != nil {
		return nil, err
	}
	e.keptAfter, err = kept(b, cfg, r.Cells)
	return e, err
}

// kept returns the cells of which a side shows that all their guidelines are kept. These are the
// guidelines that they violate in the check. The tests are a family of their own, so that few mpiruns
// pair. A test of split-robustness counts if the side's experiment made it, and nothing else is
// suspected.
func kept(s *analyze.Side, cfg judge.Config, cells []Cell) (map[medians.Cell]bool, error) {
	var of []medians.Cell // by p-value
	var p []float64
	var tested []int // indices into p
	var comparisons []results.Comparison
	for i, t := range s.Manifest.Plan.Tests {
		v := &s.Report.Verdicts[i]
		at := slices.IndexFunc(cells, func(c Cell) bool {
			return c.Cell == v.Cell() && slices.Contains(c.Guidelines, v.Guideline)
		})
		if at < 0 {
			continue
		}
		of, p = append(of, v.Cell()), append(p, 1)
		if !t.Apart() {
			c, _ := analyze.Compare(&s.Manifest.Plan, i, s.Manifest.Plan.Cases[t.Others[0]].Msize)
			tested, comparisons = append(tested, len(p)-1), append(comparisons, c)
		} else if v.PKept != nil && v.Verdict != judge.Suspected {
			p[len(p)-1] = *v.PKept
		}
	}
	if len(p) == 0 { // the cells of an exploration violate none
		return nil, nil
	}
	cfg.Method, cfg.Test = judge.MethodDefault, judge.TestAuto
	d, err := judge.NewDesign(cfg, judge.Once(s.Mpiruns()), len(comparisons))
	if err != nil {
		return nil, err
	}
	f, err := analyze.Follow(s.Manifest, s.Set, protocol.ModeMeasure, d, comparisons)
	if err != nil {
		return nil, err
	}
	for i, o := range f.Outcomes {
		if !math.IsNaN(o.PKept) {
			p[tested[i]] = o.PKept
		}
	}
	adjusted, err := stats.Adjust(p, string(d.Adjust))
	out := map[medians.Cell]bool{}
	for i, c := range of {
		so, known := out[c]
		out[c] = (so || !known) && adjusted[i] <= d.Alpha
	}
	return out, err
}

func (e *effects) reached(k medians.Cell) bool { return e.choices == nil || reach.By(e.choices, k) }

// mayHarm tells whether what is new could make a case slower. Variables that move a program's memory could do so anywhere.
func (e *effects) mayHarm(k medians.Cell) bool {
	return e.reached(k) || slices.ContainsFunc(reach.Without(e.choices, e.held), reach.Anywhere)
}

// control returns the largest slowdown that a test shows where the setting cannot be the cause, or 0.
func (e *effects) control(c *series.Comparison) (most float64) {
	for _, k := range c.Cases {
		if k.Change == series.Slower && !e.mayHarm(k.Cell) {
			most = max(most, orZero(k.Ratio))
		}
	}
	return most
}

// slower tells whether a case is harmed: shown to be slower, and by more than the control.
func (e *effects) slower(k series.CaseChange) bool {
	than := e.looked
	if !e.again[k.Cell] {
		than = e.control(e.harmed)
	}
	return k.Change == series.Slower && e.mayHarm(k.Cell) && (k.Ratio == nil || *k.Ratio > than)
}

// pointing returns the cases that took longer with a setting by a harm, without showing one, or showing one that may be
// none. The setting can change them. After them come the fastest that it cannot change.
func (e *effects) pointing(a *analyze.Side, choices []tuning.Choice) (out []int) {
	var others []int
	for i, k := range a.Manifest.Plan.Cases {
		cell := medians.CellOf(k)
		c := e.harmed.Of(cell)
		if bad, _, _ := a.Unusable(i); bad || c == nil {
			continue
		}
		switch {
		case e.doubtful(choices, Harm{Cell: cell}):
			out = append(out, i)
		case !reach.By(choices, cell):
			others = append(others, i)
		case !e.slower(*c) && orZero(c.Ratio) >= e.harmed.MinSlowdown:
			out = append(out, i)
		}
	}
	if len(out) == 0 {
		return nil
	}
	slices.SortStableFunc(others, func(i, j int) int {
		return cmp.Compare(a.Set.Cases[i].Median(), a.Set.Cases[j].Median())
	})
	return append(out, others[:min(len(others), 2*medians.GeneralCases)]...)
}

// lookAgain replaces a proof's findings about the cases that were measured again.
func (e *effects) lookAgain(a, b *analyze.Side, cfg judge.Config, r *Result, choices []tuning.Choice) error {
	_, harms := questions(cfg, r, choices)
	again, err := series.Compare(a, b, harms)
	if err != nil {
		return err
	}
	e.again, e.looked = map[medians.Cell]bool{}, e.control(again)
	for _, k := range again.Cases {
		if c := e.harmed.Of(k.Cell); c != nil && k.Change != series.LeftOut && (e.slower(*c) || reach.By(choices, k.Cell)) {
			*c, e.again[k.Cell] = k, true
		}
	}
	return nil
}

// addEarlier adds the cases that only an earlier proof has measured, of what is still held.
func (e *effects) addEarlier(held *effects) {
	if held == nil {
		return
	}
	for _, k := range held.harmed.Cases {
		if e.harmed.Of(k.Cell) == nil {
			e.harmed.Cases = append(e.harmed.Cases, k)
		}
	}
}

func (e *effects) exclude(choices []tuning.Choice, to *Proof) {
	most, bounded := 0., true
	to.Reached, to.Harmless, to.Control, to.NotExcluded = 0, 0, 0, nil
	var seen []float64
	for _, k := range e.harmed.Cases {
		if !e.mayHarm(k.Cell) {
			to.Control++
		}
		if !reach.By(choices, k.Cell) {
			continue
		}
		seen = append(seen, analyze.Or(k.CouldHaveSeen, math.Inf(1)))
		switch {
		case k.RatioHi == nil:
			bounded = false
		case *k.RatioHi < e.harmed.MinSlowdown:
			to.Harmless++
		default:
			most = max(most, *k.RatioHi)
		}
		to.Reached++
	}
	if bounded && most > 0 {
		to.NotExcluded = &most
	}
	if slices.Sort(seen); len(seen) > 0 {
		to.Visible = analyze.Number(seen[(len(seen)-1)/2])
	}
	if than := max(e.control(e.harmed), e.looked); than > 0 {
		to.Noise = &than
	}
}

func (e *effects) harms() []Harm {
	out := []Harm{}
	for _, k := range e.harmed.Cases {
		if e.slower(k) {
			out = append(out, Harm{Cell: k.Cell, Text: fmt.Sprintf("%s at %s on %s takes %s as long", k.Function, conf.HumanSize(k.Msize), k.Shape, phrase.Ratio(k.Ratio))})
		}
	}
	out = append(out, e.newlyViolated(true)...)
	return append(out, e.failures()...)
}

// newlyViolated lists guidelines that a setting breaks: by a slower call, which is a harm, or by a faster other side.
func (e *effects) newlyViolated(slower bool) (out []Harm) {
	for _, g := range e.harmed.Guidelines {
		cell := medians.Cell{Function: g.Function, Msize: g.Msize, Shape: g.Shape}
		c := e.harmed.Of(cell)
		if g.Change == series.NewlyViolated && e.mayHarm(cell) && slower == (c == nil || c.Ratio == nil || *c.Ratio >= e.harmed.MinSlowdown) {
			out = append(out, Harm{Cell: cell, Mockup: g.Mockup,
				Text: fmt.Sprintf("%s is newly violated: %s at %s on %s, %s", g.Guideline, g.Function, conf.HumanSize(g.Msize), g.Shape, phrase.Ratio(g.BRatio))})
		}
	}
	return out
}

func (e *effects) failures() (out []Harm) {
	before := slices.Concat(e.before.Wrong, e.before.NotMeasured)
	for _, w := range slices.Concat(e.after.Wrong, e.after.NotMeasured) {
		if !slices.ContainsFunc(before, func(b analyze.CaseMessage) bool { return b.Cell == w.Cell }) {
			out = append(out, Harm{Cell: w.Cell, Mockup: w.Function, Text: fmt.Sprintf("%s at %s on %s cannot be timed any more: %s", w.Function, conf.HumanSize(w.Msize), w.Shape, w.Message)})
		}
	}
	return out
}

// helps tells whether a cell becomes faster that is not shown to keep its guidelines without the setting.
func (e *effects) helps(k series.CaseChange) bool {
	return gained(k) && !e.keptBefore[k.Cell] && e.reached(k.Cell)
}

// gained tells whether a case is faster, by a test and by its interval, which is two-sided.
func gained(k series.CaseChange) bool {
	return k.Change == series.Faster && (k.RatioHi == nil || *k.RatioHi < 1)
}

// gains returns the cells that are faster than by what was proved before.
func (e *effects) gains() []series.CaseChange {
	return slices.DeleteFunc(slices.Clone(cmp.Or(e.more, e.helped).Cases), func(k series.CaseChange) bool { return !e.helps(k) })
}

func (e *effects) faster() int { return lists.Count(e.helped.Cases, e.helps) }

// rejects returns the choices that a proof rejects: all that harm, and all new ones that help nowhere.
// Harm that none explains by itself is blamed on all that are new, unless what was proved before does it.
func (e *effects) rejects(choices []tuning.Choice) (out []tuning.Rejected) {
	fresh := reach.Without(choices, e.held)
	harms := e.harms()
	slices.SortStableFunc(harms, func(a, b Harm) int { // the reason names the first one
		_, byA := reach.Culprits(fresh, a.Cell, a.Mockup)
		_, byB := reach.Culprits(fresh, b.Cell, b.Mockup)
		return cmp.Compare(rank(byA), rank(byB))
	})
	for _, h := range harms {
		suspects := fresh
		if e.earlierDid(h) {
			suspects = e.held
		}
		found, explained := reach.Culprits(suspects, h.Cell, h.Mockup)
		reason := "it harms: "
		if !explained && len(found) > 1 {
			reason = "none of what was tried explains this harm by itself: "
		}
		out = tuning.Reject(out, found, reason+h.Text)
	}
	for _, c := range fresh {
		if !slices.ContainsFunc(e.gains(), func(k series.CaseChange) bool {
			return !forOne(c) || k.Function == c.Function && k.NP == c.NP && slices.Contains(c.Sizes, k.Msize)
		}) {
			out = tuning.Reject(out, []tuning.Choice{c}, fmt.Sprintf("in mpiruns of their own none of the cells is shown to be %g times faster with it", e.helped.MinSlowdown))
		}
	}
	return out
}

// doubtful tells whether a call is slower that none of several new choices explains by itself: before all are taken
// back for it, it is measured again.
func (e *effects) doubtful(choices []tuning.Choice, h Harm) bool {
	fresh, c := reach.Without(choices, e.held), e.harmed.Of(h.Cell)
	_, explained := reach.Culprits(fresh, h.Cell, h.Mockup)
	return !explained && len(fresh) > 1 && h.Mockup == "" && c != nil && e.slower(*c) && !e.again[h.Cell]
}

// open tells whether more mpiruns may still decide about choices.
func (e *effects) open(choices []tuning.Choice) bool {
	return len(e.rejects(choices)) == 0 || slices.ContainsFunc(e.harms(), func(h Harm) bool { return e.doubtful(choices, h) })
}

// blames returns the harms that rejected choices explain, by their key.
func (e *effects) blames(choices []tuning.Choice, back []tuning.Rejected) map[string][]Harm {
	fresh, out := reach.Without(choices, e.held), map[string][]Harm{}
	for _, h := range e.harms() {
		if found, explained := reach.Culprits(fresh, h.Cell, h.Mockup); (explained || len(found) == 1) && !e.earlierDid(h) {
			for _, c := range found {
				out[c.Key()] = append(out[c.Key()], h)
			}
		}
	}
	maps.DeleteFunc(out, func(key string, _ []Harm) bool {
		return !slices.ContainsFunc(back, func(r tuning.Rejected) bool { return r.Choice.Key() == key })
	})
	return out
}

// narrowed returns choices at their measured sizes alone, in place of those that harm only at the sizes between.
func (e *effects) narrowed(choices []tuning.Choice, back []tuning.Rejected) (out []tuning.Choice) {
	blamed := e.blames(choices, back)
	for _, r := range back {
		exact := r.Choice
		exact.Ranges = nil
		harms := blamed[r.Choice.Key()]
		if len(r.Choice.Ranges) > 0 && len(harms) > 0 && !slices.ContainsFunc(harms, func(h Harm) bool { return exact.Covers(h.Msize) }) {
			out = append(out, exact)
		}
	}
	return out
}

// trades returns what mends some cells and slows others, with both numbers. Wrong data are no price.
func (e *effects) trades(choices []tuning.Choice, back []tuning.Rejected) (out []Trade) {
	blamed, failed := e.blames(choices, back), e.failures()
	isComponent := func(c tuning.Choice) bool { return c.Kind == tuning.ByComponent }
	for _, r := range back {
		t := Trade{Label: r.Label, choice: r.Choice}
		if isComponent(r.Choice) || !slices.ContainsFunc(choices, isComponent) {
			t.SetUp = e.setUp
		}
		one := []tuning.Choice{r.Choice}
		for _, k := range cmp.Or(e.more, e.helped).Cases {
			if e.helps(k) && reach.By(one, k.Cell) {
				t.Mends = append(t.Mends, Traded{k.Cell, k.NP, inverse(k.Ratio), inverse(k.RatioHi), inverse(k.RatioLo)})
			}
		}
		for _, h := range blamed[r.Choice.Key()] {
			if k := e.harmed.Of(h.Cell); k != nil && k.Change == series.Slower && !slices.ContainsFunc(t.Harms, func(o Traded) bool { return o.Cell == h.Cell }) {
				t.Harms = append(t.Harms, Traded{k.Cell, k.NP, k.Ratio, k.RatioLo, k.RatioHi})
			}
		}
		if len(t.Mends) > 0 && len(t.Harms) > 0 && len(failed) == 0 {
			out = append(out, t)
		}
	}
	return out
}

// earlierDid tells whether what was proved before does a harm alone, or at least half of a slowdown, by its logarithm.
func (e *effects) earlierDid(h Harm) bool {
	if e.earlier == nil {
		return false
	}
	ratio := func(c *series.Comparison) float64 {
		if k := c.Of(h.Cell); k != nil {
			return orZero(k.Ratio)
		}
		return 0
	}
	held := ratio(e.earlier.harmed)
	return h.Mockup == "" && held > 1 && held*held >= ratio(e.harmed) ||
		slices.ContainsFunc(e.earlier.harms(), func(o Harm) bool { return o.Cell == h.Cell && o.Mockup == h.Mockup })
}

// betters tells whether a cell is faster than by the proof before, or in a better state.
func (e *effects) betters(cells []Cell) bool {
	if e.more != nil && len(e.gains()) > 0 {
		return true
	}
	rank := map[CellState]int{CellMended: 2, CellFaster: 1}
	return slices.ContainsFunc(cells, func(c Cell) bool {
		before := rank[c.State]
		e.outcome(&c, nil)
		return rank[c.State] > before
	})
}

func (e *effects) outcome(c *Cell, by []tuning.Choice) {
	k := e.helped.Of(c.Cell)
	if k == nil {
		return
	}
	c.BeforeS, c.AfterS, c.PAdjusted = k.AMedianS, k.BMedianS, k.PAdjusted
	c.Gain, c.GainLo, c.GainHi = inverse(k.Ratio), inverse(k.RatioHi), inverse(k.RatioLo)
	c.By = []string{}
	for _, choice := range by {
		switch {
		case choice.Kind == tuning.ByEnv:
			c.By = append(c.By, tuning.Environment)
		case choice.Kind == tuning.ByComponent:
			c.By = append(c.By, choice.Component)
		case choice.Function == c.Function && choice.NP == c.NP && slices.Contains(choice.Sizes, c.Msize):
			c.By = append(c.By, choice.Algorithm+phrase.When(choice.Always(), ", by its variable"))
		}
	}
	switch {
	case e.keptBefore[c.Cell]:
		c.State = CellNotAgain
	case !gained(*k) || !e.reached(c.Cell):
		c.State = CellUndecided
	case e.keptAfter[c.Cell]:
		c.State = CellMended
	default:
		c.State = CellFaster
	}
}

func inverse(x *float64) *float64 {
	if x == nil || *x <= 0 {
		return nil
	}
	y := 1 / *x
	return &y
}
