package app

import (
	"fmt"
	"slices"
	"strings"

	"pgmpi/analyze"
	"pgmpi/guidelines"
	"pgmpi/internal/conf"
	"pgmpi/internal/conf/glfile"
	"pgmpi/internal/document"
	"pgmpi/internal/feature/app/profile"
	"pgmpi/internal/lists"
	"pgmpi/internal/phrase"
	"pgmpi/internal/settings"
	"pgmpi/internal/tuning"
	"pgmpi/mockups"
)

// leastShare is the smallest part of a run-time that is worth a check.
const leastShare = .001

// byCalls declares --calls of pgmpi check.
var byCalls = settings.Narrow{Flag: "calls", Usage: "check what a program calls: the collectives, sizes and processes of `FILE`, from `pgmpi profile`",
	Needed: true, Do: callsOf, After: needsOf}

// needsOf tells what the calls of a profile need from what they wait.
func needsOf(path string, r *analyze.Report) (*document.Document, error) {
	p, err := profile.Read(path)
	if err == nil {
		err = agree(path, p, r)
	}
	if err != nil {
		return nil, err
	}
	g := Join(r, nil, p)
	g.Profile = path
	return needs.Document(g), nil
}

// callsOf makes a configuration check what a program calls: its collectives at its sizes, on its numbers of
// processes, reductions with its datatypes and operators, calls with their root. The note says how much of it the plan
// measures, and names what it leaves out.
func callsOf(path string, f *glfile.File) (note string, err error) {
	p, err := profile.Read(path)
	if err != nil {
		return "", err
	}
	calls, np := collectivesOf(p, f.Job.Root)
	messages := sizesOf(p)
	if len(messages) > 0 {
		np = lists.With(np, p.Processes)
	}
	if calls = append(calls, messages...); len(calls) == 0 {
		return "", fmt.Errorf("%s: no collective takes %g %% of the run-time, with equal blocks of one of MPI's datatypes on "+
			"two processes or more, and no messages of 2 B to %s: there is nothing to gain by a check",
			path, 100*leastShare, conf.HumanSize(tuning.MostEager))
	}
	slices.Sort(np)
	if usual := guidelines.Default().Guidelines; slices.Equal(f.Check.Guidelines, usual) {
		f.Check.Guidelines = []string{"all"} // these calls are few, and PGMPI's guidelines are about some collectives alone
		if len(messages) > 0 {
			f.Check.Guidelines = append(f.Check.Guidelines, guidelines.Eager)
		}
	}
	f.Check.Calls, f.Job.NP, f.Job.Shapes = calls, np, glfile.Default().Job.Shapes
	plan, err := f.Plan(np)
	if err != nil {
		return "", fmt.Errorf("%s: no guideline is about what it calls: %w", path, err)
	}
	how := startAs(p, f)
	return planned(p, plan, path) + phrase.When(len(messages) > 0, " Messages are measured between ranks 0 and 1.") +
		phrase.When(how != "", " %s", how), nil
}

// collectivesOf lists the collectives of a profile that are worth a check, with their roots that are not the job's, and
// their numbers of processes.
func collectivesOf(p *profile.Profile, root int) (calls []string, np []int) {
	all := slices.Clone(p.Calls) // the longest first
	for _, m := range p.Made {   // what would stand in their place
		all = append(all, m.Call)
	}
	for _, c := range all {
		own := c.Reduced()
		switch {
		case !worth(p, c):
			continue
		case c.RootIs(root):
		case c.Root != profile.SeveralRoots && c.RootIs(c.Root):
			own = mockups.WithRoot(own, c.Root)
		default:
			continue
		}
		calls, np = lists.With(calls, guidelines.CallAt(c.Function, c.Bytes, c.Processes, own)), lists.With(np, c.Processes)
	}
	return calls, np
}

// planned says how much of what a program calls a plan measures, and what it leaves out.
func planned(p *profile.Profile, plan *guidelines.Plan, path string) string {
	measured, kinds, left := 0., 0, []string{}
	for _, c := range p.Blocking() {
		if t := lists.First(plan.Tests, func(t guidelines.Test) bool { return isOf(plan, t, c) }); t != nil && worth(p, c) {
			measured, kinds = measured+p.Seconds(c), kinds+1
		} else if len(left) < mostLeft && p.Seconds(c) >= leastShare*p.Wall() {
			left = append(left, fmt.Sprintf("%s (%s)", described(c), phrase.Percent(p.Seconds(c)/p.Collective())))
		}
	}
	return fmt.Sprintf("%s of %s in %s: %s of its time in collectives%s. Calls that take less than %g %% of the run-time "+
		"are left out.",
		phrase.Either(kinds == 0, "messages alone", conf.Plural(kinds, "kind")+" of calls"), phrase.Known(p.Program), path, phrase.Percent(measured/max(p.Collective(), 1e-9)),
		phrase.When(len(left) > 0, ", but not %s", strings.Join(left, ", ")), 100*leastShare)
}

const mostLeft = 3 // calls that the note names

// worth tells whether a call is to be checked.
func worth(p *profile.Profile, c profile.Call) bool {
	return c.Comparable() && p.Seconds(c) >= leastShare*p.Wall() && (c.Bytes > 0 || !guidelines.HasSize(c.Function)) && reducible(c)
}

// reducible tells whether a check knows the elements and the operator of a reduction.
func reducible(c profile.Call) bool {
	if f, _ := mockups.Get(c.Function); !f.Reduces {
		return true
	}
	datatype, op := mockups.Kind(c.Reduced(), "", "")
	d, known := mockups.GetDatatype(datatype)
	return known && slices.Contains(d.Ops, op) && c.Bytes%d.Bytes == 0
}

// isOf tells whether a test measures a call, a reduction with its own elements and operator.
func isOf(plan *guidelines.Plan, t guidelines.Test, c profile.Call) bool {
	k := plan.Cases[t.Case]
	datatype, op := plan.ElementsOf(k)
	return c.RootIs(plan.RootOf(k)) && t.Function == c.Function && t.Msize == c.Bytes && t.Shape.NP == c.Processes && sameElements(c, datatype, op)
}

// described names a call with what may keep it from being measured.
func described(c profile.Call) string {
	text := phrase.Function(c.Function) + phrase.When(c.Bytes > 0, " of %s", conf.HumanSize(c.Bytes)) + withRoot(c.Root)
	switch {
	case c.Uneven:
		return text + " with blocks that differ"
	case c.Op != "":
		return text + fmt.Sprintf(" %s/%s", phrase.Function(c.Datatype), phrase.Function(c.Op))
	}
	return text
}

// withRoot names a root that is not rank 0.
func withRoot(root int) string {
	return phrase.Either(root < 0, ", several roots", phrase.When(root > 0, ", root %d", root))
}
