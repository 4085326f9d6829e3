package report

import (
	"fmt"
	"strings"

	"pgmpi/analyze"
	"pgmpi/internal/conf"
	"pgmpi/internal/document"
	"pgmpi/internal/lists"
	"pgmpi/internal/phrase"
	"pgmpi/measure/protocol"
	"pgmpi/mockups"
)

type Algorithms struct {
	Schema      string                `json:"schema"` // algorithmsSchema
	Library     string                `json:"library"`
	Collectives []protocol.Algorithms `json:"collectives"`
}

const AlgorithmsSchema = "pgmpi-algorithms/1"

func (a *Algorithms) Count() (algorithms, collectives int) {
	for _, c := range a.Collectives {
		algorithms += len(c.Names)
		collectives += min(1, len(c.Names))
	}
	return algorithms, collectives
}

var AlgorithmLists = document.Kind[Algorithms]{Name: "algorithms", JSON: true,
	Sections: func(a *Algorithms) []document.Section {
		n, of := a.Count()
		head := document.Section{}
		if n == 0 {
			head.Say("%s does not tell any algorithm of its own (MPI_T).", phrase.ShortVersion(a.Library))
			return []document.Section{head}
		}
		head.Say("%s tells %d algorithms of its own, of %d collectives.", phrase.ShortVersion(a.Library), n, of)
		table := document.Titled("ALGORITHMS")
		table.Table = &document.Table{Head: []string{"id", "value", "of the variable"}, Align: "lrl", Flex: 2}
		for _, row := range algorithmRows(a)[1:] {
			table.Table.Add(row[2], row[3], row[4])
		}
		for _, c := range a.Collectives {
			if c.Fixed {
				table.Notes = append(table.Notes, fmt.Sprintf("%s cannot be changed while the library runs: the algorithms of %s are not available here.", c.Variable, c.Collective))
			}
			if c.Now != 0 {
				table.Notes = append(table.Notes, fmt.Sprintf("%s is forced: its value is %d now.", c.Variable, c.Now))
			}
		}
		return []document.Section{head, table}
	},
	Rows: algorithmRows,
}

func algorithmRows(a *Algorithms) [][]string {
	out := [][]string{{"collective", "algorithm", "id", "value", "variable"}}
	for _, c := range a.Collectives {
		for _, x := range c.Names {
			out = append(out, []string{c.Collective, x.Name, mockups.AlgorithmID(c.Collective, x.Name), fmt.Sprint(x.Value), c.Variable})
		}
	}
	return out
}

// AlgorithmChoices are the documents of `pgmpi which`.
var AlgorithmChoices = document.Kind[analyze.Which]{Name: "which", JSON: true, Sections: whichSections,
	NotJudged: func(w *analyze.Which) string { return phrase.When(len(w.Rows) == 0, "no call was asked about") },
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
	head.Say("%s: the algorithm of %d of %s is known%s%s.", phrase.ShortVersion(w.Library), one, conf.Plural(len(w.Rows), "call"),
		phrase.When(several > 0, "; %d may have one of several", several), phrase.When(none > 0, "; %d have none of the library's own", none))
	table := document.Titled("ALGORITHMS THAT THE LIBRARY TAKES")
	table.Table = &document.Table{Head: []string{"collective", "on", "bytes", "algorithm"}, Align: "llll", Flex: 3}
	for i := 0; i < len(w.Rows); {
		r, j := &w.Rows[i], i+1
		for j < len(w.Rows) && w.Rows[j].Collective == r.Collective && w.Rows[j].Shape == r.Shape && w.Rows[j].Name() == r.Name() {
			j++
		}
		last := w.Rows[j-1].Msize
		sizes := phrase.When(r.Msize > 0, "%s%s", conf.HumanSize(r.Msize), phrase.When(last != r.Msize, " to %s", conf.HumanSize(last)))
		table.Table.Add(r.Collective, r.Shape, sizes, r.Name())
		i = j
	}
	table.Notes = append(table.Notes, lists.Map(w.Left, func(text string) string { return "left out: " + text })...)
	return []document.Section{head, table}
}
