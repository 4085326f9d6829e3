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
	"strings"
	"time"

	"pgmpi/analyze/report"
	"pgmpi/analyze/series"
	"pgmpi/guidelines"
	"pgmpi/internal/clean"
	"pgmpi/internal/conf"
	"pgmpi/internal/conf/glfile"
	"pgmpi/internal/exitcode"
	"pgmpi/internal/experiment/run"
	"pgmpi/internal/fail"
	"pgmpi/internal/feature/explore"
	"pgmpi/internal/feature/remedy/reach"
	"pgmpi/internal/lists"
	"pgmpi/internal/phrase"
	"pgmpi/internal/tuning"
	"pgmpi/internal/untimed"
	"pgmpi/measure"
	"pgmpi/measure/results"
	"pgmpi/mockups"
)

// mending works on a task. It has the findings so far and the places of its mpiruns. The setting that
// is held, proved so far, goes from one try to the next.
type mending struct {
	*Task
	tell   func(run.Event)
	once   *untimed.Once
	target tuning.Target
	work   string // folder of the mpiruns
	found  *Result
}

// Do tries choices in the order of remedy.kinds. It returns those that are proved, and writes them into
// the folder of the remedy.
func (t *Task) Do(ctx context.Context, tell func(run.Event)) (*Result, error) {
	if len(t.Cells) == 0 {
		return t.result(), nil
	}
	x, err := begin(ctx, t, tell)
	if err != nil {
		return nil, err
	}
	limited := ctx
	if x.MaxTime > 0 {
		var cancel context.CancelFunc
		limited, cancel = context.WithTimeout(ctx, x.MaxTime)
		defer cancel()
	}
	held, err := x.try(limited)
	if err != nil && limited.Err() != nil && ctx.Err() == nil {
		err = nil
		x.note("%v are over (--max-time); --resume goes on", x.MaxTime)
	}
	if err != nil && len(held.choices) == 0 {
		return nil, err
	}
	if err != nil { // what is proved took many mpiruns
		x.note("it ended early, and what is proved so far is here; --resume goes on: %v", err)
	}
	return x.found, errors.Join(x.export(held), err)
}

// try returns the setting that is proved, also with an error.
func (x *mending) try(ctx context.Context) (held setting, err error) {
	if x.explored != nil {
		list, err := x.listed(ctx, x.Config)
		if err != nil {
			return held, err
		}
		if held, err = x.tryOf(ctx, held, x.explored, x.choicesOf(x.explored, list)); err != nil || !x.section().Wants(tuning.ByComponent) {
			return held, err
		}
		return x.tryComponents(ctx, held)
	}
	for _, kind := range []struct {
		of  tuning.Kind
		try func(context.Context, setting) (setting, error)
	}{{tuning.ByEnv, x.tryEnvironment}, {tuning.OwnAlgorithm, x.tryAlgorithms}, {tuning.ByComponent, x.tryComponents}} {
		if !x.section().Wants(kind.of) {
			continue
		}
		if held, err = kind.try(ctx, held); err != nil {
			return held, err
		}
	}
	return held, nil
}

func begin(ctx context.Context, t *Task, tell func(run.Event)) (*mending, error) {
	once, err := untimed.NewOnce(t.Config, t.Start)
	if err != nil {
		return nil, err
	}
	x := &mending{Task: t, tell: tell, once: once, found: t.result()}
	if err := x.sameLibrary(); err != nil {
		return nil, err
	}
	if x.target, err = once.Target(ctx, t.Folder); err != nil {
		return nil, err
	}
	if err := os.MkdirAll(t.Folder, 0o777); err != nil {
		return nil, fail.AsSetup(err)
	}
	x.work = run.NewFolder(filepath.Join(t.Folder, results.Proofs), time.Now())
	if old, err := filepath.Glob(filepath.Join(t.Folder, results.Proofs+"*")); x.Resume && err == nil && len(old) > 0 {
		x.work = slices.MaxFunc(old, func(a, b string) int { return cmp.Or(cmp.Compare(len(a), len(b)), cmp.Compare(a, b)) })
	}
	return x, nil
}

