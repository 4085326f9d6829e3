package main

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"

	"pgmpi/analyze"
	"pgmpi/analyze/judge"
	"pgmpi/analyze/medians"
	"pgmpi/guidelines"
	"pgmpi/internal/reading"
	"pgmpi/measure/protocol"
	"pgmpi/measure/results"
)

const (
	replayDraws  = 100 // of each kind
	replayScreen = 10  // mpiruns of the checks that are asked for R needed
)

// replayBench asks of real mpiruns what simulateBench asks of simulated ones: it draws
// some of a folder that has many, judges them as a check, and looks at what is said of
// new checks in checks that it makes of the others.
func replayBench(ctx context.Context, e *env) error {
	dir := e.folder
	if dir == "" {
		e.title("%d mpiruns of GL3-GL17 at 5 sizes, 16 B to 1 MiB, p = %d, judged in parts", e.times, np)
		text := fmt.Sprintf("%smpiruns = %d\n[measure]\nsplit_experiment = false\n", checkTOML, e.times)
		var took float64
		var err error
		if dir, took, err = e.measure(ctx, "check", text, int(e.seed)); err != nil {
			return err
		}
		fmt.Printf("   measured in %.0f s\n", took)
	} else {
		e.title("the mpiruns of %s, judged in parts", dir)
	}
	mpiruns, err := openMpiruns(dir)
	if err != nil {
		return err
	}
	fmt.Printf("   %s, %d mpiruns, %d tests\n", mpiruns.manifest.Rank.LibVersion, mpiruns.n, len(mpiruns.tests))
	return mpiruns.replay(ctx, replayDraws, e.seed)
}

// replay asks all questions, and prints what was counted beside the aims.
func (m *mpiruns) replay(ctx context.Context, draws int, seed uint64) error {
	usual := judge.Usual(m.cfg, len(m.tests))
	var missed error
	for row, how := range drawings {
		questions := []question{m.needed(how)}
		if 2*usual.R() <= m.n {
			questions = append(questions, m.halves(how, usual))
		} else {
			fmt.Printf("   no two checks of %d %s: there are %d\n", usual.R(), how.name, m.n)
		}
		n := 0
		for part, q := range questions {
			of, err := q.show(ctx, []design{{}}, draws, seed<<16+uint64(2*row+part))
			if err != nil {
				return err
			}
			n += of
		}
		missed = errors.Join(missed, outcome(how.name, fmt.Sprintf("%d of the aims above missed", n), "none", n == 0))
	}
	return missed
}

// mpiruns are those of a results folder. They are named from 0.
type mpiruns struct {
	manifest *results.Manifest
	set      *medians.Set
	cfg      judge.Config
	n        int
	tests    []int // of the Plan: those whose cases have a run median in every mpirun
}

func openMpiruns(dir string) (*mpiruns, error) {
	folder, m, err := reading.OpenResults(dir)
	if err != nil {
		return nil, err
	}
	config, err := reading.ConfigOf(m)
	if err != nil {
		return nil, err
	}
	set := medians.New(m)
	for _, shape := range m.Plan.Shapes {
		for r, err := range folder.Runs(protocol.ModeMeasure, shape, &m.Plan) {
			if err == nil {
				err = set.Add(r)
			}
			if err != nil {
				return nil, err
			}
		}
	}
	out := newMpiruns(m, set, config.Analyze)
	if out.n <= replayScreen {
		return nil, fmt.Errorf("%s has %d mpiruns: %d are drawn, and some must be left: `pgmpi check --mpiruns 100` makes more", dir, out.n, replayScreen)
	}
	if len(out.tests) == 0 {
		return nil, fmt.Errorf("%s: no test whose cases have a run median in each of the %d mpiruns: `pgmpi check --mpiruns 100` makes a folder that has", dir, out.n)
	}
	return out, nil
}

// newMpiruns leaves out of all checks what some mpirun lacks.
func newMpiruns(m *results.Manifest, set *medians.Set, cfg judge.Config) *mpiruns {
	out := &mpiruns{manifest: m, set: set, cfg: cfg, n: m.Runs(protocol.ModeMeasure)}
	for i := range set.Cases {
		k := &set.Cases[i]
		if problem := k.Problem(out.n); problem != "" && k.Status == protocol.StatusOK {
			k.Status, k.Message = protocol.StatusNotMeasured, problem
		}
	}
	for i, t := range m.Plan.Tests {
		if t.Type != guidelines.Split && set.Cases[t.Case].Status == protocol.StatusOK && set.Cases[t.Others[0]].Status == protocol.StatusOK {
			out.tests = append(out.tests, i)
		}
	}
	return out
}

