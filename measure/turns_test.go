package measure

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"pgmpi/guidelines"
	"pgmpi/measure/protocol"
	"pgmpi/measure/results"
	"pgmpi/testkit/must"
	"pgmpi/testkit/should"
)

// turning is a session with all guidelines of the catalogue, in which cases have
// 1 to 40 repetitions.
func turning(t *testing.T, turns int) *Session {
	t.Helper()
	plan := must.Get(guidelines.Build(guidelines.Settings{Check: guidelines.Config{Guidelines: []string{"all"}},
		Msizes: []string{"8", "1Ki", "64Ki"}, Datatype: "byte", Op: "auto", Shapes: []guidelines.Shape{{NP: 2}}}))(t)
	s := session(*plan)
	s.Measure.Turns = turns
	s.Manifest.NRep = map[int]results.NRep{}
	for i := range plan.Cases {
		s.Manifest.NRep[i] = results.NRep{N: 1 + i*7%40}
	}
	return s
}

// visits are the places of every case in an order.
func visits(order []int) map[int][]int {
	at := map[int][]int{}
	for i, c := range order {
		at[c] = append(at[c], i)
	}
	return at
}

func TestEveryTurnVisitsTheCasesThatHaveRepetitionsLeft(t *testing.T) {
	for _, turns := range []int{1, 2, 3, 5, 16, 40, 64} {
		s := turning(t, turns)
		task := s.task(protocol.ModeMeasure, guidelines.Shape{NP: 2}, 1)
		j, _ := must.Two(s.job(task))(t)
		at := visits(j.Order)
		for i, c := range task.Cases {
			want := min(turns, c.NRep)
			should.Hold(t, len(at[i]) == want, "%d turns: a case with %d repetitions is visited %d times, want %d", turns, c.NRep, len(at[i]), want)
		}
		first := slices.Sorted(slices.Values(j.Order[:len(task.Cases)]))
		should.Hold(t, first[len(first)-1] == len(first)-1 && len(slices.Compact(first)) == len(first),
			"%d turns: the first round does not visit every case once", turns)
	}
}

// By default a visit has five repetitions and more, but a case four visits, if it has as many repetitions.
func TestACaseHasFourVisitsOrMoreOfFiveRepetitionsByDefault(t *testing.T) {
	s := turning(t, 0)
	task := s.task(protocol.ModeMeasure, guidelines.Shape{NP: 2}, 1)
	j, _ := must.Two(s.job(task))(t)
	at := visits(j.Order)
	for i, c := range task.Cases {
		want := min(usualTurns, max(min(4, c.NRep), c.NRep/5))
		should.Hold(t, len(at[i]) == want, "a case with %d repetitions is visited %d times, want %d", c.NRep, len(at[i]), want)
	}
}

// Else both sides of a guideline would seldom meet where one has fewer repetitions.
func TestRoundsOfFewRepetitionsAreAmongThoseOfMany(t *testing.T) {
	for _, c := range []struct {
		n    int
		want []int
	}{{1, []int{0}}, {2, []int{0, 1}}, {3, []int{0, 2, 1}}, {5, []int{0, 3, 2, 4, 1}}, {8, []int{0, 4, 2, 6, 1, 5, 3, 7}}} {
		should.Equal(t, spread(c.n), c.want, "%d rounds have the ranks", c.n)
	}
}

