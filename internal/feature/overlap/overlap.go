package overlap

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"pgmpi/analyze"
	"pgmpi/analyze/judge"
	"pgmpi/analyze/medians"
	"pgmpi/internal/feature/overlap/work"
	"pgmpi/internal/phrase"
	"pgmpi/internal/stats"
	"pgmpi/measure/protocol"
	"pgmpi/measure/results"
)

const Schema = "pgmpi-overlap/1"

// Overlap tells how much of nonblocking calls is hidden behind computation (S-NETGAUGE §4.1, 4.2).
// Undefined numbers are null.
type Overlap struct {
	Schema  string                 `json:"schema"` // Schema
	Version string                 `json:"pgmpi_version"`
	Folder  analyze.ComparedFolder `json:"folder"`
	analyze.Operation
	Timing protocol.Timing `json:"timing"`
	Method string          `json:"method"` // of work.Methods
	// Progress are variables of the ranks that ask the library for threads of its own.
	Progress map[string]string `json:"progress"`

	Test        judge.TestName `json:"test"` // of NB5 and NB7
	Adjust      judge.Adjust   `json:"adjust"`
	M           int            `json:"m"` // tests: the family of the adjustment
	Alpha       float64        `json:"alpha"`
	MinSlowdown float64        `json:"min_slowdown"`
	Refused     *judge.Refusal `json:"refused"` // null if the mpiruns suffice

	Cases []OverlapCase         `json:"cases"` // in the order of the Plan
	Count map[judge.Verdict]int `json:"tests_by_verdict"`
	Exit  int                   `json:"exit_code"`
}

// OverlapCase is a nonblocking call at one size. Times are seconds.
type OverlapCase struct {
	medians.Cell
	NP       int          `json:"np"`
	R        int          `json:"r"`          // mpiruns
	Blocking Middle       `json:"blocking_s"` // T_b: post, then Wait
	None     OverlapSide  `json:"none"`       // no progress tests
	Best     OverlapSide  `json:"best"`       // with the interval that each mpirun's search chose
	Done     Middle       `json:"done_s"`     // until tests in a row find the call done
	Wrong    bool         `json:"wrong,omitempty"`
	Reason   string       `json:"reason,omitempty"` // why it is missing
	Asked    Middle       `json:"asked_share"`      // Done of T_b: at most 1, since asking should not delay a call
	NB5      OverlapTest  `json:"nb5"`              // Blocking ≤ Done
	NB7      OverlapTest  `json:"nb7"`              // Best.Overhead ≤ Blocking
	Runs     []OverlapRun `json:"mpiruns"`
}

// OverlapSide is a call with computation of its own length during it.
type OverlapSide struct {
	Interval int64  `json:"interval"` // bytes of msize between tests, that most mpiruns chose, or 0 without tests
	Tests    int64  `json:"tests"`
	Chosen   int    `json:"chosen"` // by how many mpiruns
	Post     Middle `json:"post_s"`
	InTests  Middle `json:"tests_s"`
	Wait     Middle `json:"wait_s"`
	Overhead Middle `json:"overhead_s"`     // what the call took of the processor: all three
	Share    Middle `json:"overhead_share"` // of T_b
	Overall  Middle `json:"overall_s"`
	Overlap  Middle `json:"overlap"` // 1 − (overall − computation)/T_b; below 0 and above 1 as measured
}

// Middle is the median over the mpiruns with its 95 % interval.
type Middle struct {
	Median *float64 `json:"median"`
	Lo95   *float64 `json:"lo95"` // null for fewer than 6 mpiruns
	Hi95   *float64 `json:"hi95"`
}

type OverlapTest struct {
	analyze.Tested
	Verdict judge.Verdict `json:"verdict"`
}

type OverlapRun struct {
	Run int `json:"run"`
	work.Answer
}

