package readers

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"pgmpi/guidelines"
	"pgmpi/measure/protocol"
	"pgmpi/measure/results"
)

// ncclReader reads what nccl-tests write with -J FILE, out of place: the time of every iteration if the file has
// it, else their mean.
var ncclReader = reader{name: "nccl", read: readNCCL,
	sniff: func(_, head string) bool {
		return strings.HasPrefix(strings.TrimSpace(head), "{") && strings.Contains(head, `"args"`) &&
			(strings.Contains(head, `"nccl_version"`) || strings.Contains(head, `_perf"`))
	}}

// ncclPrograms maps names of programs to collectives, where these differ.
var ncclPrograms = map[string]string{"all_reduce": "Allreduce", "all_gather": "Allgather", "broadcast": "Bcast"}

// ncclFunction returns the program and its collective, or "".
func ncclFunction(path string) (program, function string) {
	program, _, _ = strings.Cut(filepath.Base(path), "_perf")
	return program, collective(cmp.Or(ncclPrograms[program], program))
}

// mostJSON exceeds a file of thousands of iterations at fifty sizes.
const mostJSON = 256 << 20

type ncclFile struct {
	Args    []string `json:"args"`
	Start   string   `json:"start_time"`
	Version int      `json:"nccl_version"`
	Config  struct {
		Threads int `json:"nthreads"`
		GPUs    int `json:"ngpus"` // of each thread
		Devices []struct {
			Host  string `json:"hostname"`
			Group int    `json:"group"`
		} `json:"devices"`
	} `json:"config"`
	Results []ncclRow `json:"results"`
}

type ncclRow struct {
	Size    int64           `json:"size"`
	Type    string          `json:"type"`
	Op      string          `json:"redop"`
	Root    json.RawMessage `json:"root"` // a text or a number
	Whole   *ncclTime       `json:"out_of_place"`
	InPlace *ncclTime       `json:"in_place"`
	Each    *struct {
		Times []float64 `json:"times_us"`
	} `json:"out_of_place_per_iter"`
}

type ncclTime struct {
	Time  *float64 `json:"time"`
	CPU   *float64 `json:"cpu_time"`
	Wrong any      `json:"nwrong"`
}

// Why a file of nccl-tests or rccl-tests has no time that counts.
var (
	errCPU     = errors.New("it has CPU times (-C 1), and no run-times")
	errCopies  = errors.New("several programs ran side by side, each by itself: build nccl-tests with MPI=1")
	errInPlace = errors.New("it has only in-place times: measure out of place, too")
)

func readNCCL(in *input) error {
	var f ncclFile
	if err := in.json(&f); err != nil {
		return err
	}
	program, function := ncclFunction(append(f.Args, "")[0])
	shape, err := f.shape()
	if err != nil {
		return err
	}
	in.shape = shape
	if shape, err = in.placed(); err != nil {
		return err
	}
	now := &ncclMeasured{in: in, format: "nccl", function: function, at: map[Setting]*measurement{},
		Setting: Setting{Shape: shape, Library: "nccl", Version: "NCCL " + strconv.Itoa(f.Version)}}
	now.when, _ = time.Parse(time.DateTime, f.Start)
	now.average = max(1, f.Config.Threads)*len(f.Config.Devices) > 1 && !slowest.MatchString(strings.Join(f.Args, " "))
	if function == "" {
		in.leaveOut(program)
		return in.none()
	}
	var why error
	for _, r := range f.Results {
		switch {
		case r.Size == 0:
		case r.Whole == nil && r.InPlace != nil:
			why = errInPlace
		case r.Whole == nil:
		case r.Whole.Time == nil && r.Whole.CPU != nil:
			why = errCPU
		case r.Whole.Time != nil:
			err = now.row(r)
		}
		if err != nil {
			return err
		}
	}
	if len(in.all) == 0 && why != nil {
		return why
	}
	return in.none()
}

func (in *input) rest() ([]byte, error) { return io.ReadAll(io.LimitReader(in.source, mostJSON)) }

// json reads all of the text.
func (in *input) json(into any) error {
	text, err := in.rest()
	if err != nil {
		return err
	}
	if err := json.Unmarshal(text, into); err != nil {
		in.line = 1 + strings.Count(string(text[:offsetOf(err, len(text))]), "\n")
		return fmt.Errorf("%w; the file may be cut off", err)
	}
	return nil
}

