package analyze

import (
	"fmt"
	"math"

	"pgmpi/internal/stats"
	"pgmpi/measure/protocol"
	"pgmpi/measure/results"
)

// Schedule says after how many mpiruns a check looks at its data, and what share
// of the error each look may spend. It is fixed before the start.
type Schedule struct {
	Looks   []int     // ascending; the last is R
	Weights []float64 // positive, with a sum of at most 1
}

// ScheduleOf is a manifest's schedule: one look of weight 1 unless it has looks.
// Where max_time ended the check earlier, the last look is there, with all that
// was not spent before.
func ScheduleOf(m *results.Manifest) Schedule {
	r := m.Runs(protocol.ModeMeasure)
	if len(m.Looks) == 0 || len(m.Looks) != len(m.LookWeights) {
		return Schedule{[]int{r}, []float64{1}}
	}
	var s Schedule
	rest := 0.0
	for i, at := range m.Looks {
		if at < r {
			s.Looks, s.Weights = append(s.Looks, at), append(s.Weights, m.LookWeights[i])
		} else {
			rest += m.LookWeights[i]
		}
	}
	return Schedule{append(s.Looks, r), append(s.Weights, rest)}
}

// several: the error is spent in parts.
func (s Schedule) several() bool { return len(s.Looks) > 1 || s.Weights[0] < 1-1e-9 }

// after is the last look that n mpiruns suffice for, by index; -1: none.
func (s Schedule) after(n int) int {
	k := -1
	for k+1 < len(s.Looks) && s.Looks[k+1] <= n {
		k++
	}
	return k
}

// checkSchedule refuses a manifest whose looks lead nowhere.
func (c *Collector) checkSchedule() error {
	m := c.manifest
	if len(m.Looks) != len(m.LookWeights) {
		return fmt.Errorf("manifest: %d looks with %d weights", len(m.Looks), len(m.LookWeights))
	}
	if len(m.Looks) > 0 {
		if _, err := stats.SequentialP([]float64{1}, m.LookWeights); err != nil {
			return fmt.Errorf("manifest: look_weights: %w", err)
		}
	}
	for i, at := range m.Looks {
		if at < 1 || at > m.R || (i > 0 && at <= m.Looks[i-1]) {
			return fmt.Errorf("manifest: the looks %v are not ascending numbers of mpiruns up to %d", m.Looks, m.R)
		}
	}
	return nil
}

// Sequence judges a family of tests look by look (docs/statistics.md). The p-value of
// a test is the smallest of its looks' p-values, each divided by the look's
// weight; it is adjusted over the whole family at every look. A decided test
// keeps its p-value and its verdict.
type Sequence struct {
	Schedule
	procedures []Procedure
	history    [][]float64 // p-values by test and look
	outcomes   []Outcome
	runs       []int  // by test: mpiruns that its outcome rests on
	decided    []bool // by test
	blind      []int  // looks that cannot find a lone violation, in mpiruns
	done       int    // looks
}

// NewSequence chooses the test of every look from its R, m and α. The Refusal is
// not nil when no look can find a lone violation.
func NewSequence(cfg Config, s Schedule, m int) (*Sequence, *Refusal, error) {
	q := &Sequence{Schedule: s, history: make([][]float64, m), outcomes: make([]Outcome, m), runs: make([]int, m), decided: make([]bool, m)}
	var refusal *Refusal
	for k, r := range s.Looks {
		p, _, err := NewProcedure(cfg, r, m)
		if err != nil {
			return nil, nil, err
		}
		q.procedures = append(q.procedures, p)
		// α chooses the test, α·w is what the look can spend.
		if refusal = p.refusal(cfg, s.Weights[k]); refusal != nil {
			q.blind = append(q.blind, r)
		}
	}
	if len(q.blind) < len(s.Looks) {
		refusal = nil
	}
	for k := range q.procedures {
		q.procedures[k].Refused = q.procedures[k].Refused || refusal != nil
	}
	for i := range q.outcomes {
		q.outcomes[i] = Outcome{P: math.NaN(), PAdjusted: math.NaN(), PKept: math.NaN(), Ratio: math.NaN(), Verdict: Undecided}
	}
	return q, refusal, nil
}

// Procedure is that of the last look that was taken, of the first before that.
func (q *Sequence) Procedure() Procedure { return q.procedures[max(0, q.done-1)] }

// Decided tells whether a test has its verdict and needs no more mpiruns.
func (q *Sequence) Decided(test int) bool { return q.decided[test] }

// Outcome is what is known of a test, and the mpiruns that it rests on.
func (q *Sequence) Outcome(test int) (Outcome, int) { return q.outcomes[test], q.runs[test] }

