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
// processes, with the datatype and operator that reduce for longest. The note says how much of its time that is.
func callsOf(path string, f *glfile.File) (note string, err error) {
	p, err := profile.Read(path)
	if err != nil {
		return "", err
	}
	var np []int
	var calls []string
	checked, reduced := 0., false
	for _, c := range p.Calls { // the longest first
		if !c.Comparable() || p.Seconds(c) < leastShare*p.Wall() || c.Bytes == 0 && guidelines.HasSize(c.Function) {
			continue
		}
		call := guidelines.CallAt(c.Function, c.Bytes, c.Processes)
		checked += p.Seconds(c)
		calls, np = lists.With(calls, call), lists.With(np, c.Processes)
		datatype := strings.ToLower(strings.TrimPrefix(c.Datatype, "MPI_"))
		if d, known := mockups.GetDatatype(datatype); known && c.Op != "" && !reduced {
			op := strings.ToLower(strings.TrimPrefix(c.Op, "MPI_"))
			if reduced = slices.Contains(d.Ops, op); reduced && (datatype != "double" || op != "sum") {
				f.Job.Datatype, f.Job.Op = datatype, op
			}
		}
	}
	if len(calls) == 0 {
		return "", fmt.Errorf("%s: no collective takes %g %% of the run-time, with equal blocks of one of MPI's datatypes on two processes or more: there is nothing to gain by a check",
			path, 100*leastShare)
	}
	slices.Sort(np)
	if usual := guidelines.Default().Guidelines; slices.Equal(f.Check.Guidelines, usual) {
		f.Check.Guidelines = []string{"all"} // these calls are few, and PGMPI's guidelines are about some collectives alone
	}
	f.Check.Calls, f.Job.NP, f.Job.Shapes = calls, np, glfile.Default().Job.Shapes
	return fmt.Sprintf("%s of %s in %s: they have %s of its time in collectives. The others take less than %g %% of the run-time each, or are not what guidelines are about.",
		conf.Plural(len(calls), "call"), phrase.Known(p.Program), path, phrase.Percent(checked/p.Collective()), 100*leastShare), nil
}
