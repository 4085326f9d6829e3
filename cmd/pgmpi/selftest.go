package main

import (
	"cmp"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/pflag"

	"pgmpi/analyze"
	"pgmpi/analyze/report"
	"pgmpi/guidelines"
	"pgmpi/internal/conf"
	"pgmpi/internal/conf/glfile"
	"pgmpi/measure"
	"pgmpi/measure/launch"
	"pgmpi/mockups"
)

var selftestCommand = command{
	name:  "selftest",
	short: "prove that pgmpi finds what is there, and nothing else",
	long: `(a) A/A: compares the eleven collectives with themselves. Whatever is reported
there is false.
(b) Plants a slowdown of one collective at one size (a library that is loaded
into the ranks delays it) and checks again: exactly that size must be found, by
monotony, split-robustness and every pattern about the collective.
A test at level alpha errs now and then: a part with an error is repeated once
in another order, and fails only with an error that comes back.
Exit code 0: passed, 1: failed, 2 and 3 as for check. Takes half a minute.`,
	flags: func(fs *pflag.FlagSet) func(context.Context, []string) error {
		t := selftest{}
		f := glfile.Default()
		f.Job.MPIRuns, f.Job.Msizes, f.NREP.Fixed = selftestRuns, selftestSizes, 60
		t.settings.base = &f
		t.settings.keys(fs, "np", "mpiruns", "msizes", "rank", "launch", "seed")
		fs.Lookup("np").Usage = "`N` processes (default: the slots of the allocation, else the cores)"
		fs.Lookup("msizes").Usage += "; at least three, and the slowdown is planted at the middle one"
		fs.StringVar(&t.function, "function", "MPI_Allgather", "the `COLLECTIVE` that is slowed down")
		fs.StringVar(&t.out, "out", "", "keep the results folders in `DIR` (default: none is kept)")
		fs.BoolVar(&t.quiet, "quiet", false, "no progress")
		formatFlag(fs, &t.format, selftests)
		return func(ctx context.Context, _ []string) error {
			f, err := pickOne(selftests, t.format)
			if err != nil {
				return err
			}
			var found selftestResult
			failed := t.run(ctx, &found)
			if found.report == nil {
				return failed
			}
			return cmp.Or(show(selftests.Document(&found), f), failed)
		}
	},
}

// selftestRuns makes auto choose the rank-sum for the 80 tests of a self-test: one
// disturbed mpirun does not spoil it.
const selftestRuns = 10

var selftestSizes = []string{"64", "1Ki", "16Ki"}

// selftest is one run of the command.
type selftest struct {
	settings settings
	function string
	out      string
	quiet    bool
	format   string

	config  *glfile.File
	library string // the preloaded one
	checks  int
}

// cell is one test of a check; the same in all checks of a self-test.
type cell struct {
	guideline, function string
	msize               int64
}

// run fills in what it finds, as far as it comes.
func (t *selftest) run(ctx context.Context, found *selftestResult) error {
	if err := t.configure(); err != nil {
		return err
	}
	if t.out == "" {
		dir, err := os.MkdirTemp("", "pgmpi-selftest-")
		if err != nil {
			return setup(err)
		}
		defer os.RemoveAll(dir)
		t.out = dir
	}
	if err := t.identities(ctx, found); err != nil {
		return err
	}
	if err := t.planted(ctx, found); err != nil {
		return err
	}
	found.done = true
	if found.failed() {
		return &exit{code: 1}
	}
	return nil
}

// configure makes the configuration of the checks: all patterns of the paper,
// monotony and split-robustness of the slowed function, and the identities.
func (t *selftest) configure() error {
	if !slices.Contains(mockups.Identities(), t.function) {
		return setupf("--function: %s", conf.Unknown("collective", t.function, mockups.Identities()))
	}
	f := t.settings.base
	f.Check.Guidelines = []string{"GL1:" + t.function, "GL2:" + t.function, "GL3..GL17"}
	for _, c := range mockups.Identities() {
		f.Guideline = append(f.Guideline, guidelines.User{ID: "self-" + strings.TrimPrefix(c, "MPI_"),
			Pattern: &guidelines.UserPattern{Function: c, Mockup: mockups.IdentityOf(c)}})
	}
	var err error
	if t.config, err = t.settings.load(nil); err != nil {
		return err
	}
	if len(f.Job.NP) > 1 {
		return setupf("--np: a self-test is about one number of processes")
	}
	if msizes, _, err := guidelines.FitMsizes(f.Job.Msizes, guidelines.Extent(f.Job.Datatype)); err != nil {
		return setup(err)
	} else if len(msizes) < 3 {
		return setupf("--msizes: at least three sizes: monotony and split-robustness need a larger and a smaller one")
	}
	rank, err := launch.FindRank(f.MPI.Rank)
	if err != nil {
		return setup(err)
	}
	t.library, err = delayLibrary(rank)
	return err
}

