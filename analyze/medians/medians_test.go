package medians

import (
	"math"
	"slices"
	"strings"
	"testing"
	"time"

	"pgmpi/guidelines"
	"pgmpi/internal/stats"
	"pgmpi/measure/protocol"
	"pgmpi/measure/results"
	"pgmpi/testkit/fixture"
	"pgmpi/testkit/must"
	"pgmpi/testkit/should"
)

func collected(t *testing.T, m *results.Manifest, runs []results.Run) *Set {
	t.Helper()
	return fixture.Collected(t, New(m), runs)
}

// bcast plans MPI_Bcast at 1, 2, … bytes.
func bcast(runs, cases int) *results.Manifest {
	m := fixture.Empty(runs)
	for i := range cases {
		fixture.Case(m, "MPI_Bcast", fixture.P2, int64(i+1))
	}
	return m
}

// flagged are samples with a flag.
func flagged(f int, ns ...int64) []protocol.Sample {
	out := fixture.Samples(ns...)
	for i := range out {
		out[i].Flags = f
	}
	return out
}

// In R: quantile(1:8, c(.25, .75)) is 2.75 6.25, so the fences are −2.5 and 11.5.
func TestInvalidSamplesAreNeitherInTheFencesNorInTheRunMedian(t *testing.T) {
	var f Filter
	valid := []int64{8, 1, 7, 2, 6, 3, 5, 4}
	for name, samples := range map[string][]protocol.Sample{
		"all valid":     fixture.Samples(valid...),
		"late ones":     slices.Concat(flagged(protocol.FlagLate, 1000, 1001, 1002, 1003, 1004, 1005, 1006, 1007, 1008), fixture.Samples(valid...)),
		"long ones":     slices.Concat(fixture.Samples(valid...), flagged(protocol.FlagLong, 1000, 1001, 1002)),
		"one that is 0": slices.Concat(fixture.Samples(valid...), flagged(protocol.FlagLate, 0)),
	} {
		fences, n := f.Fences(samples)
		should.Hold(t, n == 8 && fences == (stats.Fences{Q1: 2.75, Q3: 6.25, Lo: -2.5, Hi: 11.5}), "%s: %+v of %d valid samples", name, fences, n)
		median, series := f.kept(fences)
		should.Hold(t, median == 4.5 && slices.Equal(series, []float64{8, 1, 7, 2, 6, 3, 5, 4}), "%s: run median %v of %v", name, median, series)
	}
	_, n := f.Fences(flagged(protocol.FlagLate, 5, 6))
	should.Hold(t, n == 0, "%d valid samples of none", n)
}

// The quartiles of 1, 2, 3, 4, X are 2 and 4, so the fence is at 4 + 1.5·2.
func TestASampleOnTheFenceIsKeptAndOneBeyondIsNot(t *testing.T) {
	var f Filter
	for last, want := range map[int64]int{7: 5, 8: 4} {
		fences, _ := f.Fences(fixture.Samples(3, 1, last, 2, 4))
		_, series := f.kept(fences)
		should.Hold(t, fences.Hi == 7 && len(series) == want, "%d with a fence at %v: %v are kept", last, fences.Hi, series)
	}
}

func TestWhatTheSamplesOfACaseWereIsCountedByMpirun(t *testing.T) {
	m := bcast(3, 1)
	set := collected(t, m, fixture.Runs(m, func(_, run int) []protocol.Sample {
		return [][]protocol.Sample{
			slices.Concat(fixture.Samples(1, 2, 3, 4, 100), flagged(protocol.FlagLate, 9)),
			slices.Concat(fixture.Samples(30, 30, 30, 30, 31), flagged(protocol.FlagLong, 9), flagged(protocol.FlagLong|protocol.FlagLate, 9)),
			flagged(protocol.FlagLate, 7, 8),
		}[run-1]
	}))
	k := &set.Cases[0]
	should.Hold(t, slices.Equal(k.Medians[:2], []float64{2.5, 30}) && math.IsNaN(k.Medians[2]) && k.Runs == 3 && k.Median() == 16.25 && k.MedianOf(1) == 2.5,
		"%+v, median %v", k, k.Median())
	if want := []Count{{6, 1, 1}, {7, 2, 1}, {2, 2, 0}}; !slices.Equal(k.samples, want) || k.Samples() != (Count{15, 5, 2}) {
		t.Errorf("%+v, want %+v", k.samples, want)
	}
	should.Equal(t, set.ZeroIQR, 1, "equal quartiles") // 30, 30, 30, 30, 31
	want := OutOfSync{Cell: Cell{Function: "MPI_Bcast", Msize: 1, Shape: "p2"}, Samples: 15, Invalid: 5, Late: 4, Long: 2, Share: 5. / 15, TooMany: true}
	got := set.OutOfSync()
	should.Hold(t, len(got) == 1 && got[0] == want, "%+v, want %+v", got, want)
}

