package remedy

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"time"

	"pgmpi/analyze/explore"
	"pgmpi/analyze/medians"
	"pgmpi/analyze/report"
	"pgmpi/analyze/series"
	"pgmpi/guidelines"
	"pgmpi/internal/clean"
	"pgmpi/internal/conf"
	"pgmpi/internal/conf/glfile"
	"pgmpi/internal/exitcode"
	"pgmpi/internal/experiment"
	"pgmpi/internal/experiment/run"
	"pgmpi/internal/fail"
	"pgmpi/internal/lists"
	"pgmpi/internal/phrase"
	"pgmpi/internal/reading"
	"pgmpi/internal/tuning"
	"pgmpi/internal/untimed"
	"pgmpi/measure"
	"pgmpi/measure/results"
	"pgmpi/mockups"
)

// Remedy looks for a setting of the MPI library that mends what a check calls violated,
// and proves it.
type Remedy struct {
	Config  *glfile.File  // of the check, with flags
	Check   string        // its results folder, or an exploration's
	Mpiruns int           // of each side of a proof; 0 for as many as one harmed case needs to be seen
	MaxTime time.Duration // after which nothing more is tried; 0: no limit
	Force   bool          // begin another remedy in the folder
	Resume  bool          // go on with the last remedy in the folder
	Extend  bool          // let choices hold below the smallest and above the largest measured size
	Version string
	Tell    func(run.Event)
	Start   measure.Starter // by default measure.Exec

	once     *untimed.Once
	target   tuning.Target
	plan     *guidelines.Plan // of proofs
	checked  *results.Manifest
	explored *explore.Exploration // the exploration that is in the folder, in place of a check
	work     string               // folder of the mpiruns
	found    *report.RemedyResult
	held     setting // what is proved so far
}

func folderOf(check string) string { return filepath.Join(check, report.RemedyFolder) }

// Prepare judges the folder and refuses what cannot be begun; it writes and starts nothing.
// It returns false if nothing is violated, or no algorithm that was explored is faster.
func (x *Remedy) Prepare() (bool, error) {
	folder, m, err := reading.Open(x.Check, results.Check, results.Explore)
	if err != nil {
		return false, err
	}
	data, err := reading.Collect(folder, m, m.R)
	if err != nil {
		return false, err
	}
	unfinished, err := reading.Unfinished(folder, m, data)
	if err != nil {
		return false, err
	}
	if unfinished {
		return false, fail.Setupf("%s is not finished, and may find more: `%s` goes on", x.Check, m.Kind.GoesOn(conf.Quote(x.Check)))
	}
	x.plan, x.checked = &m.Plan, m
	var cells []report.RemedyCell
	if m.Kind == results.Explore {
		cells, err = x.fromExploration(data)
	} else {
		cells, err = x.fromCheck(folder, data)
	}
	if err != nil {
		return false, err
	}
	path, err := filepath.Abs(folderOf(x.Check))
	if err != nil {
		return false, fail.AsSetup(err)
	}
	if !x.Force && !x.Resume && !results.IsFresh(path) {
		return false, fail.Setupf("%s is not empty: --resume goes on with the remedy there, --force begins another", path)
	}
	x.found = &report.RemedyResult{Schema: report.RemedySchema, Version: x.Version, Created: time.Now().UTC().Format(time.RFC3339), Library: m.Rank.LibVersion,
		Check: x.Check, Kind: m.Kind, Folder: path, Alpha: x.Config.Analyze.Alpha, MinSlowdown: x.Config.Analyze.MinSlowdown,
		Harm:  cmp.Or(x.section().Harm, x.Config.Analyze.MinSlowdown),
		Cells: cells, Env: map[string]string{}, Files: []string{}, Effects: []report.Effect{}, Rejected: []tuning.Rejected{}, Proofs: []report.Proof{}, Notes: []string{}}
	return len(cells) > 0, nil
}

func (x *Remedy) fromCheck(folder *results.Folder, data *medians.Set) ([]report.RemedyCell, error) {
	j, err := reading.Judged(folder, x.checked, data, x.Config.Analyze)
	if err != nil {
		return nil, err
	}
	cells := violatedCells(j.Report)
	if no := j.Report.Refused; no != nil && len(cells) == 0 {
		return nil, &fail.Refused{Reason: no.Reason}
	}
	return cells, nil
}

