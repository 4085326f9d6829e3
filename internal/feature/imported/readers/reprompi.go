package readers

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"pgmpi/guidelines"
	"pgmpi/internal/conf"
	"pgmpi/measure/protocol"
	"pgmpi/measure/results"
	"pgmpi/mockups"
)

// reproReader reads what ReproMPI's mpibenchmark prints in one mpirun. The format is what
// print_results_header, print_runtimes and print_measurement_results write, in
// src/reprompi_bench/output_management of github.com/hunsa/reprompi-dev (305f6df) and
// hunsa/reprompi-deprecated: lines "#@key=value", a line that names the columns, one row per
// repetition, or with -v one per repetition and process:
//
//	[process] test nrep count|msize_bytes|msize [errorcode] runtime_sec
//	[process] test nrep count|msize_bytes|msize [errorcode] loc_tstart_sec loc_tend_sec [gl_tstart_sec gl_tend_sec]
var reproReader = reader{name: "reprompi", read: readRepro,
	sniff: func(_, head string) bool { return strings.Contains(head, "#@nprocs=") }}

// reproMockup finds our mock-up by the name of ReproMPI's (collective_ops/collectives.c). Its names tell the calls
// as ours do: GL_Bcast_as_ScatterAllgather. No guideline is about its ping-pongs and barriers.
func reproMockup(name string) string {
	marks := strings.NewReplacer("_", "", "+", "")
	plain := func(name string) string { return strings.ToLower(marks.Replace(name)) }
	theirs := plain(name)
	for _, f := range mockups.All() {
		if f.IsMockup() && "gl"+plain(f.ID) == theirs {
			return f.ID
		}
	}
	return ""
}

func readRepro(in *input) error {
	p := parser{properties: map[string]string{}, at: map[caseKey]int{}}
	for {
		more, err := in.next()
		if err != nil {
			return err
		}
		if !more {
			break
		}
		if known, err := p.line(in.text); err != nil {
			return err
		} else if !known {
			in.skip(in.text)
		}
	}
	m := in.measured(Setting{Shape: p.shape, kind: kind{Datatype: p.properties["datatype"], Op: p.properties["operation"]},
		Version: "not named in ReproMPI's output; measured by ReproMPI " +
			cmp.Or(p.properties["reproMPIcommitSHA1"], "unknown")}, results.Samples)
	m.run = in.path
	err := p.finish(m)
	if err != nil {
		return err
	}
	if text, ok := p.properties["root_proc"]; ok {
		if m.Root, err = strconv.Atoi(text); err != nil || m.Root < 0 || m.Root >= m.Shape.NP {
			return fmt.Errorf("#@root_proc=%.40q is no rank of %d processes", text, m.Shape.NP)
		}
	}
	if !p.ended {
		m.notes = append(m.notes, in.path+" lacks the line \"# Execution time\": mpibenchmark may not have come to its end")
	}
	return nil
}

type caseKey struct {
	test  string
	count int64
}

// repetition collects the rows of all processes, in ns.
type repetition struct {
	processes  int
	longest    int64 // over the processes, by their own clocks
	start, end int64 // earliest and latest, by the global clock
	flags      int
}

type parser struct {
	properties map[string]string // of the "#@" lines
	keys       []caseKey         // as measured
	shape      guidelines.Shape
	ended      bool // the line that mpibenchmark prints at its end is there
	columns    []string
	global     bool            // the run-time lies between the global times
	extent     int64           // bytes of an element in the column of sizes
	at         map[caseKey]int // index into keys
	reps       [][]repetition  // by case
}

// line reads a line. known is false for lines that mpibenchmark has not written.
func (p *parser) line(text string) (known bool, err error) {
	cells := strings.Fields(text)
	switch {
	case text == "":
		return true, nil
	case text[0] == '#':
		if key, value, ok := strings.Cut(text, "="); ok && p.columns == nil && strings.HasPrefix(key, "#@") {
			p.properties[key[len("#@"):]] = value
		}
		p.ended = p.ended || strings.HasPrefix(text, "# Execution time")
		return true, nil
	case isReproHeader(cells) && p.columns == nil:
		return true, p.header(cells)
	case isReproHeader(cells):
		return true, errors.New("a second line with columns: the file holds more than one mpirun; split it, one mpirun a file")
	case !p.isRow(cells):
		return false, nil
	}
	return true, p.row(cells)
}

func isReproHeader(cells []string) bool {
	return slices.Contains(cells, "test") && slices.ContainsFunc(cells, func(c string) bool {
		return c != "test" && slices.Contains(reproColumns, c)
	})
}

