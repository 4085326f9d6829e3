package remedy

import (
	"math"
	"strings"
	"testing"

	"pgmpi/analyze"
	"pgmpi/analyze/medians"
	"pgmpi/analyze/series"
	"pgmpi/internal/feature/remedy/reach"
	"pgmpi/internal/tuning"
	"pgmpi/testkit/should"
)

// Each rule with several conditions has here, for each of them, a case that it alone decides.

func at(function string, size int64) medians.Cell {
	return medians.Cell{Function: function, Msize: size, Shape: "p4"}
}

// algorithm is a choice for a collective on four processes at one size, measured from a tenth to ten times of it.
func algorithm(function string, size int64) tuning.Choice {
	return tuning.Choice{Kind: tuning.OwnAlgorithm, Function: function, NP: 4, Sizes: []int64{size}, Measured: []int64{size / 10, size, 10 * size}, Algorithm: "linear"}
}

// nothing went wrong on this side.
var nothing = &analyze.Report{}

func compared(cases ...series.CaseChange) *series.Comparison {
	c := &series.Comparison{Cases: cases}
	c.MinSlowdown = 1.05
	return c
}

// changed is a case that takes ratio times as long, with an interval of 10 % to both sides.
func changed(cell medians.Cell, change series.Change, ratio float64) series.CaseChange {
	k := series.CaseChange{Cell: cell, NP: 4, Change: change}
	k.Ratio, k.RatioLo, k.RatioHi = analyze.Number(ratio), analyze.Number(.9*ratio), analyze.Number(1.1*ratio)
	return k
}

func TestAChoiceChangesWhatItReachesAndTheRestIsControl(t *testing.T) {
	env := tuning.Choice{Kind: tuning.ByEnv, Sizes: []int64{1 << 20}}
	small := tuning.Choice{Kind: tuning.ByEnv, Sizes: []int64{1000}}
	component := tuning.Components(tuning.LibraryOf("openmpi", "4.1.4"), []string{"MPI_Scatter"})[0] // han
	unknown := tuning.Choice{Kind: tuning.ByComponent, Component: "other"}
	own := algorithm("MPI_Allreduce", 1000)
	wide, always := own, own
	wide.Ranges, always.Way = []tuning.Range{{From: 1000, To: 3000}}, "mca"
	for name, c := range map[string]struct {
		choice  tuning.Choice
		cell    medians.Cell
		changes bool
	}{
		"malloc from its size on":                {env, at("MPI_Scan", tuning.MallocFrom), true},
		"malloc below":                           {env, at("MPI_Scan", tuning.MallocFrom-1), false},
		"malloc from a smaller size on":          {small, at("MPI_Scan", 1000), true},
		"malloc below a smaller size":            {small, at("MPI_Scan", 999), false},
		"a component, its collective":            {component, at("MPI_Gather", 1), true},
		"a component, what calls that":           {component, at("allgather_as_gather+bcast", 1), true},
		"a component, another collective":        {component, at("MPI_Scan", 1), false},
		"a component that is not known":          {unknown, at("MPI_Scan", 1), true},
		"its collective, at its size":            {own, at("MPI_Allreduce", 1000), true},
		"its collective, at another size":        {own, at("MPI_Allreduce", 100), false},
		"its collective, within a range":         {wide, at("MPI_Allreduce", 2999), true},
		"its collective, beyond":                 {wide, at("MPI_Allreduce", 3000), false},
		"by a variable, at any size":             {always, at("MPI_Allreduce", 1), true},
		"by a variable, what calls it":           {always, at("reduce_as_allreduce", 1), true},
		"another collective":                     {own, at("MPI_Scan", 1000), false},
		"a mock-up that calls it":                {own, at("reduce_as_allreduce", 1000), true},
		"at np times its size":                   {own, at("reduce_as_allreduce", 4000), true},
		"beyond np times":                        {own, at("reduce_as_allreduce", 4001), false},
		"at an np-th of its size":                {own, at("reduce_as_allreduce", 250), true},
		"below an np-th":                         {own, at("reduce_as_allreduce", 249), false},
		"one of its algorithms":                  {own, at("MPI_Allreduce@linear", 1000), true},
		"a mock-up of it that calls others":      {own, at("allreduce_as_reduce+bcast", 1000), false},
		"a mock-up that does not call it at all": {own, at("bcast_as_scatter+allgather", 1000), false},
	} {
		should.Equal(t, reach.By([]tuning.Choice{c.choice}, c.cell), c.changes, name)
	}
	should.Hold(t, !reach.By(nil, at("MPI_Scan", 1)), "no choice changes nothing")
	should.Hold(t, !reach.Calls("unknown", "MPI_Reduce") && !reach.Calls("reduce_as_allreduce", "MPI_Reduce"), "calls")
}