// Look tests what is not decided yet with all data so far. A Pair without
// medians adds nothing to its test; those of decided tests are not read.
func (q *Sequence) Look(family []Pair) error {
	k := q.done
	p := q.procedures[k]
	fresh := make([]bool, len(family))
	for i, pair := range family {
		if q.decided[i] || len(pair.Orig) == 0 {
			continue
		}
		o, err := p.one(pair)
		if err != nil {
			return err
		}
		fresh[i] = true
		// A test that missed a look had no p-value there.
		for len(q.history[i]) < k {
			q.history[i] = append(q.history[i], 1)
		}
		q.history[i] = append(q.history[i], o.P)
		q.outcomes[i], q.runs[i] = o, q.Looks[k]
	}
	if err := q.adjust(p.Adjust); err != nil {
		return err
	}
	q.done++
	for i := range family {
		if fresh[i] {
			q.judge(i, k, family[i])
		}
	}
	return nil
}

// adjust spends, and adjusts over all planned tests; one without a p-value
// counts as 1.
func (q *Sequence) adjust(method string) error {
	ps := make([]float64, len(q.history))
	for i, h := range q.history {
		ps[i] = 1
		if len(h) == 0 {
			continue
		}
		var err error
		if ps[i], err = stats.SequentialP(h, q.Weights); err != nil {
			return err
		}
	}
	if len(ps) == 0 {
		return nil
	}
	adjusted, err := stats.Adjust(ps, method)
	if err != nil {
		return err
	}
	for i := range q.outcomes {
		if o := &q.outcomes[i]; len(q.history[i]) > 0 {
			o.P, o.PAdjusted, o.Stars = ps[i], adjusted[i], stats.Stars(adjusted[i])
		}
	}
	return nil
}

// judge gives the verdict of look k. Being kept spends its error like the rest:
// α·w at each look.
func (q *Sequence) judge(i, k int, pair Pair) {
	p, o := q.procedures[k], &q.outcomes[i]
	o.Verdict = p.verdict(o, pair)
	if p.Method == MethodPaper {
		// Its "kept" is only the lack of a finding, which more data may end.
		q.decided[i] = o.Verdict == Violated || k == len(q.Looks)-1
		return
	}
	if o.Verdict == Kept && o.PKept > p.Alpha*q.Weights[k] {
		o.Verdict = Undecided
	}
	q.decided[i] = o.Verdict != Undecided
}

// LooksSummary is what looking early has saved.
type LooksSummary struct {
	Looks   []int     `json:"looks"`   // mpiruns
	Weights []float64 `json:"weights"` // share of the error of each look
	// Decided counts the tests of the family by the look that decided them.
	Decided []int `json:"decided"`
	// Blind are the looks at which a lone violation cannot be found, because the
	// smallest p-value of their test is above α·w/m.
	Blind []int `json:"blind"`
	// SpentS is the wall-clock of all stage-2 mpiruns in seconds; FullS what R
	// mpiruns of every case would have taken, at the mean of the first look's.
	SpentS float64 `json:"spent_s"`
	FullS  float64 `json:"full_s"`
}

// sequence is the Sequence of a family, with the clock's resolution.
func (c *Collector) sequence(cfg Config, family []int) (*Sequence, *Refusal, error) {
	q, refusal, err := NewSequence(cfg, c.schedule, len(family))
	if err != nil {
		return nil, nil, err
	}
	for k := range q.procedures {
		q.procedures[k].Tick = float64(c.tickNS)
	}
	return q, refusal, nil
}

// look takes all looks that the data suffice for. A case that was dropped ends
// with the look it was dropped at; so do its tests.
func (c *Collector) look(q *Sequence, r *Report, family []int) error {
	for k, at := range q.Looks {
		pairs := make([]Pair, len(family))
		enough := false
		for n, i := range family {
			t := &c.manifest.Plan.Tests[i]
			orig, other := &c.cases[t.Case], &c.cases[t.Others[0]]
			if r.Verdicts[i].Verdict != "" || c.looksOf(t.Case) < k || c.looksOf(t.Others[0]) < k {
				continue
			}
			if orig.problem(at) != "" || other.problem(at) != "" {
				continue
			}
			pairs[n] = Pair{Orig: orig.medians[:at], Other: other.medians[:at]}
			enough = true
		}
		if !enough {
			break
		}
		if err := q.Look(pairs); err != nil {
			return err
		}
	}
	return nil
}

// looksOf is the last look, by index, that a case has data for.
func (c *Collector) looksOf(i int) int { return c.schedule.after(c.cases[i].runs) }