// fromExploration returns the cells where an own algorithm is shown to be faster. Proofs then
// measure the collectives that were explored, with the mock-ups of all guidelines.
func (x *Remedy) fromExploration(data *medians.Set) ([]report.RemedyCell, error) {
	var err error
	if x.explored, err = explore.Explore(x.checked, data, x.Config.Analyze); err != nil {
		return nil, err
	}
	f := *x.Config
	f.Guideline, f.Check = nil, guidelines.Default()
	f.Check.Guidelines = []string{"GL1..GL29"}
	cells := []report.RemedyCell{}
	for _, c := range x.explored.Cells {
		f.Check.Functions = lists.With(f.Check.Functions, c.Function)
		if c.Word == explore.OwnAlgorithm {
			cells = append(cells, report.RemedyCell{Cell: c.Cell, NP: c.NP, Guidelines: []string{}, Ratio: c.Own.Ratio, State: report.CellNotProved, By: []string{}})
		}
	}
	x.Config = &f
	if len(f.Check.CheckSelects(nil)) == 0 {
		x.plan, err = f.Plan(f.Job.NP)
	} else { // no guideline is about such as MPI_Scatterv
		x.plan, err = f.CasesOnly(f.Job.NP, f.Check.Functions)
	}
	if err != nil {
		return nil, fail.AsSetup(err)
	}
	for _, c := range cells { // beside guidelines of others
		k := x.checked.Plan.Cases[slices.IndexFunc(x.checked.Plan.Cases, func(k guidelines.Case) bool { return medians.CellOf(k) == c.Cell })]
		x.plan.Cases = lists.With(x.plan.Cases, k)
	}
	return cells, nil
}

// Do tries choices in the order of remedy.kinds, returns those that are proved, and writes
// them into the folder of the remedy.
func (x *Remedy) Do(ctx context.Context) (*report.RemedyResult, error) {
	if len(x.found.Cells) == 0 {
		return x.found, nil
	}
	if err := x.begin(ctx); err != nil {
		return nil, err
	}
	limited := ctx
	if x.MaxTime > 0 {
		var cancel context.CancelFunc
		limited, cancel = context.WithTimeout(ctx, x.MaxTime)
		defer cancel()
	}
	err := x.try(limited)
	if err != nil && limited.Err() != nil && ctx.Err() == nil {
		err = nil
		x.note("%v are over (--max-time); --resume goes on", x.MaxTime)
	}
	if err != nil && len(x.held.choices) == 0 {
		return nil, err
	}
	if err != nil { // what is proved took many mpiruns
		x.note("it ended early, and what is proved so far is here; --resume goes on: %v", err)
	}
	return x.found, errors.Join(x.export(), err)
}

func (x *Remedy) section() tuning.Config { return glfile.Of(x.Config, tuning.Section) }

// Planned says what would be tried, and how long it takes if each is proved once and no look points to help.
func (x *Remedy) Planned(ctx context.Context) (text string, total time.Duration, err error) {
	left, sides, wants := x.unmended(), 2, x.section().Wants
	text = fmt.Sprintf("DRY RUN: nothing is started. %s to mend, in %s.\n", conf.Plural(len(x.found.Cells), "cell"), conf.Plural(len(left), "collective"))
	say := func(kind tuning.Kind, what string, sides, r int, plan *guidelines.Plan, before time.Duration) {
		takes := before + time.Duration(sides)*x.estimate(ctx, experiment.Side, plan, r, &err)
		total += takes
		text += fmt.Sprintf("  %s: %s, %d mpiruns, about %s\n", kind, what, sides*r, phrase.Rounded(takes))
	}
	proof := func(kind tuning.Kind, reached []tuning.Choice, before time.Duration) {
		plan := x.reached(reached, sides == 2, reached)
		say(kind, "1 proof", sides, x.mpiruns(plan), plan, before)
		sides = 3
	}
	if c, may := environmentChoice(x.found.Cells, nil); may && x.explored == nil && wants(tuning.ByEnv) {
		proof(tuning.ByEnv, []tuning.Choice{c}, 0)
	}
	if len(left) > 0 && wants(tuning.OwnAlgorithm) {
		var explored time.Duration
		if x.explored == nil {
			explored = x.estimate(ctx, experiment.ExploreAt(left, nil), nil, 0, &err)
		}
		proof(tuning.OwnAlgorithm, perhaps(x.found.Cells), explored)
	}
	library := tuning.LibraryOf(x.checked.Rank.Library, x.checked.Rank.LibVersion)
	components := tuning.Components(library, slices.Sorted(maps.Keys(left)))
	if n := len(components); n > 0 && x.explored == nil && wants(tuning.ByComponent) {
		if sides == 2 {
			n--
			proof(tuning.ByComponent, components[:1], 0)
		}
		look := partOf(x.plan, func(k medians.Cell) bool { return cellOf(x.found.Cells, k) != nil }, nil)
		say(tuning.ByComponent, "a look at "+conf.Plural(n, "component"), 2*n, fewProving, look, 0)
	}
	return text + fmt.Sprintf("Where a look points to help a proof follows. One in which something fails is made again with the rest.\nThere are at most %d.\n", x.section().Proofs), total, err
}

