package readers

import (
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"path/filepath"
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
		return strings.HasPrefix(strings.TrimSpace(head), "{") && strings.Contains(head, `"nccl_version"`)
	}}

// ncclPrograms maps names of programs to collectives, where these differ.
var ncclPrograms = map[string]string{"all_reduce": "Allreduce", "all_gather": "Allgather", "broadcast": "Bcast"}

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
			Host string `json:"hostname"`
		} `json:"devices"`
	} `json:"config"`
	Results []struct {
		Size  int64  `json:"size"`
		Type  string `json:"type"`
		Op    string `json:"redop"`
		Whole *struct {
			Time  float64 `json:"time"`
			Wrong any     `json:"nwrong"`
		} `json:"out_of_place"`
		Each *struct {
			Times []float64 `json:"times_us"`
		} `json:"out_of_place_per_iter"`
	} `json:"results"`
}

func readNCCL(in *input) error {
	text, err := io.ReadAll(io.LimitReader(in.rest, mostJSON))
	if err != nil {
		return err
	}
	var f ncclFile
	if err := json.Unmarshal(text, &f); err != nil {
		in.line = 1 + strings.Count(string(text[:offsetOf(err, len(text))]), "\n")
		return fmt.Errorf("%w; the file may be cut off", err)
	}
	program, _, _ := strings.Cut(filepath.Base(append(f.Args, "")[0]), "_perf")
	function := collective(cmp.Or(ncclPrograms[program], program))
	if in.shape, err = f.shape(); err != nil {
		return err
	}
	shape, err := in.placed()
	if err != nil {
		return err
	}
	setting := Setting{Shape: shape, Library: "nccl", Version: "NCCL " + strconv.Itoa(f.Version)}
	when, _ := time.Parse(time.DateTime, f.Start)
	if function == "" {
		in.measured(setting, results.Samples).leaveOut(program)
		return nil
	}
	at := map[Setting]*measurement{} // by type and operator: a file may have all (-d all, -o all)
	for _, r := range f.Results {
		if r.Whole == nil || r.Size == 0 {
			continue
		}
		setting.Datatype, setting.Op = r.Type, ncclOp(r.Op)
		m := at[setting]
		if m == nil {
			m = in.measured(setting, results.Samples)
			m.when, at[setting] = when, m
		}
		var samples []protocol.Sample
		times := []float64{r.Whole.Time}
		if r.Each != nil && len(r.Each.Times) > 0 {
			times = r.Each.Times
		} else {
			m.statistic = results.Mean
		}
		for _, us := range times {
			s, err := inNS(us * 1e3)
			if err != nil {
				return fmt.Errorf("size %d: %w", r.Size, err)
			}
			samples = append(samples, s)
		}
		if n, _ := r.Whole.Wrong.(float64); n > 0 {
			m.notes = append(m.notes, fmt.Sprintf("%s: %s at size %d gave wrong data, and is left out", in.path,
				function, r.Size))
			continue
		}
		if err := m.add("nccl", function, r.Size, samples...); err != nil {
			return err
		}
	}
	return nil
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

// shape counts the ranks: the file lists one device of each process, which may have more.
func (f *ncclFile) shape() (s guidelines.Shape, err error) {
	hosts := map[string]int{}
	for _, d := range f.Config.Devices {
		hosts[d.Host]++
	}
	const most = 1 << 10 // of a process
	threads, gpus, devices := max(1, f.Config.Threads), max(1, f.Config.GPUs), len(f.Config.Devices)
	if threads > most || gpus > most || threads*gpus*devices > guidelines.MaxProcesses {
		return s, fmt.Errorf("%d devices, nthreads = %d and ngpus = %d are more than %d processes", devices, threads,
			gpus, guidelines.MaxProcesses)
	}
	s.NP = threads * gpus * devices
	for _, n := range hosts {
		if n*len(hosts) != len(f.Config.Devices) { // not a shape NODESxPPN
			return s, nil
		}
	}
	if len(hosts) > 0 {
		s.Nodes, s.PPN = len(hosts), s.NP/len(hosts)
	}
	return s, nil
}
