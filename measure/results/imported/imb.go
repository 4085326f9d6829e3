package imported

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"pgmpi/guidelines"
	"pgmpi/measure/results"
)

// imbReader reads the tables of IMB-MPI1, of any numbers of processes:
//
//	# Benchmarking Bcast
//	# #processes = 2
//	# ( 2 additional processes waiting in MPI_Barrier)
//	#---------------------------------------------------
//	       #bytes #repetitions  t_min[usec]  t_max[usec]  t_avg[usec]
//	            1         1000         0.29         0.31         0.30
//
// t_max counts: the mean over the repetitions of the process that took longest.
var imbReader = reader{name: "imb", read: readIMB,
	sniff: func(_, head string) bool {
		return strings.Contains(head, "MPI Benchmarks") && strings.Contains(head, "#")
	}}

var (
	imbBench   = regexp.MustCompile(`^# Benchmarking (\S+)`)
	imbNP      = regexp.MustCompile(`^# #processes = (\d+)`)
	imbVersion = regexp.MustCompile(`MPI Benchmarks (\d{4})`)
)

func readIMB(in *input) ([]*measurement, error) {
	var all []*measurement
	var m *measurement
	format, bench, function, column := "imb", "", "", -1
	given := in.Shape
	for in.next() {
		text := strings.TrimSpace(in.text.Text())
		cells := strings.Fields(text)
		switch {
		case imbVersion.MatchString(text):
			if imbVersion.FindStringSubmatch(text)[1] <= "2018" {
				format = "imb 2018"
			}
		case imbBench.MatchString(text):
			bench = imbBench.FindStringSubmatch(text)[1]
			function, column, m = collective(bench), -1, nil
		case imbNP.MatchString(text):
			np, _ := strconv.Atoi(imbNP.FindStringSubmatch(text)[1])
			in.shape = guidelines.Shape{NP: np}
			if given.NP != np { // one file has many
				in.Shape = guidelines.Shape{}
			} else {
				in.Shape = given
			}
		case slices.Contains(cells, "t_max[usec]") && cells[0] == "#bytes":
			column = slices.Index(cells, "t_max[usec]")
		case text == "", text[0] == '#', bench == "":
		case function == "" || column < 0:
			if len(all) > 0 {
				all[len(all)-1].leaveOut(bench)
			}
		default:
			if m == nil {
				shape, err := in.placed()
				if err != nil {
					return nil, err
				}
				m = &measurement{Setting: Setting{Shape: shape}, statistic: results.Mean}
				all = append(all, m)
			}
			if err := m.imbRow(format, function, cells, column); err != nil {
				return nil, in.err("%w", err)
			}
		}
	}
	if len(all) == 0 && in.end() == nil {
		return nil, in.err("there is no time of a collective")
	}
	return all, in.end()
}

func (m *measurement) imbRow(format, function string, cells []string, column int) error {
	if column >= len(cells) {
		return errShort(len(cells), column+1)
	}
	size, err := strconv.ParseInt(cells[0], 10, 64)
	if err != nil {
		return errSize(cells[0])
	}
	if size == 0 { // it times an empty call
		return nil
	}
	s, err := microseconds(cells[column])
	if err != nil {
		return err
	}
	return m.add(format, function, size, s)
}

func errShort(has, wants int) error {
	return fmt.Errorf("%d columns, at least %d are wanted; the file may be cut off", has, wants)
}

func errSize(text string) error { return fmt.Errorf("%.40q is no size", text) }
