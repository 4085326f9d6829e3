package readers

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"pgmpi/guidelines"
	"pgmpi/internal/conf"
	"pgmpi/internal/fail"
	"pgmpi/internal/feature/imported/sizes"
	"pgmpi/internal/feature/imported/source"
	"pgmpi/internal/lists"
	"pgmpi/internal/phrase"
	"pgmpi/internal/regular"
	"pgmpi/measure/protocol"
	"pgmpi/measure/results"
	"pgmpi/mockups"
)

type reader struct {
	name  string
	sniff func(path, head string) bool // recognises a file by its path and its first bytes
	read  func(*input) error           // adds to the measurements of the input
	also  []string                     // other names of --from that mean it
	// folder groups the files that are read together, by default all.
	folder func(path string) string
}

// readers lists the formats in the order of help.
var readers = []reader{osuReader, imbReader, picoReader, ncclReader, ncclTextReader, rcclReader, reproReader, skampiReader}

func Formats() []string {
	return lists.Map(readers, func(r reader) string { return r.name })
}

// Given holds what the user says where files do not.
type Given struct {
	From   string           // a format, or "" to recognise it from each file
	Shape  guidelines.Shape // zero if the files have to say it
	OneJob bool             // folders do not tell jobs apart
}

// Setting holds what the measurements of a job have in common. Texts are "" where files do not say it.
type Setting struct {
	From, Machine, Job string
	Folder             string // of the files, below what was named
	Library, Version   string
	Buffers            string // where they are, if not in the memory of the host
	Shape              guidelines.Shape
	kind
}

// kind is what counts for some collectives only: a datatype and an operator for reductions, a root for those that
// have one.
type kind struct {
	Datatype, Op string
	Root         int
}

type measurement struct {
	Setting
	path      string
	run       string // names the mpirun, or is "" for the next one of each of its cases
	statistic results.Statistic
	cases     []timed
	unused    []string // tests that match no collective of ours
	notes     []string
	skipped   skipped
	lost      []loss
	element   int64  // bytes
	average   bool   // a time is an average over the ranks
	mark      string // what a script's line says of the table
	when      time.Time
	dated     dated
}

// dated tells how it is known when the data were measured.
type dated int

const (
	byData dated = iota
	byName       // of the file or its folder
	byFile       // the time of the file
)

// skipped counts lines that are no rows.
type skipped struct {
	n     int
	first []string
}

// loss is a time that does not count, and why.
type loss struct {
	function string
	size     int64 // as the file has it
	why      string
}

type timedKey struct {
	function string
	msize    int64
}

type timed struct {
	timedKey
	samples []protocol.Sample
}

type input struct {
	Given
	path      string
	source    *source.Text
	text      string           // of the line
	line      int              // 0 before the first line
	shape     guidelines.Shape // in the file
	byCommand bool             // shape is of the command that started the program
	tables    *sync.Map        // shared by several files, by path
	all       []*measurement   // found in the file
	mark      string           // of the last line that names a program
	unused    []string
	lost      []loss
	empty     bool // calls of 0 bytes were timed

	program   string // in the last line that names one, since a title
	modules   string // loaded before the tables
	measuring bool   // there was a table since
	nameless  bool   // a table has no title
	skipped
}

// next goes to the next line. An error after the last line is about the whole file.
func (in *input) next() (more bool, err error) {
	in.line++
	if in.text, more, err = in.source.Next(); !more && err == nil {
		in.line = 0
	}
	return more, err
}

func (in *input) measured(s Setting, statistic results.Statistic) *measurement {
	m := &measurement{Setting: s, statistic: statistic}
	in.all = append(in.all, m)
	return m
}

// shapeOf reads a number of processes.
func shapeOf(text string) (s guidelines.Shape, err error) {
	if s.NP, _ = strconv.Atoi(text); s.NP < 1 || s.NP > guidelines.MaxProcesses {
		return s, fmt.Errorf("%.40q is no number of processes from 1 to %d", text, guidelines.MaxProcesses)
	}
	return s, nil
}