// The interval of a slowdown ends below 1.05 where harm is excluded; one without an end bounds nothing.
func TestHarmIsExcludedBelowTheBound(t *testing.T) {
	own := []tuning.Choice{algorithm("MPI_Scan", 1000)}
	ends := func(function string, hi float64) series.CaseChange {
		k := series.CaseChange{Cell: at(function, 1000)}
		k.RatioHi = analyze.Number(hi)
		return k
	}
	for name, c := range map[string]struct {
		cases             []series.CaseChange
		reached, harmless int
		most              float64 // 0: none
	}{
		"below":                  {[]series.CaseChange{ends("MPI_Scan", 1.049)}, 1, 1, 0},
		"at the bound":           {[]series.CaseChange{ends("MPI_Scan", 1.05)}, 1, 0, 1.05},
		"the largest":            {[]series.CaseChange{ends("MPI_Scan", 1.2), ends("MPI_Scan", 1.3), ends("MPI_Scan", 1.1)}, 3, 0, 1.3},
		"one without an end":     {[]series.CaseChange{ends("MPI_Scan", 1.2), ends("MPI_Scan", math.NaN())}, 2, 0, 0},
		"what it cannot change":  {[]series.CaseChange{ends("MPI_Bcast", 2)}, 0, 0, 0},
		"nothing that it can do": {nil, 0, 0, 0},
	} {
		var p Proof
		(&effects{harmed: compared(c.cases...)}).exclude(own, &p)
		should.Hold(t, p.Reached == c.reached && p.Harmless == c.harmless && analyze.Or(p.NotExcluded, 0) == c.most && (p.NotExcluded == nil) == (c.most == 0), "%s: %+v", name, p)
	}
}

func TestHarmIsASlowerCallANewViolationOrAFailure(t *testing.T) {
	message := func(function string) analyze.CaseMessage {
		return analyze.CaseMessage{Cell: at(function, 8), Message: "why"}
	}
	e := &effects{harmed: compared(changed(at("MPI_Scan", 8), series.Slower, 2), changed(at("MPI_Bcast", 8), series.Faster, .5),
		changed(at("MPI_Reduce", 8), series.SlightlySlower, 1.05), changed(at("MPI_Gather", 8), series.SlightlySlower, 1.04)), before: &analyze.Report{}, after: &analyze.Report{}}
	guideline := func(function string, change series.Change) {
		g := series.GuidelineChange{Change: change, BRatio: analyze.Number(2)}
		g.Guideline, g.Function, g.Mockup, g.Msize, g.Shape = "GL8", function, "mockup_of_"+function, 8, "p4"
		e.harmed.Guidelines = append(e.harmed.Guidelines, g)
	}
	guideline("MPI_Reduce", series.NewlyViolated)  // slower by 1.05 or more
	guideline("MPI_Gather", series.NewlyViolated)  // by less: its other side became faster
	guideline("MPI_Scatter", series.NewlyViolated) // not compared
	guideline("MPI_Scan", series.NewlyKept)
	e.before.Wrong, e.after.Wrong = []analyze.CaseMessage{message("a")}, []analyze.CaseMessage{message("a"), message("b")}
	e.before.NotMeasured, e.after.NotMeasured = []analyze.CaseMessage{message("c")}, []analyze.CaseMessage{message("b"), message("c"), message("d")}
	var got []string
	for _, h := range e.harms() {
		got = append(got, h.Function+" "+h.Mockup)
	}
	should.Equal(t, strings.Join(got, ", "), "MPI_Scan , MPI_Reduce mockup_of_MPI_Reduce, MPI_Scatter mockup_of_MPI_Scatter, b b, b b, d d")
	others := e.newlyViolated(false)
	should.Hold(t, len(others) == 1 && others[0].Function == "MPI_Gather" && strings.HasPrefix(others[0].Text, "GL8 is newly violated: MPI_Gather at 8 B on p4"), "%+v", others)
	e.harmed.Cases[3].Ratio = nil
	should.Equal(t, len(e.newlyViolated(false)), 0, "where the ratio is not known")
}