func perhaps(cells []report.RemedyCell) (out []tuning.Choice) {
	for _, c := range cells {
		out = append(out, tuning.Choice{Kind: tuning.OwnAlgorithm, Function: c.Function, NP: c.NP, Sizes: []int64{c.Msize}})
	}
	return out
}

func (x *Remedy) estimate(ctx context.Context, of *run.Experiment, plan *guidelines.Plan, mpiruns int, failed *error) time.Duration {
	kind, f := *of, *x.Config
	if plan != nil {
		kind.Plan = func(*glfile.File) (*guidelines.Plan, error) { return plan, nil }
	}
	f.MPI.Launch = []string{"true", "{np}"} // the launcher may not be on this machine
	f.Job.MPIRuns, f.Job.Looks, f.Gate, f.NREP.Predictions = mpiruns, nil, series.DefaultGate(), 1
	c, err := run.New(ctx, &kind, &f, run.Options{Path: x.found.Folder, Version: x.Version, Dry: true})
	if err == nil {
		var p *report.Plan
		if p, err = c.Estimate(); err == nil {
			return p.Total
		}
	}
	*failed = err
	return 0
}

func (x *Remedy) try(ctx context.Context) error {
	if x.explored != nil {
		list, err := untimed.ReadAlgorithms(ctx, x.Config, x.Start)
		if err != nil {
			return err
		}
		return x.tryOf(ctx, x.explored, list)
	}
	for _, kind := range []struct {
		of  tuning.Kind
		try func(context.Context) error
	}{{tuning.ByEnv, x.tryEnvironment}, {tuning.OwnAlgorithm, x.tryAlgorithms}, {tuning.ByComponent, x.tryComponents}} {
		if !x.section().Wants(kind.of) {
			continue
		}
		if err := kind.try(ctx); err != nil {
			return err
		}
	}
	return nil
}

func (x *Remedy) begin(ctx context.Context) (err error) {
	if x.once, err = untimed.NewOnce(x.Config, x.Start); err != nil {
		return err
	}
	if err := x.sameLibrary(); err != nil {
		return err
	}
	if x.target, err = x.once.Target(ctx, x.found.Folder); err != nil {
		return err
	}
	if err := os.MkdirAll(x.found.Folder, 0o777); err != nil {
		return fail.AsSetup(err)
	}
	x.work = run.NewFolder(filepath.Join(x.found.Folder, results.Proofs), time.Now())
	if old, err := filepath.Glob(filepath.Join(x.found.Folder, results.Proofs+"*")); x.Resume && err == nil && len(old) > 0 {
		x.work = slices.MaxFunc(old, func(a, b string) int { return cmp.Or(cmp.Compare(len(a), len(b)), cmp.Compare(a, b)) })
	}
	return nil
}

// sameLibrary refuses to prove with another library than the one that was checked, and notes other
// differences.
func (x *Remedy) sameLibrary() error {
	now, then := x.once.Rank(), x.checked
	if now.LibVersion != "" && then.Rank.LibVersion != "" && now.LibVersion != then.Rank.LibVersion {
		return fail.Setupf("%s is a check of %s, and the rank program now runs with %s: check that library first, or give --rank and --launch of the other",
			x.Check, clean.Line(phrase.ShortVersion(then.Rank.LibVersion)), clean.Line(phrase.ShortVersion(now.LibVersion)))
	}
	if now.Hash != then.Rank.Hash {
		x.note("the rank program is another than in the check (%s, then %s)", clean.Line(now.Hash), clean.Line(then.Rank.Hash))
	}
	x.found.Host, _ = os.Hostname()
	if old := then.Factors.Hostname; x.found.Host != old {
		x.note("what is proved here holds for %s; the check was made on %s", clean.Line(x.found.Host), clean.Line(old))
	}
	return nil
}

func (x *Remedy) tryEnvironment(ctx context.Context) error {
	c, may := environmentChoice(x.found.Cells, sizesOf(x.plan, "", 0))
	if !may {
		x.note("malloc's variables were not tried: no violated case is of 128 KiB or more, or meets page faults")
		return nil
	}
	return x.prove(ctx, []tuning.Choice{c})
}