func NewOverlap(name, method string, m *results.Manifest, runs []*results.Run, cfg judge.Config) (*Overlap, error) {
	o := &Overlap{Schema: Schema, Version: m.Version, Operation: analyze.OperationOf(&m.Plan), Timing: timingOf(runs), Method: method, Progress: progressOf(m),
		Folder: analyze.FolderOf(name, m, m.R),
		Alpha:  cfg.Alpha, MinSlowdown: cfg.MinSlowdown, Cases: []OverlapCase{}, Count: map[judge.Verdict]int{}}
	most, tick := 0, int64(0)
	for i, k := range m.Plan.Cases {
		c := OverlapCase{Cell: medians.CellOf(k), NP: k.Shape.NP, Runs: []OverlapRun{}}
		for _, run := range runs {
			if run.Shape == k.Shape {
				if err := c.add(run, i); err != nil {
					return nil, fmt.Errorf("%s: %w", name, err)
				}
				tick = max(tick, run.Rank.ClockTickNS)
			}
		}
		c.sumUp()
		most = max(most, c.R)
		o.Cases = append(o.Cases, c)
	}
	if err := o.judge(cfg, most, float64(tick)); err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	o.Exit = analyze.ExitCode(o.Count[judge.Wrong] > 0, o.Count[judge.Violated] > 0, o.NotJudged() != "")
	return o, nil
}

// NotJudged returns why no test could be judged, or "" if some could, or one is wrong.
func (o *Overlap) NotJudged() string {
	switch {
	case o.Count[judge.Wrong]+o.Count[judge.Violated] > 0:
		return ""
	case o.Refused != nil:
		return o.Refused.Reason
	}
	return phrase.UnlessAny(o.Cases, func(c OverlapCase) bool { return c.Best.Overlap.Median != nil })
}

// progressOf returns the variables of ranks and configuration that ask for progress threads.
func progressOf(m *results.Manifest) map[string]string {
	out := map[string]string{}
	take := func(env map[string]string) {
		for name, value := range env {
			if strings.Contains(name, "ASYNC_PROGRESS") || strings.Contains(name, "PROGRESS_THREAD") {
				out[name] = value
			}
		}
	}
	take(m.Factors.Env)
	for _, l := range m.Factors.Layouts {
		for _, k := range l.Kinds {
			take(k.Env)
		}
	}
	return out
}

func (c *OverlapCase) add(run *results.Run, plan int) error {
	for _, info := range run.Cases {
		switch {
		case info.Plan != plan:
		case info.Status != protocol.StatusOK:
			c.Reason, c.Wrong = cmp.Or(info.Message, string(info.Status)), c.Wrong || info.Status == protocol.StatusWrong
		case info.Answer == nil:
			c.Reason = cmp.Or(c.Reason, fmt.Sprintf("in mpirun %d no repetition is valid", run.Run))
		default:
			found, err := work.Work.Found(info.Answer)
			if err != nil {
				return fmt.Errorf("mpirun %d, case %d: %w", run.Run, info.Case, err)
			}
			c.Runs = append(c.Runs, OverlapRun{Run: run.Run, Answer: *found})
		}
	}
	return nil
}

// sumUp takes medians over the mpiruns. What was measured of a call with wrong data does not count.
func (c *OverlapCase) sumUp() {
	if c.Wrong {
		c.Runs = []OverlapRun{}
	}
	slices.SortFunc(c.Runs, func(a, b OverlapRun) int { return cmp.Compare(a.Run, b.Run) })
	if c.R = len(c.Runs); c.R == 0 {
		c.Reason = cmp.Or(c.Reason, "no mpirun has it")
	}
	c.Blocking = c.over(1e-9, func(r *OverlapRun) float64 { return r.BlockingNS })
	c.Done = c.over(1e-9, func(r *OverlapRun) float64 { return r.DoneNS })
	c.Asked = c.over(1, func(r *OverlapRun) float64 { return r.DoneNS / r.BlockingNS })
	c.None = c.side(func(r *OverlapRun) *work.Side { return &r.None })
	c.Best = c.side(func(r *OverlapRun) *work.Side { return &r.Best })
}

// over returns the median of one value of the mpiruns, in another unit.
func (c *OverlapCase) over(unit float64, of func(*OverlapRun) float64) Middle {
	var all []float64
	for i := range c.Runs {
		all = append(all, unit*of(&c.Runs[i]))
	}
	if len(all) == 0 {
		return Middle{}
	}
	lo, hi := stats.MedianInterval(all, .95)
	return Middle{analyze.Number(stats.MedianFinite(all)), analyze.Number(lo), analyze.Number(hi)}
}