func TestAGainIsATestAndItsInterval(t *testing.T) {
	for _, c := range []struct {
		change series.Change
		hi     float64
		want   bool
	}{{series.Faster, .99, true}, {series.Faster, 1, false}, {series.Faster, math.NaN(), true}, {series.SlightlyFaster, .9, false}} {
		k := series.CaseChange{Change: c.change}
		k.RatioHi = analyze.Number(c.hi)
		should.Equal(t, gained(k), c.want, "%+v", c)
	}
	x := changed(at("MPI_Scan", 8), series.Faster, .5)
	e := &effects{helped: compared(x), keptBefore: map[medians.Cell]bool{x.Cell: true}}
	should.Hold(t, e.faster() == 0 && len(e.gains()) == 0, "what keeps its guidelines without the setting needs no help")
	e.keptBefore = nil
	should.Hold(t, e.faster() == 1 && len(e.gains()) == 1, "a cell that becomes faster")
	e.more = compared(changed(x.Cell, series.NoDifference, 1))
	should.Hold(t, e.faster() == 1 && len(e.gains()) == 0, "faster, but not than by what was proved before")
}

func TestTheOutcomeOfACellFollowsFromItsGainAndItsGuidelines(t *testing.T) {
	cell := at("MPI_Scan", 1000)
	for name, c := range map[string]struct {
		ratio                 float64
		keptBefore, keptAfter bool
		want                  CellState
	}{
		"kept without it":  {.5, true, true, CellNotAgain},
		"not faster":       {.95, false, true, CellUndecided},
		"faster, and kept": {.5, false, true, CellMended},
		"faster":           {.5, false, false, CellFaster},
	} {
		e := &effects{helped: compared(changed(cell, series.Faster, c.ratio)), keptBefore: map[medians.Cell]bool{cell: c.keptBefore}, keptAfter: map[medians.Cell]bool{cell: c.keptAfter}}
		r := Cell{Cell: cell, NP: 4}
		other, elsewhere, small := algorithm("MPI_Bcast", 1000), algorithm("MPI_Scan", 1000), algorithm("MPI_Scan", 500)
		elsewhere.NP = 8
		e.outcome(&r, []tuning.Choice{{Kind: tuning.ByEnv}, {Kind: tuning.ByComponent, Component: "han"}, algorithm("MPI_Scan", 1000), other, elsewhere, small})
		should.Hold(t, r.State == c.want && math.Abs(*r.Gain-1/c.ratio) < 1e-12 && *r.GainLo < *r.Gain && *r.Gain < *r.GainHi, "%s: %+v", name, r)
		should.Equal(t, r.By, []string{tuning.Environment, "han", "linear"}, name)
	}
	r := Cell{Cell: at("MPI_Bcast", 8), State: CellNotProved}
	(&effects{helped: compared()}).outcome(&r, nil)
	should.Equal(t, r.State, CellNotProved, "what was not compared stays")
	should.Hold(t, inverse(nil) == nil && inverse(analyze.Number(0)) == nil && *inverse(analyze.Number(4)) == .25, "inverse")
}

