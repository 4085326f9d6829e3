package run

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"

	"pgmpi/analyze/judge"
	"pgmpi/analyze/medians"
	"pgmpi/guidelines"
	"pgmpi/internal/clean"
	"pgmpi/internal/conf"
	"pgmpi/internal/conf/glfile"
	"pgmpi/internal/document"
	"pgmpi/internal/fail"
	"pgmpi/internal/reading"
	"pgmpi/measure"
	"pgmpi/measure/protocol"
	"pgmpi/measure/results"
)

// Experiment describes a kind of measurement. Package experiment has a table of them. Functions
// that are nil leave what they change at its default.
type Experiment struct {
	Kind     results.Kind
	Name     string              // of the command, if the kind has another name
	Defaults func() *glfile.File // gives the configuration that flags beat; by default glfile.Default
	// Prepare completes the configuration, and refuses one that cannot be measured.
	Prepare func(context.Context, *glfile.File, Options) (*glfile.File, error)
	Plan    func(*glfile.File) (*guidelines.Plan, error)
	R       func(*glfile.File) int // gives the number of mpiruns of stage 2, instead of job.mpiruns and job.looks
	Stages  []Stage
	Medians bool // keeps the run medians while it measures, for interim looks and later stages
	// Begin reads what is needed before the first mpirun. Refuse returns the reason not to
	// measure, such as an R with which nothing could be significant.
	Begin, Refuse func(*Campaign) error
	// Mpiruns describes the mpiruns for the dry run of an experiment that is no check. It returns
	// how many algorithms of each collective are assumed, if they are not known.
	Mpiruns func(*Campaign) (text string, assumed int)
	// Judge makes the answer from a folder of this kind or of Others; Answer has its formats. A
	// stage that is measured alone has no answer.
	Judge  func(*Campaign) (*Found, error)
	Answer document.Forms
	Others []results.Kind
	// Analyzed tells that pgmpi analyze may judge a folder again.
	Analyzed bool
}

type Found struct {
	*document.Document
	Judgement *reading.Judgement // only of a check
}

// Stage describes a part of an experiment: mpiruns of one mode.
type Stage struct {
	Mode   protocol.Mode
	Name   string               // in tables and sentences
	Doing  string               // for the progress
	Wanted func(*Campaign) bool // tells whether the stage is part of a campaign; by default it is
	// Runs gives the number of mpiruns of each shape. Before the stage's Plan is made, it gives the
	// least number.
	Runs func(*results.Manifest, *glfile.File) int
	// Plan fixes the stage's cases by the run medians of the stages before. Without one the stage
	// measures all cases.
	Plan func(*Campaign, *medians.Set) (*results.FollowUps, error)
	// Work says why its cases are called, unless the core knows by the mode.
	Work func(*glfile.File) *measure.Work
	// Load is the time of an mpirun's calls over their time in stage 2. Estimates leave out a stage
	// without it.
	Load float64
	// Usual is how many mpiruns a stage without a Load has in a check that finds something, for estimates.
	Usual int
	// With names a mode whose mpiruns also do this stage's, in the same processes, as soon as its plan is
	// known. What is left then gets mpiruns of its own.
	With  protocol.Mode
	Alone bool            // measures its cases without all others
	Past  bool            // marks a stage that another command does; its mpiruns are only read
	Ended func(*Campaign) // tells the user about the stage when it has ended
}

// Tests returns the plan of an experiment on guidelines, with at least one test.
func Tests(config *glfile.File) (*guidelines.Plan, error) {
	plan, err := config.Plan(config.Job.NP)
	if err == nil && len(plan.Tests) == 0 {
		err = errors.New("there is nothing to check: no guideline of [check] has a size to be checked at")
	}
	return plan, err
}

// Refused returns the error that no outcome of a design could be significant.
func Refused(d *judge.Design, err error) error {
	if err != nil || d.Refused == nil {
		return err
	}
	return &fail.Refused{Reason: d.Refused.Reason}
}

// ByMedians judges an experiment by its run medians.
func ByMedians(judge func(*Campaign, *medians.Set) (*Found, error)) func(*Campaign) (*Found, error) {
	return func(c *Campaign) (*Found, error) {
		data, err := c.Collected()
		if err != nil {
			return nil, err
		}
		return judge(c, data)
	}
}

func (x *Experiment) Command() string { return cmp.Or(x.Name, string(x.Kind)) }