func (c *OverlapCase) side(of func(*OverlapRun) *work.Side) OverlapSide {
	var s OverlapSide
	chosen := map[int64]int{}
	for i := range c.Runs {
		x := of(&c.Runs[i])
		chosen[x.Tests]++
		if n := chosen[x.Tests]; n > s.Chosen || n == s.Chosen && x.Tests < s.Tests {
			s.Chosen, s.Tests, s.Interval = n, x.Tests, x.Interval
		}
	}
	part := func(get func(*work.Side) float64) Middle {
		return c.over(1e-9, func(r *OverlapRun) float64 { return get(of(r)) })
	}
	s.Post = part(func(x *work.Side) float64 { return x.PostNS })
	s.InTests = part(func(x *work.Side) float64 { return x.TestsNS })
	s.Wait = part(func(x *work.Side) float64 { return x.WaitNS })
	s.Overhead = part(func(x *work.Side) float64 { return x.OverheadNS })
	s.Overall = part(func(x *work.Side) float64 { return x.OverallNS })
	s.Share = c.over(1, func(r *OverlapRun) float64 { return of(r).OverheadNS / r.BlockingNS })
	s.Overlap = c.over(1, func(r *OverlapRun) float64 { return Overlapped(of(r).ExcessNS, r.BlockingNS) })
	return s
}

// Overlapped returns the hidden share of a call of `blocking`. `excess` is left of its overall time
// without computation. The share is not cut to 0…1: beyond, it shows its error.
func Overlapped(excess, blocking float64) float64 { return 1 - excess/blocking }

func (o *Overlap) judge(cfg judge.Config, r int, tick float64) error {
	o.M = 2 * len(o.Cases)
	d, err := judge.NewDesign(cfg, judge.Once(max(1, r)), o.M)
	if err != nil {
		return err
	}
	o.Test, o.Adjust, o.Refused = d.Test(d.Last()).Name, d.Adjust, d.Refused
	pairs := make([]judge.Pair, 0, o.M)
	for i := range o.Cases {
		c := &o.Cases[i]
		waiting := func(x *OverlapRun) float64 { return x.BlockingNS }
		pairs = append(pairs, c.pair(r, waiting, func(x *OverlapRun) float64 { return x.DoneNS }),
			c.pair(r, func(x *OverlapRun) float64 { return x.Best.OverheadNS }, waiting))
	}
	family, err := d.Judge(tick, pairs)
	if err != nil {
		return err
	}
	for i := range o.Cases {
		c := &o.Cases[i]
		c.NB5, c.NB7 = c.testOf(family.Outcomes[2*i]), c.testOf(family.Outcomes[2*i+1])
		o.Count[c.NB5.Verdict]++
		o.Count[c.NB7.Verdict]++
	}
	return nil
}

// pair holds one time of the call against another; empty where mpiruns lack.
func (c *OverlapCase) pair(r int, of, than func(*OverlapRun) float64) (p judge.Pair) {
	if c.R < r {
		return p
	}
	for i := range c.Runs {
		p.Orig, p.Other = append(p.Orig, max(1, of(&c.Runs[i]))), append(p.Other, max(1, than(&c.Runs[i])))
	}
	return p
}

func (c *OverlapCase) testOf(x judge.Outcome) OverlapTest {
	t := OverlapTest{analyze.TestedBy(x), x.Verdict}
	switch {
	case c.Wrong:
		t.Verdict = judge.Wrong
	case c.R == 0:
		t.Verdict = judge.NotMeasured
	}
	return t
}

// Median returns the median hidden share over the cases, without tests and with the best. It returns
// nil if there is none.
func (o *Overlap) Median() (none, best *float64) {
	var all [2][]float64
	for _, c := range o.Cases {
		for i, s := range []OverlapSide{c.None, c.Best} {
			if s.Overlap.Median != nil {
				all[i] = append(all[i], *s.Overlap.Median)
			}
		}
	}
	return analyze.Number(stats.MedianFinite(all[0])), analyze.Number(stats.MedianFinite(all[1]))
}

// timingOf returns how the first mpirun timed, as all others did.
func timingOf(runs []*results.Run) (t protocol.Timing) {
	if len(runs) > 0 {
		t = runs[0].Timing
	}
	return t
}
