package remedy

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"pgmpi/analyze"
	"pgmpi/analyze/judge"
	"pgmpi/analyze/medians"
	"pgmpi/analyze/series"
	"pgmpi/guidelines"
	"pgmpi/internal/feature/explore"
	"pgmpi/internal/tuning"
	"pgmpi/measure/protocol"
	"pgmpi/testkit/fixture"
	"pgmpi/testkit/must"
	"pgmpi/testkit/should"
)

// Each rule with several conditions has here, for each of them, a case that it alone decides.

type (
	changes = []series.CaseChange
	tries   = []tuning.Choice
)

// own is what a proof tries: algorithms for MPI_Scan at 1000 B.
var own = tries{algorithm("MPI_Scan", 1000)}

// slowerBy is a case that a test shows to take ratio times as long.
func slowerBy(function string, size int64, ratio float64) series.CaseChange {
	return changed(at(function, size), series.Slower, ratio)
}

// proving is a proof with these changes of all cases, in which nothing went wrong.
func proving(choices []tuning.Choice, harmed ...series.CaseChange) *effects {
	return &effects{choices: choices, helped: compared(), harmed: compared(harmed...), before: nothing, after: nothing}
}

// Variables of malloc reach no call of 8 B by themselves, but move a program's memory.
func TestNewVariablesOfMallocMayHarmAnywhere(t *testing.T) {
	env := tuning.Choice{Kind: tuning.ByEnv, Sizes: []int64{1 << 20}}
	for name, c := range map[string]struct {
		choices, held []tuning.Choice
		harms         int
	}{
		"new":                           {tries{env}, nil, 1},
		"held already":                  {tries{env, own[0]}, tries{env}, 0},
		"an algorithm for another call": {own, nil, 0},
	} {
		e := proving(c.choices, slowerBy("MPI_Bcast", 8, 2))
		e.held = c.held
		should.Equal(t, len(e.harms()), c.harms, name)
		should.Equal(t, e.control(e.harmed) > 0, c.harms == 0, "%s: the control", name)
	}
}

func TestASlowdownWithoutARatioIsHarmWhereTheSettingReaches(t *testing.T) {
	for size, harms := range map[int64]int{1000: 1, 8: 0} {
		k := slowerBy("MPI_Scan", size, 2)
		k.Ratio = nil
		should.Equal(t, len(proving(own, k).harms()), harms, "%d B", size)
	}
}

func TestAGuidelineThatASettingCannotBreakIsNoHarm(t *testing.T) {
	for function, harms := range map[string]int{"MPI_Scan": 1, "MPI_Bcast": 0} {
		e := proving(own)
		g := series.GuidelineChange{Change: series.NewlyViolated, BRatio: analyze.Number(2)}
		g.Guideline, g.Function, g.Msize, g.Shape = "GL1", function, 1000, "p4"
		e.harmed.Guidelines = []series.GuidelineChange{g}
		should.Equal(t, len(e.harms()), harms, function)
	}
}

func TestAGainCountsWhereTheSettingReaches(t *testing.T) {
	for function, state := range map[string]CellState{"MPI_Scan": CellFaster, "MPI_Bcast": CellUndecided} {
		k := changed(at(function, 1000), series.Faster, .5)
		e := proving(own)
		e.helped = compared(k)
		should.Equal(t, e.faster(), map[bool]int{true: 1}[state == CellFaster], function)
		c := Cell{Cell: k.Cell, NP: 4}
		e.outcome(&c, nil)
		should.Equal(t, c.State, state, function)
	}
	always := own[0]
	always.Way = "mca"
	k := changed(at("MPI_Scan", 1000), series.Faster, .5)
	c, e := Cell{Cell: k.Cell, NP: 4}, proving(own)
	e.helped = compared(k)
	e.outcome(&c, tries{always})
	should.Equal(t, c.By, []string{"linear, by its variable"})
}

