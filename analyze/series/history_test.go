package series

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"pgmpi/analyze"
	"pgmpi/analyze/judge"
	"pgmpi/analyze/medians"
	"pgmpi/guidelines"
	"pgmpi/testkit/fixture"
	"pgmpi/testkit/must"
	"pgmpi/testkit/should"
)

// nightly is the report of a day of January. ratios are GL8's at 8, 16, … bytes, known to 2 %.
func nightly(day int, ratios ...float64) *analyze.Report {
	r := &analyze.Report{Schema: analyze.Schema, Version: "1.0", Library: analyze.Library{Name: "mpich", Version: "MPICH 4.0.2\nand more"}, Shapes: []analyze.Shape{{Name: "p2", Shape: fixture.P2}},
		Operation: analyze.Operation{Datatype: "byte", Op: "bor"}, R: 10,
		Origin: analyze.Origin{Created: time.Date(2026, 1, day, 2, 0, 0, 0, time.UTC).Format(time.RFC3339), Folder: fmt.Sprint("night-", day), Host: "login", Nodes: []string{"n1"}, Kernel: "6.1"}}
	for i, x := range ratios {
		v := analyze.Verdict{Guideline: "GL8", Type: guidelines.Pattern, Function: "MPI_Reduce", Mockup: "reduce_as_allreduce", Msize: int64(8 << i), MsizeOther: int64(8 << i), Shape: "p2",
			MedianS: analyze.Number(1e-6 * x), OtherMedianS: analyze.Number(1e-6), Tested: analyze.Tested{Effect: analyze.Effect{Ratio: analyze.Number(x), RatioLo95: analyze.Number(0.98 * x), RatioHi95: analyze.Number(1.02 * x)}}, Verdict: judge.Kept}
		if x >= 1.05 {
			v.Verdict, v.Firm = judge.Violated, true
		}
		r.Verdicts = append(r.Verdicts, v)
	}
	return r
}

func historyOf(t *testing.T, selectors []string, reports ...*analyze.Report) *History {
	t.Helper()
	var checks []*Check
	for _, r := range reports {
		checks = append(checks, CheckOf(r, "nights/"+r.Folder))
	}
	return must.Get(NewHistory(checks, selectors))(t)
}

func TestAChangeIsOneThatLastsThreeNights(t *testing.T) {
	for name, c := range map[string]struct {
		ratios []float64
		since  []int // by index of the night
	}{
		"from the fourth night on":      {[]float64{1, 1, 1, 1.3, 1.3, 1.3, 1.3, 1.3}, []int{3}},
		"mended":                        {[]float64{1.3, 1.3, 1.3, 1, 1, 1}, []int{3}},
		"there and back":                {[]float64{1, 1, 1, 1.3, 1.3, 1.3, 1, 1, 1}, []int{3, 6}},
		"by ten per cent, slowly known": {[]float64{1, 1.01, 0.99, 1, 1.1, 1.1, 1.11}, []int{4}},
		"only two nights":               {[]float64{1, 1, 1, 1, 1, 1.3, 1.3}, nil},
		"one bad night":                 {[]float64{1, 1, 1, 2, 1, 1, 1, 1}, nil},
		"one bad night in three":        {[]float64{1, 1, 1, 1.3, 1, 1.3, 1.3}, nil},
		"intervals overlap":             {[]float64{1, 1, 1, 1.03, 1.03, 1.03}, nil},
		"by less than five per cent":    {[]float64{1, 1, 1, 1.045, 1.045, 1.045}, nil},
		"new on the second night":       {[]float64{1, 1.3, 1.3, 1.3}, nil},
	} {
		var nights []*analyze.Report
		for i, x := range c.ratios {
			nights = append(nights, nightly(i+1, x, 0.5))
		}
		var since []int
		for _, found := range historyOf(t, nil, nights...).Series[0].Changes {
			since = append(since, found.Night)
			should.Hold(t, found.Msize == 8 && found.Guideline == "GL8" && found.Mockup == "reduce_as_allreduce", "%s: %+v", name, found)
		}
		should.Equal(t, since, c.since, "%s: since", name)
	}
	c := historyOf(t, nil, nightly(1, 1), nightly(2, 1.01), nightly(3, 1.02), nightly(4, 1.3), nightly(5, 1.31), nightly(6, 1.4)).Series[0].Changes[0]
	should.Hold(t, c.Before == 1.01 && c.After == 1.31, "medians of three: %+v", c)
}