// sameLibrary refuses to prove with another library than the one that was checked, and notes other
// differences.
func (x *mending) sameLibrary() error {
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

func (x *mending) tryEnvironment(ctx context.Context, held setting) (setting, error) {
	c, may := environmentChoice(x.found.Cells, reach.Sizes(x.plan, "", 0))
	if !may {
		x.note("malloc's variables were not tried: no violated case is of 128 KiB or more, or meets page faults")
		return held, nil
	}
	return x.prove(ctx, held, []tuning.Choice{c})
}

func (x *mending) tryAlgorithms(ctx context.Context, held setting) (setting, error) {
	sizes := withAlgorithms(unmended(x.found.Cells))
	if len(sizes) == 0 {
		return held, nil
	}
	f := *x.Config
	f.Check.Functions, f.NREP.Predictions, f.NREP.Fixed = slices.Sorted(maps.Keys(sizes)), 1, 0
	f.Job.MPIRuns, f.Job.Looks, f.Gate = 0, nil, series.DefaultGate()
	f.MPI.Env = measure.Env(f.MPI.Env, held.env)
	list, err := x.listed(ctx, &f)
	if err != nil {
		return held, err
	}
	e, err := x.explore(ctx, held, &f, list, sizes)
	if err != nil || e == nil {
		return held, err
	}
	return x.tryOf(ctx, held, e, x.choicesOf(e, list))
}

func (x *mending) listed(ctx context.Context, f *glfile.File) (*report.Algorithms, error) {
	return untimed.ReadAlgorithms(ctx, f, x.Start)
}

// choicesOf returns what an exploration has found to be faster.
func (x *mending) choicesOf(e *explore.Exploration, list *report.Algorithms) []tuning.Choice {
	return algorithmChoices(e, x.found.Cells, &x.checked.Plan, list.Collectives, x.Extend)
}

// tryComponents proves other components of the library one by one, besides what is proved
// already: each acts on all sizes, so only a proof of its own can tell what it harms. Eager limits come first.
func (x *mending) tryComponents(ctx context.Context, held setting) (setting, error) {
	held, err := x.tryLimits(ctx, held)
	if err != nil {
		return held, err
	}
	for _, c := range componentsFor(x.target.Library, x.found.Cells) {
		if len(unmended(x.found.Cells)) == 0 {
			return held, nil
		}
		c.NP = x.found.Cells[0].NP
		if held, err = x.prove(ctx, held, append(slices.Clone(held.choices), c)); err != nil {
			return held, err
		}
	}
	return held, nil
}

func componentsFor(l tuning.Library, cells []Cell) []tuning.Choice {
	return tuning.Components(l, slices.Sorted(maps.Keys(unmended(cells))))
}

// withAlgorithms leaves messages out.
func withAlgorithms(of map[string]guidelines.MsizeList) map[string]guidelines.MsizeList {
	maps.DeleteFunc(of, func(function string, _ guidelines.MsizeList) bool {
		return !slices.Contains(mockups.Collectives(), function)
	})
	return of
}

// unmended returns the functions that have cells not mended yet. Each has the sizes of these.
func unmended(cells []Cell) map[string]guidelines.MsizeList {
	out := map[string]guidelines.MsizeList{}
	for _, c := range cells {
		function := mockups.AnyRanks(c.Function)
		if c.State.Settled() || len(c.Guidelines) == 0 && c.State == CellFaster || !slices.Contains(mockups.Functions(), function) {
			continue
		}
		sizes := out[function]
		if text := fmt.Sprint(c.Msize); c.Msize > 0 && !slices.Contains(sizes, text) {
			sizes = append(sizes, text)
		}
		out[function] = sizes
	}
	return out
}

// explore returns nil if the library names no algorithms.
func (x *mending) explore(ctx context.Context, held setting, f *glfile.File, list *report.Algorithms, sizes map[string]guidelines.MsizeList) (*explore.Exploration, error) {
	if n, _ := list.Count(); n == 0 {
		x.note("no algorithms were tried: %s", strings.TrimSuffix(list.None(), "."))
		return nil, nil
	}
	unknown := lists.Keep(list.Unknown(), func(c string) bool { return slices.Contains(f.Check.Functions, c) })
	if len(unknown) > 0 {
		x.note("not all algorithms were tried: %s", strings.TrimSuffix(report.NotKnown(unknown), "."))
	}
	x.tell(run.Event{Step: fmt.Sprintf("exploring the library's own algorithms of %s", conf.Plural(len(f.Check.Functions), "violated collective"))})
	c, err := x.campaign(ctx, explore.At(sizes, x.withParameters(list)), f, filepath.Join(x.work, nameOf("explore", held.choices)))
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

func (x *mending) campaign(ctx context.Context, kind *run.Experiment, f *glfile.File, path string) (*run.Campaign, error) {
	there, err := run.Before(kind, path, true)
	if err != nil {
		return nil, err
	}
	return run.New(ctx, kind, f, run.Options{Path: path, Before: there, Version: x.Version, Tell: x.tell, Start: x.Start})
}

func (x *mending) withParameters(list *report.Algorithms) (out []guidelines.UserPattern) {
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
func (x *mending) unless(ctx context.Context, err error, what string) error {
	if ctx.Err() != nil || !fail.Is[*fail.Setup](err) {
		return err
	}
	x.note("%s: %v", what, err)
	return nil
}

func (x *mending) note(format string, args ...any) {
	x.found.Notes = append(x.found.Notes, fmt.Sprintf(format, args...))
}

// It is OK if nothing was violated, and if something was mended.
func exitCode(r *Result) int {
	if len(r.Cells) == 0 || len(r.Env) > 0 {
		return exitcode.OK
	}
	return exitcode.NoVerdict
}
