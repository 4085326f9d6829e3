package readers

import (
	"cmp"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"time"

	"pgmpi/guidelines"
	"pgmpi/internal/conf"
	"pgmpi/internal/lists"
	"pgmpi/internal/phrase"
	"pgmpi/measure/protocol"
	"pgmpi/measure/results"
	"pgmpi/mockups"
)

// Job holds what was measured under one setting, by mpirun.
type Job struct {
	Setting
	Statistic results.Statistic
	Files     int
	runs      []map[timedKey][]protocol.Sample
	free      map[timedKey]int // the first run that may lack a case
	sizes     map[string]map[int64]bool
	tooMany   error    // too many sizes of a function, or runs
	names     []string // of the runs that have a name
	unused    []string
	notes     []string
	when      time.Time
	byFile    bool // when is the time of a file
}

func jobs(all []*measurement) (out []*Job) {
	at := map[Setting]*Job{}
	for _, m := range all {
		j := at[m.Setting]
		if j == nil {
			j = &Job{Setting: m.Setting, Statistic: m.statistic, free: map[timedKey]int{},
				sizes: map[string]map[int64]bool{}}
			at[m.Setting] = j
			out = append(out, j)
		}
		j.take(m)
	}
	return out
}

func (j *Job) take(m *measurement) {
	j.Files++
	if m.statistic == results.Mean || j.Statistic == results.Samples {
		j.Statistic = m.statistic
	}
	for _, test := range m.unused {
		j.unused = lists.With(j.unused, test)
	}
	j.notes = append(j.notes, m.notes...)
	if j.when.IsZero() || m.when.Before(j.when) {
		j.when, j.byFile = m.when, m.byFile
	}
	named := slices.Index(j.names, m.run)
	if m.run != "" && len(m.cases) > 0 && named < 0 {
		named = len(j.names)
		j.names = append(j.names, m.run)
	}
	for _, c := range m.cases {
		run := named
		if m.run == "" {
			run = j.next(c.timedKey)
		}
		if j.limit(m.path, c.timedKey, run); j.tooMany != nil {
			return
		}
		if run == len(j.runs) {
			j.runs = append(j.runs, map[timedKey][]protocol.Sample{})
		}
		if j.runs[run][c.timedKey] != nil {
			j.notes = append(j.notes, fmt.Sprintf("%s: %s at %s was measured before in the same mpirun, and only that counts", m.path, c.function, conf.HumanSize(c.msize)))
			continue
		}
		j.runs[run][c.timedKey] = c.samples
	}
}

// next returns the first run that lacks a case.
func (j *Job) next(c timedKey) int {
	for j.free[c] < len(j.runs) && j.runs[j.free[c]][c] != nil {
		j.free[c]++
	}
	return j.free[c]
}

// mostSizes exceeds the sizes of a benchmark, in steps of a power of two or of a few bytes: each size is a test of
// every guideline of the function.
const mostSizes = 200

func (j *Job) limit(path string, c timedKey, run int) {
	if j.sizes[c.function] == nil {
		j.sizes[c.function] = map[int64]bool{}
	}
	j.sizes[c.function][c.msize] = true
	switch {
	case len(j.sizes[c.function]) > mostSizes:
		j.tooMany = fmt.Errorf("%s: with it %s has more than %d sizes: leave out lines or files of some", path,
			c.function, mostSizes)
	case run >= results.MaxMPIRuns:
		j.tooMany = fmt.Errorf("%s: with it there are more than %d mpiruns: leave out lines or files of some", path,
			results.MaxMPIRuns)
	}
}

var unfit = regexp.MustCompile(`[^A-Za-z0-9_.+-]+`)

func (j *Job) Name() string {
	words := slices.DeleteFunc([]string{j.Machine, j.Job, j.Version, j.Shape.String(), j.Datatype},
		func(s string) bool { return s == "" })
	name := strings.Trim(unfit.ReplaceAllString(strings.Join(words, "-"), "_"), ".-_")
	return name[:min(len(name), 150)]
}

