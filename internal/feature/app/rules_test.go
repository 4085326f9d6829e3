package app

import (
	"math"
	"slices"
	"strings"
	"testing"

	"pgmpi/analyze"
	"pgmpi/analyze/judge"
	"pgmpi/guidelines"
	"pgmpi/internal/feature/app/profile"
	"pgmpi/internal/feature/remedy"
	"pgmpi/internal/feature/remedy/effect"
	"pgmpi/internal/tuning"
	"pgmpi/testkit/should"
)

// at returns the verdict of violated, changed.
func at(change func(*analyze.Verdict)) analyze.Verdict {
	v := violated().Verdicts[0]
	change(&v)
	return v
}

func sized(msize int64) analyze.Verdict { return at(func(v *analyze.Verdict) { v.Msize = msize }) }

// √2 is as far as a measured size may be; both count with one byte more. Time grows with the size.
func TestACallIsHeldAgainstTheNearestMeasuredSize(t *testing.T) {
	for name, c := range map[string]struct {
		verdicts []analyze.Verdict
		bytes    int64
		want     []int64
		needs    float64 // of one call, in µs
	}{
		"the nearer one of two":         {[]analyze.Verdict{sized(1000), sized(700)}, 800, []int64{700}, 100. * 800 / 700},
		"whatever their order":          {[]analyze.Verdict{sized(700), sized(1000)}, 800, []int64{700}, 100. * 800 / 700},
		"all of one size":               {[]analyze.Verdict{sized(700), sized(1000), sized(700)}, 800, []int64{700, 700}, 100. * 800 / 700},
		"a byte more decides":           {[]analyze.Verdict{sized(3)}, 1, nil, 0}, // 4 / 2
		"just near enough":              {[]analyze.Verdict{sized(6)}, 4, []int64{6}, 100. * 4 / 6},
		"too far":                       {[]analyze.Verdict{sized(1448)}, 1023, nil, 0},
		"one that was not measured":     {[]analyze.Verdict{at(func(v *analyze.Verdict) { v.MedianS = nil }), sized(1000)}, 1024, []int64{1000}, 100. * 1024 / 1000},
		"of other processes":            {[]analyze.Verdict{at(func(v *analyze.Verdict) { v.NP = 3 })}, 1024, nil, 0},
		"without data, at its own time": {[]analyze.Verdict{sized(0)}, 0, []int64{0}, 100},
		"one byte":                      {[]analyze.Verdict{sized(1)}, 1, []int64{1}, 100},
	} {
		p := called()
		p.Calls[0].Bytes = c.bytes
		x := join{report: &analyze.Report{Verdicts: c.verdicts}, calls: p}
		var got []int64
		of := x.verdicts(p.Calls[0])
		for _, v := range of {
			got = append(got, v.Msize)
		}
		should.Equal(t, got, c.want, "%s", name)
		if len(of) > 0 {
			should.Hold(t, near(atItsSize(p.Calls[0], of[0], 100), c.needs), "%s: %v µs", name, atItsSize(p.Calls[0], of[0], 100))
		}
	}
}

// A size of 0 has no share of another one's time.
func TestTimeGrowsWithTheSizeWhereBothHaveData(t *testing.T) {
	for _, c := range []struct {
		bytes, msize int64
		want         float64
	}{{2, 1, 200}, {1, 2, 50}, {0, 1, 100}, {1, 0, 100}, {0, 0, 100}} {
		v := sized(c.msize)
		should.Equal(t, atItsSize(profile.Call{Bytes: c.bytes}, &v, 100), c.want, "%d B by a measurement at %d", c.bytes, c.msize)
	}
}

