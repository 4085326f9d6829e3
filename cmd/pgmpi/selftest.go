package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/pflag"

	"pgmpi/analyze"
	"pgmpi/analyze/judge"
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
		return func(ctx context.Context, _ []string) error { return t.run(ctx) }
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

	config  *glfile.File
	library string // the preloaded one
	checks  int
}

// cell is one test of a check; the same in all checks of a self-test.
type cell struct {
	guideline, function string
	msize               int64
}

func (t *selftest) run(ctx context.Context) error {
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
	base, falseAA, err := t.identities(ctx)
	if err != nil {
		return err
	}
	wrong, err := t.planted(ctx, base)
	if err != nil {
		return err
	}
	if falseAA+wrong > 0 {
		fmt.Fprintln(stdout, "\nThe self-test has FAILED. On a busy machine it may: give every process a core of its own, or more --mpiruns.")
		return &exit{code: 1}
	}
	fmt.Fprintln(stdout, "\nThe self-test has passed.")
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

// delayLibrary stands beside the rank program, which may be a link.
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
	a, err := analyzeFolder(c.Folder, c.Manifest, f.Analyze)
	if err != nil {
		return nil, err
	}
	r := a.Report
	if r.Exit != 0 && r.Exit != 1 {
		return nil, verdictExit(r)
	}
	return r, writeFormats(c.Folder, r, nil)
}

// identities is part (a). It returns the first report and the number of false
// violations that came back.
func (t *selftest) identities(ctx context.Context) (*analyze.Report, int, error) {
	base, err := t.check(ctx, "(a) every collective against itself", "")
	if err != nil {
		return nil, 0, err
	}
	t.header(base)
	found := falseIdentities(base)
	by := map[judge.Verdict]int{}
	tests := 0
	for i := range base.Verdicts {
		if v := &base.Verdicts[i]; isIdentity(v) {
			tests++
			by[v.Verdict]++
		}
	}
	fmt.Fprintf(stdout, "\n(a) A/A: %d tests of a collective against itself: %d violated, %d marginal, %d kept, %d undecided\n",
		tests, by[judge.Violated], by[judge.Marginal], by[judge.Kept], by[judge.Undecided])
	fmt.Fprintf(stdout, "    Stated error: alpha = %g for all %d tests of a check together, adjustment %s.\n", base.Alpha, base.M, base.Adjust)
	if len(found) == 0 {
		return base, 0, nil
	}
	again, err := t.check(ctx, "(a) again, in another order", "")
	if err != nil {
		return nil, 0, err
	}
	both := intersect(found, falseIdentities(again))
	fmt.Fprintf(stdout, "    Repeated in another order: %d of the false violations came back.\n", len(both))
	return base, len(both), nil
}

func isIdentity(v *analyze.Verdict) bool { return strings.HasPrefix(v.Mockup, mockups.IdentityOf("")) }

func falseIdentities(r *analyze.Report) map[cell]bool {
	found := map[cell]bool{}
	for i := range r.Verdicts {
		if v := &r.Verdicts[i]; isIdentity(v) && v.Verdict == judge.Violated {
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

// header says what is tested.
func (t *selftest) header(r *analyze.Report) {
	version, _, _ := strings.Cut(strings.ReplaceAll(r.Library.Version, ",", "\n"), "\n")
	fmt.Fprintf(stdout, "Self-test with %s, p = %d, R = %d mpiruns, sizes %s\n", strings.TrimSpace(version), r.Shapes[0].NP, r.R,
		strings.Join(t.config.Job.Msizes, ", "))
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