func TestACaseGivesNoVerdictWhereItsDataAreNotWhole(t *testing.T) {
	for _, c := range []struct {
		late, of int // in the second of two mpiruns; both together have twice as many samples
		planned  int
		says     string
	}{
		{0, 4, 2, ""},
		{2, 4, 2, ""}, // 2 of 8 are a quarter, and no more
		{3, 4, 2, "3 of 8 samples are out of sync, more than 25 %"},
		{4, 4, 2, "only 1 of 2 mpiruns have a valid median"},
		{4, 4, 1, ""}, // the first look was before it
		{0, 4, 0, "no mpirun was planned"},
		{0, 4, 9, ""},
	} {
		m := bcast(2, 1)
		set := collected(t, m, fixture.Runs(m, func(_, run int) []protocol.Sample {
			out := fixture.Samples(10, 11, 12, 13)
			for i := range c.late * (run - 1) {
				out[i].Flags = protocol.FlagLate
			}
			return out
		}))
		should.Equal(t, set.Cases[0].Problem(c.planned), c.says, "%d of %d late, %d mpiruns planned", c.late, c.of, c.planned)
	}
}

// The worst status of all mpiruns counts, and a case that is not timed has no median.
func TestTheWorstStatusOfACaseIsKept(t *testing.T) {
	m := bcast(2, 4)
	m.Skip = map[int]protocol.CaseResult{3: {Status: protocol.StatusNotMeasured, Message: "over the cap"}}
	runs := fixture.Measured(m, 100, 200, 300, 400)
	runs[0].Cases[1].Status, runs[0].Cases[1].Message = protocol.StatusWrong, "block 1 differs"
	runs[1].Cases[2].Status, runs[1].Cases[2].Message = protocol.StatusNotMeasured, "over the cap"
	set := collected(t, m, runs)
	for i, want := range []protocol.Status{protocol.StatusOK, protocol.StatusWrong, protocol.StatusNotMeasured, protocol.StatusNotMeasured} {
		k := &set.Cases[i]
		should.Hold(t, k.Status == want && math.IsNaN(k.Median()) == (want != protocol.StatusOK) && k.Runs == 2,
			"case %d: %s, median %v, %d mpiruns", i, k.Status, k.Median(), k.Runs)
	}
	should.Equal(t, set.Cases[1].Message, "block 1 differs", "message")
}

func TestMpirunsThatDoNotBelongToTheManifestAreRefused(t *testing.T) {
	m := bcast(2, 2)
	m.Planned(protocol.ModeSplit, &results.FollowUps{R: 1})
	for says, change := range map[string]func(*results.Run){
		"run-p2-03.tsv.gz: run 3 is not one of the 2":  func(r *results.Run) { r.Run = 3 },
		"run 0 is not one of the 2":                    func(r *results.Run) { r.Run = 0 },
		"run 1 of p2 came twice":                       func(r *results.Run) { r.Run = 1 },
		"not a measurement of stage 2":                 func(r *results.Run) { r.Mode = protocol.ModeNREP },
		"run 2 is not one of the 1":                    func(r *results.Run) { r.Mode = protocol.ModeSplit },
		"samples of 1 cases, the header has 2":         func(r *results.Run) { r.Samples = r.Samples[:1] },
		"index 2 is not in the Plan of 2 cases":        func(r *results.Run) { r.Cases[1].Plan = 2 },
		"index -1 is not in the Plan":                  func(r *results.Run) { r.Cases[1].Plan = -1 },
		"the Plan has MPI_Bcast at 2 B on p2":          func(r *results.Run) { r.Cases[1].Msize = 3 },
		"case MPI_Scan at 2 B: the Plan has MPI_Bcast": func(r *results.Run) { r.Cases[1].Function = "MPI_Scan" },
		"in its place":                                 func(r *results.Run) { r.Shape = guidelines.Shape{NP: 4} },
		"its samples are 2 calls each":                 func(r *results.Run) { r.Cases[0].Calls = 2 },
		"repetition 1 took 0 ns; a run-time is":        func(r *results.Run) { r.Samples[0][1].NS = 0 },
		"repetition 0 took -5 ns":                      func(r *results.Run) { r.Samples[1][0].NS = -5 },
	} {
		set := New(m)
		runs := fixture.Measured(m, 100, 200)
		must.Do(t, set.Add(&runs[0]))
		change(&runs[1])
		err := set.Add(&runs[1])
		should.Hold(t, err != nil && strings.Contains(err.Error(), says) && strings.HasPrefix(err.Error(), "raw/"), "%v, want %q", err, says)
	}
}