// ncclMeasured collects the rows of a file by datatype, operator and root: a file may have all (-d all, -o all).
type ncclMeasured struct {
	Setting
	in               *input
	format, function string
	when             time.Time
	at               map[Setting]*measurement
	average          bool // a mean is of the processes' own means
}

// slowest finds the option of nccl-tests that reports the slowest process, not the average over them.
var slowest = regexp.MustCompile(`(?:^|\s)(?:-a[ =]?|--average[ =])3(?:\s|$)`)

func (c *ncclMeasured) row(r ncclRow) error {
	if n, _ := r.Whole.Wrong.(float64); n > 0 {
		c.in.lose(c.function, r.Size, wrongData)
		return nil
	}
	times, statistic := []float64{*r.Whole.Time}, results.Mean
	if r.Each != nil && len(r.Each.Times) > 0 {
		times, statistic = r.Each.Times, results.Samples
	}
	root, _ := strconv.Atoi(strings.Trim(string(r.Root), `" `))
	return c.add(r.Type, r.Op, root, r.Size, statistic, times...)
}

// add adds times in µs. A root below 0 is none, or all in turn.
func (c *ncclMeasured) add(datatype, op string, root int, size int64, statistic results.Statistic, times ...float64) error {
	s := c.Setting
	s.kind = kind{datatype, ncclOp(op), max(0, root)}
	m := c.at[s]
	if m == nil {
		m = c.in.measured(s, results.Samples)
		m.when, m.mark, c.at[s] = c.when, c.in.mark, m
	}
	var samples []protocol.Sample
	for _, us := range times {
		sample, err := inNS(us * 1e3)
		if err != nil {
			return fmt.Errorf("size %d: %w", size, err)
		}
		samples = append(samples, sample)
	}
	if statistic == results.Mean {
		m.statistic, m.average = statistic, c.average
	}
	return m.add(c.format, c.function, size, samples...)
}

// ncclOp returns the operator, or "" where nothing is reduced.
func ncclOp(name string) string {
	if name == "none" {
		return ""
	}
	return name
}

func offsetOf(err error, end int) int {
	if e, ok := err.(*json.SyntaxError); ok {
		return min(int(e.Offset), end)
	}
	return end
}

// shape counts the ranks of one group: the file lists one device of each process, which may have more.
func (f *ncclFile) shape() (s guidelines.Shape, err error) {
	threads, gpus, devices := max(1, f.Config.Threads), max(1, f.Config.GPUs), len(f.Config.Devices)
	const most = 1 << 10 // of a process
	if threads > most || gpus > most || threads*gpus*devices > guidelines.MaxProcesses {
		return s, fmt.Errorf("%d devices, nthreads = %d and ngpus = %d are more than %d processes", devices, threads,
			gpus, guidelines.MaxProcesses)
	}
	var ranks []ncclRank
	for _, d := range f.Config.Devices {
		ranks = append(ranks, ncclRank{d.Group, d.Host})
	}
	return groupShape(ranks, threads*gpus)
}

// ncclRank is a rank of a group (NCCL_TESTS_SPLIT), or several of one process.
type ncclRank struct {
	group int
	host  string
}

// groupShape returns the shape of each of the groups, whose ranks measure side by side.
func groupShape(ranks []ncclRank, each int) (s guidelines.Shape, err error) {
	groups := map[int]map[string]int{}
	for _, r := range ranks {
		if groups[r.group] == nil {
			groups[r.group] = map[string]int{}
		}
		groups[r.group][r.host]++
	}
	for _, hosts := range groups {
		var this guidelines.Shape
		of := slices.Collect(maps.Values(hosts))
		for _, n := range of {
			this.NP += n * each
		}
		if slices.Min(of) == slices.Max(of) { // else not a shape NODESxPPN
			this.Nodes, this.PPN = len(of), of[0]*each
		}
		switch {
		case s.NP == 0:
			s = this
		case s.NP != this.NP:
			return s, fmt.Errorf("groups of %d and of %d ranks measured side by side: their times are not told apart", s.NP, this.NP)
		case s != this:
			s.Nodes, s.PPN = 0, 0
		}
	}
	return s, nil
}
