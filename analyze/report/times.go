package report

import (
	"encoding/csv"
	"io"
	"strconv"

	"pgmpi/analyze"
)

// TimesFormats are the formats of run-times.
var TimesFormats = []FormatOf[analyze.Times]{
	{"table", "times.txt", writeTimesTable},
	{"json", "times.json", func(w io.Writer, t *analyze.Times) error { return indentedJSON(w, t) }},
	{"csv", "times.csv", writeTimesCSV},
}

// timesColumns are the names of times.json. New columns go to the end.
var timesColumns = []string{"function", "msize", "shape", "np", "r", "min_s", "q1_s", "median_s", "q3_s", "max_s", "reason"}

func writeTimesCSV(w io.Writer, t *analyze.Times) error {
	rows := [][]string{timesColumns}
	for _, k := range t.Cases {
		rows = append(rows, []string{k.Function, strconv.FormatInt(k.Msize, 10), k.Shape, strconv.Itoa(k.NP), strconv.Itoa(k.R),
			csvNumber(k.MinS), csvNumber(k.Q1S), csvNumber(k.MedianS), csvNumber(k.Q3S), csvNumber(k.MaxS), k.Reason})
	}
	return csv.NewWriter(w).WriteAll(rows)
}

// writeTimesTable writes a table for every function and number of processes.
func writeTimesTable(w io.Writer, t *analyze.Times) error {
	p := &page{}
	p.fact("Folder", "%s: %s; R = %d mpiruns; %s", t.Folder.Folder, shortVersion(t.Folder.Library.Version), t.Folder.R, t.Folder.Created)
	p.fact("Design", "datatype %s, op %s, root %d", t.Datatype, t.Op, t.Root)
	p.fact("Sizes", "%s", t.MsizeLegend)
	p.fact("Times", "of the run medians of all mpiruns: the smallest, quartiles and the largest")
	for i := 0; i < len(t.Cases); {
		first := t.Cases[i]
		g := grid{head: []string{"msize", "R", "min", "Q1", "median", "Q3", "max", ""}, align: "rrrrrrrl", flex: 7, gap: 2}
		for ; i < len(t.Cases) && t.Cases[i].Function == first.Function && t.Cases[i].Shape == first.Shape; i++ {
			k := t.Cases[i]
			g.rows = append(g.rows, []string{size(k.Msize), strconv.Itoa(k.R), duration(k.MinS), duration(k.Q1S), duration(k.MedianS),
				duration(k.Q3S), duration(k.MaxS), k.Reason})
		}
		p.title("%s, %s", functionName(first.Function), first.Shape)
		p.grid(g)
	}
	if p.err != nil {
		return p.err
	}
	_, err := w.Write(p.out.Bytes())
	return err
}
