package readers

import (
	"regexp"
	"slices"
	"strings"
	"time"

	"pgmpi/guidelines"
	"pgmpi/measure/results"
	"pgmpi/mockups"
)

// skampiReader reads the results of SKaMPI-5. A row has the names and values of its loops, the size in bytes, the
// mean of the slowest process in µs, its standard error, the number of repetitions and, if asked for, a time of each
// process:
//
//	# begin result "MPI_Allreduce-length"
//	count= 1        4      10.0       0.1       16       9.0      10.0
//	# end result "MPI_Allreduce-length"
var skampiReader = reader{name: "skampi", read: readSKaMPI, sniff: func(_, head string) bool { return skampiMark.MatchString(head) }}

var (
	skampiMark  = regexp.MustCompile(`(?m)^# *SKaMPI Version 5|^#? *begin result "`)
	skampiBegin = regexp.MustCompile(`^#? *begin result "(?:MPI_)?([^"-]*)`)
	skampiEnd   = regexp.MustCompile(`^#? *end result "`)
	skampiType  = regexp.MustCompile(`^#> *datatype *= *(MPI_\w+)`)
	skampiLoop  = regexp.MustCompile(`^([A-Za-z]\w*)= *(\S+)\s+`)
)

func readSKaMPI(in *input) error {
	t := tables{input: in, format: "skampi"}
	return t.each(func(text string) (header bool, _ error) {
		if found := skampiBegin.FindStringSubmatch(text); found != nil {
			t.begin(found[1], skampiFunction(found[1]))
			t.header = &columns{n: 4, time: 1, statistic: results.Mean}
			return true, nil
		}
		if skampiEnd.MatchString(text) {
			t.begin("", "")
			return true, nil
		}
		if found := skampiType.FindStringSubmatch(text); found != nil {
			t.now.Datatype = found[1]
		}
		if date, ok := strings.CutPrefix(text, "# Started at "); ok {
			t.when, _ = time.Parse(time.ANSIC, date)
		}
		if strings.HasPrefix(text, "#") {
			return true, nil
		}
		in.text = t.loops(text)
		return false, nil
	})
}

// loops takes the loops from a row, and what comes after the repetitions. One over processes says how many there
// were.
func (t *tables) loops(text string) string {
	given, row := t.shape, text
	for found := skampiLoop.FindStringSubmatch(row); found != nil; found = skampiLoop.FindStringSubmatch(row) {
		if slices.Contains([]string{"procs", "nodes", "num_procs", "np"}, found[1]) {
			shape, err := shapeOf(found[2])
			if err != nil {
				return text
			}
			if shape != given {
				t.m = nil
			}
			t.shape, t.Shape = shape, guidelines.Shape{}
		}
		row = row[len(found[0]):]
	}
	cells := strings.Fields(row)
	if row == text || len(cells) < 4 || slices.ContainsFunc(cells, func(c string) bool { return !isNumber(c) }) {
		return text
	}
	if _, ok := whole(cells[3]); !ok {
		return text
	}
	return strings.Join(cells[:4], " ")
}

// skampiFunction returns the function of a title: MPI_Allreduce, or Allreduce_using_Reduce_Bcast, which is a mock-up.
func skampiFunction(title string) string {
	of, calls, _ := strings.Cut(title, "_using_")
	mockup := strings.ToLower(of) + "_as_" + strings.ToLower(strings.ReplaceAll(calls, "_", "+"))
	if f, ok := mockups.Get(mockup); ok && !f.User { // its calls are known
		return mockup
	}
	return collective(title)
}
