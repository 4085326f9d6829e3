package explore

import (
	"encoding/json"
	"math"
	"slices"
	"strings"
	"testing"

	"pgmpi/analyze/judge"
	"pgmpi/analyze/medians"
	"pgmpi/guidelines"
	"pgmpi/internal/conf/glfile"
	"pgmpi/internal/exitcode"
	"pgmpi/measure/protocol"
	"pgmpi/measure/results"
	"pgmpi/testkit/documents"
	"pgmpi/testkit/fixture"
	"pgmpi/testkit/must"
	"pgmpi/testkit/should"
)

func TestAlgorithmsAreChosenByNameAndLeftOutByAMark(t *testing.T) {
	for _, c := range []struct {
		list []string
		id   string
		want bool
	}{
		{[]string{"all"}, "MPI_Bcast@chain", true},
		{[]string{"all", "!MPI_Bcast"}, "MPI_Bcast@chain", false},
		{[]string{"MPI_Bcast", "!MPI_Bcast@chain"}, "MPI_Bcast@chain", false},
		{[]string{"MPI_Bcast", "!MPI_Bcast@chain"}, "MPI_Bcast@binomial", true},
		{[]string{"MPI_Bcast@chain"}, "MPI_Bcast@binomial", false},
		{[]string{"!MPI_Scan"}, "MPI_Bcast@chain", true},
	} {
		should.Equal(t, (Config{Algorithms: c.list}).Wants(c.id), c.want, "%v wants %s", c.list, c.id)
	}
	errs := Section.Check(&Config{Algorithms: []string{"MPI_Bcst@chain", "gather_as_reduce"}})
	should.Hold(t, len(errs) == 3, "%v", errs)
	c := Config{Algorithms: []string{"all", "!bcast", "BCAST@binomial"}, Select: 3}
	errs = Section.Check(&c)
	should.Hold(t, len(errs) == 0 && slices.Equal(c.Algorithms, []string{"all", "!MPI_Bcast", "MPI_Bcast@binomial"}), "%v, %v", c.Algorithms, errs)
}

// exploredData are mpiruns of a collective that takes 100 µs, and what each candidate
// takes in the mpiruns that choose and in those that test.
func exploredData(t *testing.T, candidates map[string][2]int64) (*results.Manifest, *medians.Set) {
	t.Helper()
	return exploredOf(t, "MPI_Scan", []string{"MPI_Scan@itself", "MPI_Scan@linear", "scan_as_exscan+reduce_local", "scan_as_textbook@chain"}, candidates)
}

func exploredOf(t *testing.T, function string, ids []string, candidates map[string][2]int64) (*results.Manifest, *medians.Set) {
	t.Helper()
	m := fixture.Empty(3)
	m.Rank.ClockTickNS = 1
	fixture.Case(m, function, fixture.P2, 8)
	took := [][2]int64{{100_000, 100_000}}
	for _, id := range ids {
		if ns, ok := candidates[id]; ok {
			fixture.Test(m, fixture.Pattern{ID: "x", Function: function, Mockup: id}.Guideline(), fixture.P2, 8, fixture.Case(m, id, fixture.P2, 8))
			took = append(took, ns)
		}
	}
	set := medians.New(m)
	run := func(mode protocol.Mode, n, phase int, cases []int) {
		r := &results.Run{Header: results.Header{Mode: mode, Shape: fixture.P2, Run: n}}
		for _, plan := range cases {
			fixture.Add(r, m, plan, 0, fixture.Samples(took[plan][phase]+int64((n*7+plan*3)%5)*100))
		}
		must.Do(t, set.Add(r))
	}
	var all []int
	for i := range m.Plan.Cases {
		all = append(all, i)
	}
	for n := range m.R {
		run(protocol.ModeMeasure, n+1, 0, all)
	}
	if m.Planned(protocol.ModeExplore, planTests(m, set, judge.Default(), 0)); m.FollowUps[protocol.ModeExplore] != nil {
		tested := []int{0}
		for _, f := range m.FollowUps[protocol.ModeExplore].Comparisons {
			tested = append(tested, f.Part)
		}
		for n := range m.FollowUps[protocol.ModeExplore].R {
			run(protocol.ModeExplore, n+1, 1, tested)
		}
	}
	return m, set
}