// A harm is explained by a choice for its call at its size, else at another size, else by what its mock-up calls.
func TestHarmIsBlamedOnWhatExplainsItBest(t *testing.T) {
	here, there, called := algorithm("MPI_Reduce", 1000), algorithm("MPI_Reduce", 100000), algorithm("MPI_Allreduce", 1000)
	component := tuning.Components(tuning.LibraryOf("openmpi", "4.1.4"), []string{"MPI_Scatter"})[0] // han
	env := tuning.Choice{Kind: tuning.ByEnv, Sizes: []int64{1 << 20}}
	for name, c := range map[string]struct {
		choices   []tuning.Choice
		harm      Harm
		want      []tuning.Choice
		explained bool
	}{
		"at its size":           {[]tuning.Choice{there, here, called}, Harm{Cell: at("MPI_Reduce", 1000), Mockup: "reduce_as_allreduce"}, []tuning.Choice{here}, true},
		"at another size":       {[]tuning.Choice{there, called}, Harm{Cell: at("MPI_Reduce", 1000), Mockup: "reduce_as_allreduce"}, []tuning.Choice{there}, true},
		"by what is called":     {[]tuning.Choice{component, called}, Harm{Cell: at("MPI_Reduce", 1000), Mockup: "reduce_as_allreduce"}, []tuning.Choice{called}, true},
		"by what can change it": {[]tuning.Choice{component, env, called}, Harm{Cell: at("MPI_Scan", 1000)}, []tuning.Choice{env}, false},
		"by nothing in special": {[]tuning.Choice{component, called}, Harm{Cell: at("MPI_Scan", 1000)}, []tuning.Choice{component, called}, false},
	} {
		found, explained := reach.Culprits(c.choices, c.harm.Cell, c.harm.Mockup)
		should.Equal(t, found, c.want, name)
		should.Equal(t, explained, c.explained, name)
	}
}

// A slower call whose harm several new choices share, none for a reason, is measured again.
func TestHarmThatNothingExplainsIsDoubtful(t *testing.T) {
	cell := at("reduce_as_allreduce", 1000)
	here, other := algorithm("MPI_Allreduce", 1000), algorithm("MPI_Scan", 1000)
	both := []tuning.Choice{here, other}
	for name, c := range map[string]struct {
		choices, held []tuning.Choice
		harm          Harm
		change        series.Change
		again, want   bool
	}{
		"a slower mock-up":         {both, nil, Harm{Cell: cell}, series.Slower, false, true},
		"measured again":           {both, nil, Harm{Cell: cell}, series.Slower, true, false},
		"a new violation":          {both, nil, Harm{Cell: cell, Mockup: "allgather_as_gather+bcast"}, series.Slower, false, false},
		"not slower":               {both, nil, Harm{Cell: cell}, series.SlightlySlower, false, false},
		"not compared":             {both, nil, Harm{Cell: at("MPI_Bcast", 8)}, series.Slower, false, false},
		"one new choice":           {both, []tuning.Choice{other}, Harm{Cell: cell}, series.Slower, false, false},
		"a call of the collective": {both, nil, Harm{Cell: at("MPI_Scan", 1000)}, series.Slower, false, false},
	} {
		e := &effects{harmed: compared(changed(cell, c.change, 1.4), changed(at("MPI_Scan", 1000), c.change, 1.4)), choices: c.choices, held: c.held,
			again: map[medians.Cell]bool{cell: c.again}, before: nothing, after: nothing}
		should.Equal(t, e.doubtful(c.choices, c.harm), c.want, name)
	}
}

