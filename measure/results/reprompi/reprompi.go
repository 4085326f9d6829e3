package reprompi

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"pgmpi/internal/conf"
	"pgmpi/internal/regular"
	"pgmpi/measure/protocol"
)

// File is one output file of ReproMPI's mpibenchmark, that is, one mpirun.
//
// The format is what print_results_header, print_runtimes and
// print_measurement_results write, in src/reprompi_bench/output_management of
// github.com/hunsa/reprompi-dev (305f6df) and hunsa/reprompi-deprecated: lines
// "#@key=value", a line that names the columns, one row per repetition, or with
// -v one per repetition and process:
//
//	[process] test nrep count|msize_bytes|msize [errorcode] runtime_sec
//	[process] test nrep count|msize_bytes|msize [errorcode] loc_tstart_sec loc_tend_sec [gl_tstart_sec gl_tend_sec]
type File struct {
	Path       string
	Properties map[string]string // of the "#@" lines
	Cases      []Case            // as measured
	Ended      bool              // it has the "# Execution time" line that mpibenchmark prints at its end
	np         int
}

type Case struct {
	Test    string // as ReproMPI calls it
	Msize   int64  // bytes
	Samples []protocol.Sample
}

// Read reads one file. An error about its format names file and line.
func Read(path string) (*File, error) {
	f, err := regular.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return parse(path, f)
}

func parse(path string, in io.Reader) (*File, error) {
	p := parser{out: File{Path: path, Properties: map[string]string{}}, at: map[caseKey]int{}}
	lines := bufio.NewScanner(in)
	lines.Buffer(nil, 1<<20)
	number := 0
	for lines.Scan() {
		number++
		if err := p.line(lines.Text()); err != nil {
			return nil, fmt.Errorf("%s:%d: %w", path, number, err)
		}
	}
	if err := lines.Err(); err != nil {
		return nil, fmt.Errorf("%s:%d: %w", path, number+1, err)
	}
	if err := p.finish(); err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return &p.out, nil
}

type caseKey struct {
	test  string
	count int64
}

// repetition collects the rows of all processes, in ns.
type repetition struct {
	processes  int
	longest    int64 // over processes, by their own clocks
	start, end int64 // earliest and latest, by the global clock
	flags      int
}

type parser struct {
	out     File
	columns []string
	global  bool            // the run-time lies between the global times
	extent  int64           // bytes of one in the column of sizes
	at      map[caseKey]int // index into out.Cases
	reps    [][]repetition  // by case
}

func (p *parser) line(text string) error {
	text = strings.TrimSpace(text)
	switch {
	case text == "":
		return nil
	case text[0] == '#':
		if key, value, ok := strings.Cut(text, "="); ok && p.columns == nil && strings.HasPrefix(key, "#@") {
			p.out.Properties[key[len("#@"):]] = value
		}
		p.out.Ended = p.out.Ended || strings.HasPrefix(text, "# Execution time")
		return nil
	case p.columns == nil:
		return p.header(strings.Fields(text))
	}
	return p.row(strings.Fields(text))
}

func (p *parser) header(names []string) error {
	if !slices.Contains(names, "test") {
		return fmt.Errorf("expected the line with the columns of ReproMPI (test nrep count runtime_sec), got %.60q", strings.Join(names, " "))
	}
	if slices.Contains(names, "total_nrep") {
		return errors.New("this is a summary, which has no samples: run mpibenchmark without --summary, or give the file of its --output-file")
	}
	known := []string{"process", "test", "nrep", "count", "msize", "msize_bytes", "errorcode", "runtime_sec",
		"loc_tstart_sec", "loc_tend_sec", "gl_tstart_sec", "gl_tend_sec"}
	for i, name := range names {
		if !slices.Contains(known, name) || slices.Contains(names[:i], name) {
			return fmt.Errorf("column %q is not one of ReproMPI's, or there twice", name)
		}
	}
	has := func(name string) bool { return slices.Contains(names, name) }
	sizes := slices.DeleteFunc([]string{"count", "msize", "msize_bytes"}, func(name string) bool { return !has(name) })
	p.global = has("gl_tstart_sec") && has("gl_tend_sec")
	if !has("nrep") || len(sizes) != 1 || has("process") == has("runtime_sec") || has("process") && !(has("loc_tstart_sec") && has("loc_tend_sec")) {
		return fmt.Errorf("the columns %q are not ReproMPI's: test nrep count runtime_sec, or with -v process test nrep count loc_tstart_sec loc_tend_sec",
			strings.Join(names, " "))
	}
	p.columns = names
	var err error
	if p.out.np, err = strconv.Atoi(p.out.Properties["nprocs"]); err != nil || p.out.np < 1 {
		return fmt.Errorf("no line #@nprocs=N before the columns (%q): the number of processes is not known", p.out.Properties["nprocs"])
	}
	p.extent = 1
	if !has("count") {
		return nil
	}
	text := p.out.Properties["datatype_extent_bytes"]
	if p.extent, err = strconv.ParseInt(text, 10, 64); err != nil || p.extent < 1 || p.extent > 1<<20 {
		return fmt.Errorf("the sizes are counts, and there is no line #@datatype_extent_bytes=N before the columns (%q)", text)
	}
	return nil
}

