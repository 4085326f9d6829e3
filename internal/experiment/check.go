package experiment

import (
	"slices"

	"pgmpi/analyze"
	"pgmpi/analyze/judge"
	"pgmpi/analyze/medians"
	"pgmpi/analyze/report/check"
	"pgmpi/analyze/series"
	"pgmpi/guidelines"
	"pgmpi/internal/conf"
	"pgmpi/internal/conf/glfile"
	"pgmpi/internal/experiment/run"
	"pgmpi/internal/fail"
	"pgmpi/internal/reading"
	"pgmpi/measure/launch"
	"pgmpi/measure/protocol"
	"pgmpi/measure/results"
)

// Check does stages 1 and 2 with the looks. It then makes the experiment on split-robustness that
// the medians of stage 2 ask for, measures would-be alarms again, and judges.
var Check = &run.Experiment{Kind: results.Check, Plan: run.Tests, Medians: true,
	Stages: []run.Stage{run.Predict, run.Measure, with(protocol.ModeMeasure, followUp), textbook, fewer, alternate,
		with(protocol.ModeAlternate, otherMalloc), confirm, countMessages},
	Begin: func(c *run.Campaign) (err error) {
		if c.Before == nil {
			err = reading.Number(c.Config, c.Manifest, c.Path)
		}
		if err == nil {
			c.Against, err = reading.Baselines(c.Config, c.Manifest, c.Path)
		}
		return err
	},
	Refuse: func(c *run.Campaign) error { return run.Refused(analyze.Design(c.Manifest, c.Config.Analyze)) },
	Judge:  run.ByMedians(judgeMeasured), Answer: check.Reports, Analyzed: true}

// Predict and Measure are stages of a check, and commands in the same folder.
var (
	Predict = &run.Experiment{Kind: results.Check, Name: "nrep", Plan: run.Tests, Stages: []run.Stage{run.Predict}}
	Measure = &run.Experiment{Kind: results.Check, Name: "measure", Plan: run.Tests, Stages: []run.Stage{past(run.Predict), run.Measure},
		Refuse: func(c *run.Campaign) error { return fail.AsSetup(run.Unpredicted(c.Manifest, c.Path)) }}
)

// with lets a stage ride in the mpiruns of another.
func with(mode protocol.Mode, s run.Stage) run.Stage {
	s.With = mode
	return s
}

func past(s run.Stage) run.Stage {
	s.Past = true
	return s
}

var followUp = followUpOf(func(c *run.Campaign) func(*analyze.Verdict) int64 { return c.Against.SplitViolated })

// Mpiruns that a default check of a library with violations makes after the looks (docs/dev/benchmarks.md).
const usualSplits, usualAgain = 15, 8

// followUpOf returns the stage that tests suspicions of split-robustness, and what was violated
// before (docs/dev/statistics.md).
func followUpOf(before func(*run.Campaign) func(*analyze.Verdict) int64) run.Stage {
	return again(protocol.ModeSplit, "split experiment", "following up suspected splits", usualSplits,
		func(c *run.Campaign) bool { return c.Config.Measure.SplitExperiment },
		func(c *run.Campaign, data *medians.Set) (*results.FollowUps, error) {
			return analyze.PlanSplit(c.Manifest, data, c.Config.Analyze, before(c))
		})
}

// textbook and fewer test what the medians of stage 2 show to be faster.
var (
	textbook = oneOf(guidelines.TextbookID, "textbook algorithms")
	fewer    = oneOf(guidelines.FewerID, "calls on fewer processes")
)

func oneOf(id, what string) run.Stage {
	return again(analyze.ModeOf(id), what, "testing "+what, usualSplits,
		func(c *run.Campaign) bool {
			return slices.ContainsFunc(c.Manifest.Plan.Tests, func(t guidelines.Test) bool { return t.Guideline == id })
		},
		func(c *run.Campaign, data *medians.Set) (*results.FollowUps, error) {
			return analyze.PlanOneOf(id, c.Manifest, data, c.Config.Analyze)
		})
}

// alternate measures violations again, with both sides alternating call by call: a repeated call
// finds its own buffers in the caches, which is rare in programs.
var alternate = again(protocol.ModeAlternate, "alternating calls", "measuring violations call by call", usualAgain,
	func(c *run.Campaign) bool {
		return c.Config.Measure.Alternate && elsewhere(c) && !c.Config.Measure.Provable && c.Config.Measure.Cache == protocol.CacheWarm
	},
	judged(func(_ *run.Campaign, a *analyze.Analysis) *results.FollowUps { return a.Alternate() }))