func (in *input) placed() (guidelines.Shape, error) {
	switch {
	case in.shape.NP > 0 && in.Shape.NP > 0 && in.shape.NP != in.Shape.NP:
		return in.shape, fail.Setupf("it has %d processes, and %d were given: leave out --np and --shape", in.shape.NP,
			in.Shape.NP)
	case in.Shape.NP > 0:
		return in.Shape, nil
	case in.shape.NP > 0:
		return in.shape, nil
	}
	return in.shape, fail.Setupf("the file does not say how many processes there were: give --np or --shape")
}

func (m *measurement) add(format, function string, size int64, samples ...protocol.Sample) error {
	block, ok, err := sizes.Block(format, function, size, max(1, m.element), m.Shape.NP)
	if !ok {
		return err
	}
	m.cases = append(m.cases, timed{timedKey{function, block}, samples})
	return nil
}

func (m *measurement) leaveOut(test string) { m.unused = lists.With(m.unused, test) }

func inNS(ns float64) (protocol.Sample, error) {
	if !(ns > 0 && ns < 1e18) { // NaN, too
		return protocol.Sample{}, fmt.Errorf("a run-time of %g ns; one is positive", ns)
	}
	return protocol.Sample{NS: max(1, int64(math.Round(ns)))}, nil
}

// collective returns the MPI collective of a name, or "". The name is in any case, without MPI_.
func collective(name string) string {
	id := mockups.Canonical(name)
	if f, _ := mockups.Get(id); f.IsCollective() && f.HasData() {
		return id
	}
	return ""
}

type file struct {
	path  string
	named bool // by the user; other files are found below folders, and may be damaged
	reader
}

// find lists the named files and those below folders that a reader knows. skipped counts all others.
func find(paths []string, from string) (all []file, skipped int, err error) {
	if from != "" && !slices.Contains(Formats(), from) {
		return nil, 0, fmt.Errorf("--from: %s", conf.Unknown("program", from, Formats()))
	}
	given := map[string]bool{}
	for _, path := range paths {
		err := filepath.WalkDir(path, func(at string, d fs.DirEntry, err error) error {
			f := file{path: at, named: at == path}
			switch {
			case errors.Is(err, fs.ErrNotExist):
				return fmt.Errorf("there is no file or folder %s", at)
			case err != nil || d.IsDir() || !f.named && !d.Type().IsRegular():
				return err
			case given[at]:
				return fmt.Errorf("%s is given twice: each file is one mpirun", at)
			}
			given[at] = true
			all = append(all, f)
			return nil
		})
		if err != nil {
			return nil, 0, err
		}
	}
	errs := make([]error, len(all))
	atOnce(len(all), func(i int) { errs[i] = all[i].recognise(from) })
	for i := range all {
		if all[i].named && errs[i] != nil {
			return nil, 0, errs[i]
		}
	}
	known := lists.Keep(all, func(f file) bool { return f.read != nil })
	if len(known) == 0 {
		return nil, 0, fmt.Errorf("no file of %s is there", strings.Join(Formats(), ", "))
	}
	return known, len(all) - len(known), nil
}

// recognise finds the reader of a file by its text.
func (f *file) recognise(from string) error {
	head, err := headOf(f.path)
	if err != nil {
		return err
	}
	for _, r := range readers {
		if (from == "" || r.name == from || slices.Contains(r.also, from)) && r.sniff(f.path, head) {
			f.reader = r
			return nil
		}
	}
	if i := slices.Index(Formats(), from); i >= 0 && f.named {
		f.reader = readers[i]
		return nil
	}
	return fmt.Errorf("%s: its text does not tell of which program it is (%s)%s: name it with --from", f.path,
		strings.Join(Formats(), ", "), seems(head))
}

// seems says what a text is that no reader takes.
func seems(head string) string {
	switch text := strings.TrimSpace(head); {
	case text == "":
		return ", and it has no text"
	case strings.HasPrefix(text, "{") || strings.HasPrefix(text, "["):
		return "; it seems to be JSON of another program"
	}
	return ""
}

