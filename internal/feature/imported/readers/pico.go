package readers

import (
	"bytes"
	"encoding/csv"
	"errors"
	"fmt"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"pgmpi/guidelines"
	"pgmpi/internal/phrase"
	"pgmpi/internal/regular"
	"pgmpi/measure/protocol"
	"pgmpi/measure/results"
	"pgmpi/mockups"
)

// picoReader reads a results folder of PICO (github.com/HLC-Lab/pico):
//
//	MACHINE_metadata.csv                       which collective, library, nodes each TIME and ID has
//	MACHINE/TIME/ID/COUNT_ALGORITHM_TYPE.csv   a column "highest": ns of the slowest rank
//
// All files of a TIME and a setting are one mpirun. Of algorithms default_* is the library's choice, NAME_ompi and
// NAME_mpich are its own, and all others are PICO's.
var picoReader = reader{name: "pico", read: readPICO,
	sniff: func(path, head string) bool {
		head, _, _ = strings.Cut(head, "\n")
		return picoName.MatchString(filepath.Base(path)) && picoColumn(head) >= 0
	},
	folder: func(path string) string { return filepath.Dir(filepath.Dir(path)) }}

var (
	picoName  = regexp.MustCompile(`^(\d{1,15})_(.+)_(int8|int16|int32|int64|int|float|double|char)\.csv$`)
	picoBytes = map[string]int64{"int8": 1, "char": 1, "int16": 2, "int32": 4, "int": 4, "float": 4, "int64": 8,
		"double": 8}
)

func picoColumn(head string) int {
	names := strings.Split(strings.TrimSpace(head), ",")
	return max(slices.Index(names, "highest"), slices.Index(names, "max"))
}

func readPICO(in *input) error {
	name := picoName.FindStringSubmatch(filepath.Base(in.path))
	if name == nil {
		return errors.New("the name of the file is not COUNT_ALGORITHM_TYPE.csv")
	}
	id := filepath.Dir(in.path)
	began := filepath.Base(filepath.Dir(id))
	row, err := in.picoRow(filepath.Dir(filepath.Dir(id)), began, filepath.Base(id))
	if err != nil {
		return err
	}
	m := in.measured(Setting{Machine: row["machine"], Job: picoJob(began, row),
		Version: strings.TrimSpace(row["mpi_lib"] + " " + row["mpi_lib_version"]), kind: kind{Datatype: name[3]}}, results.Samples)
	m.element, m.run = picoBytes[name[3]], began
	m.when, _ = time.Parse("2006_01_02___15_04_05", began)
	if m.Shape, err = picoShape(row["nnodes"], row["tasks_per_node"]); err != nil {
		return err
	}
	of := collective(row["collective_type"])
	if of == "" {
		m.leaveOut(row["collective_type"])
		return nil
	}
	function := picoFunction(of, name[2])
	if _, ok := mockups.Get(function); !ok {
		m.leaveOut(name[2])
		return nil
	}
	samples, err := in.picoSamples()
	if err != nil {
		return err
	}
	count, _ := whole(name[1])
	return m.add("pico", function, count*m.element, samples...)
}

func picoJob(time string, row map[string]string) string {
	gpu := phrase.When(row["gpu_awareness"] == "yes", "gpu")
	return strings.Join(strings.Fields(time+" "+row["notes"]+" "+gpu), " ")
}

// picoShape reads a number of nodes, on some machines as a torus such as 2x2x2.
func picoShape(nodes, tasks string) (s guidelines.Shape, err error) {
	s.Nodes = 1
	for _, side := range strings.Split(nodes, "x") {
		n, _ := strconv.Atoi(side)
		if n < 1 || n > guidelines.MaxProcesses/s.Nodes {
			return s, fmt.Errorf("nnodes = %.40q is no number of nodes", nodes)
		}
		s.Nodes *= n
	}
	if s.PPN, _ = strconv.Atoi(tasks); s.PPN < 1 || s.PPN > guidelines.MaxProcesses/s.Nodes {
		return s, fmt.Errorf("tasks_per_node = %.40q is no number of processes", tasks)
	}
	s.NP = s.Nodes * s.PPN
	return s, nil
}

func picoFunction(of, algorithm string) string {
	if strings.HasPrefix(algorithm, "default_") || algorithm == "default-default" {
		return of
	}
	for _, own := range []func(string) (string, bool){
		func(s string) (string, bool) { return strings.CutSuffix(s, "_ompi") },
		func(s string) (string, bool) { return strings.CutSuffix(s, "_mpich") },
		func(s string) (string, bool) { return strings.CutPrefix(s, "default-") }, // Fujitsu MPI
	} {
		if name, ok := own(algorithm); ok {
			return mockups.AlgorithmID(of, name)
		}
	}
	return strings.ToLower(strings.TrimPrefix(of, "MPI_")) + "_as_" + algorithm
}

const picoMetadata = "_metadata.csv"

// mostMetadata exceeds the metadata of thousands of jobs.
const mostMetadata = 64 << 20

func (in *input) picoRow(machine, time, id string) (map[string]string, error) {
	path := machine + picoMetadata
	tests, err := in.picoTests(path)
	if err != nil {
		return nil, err
	}
	row, ok := tests[[2]string{time, id}]
	if !ok {
		return nil, fmt.Errorf("%s has no row for test %s of %s", path, id, time)
	}
	return row, nil
}

// picoTable holds a machine's tests by timestamp and test_id, each by the names of its columns.
type picoTable map[[2]string]map[string]string

func (in *input) picoTests(path string) (picoTable, error) {
	if known, ok := in.tables.Load(path); ok {
		return known.(picoTable), nil
	}
	text, err := regular.Read(path, mostMetadata)
	if err != nil {
		return nil, fmt.Errorf("PICO's table of tests: %w", err)
	}
	rows, err := csv.NewReader(bytes.NewReader(text)).ReadAll()
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	tests := picoTable{}
	for _, cells := range rows {
		row := map[string]string{"machine": strings.TrimSuffix(filepath.Base(path), picoMetadata)}
		for i, name := range rows[0] {
			row[name] = strings.TrimPrefix(strings.TrimSpace(cells[i]), "null")
		}
		tests[[2]string{row["timestamp"], row["test_id"]}] = row
	}
	in.tables.Store(path, tests)
	return tests, nil
}

func (in *input) picoSamples() (samples []protocol.Sample, err error) {
	var column int
	for {
		more, err := in.next()
		if err != nil {
			return nil, err
		}
		if !more {
			break
		}
		if in.line == 1 {
			if column = picoColumn(in.text); column < 0 {
				return nil, errors.New("no column is called highest or max")
			}
			continue
		}
		cell := in.text
		if strings.HasPrefix(cell, "Average runtime:") { // some machines write it as a last line
			continue
		}
		for range column {
			_, cell, _ = strings.Cut(cell, ",")
		}
		cell, _, _ = strings.Cut(cell, ",")
		if cell = strings.TrimSpace(cell); !isNumber(cell) {
			return nil, fmt.Errorf("%.40q is no time; the file may be cut off", cell)
		}
		s, err := inNS(number(cell))
		if err != nil {
			return nil, err
		}
		samples = append(samples, s)
	}
	if len(samples) == 0 {
		return nil, errors.New("it holds no time")
	}
	return samples, nil
}