// What would have been seen in half of the cases is the middle of what could be seen in each, or the lower of two.
func TestAProofSaysWhatItReachedAndCouldHaveSeen(t *testing.T) {
	none := func(size int64) series.CaseChange { return series.CaseChange{Cell: at("MPI_Scan", size)} }
	seen := func(size int64, could float64) series.CaseChange {
		k := changed(at("MPI_Scan", size), series.NoDifference, 1)
		k.CouldHaveSeen, k.RatioHi = analyze.Number(could), analyze.Number(1.01)
		return k
	}
	wide := own[0]
	wide.Ranges = []tuning.Range{{From: 1, To: 100}}
	choices := tries{wide}
	for name, c := range map[string]struct {
		cases   []series.CaseChange
		looked  float64
		visible float64 // or 0
		control int
		noise   float64
	}{
		"one":                          {changes{seen(1, 1.2)}, 0, 1.2, 0, 0},
		"the middle of three":          {changes{seen(1, 1.3), seen(2, 1.1), seen(3, 1.2)}, 0, 1.2, 0, 0},
		"the lower of two":             {changes{seen(1, 1.3), seen(2, 1.1), seen(3, 1.2), seen(4, 1.4)}, 0, 1.2, 0, 0},
		"one that could see nothing":   {changes{seen(1, 1.3), none(2)}, 0, 1.3, 0, 0},
		"two that could see nothing":   {changes{seen(1, 1.3), none(2), none(3)}, 0, 0, 0, 0},
		"what it cannot reach":         {changes{seen(1, 1.3), seen(500, 1.1), seen(501, 1.1)}, 0, 1.3, 2, 0},
		"a control that is slower":     {changes{seen(1, 1.3), slowerBy("MPI_Bcast", 8, 1.1)}, 0, 1.3, 1, 1.1},
		"a second look's, and larger":  {changes{seen(1, 1.3), slowerBy("MPI_Bcast", 8, 1.1)}, 1.2, 1.3, 1, 1.2},
		"a second look's, and smaller": {changes{seen(1, 1.3), slowerBy("MPI_Bcast", 8, 1.1)}, 1.05, 1.3, 1, 1.1},
	} {
		e := proving(choices, c.cases...)
		e.looked = c.looked
		var p Proof
		for range 2 { // a proof may be asked again
			e.exclude(choices, &p)
			should.Hold(t, p.Reached+p.Control == len(c.cases) && p.Control == c.control, "%s: %+v", name, p)
			should.Hold(t, analyze.Or(p.Visible, 0) == c.visible && analyze.Or(p.Noise, 0) == c.noise, "%s: %+v", name, p)
		}
	}
}

// blamesOf lists the harms of each choice, by its size, where some were taken back.
func blamesOf(e *effects, choices ...tuning.Choice) string {
	var back []tuning.Rejected
	for _, c := range choices {
		back = append(back, c.Rejected(""))
	}
	var out []string
	for _, c := range e.choices {
		for _, h := range e.blames(e.choices, back)[c.Key()] {
			out = append(out, fmt.Sprintf("%d: %s %d", c.Sizes[0], h.Function, h.Msize))
		}
	}
	return strings.Join(out, ", ")
}

