package readers

import (
	"bufio"
	"cmp"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math"
	"path/filepath"
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
	"pgmpi/internal/lists"
	"pgmpi/internal/regular"
	"pgmpi/measure/protocol"
	"pgmpi/measure/results"
	"pgmpi/mockups"
)

type reader struct {
	name  string
	sniff func(path, head string) bool // recognises a file by its path and its first bytes
	read  func(*input) error           // adds to the measurements of the input
	// folder groups the files that are read together, by default all.
	folder func(path string) string
}

// readers lists the formats in the order of help.
var readers = []reader{osuReader, imbReader, picoReader, ncclReader, reproReader}

func Formats() []string {
	return lists.Map(readers, func(r reader) string { return r.name })
}

// Given holds what the user says where files do not.
type Given struct {
	From  string           // a format, or "" to recognise it from each file
	Shape guidelines.Shape // zero if the files have to say it
}

// Setting holds what the measurements of a job have in common. Texts are "" where files do not say it.
type Setting struct {
	From, Machine, Job string
	Library, Version   string
	Datatype, Op       string
	Root               int
	Shape              guidelines.Shape
}

type measurement struct {
	Setting
	path      string
	run       string // names the mpirun, or is "" for the next one of each of its cases
	statistic results.Statistic
	cases     []timed
	unused    []string // tests that match no collective of ours
	notes     []string
	element   int64 // bytes
	when      time.Time
	byFile    bool // when is the time of the file, since the data have none
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
	path   string
	text   *bufio.Scanner
	line   int              // 0 before the first line
	rest   io.Reader        // for formats without lines
	shape  guidelines.Shape // in the file
	tables *sync.Map        // shared by several files, by path
	all    []*measurement   // found in the file
}

// mostLine limits the length of a line.
const mostLine = 1 << 20

// next goes to the next line. An error after the last line is about the whole file.
func (in *input) next() bool {
	in.line++
	more := in.text.Scan()
	if !more && in.text.Err() == nil {
		in.line = 0
	}
	return more
}

func (in *input) measured(s Setting, statistic results.Statistic) *measurement {
	m := &measurement{Setting: s, statistic: statistic}
	in.all = append(in.all, m)
	return m
}

// shapeOf reads a number of processes.
func shapeOf(text string) (s guidelines.Shape, err error) {
	if s.NP, err = strconv.Atoi(text); err != nil || s.NP < 1 || s.NP > guidelines.MaxProcesses {
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
	block, ok, err := blockOf(format, function, size, max(1, m.element), m.Shape.NP)
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
	if f, _ := mockups.Get(id); !f.IsMockup() && f.HasData() {
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
			case err != nil || d.IsDir() || !f.named && !d.Type().IsRegular():
				return err
			case given[at]:
				return fmt.Errorf("%s is given twice: each file is one mpirun", at)
			}
			given[at] = f.named
			if f.reader, err = readerOf(at, from); err != nil {
				return err
			}
			switch i := slices.Index(Formats(), from); {
			case f.read != nil:
			case !f.named:
				skipped++
				return nil
			case i < 0:
				return fmt.Errorf("%s: its text does not tell of which program it is (%s): name it with --from", at,
					strings.Join(Formats(), ", "))
			default:
				f.reader = readers[i]
			}
			all = append(all, f)
			return nil
		})
		if err != nil {
			return nil, 0, err
		}
	}
	if len(all) == 0 {
		return nil, 0, fmt.Errorf("no file of %s is there", strings.Join(Formats(), ", "))
	}
	return all, skipped, nil
}

func readerOf(path, from string) (reader, error) {
	f, err := regular.Open(path)
	if err != nil {
		return reader{}, err
	}
	defer f.Close()
	head := make([]byte, 4096)
	n, err := io.ReadFull(f, head)
	if err != nil && err != io.EOF && err != io.ErrUnexpectedEOF {
		return reader{}, fmt.Errorf("%s: %w", path, err)
	}
	for _, r := range readers {
		if (from == "" || from == r.name) && r.sniff(path, string(head[:n])) {
			return r, nil
		}
	}
	return reader{}, nil
}

func (f *file) measurements(given Given, tables *sync.Map) ([]*measurement, error) {
	open, err := regular.Open(f.path)
	if err != nil {
		return nil, err
	}
	defer open.Close()
	all, err := f.parse(&input{Given: given, rest: open, tables: tables})
	info, statErr := open.Stat()
	for _, m := range all {
		if m.when.IsZero() && statErr == nil {
			m.when, m.byFile = info.ModTime(), true
		}
	}
	return all, err
}

// parse gives every error its place.
func (f *file) parse(in *input) ([]*measurement, error) {
	in.path, in.text = f.path, bufio.NewScanner(in.rest)
	in.text.Buffer(nil, mostLine)
	err := f.read(in)
	if err = cmp.Or(in.text.Err(), err); err != nil {
		place := in.path
		if in.line > 0 {
			place += fmt.Sprint(":", in.line)
		}
		return nil, fmt.Errorf("%s: %w", place, err)
	}
	for _, m := range in.all {
		m.From, m.path = f.name, f.path
	}
	return in.all, nil
}

type together struct {
	files   []file
	leftOut []string
	err     error
}

func (g *together) jobs(given Given, tables *sync.Map) []*Job {
	all, errs := make([][]*measurement, len(g.files)), make([]error, len(g.files))
	atOnce(len(g.files), func(i int) { all[i], errs[i] = g.files[i].measurements(given, tables) })
	for i, err := range errs {
		switch {
		case err == nil:
		case g.files[i].named:
			g.err = err
			return nil
		default:
			g.leftOut, all[i] = append(g.leftOut, err.Error()), nil
		}
	}
	return slices.DeleteFunc(jobs(slices.Concat(all...)), func(j *Job) bool {
		empty := len(j.runs) == 0
		if empty {
			none := &NoTest{j.Name(), j.unused, errors.New("it has no time of a collective whose blocks have a byte or more")}
			g.leftOut = append(g.leftOut, none.Error())
		}
		return empty
	})
}

func atOnce(n int, do func(int)) {
	var next atomic.Int64
	var group sync.WaitGroup
	for range min(n, runtime.GOMAXPROCS(0)) {
		group.Go(func() {
			for i := int(next.Add(1)) - 1; i < n; i = int(next.Add(1)) - 1 {
				do(i)
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