// Manifest plans the tests that have both sides in the data: by the guidelines of check and users, and of each of
// the library's own algorithms there. Mock-ups that were not measured are sums.
func (j *Job) Manifest(check guidelines.Config, users []guidelines.User) (*results.Manifest, error) {
	if j.tooMany != nil {
		return nil, &NoTest{Job: j.Name(), err: j.tooMany}
	}
	measured, sizes := map[string][]int64{}, []string{}
	for _, run := range j.runs {
		for c := range run {
			if !slices.Contains(measured[c.function], c.msize) {
				measured[c.function], sizes = append(measured[c.function], c.msize), append(sizes, fmt.Sprint(c.msize))
			}
		}
	}
	sums, users := j.sums(measured), slices.Clone(users) // a copy, since jobs are planned at once
	all := map[string][]int64{}
	for f, its := range measured {
		all[f] = append(all[f], its...)
		if mockups.Algorithm(f) != "" {
			users = append(users, ownAlgorithm(f))
		}
	}
	slices.SortStableFunc(users, func(a, b guidelines.User) int { return cmp.Compare(a.ID, b.ID) })
	for s := range sums {
		all[s.function] = append(all[s.function], s.msize)
	}
	// Sizes are already bytes, so the plan is made for bytes.
	plan, err := guidelines.Build(guidelines.Settings{Check: check, Users: users, Msizes: sizes, Datatype: "byte",
		Op:   "auto",
		Root: j.Root, Shapes: []guidelines.Shape{j.Shape}, Measured: all})
	if err != nil {
		return nil, &NoTest{j.Name(), j.unused, fmt.Errorf("the data allow no test: %w", err)}
	}
	plan.Datatype, plan.Op = cmp.Or(j.Datatype, "unknown"), cmp.Or(j.Op, "unknown")
	m := &results.Manifest{Schema: results.ManifestSchema, Kind: results.Imported, Plan: *plan, R: len(j.runs),
		Created: j.when.UTC().Format(time.RFC3339),
		Rank: protocol.RankInfo{Library: cmp.Or(j.Library, "unknown"),
			LibVersion: cmp.Or(j.Version, "unnamed library, measured by "+j.From)},
		Imported: &results.ImportedFrom{From: j.From, Machine: j.Machine, Job: j.Job, Statistic: j.Statistic,
			Files: j.Files}}
	m.Factors.Hostname = j.Machine
	m.Plan.Notes = append(m.Plan.Notes, j.remarks()...)
	j.addSums(m, sums)
	return m, nil
}

type NoTest struct {
	Job    string
	unused []string
	err    error
}

func (e *NoTest) Error() string {
	about := phrase.When(len(e.unused) > 0, "; no guideline is about %s",
		strings.Join(e.unused[:min(len(e.unused), mostNotes)], ", "))
	return fmt.Sprintf("%s: %v%s", e.Job, e.err, about)
}

const mostNotes = 20

func (j *Job) remarks() (notes []string) {
	if j.byFile {
		notes = append(notes, "The data do not say when they were measured: created is the time of their oldest file.")
	}
	if len(j.unused) > 0 {
		notes = append(notes, "Left out, because no guideline is about them: "+
			strings.Join(j.unused[:min(len(j.unused), mostNotes)], ", ")+".")
	}
	for i, n := range j.notes {
		if i == mostNotes {
			return append(notes, fmt.Sprintf("%d more notes of this kind.", len(j.notes)-i))
		}
		notes = append(notes, n+".")
	}
	return notes
}

// ownAlgorithm makes a guideline: the default is not slower than an algorithm of the library's own.
func ownAlgorithm(function string) guidelines.User {
	id := strings.NewReplacer("@", "-", ".", "_").Replace(strings.TrimPrefix(function, "MPI_"))
	return guidelines.User{ID: "own-" + id, Pattern: &guidelines.UserPattern{Function: mockups.Collective(function),
		Mockup: function}}
}