// delayLibrary is beside the rank program, which may be a link.
func delayLibrary(rank string) (string, error) {
	real, err := filepath.EvalSymlinks(rank)
	if err != nil {
		return "", setup(err)
	}
	for _, path := range []string{rank, real} {
		if _, err := os.Stat(path + "-delay.so"); err == nil {
			return path + "-delay.so", nil
		}
	}
	return "", setupf("no %s-delay.so beside the rank program: `make build` makes it", real)
}

// check measures and judges once, in a folder and an order of its own.
func (t *selftest) check(ctx context.Context, name, delay string) (*analyze.Report, error) {
	f := *t.config
	f.Job.Seed += uint64(t.checks)
	t.checks++
	f.MPI.Env = map[string]string{}
	if delay != "" {
		f.MPI.Env["PGMPI_DELAY"] = delay
		f.MPI.Env["LD_PRELOAD"] = strings.Trim(t.library+":"+os.Getenv("LD_PRELOAD"), ":")
	}
	fmt.Fprintf(stderr, "%s\n", name)
	quiet := t.settings
	quiet.base, quiet.flags = &f, nil
	o := output{out: filepath.Join(t.out, fmt.Sprintf("check-%d", t.checks)), quiet: t.quiet}
	c, err := open(&quiet, &o, refuseSmallR)
	if err != nil {
		return nil, err
	}
	defer c.Folder.Close()
	err = c.measured(ctx, func(ctx context.Context, s *measure.Session) error {
		if err := s.Predict(ctx, true); err != nil {
			return err
		}
		return c.measureAndFollowUp(ctx, s)
	})
	if ctx.Err() != nil {
		return nil, &exit{exitInterrupted, fmt.Errorf("interrupted")}
	}
	if err != nil {
		return nil, err
	}
	_, r, err := analyzeFolder(c.Folder, c.Manifest, f.Analyze)
	if err != nil {
		return nil, err
	}
	if r.Exit != 0 && r.Exit != 1 {
		return nil, verdictExit(r)
	}
	return r, store(c.Folder, report.Reports.Document(r), withJSON(nil))
}

// identities is part (a).
func (t *selftest) identities(ctx context.Context, to *selftestResult) error {
	base, err := t.check(ctx, "(a) every collective against itself", "")
	if err != nil {
		return err
	}
	to.report, to.sizes = base, t.config.Job.Msizes
	found := falseIdentities(base)
	if len(found) == 0 {
		return nil
	}
	again, err := t.check(ctx, "(a) again, in another order", "")
	if err != nil {
		return err
	}
	back := len(intersect(found, falseIdentities(again)))
	to.falseBack = &back
	return nil
}

func isIdentity(v *analyze.Verdict) bool { return strings.HasPrefix(v.Mockup, mockups.IdentityOf("")) }

func falseIdentities(r *analyze.Report) map[cell]bool {
	found := map[cell]bool{}
	for i := range r.Verdicts {
		if v := &r.Verdicts[i]; isIdentity(v) && v.Verdict == analyze.Violated {
			found[cellOf(v)] = true
		}
	}
	return found
}

func cellOf(v *analyze.Verdict) cell { return cell{v.Guideline, v.Function, v.Msize} }

func intersect(a, b map[cell]bool) map[cell]bool {
	out := map[cell]bool{}
	for c := range a {
		if b[c] {
			out[c] = true
		}
	}
	return out
}

// amount is the delay that makes the call at msize at least ten times slower
// than all that it is compared with, and visible on a busy machine.
func amount(base *analyze.Report, function string, msize int64) conf.Duration {
	const least, factor = 200e-6, 10
	most := least
	for i := range base.Verdicts {
		v := &base.Verdicts[i]
		if v.Function == function && v.Msize == msize && v.OtherMedianS != nil {
			most = max(most, factor**v.OtherMedianS*float64(max(1, v.K)))
		}
	}
	return conf.Duration(most * 1e9)
}