func (x *Experiment) Judges() []results.Kind { return append([]results.Kind{x.Kind}, x.Others...) }

func (c *Campaign) Ready() error { return c.ask(c.Begin) }

func (c *Campaign) Refusal() error { return c.ask(c.Refuse) }

func (c *Campaign) ask(f func(*Campaign) error) error {
	if f == nil {
		return nil
	}
	return f(c)
}

func AllMpiruns(m *results.Manifest, _ *glfile.File) int { return m.R }

// Predict is stage 1 (S-PGMPI §4.2): nrep.predictions mpiruns predict the repetitions of
// every case.
var Predict = Stage{Mode: protocol.ModeNREP, Name: "stage 1", Doing: "predicting nrep",
	Runs: func(_ *results.Manifest, config *glfile.File) int {
		if config.NREP.Fixed > 0 {
			return 0
		}
		return config.NREP.Predictions
	}}

// Measure is stage 2 (S-REVISITED, Algorithm 5): R mpiruns, each of which measures all
// cases of a shape in an order of its own.
var Measure = Stage{Mode: protocol.ModeMeasure, Name: "stage 2", Doing: "measuring", Runs: AllMpiruns, Load: 1}

// Do does the stages and judges their mpiruns. A stage alone has no answer.
func (c *Campaign) Do(ctx context.Context) (*Found, error) {
	if err := c.stages(ctx); err != nil || c.Judge == nil {
		return nil, err
	}
	return c.Found()
}

// Found judges the mpiruns. An answer that does not itself say that data were wrong ends with the
// error that says so.
func (c *Campaign) Found() (*Found, error) {
	found, err := c.Judge(c)
	wrong := c.WrongData()
	switch {
	case wrong == nil || c.Manifest.Kind != c.Kind:
	case err != nil: // nothing is left to judge
		err = &fail.Failed{Err: wrong}
	case found.Document.Exit == nil, fail.Is[*fail.Refused](found.Document.Exit): // wrong data are why nothing was judged
		found.Document.Exit = wrong
	}
	return found, err
}

func (c *Campaign) WrongData() error {
	for i, k := range c.Manifest.Plan.Cases {
		if skip := c.Manifest.Skip[i]; skip.Status == protocol.StatusWrong {
			return fmt.Errorf("%s at %s gave wrong data (%s)", k.Function, conf.HumanSize(k.Msize), clean.Line(skip.Message))
		}
	}
	return nil
}

func (c *Campaign) stages(ctx context.Context) error {
	stages := slices.DeleteFunc(slices.Clone(c.Stages), func(s Stage) bool { return s.Wanted != nil && !s.Wanted(c) })
	for _, s := range stages {
		if s.Plan == nil {
			c.count(s, s.Runs(c.Manifest, c.Config))
		} else {
			c.expect(s)
		}
	}
	for _, s := range stages {
		if err := c.do(ctx, s); err != nil {
			return err
		}
		if n, ok := c.Manifest.Stopped[s.Mode]; ok {
			c.Say("job.max_time = %v: %s ended after %d mpiruns", c.Config.Job.MaxTime, s.Name, n)
		}
		if s.Ended != nil {
			s.Ended(c)
		}
	}
	return nil
}

func (c *Campaign) do(ctx context.Context, s Stage) error {
	c.begun = append(c.begun, s.Mode)
	switch {
	case s.Past:
		return c.takeIn(s.Mode)
	case s.Plan == nil:
		return c.Part(ctx, s, 1, s.Runs(c.Manifest, c.Config))
	}
	delete(c.tally.expected, s.Mode)
	if err := c.fix(s); err != nil {
		return c.failure(ctx, err)
	}
	x := c.Manifest.FollowUps[s.Mode]
	if x == nil || len(x.Comparisons) == 0 {
		return nil
	}
	c.count(s, x.R)
	return c.Part(ctx, s, 1, x.R)
}

func (c *Campaign) Part(ctx context.Context, s Stage, first, last int) error {
	if s.Mode == protocol.ModeMeasure {
		if err := Unpredicted(c.Manifest, c.Path); err != nil {
			return &fail.Failed{Err: err}
		}
	}
	return c.stage(ctx, s.Mode, first, last)
}

func (c *Campaign) takeIn(mode protocol.Mode) error {
	for _, shape := range c.Manifest.Plan.Shapes {
		for r, err := range c.Folder().Runs(mode, shape, &c.Manifest.Plan) {
			if err != nil {
				return &fail.Failed{Err: err}
			}
			c.Manifest.Learned(r, c.Config.NREP)
			c.clock(r)
		}
	}
	return nil
}

