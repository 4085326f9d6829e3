package app

import (
	"math"
	"path/filepath"
	"strings"
	"testing"

	"pgmpi/analyze"
	"pgmpi/analyze/judge"
	"pgmpi/analyze/medians"
	"pgmpi/analyze/report/check"
	"pgmpi/analyze/series"
	"pgmpi/guidelines"
	"pgmpi/internal/feature/app/profile"
	"pgmpi/internal/feature/remedy"
	"pgmpi/testkit/must"
	"pgmpi/testkit/should"
)

func number(x float64) *float64 { return &x }

// violated reports that MPI_Allreduce of 1 KiB takes 100 µs, and a mock-up half of that.
func violated() *analyze.Report {
	v := analyze.Verdict{Type: guidelines.Pattern, Function: "MPI_Allreduce", Mockup: "allreduce_as_reduce+bcast", Msize: 1024, NP: 2, MedianS: number(100e-6),
		Verdict: judge.Violated, Datatype: "double", Op: "sum"}
	v.Effect = analyze.Effect{Ratio: number(2), RatioLo95: number(1.6), RatioHi95: number(2.5)}
	return &analyze.Report{Verdicts: []analyze.Verdict{v}}
}

// called profiles a program of 1 s with two ranks. Each makes 1000 calls of MPI_Allreduce, in 100 µs but for what it
// waits.
func called() *profile.Profile {
	return &profile.Profile{Program: "app", Processes: 2, Ranks: 2, Finished: true, WallNS: 1e9, Calls: []profile.Call{{Function: "MPI_Allreduce", Bytes: 1024, Processes: 2,
		Communicator: "world", Datatype: "MPI_DOUBLE", Op: "MPI_SUM", Calls: 2000, Ranks: 2, SumNS: 300e6, LeastRankNS: 100e6, MostRankNS: 200e6, LeastCallNS: 80e3}}}
}

func remedied(state remedy.CellState) *remedy.Result {
	return &remedy.Result{Cells: []remedy.Cell{{Cell: medians.Cell{Function: "MPI_Allreduce", Msize: 1024, Shape: "p2"}, NP: 2, State: state,
		By: []string{"linear"}, Gain: number(4), GainLo: number(2), GainHi: number(5)}}}
}

func near(got, want float64) bool { return math.Abs(got-want) < 1e-9 }

func TestWhatARemedyHasProvedCountsAndWaitingDoesNot(t *testing.T) {
	g := Join(violated(), remedied(remedy.CellMended), called())
	// A rank makes 1000 calls, of which 80 to 100 µs are work; one rank waits 100 µs in each.
	should.Hold(t, near(g.Setting.S, .1*.75) && near(g.Setting.Lo, .08*.5) && near(g.Setting.Hi, .1*.8), "%+v", g.Setting)
	should.Hold(t, g.Mockup == Saved{}, "%+v", g.Mockup)
	should.Hold(t, near(g.WaitingS, .05) && near(g.CoveredS, .15), "%+v", g)
}

// 0.1 s of 1.5 s are as many calls of the check; the rest is waiting, whichever rank waits.
func TestWhatTheLibraryNeedsIsToldFromWaiting(t *testing.T) {
	g := Join(violated(), nil, called())
	should.Hold(t, near(g.NeedsS, .1) && near(g.RestS, .05) && len(g.Calls) == 1 && near(*g.Calls[0].NeedsS, .1), "%+v", g)
	d := gains.Document(g)
	should.Contain(t, d.Sections[0].Text[0].Text, "15.0 % of 1.00 s in blocking collectives: 10.0 % is what the library needs, 5.0 % is waiting.")

	p := called()
	p.Functions = []profile.Function{{Name: "MPI_Init", Calls: 2, SumNS: 40e6}, {Name: "MPI_Put", Calls: 2, SumNS: 20e6}}
	should.Equal(t, gains.Document(Join(violated(), nil, p)).Sections[0].Text[1].Text, "3.0 % in other calls of MPI, which no check measures: 2.0 % MPI_Init, 1.0 % others.")

	p = called() // twice as fast as in the check: all of it is needed
	p.Calls[0].SumNS, p.Calls[0].LeastRankNS, p.Calls[0].MostRankNS, p.Calls[0].LeastCallNS = 100e6, 50e6, 50e6, 40e3
	g = Join(violated(), nil, p)
	should.Hold(t, near(g.NeedsS, .05) && near(g.RestS, 0), "%+v", g)
}

