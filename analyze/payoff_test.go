package analyze

import (
	"math"
	"testing"

	"pgmpi/analyze/judge"
	"pgmpi/guidelines"
	"pgmpi/measure/results"
	"pgmpi/testkit/fixture"
	"pgmpi/testkit/must"
	"pgmpi/testkit/should"
)

func TestRequestPaysFromTheUseOnThatItsMakingIsSaved(t *testing.T) {
	for _, c := range []struct {
		name           string
		request, calls uses // µs
		init, gain     float64
		from           int // 0: none
		never          bool
	}{
		{"within ten uses", uses{6, 15}, uses{3, 16.5}, 3.5, 0.5, 7, false}, // 5 + k against 1.5 + 1.5·k
		{"at ten uses, which rounding makes a little more", uses{6.3, 16.2}, uses{3.6, 16.2}, 3, 0.3, 10, false},
		{"beyond ten uses", uses{6.3, 16.3}, uses{3.6, 16.2}, 2.9889, 0.2889, 11, false},
		{"from the first on", uses{2, 11}, uses{3, 16.5}, -0.5, 0.5, 1, false},
		{"a use costs more", uses{6, 15}, uses{3, 7.5}, 2.5, -0.5, 0, true},
		{"a use costs as much", uses{6, 15}, uses{3, 12}, 3, 0, 0, true},
		{"a use saves nothing to speak of", uses{6, 15}, uses{3, 12 + 1e-9}, 3, 1e-10, 0, true},
		{"a use costs more, and the request less than none", uses{2, 11}, uses{7, 11.5}, -5.5, -0.5, 0, false},
	} {
		µs := func(u uses) uses { return uses{u.one * 1e-6, u.many * 1e-6} }
		p := payoff(µs(c.request), µs(c.calls))
		should.Hold(t, math.Abs(p.InitS*1e6-c.init) <= 1e-4 && math.Abs(p.GainS*1e6-c.gain) <= 1e-4 && p.Never == c.never && (p.From == nil) == (c.from == 0) && (p.From == nil || *p.From == c.from),
			"%s: %+v", c.name, p)
		within := p.From != nil && *p.From <= 10
		should.Hold(t, p.GainS <= 0 || within == (c.request.many <= c.calls.many),
			"%s: it pays within ten uses: %v, which take %g against %g µs", c.name, within, c.request.many, c.calls.many)
	}
}

// By hand: 5 µs beside its uses, of which each saves 4 µs.
func TestWhatPreparationWouldSaveIsSaidOfNB3(t *testing.T) {
	plan := must.Get(guidelines.Build(guidelines.Settings{Check: guidelines.Config{Guidelines: []string{"NB3:MPI_Scan"}},
		Msizes: []string{"8"}, Datatype: "byte", Op: "auto", Shapes: []guidelines.Shape{fixture.P2}}))(t)
	ns := map[string]int64{"MPI_Scan": 6000, "MPI_Scan_init/1": 7000, "MPI_Scan_init": 2000}
	m := &results.Manifest{R: fixture.R, Plan: *plan}
	var times []int64
	for _, c := range plan.Cases {
		times = append(times, ns[c.Function])
	}
	v := analyzed(t, m, fixture.Measured(m, times...), judge.Default()).Verdicts[0]
	p := v.Payoff
	should.Hold(t, len(times) == 3 && v.Verdict == judge.Kept && p != nil && p.From != nil && *p.From == 2 && math.Abs(p.InitS-5e-6) <= 1e-12 && math.Abs(p.GainS-4e-6) <= 1e-12,
		"of %d cases: %+v, %s", len(times), p, v.Verdict)
}

func TestWhenARequestPaysIsSaidOfNB4(t *testing.T) {
	plan := must.Get(guidelines.Build(guidelines.Settings{Check: guidelines.Config{Guidelines: []string{"NB4:MPI_Scan_init/10"}},
		Msizes: []string{"8"}, Datatype: "byte", Op: "auto", Shapes: []guidelines.Shape{fixture.P2}}))(t)
	ns := map[string]int64{"MPI_Scan_init/10": 15000, "MPI_Iscan/10": 16500, "MPI_Scan_init/1": 6000, "MPI_Iscan": 3000}
	m := &results.Manifest{R: fixture.R, Plan: *plan}
	var times []int64
	for _, c := range plan.Cases {
		times = append(times, ns[c.Function])
	}
	r := analyzed(t, m, fixture.Measured(m, times...), judge.Default())
	p := r.Verdicts[0].Payoff
	should.Hold(t, len(times) == 4 && p != nil && p.From != nil && *p.From == 7 && math.Abs(p.InitS-3.5e-6) <= 1e-12, "of %d cases: %+v", len(times), p)
	for i, c := range m.Plan.Cases {
		if c.Function == "MPI_Scan_init/1" {
			m.Plan.Cases[i].Function = "MPI_Bcast_init/1"
		}
	}
	p = analyzed(t, m, fixture.Measured(m, times...), judge.Default()).Verdicts[0].Payoff
	should.Hold(t, p == nil, "without the time of one use: %+v", p)
}
