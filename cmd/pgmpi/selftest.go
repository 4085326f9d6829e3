package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/spf13/pflag"

	"pgmpi/analyze"
	"pgmpi/internal/campaign"
	"pgmpi/internal/conf"
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
		var s settings
		var t campaign.Selftest
		var quiet bool
		s.fs = fs
		fs.IntSliceVar(&s.np, "np", nil, "`N` processes (default: the slots of the allocation, else the cores)")
		fs.IntVar(&s.mpiruns, "mpiruns", 0, fmt.Sprintf("`R`, mpiruns of each check (default %d)", campaign.SelftestRuns))
		fs.StringSliceVar(&s.msizes, "msizes", nil, "message sizes, a comma `LIST` of at least three; the slowdown is planted at the middle one (default "+strings.Join(campaign.SelftestSizes, ",")+")")
		fs.StringVar(&s.rank, "rank", "", "the rank program `FILE` (default: pgmpi-rank beside pgmpi)")
		fs.StringVar(&s.launch, "launch", "", "the launcher, a `TEXT` that is split at spaces (default: that of the rank program's library)")
		fs.Uint64Var(&s.seed, "seed", 0, "seed `N` of the order of the cases (default 1)")
		fs.StringVar(&t.Function, "function", "MPI_Allgather", "the `COLLECTIVE` that is slowed down")
		fs.StringVar(&t.Out, "out", "", "keep the results folders in `DIR` (default: none is kept)")
		fs.BoolVar(&quiet, "quiet", false, "no progress")
		return func(ctx context.Context, _ []string) error { return selftest(ctx, &t, &s, quiet) }
	},
}

func selftest(ctx context.Context, t *campaign.Selftest, s *settings, quiet bool) error {
	var err error
	if s.base, err = campaign.SelftestConfig(t.Function); err != nil {
		return err
	}
	if t.Config, err = s.load(nil); err != nil {
		return err
	}
	if err := t.Prepare(); err != nil {
		return err
	}
	if t.Out == "" {
		if t.Out, err = os.MkdirTemp("", "pgmpi-selftest-"); err != nil {
			return setup(err)
		}
		defer os.RemoveAll(t.Out)
	}
	p := newProgress(quiet)
	t.Version, t.Tell = version, p.tell
	a, err := t.Identities(ctx)
	p.clear()
	if err != nil {
		return inconclusive(err)
	}
	printIdentities(t, a)
	b, err := t.Planted(ctx, a.Report)
	p.clear()
	if err != nil {
		return inconclusive(err)
	}
	printPlanted(t, b)
	if a.Again+b.Again > 0 {
		fmt.Fprintln(stdout, "\nThe self-test has FAILED. On a busy machine it may: give every process a core of its own, or more --mpiruns.")
		return &exit{code: 1}
	}
	fmt.Fprintln(stdout, "\nThe self-test has passed.")
	return nil
}

// inconclusive says why a check had no verdict.
func inconclusive(err error) error {
	if none := (*campaign.Inconclusive)(nil); errors.As(err, &none) {
		return verdictExit(none.Report)
	}
	return err
}

func printIdentities(t *campaign.Selftest, x *campaign.Identities) {
	r := x.Report
	library, _, _ := strings.Cut(strings.ReplaceAll(r.Library.Version, ",", "\n"), "\n")
	fmt.Fprintf(stdout, "Self-test with %s, p = %d, R = %d mpiruns, sizes %s\n", strings.TrimSpace(library), r.Shapes[0].NP, r.R,
		strings.Join(t.Config.Job.Msizes, ", "))
	fmt.Fprintf(stdout, "\n(a) A/A: %d tests of a collective against itself: %d violated, %d marginal, %d kept, %d undecided\n",
		x.Tests, x.Verdicts[analyze.Violated], x.Verdicts[analyze.Marginal], x.Verdicts[analyze.Kept], x.Verdicts[analyze.Undecided])
	fmt.Fprintf(stdout, "    Stated error: alpha = %g for all %d tests of a check together, adjustment %s.\n", r.Alpha, r.M, r.Adjust)
	if x.False > 0 {
		fmt.Fprintf(stdout, "    Repeated in another order: %d of the false violations came back.\n", x.Again)
	}
}

// printPlanted shows what was planted, found, missed and extra.
func printPlanted(t *campaign.Selftest, x *campaign.Planted) {
	fmt.Fprintf(stdout, "\n(b) Planted: %s is %v slower at %s bytes\n", t.Function, x.By.Round(time.Microsecond), conf.FormatSize(x.Msize))
	w := tabwriter.NewWriter(stdout, 0, 0, 2, ' ', 0)
	fmt.Fprintln(w, "    guideline\tmsize\twithout\t\twith the plant\t\t")
	count := map[string]int{}
	for _, c := range x.Shown {
		v, b := c.With, c.Before
		count[c.Result]++
		fmt.Fprintf(w, "    %s %s\t%s\t%s\t%s\t%s\t%s\t%s\n", v.Guideline, v.Type, conf.FormatSize(v.Msize),
			times(b.Ratio), b.Verdict, times(v.Ratio), v.Verdict, c.Result)
	}
	w.Flush()
	fmt.Fprintf(stdout, "    planted %d, found %d, missed %d; extra %d among %d other tests\n",
		count["found"]+count["MISSED"], count["found"], count["MISSED"], count["EXTRA"], x.Tests-count["found"]-count["MISSED"])
	if x.Wrong > 0 {
		fmt.Fprintf(stdout, "    Repeated in another order: %d of %d errors came back.\n", x.Again, x.Wrong)
	}
}

func times(ratio *float64) string {
	if ratio == nil {
		return "-"
	}
	return fmt.Sprintf("%.3g×", *ratio)
}