// Nights without the test, or without an interval, count neither for nor against.
func TestNightsWithoutATestArePassedOver(t *testing.T) {
	var nights []*analyze.Report
	for i, x := range []float64{1, 0, 1, 1, 1.3, 0, 1.3, 1.3} {
		r := nightly(i+1, x)
		if x == 0 {
			r.Verdicts[0].RatioLo95, r.Verdicts[0].Verdict = nil, judge.Suspected
		}
		if i == 2 {
			r.Verdicts = nil
		}
		nights = append(nights, r)
	}
	c := historyOf(t, nil, nights...).Series[0].Changes
	should.Hold(t, len(c) == 0, "two nights before: %+v", c)
	nights = append([]*analyze.Report{nightly(1, 1)}, nights...)
	c = historyOf(t, nil, nights...).Series[0].Changes
	should.Hold(t, len(c) == 1 && c[0].Night == 5, "three nights before: %+v", c)
}

func TestNightsAreInOrderAndSeriesApart(t *testing.T) {
	other := nightly(2, 1)
	other.Library.Name = "openmpi"
	wider := nightly(5, 1)
	wider.Shapes = []analyze.Shape{{Name: "p4"}}
	h := historyOf(t, nil, nightly(3, 1.2, 1), other, nightly(1, 1.2, 1.3), wider, nightly(2, 1, 1))
	var got []string
	for _, s := range h.Series {
		text := s.Library + strings.Join(s.Shapes, ",")
		for _, n := range s.Nights {
			text += fmt.Sprintf(" %s:%d/%d-%d", n.Folder, n.Violated, n.Tests, n.Gone)
		}
		got = append(got, text)
	}
	should.Equal(t, strings.Join(got, "|"), "mpichp2 night-1:2/2-0 night-2:0/2-2 night-3:1/2-0|openmpip2 night-2:0/1-0|mpichp4 night-5:0/1-0")
}

func TestTheGateSaysWhatIsAnAlarmAndWhatHasGone(t *testing.T) {
	gated := nightly(2, 1)
	gated.Gate = &analyze.Gate{Alarms: 3, ByState: map[analyze.GateState]int{analyze.Gone: 7}}
	nights := historyOf(t, nil, nightly(1, 1.2), gated).Series[0].Nights
	should.Hold(t, nights[0].Alarms == nil && *nights[1].Alarms == 3 && nights[1].Gone == 7, "%+v", nights)
}

func TestWhatChangedFromNightToNightIsMarked(t *testing.T) {
	next := nightly(2, 1)
	next.Library.Version, next.Kernel, next.Nodes, next.GLTomlHash = "MPICH 4.1\nand more", "6.2", []string{"n2"}, "unknown before"
	same := nightly(3, 1)
	same.Library.Version, same.Kernel, same.Nodes, same.Host = "MPICH 4.1\nand others", "6.2", nil, ""
	nights := historyOf(t, nil, nightly(1, 1), next, same).Series[0].Nights
	should.Equal(t, fmt.Sprint(nights[1].Changed), "[{library MPICH 4.0.2 MPICH 4.1} {nodes n1 n2} {kernel 6.1 6.2}]")
	should.Hold(t, len(nights[0].Changed)+len(nights[2].Changed) <= 0, "%+v", nights)
	alone, preloaded := nightly(2, 1), nightly(3, 1)
	alone.Env, preloaded.Env = []string{}, []string{"LD_PRELOAD=/l.so"}
	nights = historyOf(t, nil, nightly(1, 1), alone, preloaded).Series[0].Nights
	should.Equal(t, fmt.Sprint(nights[1].Changed, nights[2].Changed), "[] [{environment (unset) LD_PRELOAD=/l.so}]", "the first does not say what was set")
	fast, slow := nightly(1, 1), nightly(2, 1)
	fast.Probes, slow.Probes = []analyze.Probes{{Shape: "p2", Speed: medians.Speed{LineNS: 100}}}, []analyze.Probes{{Shape: "p2", Speed: medians.Speed{LineNS: 400}}}
	nights = historyOf(t, nil, fast, slow, slow).Series[0].Nights
	should.Hold(t, nights[1].Shift != nil && nights[0].Shift == nil && nights[2].Shift == nil, "%+v", nights)
}