func TestGainBeginsWithAllOfMPIAndNamesTheLongestWait(t *testing.T) {
	p := called()
	p.Functions = []profile.Function{{Name: "MPI_Win_allocate", Calls: 2, SumNS: 200e6}}
	g := Join(violated(), nil, p)
	text := gains.Document(g).Sections[0].Text
	should.Contain(t, text[0].Text, "MPI takes 25.0 % of 1.00 s, blocking collectives 15.0 %: 10.0 % is what the library needs")
	should.Equal(t, text[1].Text, "10.0 % in other calls of MPI, which no check measures: 10.0 % RMA.")
	should.Equal(t, text[3].Text, "To spare more, look for uneven work or busy cores: Allreduce of 1 KiB waits 5.0 %.")
	g.Calls[0].RuntimeS = *g.Calls[0].NeedsS + .01
	should.Hold(t, g.longestWait() == nil, "a hundredth is not worth a word")
}

func TestACheckOfAProfileEndsWithWhatItsCallsNeed(t *testing.T) {
	path := filepath.Join(t.TempDir(), "app.prof")
	p, r := called(), violated()
	p.Schema, p.Library, r.Library.Version = profile.Schema, "Open MPI v4.1.4, package: Debian", "Open MPI v4.1.4"
	must.Do(t, p.Store(path))
	d := must.Get(byCalls.After(path, r))(t)
	should.Contain(t, d.Brief().Sections[0].Title, "What the calls of app need")
	should.Contain(t, d.Brief().Sections[0].Text[0].Text, "10.0 % is what the library needs, 5.0 % is waiting")
	should.Equal(t, d.Brief().Sections[0].Text[1].Text, "By these guidelines app can gain at most 6.0 % in its collectives.")
	small := &GainResult{Program: "app", WallS: 1, CollectiveS: .1, CoveredS: .1, AtMostS: .001}
	should.Contain(t, needs.Document(small).Sections[0].Text[1].Text, "at most 0.1 % in its collectives: no remedy is worth its time.")
	small.Messages = []GainMessages{{From: 4096, To: 8192}}
	should.Contain(t, needs.Document(small).Sections[0].Text[1].Text, "at most 0.1 % in its collectives.")
	should.Equal(t, d.Brief().Sections[0].Table.Rows, [][]string{{"Allreduce", "p2", "1 KiB", "1000", "15.0 %", "10.0 %", "5.0 %"}})
	whole := check.Reports.Document(r)
	whole.Follow(d)
	should.Contain(t, strings.Join(whole.Ended(0, "", "c"), "\n"), "Gain:     pgmpi gain c "+path)

	r.Library.Version = "Open MPI v5.0.1"
	_, err := byCalls.After(path, r)
	should.Fail(t, err, "app.prof is of Open MPI 4.1.4 and the check of Open MPI 5.0.1")
}