func TestNotesSayWhatAGainIsWithout(t *testing.T) {
	malloc := remedied(remedy.CellMended)
	malloc.Env = map[string]string{"MALLOC_MMAP_THRESHOLD_": "1000000000"}
	kept := &analyze.Report{Verdicts: []analyze.Verdict{at(func(v *analyze.Verdict) { v.Verdict = judge.Kept })}}
	ended := func(p *profile.Profile) { p.Finished = false }
	set := func(p *profile.Profile) { p.MallocMmap = "1" }
	none := func(*profile.Profile) {}
	for name, c := range map[string]struct {
		report *analyze.Report
		remedy *remedy.Result
		change func(*profile.Profile)
		want   string
	}{
		"whole":                               {violated(), remedied(remedy.CellMended), none, ""},
		"a program that was ended":            {violated(), remedied(remedy.CellMended), ended, "the profile is of 2 of 2 ranks"},
		"without a remedy":                    {violated(), nil, none, "there is no remedy in the folder"},
		"without a remedy, and nothing found": {kept, nil, none, ""},
		"malloc's variables in both":          {violated(), malloc, set, "ran with malloc's variables already"},
		"in the remedy alone":                 {violated(), malloc, none, ""},
		"in the program alone":                {violated(), remedied(remedy.CellMended), set, ""},
		"in a program without a remedy":       {kept, nil, set, ""},
	} {
		p := called()
		c.change(p)
		notes := strings.Join(Join(c.report, c.remedy, p).Notes, "\n")
		should.Hold(t, strings.Contains(notes, c.want) && (notes == "") == (c.want == ""), "%s: %q", name, notes)
	}
}

// The program's second call takes ten times as long; its finding comes first.
func TestFindingsAreTheProgramsCallsWithTheLargestFirst(t *testing.T) {
	p := called()
	longer := p.Calls[0]
	longer.Bytes, longer.SumNS, longer.LeastRankNS, longer.MostRankNS, longer.LeastCallNS = 1000, 3000e6, 1000e6, 2000e6, 800e3
	p.Calls = append(p.Calls, longer)
	all := Join(violated(), nil, p).Findings
	should.Hold(t, len(all) == 2 && slices.IsSortedFunc(all, func(a, b GainFinding) int {
		if a.Saved.S >= b.Saved.S {
			return -1
		}
		return 1
	}), "%+v", all)
	f := all[0]
	should.Hold(t, f.Function == "MPI_Allreduce" && f.Bytes == 1000 && f.Msize == 1024 && f.Processes == 2 && f.Calls == 1000 && near(f.RuntimeS, 1.5) &&
		f.Mockup == "allreduce_as_reduce+bcast", "%+v", f)
}

func TestARemedyCountsWhereItsCellIsTheCalls(t *testing.T) {
	for name, c := range map[string]struct {
		change func(*remedy.Cell)
		want   bool
	}{
		"mended":               {func(*remedy.Cell) {}, true},
		"faster":               {func(k *remedy.Cell) { k.State = remedy.CellFaster }, true},
		"undecided":            {func(k *remedy.Cell) { k.State = remedy.CellUndecided }, false},
		"of another function":  {func(k *remedy.Cell) { k.Function = "MPI_Bcast" }, false},
		"of other processes":   {func(k *remedy.Cell) { k.NP = 3 }, false},
		"of another size":      {func(k *remedy.Cell) { k.Msize = 1000 }, false},
		"without its gain":     {func(k *remedy.Cell) { k.Gain = nil }, false},
		"without a lower end":  {func(k *remedy.Cell) { k.GainLo = nil }, false},
		"without an upper end": {func(k *remedy.Cell) { k.GainHi = nil }, false},
	} {
		m := remedied(remedy.CellMended)
		c.change(&m.Cells[0])
		g := Join(violated(), m, called())
		should.Hold(t, (g.Setting != Saved{}) == c.want && (g.Mockup != Saved{}) != c.want, "%s: %+v, %+v", name, g.Setting, g.Mockup)
	}
}

