package report

import (
	"fmt"

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

// Unknown lists the collectives whose algorithms the library tells in a way that is not understood.
func (a *Algorithms) Unknown() []string {
	return lists.Map(lists.Keep(a.Collectives, protocol.Algorithms.Unknown), func(c protocol.Algorithms) string { return c.Collective })
}

// without lists the collectives that no known variable chooses for.
func (a *Algorithms) without() []string {
	none := lists.Keep(a.Collectives, func(c protocol.Algorithms) bool { return c.Variable == "" })
	return lists.Map(none, func(c protocol.Algorithms) string { return c.Collective })
}

// NotKnown says that the algorithms of collectives are there, and not known.
func NotKnown(collectives []string) string {
	return "Not known for this version of the library: its own algorithms of " + phrase.List(", ", collectives...) + "."
}

// None says why a list has no algorithm.
func (a *Algorithms) None() string {
	if unknown := a.Unknown(); len(unknown) > 0 {
		return phrase.ShortVersion(a.Library) + ": " + NotKnown(unknown)
	}
	return phrase.ShortVersion(a.Library) + " does not tell any algorithm of its own (MPI_T)."
}

var AlgorithmLists = document.Kind[Algorithms]{Name: "algorithms", JSON: true,
	Sections: func(a *Algorithms) []document.Section {
		n, of := a.Count()
		head := document.Section{}
		if n == 0 {
			head.Say("%s", a.None())
			return []document.Section{head}
		}
		head.Say("%s tells %d algorithms of its own, of %d collectives.", phrase.ShortVersion(a.Library), n, of)
		if unknown := a.Unknown(); len(unknown) > 0 {
			head.Say("%s", NotKnown(unknown))
		}
		if without := a.without(); len(without) > 0 {
			head.Say("No variable is known by which to choose among the algorithms of %s.", phrase.List(", ", without...))
		}
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