// check judges some mpiruns, in this order, as if there were no others.
func (m *mpiruns) check(runs []int, s judge.Schedule) (*analyze.Report, error) {
	part := *m.manifest
	part.R, part.Looks, part.LookWeights, part.Stopped, part.Split = len(runs), nil, nil, nil, nil
	if s.Several() {
		part.Looks, part.LookWeights = s.Looks, s.Weights
	}
	set := medians.New(&part)
	set.TickNS = m.set.TickNS
	for i := range set.Cases {
		to, from := &set.Cases[i], &m.set.Cases[i]
		to.Status, to.Message, to.Runs = from.Status, from.Message, len(runs)
		for k, run := range runs {
			to.Medians[k] = from.Medians[run]
		}
	}
	a, err := analyze.Judge(&part, set, m.cfg)
	if err != nil {
		return nil, err
	}
	if a.Report.Refused != nil {
		return nil, fmt.Errorf("a part of the folder: %s", a.Report.Refused.Reason)
	}
	return a.Report, nil
}

// outcomes are a report's of the tests, as far as they are counted.
func (m *mpiruns) outcomes(r *analyze.Report) []judge.Outcome {
	out := make([]judge.Outcome, len(m.tests))
	for n, i := range m.tests {
		v := &r.Verdicts[i]
		if out[n].Verdict = v.Verdict; v.Replication != nil {
			out[n].Replication = *v.Replication
		}
	}
	return out
}

func (m *mpiruns) outlook(r *analyze.Report) judge.Outlook {
	out := judge.Outlook{Half: r.RunsNeededHalf}
	for _, i := range m.tests {
		out.Needed = append(out.Needed, r.Verdicts[i].RunsNeeded)
	}
	return out
}

// drawing is a way to draw mpiruns.
type drawing struct {
	name string
	some func(random *rand.Rand, n, size int) (drawn, others []int)
	two  func(random *rand.Rand, n, size int) (a, b []int)
}

var drawings = []drawing{
	{"random mpiruns",
		func(random *rand.Rand, n, size int) (drawn, others []int) {
			all := random.Perm(n)
			return all[:size], all[size:]
		},
		func(random *rand.Rand, n, size int) (a, b []int) {
			all := random.Perm(n)
			return all[:size], all[size : 2*size]
		}},
	{"consecutive mpiruns",
		func(random *rand.Rand, n, size int) (drawn, others []int) {
			first := random.IntN(n - size + 1)
			for run := range n {
				if first <= run && run < first+size {
					drawn = append(drawn, run)
				} else {
					others = append(others, run)
				}
			}
			return drawn, others
		},
		func(random *rand.Rand, n, size int) (a, b []int) {
			left := n - 2*size
			from, after := random.IntN(left+1), random.IntN(left+1)
			for i := range size {
				a, b = append(a, min(from, after)+i), append(b, max(from, after)+size+i)
			}
			return a, b
		}},
}

// needed is a question to checks of ten mpiruns: do as many of the others as they say
// decide what they leave undecided?
func (m *mpiruns) needed(how drawing) question {
	return question{fmt.Sprintf("%d %s, then as many of the others as they need", replayScreen, how.name), []figure{
		{what: "undecided tests whose R needed the others have"},
		{what: "decided by R needed of the others", least: .75, most: .85},
		{what: "the same less the chance that was given", least: -.05, most: .05, mean: true},
		{what: "tests with `towards`"},
		{what: "of these decided as it said"},
		{what: "decided by the headline's R of the others", least: .45},
		{what: "the same less the share that was given", least: -.05, most: .05, mean: true},
	}, 1, 1, func(_ *design, _ int, random *rand.Rand) ([]count, error) {
		drawn, others := how.some(random, m.n, replayScreen)
		first, err := m.check(drawn, judge.Once(replayScreen))
		if err != nil {
			return nil, err
		}
		again := repeatedChecks{most: len(others), by: map[int][]judge.Outcome{}, check: func(r int) ([]judge.Outcome, error) {
			random.Shuffle(len(others), func(i, k int) { others[i], others[k] = others[k], others[i] })
			next, err := m.check(others[:r], judge.Once(r))
			if err != nil {
				return nil, err
			}
			return m.outcomes(next), nil
		}}
		return again.count(m.outlook(first))
	}}
}

// halves is a question to two usual checks that share no mpirun: do they say the same?
func (m *mpiruns) halves(how drawing, usual judge.Schedule) question {
	figures := append([]figure{
		{what: "violated once, not in the other"},
		{what: "violated once, kept in the other"},
		{what: "firm once, not violated in the other", most: .03},
	}, replicationFigures()...)
	return question{fmt.Sprintf("twice %d %s", usual.R(), how.name), figures, 1, 2, func(_ *design, _ int, random *rand.Rand) ([]count, error) {
		var checks [][]judge.Outcome
		a, b := how.two(random, m.n, usual.R())
		for _, runs := range [][]int{a, b} {
			r, err := m.check(runs, usual)
			if err != nil {
				return nil, err
			}
			checks = append(checks, m.outcomes(r))
		}
		return append(flipCounts(checks), replicationCounts(checks)...), nil
	}}
}
