package remedy

import (
	"cmp"
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"time"

	"pgmpi/analyze/medians"
	"pgmpi/analyze/series"
	"pgmpi/guidelines"
	"pgmpi/internal/conf"
	"pgmpi/internal/conf/glfile"
	"pgmpi/internal/experiment"
	"pgmpi/internal/experiment/run"
	"pgmpi/internal/fail"
	"pgmpi/internal/feature/explore"
	"pgmpi/internal/feature/remedy/effect"
	"pgmpi/internal/feature/remedy/reach"
	"pgmpi/internal/lists"
	"pgmpi/internal/phrase"
	"pgmpi/internal/reading"
	"pgmpi/internal/tuning"
	"pgmpi/measure"
	"pgmpi/measure/results"
)

// Request holds what a user asks for.
type Request struct {
	Config  *glfile.File  // of the check, with flags
	Check   string        // its results folder, or an exploration's
	Mpiruns int           // of each side of a proof; 0 for as many as one harmed case needs to be seen
	MaxTime time.Duration // after which nothing more is tried, or 0 for no limit
	Force   bool          // begin another remedy in the folder
	Resume  bool          // go on with the last remedy in the folder
	Extend  bool          // let choices hold below the smallest and above the largest measured size
	Version string
	Start   measure.Starter // by default measure.Exec
}

// Task has what is to be mended. Only Prepare makes one, and nothing changes it.
type Task struct {
	Request                   // with the configuration of proofs
	Cells    []Cell           // that are violated, or where an algorithm that was explored is faster
	Folder   string           // of the remedy
	plan     *guidelines.Plan // of proofs
	checked  *results.Manifest
	starts   time.Duration        // of an mpirun of the folder, or 0 if unknown
	explored *explore.Exploration // the exploration that is in the folder instead of a check
}

func folderOf(check string) string { return filepath.Join(check, Folder) }

// Prepare judges the folder and refuses what cannot be begun; it writes and starts nothing.
func Prepare(r Request) (*Task, error) {
	folder, m, err := reading.Open(r.Check, results.Check, results.Explore)
	if err != nil {
		return nil, err
	}
	data, err := reading.Collect(folder, m, m.R)
	if err != nil {
		return nil, err
	}
	unfinished, err := reading.Unfinished(folder, m, data)
	if err != nil {
		return nil, err
	}
	if unfinished {
		again := m.Kind.GoesOn(conf.Quote(r.Check))
		return nil, fail.Setupf("%s is not finished, and may find more: `%s` goes on", r.Check, again)
	}
	x := &Task{Request: r, plan: &m.Plan, checked: m, starts: folder.Start(&m.Plan)}
	if m.Kind == results.Explore {
		err = x.fromExploration(data)
	} else {
		err = x.fromCheck(folder, data)
	}
	if err != nil {
		return nil, err
	}
	if x.Folder, err = filepath.Abs(folderOf(r.Check)); err != nil {
		return nil, fail.AsSetup(err)
	}
	if !r.Force && !r.Resume && !results.IsFresh(x.Folder) {
		return nil, fail.Setupf("%s is not empty: --resume goes on with the remedy there, --force begins another", x.Folder)
	}
	return x, nil
}

func (x *Task) fromCheck(folder *results.Folder, data *medians.Set) error {
	j, err := reading.Judged(folder, x.checked, data, x.Config.Analyze)
	if err != nil {
		return err
	}
	x.Cells = violatedCells(j.Report)
	if no := j.Report.Refused; no != nil && len(x.Cells) == 0 {
		return &fail.Refused{Reason: no.Reason}
	}
	return nil
}

// fromExploration takes the cells where an own algorithm is shown to be faster. Proofs then measure the
// collectives that were explored, with the mock-ups of all guidelines.
func (x *Task) fromExploration(data *medians.Set) (err error) {
	if x.explored, err = explore.Judge(x.checked, data, x.Config.Analyze); err != nil {
		return err
	}
	f := *x.Config
	f.Guideline, f.Check = nil, guidelines.Default()
	f.Check.Guidelines = []string{"GL1..GL29"}
	x.Cells = []Cell{}
	for _, c := range x.explored.Cells {
		f.Check.Functions = lists.With(f.Check.Functions, c.Function)
		if c.Word == explore.OwnAlgorithm || c.Word == explore.SameAlgorithm {
			x.Cells = append(x.Cells, Cell{Cell: c.Cell, NP: c.NP, Guidelines: []string{}, Ratio: c.Own.Ratio,
				State: CellNotProved, By: []string{}})
		}
	}
	x.Config = &f
	if len(f.Check.CheckSelects(nil)) == 0 {
		x.plan, err = f.Plan(f.Job.NP)
	} else { // no guideline is about such as MPI_Scatterv
		x.plan, err = f.CasesOnly(f.Job.NP, f.Check.Functions)
	}
	if err != nil {
		return fail.AsSetup(err)
	}
	for _, c := range x.Cells { // besides guidelines of others
		k := lists.First(x.checked.Plan.Cases, func(k guidelines.Case) bool { return medians.CellOf(k) == c.Cell })
		x.plan.Cases = lists.With(x.plan.Cases, *k)
	}
	return nil
}

