package main

import (
	"context"
	"fmt"
	"time"

	"pgmpi/analyze"
	"pgmpi/analyze/judge"
	"pgmpi/guidelines"
)

// planted is part (b).
func (t *selftest) planted(ctx context.Context, to *selftestResult) error {
	msizes, _, err := guidelines.FitMsizes(t.config.Job.Msizes, guidelines.Extent(t.config.Job.Datatype))
	if err != nil {
		return setup(err)
	}
	base, at := to.report, msizes[len(msizes)/2]
	by := time.Duration(amount(base, t.function, at))
	delay := fmt.Sprintf("%s:%d:%dns", t.function, at, by.Nanoseconds())
	r, err := t.check(ctx, "(b) with the planted slowdown", delay)
	if err != nil {
		return err
	}
	wrong := t.compare(base, r, at)
	to.plant = &plant{function: t.function, msize: at, by: by, wrong: len(wrong)}
	for i := range r.Verdicts {
		v := &r.Verdicts[i]
		to.plant.cells = append(to.plant.cells, plantCell{without: &base.Verdicts[i], with: v, planted: t.expected(v, at), wrong: wrong[cellOf(v)]})
	}
	if len(wrong) == 0 {
		return nil
	}
	if r, err = t.check(ctx, "(b) again, in another order", delay); err != nil {
		return err
	}
	to.plant.back = len(intersect(wrong, t.compare(base, r, at)))
	return nil
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