func TestAHarmIsPutDownToWhatExplainsItOrIsAlone(t *testing.T) {
	scan, small, bcast := own[0], algorithm("MPI_Scan", 8), algorithm("MPI_Bcast", 1000)
	env := tuning.Choice{Kind: tuning.ByEnv, Sizes: []int64{1000}}
	pad := env
	pad.Env = map[string]string{"MALLOC_TOP_PAD_": "1"}
	here, beyond := slowerBy("MPI_Scan", 1000, 2), slowerBy("MPI_Scan", 5000, 2)
	elsewhere := slowerBy("MPI_Gather", 1000, 2)
	for name, c := range map[string]struct {
		choices, back []tuning.Choice
		harm          series.CaseChange
		earlier       *effects
		want          string
	}{
		"it explains it": {tries{scan, bcast}, tries{scan, bcast}, here, nil, "1000: MPI_Scan 1000"},
		"two do": {tries{scan, small, env}, tries{scan, small}, beyond, nil,
			"1000: MPI_Scan 5000, 8: MPI_Scan 5000"},
		"it is alone":             {tries{env}, tries{env}, elsewhere, nil, "1000: MPI_Gather 1000"},
		"it alone can change it":  {tries{scan, env}, tries{scan, env}, elsewhere, nil, "1000: MPI_Gather 1000"},
		"none of two explains it": {tries{env, pad}, tries{env, pad}, elsewhere, nil, ""},
		"it stays":                {tries{scan, bcast}, tries{bcast}, here, nil, ""},
		"what was held did it":    {tries{scan}, tries{scan}, here, proving(nil, here), ""},
	} {
		e := proving(c.choices, c.harm)
		e.earlier = c.earlier
		should.Equal(t, blamesOf(e, c.back...), c.want, name)
	}
	fresh := proving(tries{scan, bcast}, here)
	fresh.held = tries{scan}
	should.Equal(t, blamesOf(fresh, scan), "", "what is held is not asked")
}

func TestAChoiceIsNarrowedThatHarmsOnlyBetweenItsSizes(t *testing.T) {
	wide := own[0]
	wide.Ranges = []tuning.Range{{From: 1000, To: 3000}}
	for name, c := range map[string]struct {
		choice tuning.Choice
		harmed []series.CaseChange
		want   int
	}{
		"between":                    {wide, changes{slowerBy("MPI_Scan", 2000, 2)}, 1},
		"at its size":                {wide, changes{slowerBy("MPI_Scan", 1000, 2)}, 0},
		"at its size, too":           {wide, changes{slowerBy("MPI_Scan", 2000, 2), slowerBy("MPI_Scan", 1000, 2)}, 0},
		"it harms nothing":           {wide, nil, 0},
		"it has no sizes in between": {own[0], changes{slowerBy("MPI_Scan", 5000, 2)}, 0},
	} {
		choices := tries{c.choice}
		got := proving(nil, c.harmed...).narrowed(choices, []tuning.Rejected{c.choice.Rejected("")})
		should.Equal(t, len(got), c.want, name)
		for _, exact := range got {
			should.Hold(t, len(exact.Ranges) == 0 && len(exact.Sizes) == 1, "%s: %+v", name, exact)
		}
	}
}

func TestATradeMendsSomeCellsAndSlowsOthers(t *testing.T) {
	scan := own[0]
	faster, slow := changed(at("MPI_Scan", 1000), series.Faster, .5), slowerBy("MPI_Scan", 100000, 2)
	violated := func(e *effects) {
		g := series.GuidelineChange{Change: series.NewlyViolated, BRatio: analyze.Number(2)}
		g.Guideline, g.Function, g.Msize, g.Shape = "GL1", "MPI_Scan", 100000, "p4"
		e.harmed.Guidelines = []series.GuidelineChange{g}
	}
	wrong := &analyze.Report{Wrong: []analyze.CaseMessage{{Cell: at("MPI_Gather", 8)}}}
	elsewhere := changed(at("MPI_Bcast", 1000), series.Faster, .5)
	unsure := slow
	unsure.Change = series.SlightlySlower
	for name, c := range map[string]struct {
		helped, harmed []series.CaseChange
		change         func(*effects)
		want           string // mended cells, then harmed cases
	}{
		"both":                        {changes{faster}, changes{slow}, nil, "1 1"},
		"nothing is slower":           {changes{faster}, nil, nil, ""},
		"nothing is faster":           {changes{changed(faster.Cell, series.NoDifference, 1)}, changes{slow}, nil, ""},
		"faster, where it is not":     {changes{elsewhere}, changes{slow}, nil, ""},
		"faster, and elsewhere":       {changes{faster, elsewhere}, changes{slow}, nil, "1 1"},
		"a guideline, not the call":   {changes{faster}, changes{unsure}, violated, ""},
		"a guideline, not compared":   {changes{faster}, nil, violated, ""},
		"a guideline and its call":    {changes{faster}, changes{slow}, violated, "1 1"},
		"data that are wrong":         {changes{faster}, changes{slow}, func(e *effects) { e.after = wrong }, ""},
		"no faster than what is held": {changes{faster}, changes{slow}, func(e *effects) { e.more = compared() }, ""},
	} {
		e := proving(nil, c.harmed...)
		e.helped, e.setUp = compared(c.helped...), &series.SetUp{S: .01}
		if c.change != nil {
			c.change(e)
		}
		var got []string
		beside := slices.Concat(own, []tuning.Choice{{Kind: tuning.ByComponent}})
		for _, trade := range e.trades(beside, []tuning.Rejected{scan.Rejected("")}) {
			should.Hold(t, trade.SetUp == nil, "%s: the component takes longer to set up", name)
		}
		for _, trade := range e.trades(own, []tuning.Rejected{scan.Rejected("")}) {
			should.Hold(t, trade.SetUp == e.setUp, "%s: %+v", name, trade)
			got = append(got, fmt.Sprint(len(trade.Mends), " ", len(trade.Harms)))
			mended, harmed := trade.Mends[0], trade.Harms[0]
			should.Hold(t, *mended.Ratio == 2 && *mended.Lo < 2 && *harmed.Ratio == 2 && *harmed.Lo < 2, "%s: %+v", name, trade)
			should.Hold(t, trade.choice.Key() == scan.Key() && trade.Label == scan.String(), "%s: %+v", name, trade)
		}
		should.Equal(t, strings.Join(got, "; "), c.want, name)
	}
}

