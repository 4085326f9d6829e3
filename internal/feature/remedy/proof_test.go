package remedy

import (
	"fmt"
	"maps"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"pgmpi/analyze"
	"pgmpi/analyze/judge"
	"pgmpi/analyze/medians"
	"pgmpi/analyze/series"
	"pgmpi/guidelines"
	"pgmpi/internal/conf/glfile"
	"pgmpi/internal/experiment"
	"pgmpi/internal/feature/remedy/reach"
	"pgmpi/internal/tuning"
	"pgmpi/measure/protocol"
	"pgmpi/measure/results"
	"pgmpi/testkit/fixture"
	"pgmpi/testkit/must"
	"pgmpi/testkit/should"
)

// large is a size from which malloc matters.
const large = 128 << 10

// simulated is a proof of a plan with 60 cells, 20 of them large, in which MPI_Reduce of 64 B violates GL8 in the
// check. Each mpirun has a general factor (σ = .3), and each case noise of its own (σ = .1), as on
// a machine that is not quiet. slower gives how many times longer a case takes than 100 µs.
func simulated(t *testing.T, rng *rand.Rand, r int, slower func(c guidelines.Case, with bool) float64) *effects {
	t.Helper()
	found := &Result{Harm: 1.05, Cells: []Cell{{Cell: medians.Cell{Function: "MPI_Reduce", Msize: 64, Shape: "p2"}, NP: 2, Guidelines: []string{"GL8"}}}}
	var sides [2]*analyze.Side
	measured := func(i int, mode protocol.Mode, mpiruns int, cases []int) {
		m := sides[i].Manifest
		for n := range mpiruns {
			general := math.Exp(.3 * rng.NormFloat64())
			run := results.Run{Header: results.Header{Mode: mode, Shape: fixture.P2, Run: 1 + n}}
			for _, plan := range cases {
				ns := int64(1e5 * general * slower(m.Plan.Cases[plan], i == 1) * math.Exp(.1*rng.NormFloat64()))
				fixture.Add(&run, m, plan, 0, fixture.Samples(ns, ns, ns))
			}
			must.Do(t, sides[i].Set.Add(&run))
		}
	}
	for i := range sides {
		m := fixture.Wide(r)
		m.Rank.ClockTickNS = 1
		for k := range 40 {
			fixture.Case(m, "MPI_Scan", fixture.P2, int64(1+k/20*large+k%20))
		}
		sides[i] = analyze.Planned(fmt.Sprint(i), m)
		sides[i].Report = must.Get(analyze.Judge(m, sides[i].Set, judge.Default()))(t).Report // which tests there are
		measured(i, protocol.ModeMeasure, r, m.Plan.CasesOf(fixture.P2))
	}
	e := must.Get(effectsOf(sides[:], judge.Default(), found, malloc, nil))(t)
	if cases := e.pointing(sides[0], malloc); len(cases) > 0 {
		for i := range sides {
			sides[i].Manifest.Planned(protocol.ModeConfirm, &results.FollowUps{R: r})
			measured(i, protocol.ModeConfirm, r, cases)
		}
		must.Do(t, e.lookAgain(sides[0].Again(), sides[1].Again(), judge.Default(), found, malloc))
	}
	return e
}

// What is still slower than its mock-up is not mended, however much faster it has become.
func TestCallThatIsStillSlowerThanItsMockupIsNotMended(t *testing.T) {
	t.Parallel()
	const proofs = 40
	rng := rand.New(rand.NewPCG(1, 2))
	for _, c := range []struct {
		still       float64
		least, most int // proofs in which it is mended
	}{{1.1, 0, 2}, {1.25, 0, 2}, {1.5, 0, 2}, {.8, 38, proofs}} {
		mended := 0
		for range proofs {
			e := simulated(t, rng, 13, func(k guidelines.Case, with bool) float64 {
				switch {
				case k.Function != "MPI_Reduce" || k.Msize != 64:
					return 1
				case with:
					return c.still
				}
				return 3
			})
			cell := Cell{Cell: medians.Cell{Function: "MPI_Reduce", Msize: 64, Shape: "p2"}, NP: 2}
			if e.outcome(&cell, nil); cell.State == CellMended {
				mended++
			}
		}
		t.Logf("still %g times as slow: mended in %d of %d", c.still, mended, proofs)
		should.Hold(t, mended >= c.least && mended <= c.most, "still %g times as slow: mended in %d of %d proofs", c.still, mended, proofs)
	}
}

// A row that says faster has an interval of gains only.
func TestGainAgreesWithItsInterval(t *testing.T) {
	t.Parallel()
	rng := rand.New(rand.NewPCG(5, 6))
	faster := 0
	for n := range 60 {
		gain := 1.08 + .03*float64(n%6)
		e := simulated(t, rng, 10, func(k guidelines.Case, with bool) float64 {
			if k.Function == "MPI_Reduce" && k.Msize == 64 && !with {
				return gain
			}
			return 1
		})
		cell := Cell{Cell: medians.Cell{Function: "MPI_Reduce", Msize: 64, Shape: "p2"}, NP: 2, Guidelines: []string{"GL8"}}
		if e.outcome(&cell, nil); cell.State == CellFaster || cell.State == CellMended {
			faster++
			should.Hold(t, *cell.GainLo >= 1, "%s by %.2f, %.2f to %.2f", cell.State, *cell.Gain, *cell.GainLo, *cell.GainHi)
		}
	}
	should.Hold(t, faster >= 20, "faster in %d of 60 proofs", faster)
}

// malloc is a choice that may change cases from 64 B on.
var malloc = []tuning.Choice{{NP: 2, Kind: tuning.ByEnv, Env: mallocKeeps, Sizes: []int64{64}}}