// From each of the three commands the next one is named.
func TestEachAnswerNamesTheNextCommand(t *testing.T) {
	p := called()
	p.Path = "my app.prof"
	should.Contain(t, strings.Join(profiles.Document(p).Ended(0, "", ""), "\n"), "Check:    pgmpi check --calls 'my app.prof'")
	for want, g := range map[string]*GainResult{
		"Try:      pgmpi gain c app.prof --ab 10 -- mpirun … ./app": {Setting: Saved{S: .1, Hi: .2}, Mockup: Saved{S: .1, Hi: .2}},
		"Try:      pgmpi apply c app.prof -- mpirun … ./app":        {Setting: Saved{S: .001, Hi: .004}, Mockup: Saved{S: .1, Hi: .2}},
	} {
		g.Check, g.Profile, g.WallS, g.CollectiveS, g.CoveredS = "c", "app.prof", 1, .5, .5
		should.Contain(t, strings.Join(gains.Document(g).Ended(0, "", ""), "\n"), want)
		if g.Setting.S < leastGain {
			should.Contain(t, gains.Document(g).Sections[0].Text[1].Text, "by `. c/remedy/env.sh`, which is not worth a try;")
		}
		g.Setting, g.Mockup = Saved{}, Saved{}
		should.Equal(t, gains.Document(g).Ended(0, "", ""), []string{"Exit 0"})
		should.Contain(t, gains.Document(g).Sections[0].Text[1].Text, "Change no setting: by these guidelines the measured collectives of  can gain at most 0.0 % of 1.00 s.")
		g.AtMostS = .01
		should.Contain(t, strings.Join(gains.Document(g).Ended(0, "", ""), "\n"), "Try:      pgmpi try --with 'NAME=VALUE' -- mpirun")
		g.AtMostS = 0
		g.Trades = []GainTrade{{What: "malloc's variables", Folder: "c/remedy/trade-1", Saved: Saved{S: .1}, Faster: 1}}
		should.Contain(t, strings.Join(gains.Document(g).Ended(0, "", ""), "\n"), "Try:      pgmpi gain c app.prof --under c/remedy/trade-1 --ab 10")
		should.Contain(t, gains.Document(g).Sections[0].Text[1].Text, "without harm to other calls; a trade may be worth it.")
		g.AB = gained().AB
		should.Equal(t, gains.Document(g).Ended(0, "", ""), []string{"Exit 0"})
	}
}

// Another datatype, size or state of malloc may take any time, but waits at least as long as the profile tells.
func TestNeedsAreNotToldOfWhatTheCheckHasNotMeasured(t *testing.T) {
	for name, change := range map[string]func(*analyze.Verdict, *profile.Call){
		"another datatype": func(_ *analyze.Verdict, c *profile.Call) { c.Datatype = "MPI_INT" },
		"another size":     func(_ *analyze.Verdict, c *profile.Call) { c.Bytes = 4096 },
		"page faults":      func(v *analyze.Verdict, c *profile.Call) { v.PageFaults, c.Sampled = number(256), 50 },
	} {
		r, p := violated(), called()
		change(&r.Verdicts[0], &p.Calls[0])
		g := Join(r, nil, p)
		should.Hold(t, g.NeedsS == 0 && near(g.RestS, g.WaitingS) && g.Calls[0].NeedsS == nil, "%s: %+v", name, g)
		should.Hold(t, !strings.Contains(gains.Document(g).Sections[0].Text[0].Text, " needs, 15.0 %"), "%s", name)
	}
}

// The root of a Reduce may have all the work: what it is spared counts.
func TestACallWithARootCostsWhatItTakesAtTheSlowestRank(t *testing.T) {
	r, p := violated(), called()
	r.Verdicts[0].Function, r.Verdicts[0].MedianS = "MPI_Reduce", number(190e-6)
	c := &p.Calls[0]
	c.Function, c.LeastRankNS, c.SumNS, c.LeastCallNS = "MPI_Reduce", 70e3, 200070e3, 60
	g := Join(r, nil, p)
	should.Hold(t, near(g.Mockup.S, .19*.5) && near(g.Mockup.Hi, .2*.6) && g.WaitingS == 0, "%+v", g)
}

