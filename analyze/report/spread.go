package report

import (
	"encoding/csv"
	"fmt"
	"io"
	"strconv"
	"strings"

	"pgmpi/analyze"
)

// Spreads are the formats of the reproducibility view.
var Spreads = []FormatOf[analyze.Spread]{
	{"table", "reproduce.txt", writeSpreadTable},
	{"json", "reproduce.json", func(w io.Writer, s *analyze.Spread) error { return indentedJSON(w, s) }},
	{"csv", "reproduce.csv", writeSpreadCSV},
}

// spreadColumns are one row per case and folder, as plotting programs like it.
var spreadColumns = []string{"function", "msize", "shape", "np", "folder", "normalised", "median_s", "min", "max", "max_over_min", "cv"}

func writeSpreadCSV(w io.Writer, s *analyze.Spread) error {
	rows := [][]string{spreadColumns}
	for _, k := range s.Cases {
		for i, x := range k.Normalised {
			rows = append(rows, []string{k.Function, strconv.FormatInt(k.Msize, 10), k.Shape, strconv.Itoa(k.NP), s.Folders[i].Folder,
				csvNumber(&x), csvNumber(&k.MedianS), csvNumber(&k.Min), csvNumber(&k.Max), csvNumber(&k.MaxOverMin), csvNumber(&k.CV)})
		}
	}
	return csv.NewWriter(w).WriteAll(rows)
}

func writeSpreadTable(w io.Writer, s *analyze.Spread) error {
	p := &page{}
	for i, f := range s.Folders {
		p.fact(fmt.Sprint(i+1), "%s: %s; R = %d mpiruns; %s", f.Folder, shortVersion(f.Library.Version), f.R, f.Created)
	}
	p.fact("Sizes", "%s", s.MsizeLegend)
	p.spreadCases(s)
	g := grid{head: []string{"function", "shape", "sizes", "largest max/min", "at", "median CV"}, align: "llrrrr", gap: 2}
	for _, f := range s.Functions {
		g.rows = append(g.rows, []string{functionName(f.Function), f.Shape, fmt.Sprint(f.Sizes), digits(f.MaxOverMin), size(f.WorstMsize), percent(f.CV)})
	}
	p.title("Functions")
	p.grid(g)
	if len(s.Warnings) > 0 {
		p.title("Remarks")
	}
	for _, warning := range s.Warnings {
		p.say("- %s", withRemedy(warning))
	}
	if p.err != nil {
		return p.err
	}
	_, err := w.Write(p.out.Bytes())
	return err
}

// spreadCases shows up to six folders one by one.
func (p *page) spreadCases(s *analyze.Spread) {
	const most = 6
	p.title("Run-times over the median of all folders (normalised), and their spread")
	g := grid{head: []string{"function", "shape", "msize", "median"}, align: "llrr", gap: 2}
	for i := range s.Folders {
		if len(s.Folders) <= most {
			g.head, g.align = append(g.head, fmt.Sprint(i+1)), g.align+"r"
		}
	}
	g.head, g.align = append(g.head, "min", "max", "max/min", "CV"), g.align+"rrrr"
	for _, k := range s.Cases {
		row := []string{functionName(k.Function), k.Shape, size(k.Msize), duration(&k.MedianS)}
		if len(s.Folders) <= most {
			for _, x := range k.Normalised {
				row = append(row, digits(x))
			}
		}
		g.rows = append(g.rows, append(row, digits(k.Min), digits(k.Max), digits(k.MaxOverMin), percent(k.CV)))
	}
	p.grid(g)
}

// percent writes a share: "1.5 %".
func percent(x float64) string {
	return strings.TrimSuffix(strconv.FormatFloat(100*x, 'f', 1, 64), ".0") + " %"
}