// There are fifty others, and as many are wanted as tell twice how slow an mpirun is in general.
func TestTheFastestOfManyOthersAreMeasuredAgain(t *testing.T) {
	m := fixture.Manifest()
	for size := range int64(50) {
		fixture.Case(m, "MPI_Bcast", fixture.P2, 1+size)
	}
	var ns []int64
	for i := range m.Plan.Cases {
		ns = append(ns, 100000-1000*int64(i))
	}
	s := must.Get(analyze.Analyze(m, fixture.Measured(m, ns...), judge.Default()))(t).Side("folder")
	e := proving(nil)
	for _, k := range m.Plan.Cases {
		e.harmed.Cases = append(e.harmed.Cases, changed(medians.CellOf(k), series.NoDifference, 1))
	}
	e.harmed.Cases[1].Ratio = analyze.Number(1.2)
	got := e.pointing(s, malloc)
	must.Hold(t, len(got) == 1+2*medians.GeneralCases && got[0] == 1, "%v", got)
	for n, i := range got[1:] {
		should.Equal(t, i, len(m.Plan.Cases)-1-n, "the fastest first")
	}
}

func TestAnAlgorithmIsChosenThatIsFasterThanTheLibrarysOwnChoiceOfIt(t *testing.T) {
	cells := []Cell{{Cell: at("MPI_Bcast", 8)}}
	e := &explore.Exploration{Cells: []explore.Cell{{Cell: cells[0].Cell, NP: 4, Word: explore.SameAlgorithm,
		Own: &explore.Candidate{Function: "MPI_Bcast@pipeline+4Ki"}}}}
	four := guidelines.Shape{NP: 4}
	p := &guidelines.Plan{Cases: []guidelines.Case{{Function: "MPI_Bcast", Msize: 8, Shape: four},
		{Function: "MPI_Bcast", Msize: 64, Shape: four}, {Function: "MPI_Scan", Msize: 16, Shape: four}}}
	names := []protocol.Algorithm{{Name: "chain", Value: 2}, {Name: "pipeline", Value: 3}}
	list := []protocol.Algorithms{{Collective: "MPI_Bcast", Names: names}}
	got := algorithmChoices(e, cells, p, list, true)
	must.Hold(t, len(got) == 1 && got[0].Value == 3 && got[0].Extend && got[0].Algorithm == "pipeline+4Ki", "%+v", got)
	should.Equal(t, got[0].Measured, []int64{8, 64})
	should.Equal(t, cells[0].Explored, string(explore.SameAlgorithm))
}