func TestMoreMpirunsDecideWhatHoldsOrIsDoubtful(t *testing.T) {
	slow, fast := at("reduce_as_allreduce", 1000), at("MPI_Scan", 1000)
	choices := []tuning.Choice{algorithm("MPI_Allreduce", 1000), algorithm("MPI_Scan", 1000)}
	for name, c := range map[string]struct {
		slower medians.Cell
		gains  []medians.Cell
		open   bool
	}{
		"both help":                        {at("MPI_Bcast", 8), []medians.Cell{fast, at("MPI_Allreduce", 1000)}, true},
		"one helps nowhere":                {at("MPI_Bcast", 8), []medians.Cell{fast}, false},
		"one helps nowhere, harm in doubt": {slow, []medians.Cell{fast}, true},
	} {
		e := &effects{helped: compared(), harmed: compared(changed(c.slower, series.Slower, 1.4)), choices: choices, before: nothing, after: nothing}
		for _, cell := range c.gains {
			e.helped.Cases = append(e.helped.Cases, changed(cell, series.Faster, .5))
		}
		should.Equal(t, e.open(choices), c.open, name)
	}
}

// Half of a slowdown, by its logarithm: √4 = 2.
func TestWhatWasProvedBeforeIsBlamedForItsOwnHarm(t *testing.T) {
	cell := at("MPI_Scan", 8)
	report4 := &analyze.Report{}
	effect := func(ratio float64) *effects {
		return &effects{harmed: compared(changed(cell, series.SlightlySlower, ratio)), before: report4, after: report4}
	}
	for name, c := range map[string]struct {
		earlier *effects
		harm    Harm
		want    bool
	}{
		"nothing was proved before":  {nil, Harm{Cell: cell}, false},
		"half of it":                 {effect(2), Harm{Cell: cell}, true},
		"less":                       {effect(1.99), Harm{Cell: cell}, false},
		"a harm of a guideline":      {effect(2), Harm{Cell: cell, Mockup: "m"}, false},
		"of a case not compared":     {&effects{harmed: compared(), before: report4, after: report4}, Harm{Cell: cell}, false},
		"the same harm as it was":    {&effects{harmed: compared(changed(cell, series.Slower, 1.5)), before: report4, after: report4}, Harm{Cell: cell}, true},
		"the same, of another side":  {&effects{harmed: compared(changed(cell, series.Slower, 1.5)), before: report4, after: report4}, Harm{Cell: cell, Mockup: "m"}, false},
		"the same, of another call":  {&effects{harmed: compared(changed(at("MPI_Bcast", 8), series.Slower, 9)), before: report4, after: report4}, Harm{Cell: cell}, false},
		"faster before, slower then": {effect(.5), Harm{Cell: cell}, false},
	} {
		e := effect(4)
		if c.earlier != nil && name == "faster before, slower then" {
			e = effect(.2)
		}
		e.earlier = c.earlier
		should.Equal(t, e.earlierDid(c.harm), c.want, name)
	}
}