// otherMalloc measures violations in the other state of malloc, where that may decide more than the algorithm.
var otherMalloc = again(protocol.ModeMalloc, "other state of malloc", "measuring violations in the other state of malloc", usualAgain,
	elsewhere,
	judged(func(c *run.Campaign, a *analyze.Analysis) *results.FollowUps {
		if c.Manifest.MallocByEnv() {
			return nil
		}
		state := protocol.MallocSettled
		if c.Config.Measure.Malloc == state {
			state = protocol.MallocFresh
		}
		return a.InMalloc(state)
	}))

// elsewhere tells whether violations are measured again under other conditions: the method can show that
// one does not hold there, and R is not given. One look finds violations only when its last mpirun is
// over, so that nothing can ride in it.
func elsewhere(c *run.Campaign) bool {
	return c.Config.Analyze.Method.Rules().Slowdown && c.Config.Job.MPIRuns == 0
}

// confirm measures again what would make the night red. It comes after everything else, so
// that a state of the machine has had time to pass.
var confirm = again(protocol.ModeConfirm, "measuring again", "measuring again what would be an alarm", 0,
	func(c *run.Campaign) bool { return c.Against != nil },
	judged(func(c *run.Campaign, a *analyze.Analysis) *results.FollowUps {
		x := series.Confirmation(a, c.Against)
		if x != nil {
			c.Say("%s would make this night red: measured again in %s", conf.Plural(len(x.Comparisons), "test"), conf.Plural(x.R, "mpirun"))
		}
		return x
	}))

// again returns a stage that measures in other mpiruns what the medians ask for.
func again(mode protocol.Mode, name, doing string, usual int, wanted func(*run.Campaign) bool, plan func(*run.Campaign, *medians.Set) (*results.FollowUps, error)) run.Stage {
	return run.Stage{Mode: mode, Name: name, Doing: doing, Usual: usual, Wanted: wanted, Plan: plan,
		Runs: func(m *results.Manifest, _ *glfile.File) int { return m.Runs(mode) }}
}

func judged(plan func(*run.Campaign, *analyze.Analysis) *results.FollowUps) func(*run.Campaign, *medians.Set) (*results.FollowUps, error) {
	return func(c *run.Campaign, data *medians.Set) (*results.FollowUps, error) {
		a, err := analyze.Judge(c.Manifest, data, c.Config.Analyze)
		if err != nil {
			return nil, err
		}
		return plan(c, a), nil
	}
}

// countMessages counts what the library sends inside of its calls, if measure.messages asks
// for it.
var countMessages = run.Stage{Mode: protocol.ModeMessages, Name: "messages", Doing: "counting messages",
	Wanted: func(c *run.Campaign) bool { return c.Config.Measure.Messages },
	Runs: func(m *results.Manifest, config *glfile.File) int {
		if !config.Measure.Messages || !launch.Counts(m.Rank.Library) {
			return 0
		}
		return 1
	},
	Ended: func(c *run.Campaign) {
		if !launch.Counts(c.Manifest.Rank.Library) {
			c.Say("note: measure.messages: only Open MPI counts the messages inside of its calls")
		} else if data, err := c.Collected(); err == nil && !data.HasMessages() {
			c.Say("note: measure.messages: how this version of Open MPI sends messages inside of its calls is not known, so none were counted")
		}
	}}

// judgeMeasured judges a check of this program. It tells how to measure violations under other conditions,
// where R left that out.
func judgeMeasured(c *run.Campaign, data *medians.Set) (*run.Found, error) {
	found, err := JudgeCheck(c, data)
	r := c.Config.Job.MPIRuns
	if err != nil || c.Tell == nil || r == 0 || !c.Config.Measure.Alternate || !c.Config.Analyze.Method.Rules().Slowdown {
		return found, err
	}
	if len(found.Judgement.Report.Where(func(v *analyze.Verdict) bool { return v.Verdict == judge.Violated })) > 0 {
		c.Say("note: R is given (--mpiruns %[1]d), so what is violated was not measured again with both sides alternating call by call, "+
			"or in the other state of malloc. --looks %[1]d measures that too, in up to %[2]d mpiruns more", r, usualAgain)
	}
	return found, nil
}

// JudgeCheck judges guidelines, and holds the verdicts against the baseline.
func JudgeCheck(c *run.Campaign, data *medians.Set) (*run.Found, error) {
	j, err := reading.Judged(c.Folder(), c.Manifest, data, c.Config.Analyze)
	if err == nil {
		err = j.Hold(c.Against, c.Config)
	}
	if err != nil {
		return nil, err
	}
	return &run.Found{Document: check.Reports.Document(j.Report), Judgement: j}, nil
}
