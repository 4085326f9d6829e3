package readers

import (
	"encoding/csv"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"regexp"
	"strconv"
	"strings"

	"pgmpi/guidelines"
	"pgmpi/measure/results"
)

// rcclReader reads what rccl-tests write with -Z json or -Z csv -x FILE, out of place:
//
//	[{"numCycle":0, "name":"AllReduce", "nodes":1, "ranks":2, "ranksPerNode":2, "gpusPerRank":1, "size":8,
//	  "type":"float", "redop":"sum", "inPlace":0, "time":11.0, "algBw":0.1, "busBw":0.1, "wrong":"0"}]
var rcclReader = reader{name: "rccl", read: readRCCL, sniff: func(_, head string) bool { return rcclMark.MatchString(head) }}

var rcclMark = regexp.MustCompile(`(?i)\bnumCycle\b[^\n]*\bbusBw\b|"numCycle"\s*:`)

// rcclNames maps names of rccl-tests to collectives.
var rcclNames = map[string]string{"allreduce": "Allreduce", "allgather": "Allgather", "broadcast": "Bcast", "reduce": "Reduce",
	"reducescatter": "Reduce_scatter", "gather": "Gather", "scatter": "Scatter", "alltoall": "Alltoall"}

func readRCCL(in *input) error {
	text, err := in.rest()
	if err != nil {
		return err
	}
	var rows []map[string]string
	if trimmed := strings.TrimSpace(string(text)); strings.HasPrefix(trimmed, "[") || strings.HasPrefix(trimmed, "{") {
		rows, err = rcclJSON(trimmed)
	} else {
		rows, err = rcclCSV(trimmed)
	}
	if err != nil {
		return err
	}
	files, inPlace := map[string]*ncclMeasured{}, false
	for _, row := range rows {
		if row["inplace"] == "1" || row["inplace"] == "true" {
			inPlace = true
			continue
		}
		if err := in.rcclRow(row, files); err != nil {
			return err
		}
	}
	if len(in.all)+len(in.lost)+len(in.unused) == 0 && inPlace {
		return errInPlace
	}
	return in.none()
}

// rcclJSON reads a list of records, or one record after the other.
func rcclJSON(text string) (rows []map[string]string, err error) {
	var records []map[string]any
	if strings.HasPrefix(text, "[") {
		err = json.Unmarshal([]byte(text), &records)
	}
	for d := json.NewDecoder(strings.NewReader(text)); err == nil && strings.HasPrefix(text, "{"); {
		var one map[string]any
		if err = d.Decode(&one); err == nil {
			records = append(records, one)
		}
	}
	if err != nil && err != io.EOF {
		return nil, fmt.Errorf("%w; the file may be cut off", err)
	}
	for _, record := range records {
		row := map[string]string{}
		for key, value := range record {
			row[strings.ToLower(key)] = strings.TrimSpace(fmt.Sprint(value))
			if x, ok := value.(float64); ok {
				row[strings.ToLower(key)] = strconv.FormatFloat(x, 'f', -1, 64)
			}
		}
		rows = append(rows, row)
	}
	return rows, nil
}

func rcclCSV(text string) (rows []map[string]string, err error) {
	r := csv.NewReader(strings.NewReader(text))
	r.FieldsPerRecord, r.TrimLeadingSpace = -1, true
	all, err := r.ReadAll()
	if err != nil {
		return nil, err
	}
	var names []string
	for _, cells := range all {
		row := map[string]string{}
		for i, cell := range cells {
			if cell = strings.TrimSpace(cell); i < len(names) {
				row[names[i]] = cell
			}
		}
		if first := strings.ToLower(strings.TrimLeft(cells[0], "# ")); first == "numcycle" { // of each test one
			names = nil
			for _, cell := range cells {
				names = append(names, strings.ToLower(strings.Trim(cell, "# ")))
			}
		} else if names != nil && len(cells) >= len(names) {
			rows = append(rows, row)
		}
	}
	return rows, nil
}

func (in *input) rcclRow(row map[string]string, files map[string]*ncclMeasured) error {
	name := row["name"] + row["collective"]
	function := collective(rcclNames[strings.ToLower(strings.NewReplacer("_", "", " ", "").Replace(name))])
	size, isSize := whole(row["size"])
	us := number(row["time"])
	switch {
	case function == "":
		in.leaveOut(name)
		return nil
	case !isSize || !isNumber(row["time"]):
		return fmt.Errorf("size %.20q, time %.20q: both are numbers", row["size"], row["time"])
	case size == 0:
		return nil
	case !(us > 0):
		in.lose(function, size, noTime)
		return nil
	}
	if isWrong(row["wrong"]) {
		in.lose(function, size, wrongData)
		return nil
	}
	key := function + row["nodes"] + " " + row["ranks"] + " " + row["gpusperrank"]
	if files[key] == nil {
		var err error
		if in.shape, err = rcclShape(function, row); err != nil {
			return err
		}
		shape, err := in.placed()
		if err != nil {
			return err
		}
		files[key] = &ncclMeasured{in: in, format: "nccl", function: function, at: map[Setting]*measurement{},
			Setting: Setting{Shape: shape, Library: "rccl"}, average: shape.NP > 1}
	}
	return files[key].add(row["type"], row["redop"], 0, size, results.Mean, us)
}

// rcclShape returns the shape. Whether "ranks" are processes of several GPUs or GPUs is told by the bandwidth of the
// bus: the algorithm's times a factor of p.
func rcclShape(function string, row map[string]string) (s guidelines.Shape, err error) {
	processes := func(name string) int {
		its, err := shapeOf(row[name])
		if err != nil {
			return 0
		}
		return its.NP
	}
	ranks, gpus, nodes := processes("ranks"), max(1, processes("gpusperrank")), processes("nodes")
	if ranks == 0 || ranks > guidelines.MaxProcesses/gpus {
		return s, fmt.Errorf("%.20q ranks of %.20q GPUs are no number of processes", row["ranks"], row["gpusperrank"])
	}
	s.NP = ranks
	if gpus > 1 {
		algorithm, bus := number(row["algbw"]), number(row["busbw"])
		off := func(p int) float64 { return math.Abs(bus/algorithm - busFactor(function, p)) }
		if !(algorithm > 0 && bus > 0) || busFactor(function, ranks) == busFactor(function, ranks*gpus) {
			return s, fmt.Errorf("it has %d ranks of %d GPUs, and does not tell the number of processes: give --np", ranks, gpus)
		}
		if off(ranks*gpus) < off(ranks) {
			s.NP = ranks * gpus
		}
	}
	if nodes > 0 && s.NP%nodes == 0 {
		s.Nodes, s.PPN = nodes, s.NP/nodes
	}
	return s, nil
}

// busFactor is what nccl-tests multiply the algorithm's bandwidth with.
func busFactor(function string, p int) float64 {
	switch function {
	case "MPI_Allreduce":
		return 2 * float64(p-1) / float64(p)
	case "MPI_Allgather", "MPI_Reduce_scatter", "MPI_Alltoall", "MPI_Gather", "MPI_Scatter":
		return float64(p-1) / float64(p)
	}
	return 1
}