// What has chosen is never what is tested: a candidate that was lucky is found out.
func TestAnswerIsThatOfTheMpirunsThatTest(t *testing.T) {
	const own, mockup, itself = "MPI_Scan@linear", "scan_as_exscan+reduce_local", "MPI_Scan@itself"
	same := [2]int64{100_000, 100_000}
	for _, c := range []struct {
		name        string
		own, mockup [2]int64
		want        Advice
		tested      int // with the default against itself
	}{
		{"nothing faster", [2]int64{101_000, 1}, [2]int64{120_000, 1}, NothingSeen, 0},
		{"faster in both", [2]int64{60_000, 60_000}, [2]int64{50_000, 50_000}, OwnAlgorithm, 3},
		{"lucky", [2]int64{60_000, 100_000}, [2]int64{120_000, 1}, DefaultIsBest, 2},
		{"lucky own, true mock-up", [2]int64{60_000, 110_000}, [2]int64{60_000, 60_000}, OnlyMockup, 3},
		{"mock-up", [2]int64{101_000, 1}, [2]int64{60_000, 60_000}, OnlyMockup, 2},
	} {
		m, set := exploredData(t, map[string][2]int64{itself: same, own: c.own, mockup: c.mockup})
		e := must.Get(Judge(m, set, judge.Default()))(t)
		tested := 0
		if m.FollowUps[protocol.ModeExplore] != nil {
			tested = len(m.FollowUps[protocol.ModeExplore].Comparisons)
		}
		should.Hold(t, len(e.Cells) == 1 && e.Cells[0].Word == c.want && tested == c.tested && e.Itself.False == 0,
			"%s: %+v, %d follow-ups, itself %+v", c.name, e.Cells, tested, e.Itself)
		should.Equal(t, e.Exit, map[bool]int{true: 1}[c.want == OwnAlgorithm], "%s: exit code", c.name)
	}
}

// A setting of the library mends with least, then a call that is replaced, then whoever develops the library.
func TestACellIsMendedByWhatTakesLeast(t *testing.T) {
	const own, mockup, textbook = "MPI_Scan@linear", "scan_as_exscan+reduce_local", "scan_as_textbook@chain"
	fast, slow, lucky := [2]int64{60_000, 60_000}, [2]int64{120_000, 1}, [2]int64{60_000, 110_000}
	for name, c := range map[string]struct {
		own, mockup, textbook [2]int64
		want                  Advice
		mendBy                Mending
	}{
		"all are faster":           {fast, fast, [2]int64{30_000, 30_000}, OwnAlgorithm, BySetting},
		"mock-up and textbook":     {slow, fast, [2]int64{30_000, 30_000}, OnlyMockup, ByApply},
		"textbook alone":           {slow, slow, fast, OnlyTextbook, ByApply},
		"textbook, a lucky mockup": {slow, lucky, fast, OnlyTextbook, ByApply},
		"a lucky textbook":         {slow, slow, lucky, DefaultIsBest, ""},
	} {
		m, set := exploredData(t, map[string][2]int64{"MPI_Scan@itself": {100_000, 100_000}, own: c.own, mockup: c.mockup, textbook: c.textbook})
		e := must.Get(Judge(m, set, judge.Default()))(t)
		got := e.Cells[0]
		should.Hold(t, got.Word == c.want && got.MendBy == c.mendBy && got.Textbook != nil && got.Textbook.Function == textbook, "%s: %+v", name, got)
	}
	for _, id := range []string{"barrier_as_textbook@dissemination", "reduce_scatter_as_textbook@halving", "scan_as_lane", "scan_as_mine"} {
		c := Cell{Word: OnlyMockup, Mockup: &Candidate{Function: id, Verdict: judge.Violated}}
		should.Equal(t, c.mendBy(), ByReport, "%s", id)
	}
}