func TestWhatMpirunsSayOfTheWholeFolderIsCollected(t *testing.T) {
	m := bcast(3, 1)
	m.Rank.ClockTickNS = 10
	runs := fixture.Measured(m, 100)
	for i, drift := range []int64{10000, 12000, 10001} {
		runs[i].Timing = protocol.Timing{DriftNS: drift, MaxDriftNS: 10000}
		runs[i].WallNS, runs[i].LaunchNS, runs[i].MeasureNS = int64(i+5), 1, 2
		runs[i].FinishedAt = []string{"2026-01-02T02:00:00Z", "2026-01-02T03:00:00Z", "no time"}[i]
	}
	runs[1].Parts = []results.Part{{Rounds: 1, Of: 2}}
	runs[2].Rank.ClockTickNS = 40
	set := collected(t, m, runs)
	should.Hold(t, set.Drifted == 2 && set.WorstDriftNS == 12000 && set.Joined == 1 && set.TickNS == 40, "%+v", set)
	should.Equal(t, set.Took["p2"], map[int]Took{1: {5, 2}, 2: {6, 0}, 3: {7, 4}}) // one mpirun was cut off
	should.Hold(t, set.LastFinished().Equal(time.Date(2026, 1, 2, 3, 0, 0, 0, time.UTC)) && set.FinishedAt(protocol.ModeMeasure, fixture.P2, 1) == runs[0].FinishedAt,
		"finished %v", set.LastFinished())
	should.Hold(t, set.Has(protocol.ModeMeasure, fixture.P2, 3) && !set.Has(protocol.ModeMeasure, fixture.P2, 4) && !set.Has(protocol.ModeSplit, fixture.P2, 1),
		"it has other mpiruns than it was given")
}

// The sides of an experiment are apart from stage 2, and from each other by their calls.
func TestExperimentsKeepTheirSidesApart(t *testing.T) {
	m := bcast(2, 2)
	m.Planned(protocol.ModeSplit, &results.FollowUps{R: 2, Comparisons: []results.Comparison{{Case: 1, Part: 0, Calls: 2}, {Case: 1, Part: 0, Calls: 2}}})
	runs := fixture.Measured(m, 100, 200)
	for n := 1; n <= 2; n++ {
		run := results.Run{Header: results.Header{Mode: protocol.ModeSplit, Shape: fixture.P2, Run: n, FinishedAt: "later"}}
		fixture.Add(&run, m, 1, 1, fixture.Samples(2000))
		fixture.Add(&run, m, 0, 2, fixture.Samples(500))
		runs = append(runs, run)
	}
	runs[3].Cases[0].Status, runs[3].Cases[0].Message = protocol.StatusWrong, "it differs"
	set := collected(t, m, runs)
	should.Hold(t, set.Side(protocol.ModeSplit, 0, 1) == nil && set.Side(protocol.ModeConfirm, 0, 2) == nil && set.Side(protocol.ModeSplit, 0, 2).Median() == 500 && set.Cases[0].Median() == 101.5,
		"%+v", set.sides)
	// Wrong data in the experiment are wrong data of the case.
	k := set.Worst(protocol.ModeSplit, 1)
	should.Hold(t, k.Status == protocol.StatusWrong && k.Message == "it differs" && set.Cases[1].Status == protocol.StatusOK, "%+v", k)
	type row struct {
		mode  protocol.Mode
		size  int64
		calls int
		runs  int
	}
	var got []row
	for _, c := range set.AllMedians() {
		got = append(got, row{c.Mode, c.Msize, c.Calls, len(c.Runs)})
	}
	should.Equal(t, got, []row{{protocol.ModeMeasure, 1, 1, 2}, {protocol.ModeMeasure, 2, 1, 2}, {protocol.ModeSplit, 2, 1, 1}, {protocol.ModeSplit, 1, 2, 2}})
}