func headOf(path string) (string, error) {
	f, err := regular.Open(path)
	if err != nil {
		return "", err
	}
	defer f.Close()
	s, err := source.Of(f)
	if err == nil {
		var head string
		if head, err = s.Head(); err == nil {
			return head, nil
		}
	}
	return "", fmt.Errorf("%s: %w", path, err)
}

func (f *file) measurements(given Given, tables *sync.Map) ([]*measurement, error) {
	opened, err := regular.Open(f.path)
	if err != nil {
		return nil, err
	}
	defer opened.Close()
	info, err := opened.Stat()
	if err != nil {
		return nil, err
	}
	all, err := f.parse(&input{Given: given, tables: tables}, opened, info.Size())
	for _, m := range all {
		if when, ok := dateIn(f.path); m.when.IsZero() && ok {
			m.when, m.dated = when, byName
		} else if m.when.IsZero() {
			m.when, m.dated = info.ModTime(), byFile
		}
	}
	return all, err
}

var dateInName = regexp.MustCompile(`(?:^|[^0-9])(20\d\d)[-_.]?([01]\d)[-_.]?([0-3]\d)(?:$|[^0-9])`)

var weekInName = regexp.MustCompile(`(?:^|[^0-9])(20\d\d)[-_]?[wW](\d\d)(?:$|[^0-9])`)

// monday returns the first day of an ISO week.
func monday(year, week int) time.Time {
	fourth := time.Date(year, 1, 4, 0, 0, 0, 0, time.UTC) // is in the first week
	return fourth.AddDate(0, 0, 7*(week-1)-(int(fourth.Weekday())+6)%7)
}

// dateIn returns the date in the name of a file, or of the nearest folder that has one.
func dateIn(path string) (when time.Time, ok bool) {
	for path = filepath.Clean(path); ; path = filepath.Dir(path) {
		if found := dateInName.FindStringSubmatch(filepath.Base(path)); found != nil {
			if when, err := time.Parse(time.DateOnly, strings.Join(found[1:], "-")); err == nil {
				return when, true
			}
		}
		if found := weekInName.FindStringSubmatch(filepath.Base(path)); found != nil {
			year, _ := strconv.Atoi(found[1])
			week, _ := strconv.Atoi(found[2])
			return monday(year, week), true
		}
		if path == filepath.Dir(path) {
			return
		}
	}
}

// parse reads a text of about some bytes, and gives every error its place.
func (f *file) parse(in *input, text io.Reader, size int64) (all []*measurement, err error) {
	in.path = f.path
	if in.source, err = source.New(text, size); err == nil {
		if _, err = in.source.Head(); err == nil {
			err = f.read(in)
		}
	}
	if err != nil {
		return nil, &damaged{in.path, in.line, err}
	}
	in.apart()
	for i, m := range in.all {
		if m.From, m.path = f.name, f.path; i == 0 {
			m.unused = append(m.unused, in.unused...)
			m.lost, m.skipped = append(m.lost, in.lost...), in.skipped
		}
	}
	return in.all, nil
}

// damaged is an error of a file.
type damaged struct {
	path string
	line int // 0 if it is of the whole file
	error
}

func (e *damaged) Error() string {
	return e.path + phrase.When(e.line > 0, ":%d", e.line) + ": " + e.error.Error()
}

func (e *damaged) Unwrap() error { return e.error }

type together struct {
	files   []file
	leftOut []string
	err     error
}

func (g *together) jobs(given Given, tables *sync.Map) []*Job {
	all, errs := make([][]*measurement, len(g.files)), make([]error, len(g.files))
	atOnce(len(g.files), func(i int) { all[i], errs[i] = g.files[i].measurements(given, tables) })
	for i, err := range errs {
		if err != nil && g.files[i].named {
			g.err = fail.AsSetup(err)
			return nil
		}
	}
	g.leftOut = reasons(errs)
	root := filepath.Dir(g.files[0].path)
	for _, f := range g.files {
		root = common(root, filepath.Dir(f.path))
	}
	for i, f := range g.files {
		for _, m := range all[i] {
			if rel, _ := filepath.Rel(root, filepath.Dir(f.path)); rel != "." && !given.OneJob && f.folder == nil {
				m.Folder = rel
			}
		}
	}
	return slices.DeleteFunc(jobs(slices.Concat(all...)), func(j *Job) bool {
		empty := len(j.runs) == 0
		if empty {
			none := &NoTest{j.Name(), nil, &noTimes{unused: j.unused, lost: j.lost, empty: true}}
			g.leftOut = append(g.leftOut, none.Error())
		}
		j.damaged(g.files, errs)
		return empty
	})
}

