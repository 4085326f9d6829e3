package report

import (
	"fmt"
	"strings"

	"pgmpi/analyze"
	"pgmpi/internal/conf"
	"pgmpi/internal/document"
	"pgmpi/internal/phrase"
)

// AlgorithmChoices are the documents of `pgmpi which`.
var AlgorithmChoices = document.Kind[analyze.Which]{Name: "which", JSON: true, Sections: whichSections,
	Rows: func(w *analyze.Which) [][]string {
		out := [][]string{{"collective", "shape", "msize", "algorithms", "by", "messages", "bytes", "why"}}
		for _, r := range w.Rows {
			out = append(out, []string{r.Collective, r.Shape, fmt.Sprint(r.Msize), strings.Join(r.Algorithms, " "), r.By, fmt.Sprint(r.Sent.Count), fmt.Sprint(r.Sent.Bytes), r.Why})
		}
		return out
	}}

func whichSections(w *analyze.Which) []document.Section {
	var one, several, none int
	for _, r := range w.Rows {
		switch len(r.Algorithms) {
		case 0:
			none++
		case 1:
			one++
		default:
			several++
		}
	}
	head := document.Section{}
	rest := ""
	if several > 0 {
		rest = fmt.Sprintf("; %d may have one of several", several)
	}
	if none > 0 {
		rest += fmt.Sprintf("; %d have none of the library's own", none)
	}
	head.Say("%s: the algorithm of %d of %s is known%s.", phrase.ShortVersion(w.Library), one, conf.Plural(len(w.Rows), "call"), rest)
	table := document.Titled("ALGORITHMS THAT THE LIBRARY TAKES")
	table.Table = &document.Table{Head: []string{"collective", "on", "bytes", "algorithm"}, Align: "llll", Flex: 3}
	for i := 0; i < len(w.Rows); {
		r, j := &w.Rows[i], i+1
		for j < len(w.Rows) && w.Rows[j].Collective == r.Collective && w.Rows[j].Shape == r.Shape && w.Rows[j].Name() == r.Name() {
			j++
		}
		sizes := conf.HumanSize(r.Msize)
		if last := w.Rows[j-1].Msize; last != r.Msize {
			sizes += " to " + conf.HumanSize(last)
		}
		if r.Msize == 0 {
			sizes = ""
		}
		table.Table.Add(r.Collective, r.Shape, sizes, r.Name())
		i = j
	}
	for _, text := range w.Left {
		table.Notes = append(table.Notes, "left out: "+text)
	}
	return []document.Section{head, table}
}