// A setting that makes one violated cell faster, and another case a quarter slower, is taken back.
// One that harms nothing is kept, and is not said to harm nothing where that was not shown.
func TestSettingThatSlowsOneCaseByAQuarterIsTakenBack(t *testing.T) {
	t.Parallel()
	const proofs = 40
	rng := rand.New(rand.NewPCG(3, 4))
	for _, c := range []struct {
		harm        float64
		least, most int // proofs in which it is taken back
	}{{1.25, 38, proofs}, {1, 0, 4}} {
		back, harmless, wrongly := 0, 0, 0
		for range proofs {
			e := simulated(t, rng, 13, func(k guidelines.Case, with bool) float64 {
				switch {
				case k.Function == "MPI_Reduce" && k.Msize == 64 && !with:
					return 2
				case k.Function == "MPI_Scan" && k.Msize == large+7 && with:
					return c.harm
				}
				return 1
			})
			if len(e.rejects(malloc)) > 0 {
				back++
			}
			var p Proof
			e.exclude(malloc, &p)
			harmless += p.Harmless
			for _, k := range e.harmed.Cases {
				if c.harm > 1 && k.Function == "MPI_Scan" && k.Msize == large+7 && *k.RatioHi < c.harm {
					wrongly++
				}
			}
		}
		t.Logf("%g: taken back %d of %d; harm excluded in %d of 23 on average, wrongly %d", c.harm, back, proofs, harmless/proofs, wrongly)
		should.Hold(t, back >= c.least && back <= c.most, "harm of %g: taken back in %d of %d proofs", c.harm, back, proofs)
		should.Hold(t, wrongly <= 4, "harm of %g is excluded in %d of %d", c.harm, wrongly, proofs)
	}
}

// What a choice cannot change needs no second proof: of that only as much is measured as tells how slow
// an mpirun is.
func TestLaterProofHasWhatItsChoicesCanChange(t *testing.T) {
	f := glfile.Default()
	f.Job.NP = []int{2}
	whole := must.Get(experiment.Side.Plan(&f))(t)
	bcast := []tuning.Choice{{Kind: tuning.OwnAlgorithm, Function: "MPI_Bcast", NP: 2, Sizes: []int64{1024}, Measured: []int64{1024}}}
	reached := func(c medians.Cell) bool { return reach.By(bcast, c) }
	part := reach.Part(whole, reached, bcast)
	of := func(p *guidelines.Plan) (tests []string, cases, others map[string]int) {
		cases, others = map[string]int{}, map[string]int{}
		for _, test := range p.Tests {
			wanted := false
			text := fmt.Sprint(test.Guideline, test.Function, test.Msize)
			for _, i := range append([]int{test.Case}, test.Others...) {
				wanted = wanted || reached(medians.CellOf(p.Cases[i]))
				text += fmt.Sprint(p.Cases[i])
			}
			if wanted {
				tests = append(tests, text)
			}
		}
		for _, k := range p.Cases {
			if reached(medians.CellOf(k)) {
				cases[fmt.Sprint(k)]++
			} else {
				others[fmt.Sprint(k.Msize)]++
			}
		}
		return tests, cases, others
	}
	tests, cases, _ := of(whole)
	gotTests, gotCases, others := of(part)
	should.Hold(t, len(tests) > 0 && slices.Equal(gotTests, tests) && len(part.Tests) == len(tests), "%d tests of %d, wanted %d", len(gotTests), len(part.Tests), len(tests))
	should.Hold(t, maps.Equal(gotCases, cases), "%d cases that can change, wanted %d", len(gotCases), len(cases))
	should.Hold(t, len(others) > 10 && 4*len(part.Cases) < len(whole.Cases), "%d cases of %d, the others of %d sizes", len(part.Cases), len(whole.Cases), len(others))
	for _, k := range []medians.Cell{{Function: "allreduce_as_reduce+bcast", Msize: 1024}, {Function: "allgather_as_gather+bcast", Msize: 512}, {Function: "MPI_Bcast", Msize: 1024}} {
		should.Hold(t, reached(k), "%+v", k)
	}
	should.Hold(t, !reached(medians.Cell{Function: "MPI_Bcast", Msize: 8}) && !reached(medians.Cell{Function: "allreduce_as_reduce+bcast", Msize: 8}) && !reached(medians.Cell{Function: "MPI_Scan", Msize: 1024}), "what it calls is of another size")
	x := &Task{Request: Request{Config: &f}}
	should.Hold(t, x.mpiruns(part) < x.mpiruns(whole), "%d pairs instead of %d", x.mpiruns(part), x.mpiruns(whole))
}

func TestHarmIsExcludedInTheCasesOfEarlierProofsToo(t *testing.T) {
	small := 1.01
	of := func(function string) *effects {
		return &effects{harmed: &series.Comparison{MinSlowdown: 1.05, Cases: []series.CaseChange{{Cell: medians.Cell{Function: function, Msize: large}, RatioHi: &small}}}}
	}
	e := of("MPI_Bcast")
	e.addEarlier(of("MPI_Bcast"))
	e.addEarlier(of("MPI_Scan"))
	var p Proof
	e.exclude(malloc, &p)
	should.Hold(t, p.Reached == 2 && p.Harmless == 2, "%+v", p)
}

func TestCellsThatViolateNothingAreNotAskedWhatTheyKeep(t *testing.T) {
	m := fixture.Wide(10)
	side := analyze.Planned("0", m)
	side.Report = must.Get(analyze.Judge(m, side.Set, judge.Default()))(t).Report
	got, err := kept(side, judge.Default(), []Cell{{Cell: medians.Cell{Function: "MPI_Reduce", Msize: 64, Shape: "p2"}, NP: 2}})
	should.Hold(t, err == nil && len(got) == 0, "%v, %v", got, err)
}
