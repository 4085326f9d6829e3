package main

import (
	"context"
	"fmt"
	"text/tabwriter"
	"time"

	"pgmpi/analyze"
	"pgmpi/analyze/judge"
	"pgmpi/guidelines"
	"pgmpi/internal/conf"
)

// planted is part (b). It returns how many cells were missed, or found without
// a reason, twice.
func (t *selftest) planted(ctx context.Context, base *analyze.Report) (int, error) {
	msizes, _, err := guidelines.FitMsizes(t.config.Job.Msizes, guidelines.Extent(t.config.Job.Datatype))
	if err != nil {
		return 0, setup(err)
	}
	at := msizes[len(msizes)/2]
	by := time.Duration(amount(base, t.function, at))
	delay := fmt.Sprintf("%s:%d:%dns", t.function, at, by.Nanoseconds())
	r, err := t.check(ctx, "(b) with the planted slowdown", delay)
	if err != nil {
		return 0, err
	}
	fmt.Fprintf(stdout, "\n(b) Planted: %s is %v slower at %s bytes\n", t.function, by.Round(time.Microsecond), conf.FormatSize(at))
	wrong := t.compare(base, r, at)
	t.show(base, r, at, wrong)
	if len(wrong) == 0 {
		return 0, nil
	}
	if r, err = t.check(ctx, "(b) again, in another order", delay); err != nil {
		return 0, err
	}
	both := intersect(wrong, t.compare(base, r, at))
	fmt.Fprintf(stdout, "    Repeated in another order: %d of %d errors came back.\n", len(both), len(wrong))
	return len(both), nil
}

// expected tells whether the plant must be found in a cell: wherever the call is
// the slowed one. No mock-up of a collective contains the collective.
func (t *selftest) expected(v *analyze.Verdict, at int64) bool {
	return v.Function == t.function && v.Msize == at
}

// compare returns the cells that were missed, and those that the plant has made
// violated without being about the slowed call. What was undecided without the
// plant may be decided with it.
func (t *selftest) compare(base, r *analyze.Report, at int64) map[cell]bool {
	wrong := map[cell]bool{}
	for i := range r.Verdicts {
		v, before := &r.Verdicts[i], base.Verdicts[i].Verdict
		isKept := before == judge.Kept || before == judge.NotSuspected || isIdentity(v) && before != judge.Violated
		switch {
		case t.expected(v, at):
			if v.Verdict != judge.Violated {
				wrong[cellOf(v)] = true
			}
		case v.Verdict == judge.Violated && isKept:
			wrong[cellOf(v)] = true
		}
	}
	return wrong
}

// show prints what was planted, found, missed and extra.
func (t *selftest) show(base, r *analyze.Report, at int64, wrong map[cell]bool) {
	w := tabwriter.NewWriter(stdout, 0, 0, 2, ' ', 0)
	fmt.Fprintln(w, "    guideline\tmsize\twithout\t\twith the plant\t\t")
	planted, found, extra, quiet := 0, 0, 0, 0
	for i := range r.Verdicts {
		v, b := &r.Verdicts[i], &base.Verdicts[i]
		result := ""
		switch {
		case t.expected(v, at) && wrong[cellOf(v)]:
			planted++
			result = "MISSED"
		case t.expected(v, at):
			planted++
			found++
			result = "found"
		case wrong[cellOf(v)]:
			extra++
			result = "EXTRA"
		default:
			quiet++
			continue
		}
		fmt.Fprintf(w, "    %s %s\t%s\t%s\t%s\t%s\t%s\t%s\n", v.Guideline, v.Type, conf.FormatSize(v.Msize),
			times(b.Ratio), b.Verdict, times(v.Ratio), v.Verdict, result)
	}
	w.Flush()
	fmt.Fprintf(stdout, "    planted %d, found %d, missed %d; extra %d among %d other tests\n", planted, found, planted-found, extra, quiet+extra)
}

func times(ratio *float64) string {
	if ratio == nil {
		return "-"
	}
	return fmt.Sprintf("%.3g×", *ratio)
}