// fix fixes what a stage measures. A plan stays as soon as one of its mpiruns is there.
func (c *Campaign) fix(s Stage) error { return c.fixAfter(s, c.Manifest.R) }

// fixAfter plans by the first mpiruns of stage 2, and what came after it.
func (c *Campaign) fixAfter(s Stage, runs int) error {
	for _, shape := range c.Manifest.Plan.Shapes {
		if runs, err := c.Folder().Finished(s.Mode, shape); err != nil || len(runs) > 0 {
			return err
		}
	}
	data, err := c.collected(runs)
	if err != nil {
		return err
	}
	x, err := s.Plan(c, data)
	if err != nil || x == c.Manifest.FollowUps[s.Mode] {
		return err // mostly both are nil, and there is nothing to write
	}
	c.Manifest.Planned(s.Mode, x)
	return c.Folder().WriteManifest(c.Manifest)
}

// Unpredicted returns an error if stage 1 has not been done in a folder.
func Unpredicted(m *results.Manifest, folder string) error {
	for i, c := range m.Plan.Cases {
		if _, skipped := m.Skip[i]; !skipped && m.NRep[i].N < 1 {
			return fmt.Errorf("%s has no repetitions for %s at %s: run `pgmpi nrep --out %s` first, or give nrep.fixed",
				folder, c.Function, conf.HumanSize(c.Msize), conf.Quote(folder))
		}
	}
	return nil
}

// Rounds holds a stage of campaigns a, b, …, and their order by round: "ba". Rounds that the stage
// does not have do nothing. Before, if there is one, is called before them.
type Rounds struct {
	Stage  Stage
	Order  []string
	Before func()
}

// Alternate does campaigns' stages round by round, so that the machine's drift hits all.
func Alternate(ctx context.Context, sides []*Campaign, all []Rounds) error {
	for _, c := range sides {
		c.tally, c.beside = sides[0].tally, sides // progress counts all campaigns together
	}
	for _, r := range all {
		for _, c := range sides {
			c.count(r.Stage, r.Stage.Runs(c.Manifest, c.Config))
		}
	}
	for _, r := range all {
		if r.Before != nil {
			r.Before()
		}
		for _, c := range sides {
			if r.Stage.Plan == nil {
				continue
			}
			if err := c.fix(r.Stage); err != nil {
				return c.failure(ctx, err)
			}
			c.count(r.Stage, r.Stage.Runs(c.Manifest, c.Config))
		}
		for i, round := range r.Order {
			for _, name := range round {
				c := sides[name-'a']
				if err := c.Part(ctx, r.Stage, i+1, min(i+1, r.Stage.Runs(c.Manifest, c.Config))); err != nil {
					return err
				}
			}
		}
	}
	return nil
}

// collection keeps the run medians of an experiment's mpiruns. No raw file is then read twice.
type collection struct {
	medians *medians.Set
	runs    int  // that it has
	stale   bool // the manifest has changed, or an mpirun did not fit: read all again
}

// add takes in an mpirun. An error in it comes up again when it is judged.
func (d *collection) add(m *results.Manifest, r *results.Run) {
	if !slices.Contains(reading.JudgedModes, r.Mode) {
		return
	}
	if d.runs == 0 {
		d.medians = medians.New(m)
	}
	d.runs++
	d.stale = d.medians.Add(r) != nil || d.stale
}

func (c *Campaign) Collected() (*medians.Set, error) { return c.collected(c.Manifest.R) }

// collected returns run medians of stage 2 up to an mpirun, and of later stages.
func (c *Campaign) collected(upTo int) (*medians.Set, error) {
	onDisk := 0
	for _, mode := range c.begun {
		for _, shape := range c.Manifest.Plan.Shapes {
			runs, err := c.Folder().Finished(mode, shape)
			if err != nil {
				return nil, err
			}
			for _, run := range runs {
				if slices.Contains(reading.JudgedModes, mode) && (mode != protocol.ModeMeasure || run <= upTo) {
					onDisk++
				}
			}
		}
	}
	if c.data.runs != onDisk || c.data.runs == 0 || c.data.stale {
		return reading.Collect(c.Folder(), c.Manifest, upTo)
	}
	return c.data.medians, nil
}