// The call has 1000 B, and the setting was proved at 1 KiB.
func TestASettingCountsAtTheSizesThatItReaches(t *testing.T) {
	own := func(function string, np int, from, to int64) tuning.Entry {
		return tuning.Entry{Choice: tuning.Choice{Kind: tuning.OwnAlgorithm, Function: function, NP: np}, From: from, To: to}
	}
	for name, c := range map[string]struct {
		entries []tuning.Entry
		want    bool
	}{
		"none":                 {nil, false},
		"a variable":           {[]tuning.Entry{{Choice: tuning.Choice{Kind: tuning.ByEnv}, From: 5000}}, true},
		"a rule that reaches":  {[]tuning.Entry{own("MPI_Allreduce", 2, 512, 2048)}, true},
		"the second of two":    {[]tuning.Entry{own("MPI_Bcast", 2, 1, 2048), own("MPI_Allreduce", 2, 512, 2048)}, true},
		"a rule for more":      {[]tuning.Entry{own("MPI_Allreduce", 2, 1024, 2048)}, false},
		"of another call":      {[]tuning.Entry{own("MPI_Bcast", 2, 512, 2048)}, false},
		"for other processes":  {[]tuning.Entry{own("MPI_Allreduce", 3, 512, 2048)}, false},
		"other call, size too": {[]tuning.Entry{own("MPI_Bcast", 3, 1024, 2048)}, false},
	} {
		r, m, p := violated(), remedied(remedy.CellMended), called()
		r.Verdicts[0].Verdict, p.Calls[0].Bytes = judge.Kept, 1000
		for _, e := range c.entries {
			m.Effects = append(m.Effects, effect.Effect{Entry: e})
		}
		g := Join(r, m, p)
		right := len(g.Findings) == 1 && (g.Findings[0].Why == "") == c.want && (g.Setting != Saved{}) == c.want
		should.Hold(t, right && (c.want || strings.Contains(g.Findings[0].Why, "was proved at 1 KiB")), "%s: %+v", name, g.Findings)
	}
}

func TestAMockupCountsIfAViolationByItIsShown(t *testing.T) {
	for name, c := range map[string]struct {
		change func(*analyze.Verdict)
		want   bool
	}{
		"a violation":          {func(*analyze.Verdict) {}, true},
		"of a monotony":        {func(v *analyze.Verdict) { v.Type = guidelines.Monotony }, false},
		"gone in turns":        {func(v *analyze.Verdict) { v.Standing = analyze.GoneInTurns }, false},
		"by a call of MPI":     {func(v *analyze.Verdict) { v.Mockup = "MPI_Reduce" }, false},
		"without a lower end":  {func(v *analyze.Verdict) { v.RatioLo95 = nil }, false},
		"without an upper end": {func(v *analyze.Verdict) { v.RatioHi95 = nil }, false},
	} {
		r := &analyze.Report{Verdicts: []analyze.Verdict{at(c.change)}}
		should.Equal(t, Join(r, nil, called()).Mockup != Saved{}, c.want, "%s", name)
	}
}

func elsewhere(verdict judge.Verdict, ratio, lo, hi float64) *analyze.Elsewhere {
	return &analyze.Elsewhere{Alone: analyze.Alone{Verdict: verdict, Effect: analyze.Effect{Ratio: analyze.Number(ratio), RatioLo95: analyze.Number(lo), RatioHi95: analyze.Number(hi)}}}
}

// In the check the factor is 2 [1.6, 2.5]: a tenth of a second saves half of it.
func TestTheFactorOfAMockupIsThatOfTheProgramsCondition(t *testing.T) {
	none := math.NaN()
	for name, c := range map[string]struct {
		change func(*analyze.Verdict)
		faults bool // the check's calls met page faults, the program's did not
		want   float64
	}{
		"as in the check":           {func(*analyze.Verdict) {}, false, .05},
		"smaller in turns":          {func(v *analyze.Verdict) { v.Alternating = elsewhere(judge.Violated, 1.25, 1.2, 1.3) }, false, .02},
		"touching in turns":         {func(v *analyze.Verdict) { v.Alternating = elsewhere(judge.Violated, 1.25, 1.2, 1.7) }, false, .05},
		"in turns, no lower end":    {func(v *analyze.Verdict) { v.Alternating = elsewhere(judge.Violated, 1.25, none, 1.3) }, false, .05},
		"in turns, no upper end":    {func(v *analyze.Verdict) { v.Alternating = elsewhere(judge.Violated, 4, 3, none) }, false, .05},
		"malloc's state, not asked": {func(v *analyze.Verdict) { v.OtherMalloc = elsewhere(judge.Violated, 1.25, 1.2, 1.3) }, false, .05},
		"malloc's other state":      {func(v *analyze.Verdict) { v.OtherMalloc = elsewhere(judge.Violated, 1.25, 1.2, 1.3) }, true, .02},
		"kept in it":                {func(v *analyze.Verdict) { v.OtherMalloc = elsewhere(judge.Kept, 1.25, 1.2, 1.3) }, true, 0},
		"in it without lower end":   {func(v *analyze.Verdict) { v.OtherMalloc = elsewhere(judge.Violated, 1.25, none, 1.3) }, true, 0},
		"in it without upper end":   {func(v *analyze.Verdict) { v.OtherMalloc = elsewhere(judge.Violated, 1.25, 1.2, none) }, true, 0},
		"not measured in it":        {func(*analyze.Verdict) {}, true, 0},
	} {
		p := called()
		v := at(c.change)
		if c.faults {
			v.PageFaults, p.Calls[0].Sampled = number(256), 50
		}
		g := Join(&analyze.Report{Verdicts: []analyze.Verdict{v}}, nil, p)
		should.Hold(t, near(g.Mockup.S, c.want), "%s: %+v", name, g.Mockup)
	}
}

