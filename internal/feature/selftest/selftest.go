package selftest

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"pgmpi/analyze"
	"pgmpi/analyze/judge"
	"pgmpi/guidelines"
	"pgmpi/internal/conf"
	"pgmpi/internal/conf/glfile"
	"pgmpi/internal/experiment"
	"pgmpi/internal/experiment/run"
	"pgmpi/internal/fail"
	"pgmpi/internal/reading"
	"pgmpi/internal/tuning"
	"pgmpi/measure"
	"pgmpi/measure/launch"
	"pgmpi/mockups"
)

// mpiruns makes auto choose the rank-sum for the 80 tests of a self-test. One disturbed mpirun does not spoil it.
const mpiruns = 10

var usualSizes = []string{"64", "1Ki", "16Ki"}

// Trial plants a large slowdown into one collective and small ones into the others. It finds out whether a check
// finds the large one and nothing else, and how many of the small ones.
type Trial struct {
	Config   *glfile.File // defaults with flags
	Function string       // the collective that is slowed down
	Out      string       // the folder of the results folders
	Version  string
	Tell     func(run.Event)
	Start    measure.Starter // measure.Exec if nil

	at      int64   // bytes at which the slowdown is planted
	small   []Share // slowdowns of the other collectives, nothing found yet
	library string  // the preloaded library
	checks  int
}

// defaults sets the values that flags of a self-test override.
var defaults = run.Defaults(func(f *glfile.File) {
	f.Job.MPIRuns, f.Job.Msizes, f.NREP.Fixed = mpiruns, usualSizes, 60
})

// choose selects the guidelines of the checks: all patterns of the paper, monotony and split-robustness of the
// slowed function, its mock-ups of the user's own, and the identities.
func (t *Trial) choose() error {
	if !slices.Contains(mockups.Identities(), t.Function) {
		return fail.Setupf("--function: %s", conf.Unknown("collective", t.Function, mockups.Identities()))
	}
	t.Config.Check.Guidelines = []string{"GL1:" + t.Function, "GL2:" + t.Function, "GL3..GL17"}
	t.Config.Guideline = nil
	for _, c := range mockups.Identities() {
		t.Config.Guideline = append(t.Config.Guideline, guidelines.User{ID: "self-" + strings.TrimPrefix(c, "MPI_"),
			Pattern: &guidelines.UserPattern{Function: c, Mockup: mockups.IdentityOf(c)}})
	}
	for i, id := range guidelines.OwnMockups(t.Config.Mockup, t.Function) {
		t.Config.Guideline = append(t.Config.Guideline, guidelines.User{ID: fmt.Sprintf("own-%d", i+1),
			Pattern: &guidelines.UserPattern{Function: t.Function, Mockup: id}})
	}
	return nil
}

func (t *Trial) Prepare() error {
	if err := t.choose(); err != nil {
		return err
	}
	job := t.Config.Job
	if len(job.NP)+len(job.Shapes) > 1 {
		return fail.Setupf("--np, --shape: a self-test is about one number of processes, or one shape")
	}
	msizes, _, err := guidelines.FitMsizes(job.Msizes, guidelines.Extent(job.Datatype, t.Function))
	if err != nil {
		return fail.AsSetup(err)
	}
	if len(msizes) < 3 {
		return fail.Setupf("--msizes: at least three sizes: monotony and split-robustness need a larger and a smaller one")
	}
	t.at = msizes[len(msizes)/2]
	t.small = []Share{{Percent: 25, Msize: t.at}, {Percent: 10, Msize: msizes[len(msizes)-1]}}
	mpi, err := t.Config.MPI.Installed()
	if err != nil {
		return fail.AsSetup(err)
	}
	rank, err := launch.FindRank(mpi.Rank)
	if err != nil {
		return fail.AsSetup(err)
	}
	if t.library, err = launch.Beside(rank, "-delay.so"); err != nil {
		return fail.AsSetup(err)
	}
	return nil
}

func (t *Trial) check(ctx context.Context, name, delay string) (*analyze.Report, error) {
	t.Tell(run.Event{Sentence: name})
	f := *t.Config
	f.Job.Seed += uint64(t.checks)
	t.checks++
	f.MPI.Env = map[string]string{}
	if delay != "" {
		f.MPI.Env["PGMPI_DELAY"] = delay
		f.MPI.Env["LD_PRELOAD"] = tuning.Loading(t.library)
	}
	path := filepath.Join(t.Out, fmt.Sprintf("check-%d", t.checks))
	if _, err := run.Before(experiment.Check, path, false); err != nil {
		return nil, err
	}
	c, err := run.New(ctx, experiment.Check, &f, run.Options{Path: path, Version: t.Version, Tell: t.Tell, Start: t.Start})
	if err != nil {
		return nil, err
	}
	if err := c.Refusal(); err != nil {
		return nil, err
	}
	if err := c.Open(); err != nil {
		return nil, err
	}
	defer c.Close()
	found, err := c.Do(ctx)
	switch {
	case ctx.Err() != nil:
		return nil, &fail.Interrupted{}
	case err != nil:
		return nil, err
	case found.Exit != nil && !errors.Is(found.Exit, fail.ErrFound):
		return nil, found.Exit
	}
	return found.Judgement.Report, reading.Keep(c.Folder(), found.Document, nil)
}