// common returns the deepest folder that has both.
func common(a, b string) string {
	for a != b {
		if len(a) < len(b) {
			a, b = b, a
		}
		if up := filepath.Dir(a); up != a {
			a = up
		} else {
			return a
		}
	}
	return a
}

// damaged notes the files of a job's folder that were left out.
func (j *Job) damaged(files []file, errs []error) {
	var out []string
	for i, err := range errs {
		if err != nil && filepath.Dir(files[i].path) == j.folder && !fail.Is[*noTimes](err) {
			out = append(out, err.Error())
		}
	}
	if len(out) > 0 {
		j.notes = append(j.notes, fmt.Sprintf("Left out: %s; the first: %s", conf.Plural(len(out), "file"), out[0]))
	}
}

// reasons tells why files were left out, each reason once.
func reasons(errs []error) (out []string) {
	first, more := map[string]*damaged{}, map[string]int{}
	var order []string
	for _, err := range errs {
		d := (*damaged)(nil)
		switch {
		case err == nil:
		case !errors.As(err, &d):
			out = append(out, err.Error())
		case first[d.error.Error()] == nil:
			first[d.error.Error()] = d
			order = append(order, d.error.Error())
		default:
			more[d.error.Error()]++
		}
	}
	for _, text := range order {
		out = append(out, first[text].Error()+phrase.When(more[text] > 0, "; so in %s", conf.Plural(more[text], "other file")))
	}
	return out
}

func atOnce(n int, do func(int)) {
	var next atomic.Int64
	var group sync.WaitGroup
	for range min(n, runtime.GOMAXPROCS(0)) {
		group.Go(func() {
			for i := int(next.Add(1)); i <= n; i = int(next.Add(1)) {
				do(i - 1)
			}
		})
	}
	group.Wait()
}

// Each hands the jobs of files and folders to do, several at a time. It returns the results of do in the order of
// the files. Files of different settings are different jobs; alone says that there is only one. leftOut lists files
// below folders that no reader knows or that are damaged, and jobs without a test.
func Each[T any](paths []string, given Given, do func(j *Job, alone bool) (T, error)) (
	made []T, leftOut []string, err error) {
	files, skipped, err := find(paths, given.From)
	if err != nil {
		return nil, nil, fail.AsSetup(err)
	}
	if skipped > 0 {
		leftOut = append(leftOut, conf.Plural(skipped, "file")+" that no reader knows")
	}
	var groups []*together
	at := map[string]*together{}
	for _, f := range files {
		key := f.name
		if f.folder != nil {
			key += " " + f.folder(f.path)
		}
		if at[key] == nil {
			at[key] = &together{}
			groups = append(groups, at[key])
		}
		at[key].files = append(at[key].files, f)
	}
	var tables sync.Map
	out := make([][]T, len(groups))
	atOnce(len(groups), func(i int) {
		g := groups[i]
		of := g.jobs(given, &tables)
		for _, j := range of {
			one, err := do(j, len(groups)+len(of) == 2)
			if noTest := (*NoTest)(nil); errors.As(err, &noTest) {
				g.leftOut = append(g.leftOut, err.Error())
			} else if err != nil {
				g.err = err
				return
			} else {
				out[i] = append(out[i], one)
			}
		}
	})
	for _, g := range groups {
		if g.err != nil {
			return nil, leftOut, g.err
		}
		leftOut = append(leftOut, g.leftOut...)
	}
	return slices.Concat(out...), leftOut, nil
}