// Open MPI's Reduce_scatter by halving is wrong for operators that do not commute, MPICH's is not.
func TestNoSettingMendsByAnAlgorithmThatMayGiveWrongData(t *testing.T) {
	for version, mends := range map[string]Mending{"Open MPI v4.1.4": ByReport, "MPICH Version: 4.0.2": BySetting} {
		const itself, halving = "MPI_Reduce_scatter@itself", "MPI_Reduce_scatter@recursive_halving"
		m, set := exploredOf(t, "MPI_Reduce_scatter", []string{itself, halving}, map[string][2]int64{itself: {100_000, 100_000}, halving: {60_000, 60_000}})
		m.Rank.Library, m.Rank.LibVersion = map[bool]string{true: "openmpi", false: "mpich"}[mends == ByReport], version
		c := must.Get(Judge(m, set, judge.Default()))(t).Cells[0]
		should.Hold(t, c.Word == OwnAlgorithm && c.MendBy == mends && strings.Contains(c.Reason, "do not commute") == (mends == ByReport), "%s: %+v", version, c)
	}
}

// Where one that mends with less is undecided, no answer names another as the only one.
func TestATextbookAlgorithmIsNotTheOnlyOneWhileAMockupIsUndecided(t *testing.T) {
	m, set := exploredData(t, map[string][2]int64{"scan_as_exscan+reduce_local": {60_000, 60_000}, "scan_as_textbook@chain": {60_000, 60_000}})
	m.FollowUps[protocol.ModeExplore].Comparisons = m.FollowUps[protocol.ModeExplore].Comparisons[1:] // of the textbook algorithm
	c := must.Get(Judge(m, set, judge.Default()))(t).Cells[0]
	should.Hold(t, c.Word == NotDecided && c.Textbook.Faster() && c.MendBy == "", "%+v", c)
}

// A library of tomorrow may tell its algorithms in a way that is not understood: a mock-up that is no faster does not
// show that its default is best.
func TestAlgorithmsThatAreNotKnownAreSaid(t *testing.T) {
	m, set := exploredData(t, map[string][2]int64{"MPI_Scan@itself": {100_000, 100_000}, "scan_as_exscan+reduce_local": {120_000, 1}})
	e := must.Get(Judge(m, set, judge.Default()))(t)
	should.Equal(t, e.Cells[0].Reason, unknownOwn)
	text := documents.Written(t, "table", kind.Document(e))
	should.Contain(t, text, "Not known for this version of the library: its own algorithms of MPI_Scan.")
	should.Contain(t, text, "not known")
}

// What the mpiruns that test find wrong was right before, and is no smaller fault.
func TestWrongDataOfTheMpirunsThatTestAreNotSwallowed(t *testing.T) {
	const own, mockup = "MPI_Scan@linear", "scan_as_exscan+reduce_local"
	for _, c := range []struct {
		wrong  string
		word   Advice
		exit   int
		reason string
	}{
		{"MPI_Scan", NotExplored, exitcode.Failed, "element 3"},
		{mockup, OwnAlgorithm, exitcode.Failed, mockup + ": element 3"},
		{own, NotDecided, exitcode.OK, own + ": element 3"},
	} {
		m, set := exploredData(t, map[string][2]int64{own: {60_000, 60_000}, mockup: {60_000, 60_000}})
		i := slices.IndexFunc(m.Plan.Cases, func(k guidelines.Case) bool { return k.Function == c.wrong })
		side := set.Side(protocol.ModeExplore, i, 1)
		side.Status, side.Message = protocol.StatusWrong, "element 3"
		e := must.Get(Judge(m, set, judge.Default()))(t)
		untested := []*Candidate{e.Cells[0].Own, e.Cells[0].Mockup}
		if c.wrong == own {
			untested = untested[:1]
		} else if c.wrong == mockup {
			untested = untested[1:]
		}
		for _, k := range untested {
			if k != nil && (k.Verdict != "" || k.PValue != nil) {
				t.Errorf("%s wrong: %s is %q, and was not tested", c.wrong, k.Function, k.Verdict)
			}
		}
		if got := e.Cells[0]; got.Reason != c.reason || len(e.Unused) != 1 || e.Unused[0].Status != "wrong" || e.Exit != c.exit {
			t.Errorf("%s wrong: %+v, unused %+v, exit code %d", c.wrong, got, e.Unused, e.Exit)
		} else if got.Word != c.word {
			t.Errorf("%s wrong: %s", c.wrong, got.Word)
		}
	}
}

