package readers

import (
	"cmp"
	"fmt"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"time"

	"pgmpi/guidelines"
	"pgmpi/internal/conf"
	"pgmpi/internal/feature/imported/sizes"
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
	free      map[timedKey]int            // the first run that may lack a case
	inFile    map[string]map[timedKey]int // the run of a case of a file
	sizes     map[string]map[int64]bool
	tooMany   error          // too many sizes of a function, or runs
	named     map[string]int // runs that have a name
	averages  []string       // functions whose times are averages over the ranks
	repeated  []string       // functions of several tables in a file
	skipped   skipped
	lost      []loss
	folder    string // of the first file
	unused    []string
	notes     []string
	when      time.Time
	dated     dated
}

// mostKinds exceeds the datatypes, operators and roots of a benchmark.
const mostKinds = 64

// ofKinds holds the measurements that differ in their kind alone.
type ofKinds struct {
	all          []*measurement
	reduced      []kind   // of reductions, without a root
	moved        []string // datatypes of all others
	roots        []int
	measurements map[*measurement]uses
}

type uses struct{ reduces, rooted bool }

// jobs makes jobs of measurements. All that differs in their Setting makes them different, but a datatype, operator
// or root is no difference to collectives that have none: they belong to the jobs of the others.
func jobs(all []*measurement) (out []*Job) {
	at := map[Setting]*ofKinds{}
	var order []Setting
	for _, m := range all {
		s := m.Setting
		s.kind = kind{}
		if at[s] == nil {
			at[s] = &ofKinds{measurements: map[*measurement]uses{}}
			order = append(order, s)
		}
		at[s].add(m)
	}
	for _, s := range order {
		out = append(out, at[s].jobs(s)...)
	}
	return out
}

func (k *ofKinds) add(m *measurement) {
	var u uses
	for _, c := range m.cases {
		f, _ := mockups.Get(sizes.Of(c.function))
		u.reduces = u.reduces || f.Reduces
		u.rooted = u.rooted || slices.Contains(sizes.Rooted, f.ID)
	}
	k.all, k.measurements[m] = append(k.all, m), u
	switch {
	case len(m.cases) == 0:
	case u.reduces:
		k.reduced = lists.With(k.reduced, kind{Datatype: m.Datatype, Op: m.Op})
	default:
		k.moved = lists.With(k.moved, m.Datatype)
	}
	if u.rooted {
		k.roots = lists.With(k.roots, m.Root)
	}
}

// jobs returns a job for each kind.
func (k *ofKinds) jobs(s Setting) (out []*Job) {
	kinds := slices.Clone(k.reduced)
	for _, datatype := range k.moved {
		same := func(r kind) bool { return r.Datatype == datatype }
		if len(k.reduced) == 0 || len(k.moved) > 1 && !slices.ContainsFunc(k.reduced, same) {
			kinds = append(kinds, kind{Datatype: datatype})
		}
	}
	if len(kinds) == 0 {
		kinds = []kind{{}}
	}
	roots := k.roots
	if len(roots) == 0 {
		roots = []int{0}
	}
	for _, which := range kinds[:min(len(kinds), mostKinds)] {
		for _, root := range roots[:min(len(roots), mostKinds)] {
			which.Root = root
			s.kind = which
			j := &Job{Setting: s, free: map[timedKey]int{}, inFile: map[string]map[timedKey]int{},
				named: map[string]int{}, sizes: map[string]map[int64]bool{}}
			for _, m := range k.all {
				if k.belongs(m, which) {
					j.take(m)
				}
			}
			if len(kinds) > mostKinds || len(roots) > mostKinds {
				j.notes = append(j.notes, fmt.Sprintf("There are %d datatypes with operators and %d roots; at most %d of each are read",
					len(kinds), len(roots), mostKinds))
			}
			if j.Files > 0 {
				out = append(out, j)
			}
		}
	}
	return out
}

// belongs tells whether a measurement is of a kind.
func (k *ofKinds) belongs(m *measurement, which kind) bool {
	u := k.measurements[m]
	switch {
	case u.rooted && m.Root != which.Root:
		return false
	case u.reduces:
		return m.Datatype == which.Datatype && m.Op == which.Op
	case len(m.cases) == 0, len(k.moved) == 1:
		return true
	}
	return m.Datatype == which.Datatype
}

func (j *Job) take(m *measurement) {
	if j.Files++; j.Files == 1 {
		j.Statistic, j.folder = m.statistic, filepath.Dir(m.path)
	}
	if m.statistic == results.Mean || j.Statistic == results.Samples {
		j.Statistic = m.statistic
	}
	for _, test := range m.unused {
		j.unused = lists.With(j.unused, test)
	}
	j.notes, j.lost = append(j.notes, m.notes...), append(j.lost, m.lost...)
	j.skipped.n += m.skipped.n
	j.skipped.first = append(j.skipped.first, m.skipped.first[:min(len(m.skipped.first), mostShown-len(j.skipped.first))]...)
	if j.when.IsZero() || m.when.Before(j.when) {
		j.when, j.dated = m.when, m.dated
	}
	for _, c := range m.cases {
		if m.average && slices.Contains(sizes.Rooted, sizes.Of(c.function)) {
			j.averages = lists.With(j.averages, c.function)
		}
		run, again := j.runOf(m, c.timedKey)
		if j.limit(m.path, c.timedKey, run); j.tooMany != nil {
			return
		}
		if run == len(j.runs) {
			j.runs = append(j.runs, map[timedKey][]protocol.Sample{})
		}
		switch {
		case again:
			j.repeated = lists.With(j.repeated, c.function)
			j.runs[run][c.timedKey] = append(j.runs[run][c.timedKey], c.samples...)
		case j.runs[run][c.timedKey] != nil:
			j.notes = append(j.notes, fmt.Sprintf("%s: %s at %s was measured before in the same mpirun, and only that counts", m.path, c.function, conf.HumanSize(c.msize)))
		default:
			j.runs[run][c.timedKey] = c.samples
		}
	}
}