func TestOfTwoMockupsTheOneThatIsShownToBeFasterCounts(t *testing.T) {
	slower := at(func(v *analyze.Verdict) {
		v.Mockup, v.Effect = "other", analyze.Effect{Ratio: number(3), RatioLo95: number(1.2), RatioHi95: number(9)}
	})
	same := at(func(v *analyze.Verdict) { v.Mockup = "same" })
	for _, verdicts := range [][]analyze.Verdict{{violated().Verdicts[0], slower, same}, {slower, violated().Verdicts[0], same}} {
		g := Join(&analyze.Report{Verdicts: verdicts}, nil, called())
		should.Hold(t, len(g.Findings) == 1 && g.Findings[0].Mockup == "allreduce_as_reduce+bcast", "%+v", g.Findings)
	}
}

// A setting that does not hold at the call is named where no mock-up counts.
func TestASettingThatDoesNotCountGivesWayToAMockupThatDoes(t *testing.T) {
	for name, c := range map[string]struct {
		verdict judge.Verdict
		faults  *float64 // of the check, and none of the program
		by      string
	}{
		"a violation":                     {judge.Violated, nil, "allreduce_as_reduce+bcast"},
		"none":                            {judge.Kept, nil, "linear"},
		"one that does not count, either": {judge.Violated, number(256), "linear"},
	} {
		r, p := violated(), called()
		r.Verdicts[0].Verdict, r.Verdicts[0].PageFaults, p.Calls[0].Bytes, p.Calls[0].Sampled = c.verdict, c.faults, 1000, 50
		f := Join(r, remedied(remedy.CellMended), p).Findings
		should.Hold(t, len(f) == 1 && f[0].By == c.by && (f[0].Why == "") == (c.by != "linear"), "%s: %+v", name, f)
	}
}

// Calls meet page faults from half of one a call on.
func TestMallocsStateDiffersWhereOneSideAloneMeetsPageFaults(t *testing.T) {
	few, many := number(tuning.FaultsFrom/2), number(tuning.FaultsFrom)
	for _, c := range []struct {
		check, program *float64
		want           bool
	}{{few, many, true}, {many, few, true}, {many, many, false}, {few, few, false}, {nil, many, false}, {many, nil, false}, {nil, nil, false}} {
		should.Equal(t, differ(c.check, c.program), c.want, "%v", c)
	}
	p := called()
	p.Calls[0].Sampled, p.Calls[0].Faults, p.Calls[0].Faulting = 50, 25, 50
	x := join{calls: p, out: &GainResult{}}
	with := func(faults *float64) *analyze.Verdict {
		v := at(func(v *analyze.Verdict) { v.PageFaults = faults })
		return &v
	}
	should.Hold(t, near(x.faulting(p.Calls[0], with(few)), .15), "the program's calls meet half a fault")
	p.Calls[0].Faulting = 0
	should.Equal(t, x.faulting(p.Calls[0], with(many)), 0., "the check's calls alone meet faults")
}

