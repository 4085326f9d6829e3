package which

import (
	"fmt"
	"strings"

	"pgmpi/analyze/chosen"
	"pgmpi/internal/conf"
	"pgmpi/internal/document"
	"pgmpi/internal/lists"
	"pgmpi/internal/phrase"
)

var kind = document.Kind[chosen.Which]{Name: "which", JSON: true, Sections: sections,
	NotJudged: func(w *chosen.Which) string { return phrase.When(len(w.Rows) == 0, "no call was asked about") },
	Rows: func(w *chosen.Which) [][]string {
		out := [][]string{{"collective", "shape", "msize", "algorithms", "by", "messages", "bytes", "why"}}
		for _, r := range w.Rows {
			out = append(out, []string{r.Collective, r.Shape, fmt.Sprint(r.Msize), strings.Join(r.Algorithms, " "), r.By, fmt.Sprint(r.Sent.Count), fmt.Sprint(r.Sent.Bytes), r.Why})
		}
		return out
	}}

func sections(w *chosen.Which) []document.Section {
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
		phrase.When(several > 0, "; %d may have one of several", several), phrase.When(none > 0, "; %d not known", none))
	table := document.Titled("Algorithms that the library takes")
	table.Table = &document.Table{Head: []string{"call", "on", "size", "algorithm"}, Align: "llll", Flex: 3}
	for i := 0; i < len(w.Rows); {
		r, j := &w.Rows[i], i+1
		for j < len(w.Rows) && w.Rows[j].Collective == r.Collective && w.Rows[j].Shape == r.Shape && w.Rows[j].Name() == r.Name() {
			j++
		}
		last := w.Rows[j-1].Msize
		sizes := phrase.When(r.Msize > 0, "%s%s", conf.HumanSize(r.Msize), phrase.When(last != r.Msize, " to %s", conf.HumanSize(last)))
		table.Table.Add(phrase.Function(r.Collective), r.Shape, sizes, r.Name())
		i = j
	}
	table.Notes = append(table.Notes, lists.Map(w.Left, func(text string) string { return "left out: " + text })...)
	return []document.Section{head, table}
}
