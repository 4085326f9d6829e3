package run

import (
	"context"
	"fmt"
	"slices"

	"pgmpi/analyze/medians"
	"pgmpi/guidelines"
	"pgmpi/internal/conf"
	"pgmpi/internal/conf/glfile"
	"pgmpi/internal/document"
	"pgmpi/internal/fail"
	"pgmpi/internal/reading"
	"pgmpi/measure/protocol"
	"pgmpi/measure/results"
)

// Experiment is a kind of measurement. Those that there are make up the table of package
// experiment.
type Experiment struct {
	Kind results.Kind
	Name string // of the command; "": as the kind
	// Defaults is what flags beat; nil: glfile.Default.
	Defaults func() *glfile.File
	// Prepare completes the configuration, and refuses one that cannot be measured; nil: it
	// stays as it is.
	Prepare func(context.Context, *glfile.File, Options) (*glfile.File, error)
	Plan    func(*glfile.File) (*guidelines.Plan, error)
	// R is the number of mpiruns of stage 2; nil: as job.mpiruns and job.looks say.
	R      func(*glfile.File) int
	Stages []Stage
	// Medians: the run medians are kept while it measures, since interim looks and later
	// stages ask for them.
	Medians bool
	// Begin reads what is wanted before the first mpirun, and Refuse says why there is no
	// point in one; nil: nothing.
	Begin, Refuse func(*Campaign) error
	// Mpiruns says for the dry run what the mpiruns are for, and how many algorithms each
	// collective is taken to have, if that is assumed; nil: tests.
	Mpiruns func(*Campaign) (text string, assumed int)
	// Judge makes an answer of a folder of this kind, or of others; nil: there is none. Answer
	// has its formats.
	Judge  func(*Campaign) (*Found, error)
	Answer document.Forms
	Others []results.Kind
}

// Found is the answer of an experiment.
type Found struct {
	*document.Document
	Judgement *reading.Judgement // of a check
	// Closing is the last line for the user, by where the answer is stored and the page for
	// browsers; nil: only where.
	Closing func(folder, page string) string
}

// Stage is a part of an experiment: mpiruns of one mode.
type Stage struct {
	Mode  protocol.Mode
	Name  string // in tables and sentences
	Doing string // for the progress
	// Wanted tells whether the stage is part of this campaign; nil: it is.
	Wanted func(*Campaign) bool
	// Runs is the number of mpiruns of each shape; before a stage with a Plan has one, what
	// it will be at least.
	Runs func(*results.Manifest, *glfile.File) int
	// Plan fixes, by the run medians of the stages before it, what the stage measures; nil:
	// that is known from the start.
	Plan func(*Campaign, *medians.Set) (*results.FollowUps, error)
	// Load compares an mpirun with one of stage 2: the time of its calls; 0: an estimate leaves
	// it out.
	Load float64
	// Past: another command has done it, and its mpiruns are only read.
	Past bool
	// Ended tells the user what there is to say when it has ended; nil: nothing.
	Ended func(*Campaign)
}

// Command is the command that does the experiment.
func (x *Experiment) Command() string {
	if x.Name != "" {
		return x.Name
	}
	return string(x.Kind)
}

// Judges are the kinds of folders that the experiment makes an answer of.
func (x *Experiment) Judges() []results.Kind { return append([]results.Kind{x.Kind}, x.Others...) }

// Ready reads what is wanted before the first mpirun.
func (c *Campaign) Ready() error { return c.ask(c.Begin) }

// Refusal is why there is no point in measuring; nil: there is.
func (c *Campaign) Refusal() error { return c.ask(c.Refuse) }

func (c *Campaign) ask(f func(*Campaign) error) error {
	if f == nil {
		return nil
	}
	return f(c)
}

// AllMpiruns are the Runs of a stage that measures everything.
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

// Do does the stages and judges what they have measured; nil: the experiment has no answer.
func (c *Campaign) Do(ctx context.Context) (*Found, error) {
	if err := c.stages(ctx); err != nil || c.Judge == nil {
		return nil, err
	}
	return c.Judge(c)
}

// stages does them one after the other. What is on disk already is taken in.
func (c *Campaign) stages(ctx context.Context) error {
	stages := slices.DeleteFunc(slices.Clone(c.Stages), func(s Stage) bool { return s.Wanted != nil && !s.Wanted(c) })
	for _, s := range stages {
		if s.Plan == nil {
			c.count(s, s.Runs(c.Manifest, c.Config))
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
	defer func() { c.begun = append(c.begun, s.Mode) }()
	switch {
	case s.Past:
		return c.takeIn(s.Mode)
	case s.Plan == nil:
		return c.Part(ctx, s, 1, s.Runs(c.Manifest, c.Config))
	}
	if err := c.fix(s); err != nil {
		return c.failure(ctx, err)
	}
	x, _ := c.Manifest.Experiment(s.Mode)
	if x == nil || len(x.Comparisons) == 0 {
		return nil
	}
	c.count(s, x.R)
	return c.Part(ctx, s, 1, x.R)
}

// Part does some mpiruns of a stage.
func (c *Campaign) Part(ctx context.Context, s Stage, first, last int) error {
	if s.Mode == protocol.ModeMeasure {
		if err := Unpredicted(c.Manifest, c.Path); err != nil {
			return &fail.Failed{Err: err}
		}
	}
	return c.stage(ctx, s.Mode, first, last)
}

// takeIn reads the mpiruns of a mode that are there.
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

// fix fixes what a stage measures. What was planned stays so as soon as one of its mpiruns
// is there.
func (c *Campaign) fix(s Stage) error {
	for _, shape := range c.Manifest.Plan.Shapes {
		if runs, err := c.Folder().Finished(s.Mode, shape); err != nil || len(runs) > 0 {
			return err
		}
	}
	data, err := c.Collected()
	if err != nil {
		return err
	}
	x, err := s.Plan(c, data)
	if err != nil {
		return err
	}
	c.Manifest.Planned(s.Mode, x)
	return c.Folder().WriteManifest(c.Manifest)
}

// Unpredicted is the error that stage 1 has not been done in a folder.
func Unpredicted(m *results.Manifest, folder string) error {
	for i, c := range m.Plan.Cases {
		if _, skipped := m.Skip[i]; !skipped && m.NRep[i].N < 1 {
			return fmt.Errorf("%s has no repetitions for %s at %s: run `pgmpi nrep --out %s` first, or give nrep.fixed",
				folder, c.Function, conf.HumanSize(c.Msize), conf.Quote(folder))
		}
	}
	return nil
}