func (p *parser) row(cells []string) error {
	if slices.Contains(cells, "test") {
		return errors.New("a second line with columns: the file holds more than one mpirun; split it, one mpirun a file")
	}
	if len(cells) != len(p.columns) {
		return fmt.Errorf("%d columns, the head has %d; the file may be cut off", len(cells), len(p.columns))
	}
	var test string
	v := map[string]int64{}
	for i, name := range p.columns {
		var err error
		switch {
		case name == "test":
			test = cells[i]
		case strings.HasSuffix(name, "_sec"):
			v[name], err = nanoseconds(cells[i])
		default:
			v[name], err = strconv.ParseInt(cells[i], 10, 64)
		}
		if err != nil {
			return fmt.Errorf("%s: %.40q is no number", name, cells[i])
		}
	}
	count := v["count"] + v["msize"] + v["msize_bytes"] // one of them
	if count < 0 || count > 1<<50/p.extent {
		return fmt.Errorf("%d is no size", count)
	}
	return p.add(caseKey{test, count}, v)
}

// add adds a row to its repetition. Rows of a case come in the order of repetitions, with -v
// of one process after the other.
func (p *parser) add(key caseKey, v map[string]int64) error {
	i, ok := p.at[key]
	if !ok {
		i = len(p.out.Cases)
		p.at[key] = i
		p.out.Cases = append(p.out.Cases, Case{Test: key.test, Msize: key.count * p.extent})
		p.reps = append(p.reps, nil)
	}
	rep, process := v["nrep"], v["process"]
	if process == 0 && rep == int64(len(p.reps[i])) {
		p.reps[i] = append(p.reps[i], repetition{})
	}
	if rep < 0 || rep >= int64(len(p.reps[i])) || int64(p.reps[i][rep].processes) != process {
		return fmt.Errorf("repetition %d of %s at %d (process %d) is out of order, or there twice", rep, key.test, key.count, process)
	}
	r := &p.reps[i][rep]
	took := v["runtime_sec"]
	if _, each := v["process"]; each {
		took = v["loc_tend_sec"] - v["loc_tstart_sec"]
	}
	if v["errorcode"] != 0 {
		r.flags |= protocol.FlagLate // out of sync, in whatever way
	} else if took <= 0 {
		return fmt.Errorf("repetition %d of %s took %d ns; a run-time is positive", rep, key.test, took)
	}
	if r.processes == 0 {
		r.longest, r.start, r.end = took, v["gl_tstart_sec"], v["gl_tend_sec"]
	}
	r.processes++
	r.longest, r.start, r.end = max(r.longest, took), min(r.start, v["gl_tstart_sec"]), max(r.end, v["gl_tend_sec"])
	return nil
}

// finish turns the repetitions into samples (S-REVISITED, Algorithm 1).
func (p *parser) finish() error {
	if len(p.out.Cases) == 0 {
		return errors.New("it holds no measurement: expected ReproMPI's columns (test nrep count runtime_sec) and rows")
	}
	rows := 1
	if slices.Contains(p.columns, "process") {
		rows = p.out.np
	}
	for i := range p.out.Cases {
		c := &p.out.Cases[i]
		for n, r := range p.reps[i] {
			if r.processes != rows {
				return fmt.Errorf("repetition %d of %s at %s has the rows of %d of %d processes; the file may be cut off", n, c.Test, conf.HumanSize(c.Msize), r.processes, rows)
			}
			s := protocol.Sample{NS: r.longest, Flags: r.flags}
			if p.global {
				s.NS = r.end - r.start
			}
			if s.NS <= 0 && s.Flags == 0 {
				return fmt.Errorf("repetition %d of %s at %s took %d ns; a run-time is positive", n, c.Test, conf.HumanSize(c.Msize), s.NS)
			}
			c.Samples = append(c.Samples, s)
		}
	}
	return nil
}

// nanoseconds reads decimal seconds and rounds them; a float64 would lose the last
// digits of a clock that counts from 1970.
func nanoseconds(text string) (int64, error) {
	digits, negative := strings.CutPrefix(text, "-")
	whole, part, _ := strings.Cut(digits, ".")
	part += "0000000000"
	sec, err1 := strconv.ParseUint(whole, 10, 33)
	tenths, err2 := strconv.ParseUint(part[:10], 10, 64)
	_, err3 := strconv.ParseUint(part[10:]+"0", 10, 64)
	if err := errors.Join(err1, err2, err3); err != nil {
		return 0, err
	}
	ns := int64(sec)*1e9 + int64(tenths+5)/10
	if negative {
		ns = -ns
	}
	return ns, nil
}