// Between both sides of a pattern there are only other mock-ups of the same call;
// what belongs to no pattern is next to a case that it is compared with.
func TestBothSidesOfAGuidelineTakeTurnsSideBySide(t *testing.T) {
	s := turning(t, 20)
	task := s.task(protocol.ModeMeasure, guidelines.Shape{NP: 2}, 1)
	j, _ := must.Two(s.job(task))(t)
	plan := &s.Manifest.Plan
	at := visits(j.Order)
	mockups := map[int][]int{}
	for _, test := range plan.Tests {
		if test.Type == guidelines.Pattern {
			mockups[test.Case] = append(mockups[test.Case], test.Others[0])
		}
	}
	checked := 0
	for call, its := range mockups {
		for _, m := range its {
			few, many := at[call], at[m]
			if len(few) > len(many) {
				few, many = many, few
			}
			for _, here := range few {
				beside := slices.ContainsFunc(many, func(there int) bool {
					between := j.Order[min(here, there)+1 : max(here, there)]
					return !slices.ContainsFunc(between, func(c int) bool { return !slices.Contains(its, c) })
				})
				must.Hold(t, beside, "%s and %s are apart in %v", what(plan, call), what(plan, m), j.Order)
				checked++
			}
		}
	}
	should.Hold(t, checked >= 500, "only %d visits were looked at", checked)
	// Sizes 0, 1 and 2 of a call without mock-ups; 3 is another's.
	for r := range 10 {
		order := round(rand.New(rand.NewPCG(1, uint64(r))), []int{0, 1, 2, 3}, 5, [][]pair{nil, {{0, 1}, {1, 2}}})
		places := visits(order)
		should.Hold(t, (max(places[0][0], places[1][0], places[2][0])-min(places[0][0], places[1][0], places[2][0])) == 2 && len(order) == 4,
			"order %v tears a chain of sizes apart", order)
	}
}

func what(p *guidelines.Plan, i int) string {
	return fmt.Sprintf("%s at %d", p.Cases[i].Function, p.Cases[i].Msize)
}

func TestRoundsHaveOrdersOfTheirOwnThatTheSeedDetermines(t *testing.T) {
	s := turning(t, 20)
	shape := guidelines.Shape{NP: 2}
	orders := map[string]bool{}
	for run := 1; run <= 3; run++ {
		a, _ := must.Two(s.job(s.task(protocol.ModeMeasure, shape, run)))(t)
		b, _, _ := s.job(s.task(protocol.ModeMeasure, shape, run))
		should.Equal(t, a.Order, b.Order, "mpirun %d: two orders from one seed", run)
		orders[fmt.Sprint(a.Order[:20])] = true
	}
	should.Hold(t, len(orders) == 3, "3 mpiruns have %d orders", len(orders))
	task := Task{Mode: protocol.ModeMeasure}
	for i := range 8 {
		task.Cases = append(task.Cases, Sampled{Plan: i, NRep: 10})
	}
	all := slices.Concat(task.rounds(rand.New(rand.NewPCG(1, 0)), 10, 1, s.Manifest)...)
	for round := range slices.Chunk(all, 8) {
		orders[fmt.Sprint(round)] = true
	}
	should.Equal(t, len(orders), 3+10, "10 rounds have %d orders", len(orders)-3)
}

// A call and its mock-up alone, with as many repetitions as rounds, alternate strictly.
func TestNoCallFollowsItselfWhereThereIsAnother(t *testing.T) {
	s := session(guidelines.Plan{Tests: []guidelines.Test{{Type: guidelines.Pattern, Case: 0, Others: []int{1}}}})
	for _, cases := range []int{2, 3} {
		task := Task{Mode: protocol.ModeMeasure}
		for i := range cases {
			task.Cases = append(task.Cases, Sampled{Plan: i, NRep: 50})
		}
		order := slices.Concat(task.rounds(rand.New(rand.NewPCG(1, 0)), 50, 1, s.Manifest)...)
		should.Hold(t, len(order) == 50*cases && len(slices.Compact(slices.Clone(order))) == len(order), "%d cases: one follows itself in %v", cases, order)
	}
}

// What is not measured any more is called once, in the first round, beside the other
// side of its guideline; raw files say nothing of it.
func TestFillersAreCalledInTheFirstRound(t *testing.T) {
	s := turning(t, 20)
	s.Measure.Turns = 4
	all := s.task(protocol.ModeMeasure, guidelines.Shape{NP: 2}, 1)
	left := all
	left.Cases = left.Cases[:2]
	left = left.WithFillers(s.Manifest)
	must.Hold(t, len(left.Fillers) == len(all.Cases)-2 && len(all.WithFillers(s.Manifest).Fillers) == 0, "fillers of 2 of %d cases: %v", len(all.Cases), left.Fillers)
	j, _, err := s.job(left)
	must.Hold(t, err == nil && len(j.Cases) == len(all.Cases) && !j.Cases[1].Filler && j.Cases[2].Filler, "%+v, %v", j.Cases, err)
	first := slices.Sorted(slices.Values(j.Order[:len(all.Cases)]))
	for i, c := range first {
		must.Hold(t, c == i, "the first round is %v", j.Order[:len(all.Cases)])
	}
	rest := j.Order[len(all.Cases):]
	should.Hold(t, len(rest) != 0 && slices.Max(rest) <= 1 && len(slices.DeleteFunc(slices.Clone(j.Order), func(i int) bool { return i < 2 })) == len(left.Fillers), "after the first round %v", rest)
}

