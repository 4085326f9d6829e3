// Package reach tells which cases choices can change.
//
// Choices and the cases of a plan come in; the cases that they reach, and the part of the plan that a proof of them
// measures, go out. It never looks at data.
package reach

import (
	"cmp"
	"slices"
	"strings"

	"pgmpi/analyze/medians"
	"pgmpi/guidelines"
	"pgmpi/internal/lists"
	"pgmpi/internal/tuning"
	"pgmpi/mockups"
)

// By tells whether choices can change a case. What they cannot reach is the control of a proof. A mock-up may call
// with np times its size, or a part of it.
func By(choices []tuning.Choice, k medians.Cell) bool {
	return slices.ContainsFunc(choices, func(c tuning.Choice) bool {
		of := func(function string) bool {
			return function == mockups.Collective(k.Function) || Calls(k.Function, function)
		}
		switch {
		case c.Kind == tuning.ByEnv:
			return k.Msize >= min(tuning.MallocFrom, c.Sizes[0])
		case c.Kind == tuning.ByComponent:
			return slices.ContainsFunc(mockups.Functions(), func(f string) bool { return c.Concerns(f) && of(f) })
		case c.Function == mockups.Collective(k.Function):
			return c.Covers(k.Msize)
		}
		np := int64(max(1, c.NP))
		return of(c.Function) && c.Touches((k.Msize+np-1)/np, k.Msize*np)
	})
}

// Calls tells whether a mock-up calls a collective.
func Calls(mockup, collective string) bool {
	f, ok := mockups.Get(mockup)
	return ok && strings.Contains(f.Formula, strings.TrimPrefix(collective, "MPI_")+"(")
}

// Anywhere tells whether a choice may slow any call: variables that move a program's memory.
func Anywhere(c tuning.Choice) bool { return c.Kind == tuning.ByEnv }

// Culprits returns the choices that explain the harm of a case, or of a guideline with a mock-up: for the collective
// itself, or for one that the mock-up calls. If none explains it, it returns what can change the call at all, else all,
// and false.
func Culprits(choices []tuning.Choice, harmed medians.Cell, mockup string) (found []tuning.Choice, explained bool) {
	for _, explains := range []func(tuning.Choice) bool{
		func(c tuning.Choice) bool { return c.Function == harmed.Function && c.Covers(harmed.Msize) },
		func(c tuning.Choice) bool { return c.Function == harmed.Function },
		func(c tuning.Choice) bool { return c.Function != "" && Calls(mockup, c.Function) },
	} {
		if found := lists.Keep(choices, explains); len(found) > 0 {
			return found, true
		}
	}
	able := lists.Keep(choices, func(c tuning.Choice) bool { return Anywhere(c) || By([]tuning.Choice{c}, harmed) })
	if len(able) > 0 {
		return able, false
	}
	return choices, false
}

// Touched tells whether one of several choices may act where another one does.
func Touched(choices []tuning.Choice, by tuning.Choice) bool {
	return slices.ContainsFunc(choices, func(c tuning.Choice) bool {
		return c.Kind != tuning.OwnAlgorithm || by.Kind != tuning.OwnAlgorithm || c.Function == by.Function && (c.Always() || by.Always() || c.NP == by.NP && overlap(c, by))
	})
}

func overlap(a, b tuning.Choice) bool {
	return slices.ContainsFunc(a.Sizes, b.Covers) || slices.ContainsFunc(b.Sizes, a.Covers)
}

// Part leaves in a plan the cases that are wanted, and the tests that have one. It also leaves some
// of the other cases, of all sizes, that choices cannot change: they tell how slow an mpirun is in
// general.
func Part(p *guidelines.Plan, wanted func(medians.Cell) bool, choices []tuning.Choice) *guidelines.Plan {
	out := *p
	at := map[int]int{} // where a case of p is
	keep := func(i int) int {
		if _, there := at[i]; !there {
			at[i], out.Cases = len(out.Cases), append(out.Cases, p.Cases[i])
		}
		return at[i]
	}
	out.Cases, out.Tests = nil, nil
	for _, t := range p.Tests {
		if !slices.ContainsFunc(append([]int{t.Case}, t.Others...), func(i int) bool { return wanted(medians.CellOf(p.Cases[i])) }) {
			continue
		}
		t.Case, t.Others = keep(t.Case), slices.Clone(t.Others)
		for n, i := range t.Others {
			t.Others[n] = keep(i)
		}
		out.Tests = append(out.Tests, t)
	}
	for i, k := range p.Cases { // of no test
		if wanted(medians.CellOf(k)) {
			keep(i)
		}
	}
	const most = 2 * medians.GeneralCases
	for _, shape := range p.Shapes {
		others := slices.DeleteFunc(p.CasesOf(shape), func(i int) bool { return By(choices, medians.CellOf(p.Cases[i])) })
		slices.SortStableFunc(others, func(i, j int) int { return cmp.Compare(p.Cases[i].Msize, p.Cases[j].Msize) })
		for n := range min(most, len(others)) {
			keep(others[n*len(others)/min(most, len(others))])
		}
	}
	return &out
}

// Sizes returns the sizes of a function on a number of processes, ascending; of any for "" and 0.
func Sizes(p *guidelines.Plan, function string, np int) (out []int64) {
	for _, k := range p.Cases {
		if (function == "" || k.Function == function) && (np == 0 || k.Shape.NP == np) && !slices.Contains(out, k.Msize) {
			out = append(out, k.Msize)
		}
	}
	slices.Sort(out)
	return out
}

// Without returns the choices that are not among others.
func Without(choices, others []tuning.Choice) []tuning.Choice {
	return slices.DeleteFunc(slices.Clone(choices), func(c tuning.Choice) bool {
		return slices.ContainsFunc(others, func(o tuning.Choice) bool { return o.Key() == c.Key() })
	})
}

// PartsOf returns the choices, before joining, that rejected choices consist of.
func PartsOf(choices []tuning.Choice, joined []tuning.Rejected, why string) (out []tuning.Rejected) {
	for _, j := range joined {
		for _, c := range choices {
			if whole := j.Choice; c.Kind == whole.Kind && c.Function == whole.Function && c.NP == whole.NP && c.Algorithm == whole.Algorithm {
				out = append(out, c.Rejected(why+j.Reason))
			}
		}
	}
	return out
}

// Joined merges choices of one algorithm at several sizes, as writers need it.
func Joined(choices []tuning.Choice) (out []tuning.Choice) {
	for _, c := range choices {
		at := slices.IndexFunc(out, func(o tuning.Choice) bool {
			return o.Kind == c.Kind && c.Kind == tuning.OwnAlgorithm && o.Function == c.Function && o.NP == c.NP && o.Algorithm == c.Algorithm
		})
		if at < 0 {
			out = append(out, c)
			continue
		}
		sizes := append(slices.Clone(out[at].Sizes), c.Sizes...)
		slices.Sort(sizes)
		out[at].Sizes = slices.Compact(sizes)
	}
	return out
}