// In R, qbinom(.025, 6, .5) is 1: the interval of six run medians is from the least to the largest.
func TestRunMediansAreListedWithWhatTheyRestOn(t *testing.T) {
	m := fixture.Planned(7, []guidelines.Shape{fixture.P2}, []int64{8}, fixture.GL8)
	fixture.Case(m, "MPI_Bcast", fixture.P2, 8)
	runs := fixture.Runs(m, func(plan, run int) []protocol.Sample {
		out := fixture.Samples(int64(100*run), int64(100*run), int64(100*run)+1, int64(100*run)-1, 1e6)
		if plan == 1 && run == 7 || plan == 2 {
			out = flagged(protocol.FlagLate, 5)
		}
		return out
	})
	got := collected(t, m, runs).CaseMedians()
	must.Hold(t, len(got) == 2 && got[0].Function == "MPI_Reduce" && got[1].MockupOf == "MPI_Reduce" && got[1].NP == 2, "%+v", got)
	a, b := got[0], got[1]
	should.Hold(t, a.MedianNS == 400 && a.LoNS == 100 && a.HiNS == 700 && len(a.Runs) == 7 && b.MedianNS == 350 && b.LoNS == 100 && b.HiNS == 600 && len(b.Runs) == 6,
		"%+v\n%+v", a, b)
	r := a.Runs[2]
	should.Hold(t, r.Run == 3 && r.NS == 300 && *r.Seconds() == 300e-9 && r.Samples == 5 && r.Outliers == 1 && r.Invalid == 0, "%+v", r)
	if r := (RunMedian{NS: math.NaN()}); r.Seconds() != nil {
		t.Errorf("%v seconds without a median", *r.Seconds())
	}
	all := collected(t, m, runs).AllMedians()
	should.Hold(t, len(all) == 3 && len(all[1].Runs) == 7 && all[1].Runs[6].Invalid == 1 && math.IsNaN(all[1].Runs[6].NS) && math.IsNaN(all[2].MedianNS), "%+v", all)
}

func TestBoundsAreSummedUpOverMpiruns(t *testing.T) {
	m := bcast(3, 2)
	runs := fixture.Measured(m, 100, 998)
	for i, median := range []int64{900, 700, 800} {
		runs[i].Cases[1].Provable = &protocol.Bound{N: 5, MedianNS: median, MinNS: median - 100*int64(i)}
	}
	samples := 1000e-9
	want := CaseBound{Cell: Cell{Function: "MPI_Bcast", Msize: 2, Shape: "p2"}, MedianS: 800e-9, MinS: 600e-9, SamplesS: &samples}
	got := collected(t, m, runs).Bounds()
	must.Hold(t, len(got) == 1 && got[0].SamplesS != nil && *got[0].SamplesS == samples, "%+v", got)
	if got[0].SamplesS = want.SamplesS; got[0] != want {
		t.Errorf("%+v, want %+v", got[0], want)
	}
}

func TestMessagesAreOfOneCall(t *testing.T) {
	m := bcast(1, 2)
	runs := fixture.Measured(m, 100, 200)
	set := collected(t, m, runs)
	should.Hold(t, !set.HasMessages() && set.Cases[1].Sent() == nil, "messages that nobody counted")
	counted := fixture.Measured(m, 100, 200)[0]
	counted.Mode = protocol.ModeMessages
	counted.Cases[1].Messages = &protocol.Messages{Calls: 4, Count: 6, Bytes: 800}
	must.Do(t, set.Add(&counted))
	got := set.Cases[1].Sent()
	should.Hold(t, set.HasMessages() && set.Cases[0].Sent() == nil && *got == (Sent{1.5, 200}) && set.Cases[1].Runs == 1, "%+v", got)
}

// One call beside two mock-ups has two sides, which met other caches.
func TestSidesThatTookTurnsAreThoseOfTheirComparison(t *testing.T) {
	m := bcast(1, 3)
	m.Planned(protocol.ModeAlternate, &results.FollowUps{R: 1, Comparisons: []results.Comparison{{Case: 0, Part: 1, Calls: 1}, {Case: 0, Part: 2, Calls: 1}}})
	run := func(pairs ...int) (r results.Run) {
		r.Header = results.Header{Mode: protocol.ModeAlternate, Shape: fixture.P2, Run: 1}
		for _, pair := range pairs {
			fixture.Add(&r, m, 0, 0, fixture.Samples(int64(100+pair)))
			r.Cases[len(r.Cases)-1].Pair = pair
		}
		return r
	}
	set := collected(t, m, []results.Run{run(1, 2)})
	should.Equal(t, [2]float64{set.InTurns(protocol.ModeAlternate, 0, 0, 1).Median(), set.InTurns(protocol.ModeAlternate, 1, 0, 1).Median()}, [2]float64{101, 102})
	all := set.AllMedians()
	should.Hold(t, len(all) == 2 && all[0].Pair == 1 && all[1].Pair == 2, "%+v", all)
	older := collected(t, m, []results.Run{run(0)})
	should.Equal(t, older.InTurns(protocol.ModeAlternate, 1, 0, 1).Median(), 100.0, "of a folder without pairs")
	for _, pair := range []int{-1, 3} {
		wrong := run(pair)
		should.Hold(t, New(m).Add(&wrong) != nil, "pair %d of two", pair)
	}
}