func TestOnlyPredictionsTakeNoTurns(t *testing.T) {
	s := session(somePlan())
	s.Measure.Turns = 4
	m := s.Manifest
	m.NRep = map[int]results.NRep{4: {N: 40}, 5: {N: 20}}
	m.Planned(protocol.ModeSplit, &results.FollowUps{R: 10, Comparisons: []results.Comparison{{Case: 4, Part: 0, Calls: 16}, {Case: 5, Part: 3, Calls: 4}}})
	for mode, want := range map[protocol.Mode]int{protocol.ModeNREP: 6, protocol.ModeSplit: 16} {
		j, _, err := s.job(s.task(mode, guidelines.Shape{NP: 2}, 1))
		must.Hold(t, err == nil && len(j.Order) == want, "%s: order %v, %v; want %d visits", mode, j.Order, err, want)
		if mode != protocol.ModeSplit {
			continue
		}
		for i := 0; i < len(j.Order); i += 2 {
			should.Hold(t, j.Order[i]/2 == j.Order[i+1]/2, "split: both sides do not follow each other in %v", j.Order)
		}
	}
}

func TestTurnsAreTakenByDefaultWhereTheyCanBe(t *testing.T) {
	for name, c := range map[string]struct {
		change func(*Session)
		mode   protocol.Mode
		want   int
	}{
		"as ever":     {func(*Session) {}, protocol.ModeMeasure, usualTurns},
		"stage 1":     {func(*Session) {}, protocol.ModeNREP, 1},
		"cold caches": {func(s *Session) { s.Measure.Cache = "cold" }, protocol.ModeMeasure, 1},
		"bounds":      {func(s *Session) { s.Measure.Provable = true }, protocol.ModeMeasure, 1},
		"little room": {func(s *Session) { s.Manifest.MemoryCap = map[string]int64{"p2": 1 << 20} }, protocol.ModeMeasure, 1},
		"little, asked": {func(s *Session) {
			s.Manifest.MemoryCap, s.Measure.Turns = map[string]int64{"p2": 1 << 20}, 4
		}, protocol.ModeMeasure, 4},
	} {
		s := turning(t, 0)
		c.change(s)
		should.Equal(t, s.turns(s.task(c.mode, guidelines.Shape{NP: 2}, 1)), c.want, "%s: turns", name)
	}
}

// Whatever else is violated, a pair is visited by itself, once in an mpirun.
func TestEachPairThatAlternatesIsVisitedByItself(t *testing.T) {
	s := session(somePlan())
	s.Manifest.Planned(protocol.ModeAlternate, &results.FollowUps{R: 8, Comparisons: []results.Comparison{
		{Case: 4, Part: 0, Calls: 16}, {Case: 4, Part: 3, Calls: 1}}})
	j, _ := must.Two(s.job(s.task(protocol.ModeAlternate, guidelines.Shape{NP: 2}, 1)))(t)
	var got []protocol.JobCase
	for _, c := range j.Cases {
		got = append(got, protocol.JobCase{Msize: c.Msize, Calls: c.Calls, NRep: c.NRep, Turns: c.Turns})
	}
	size := func(i int) int64 { return s.Manifest.Plan.Cases[i].Msize }
	should.Equal(t, got, []protocol.JobCase{{Msize: size(4), NRep: 200}, {Msize: size(0), Calls: 16, NRep: 200, Turns: true},
		{Msize: size(4), NRep: 200}, {Msize: size(3), NRep: 200, Turns: true}})
	should.Equal(t, slices.Sorted(slices.Values(j.Order)), []int{0, 2})
	should.Hold(t, len(j.Rounds) == 0 && j.Measure.PairNS == int64(pairTime), "%+v", j.Measure)
}