// What calls spare is worth less by what each run takes longer to set up.
func TestALongerSetUpIsTakenOff(t *testing.T) {
	gain := func(setUp *series.SetUp) *GainResult {
		m := remedied(remedy.CellMended)
		m.Proofs = []remedy.Proof{{Holds: true, SetUp: setUp}, {}}
		return Join(violated(), m, called())
	}
	g := gain(&series.SetUp{Shape: "p2", S: .025, Lo: .02, Hi: .03})
	should.Hold(t, near(g.Setting.S, .075-.025) && near(g.Setting.Lo, .04-.03) && near(g.Setting.Hi, .08-.02), "%+v", g.Setting)
	should.Contain(t, gains.Document(g).Sections[0].Text[1].Text, "by `. remedy/env.sh`, each run takes 25.0 ms longer to set up, which is taken off;")
	g = gain(&series.SetUp{Shape: "p2", S: .175, Lo: .17, Hi: .18})
	should.Contain(t, gains.Document(g).Sections[0].Text[1].Text, "Do not use `. remedy/env.sh` for app: it would take 10.0 % [9.0, 14.0] longer. Its calls spare 7.5 %, each run takes 175 ms longer to set up.")
	should.Hold(t, !strings.Contains(gains.Document(gain(nil)).Sections[0].Text[1].Text, "set up"), "nothing takes longer")
}

func TestEachCommunicatorOfAProgramMayTakeAsLongToSetUp(t *testing.T) {
	longer, p := &series.SetUp{Shape: "p2", S: .02, Lo: .01, Hi: .03}, called()
	p.Functions = []profile.Function{{Name: "MPI_Comm_dup", Calls: 4}, {Name: "MPI_Win_allocate_c", Calls: 2}, {Name: "MPI_Comm_free", Calls: 4}}
	m := &remedy.Result{Proofs: []remedy.Proof{{Holds: true, SetUp: longer}}, Trades: []remedy.Trade{{Label: "sm", SetUp: longer}, {Label: "malloc"}}}
	g := Join(violated(), m, p)
	for name, s := range map[string]Saved{"setting": g.Setting, "trade": g.Trades[0].Saved} {
		should.Hold(t, near(s.S, -.02) && near(s.Lo, -.03*4) && near(s.Hi, -.01), "%s: %+v", name, s)
	}
	should.Equal(t, g.Trades[1].Saved, Saved{})
	should.Contain(t, strings.Join(g.Notes, "\n"), "with the setting each of the 3 communicators, windows and files", "with sm each of the 3")
	p.Functions = nil
	should.Hold(t, !strings.Contains(strings.Join(Join(violated(), m, p).Notes, "\n"), "communicators"), "it makes none")
}

// Roots that differ let the slowest ranks of all calls together take longer than the program.
func TestNoProgramGainsMoreThanItsRunTime(t *testing.T) {
	p := called()
	c := &p.Calls[0]
	c.Function, c.LeastRankNS, c.SumNS, c.MostRankNS, c.LeastCallNS = "MPI_Reduce", 70e3, 900070e3, 900e6, 60
	p.Calls = append(p.Calls, *c)
	p.Calls[1].Bytes = 1200
	r := violated()
	r.Verdicts[0].Function = "MPI_Reduce"
	g := Join(r, nil, p)
	should.Hold(t, g.Mockup.Hi == 1, "of two times .54 s: %+v", g.Mockup)
	r.Verdicts[0].Verdict = judge.Undecided
	should.Equal(t, Join(r, nil, p).AtMostS, 1)
}