// sequential is test for a schedule with several looks.
func (c *Collector) sequential(r *Report, cfg Config, family []int) error {
	q, refusal, err := c.sequence(cfg, family)
	if err != nil {
		return err
	}
	r.Refused = refusal
	if err := c.look(q, r, family); err != nil {
		return err
	}
	p := q.Procedure()
	r.Test, r.Adjust, r.PMin = p.Test, p.Adjust, p.PMin
	sum := &LooksSummary{Looks: q.Looks, Weights: q.Weights, Decided: make([]int, len(q.Looks)), Blind: append([]int{}, q.blind...)}
	var rhos []float64
	for n, i := range family {
		t, v := &c.manifest.Plan.Tests[i], &r.Verdicts[i]
		o, runs := q.Outcome(n)
		orig, other := &c.cases[t.Case], &c.cases[t.Others[0]]
		v.MedianS, v.OtherMedianS = seconds(orig.medianOf(runs)), seconds(other.medianOf(runs))
		// What is decided stays so, whatever befalls a case that others still need.
		if v.Verdict == "" && !q.Decided(n) {
			c.settle(v, []int{t.Case, t.Others[0]}, 0)
		}
		if v.Verdict != "" {
			if v.Verdict == Undecided {
				r.Incomplete = append(r.Incomplete, incomplete(v))
			}
			continue
		}
		v.set(o, refusal)
		v.Runs = runs
		pair := Pair{Orig: orig.medians[:runs], Other: other.medians[:runs]}
		if rho, err := stats.Pearson(logs(pair.Orig), logs(pair.Other)); err == nil {
			rhos = append(rhos, rho)
		}
		if err := countTies(r, p, pair); err != nil {
			return err
		}
		c.account(r, i, q, n, sum)
	}
	r.Rho = number(median(rhos))
	sum.SpentS, sum.FullS = c.cost()
	r.Looks = sum
	return nil
}

// account says at which look test i, the n-th of the family, was decided, or why
// it has not been.
func (c *Collector) account(r *Report, i int, q *Sequence, n int, sum *LooksSummary) {
	t, v := &c.manifest.Plan.Tests[i], &r.Verdicts[i]
	if q.Decided(n) {
		for k, at := range q.Looks {
			if at == v.Runs {
				sum.Decided[k]++
			}
		}
		return
	}
	last := q.Looks[len(q.Looks)-1]
	if v.Runs == last || r.Refused != nil {
		return
	}
	if min(c.cases[t.Case].runs, c.cases[t.Others[0]].runs) < c.runs[v.Shape] {
		v.Reason = fmt.Sprintf("not measured beyond %d mpiruns: other [analyze] settings had decided it", v.Runs)
		return
	}
	v.Reason = fmt.Sprintf("only %d of %d mpiruns were made", v.Runs, last)
	r.Incomplete = append(r.Incomplete, incomplete(v))
}

// cost is the wall-clock of stage 2 in seconds, and what R mpiruns with every
// case would have taken.
func (c *Collector) cost() (spent, full float64) {
	first := c.schedule.Looks[0]
	for _, walls := range c.walls {
		sum, n := 0.0, 0
		for run, ns := range walls {
			spent += float64(ns) / 1e9
			if run <= first {
				sum, n = sum+float64(ns)/1e9, n+1
			}
		}
		if n > 0 {
			full += sum / float64(n) * float64(c.schedule.Looks[len(c.schedule.Looks)-1])
		}
	}
	return spent, full
}

// Needed returns the indices of the cases that a test which is not decided after
// so many mpiruns still needs. What split-robustness alone needs is dropped at
// the first look: its medians only suggest what the experiment then tests.
func (c *Collector) Needed(cfg Config, runs int) (map[int]bool, error) {
	if err := c.checkPlan(); err != nil {
		return nil, err
	}
	r := c.frame(cfg)
	family := c.family(r)
	q, _, err := c.sequence(cfg, family)
	if err != nil {
		return nil, err
	}
	if err := c.look(q, r, family); err != nil {
		return nil, err
	}
	needed := map[int]bool{}
	k := c.schedule.after(runs)
	for n, i := range family {
		t := &c.manifest.Plan.Tests[i]
		both := []int{t.Case, t.Others[0]}
		if q.Decided(n) || r.Verdicts[i].Verdict != "" || c.looksOf(both[0]) < k || c.looksOf(both[1]) < k {
			continue
		}
		if c.problem(both[0]) != "" || c.problem(both[1]) != "" {
			continue // more mpiruns do not mend it
		}
		needed[both[0]], needed[both[1]] = true, true
	}
	return needed, nil
}
