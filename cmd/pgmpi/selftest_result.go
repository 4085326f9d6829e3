package main

import (
	"fmt"
	"strings"
	"time"

	"pgmpi/analyze"
	"pgmpi/analyze/report"
	"pgmpi/internal/conf"
)

// selftestResult is what a self-test has found, as far as it came.
type selftestResult struct {
	report    *analyze.Report // of part (a)
	sizes     []string
	falseBack *int   // false violations of part (a) that came back in another order; nil: there were none
	plant     *plant // nil: part (b) was not reached
	done      bool
}

// plant is part (b).
type plant struct {
	function string
	msize    int64
	by       time.Duration // that it was slowed down by
	cells    []plantCell
	// Errors, and those that came back in another order.
	wrong, back int
}

// plantCell is a test without and with the plant.
type plantCell struct {
	without, with  *analyze.Verdict
	planted, wrong bool
}

func (r *selftestResult) failed() bool {
	return r.done && (r.plant.back > 0 || r.falseBack != nil && *r.falseBack > 0)
}

var selftests = report.Kind[selftestResult]{Name: "selftest", Sections: func(r *selftestResult) []report.Section {
	out := []report.Section{
		report.Titled("Self-test with %s, p = %d, R = %d mpiruns, sizes %s", report.ShortVersion(r.report.Library.Version),
			r.report.Shapes[0].NP, r.report.R, strings.Join(r.sizes, ", ")),
		r.identities(),
	}
	if r.plant != nil {
		out = append(out, r.plant.section())
	}
	switch {
	case r.failed():
		out = append(out, report.Titled("The self-test has FAILED. On a busy machine it may: give every process a core of its own, or more --mpiruns."))
	case r.done:
		out = append(out, report.Titled("The self-test has passed."))
	}
	return out
}}

func (r *selftestResult) identities() report.Section {
	by, tests := map[string]int{}, 0
	for i := range r.report.Verdicts {
		if v := &r.report.Verdicts[i]; isIdentity(v) {
			tests++
			by[v.Verdict]++
		}
	}
	s := report.Titled("(a) A/A: %d tests of a collective against itself: %d violated, %d marginal, %d kept, %d undecided",
		tests, by[analyze.Violated], by[analyze.Marginal], by[analyze.Kept], by[analyze.Undecided])
	s.Say("Stated error: alpha = %g for all %d tests of a check together, adjustment %s.", r.report.Alpha, r.report.M, r.report.Adjust)
	if r.falseBack != nil {
		s.Say("Repeated in another order: %d of the false violations came back.", *r.falseBack)
	}
	return s
}

// section shows what was planted, found, missed and extra.
func (p *plant) section() report.Section {
	s := report.Titled("(b) Planted: %s is %v slower at %s", p.function, p.by.Round(time.Microsecond), conf.HumanSize(p.msize))
	s.Table = &report.Table{Head: []string{"guideline", "msize", "without", "", "with the plant", "", ""}, Align: "lrrlrll"}
	planted, found, extra := 0, 0, 0
	for _, c := range p.cells {
		result := ""
		switch {
		case c.planted && c.wrong:
			planted++
			result = "MISSED"
		case c.planted:
			planted++
			found++
			result = "found"
		case c.wrong:
			extra++
			result = "EXTRA"
		default:
			continue
		}
		s.Table.Add(fmt.Sprintf("%s %s", c.with.Guideline, c.with.Type), conf.HumanSize(c.with.Msize),
			report.Ratio(c.without.Ratio), c.without.Verdict, report.Ratio(c.with.Ratio), c.with.Verdict, result)
	}
	s.Notes = []string{fmt.Sprintf("planted %d, found %d, missed %d; extra %d among %d other tests", planted, found, planted-found, extra, len(p.cells)-planted)}
	if p.wrong > 0 {
		s.Notes = append(s.Notes, fmt.Sprintf("Repeated in another order: %d of %d errors came back.", p.back, p.wrong))
	}
	return s
}