// What was planned is what is judged: nothing untested makes the default the best.
func TestUntestedCandidatesLeaveACellUndecided(t *testing.T) {
	const own, mockup = "MPI_Scan@linear", "scan_as_exscan+reduce_local"
	m, set := exploredData(t, map[string][2]int64{own: {60_000, 60_000}, mockup: {101_000, 101_000}})
	m.FollowUps[protocol.ModeExplore].Comparisons[0].Test, m.FollowUps[protocol.ModeExplore].Comparisons[0].Part = 1, 2 // the mock-up was planned
	e, err := Judge(m, set, judge.Default())
	must.Do(t, err)
	c := e.Cells[0]
	should.Hold(t, c.Word == NotDecided && c.Reason == own+": no mpirun was planned to test it" && c.Own.Verdict == "", "%+v", c)
	m, set = exploredData(t, map[string][2]int64{own: {60_000, 60_000}})
	for run := range set.Cases[1].Medians {
		set.Cases[1].Medians[run] *= 2 // as if other data had chosen
	}
	e, err = Judge(m, set, judge.Default())
	should.Hold(t, err == nil && e.Cells[0].Word == OwnAlgorithm, "%+v, %v", e, err)
}

// The column of the default is of one kind of mpiruns, and a candidate's times are of another.
func TestTimesOfTheDefaultAreFromTheMpirunsThatChooseInEveryCell(t *testing.T) {
	m, set := exploredData(t, map[string][2]int64{"MPI_Scan@linear": {60_000, 60_000}})
	for run := range set.Side(protocol.ModeExplore, 0, 1).Medians {
		set.Side(protocol.ModeExplore, 0, 1).Medians[run] *= 3
	}
	c := must.Get(Judge(m, set, judge.Default()))(t).Cells[0]
	should.Hold(t, *c.DefaultS < 110e-6 && *c.Own.DefaultS > 290e-6 && math.Abs(*c.Own.DefaultS / *c.Own.MedianS / *c.Own.Ratio - 1) < .02, "%v, %+v", *c.DefaultS, c.Own)
}

// A slower way to the own algorithms is a handicap for all of them: the A/A must see it.
func TestDefaultAgainstItselfIsTestedBothWays(t *testing.T) {
	for _, c := range []struct {
		ns    int64
		found int
	}{{100_000, 0}, {80_000, 1}, {125_000, 1}} {
		m, set := exploredData(t, map[string][2]int64{"MPI_Scan@itself": {c.ns, c.ns}, "MPI_Scan@linear": {60_000, 60_000}})
		e := must.Get(Judge(m, set, judge.Default()))(t)
		want := 100_000 / float64(c.ns)
		should.Hold(t, e.Itself.Tests == 1 && e.Itself.False == c.found && e.ItselfRatio != nil && math.Abs(*e.ItselfRatio/want-1) <= .02,
			"itself takes %d ns: %+v, ratio %v", c.ns, e.Itself, e.ItselfRatio)
	}
}

// Only where the library takes one algorithm, and that is the faster one, is its way to it what costs.
func TestOnlyTheAlgorithmThatTheLibraryTakesIsTheSame(t *testing.T) {
	for name, c := range map[string]struct {
		takes  []string
		faster int64
		want   Advice
	}{
		"the same":           {[]string{"linear"}, 60_000, SameAlgorithm},
		"another":            {[]string{"recursive_doubling"}, 60_000, OwnAlgorithm},
		"one of two":         {[]string{"linear", "recursive_doubling"}, 60_000, OwnAlgorithm},
		"not known":          {nil, 60_000, OwnAlgorithm},
		"the same, no gain ": {[]string{"linear"}, 101_000, NothingSeen},
	} {
		m, set := exploredData(t, map[string][2]int64{"MPI_Scan@linear": {c.faster, c.faster}})
		f := glfile.Default()
		glfile.Put(&f, Section, Config{Takes: []Taken{{medians.CellOf(m.Plan.Cases[0]), c.takes}}})
		m.Config = must.Get(json.Marshal(f))(t)
		e := must.Get(Judge(m, set, judge.Default()))(t)
		should.Hold(t, e.Cells[0].Word == c.want && slices.Equal(e.Cells[0].Takes, c.takes), "%s: %+v", name, e.Cells[0])
		should.Equal(t, e.Exit == exitcode.Violated, c.faster == 60_000, name)
	}
}