func TestATrendHasEveryNightOfTheTest(t *testing.T) {
	h := historyOf(t, []string{"GL8:Reduce:16", "GL8:16:p2"}, nightly(1, 1, 1.2), nightly(2, 1), nightly(3, 1, 1.3))
	trends := h.Series[0].Trends
	should.Hold(t, len(trends) == 1 && len(trends[0].Points) == 2 && trends[0].Msize == 16 && trends[0].Points[1].Night == 2 && *trends[0].Points[1].Ratio == 1.3 && trends[0].Points[1].Verdict == judge.Violated,
		"%+v", trends)
	_, err := NewHistory(nil, nil)
	should.Hold(t, err != nil, "no night is a history")
	_, err = NewHistory([]*Check{CheckOf(nightly(1, 1), "night")}, []string{"GL9:8"})
	should.Fail(t, err, `"GL9" was tested`)
}

func TestAReportThatAsksTwiceCountsOnce(t *testing.T) {
	twice := func(day int, x float64) *analyze.Report {
		r := nightly(day, x, x)
		r.Verdicts[1] = r.Verdicts[0]
		return r
	}
	h := historyOf(t, []string{"GL8:8"}, twice(1, 1), twice(2, 1), twice(3, 1.3), twice(4, 1.3))
	s := h.Series[0]
	should.Hold(t, len(s.Changes) == 0 && len(s.Trends[0].Points) == 4, "%+v", s)
}

// The nights of a library whose ratios are all larger from the sixteenth on: 566 tests with intervals as wide
// as in a real check (quartiles ± 3.9, 6.5, 13 %), ratios that differ by 2 % from night to night beside that.
func TestAChangeOfTenPerCentIsSeenInTwentyFiveNights(t *testing.T) {
	const tests, nights, before = 566, 25, 15
	widths := []float64{.01, .025, .039, .065, .13, .34, .6} // half of ln ratio's interval
	shares := []float64{0, .1, .25, .5, .75, .9, 1}
	made := func(seed uint64, factor float64) (out []*track) {
		random := rand.New(rand.NewPCG(seed, 2))
		for i := range tests {
			share := (float64(i) + .5) / tests
			k := slices.IndexFunc(shares, func(s float64) bool { return s > share })
			part := (share - shares[k-1]) / (shares[k] - shares[k-1])
			sd := math.Hypot(.02, widths[k-1]*math.Pow(widths[k]/widths[k-1], part)/1.96)
			one := &track{Trend: Trend{Asked: Asked{Msize: int64(i)}}}
			for night := range nights {
				one.nights, one.logs = append(one.nights, night), append(one.logs, sd*random.NormFloat64())
				if night >= before {
					one.logs[night] += math.Log(factor)
				}
			}
			out = append(out, one)
		}
		return out
	}
	for factor, least := range map[float64]int{1: 0, 1.10: 220, 1.25: 440} {
		changed, held := map[Asked]bool{}, 0
		changes := must.Get(lasting(made(1, factor)))(t)
		for _, c := range changes {
			changed[c.Asked] = true
			if c.LastBefore < before && before <= c.FirstAfter {
				held++
			}
		}
		should.Hold(t, len(changed) >= least && (factor > 1 || len(changes) == 0), "%g times: %d of %d tests, want %d", factor, len(changed), tests, least)
		should.Hold(t, float64(held) >= .9*float64(len(changes)), "%g times: %d of %d changes name the night", factor, held, len(changes))
	}
	wrong := 0
	for seed := range uint64(40) {
		if len(must.Get(lasting(made(seed, 1)))(t)) > 0 {
			wrong++
		}
	}
	should.Hold(t, wrong <= 2, "a change in %d of 40 series without one", wrong)
}