// isRow tells whether cells are a row, or a damaged one: they name a test, or have all numbers.
func (p *parser) isRow(cells []string) bool {
	at := slices.Index(p.columns, "test")
	if at < 0 || at >= len(cells) {
		return false
	}
	if name := cells[at]; strings.HasPrefix(name, "MPI_") || strings.HasPrefix(name, "GL_") {
		return true
	}
	return len(cells) == len(p.columns) && !slices.ContainsFunc(slices.Delete(slices.Clone(cells), at, at+1),
		func(cell string) bool { return !isNumber(cell) })
}

var reproColumns = []string{"process", "test", "nrep", "count", "msize", "msize_bytes", "errorcode", "runtime_sec",
	"loc_tstart_sec", "loc_tend_sec", "gl_tstart_sec", "gl_tend_sec", "total_nrep"}

func (p *parser) header(names []string) error {
	if slices.Contains(names, "total_nrep") {
		return errors.New("this is a summary, which has no samples: run mpibenchmark without --summary, or give the file of its --output-file")
	}
	for i, name := range names {
		if !slices.Contains(reproColumns, name) || slices.Contains(names[:i], name) {
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
	text, ok := p.properties["nprocs"]
	if !ok {
		return errors.New("no line #@nprocs=N before the columns: the number of processes is not known")
	}
	if p.shape, err = shapeOf(text); err != nil {
		return fmt.Errorf("#@nprocs: %w", err)
	}
	p.extent = 1
	if !has("count") {
		return nil
	}
	text = p.properties["datatype_extent_bytes"]
	if p.extent, _ = whole(text); p.extent < 1 || p.extent > 1<<20 {
		return fmt.Errorf("the sizes are counts, and there is no line #@datatype_extent_bytes=N before the columns (%q)", text)
	}
	return nil
}

func (p *parser) row(cells []string) error {
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
	count := v["count"] + v["msize"] + v["msize_bytes"] // only one of them is there
	if count < 0 || count > 1<<50/p.extent {
		return fmt.Errorf("%d is no size", count)
	}
	return p.add(caseKey{test, count}, v)
}

// add adds a row to its repetition. Rows of a case come in the order of repetitions; with -v they come one process
// after the other.
func (p *parser) add(key caseKey, v map[string]int64) error {
	i, ok := p.at[key]
	if !ok {
		i = len(p.keys)
		p.at[key] = i
		p.keys = append(p.keys, key)
		p.reps = append(p.reps, nil)
	}
	rep, process := v["nrep"], v["process"]
	if rep == int64(len(p.reps[i])) {
		p.reps[i] = append(p.reps[i], repetition{})
	}
	if rep < 0 || rep >= int64(len(p.reps[i])) || int64(p.reps[i][rep].processes) != process {
		return fmt.Errorf("repetition %d of %s at %d (process %d) is out of order, or there twice", rep, key.test,
			key.count, process)
	}
	r := &p.reps[i][rep]
	took := v["runtime_sec"]
	if _, each := v["process"]; each {
		took = v["loc_tend_sec"] - v["loc_tstart_sec"]
	}
	if v["errorcode"] != 0 {
		r.flags |= protocol.FlagLate // out of sync, whatever the reason
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
func (p *parser) finish(m *measurement) error {
	if len(p.keys) == 0 {
		return errors.New("it holds no measurement: expected ReproMPI's columns (test nrep count runtime_sec) and rows")
	}
	rows := 1
	if slices.Contains(p.columns, "process") {
		rows = p.shape.NP
	}
	for i, key := range p.keys {
		var samples []protocol.Sample
		msize := key.count * p.extent
		for n, r := range p.reps[i] {
			if r.processes != rows {
				return fmt.Errorf("repetition %d of %s at %s has the rows of %d of %d processes; the file may be cut off", n, key.test, conf.HumanSize(msize), r.processes, rows)
			}
			s := protocol.Sample{NS: r.longest, Flags: r.flags}
			if p.global {
				s.NS = r.end - r.start
			}
			if s.NS <= 0 && s.Flags == 0 {
				return fmt.Errorf("repetition %d of %s at %s took %d ns; a run-time is positive", n, key.test,
					conf.HumanSize(msize), s.NS)
			}
			samples = append(samples, s)
		}
		function := collective(key.test)
		if function == "" {
			function = reproMockup(key.test)
		}
		if function == "" || msize == 0 {
			m.leaveOut(key.test)
			continue
		}
		if err := m.add("reprompi", function, msize, samples...); err != nil {
			return err
		}
	}
	return nil
}

// nanoseconds reads decimal seconds and rounds them. A float64 would lose the last digits of a clock that counts
// from 1970.
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
