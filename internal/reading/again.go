package reading

import (
	"slices"

	"pgmpi/analyze"
	"pgmpi/analyze/judge"
	"pgmpi/guidelines"
	"pgmpi/internal/conf"
	"pgmpi/internal/conf/glfile"
	"pgmpi/internal/fail"
	"pgmpi/internal/lists"
	"pgmpi/measure/results"
	"pgmpi/mockups"
)

// open verdicts are worth another check.
var open = []judge.Verdict{judge.Violated, judge.Suspected, judge.Undecided, judge.Wrong, judge.SeenOnce}

// Again limits a check to what the check in a results folder found violated or left open: its guidelines, its calls at
// both sizes of each test, and its processes, with its datatype, operator and root.
func Again(path string, f *glfile.File) (note string, err error) {
	_, m, err := Open(path, results.Checks...)
	if err != nil {
		return "", err
	}
	before, err := ConfigOf(m)
	if err != nil {
		return "", err
	}
	n, err := readNight(path)
	if err != nil {
		return "", err
	}
	tests := 0
	var ids, calls, shapes []string
	var np []int
	for _, p := range n.Points {
		if !slices.Contains(open, p.Verdict) {
			continue
		}
		at := lists.First(n.Shapes, func(s analyze.Shape) bool { return s.Name == p.Shape })
		if at == nil {
			continue
		}
		tests++
		ids = lists.With(ids, p.Guideline+":"+p.Function)
		if _, err := guidelines.ParseShape(p.Shape); err == nil {
			shapes = lists.With(shapes, p.Shape)
		} else {
			np = lists.With(np, at.NP)
		}
		for _, size := range []int64{p.Msize, p.MsizeOther} {
			calls = lists.With(calls, guidelines.CallAt(mockups.Collective(p.Function), size, at.NP, p.Elements))
		}
	}
	if tests == 0 {
		return "", fail.Setupf("%s has nothing that is violated or open: nothing is left to check again", path)
	}
	f.Check.Guidelines, f.Check.Exclude, f.Check.Calls = ids, nil, calls
	f.Job.NP, f.Job.Shapes, f.Job.Msizes = np, shapes, before.Job.Msizes
	f.Job.Datatype, f.Job.Op, f.Job.Root = before.Job.Datatype, before.Job.Op, before.Job.Root
	return conf.Plural(tests, "test") + " that " + path + " found violated or left open", nil
}