// A trade counts what it gains and what it costs: for a program that calls what it slows it is a loss.
func TestATradeIsWeighedByWhatTheProgramCalls(t *testing.T) {
	traded := func(ratio, lo, hi float64) []remedy.Traded {
		return []remedy.Traded{{Cell: medians.Cell{Function: "MPI_Allreduce", Msize: 1024, Shape: "p2"}, NP: 2, Ratio: &ratio, Lo: &lo, Hi: &hi}}
	}
	elsewhere := traded(9, 9, 9)
	elsewhere[0].Msize = 1 << 20
	for name, c := range map[string]struct {
		trade          remedy.Trade
		want           Saved
		faster, slower int
		text           string
	}{
		"a gain":         {remedy.Trade{Mends: traded(2, 1.6, 2.5), Harms: elsewhere}, Saved{.1 * .5, .08 * .375, .1 * .6}, 1, 0, "would gain 5.0 % [3.0, 6.0]"},
		"a loss":         {remedy.Trade{Mends: elsewhere, Harms: traded(1.1, 1.05, 1.2)}, Saved{-.1 * .1, -.1 * .2, -.08 * .05}, 0, 1, "would cost 1.0 % [0.4, 2.0]"},
		"nothing at all": {remedy.Trade{Mends: elsewhere, Harms: elsewhere}, Saved{}, 0, 0, "changes none of its collectives"},
	} {
		m := remedied(remedy.CellUndecided)
		m.Trades = []remedy.Trade{c.trade}
		g := Join(violated(), m, called())
		w := g.Trades[0]
		should.Hold(t, near(w.Saved.S, c.want.S) && near(w.Saved.Lo, c.want.Lo) && near(w.Saved.Hi, c.want.Hi), "%s: %+v", name, w.Saved)
		should.Hold(t, w.Faster == c.faster && w.Slower == c.slower, "%s: %+v", name, w)
		should.Contain(t, w.text(g), c.text)
	}
}

// The bounds allow for the factor and for the time. With the setting, the call takes 10 µs in the remedy.
func TestBoundsHaveRoomForTheFactorAndForTheTime(t *testing.T) {
	m, p := remedied(remedy.CellMended), called()
	m.Cells[0].AfterS = number(10e-6)
	s := Join(violated(), m, p).Setting
	should.Hold(t, near(s.S, .1*.75) && near(s.Lo, .08*.5) && near(s.Hi, .09), "%+v", s)
	m.Cells[0].AfterS = number(70e-6)
	s = Join(violated(), m, p).Setting
	should.Hold(t, near(s.S, .1*.75) && near(s.Lo, .01) && near(s.Hi, .1*.8), "%+v", s)
	p.Calls[0].LeastCallNS, p.Calls[0].LeastRankNS = 180e3, 200e6 // twice as slow in the program as in the check
	s = Join(violated(), m, p).Setting
	should.Hold(t, near(s.S, .14) && near(s.Lo, .18*.5) && near(s.Hi, .2*.8), "%+v", s)
}

func TestPageFaultsOfTheProgramAloneAreSaid(t *testing.T) {
	r, p := violated(), called()
	r.Verdicts[0].Verdict, r.Verdicts[0].PageFaults = judge.Kept, number(0)
	p.Calls[0].Sampled, p.Calls[0].Faults, p.Calls[0].Faulting = 50, 12800, 50
	g := Join(r, nil, p)
	should.Contain(t, strings.Join(g.Notes, "\n"), "Allreduce of 1 KiB meets 256 page faults a call in the program")
	should.Hold(t, near(g.AtMostS, .15), "all of their time: %+v", g)
	p.Calls[0].Faulting = 2
	should.Equal(t, Join(r, nil, p).Notes, []string{})
}

func TestAMockupIsCountedApart(t *testing.T) {
	for _, m := range []*remedy.Result{nil, remedied(remedy.CellUndecided), remedied(remedy.CellTakenBack)} {
		g := Join(violated(), m, called())
		should.Hold(t, g.Setting == Saved{} && near(g.Mockup.S, .1*.5), "%+v and %+v", g.Setting, g.Mockup)
	}
}

