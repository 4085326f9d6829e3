package report

import (
	"fmt"
	"slices"
	"strings"

	"pgmpi/internal/conf"
	"pgmpi/internal/document"
	"pgmpi/internal/phrase"
	"pgmpi/measure/protocol"
)

// Which has the algorithm that a library takes for each collective, shape and size.
type Which struct {
	Schema  string     `json:"schema"` // WhichSchema
	Library string     `json:"library"`
	Rows    []WhichRow `json:"rows"`
	// Left has what was not looked at, and why.
	Left []string `json:"left_out,omitempty"`
}

const WhichSchema = "pgmpi-which/1"

// WhichRow is a call of a collective.
type WhichRow struct {
	Collective string `json:"collective"`
	Shape      string `json:"shape"`
	Msize      int64  `json:"msize"` // bytes
	// Algorithms are the library's own ones that do the same; several cannot be told apart.
	Algorithms []string `json:"algorithms"`
	By         string   `json:"by"`
	Why        string   `json:"why,omitempty"` // there is none
	// Sent is what the call sends, by messages.
	Sent protocol.Messages `json:"sent,omitzero"`
}

// How an algorithm is known.
const (
	ByMessages = "messages" // sent between the same processes, of the same bytes
	ByTree     = "tree"     // the library's selection tree
)

// LeftOut notes what was not looked at.
func (w *Which) LeftOut(text string) {
	if !slices.Contains(w.Left, text) {
		w.Left = append(w.Left, text)
	}
}

// name is what a row says.
func (r *WhichRow) name() string {
	if len(r.Algorithms) == 0 {
		return r.Why
	}
	return strings.Join(r.Algorithms, " or ")
}

// AlgorithmChoices are the documents of `pgmpi which`.
var AlgorithmChoices = document.Kind[Which]{Name: "which", JSON: true, Sections: whichSections,
	Rows: func(w *Which) [][]string {
		out := [][]string{{"collective", "shape", "msize", "algorithms", "by", "messages", "bytes", "why"}}
		for _, r := range w.Rows {
			out = append(out, []string{r.Collective, r.Shape, fmt.Sprint(r.Msize), strings.Join(r.Algorithms, " "), r.By, fmt.Sprint(r.Sent.Count), fmt.Sprint(r.Sent.Bytes), r.Why})
		}
		return out
	}}

func whichSections(w *Which) []document.Section {
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
		for j < len(w.Rows) && w.Rows[j].Collective == r.Collective && w.Rows[j].Shape == r.Shape && w.Rows[j].name() == r.name() {
			j++
		}
		sizes := conf.HumanSize(r.Msize)
		if last := w.Rows[j-1].Msize; last != r.Msize {
			sizes += " to " + conf.HumanSize(last)
		}
		if r.Msize == 0 {
			sizes = ""
		}
		table.Table.Add(r.Collective, r.Shape, sizes, r.name())
		i = j
	}
	for _, text := range w.Left {
		table.Notes = append(table.Notes, "left out: "+text)
	}
	return []document.Section{head, table}
}