func (t *Trial) Do(ctx context.Context) (found *Result, err error) {
	a, err := t.identities(ctx)
	if err != nil {
		return nil, err
	}
	found = &Result{Function: t.Function, Sizes: t.Config.Job.Msizes, A: a}
	found.B, err = t.planted(ctx, a.Report)
	return found, err
}

// identities does part (a): any violation there is false, and is asked again in another order. All checks of a
// self-test make the same tests.
func (t *Trial) identities(ctx context.Context) (*Identities, error) {
	base, err := t.check(ctx, "(a) every collective against itself", "")
	if err != nil {
		return nil, err
	}
	x := &Identities{Report: base, Verdicts: map[judge.Verdict]int{}}
	for i := range base.Verdicts {
		if v := &base.Verdicts[i]; isIdentity(v) {
			x.Tests++
			x.Verdicts[v.Verdict]++
		}
	}
	if x.False = x.Verdicts[judge.Violated]; x.False == 0 {
		return x, nil
	}
	again, err := t.check(ctx, "(a) again, in another order", "")
	if err != nil {
		return nil, err
	}
	for i := range again.Verdicts {
		if isIdentity(&base.Verdicts[i]) && base.Verdicts[i].Verdict == judge.Violated && again.Verdicts[i].Verdict == judge.Violated {
			x.Again++
		}
	}
	return x, nil
}

func isIdentity(v *analyze.Verdict) bool { return strings.HasPrefix(v.Mockup, mockups.IdentityOf("")) }

// planted does part (b), after part (a) has given base. It asks again, in another order, about what is wrong.
func (t *Trial) planted(ctx context.Context, base *analyze.Report) (*Planted, error) {
	x := &Planted{Msize: t.at, By: t.amount(base), Tests: len(base.Verdicts)}
	delay := t.delays(x.By)
	r, err := t.check(ctx, "(b) with the planted slowdown", delay)
	if err != nil {
		return nil, err
	}
	x.Small = t.foundSmall(r)
	found := t.compare(base, r)
	for _, p := range found {
		if p.Result != "" {
			x.Shown = append(x.Shown, p)
		}
		if p.IsWrong() {
			x.Wrong++
		}
	}
	if x.Wrong == 0 {
		return x, nil
	}
	if r, err = t.check(ctx, "(b) again, in another order", delay); err != nil {
		return nil, err
	}
	for i, p := range t.compare(base, r) {
		if found[i].IsWrong() && p.IsWrong() {
			x.Again++
		}
	}
	return x, nil
}

// delays writes the plants: for the slowed collective an amount that must be seen, for the others shares of their
// own time, which only their identities can show in all of them.
func (t *Trial) delays(by time.Duration) string {
	all := []string{fmt.Sprintf("%s:%d:%dns", t.Function, t.at, by.Nanoseconds())}
	for _, s := range t.small {
		for _, f := range mockups.Identities() {
			if f != t.Function {
				all = append(all, fmt.Sprintf("%s:%d:%d%%", f, s.Msize, s.Percent))
			}
		}
	}
	return strings.Join(all, ",")
}

func (t *Trial) foundSmall(r *analyze.Report) []Share {
	out := slices.Clone(t.small)
	for i := range out {
		for _, v := range r.Verdicts {
			if isIdentity(&v) && v.Function != t.Function && v.Msize == out[i].Msize {
				out[i].Tests++
				if v.Verdict == judge.Violated {
					out[i].Found++
				}
			}
		}
	}
	return out
}

func (t *Trial) hasSmall(v *analyze.Verdict) bool {
	return v.Function != t.Function && slices.ContainsFunc(t.small, func(s Share) bool { return s.Msize == v.Msize })
}

// amount returns a delay that is visible on a busy machine. It makes the call at least ten times slower than all
// that it is compared with.
func (t *Trial) amount(base *analyze.Report) time.Duration {
	const least, factor = 200e-6, 10
	most := least
	for i := range base.Verdicts {
		v := &base.Verdicts[i]
		if t.slowed(v) && v.OtherMedianS != nil {
			most = max(most, factor**v.OtherMedianS*float64(max(1, v.K)))
		}
	}
	return time.Duration(most * 1e9)
}

// slowed tells whether a test must find the plant: whenever its call is the slowed one. No mock-up of a collective
// contains the collective.
func (t *Trial) slowed(v *analyze.Verdict) bool {
	return v.Function == t.Function && v.Msize == t.at
}

// compare says what became of every test with the plant. A test that was undecided without it may be decided with
// it.
func (t *Trial) compare(base, r *analyze.Report) []PlantedTest {
	all := make([]PlantedTest, len(r.Verdicts))
	for i := range all {
		before, with := &base.Verdicts[i], &r.Verdicts[i]
		wasKept := before.Verdict == judge.Kept || before.Verdict == judge.NotSuspected || isIdentity(with) && before.Verdict != judge.Violated
		violated := with.Verdict == judge.Violated
		result := ""
		switch {
		case t.slowed(with) && violated:
			result = PlantFound
		case t.slowed(with):
			result = PlantMissed
		case violated && wasKept && !t.hasSmall(with):
			result = PlantExtra
		}
		all[i] = PlantedTest{Before: before, With: with, Result: result}
	}
	return all
}