func (x *Remedy) tryAlgorithms(ctx context.Context) error {
	sizes := x.unmended()
	if len(sizes) == 0 {
		return nil
	}
	f := *x.Config
	f.Check.Functions, f.NREP.Predictions, f.NREP.Fixed = slices.Sorted(maps.Keys(sizes)), 1, 0
	f.Job.MPIRuns, f.Job.Looks, f.Gate = 0, nil, series.DefaultGate()
	f.MPI.Env = measure.Env(f.MPI.Env, x.held.env)
	list, err := untimed.ReadAlgorithms(ctx, &f, x.Start)
	if err != nil {
		return err
	}
	e, err := x.explore(ctx, &f, list, sizes)
	if err != nil || e == nil {
		return err
	}
	return x.tryOf(ctx, e, list)
}

func (x *Remedy) tryOf(ctx context.Context, e *explore.Exploration, list *report.Algorithms) error {
	if choices := algorithmChoices(e, x.found.Cells, &x.checked.Plan, list.Collectives, x.Extend); len(choices) > 0 {
		return x.prove(ctx, slices.Concat(x.held.choices, choices))
	}
	return nil
}

// tryComponents proves other components of the library one by one, beside what is proved
// already: each acts on all sizes, so only a proof of its own can tell what it harms.
func (x *Remedy) tryComponents(ctx context.Context) error {
	for _, c := range tuning.Components(x.target.Library, slices.Sorted(maps.Keys(x.unmended()))) {
		if len(x.unmended()) == 0 {
			return nil
		}
		c.NP = x.found.Cells[0].NP
		if err := x.prove(ctx, append(slices.Clone(x.held.choices), c)); err != nil {
			return err
		}
	}
	return nil
}

// unmended returns the collectives with algorithms, each with its sizes, that have cells which are
// not mended yet.
func (x *Remedy) unmended() map[string]guidelines.MsizeList {
	out := map[string]guidelines.MsizeList{}
	for _, c := range x.found.Cells {
		if c.State.Settled() || !slices.Contains(mockups.Collectives(), c.Function) {
			continue
		}
		sizes := out[c.Function]
		if text := fmt.Sprint(c.Msize); c.Msize > 0 && !slices.Contains(sizes, text) {
			sizes = append(sizes, text)
		}
		out[c.Function] = sizes
	}
	return out
}

// explore returns nil if the library names no algorithms.
func (x *Remedy) explore(ctx context.Context, f *glfile.File, list *report.Algorithms, sizes map[string]guidelines.MsizeList) (*explore.Exploration, error) {
	if n, _ := list.Count(); n == 0 {
		x.note("no algorithms were tried: %s does not tell any of its own (MPI_T)", list.Library)
		return nil, nil
	}
	x.Tell(run.Event{Step: fmt.Sprintf("exploring the library's own algorithms of %s", conf.Plural(len(f.Check.Functions), "violated collective"))})
	c, err := x.campaign(ctx, experiment.ExploreAt(sizes, x.withParameters(list)), f, filepath.Join(x.work, x.nameOf("explore", nil)))
	if err != nil {
		return nil, x.unless(ctx, err, "no algorithms were tried")
	}
	if err := c.Open(); err != nil {
		return nil, err
	}
	defer c.Close()
	found, err := c.Do(ctx)
	if err != nil {
		return nil, err
	}
	return found.Value.(*explore.Exploration), nil
}

func (x *Remedy) campaign(ctx context.Context, kind *run.Experiment, f *glfile.File, path string) (*run.Campaign, error) {
	there, err := run.Before(kind, path, true)
	if err != nil {
		return nil, err
	}
	return run.New(ctx, kind, f, run.Options{Path: path, Before: there, Version: x.Version, Tell: x.Tell, Start: x.Start})
}

func (x *Remedy) withParameters(list *report.Algorithms) (out []guidelines.UserPattern) {
	for _, c := range list.Collectives {
		for _, a := range c.Names {
			for _, name := range tuning.Parameters(x.target.Library, c.Collective, a.Name, x.found.Cells[0].NP) {
				if glfile.Of(x.Config, explore.Section).Wants(mockups.AlgorithmID(c.Collective, a.Name)) {
					out = append(out, guidelines.UserPattern{Function: c.Collective, Mockup: mockups.AlgorithmID(c.Collective, name)})
				}
			}
		}
	}
	return out
}

// unless notes a set-up error as the reason why something was not tried, and returns others.
func (x *Remedy) unless(ctx context.Context, err error, what string) error {
	if ctx.Err() != nil || !fail.Is[*fail.Setup](err) {
		return err
	}
	x.note("%s: %v", what, err)
	return nil
}

func (x *Remedy) note(format string, args ...any) {
	x.found.Notes = append(x.found.Notes, fmt.Sprintf(format, args...))
}

// It is OK if nothing was violated, and if something was mended.
func exitCode(r *report.RemedyResult) int {
	if len(r.Cells) == 0 || len(r.Env) > 0 {
		return exitcode.OK
	}
	return exitcode.NoVerdict
}