// runOf returns the mpirun of a case: the one that the file names, else the one that has it from that file, else the
// first one that lacks it.
func (j *Job) runOf(m *measurement, c timedKey) (run int, again bool) {
	if m.run != "" {
		if _, known := j.named[m.run]; !known {
			j.named[m.run] = len(j.runs)
		}
		return j.named[m.run], false
	}
	if j.inFile[m.path] == nil {
		j.inFile[m.path] = map[timedKey]int{}
	}
	if run, again = j.inFile[m.path][c]; !again {
		run = j.next(c)
		j.inFile[m.path][c] = run
	}
	return run, again
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
	root := phrase.When(j.Root > 0, "root%d", j.Root)
	words := slices.DeleteFunc([]string{j.Machine, j.Folder, j.Job, j.Version, j.Buffers, j.Shape.String(), j.Datatype, j.Op, root},
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
		return nil, &NoTest{j.Name(), j.unused, j.why(measured, err)}
	}
	plan.Datatype, plan.Op = cmp.Or(j.Datatype, "unknown"), cmp.Or(j.Op, "unknown")
	m := &results.Manifest{Schema: results.ManifestSchema, Kind: results.Imported, Plan: *plan, R: len(j.runs),
		Created: j.when.UTC().Format(time.RFC3339),
		Rank: protocol.RankInfo{Library: cmp.Or(j.Library, "unknown"),
			LibVersion: cmp.Or(j.Version, "unnamed library, measured by "+j.From)},
		Imported: &results.ImportedFrom{From: j.From, Machine: j.Machine, Statistic: j.Statistic, Files: j.Files,
			Job:      strings.Join(strings.Fields(j.Folder+" "+j.Job+" "+j.Buffers), " "),
			Averages: j.averages}}
	m.Factors.Hostname = j.Machine
	m.Plan.Notes = append(m.Plan.Notes, j.remarks()...)
	j.addSums(m, sums)
	return m, nil
}

// why says why data allow no test.
func (j *Job) why(measured map[string][]int64, err error) error {
	var names []string
	for f := range measured {
		if m, _ := mockups.Get(f); m.Regular {
			return fmt.Errorf("the data allow no test: %w", err)
		}
		names = append(names, phrase.Plain(f))
	}
	slices.Sort(names)
	return fmt.Errorf("no guideline is about %s alone", strings.Join(names, ", "))
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

// Warnings says what does not count in the files, and why.
func (j *Job) Warnings() (notes []string) {
	notes = append(notes, j.skipped.notes()...)
	if len(j.unused) > 0 {
		notes = append(notes, "Left out, because no guideline is about them: "+
			strings.Join(j.unused[:min(len(j.unused), mostNotes)], ", ")+".")
	}
	for _, text := range lossNotes(j.lost) {
		notes = append(notes, phrase.Capital(text)+".")
	}
	if len(j.repeated) > 0 {
		notes = append(notes, "Several tables of one collective in one file are repetitions of one mpirun: "+
			strings.Join(lists.Map(j.repeated, phrase.Plain), ", ")+". Give each mpirun a file of its own.")
	}
	if len(j.averages) > 0 {
		notes = append(notes, "Averages over the ranks, of which some return early: "+strings.Join(lists.Map(j.averages, phrase.Plain), ", ")+
			". They are held against no collective without a root, but where they are slower even so; OSU's -f and -a 3 of nccl-tests have the slowest rank's times.")
	}
	return notes
}

func (j *Job) remarks() (notes []string) {
	switch j.dated {
	case byData:
	case byFile:
		notes = append(notes, "The data do not say when they were measured: created is the time of their oldest file.")
	case byName:
		notes = append(notes, "The data do not say when they were measured: created is the date in the name of a file or folder.")
	}
	notes = append(notes, j.Warnings()...)
	for i, n := range j.notes {
		if i == mostNotes {
			return append(notes, fmt.Sprintf("%d more notes of this kind.", len(j.notes)-i))
		}
		notes = append(notes, n+".")
	}
	return notes
}

// notes says what was skipped.
func (s skipped) notes() []string {
	if s.n == 0 {
		return nil
	}
	return []string{fmt.Sprintf("%s no %s of a table, and %s skipped: %s%s.", conf.Plural(s.n, "line")+phrase.Either(s.n == 1, " is", " are"),
		phrase.Either(s.n == 1, "row", "rows"), phrase.Either(s.n == 1, "is", "are"), strings.Join(s.first, ", "),
		phrase.When(s.n > len(s.first), " and %d more", s.n-len(s.first)))}
}

// lossNotes says of each reason which times do not count for it.
func lossNotes(lost []loss) (notes []string) {
	cells, order := map[string][]string{}, []string{}
	for _, l := range lost {
		order = lists.With(order, l.why)
		cells[l.why] = append(cells[l.why], phrase.Plain(l.function)+" at "+conf.HumanSize(l.size))
	}
	for _, why := range order {
		of := unique(cells[why])
		notes = append(notes, strings.Join(of[:min(len(of), mostShown)], ", ")+
			phrase.When(len(of) > mostShown, " and %d more", len(of)-mostShown)+" "+why+", and "+
			phrase.Either(len(of) == 1, "is", "are")+" left out")
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