func (x *Task) section() Config { return glfile.Of(x.Config, section) }

// result has the cells before anything is tried.
func (x *Task) result() *Result {
	judging := x.Config.Analyze
	return &Result{Schema: Schema, Version: x.Version, Created: time.Now().UTC().Format(time.RFC3339),
		Library: x.checked.Rank.LibVersion, Check: x.Check, Kind: x.checked.Kind, Folder: x.Folder,
		Alpha: judging.Alpha, MinSlowdown: judging.MinSlowdown, Harm: cmp.Or(x.section().Harm, judging.MinSlowdown),
		Cells: slices.Clone(x.Cells), Env: map[string]string{}, Files: []string{}, Effects: []effect.Effect{},
		Rejected: []tuning.Rejected{}, Trades: []Trade{}, Proofs: []Proof{}, Notes: []string{}}
}

// step is an item of a dry run: mpiruns of a plan by several sides, and what is explored before them.
type step struct {
	kind     tuning.Kind
	what     string
	sides, r int
	plan     *guidelines.Plan
	explores *run.Experiment // or nil
}

// Planned says what would be tried, and how long that takes. It assumes that each kind is proved once.
func (x *Task) Planned(ctx context.Context) (text string, total time.Duration, err error) {
	text = fmt.Sprintf("DRY RUN: nothing is started. %s to mend, in %s.\n",
		conf.Plural(len(x.Cells), "cell"), conf.Plural(len(unmended(x.Cells)), "collective"))
	for _, s := range x.steps() {
		takes, err := x.estimate(ctx, experiment.Side, s.plan, s.r)
		takes *= time.Duration(s.sides)
		if err == nil && s.explores != nil {
			var before time.Duration
			before, err = x.estimate(ctx, s.explores, nil, 0)
			takes += before
		}
		if err != nil {
			return "", 0, err
		}
		total += takes
		text += fmt.Sprintf("  %s: %s, %d mpiruns, about %s\n", s.kind, s.what, s.sides*s.r, phrase.Rounded(takes))
	}
	text += fmt.Sprintf("If the first runs look good, a proof follows; what fails in it is left out, and the proof made again: %d at most.\n", x.section().Proofs)
	return text, total, nil
}

func (x *Task) steps() (out []step) {
	left, sides, wants := withAlgorithms(unmended(x.Cells)), 2, x.section().Wants
	proof := func(kind tuning.Kind, reached []tuning.Choice, explores *run.Experiment) {
		plan := x.reached(reached, sides == 2, reached)
		out = append(out, step{kind, "1 proof", sides, x.mpiruns(plan), plan, explores})
		sides = 3
	}
	if c, may := environmentChoice(x.Cells, nil); may && x.explored == nil && wants(tuning.ByEnv) {
		proof(tuning.ByEnv, []tuning.Choice{c}, nil)
	}
	if len(left) > 0 && wants(tuning.OwnAlgorithm) {
		var explores *run.Experiment
		if x.explored == nil {
			explores = explore.At(left, nil)
		}
		choices := perhaps(x.Cells)
		plan := x.reached(choices, false, choices)
		out = append(out, step{tuning.OwnAlgorithm, "a look at the ways to set them", 1 + mostVariables, fewChoosing, plan, explores})
		proof(tuning.OwnAlgorithm, choices, nil)
	}
	library := tuning.LibraryOf(x.checked.Rank.Library, x.checked.Rank.LibVersion)
	components := componentsFor(library, x.Cells)
	for _, sends := range x.slowSends(x.Cells) {
		for _, of := range sends.Limits() {
			components = slices.Concat(of[:min(2, len(of))], components) // as many as bisection mostly takes
		}
	}
	if n := len(components); n > 0 && wants(tuning.ByComponent) {
		if sides == 2 {
			n-- // the first one is proved without a look
		}
		look := reach.Part(x.plan, func(k medians.Cell) bool { return cellOf(x.Cells, k) != nil }, nil)
		out = append(out, step{tuning.ByComponent, "a look at " + conf.Plural(n, "component"), 2 * n, fewProving, look, nil})
		proof(tuning.ByComponent, components[:1], nil)
	}
	return out
}

func perhaps(cells []Cell) (out []tuning.Choice) {
	for _, c := range cells {
		out = append(out, tuning.Choice{Kind: tuning.OwnAlgorithm, Function: c.Function, NP: c.NP, Sizes: []int64{c.Msize}, Measured: []int64{c.Msize}})
	}
	return out
}

func (x *Task) estimate(ctx context.Context, of *run.Experiment, plan *guidelines.Plan, mpiruns int) (time.Duration, error) {
	kind, f := *of, *x.Config
	if plan != nil {
		kind.Plan = func(*glfile.File) (*guidelines.Plan, error) { return plan, nil }
	}
	f.Job.MPIRuns, f.Job.Looks, f.Gate, f.NREP.Predictions = mpiruns, nil, series.DefaultGate(), 1
	c, err := run.New(ctx, &kind, &f, run.Options{Path: x.Folder, Version: x.Version, Dry: true, NoLauncher: true, LaunchTime: x.starts})
	if err != nil {
		return 0, err
	}
	p, err := c.Estimate()
	if err != nil {
		return 0, err
	}
	return p.Total, nil
}
