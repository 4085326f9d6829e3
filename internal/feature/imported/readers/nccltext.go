package readers

import (
	"cmp"
	"errors"
	"fmt"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"pgmpi/internal/phrase"
	"pgmpi/measure/results"
)

// ncclTextReader reads what nccl-tests and rccl-tests print, out of place:
//
//	# Collective test starting: all_reduce_perf
//	#  Rank  0 Group  0 Pid    798 on         n1 device  0 [0000:0f:00] GPU
//	#       size         count      type   redop    root     time   algbw   busbw  #wrong     time   algbw   busbw  #wrong
//	        1024           256     float     sum      -1    20.00    0.05    0.09       0    22.00    0.05    0.09     N/A
//
// Older ones do not print which collective it is; then a line of the script that names the program, or the file's
// name, tells it.
var ncclTextReader = reader{name: "nccl-text", also: []string{"nccl", "rccl"}, read: readNCCLText,
	sniff: func(_, head string) bool { return ncclHeader.MatchString(head) }}

var (
	ncclHeader  = regexp.MustCompile(`(?m)^(?:# *)?(?:size|bytes) +(?:count|N) +type\b.*\b(?:cpu)?time +algbw`)
	ncclRanks   = regexp.MustCompile(`^# *Rank +(\d+)(?: +Group +(\d+))? +Pid +(\d+) on +(\S+) +device`)
	ncclThreads = regexp.MustCompile(`^# nThread +(\d+)`)
	ncclProgram = regexp.MustCompile(`\b(all_reduce|all_gather|broadcast|reduce_scatter|reduce|gather|scatter|alltoallv|alltoall|sendrecv|hypercube)_perf\b`)
	ncclVersion = regexp.MustCompile(`\b([NR]CCL) version *:? *v?([0-9][0-9.]*)|nccl-library=(\d+)`)
	ncclBounds  = regexp.MustCompile(`^# Out of bounds values *: *(\d+) *FAILED`)
)

// ncclTable is the state of a text of nccl-tests.
type ncclTable struct {
	*input
	program  string
	ranks    []ncclRank
	seen     map[string]bool // ranks of a group, and processes
	several  bool            // processes, or threads of one
	copies   bool            // several programs ran side by side, each by itself
	slowest  bool            // -a 3
	unlisted bool            // a list of ranks was cut
	version  string
	above    string // the line above the header: "out-of-place in-place"
	header   []string
	function string // of the table below the header
	counts   bool   // its times do
	rows     *ncclMeasured
	why      error
	since    int // measurements before this test
}

func readNCCLText(in *input) error {
	t := ncclTable{input: in, program: programIn(filepath.Base(in.path)), seen: map[string]bool{}}
	for {
		more, err := in.next()
		if err != nil {
			return err
		}
		if !more {
			break
		}
		if err := t.line(in.text); err != nil {
			return err
		}
	}
	if len(in.all) == 0 && t.why != nil {
		return t.why
	}
	return in.none()
}

func programIn(text string) string {
	if found := ncclProgram.FindAllString(text, -1); len(found) > 0 {
		return found[len(found)-1]
	}
	return ""
}

func (t *ncclTable) line(text string) error {
	if strings.Contains(text, "_perf") {
		t.program = cmp.Or(programIn(text), t.program)
		if !strings.HasPrefix(text, "#") { // a command
			t.slowest = slowest.MatchString(text)
		}
	}
	if strings.Contains(text, "ersion") || strings.Contains(text, "nccl-library") { // most lines need no search
		if found := ncclVersion.FindStringSubmatch(text); found != nil {
			t.version = cmp.Or(phrase.When(found[3] != "", "NCCL %s", found[3]), strings.TrimSpace(found[1]+" "+found[2]))
		}
	}
	switch {
	case ncclHeader.MatchString(text):
		t.begin(strings.Fields(strings.TrimSuffix(strings.TrimLeft(text, "# "), " timestamp")))
	case strings.HasPrefix(text, "# nThread"), strings.HasPrefix(text, "# Using devices"):
		t.ranks, t.unlisted, t.copies, t.rows, t.seen = nil, false, false, nil, map[string]bool{}
		if found := ncclThreads.FindStringSubmatch(text); found != nil {
			t.several = found[1] != "1"
		}
	case ncclRanks.MatchString(text):
		t.rank(ncclRanks.FindStringSubmatch(text))
		t.unlisted = t.unlisted || strings.HasSuffix(text, "...")
	case ncclBounds.MatchString(text) && !slices.Contains(t.header, "#wrong"):
		t.all = t.all[:t.since] // some row is wrong, and none tells which
		t.why = fmt.Errorf("%s values out of bounds, and no row tells which", ncclBounds.FindStringSubmatch(text)[1])
	case strings.HasPrefix(text, "#"):
		t.above = text
	case text != "":
		return t.row(text, strings.Fields(text))
	}
	return nil
}