func TestAProofRejectsWhatHarmsAndWhatHelpsNowhere(t *testing.T) {
	scan, reduce := algorithm("MPI_Scan", 1000), algorithm("MPI_Reduce", 1000)
	faster := changed(at("MPI_Scan", 1000), series.Faster, .5)
	none := nothing
	otherNP, otherSize := faster, faster
	otherNP.NP = 8
	otherSize.Msize = 999
	component := tuning.Choice{Kind: tuning.ByComponent, Component: "han"}
	elsewhere := algorithm("MPI_Scan", 100000)
	for name, c := range map[string]struct {
		choices, held []tuning.Choice
		helped, harms []series.CaseChange
		earlier       *effects
		want          string
	}{
		"it helps":                       {[]tuning.Choice{scan}, nil, []series.CaseChange{faster}, nil, nil, ""},
		"it helps on another number":     {[]tuning.Choice{scan}, nil, []series.CaseChange{otherNP}, nil, nil, scan.String() + ": in mpiruns"},
		"it helps at another size":       {[]tuning.Choice{scan}, nil, []series.CaseChange{otherSize}, nil, nil, scan.String() + ": in mpiruns"},
		"another helps":                  {[]tuning.Choice{scan, reduce}, nil, []series.CaseChange{faster}, nil, nil, reduce.String() + ": in mpiruns"},
		"a component helps anything":     {[]tuning.Choice{component}, nil, []series.CaseChange{faster}, nil, nil, ""},
		"it harms":                       {[]tuning.Choice{scan}, nil, []series.CaseChange{faster}, []series.CaseChange{changed(at("MPI_Scan", 8), series.Slower, 2)}, nil, scan.String() + ": it harms:"},
		"one alone can change it":        {[]tuning.Choice{scan, component}, nil, []series.CaseChange{faster}, []series.CaseChange{changed(at("MPI_Bcast", 8), series.Slower, 2)}, nil, component.String() + ": it harms:"},
		"nothing explains it":            {[]tuning.Choice{scan, elsewhere}, nil, []series.CaseChange{faster, changed(at("MPI_Scan", 100000), series.Faster, .5)}, []series.CaseChange{changed(at("MPI_Bcast", 8), series.Slower, 2)}, nil, scan.String() + ": none of what, " + elsewhere.String() + ": none of what"},
		"one alone is to blame":          {[]tuning.Choice{scan}, nil, []series.CaseChange{faster}, []series.CaseChange{changed(at("MPI_Bcast", 8), series.Slower, 2)}, nil, scan.String() + ": it harms:"},
		"what is held is not asked":      {[]tuning.Choice{scan, reduce}, []tuning.Choice{reduce}, []series.CaseChange{faster}, nil, nil, ""},
		"what is held did the harm then": {[]tuning.Choice{scan, reduce}, []tuning.Choice{reduce}, []series.CaseChange{faster}, []series.CaseChange{changed(at("MPI_Reduce", 1000), series.Slower, 2)}, &effects{harmed: compared(changed(at("MPI_Reduce", 1000), series.Slower, 2)), before: none, after: none}, reduce.String() + ": it harms:"},
	} {
		e := &effects{helped: compared(c.helped...), harmed: compared(c.harms...), before: none, after: none, held: c.held, earlier: c.earlier}
		var got []string
		for _, r := range e.rejects(c.choices) {
			got = append(got, r.Label+": "+strings.Join(strings.Fields(r.Reason)[:max(2, 3*strings.Count(r.Reason, "none of what"))], " "))
		}
		should.Equal(t, strings.Join(got, ", "), c.want, name)
	}
}

func TestAProofBettersACellByAGainOrByAState(t *testing.T) {
	cell := at("MPI_Scan", 8)
	faster := changed(cell, series.Faster, .5)
	for name, c := range map[string]struct {
		e     *effects
		state CellState
		want  bool
	}{
		"faster than what was proved": {&effects{helped: compared(), more: compared(faster)}, CellMended, true},
		"no faster than that":         {&effects{helped: compared(), more: compared()}, CellMended, false},
		"faster, undecided before":    {&effects{helped: compared(faster)}, CellUndecided, true},
		"faster, faster before":       {&effects{helped: compared(faster)}, CellFaster, false},
		"mended, faster before":       {&effects{helped: compared(faster), keptAfter: map[medians.Cell]bool{cell: true}}, CellFaster, true},
		"mended, mended before":       {&effects{helped: compared(faster), keptAfter: map[medians.Cell]bool{cell: true}}, CellMended, false},
	} {
		should.Equal(t, c.e.betters([]Cell{{Cell: cell, State: c.state}}), c.want, name)
	}
}

func TestCasesThatOnlyAnEarlierProofMeasuredAreAdded(t *testing.T) {
	x, y := changed(at("MPI_Scan", 8), series.NoDifference, 1), changed(at("MPI_Bcast", 8), series.NoDifference, 1)
	e := &effects{harmed: compared(x)}
	e.addEarlier(nil)
	should.Equal(t, len(e.harmed.Cases), 1)
	e.addEarlier(&effects{harmed: compared(x, y)})
	should.Hold(t, len(e.harmed.Cases) == 2 && e.harmed.Cases[1].Cell == y.Cell, "%+v", e.harmed.Cases)
}
