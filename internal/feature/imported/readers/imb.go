package readers

import (
	"regexp"
	"slices"
	"strings"
	"time"

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

func readIMB(in *input) error {
	t := tables{input: in, format: "imb", statistic: results.Mean}
	given := in.Shape
	return t.each(func(text string) (header bool, err error) {
		if found := imbVersion.FindStringSubmatch(text); found != nil && found[1] <= "2018" {
			t.format = "imb 2018"
		}
		if found := imbBench.FindStringSubmatch(text); found != nil {
			t.begin(found[1], collective(found[1]))
		}
		if found := imbNP.FindStringSubmatch(text); found != nil {
			if in.shape, err = shapeOf(found[1]); err != nil {
				return true, err
			}
			in.Shape = guidelines.Shape{}
			if given.NP == in.shape.NP { // a file may have many
				in.Shape = given
			}
		}
		if date, ok := strings.CutPrefix(text, "# Date"); ok {
			t.when, _ = time.Parse(time.ANSIC, strings.TrimLeft(date, " :"))
		}
		if cells := strings.Fields(text); slices.Contains(cells, "t_max[usec]") && cells[0] == "#bytes" {
			t.column = slices.Index(cells, "t_max[usec]")
		}
		return strings.HasPrefix(text, "#"), nil
	})
}