// standIns maps calls to calls with equal counts that do the same; in a sum they may replace them.
var standIns = map[string]string{"MPI_Allgatherv": "MPI_Allgather", "MPI_Gatherv": "MPI_Gather",
	"MPI_Scatterv":             "MPI_Scatter",
	"MPI_Reduce_scatter_block": "MPI_Reduce_scatter", "MPI_Reduce_scatter": "MPI_Reduce_scatter_block"}

// sums returns mock-ups that were not measured, but whose calls were. They are mock-ups of measured collectives.
func (j *Job) sums(measured map[string][]int64) map[timedKey][]timedKey {
	out := map[timedKey][]timedKey{}
	for _, f := range mockups.All() {
		for _, msize := range measured[f.Of] {
			parts := f.Parts(msize, j.Shape.NP)
			var calls []timedKey
			for _, part := range parts {
				call := timedKey{part.Collective, nearest(measured[part.Collective], part.Msize)}
				if name := standIns[part.Collective]; call.msize == 0 && len(parts) > 1 {
					call = timedKey{name, nearest(measured[name], part.Msize)}
				}
				if call.msize > 0 {
					calls = append(calls, call)
				}
			}
			if len(parts) > 0 && len(calls) == len(parts) && !slices.Contains(measured[f.ID], msize) {
				out[timedKey{f.ID, msize}] = calls
			}
		}
	}
	return out
}

// nearest returns the smallest size of at least that many bytes, or 0. It exceeds them by at most 1 %: a format may
// round blocks down, and moving a little more does not make a call look slow.
func nearest(sizes []int64, least int64) (found int64) {
	for _, size := range sizes {
		if size >= least && size <= least+least/100 && (found == 0 || size < found) {
			found = size
		}
	}
	return found
}

// addSums adds all cases that no test needs to the plan. It notes which of its cases are sums.
func (j *Job) addSums(m *results.Manifest, sums map[timedKey][]timedKey) {
	p, at := &m.Plan, map[timedKey]int{}
	for i, k := range p.Cases {
		at[timedKey{k.Function, k.Msize}] = i
	}
	var more []guidelines.Case
	for _, run := range j.runs {
		for c := range run {
			if _, ok := at[c]; !ok {
				at[c] = -1
				more = append(more, guidelines.Case{Function: c.function, Msize: c.msize, Shape: j.Shape,
					Variant: mockups.Variant(c.function)})
			}
		}
	}
	slices.SortFunc(more, func(a, b guidelines.Case) int {
		return cmp.Or(cmp.Compare(a.Function, b.Function), cmp.Compare(a.Msize, b.Msize))
	})
	for _, k := range more {
		at[timedKey{k.Function, k.Msize}] = len(p.Cases)
		p.Cases = append(p.Cases, k)
	}
	m.Sums = map[int][]int{}
	var names []string
	for s, parts := range sums {
		i, planned := at[s]
		if !planned {
			continue
		}
		p.Cases[i].Variant = results.SumVariant
		for _, part := range parts {
			m.Sums[i] = append(m.Sums[i], at[part])
		}
		names = lists.With(names, s.function)
	}
	if slices.Sort(names); len(names) > 0 {
		p.Notes = append(p.Notes, "Not measured, but the sums of the times of their calls (variant sum): "+strings.Join(names, ", ")+".")
	}
}

func (j *Job) Run(i int, m *results.Manifest) *results.Run {
	r := &results.Run{Header: results.Header{Schema: results.RawSchema, Mode: protocol.ModeMeasure, Shape: j.Shape,
		Run: i + 1, Rank: m.Rank}}
	for n, k := range m.Plan.Cases {
		samples, ok := j.runs[i][timedKey{k.Function, k.Msize}]
		if !ok {
			continue
		}
		info := results.CaseInfo{Plan: n, Function: k.Function, Msize: k.Msize,
			CaseResult: protocol.CaseResult{Case: len(r.Cases), Status: protocol.StatusOK, NRep: len(samples)}}
		info.Count(samples)
		r.Order = append(r.Order, len(r.Cases))
		r.Cases, r.Samples = append(r.Cases, info), append(r.Samples, samples)
	}
	return r
}