// rank adds a line of the list of ranks. A rank that is there twice is of another program.
func (t *ncclTable) rank(found []string) {
	group, _ := strconv.Atoi(found[2])
	rank, process := "rank "+found[1]+" of "+found[2], found[3]+" on "+found[4]
	t.copies = t.copies || t.seen[rank]
	t.several = t.several || len(t.ranks) > 0 && !t.seen[process]
	t.seen[rank], t.seen[process] = true, true
	t.ranks = append(t.ranks, ncclRank{group, found[4]})
}

// begin begins a table below its header. An in-place time alone is no time of the collective that guidelines are about.
func (t *ncclTable) begin(header []string) {
	t.header, t.rows, t.since, t.counts = header, nil, len(t.all), false
	_, t.function = ncclFunction(t.program)
	switch {
	case slices.Contains(header, "cputime"):
		t.why = errCPU
	case strings.Contains(t.above, "in-place") && !strings.Contains(t.above, "out-of-place"):
		t.why = errInPlace
	case t.copies:
		t.why = errCopies
	case t.program == "":
		t.why = errors.New("the text does not say which collective was measured: name the file after its program, such as all_reduce_perf-1.txt")
	case t.function == "":
		t.leaveOut(t.program)
	default:
		t.counts = true
	}
}

// row reads a row. Columns up to root may be blank, so the others are counted from the right. A time stamp (-T) may
// be at its end.
func (t *ncclTable) row(text string, cells []string) error {
	stamp := cells[max(0, len(cells)-2):]
	if _, err := time.Parse(time.DateTime, strings.Join(stamp, " ")); err == nil {
		cells = cells[:len(cells)-2]
	}
	blank := len(t.header) - len(cells)
	first := slices.IndexFunc(t.header, func(name string) bool { return strings.HasSuffix(name, "time") })
	if blank < 0 || blank > first-3 {
		t.skip(text)
		return nil
	}
	names, numbers := cells[2:first-blank], cells[first-blank:]
	size, isSize := whole(cells[0])
	_, isCount := whole(cells[1])
	if !isSize || !isCount || isNumber(names[0]) ||
		slices.ContainsFunc(numbers, func(cell string) bool { return !isNumber(cell) }) {
		t.skip(text)
		return nil
	}
	if !t.counts || size == 0 {
		return nil
	}
	if i := slices.Index(t.header, "#wrong"); i >= 0 && isWrong(cells[i-blank]) {
		t.lose(t.function, size, wrongData)
		return nil
	}
	us := number(numbers[0])
	if !(us > 0) {
		t.lose(t.function, size, noTime)
		return nil
	}
	if err := t.ready(); err != nil {
		return err
	}
	var op string
	var root int
	for _, name := range names[1:] {
		if n, err := strconv.Atoi(name); err == nil {
			root = n
		} else {
			op = name
		}
	}
	return t.rows.add(names[0], op, root, size, results.Mean, us)
}

func (t *ncclTable) ready() (err error) {
	if t.rows != nil {
		return nil
	}
	if t.unlisted {
		t.ranks = nil
	}
	if t.input.shape, err = groupShape(t.ranks, 1); err != nil {
		return err
	}
	t.rows = &ncclMeasured{in: t.input, format: "nccl", function: t.function, at: map[Setting]*measurement{}}
	library, _, _ := strings.Cut(strings.ToLower(t.version), " ")
	t.rows.Library, t.rows.Version = library, t.version
	t.rows.average = t.several && !t.slowest
	t.rows.Shape, err = t.placed()
	return err
}