// What divides its work among nodes is faster, but no library can be put between for it.
func TestAMockupThatCanBeAppliedComesFirst(t *testing.T) {
	r := violated()
	lane := r.Verdicts[0]
	lane.Mockup, lane.RatioLo95 = "allreduce_as_lane", number(*lane.RatioLo95+1)
	can := r.Verdicts[0].Mockup
	for _, of := range [][]analyze.Verdict{{lane, r.Verdicts[0]}, {r.Verdicts[0], lane}} {
		r.Verdicts = of
		g := Join(r, nil, called())
		should.Hold(t, len(g.Findings) == 1 && g.Findings[0].Mockup == can, "%+v", g.Findings)
	}
	r.Verdicts = []analyze.Verdict{lane}
	a := &Application{result: &ApplyResult{}}
	for _, f := range Join(r, nil, called()).Findings {
		should.Equal(t, f.Mockup, lane.Mockup)
		a.choose(f)
	}
	should.Equal(t, len(a.result.Rules), 0, "rules of what cannot be applied")
}

// The setting was proved in another state of malloc than the program's. In the program's, the mock-up is shown to
// be faster.
func TestAMockupCountsWhereTheSettingDoesNot(t *testing.T) {
	r, m, p := violated(), remedied(remedy.CellMended), called()
	r.Verdicts[0].PageFaults, m.Cells[0].PageFaults = number(256), number(256)
	p.Calls[0].Sampled = 50
	should.Hold(t, Join(r, m, p).Mockup == Saved{}, "not shown in the program's state")
	r.Verdicts[0].OtherMalloc = &analyze.Elsewhere{Alone: analyze.Alone{Verdict: judge.Violated, Effect: r.Verdicts[0].Effect}}
	g := Join(r, m, p)
	should.Hold(t, g.Setting == Saved{} && near(g.Mockup.S, .1*.5) && len(g.Findings) == 1 && g.Findings[0].Why == "", "%+v", g)
}

func TestNothingThatIsNotShownCounts(t *testing.T) {
	for name, change := range map[string]func(*analyze.Verdict, *profile.Call){
		"undecided":              func(v *analyze.Verdict, _ *profile.Call) { v.Verdict = judge.Undecided },
		"kept":                   func(v *analyze.Verdict, _ *profile.Call) { v.Verdict = judge.Kept },
		"another size":           func(_ *analyze.Verdict, c *profile.Call) { c.Bytes = 4096 },
		"other processes":        func(_ *analyze.Verdict, c *profile.Call) { c.Processes = 3 },
		"another datatype":       func(_ *analyze.Verdict, c *profile.Call) { c.Datatype = "MPI_INT" },
		"an operator of its own": func(_ *analyze.Verdict, c *profile.Call) { c.Op = "user" },
		"uneven blocks":          func(_ *analyze.Verdict, c *profile.Call) { c.Uneven = true },
		"another root":           func(_ *analyze.Verdict, c *profile.Call) { c.OtherRoot = 1001 },
		"one other root": func(v *analyze.Verdict, c *profile.Call) {
			v.Function, c.Function, c.Root = "MPI_Reduce", "MPI_Reduce", 1
		},
		"a root that the check has for other calls": func(v *analyze.Verdict, c *profile.Call) {
			v.Function, c.Function, v.Elements = "MPI_Reduce", "MPI_Reduce", "root=1"
		},
		"several other roots": func(v *analyze.Verdict, c *profile.Call) {
			v.Function, c.Function, c.Root = "MPI_Reduce", "MPI_Reduce", profile.SeveralRoots
		},
		"two groups": func(_ *analyze.Verdict, c *profile.Call) { c.Communicator = "inter" },
		"the other state of malloc": func(v *analyze.Verdict, c *profile.Call) {
			v.PageFaults, c.Sampled, c.Faults, c.Faulting = number(256), 50, 1024, 2 // the first call of each rank
		},
	} {
		r, p := violated(), called()
		change(&r.Verdicts[0], &p.Calls[0])
		g := Join(r, nil, p)
		should.Hold(t, g.Mockup == Saved{} && g.Setting == Saved{}, "%s: %+v", name, g.Mockup)
	}
}