func TestATradeIsWeighedOnlyWhereTheCheckSaysSomethingOfTheCall(t *testing.T) {
	for name, c := range map[string]struct {
		change func(*analyze.Report, *profile.Call, *remedy.Traded)
		want   int
	}{
		"all known":            {func(*analyze.Report, *profile.Call, *remedy.Traded) {}, 1},
		"another size":         {func(_ *analyze.Report, c *profile.Call, _ *remedy.Traded) { c.Bytes = 4096 }, 0},
		"another datatype":     {func(_ *analyze.Report, c *profile.Call, _ *remedy.Traded) { c.Datatype = "MPI_INT" }, 0},
		"another root":         {func(_ *analyze.Report, c *profile.Call, _ *remedy.Traded) { c.OtherRoot = 1001 }, 0},
		"half at another root": {func(_ *analyze.Report, c *profile.Call, _ *remedy.Traded) { c.OtherRoot = 1000 }, 1},
		"a check of that root": {func(r *analyze.Report, c *profile.Call, _ *remedy.Traded) { r.Operation.Root, c.OtherRoot = 1, 1001 }, 1},
		"a check of that root for these calls": {func(r *analyze.Report, c *profile.Call, k *remedy.Traded) {
			r.Verdicts[0].Function, c.Function, k.Function = "MPI_Reduce", "MPI_Reduce", "MPI_Reduce"
			r.Verdicts[0].Elements, k.Elements, c.Root, c.OtherRoot = "root=1", "root=1", 1, c.Calls
		}, 1},
		"malloc's other state": {func(r *analyze.Report, c *profile.Call, _ *remedy.Traded) {
			r.Verdicts[0].PageFaults, c.Sampled = number(256), 50
		}, 0},
		"trade of another call":        {func(_ *analyze.Report, _ *profile.Call, k *remedy.Traded) { k.Function = "MPI_Bcast" }, 0},
		"trade of other processes":     {func(_ *analyze.Report, _ *profile.Call, k *remedy.Traded) { k.NP = 3 }, 0},
		"trade at another size":        {func(_ *analyze.Report, _ *profile.Call, k *remedy.Traded) { k.Msize = 1000 }, 0},
		"trade without a ratio":        {func(_ *analyze.Report, _ *profile.Call, k *remedy.Traded) { k.Ratio = nil }, 0},
		"trade without its lower end":  {func(_ *analyze.Report, _ *profile.Call, k *remedy.Traded) { k.Lo = nil }, 0},
		"trade without its upper end":  {func(_ *analyze.Report, _ *profile.Call, k *remedy.Traded) { k.Hi = nil }, 0},
		"trade that changes no factor": {func(_ *analyze.Report, _ *profile.Call, k *remedy.Traded) { k.Ratio, k.Lo = number(1), number(1) }, 1},
	} {
		r, p := violated(), called()
		k := remedy.Traded{NP: 2, Ratio: number(2), Lo: number(1.6), Hi: number(2.5)}
		k.Function, k.Msize = "MPI_Allreduce", 1024
		c.change(r, &p.Calls[0], &k)
		x := join{report: r, calls: p}
		w := x.weighed(remedy.Trade{Mends: []remedy.Traded{k}})
		should.Equal(t, w.Faster, c.want, "%s", name)
		should.Hold(t, (w.Saved.Hi != 0) == (c.want == 1), "%s: %+v", name, w.Saved)
	}
}

func TestAFactorOfOneOrLessSavesNothing(t *testing.T) {
	for ratio, want := range map[float64]float64{2: .5, 1: 0, .5: 0} {
		should.Equal(t, part(ratio), want, "%g", ratio)
	}
	should.Equal(t, part(math.NaN()), 0.)
	should.Equal(t, more(.5), 0.)
}

// What only a monotony says is no bound for another way to call.
func TestOnlyPatternsBoundWhatACallWouldGain(t *testing.T) {
	v := at(func(v *analyze.Verdict) { v.Verdict = judge.Kept })
	for name, c := range map[string]struct {
		change func(*analyze.Verdict)
		want   float64
	}{
		"a pattern":            {func(*analyze.Verdict) {}, .06},
		"a monotony":           {func(v *analyze.Verdict) { v.Type = guidelines.Monotony }, 0},
		"without an upper end": {func(v *analyze.Verdict) { v.RatioHi95 = nil }, 0},
	} {
		k := v
		c.change(&k)
		should.Hold(t, near(Join(&analyze.Report{Verdicts: []analyze.Verdict{k}}, nil, called()).AtMostS, c.want), "%s", name)
	}
}
