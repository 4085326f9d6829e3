package series

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"pgmpi/analyze"
	"pgmpi/analyze/judge"
	"pgmpi/testkit/must"
	"pgmpi/testkit/should"
)

// Each rule with several conditions has here, for each of them, a case that it alone decides.

// The order is of times, whatever the zone and whatever the folders are called; the caller's stays.
func TestNightsAreInTheOrderOfTime(t *testing.T) {
	var checks []*Check
	for folder, created := range []string{"2026-01-03T02:00:00Z", "2026-01-02T23:00:00-05:00", "2026-01-01T02:00:00Z"} {
		r := nightly(1, 1)
		r.Folder, r.Created = fmt.Sprint(folder), created
		checks = append(checks, CheckOf(r, r.Folder))
	}
	var got []string
	for _, n := range must.Get(NewHistory(checks, nil))(t).Series[0].Nights {
		got = append(got, n.Folder)
	}
	should.Equal(t, strings.Join(got, " "), "2 0 1")
	should.Equal(t, checks[0].Folder, "0", "the order that was given")
}

func TestSelectorsNameTestsOfAnyNight(t *testing.T) {
	h := historyOf(t, []string{"GL8:8:violated", "GL8:16:violated", "GL8:24"}, nightly(1, 1.2, 1), nightly(2, 1, 1), func() *analyze.Report {
		r := nightly(3, 1, 1, 1)
		r.Verdicts[2].Msize, r.Verdicts[2].MsizeOther = 24, 24 // in this night alone
		return r
	}())
	var got []string
	for _, trend := range h.Series[0].Trends {
		got = append(got, fmt.Sprint(trend.Msize, ":", len(trend.Points)))
	}
	should.Equal(t, strings.Join(got, " "), "8:3 24:1", "of those that were ever violated, and of one night")
	got = nil
	for _, trend := range h.Series[0].Cells {
		got = append(got, fmt.Sprint(trend.Msize, ":", len(trend.Points)))
	}
	should.Equal(t, strings.Join(got, " "), "8:3 16:3 24:1", "all")
}

func TestANightCountsWhatItChecked(t *testing.T) {
	r := nightly(1, 1.2, 1.2, 1.2, 1, 1)
	r.Verdicts[1].Firm = false
	r.Verdicts[3].Verdict, r.Verdicts[4].Verdict = judge.NotSuspected, judge.Suspected
	next := nightly(2, 1, 1)
	next.Verdicts[1].Verdict = judge.Marginal
	nights := historyOf(t, nil, r, next).Series[0].Nights
	n := nights[0]
	should.Hold(t, n.Tests == 3 && n.Violated == 3 && n.Firm == 2, "%+v", n)
	should.Equal(t, nights[1].Gone, 1, "what is marginal has not gone")
}

func TestRatiosThatAreNoneMakeNoChange(t *testing.T) {
	for name, spoil := range map[string]func(*analyze.Verdict){
		"no interval": func(v *analyze.Verdict) { v.RatioLo95 = nil },
		"no ratio":    func(v *analyze.Verdict) { v.Ratio = nil },
		"a ratio of 0": func(v *analyze.Verdict) {
			zero := 0.0
			v.Ratio = &zero
		},
		"a negative ratio": func(v *analyze.Verdict) { *v.Ratio = -.5 },
		"no finite ratio":  func(v *analyze.Verdict) { *v.Ratio = math.Inf(1) },
	} {
		last := nightly(7, 1.3)
		v := last.Verdicts[0]
		v.Ratio = analyze.Number(1.3)
		spoil(&v)
		last.Verdicts[0] = v
		var checks []*Check
		for i, x := range []float64{1, 1, 1, 1, 1.3, 1.3} {
			checks = append(checks, CheckOf(nightly(i+1, x), fmt.Sprint(i)))
		}
		checks = append(checks, CheckOf(last, "last"))
		s := Series{}
		must.Do(t, s.fill(checks, nil))
		should.Equal(t, len(s.Changes), 0, "%s: two nights are no change", name)
		should.Equal(t, len(s.Cells[0].Points), 7, "%s: but a point", name)
		checks = slices.Insert(checks, 6, CheckOf(nightly(7, 1.3), "6"))
		s = Series{}
		must.Do(t, s.fill(slices.Delete(checks, 3, 4), nil))
		should.Equal(t, len(s.Changes), 1, "%s: nor do they hide one", name)
	}
}

func TestChangesAreInTheOrderOfNightsAndSayWhen(t *testing.T) {
	late, early := []float64{1, 1, 1, 1, 1, 1, 1.3, 1.3, 1.3}, []float64{1, 1, 1, 1.6, 1.6, 1.6, 1.6, 1.6, 1.6}
	steps := []float64{1, 1, 1, 1.5, 1.5, 1.5, 3, 3, 3}
	var nights []*analyze.Report
	for i := range late {
		nights = append(nights, nightly(i+1, late[i], early[i], steps[i]))
	}
	var got []string
	for _, c := range historyOf(t, nil, nights...).Series[0].Changes {
		got = append(got, fmt.Sprintf("%d: %d after %d, before %d, %.2g to %.2g", c.Msize, c.Night, c.LastBefore, c.FirstAfter, c.Before, c.After))
	}
	should.Equal(t, got, []string{"16: 3 after 2, before 3, 1 to 1.6", "32: 3 after 2, before 3, 1 to 1.5", "8: 6 after 5, before 6, 1 to 1.3", "32: 6 after 5, before 6, 1.5 to 3"})
}

func TestTheEnvironmentChangesWhereBothNightsSayIt(t *testing.T) {
	set := []string{"LD_PRELOAD=/l.so"}
	for name, c := range map[string]struct {
		was, is []string
		want    int
	}{"another": {[]string{}, set, 1}, "the same": {set, set, 0}, "not said then": {nil, set, 0}, "not said now": {set, nil, 0}} {
		a, b := &Check{}, &Check{}
		a.Env, b.Env = c.was, c.is
		should.Equal(t, len(changedSince(a, b)), c.want, name)
	}
}

// Each call counts once a night, by the first test that has its median; nights without one are left out.
func TestRunTimesAreFollowedWhereNoNightHasVerdicts(t *testing.T) {
	var checks []*Check
	for day := range 3 {
		r := nightly(day+1, float64(day+1), 1)
		r.SeenOnce = "imported"
		again := r.Verdicts[0]
		again.Guideline, again.MedianS = "GL9", analyze.Number(9e-6)
		r.Verdicts = append(r.Verdicts, again)
		r.Verdicts[1].MedianS = []*float64{nil, analyze.Number(0), analyze.Number(.5)}[day]
		checks = append(checks, CheckOf(r, r.Folder))
	}
	all := runTimes(checks)
	must.Hold(t, len(all) == 2, "%d calls", len(all))
	for i, want := range []track{
		{Trend: Trend{Asked: Asked{Guideline: RunTime, Function: "MPI_Reduce", Msize: 8, MsizeOther: 8, Shape: "p2"}},
			nights: []int{0, 1, 2}, logs: []float64{math.Log(1e-6), math.Log(2e-6), math.Log(3e-6)}},
		{Trend: Trend{Asked: Asked{Guideline: RunTime, Function: "MPI_Reduce", Msize: 16, MsizeOther: 16, Shape: "p2"}},
			nights: []int{2}, logs: []float64{math.Log(.5)}},
	} {
		should.Equal(t, *all[i], want)
	}
	checks[1].SeenOnce = ""
	should.Equal(t, len(runTimes(checks)), 0, "calls of nights of which one has verdicts")
}