func TestWhatIsNotShownToBeSlowHasABound(t *testing.T) {
	r := violated()
	r.Verdicts[0].Verdict = judge.Undecided
	g := Join(r, nil, called())
	should.Hold(t, near(g.AtMostS, .1*.6), "a factor of 2.5 of 0.1 s")
	should.Contain(t, gains.Document(g).Sections[0].Text[1].Text, "No gain is shown", "6.0 %")
}

func TestACheckOfOtherCallsIsNoAnswer(t *testing.T) {
	p := called()
	p.Calls[0].Function = "MPI_Bcast"
	g := Join(violated(), nil, p)
	should.Fail(t, gains.Document(g).Exit, "--calls", "exit")
}

// The prediction is 5 to 15 %.
func TestRunsOfTheProgramAreBelieved(t *testing.T) {
	for want, x := range map[string]ProgramAB{
		"believe the gain":     {Ratio: 1.1, RatioLo: 1.05, RatioHi: 1.15},
		"SLOWER":               {Ratio: .6, RatioLo: .5, RatioHi: .9},
		"no gain is shown":     {Ratio: 1, RatioLo: .98, RatioHi: 1.01},
		"more pairs may tell":  {Ratio: 1.05, RatioLo: .9, RatioHi: 1.2},
		"not excluded: believ": {Ratio: 1.5, RatioLo: 1.4, RatioHi: 1.6},
		"not what was predict": {Ratio: 2, RatioLo: 1.8, RatioHi: 2.2},
	} {
		g := &GainResult{WallS: 1, CollectiveS: .5, CoveredS: .5, AtMostS: .2, Setting: Saved{S: .1, Lo: .05, Hi: .15}, AB: &x}
		x.WithS = make([]float64, 10)
		should.Contain(t, gains.Document(g).Sections[0].Text[2].Text, want)
	}
	g := &GainResult{WallS: 1, Setting: Saved{S: .001, Lo: .001, Hi: .002}}
	should.Contain(t, gainSeen(g, &ProgramAB{Ratio: 1, RatioLo: .98, RatioHi: 1.02}), "No gain is seen, as none was predicted; up to 2.0 %")
}

// 1000 pairs of 160 µs, in the check 80 µs as one call and 100 µs as two, are 20 ms more than they need be.
func TestTwoCallsThatAreOneAreWeighedByTheCheck(t *testing.T) {
	p, r := called(), violated()
	r.Verdicts[0].Verdict, r.Verdicts[0].MedianS, r.Verdicts[0].OtherMedianS = judge.Kept, number(80e-6), number(100e-6)
	p.Made = []profile.Made{{By: "MPI_Reduce + MPI_Bcast", Call: p.Calls[0]}}
	should.Contain(t, strings.Join(Join(r, nil, p).Notes, " "),
		"calls Reduce + Bcast of 1 KiB one after the other, 1000 times in a rank: in the check they take 100 µs, and one Allreduce 80.0 µs, which would spare 20.0 ms (2.0 % of the run-time)")
	r.Verdicts[0].MedianS = number(100e-6)
	should.Contain(t, strings.Join(Join(r, nil, p).Notes, " "), "which spares nothing")
	should.Contain(t, profiles.Document(p).Sections[0].Text[len(profiles.Document(p).Sections[0].Text)-1].Text,
		"By two calls in a row: Reduce + Bcast, 1000 times in a rank with 15.0 % of the run-time. Allreduce does the same in one")

	short := p.Calls[0]
	short.SumNS = 9e6 // .45 % of the run-time
	for _, other := range []profile.Made{{By: "MPI_Gather + MPI_Bcast", Call: p.Calls[0]}, {By: "MPI_Reduce + MPI_Bcast", Call: short}, {By: "MPI_Reduce + MPI_Bcast", Call: profile.Call{Function: "MPI_Allreduce", Bytes: 8, Processes: 2, Ranks: 2, Calls: 2}}} {
		p.Made = []profile.Made{other}
		should.Hold(t, !strings.Contains(strings.Join(Join(r, nil, p).Notes, " "), "one after the other"), "%+v", other)
	}
}
