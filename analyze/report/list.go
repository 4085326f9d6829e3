package report

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"pgmpi/guidelines"
	"pgmpi/internal/conf/glfile"
	"pgmpi/internal/document"
	"pgmpi/internal/phrase"
	"pgmpi/mockups"
)

// Lists shows what can be measured and checked. It shows the guidelines of a gl.toml if it has a
// name.
var Lists = document.Kind[glfile.File]{Name: "list", Sections: func(f *glfile.File) []document.Section {
	out := []document.Section{listGuidelines()}
	if f.Name != "" {
		out = append(out, listUsers(f))
	}
	if len(f.Mockup) > 0 {
		out = append(out, listOwn(f))
	}
	collectives := document.Titled("COLLECTIVES")
	collectives.Lines(mockups.Collectives()...)
	messages := document.Titled("MESSAGES, between ranks 0 and 1")
	messages.Table = &document.Table{Head: []string{"id", "what it does"}, Align: "ll", Flex: 1}
	for _, f := range slices.Concat(mockups.All(), mockups.Variants()) {
		if f.Message && !f.Identity {
			messages.Table.Add(f.ID, f.What)
		}
	}
	types := document.Titled("DATATYPES AND OPERATORS")
	types.Table = &document.Table{Head: []string{"datatype", "operators", "auto"}, Align: "lll"}
	for _, d := range mockups.Datatypes() {
		types.Table.Add(d.Name, strings.Join(d.Ops, " "), d.Auto)
	}
	return append(out, collectives, listCalls(), messages, listMockups(), types)
}}

func listGuidelines() document.Section {
	s := document.Titled("GUIDELINES")
	s.Table = &document.Table{Head: []string{"id", "formula", ""}, Align: "lll", Flex: 1}
	for _, e := range guidelines.Catalogue() {
		g := e.Guidelines()
		if e.Group != "" {
			s.Table.Add(e.ID, e.Formula, fmt.Sprintf("%s: off by default", e.Group))
			continue
		}
		if len(g) > 1 {
			formula := guidelines.Guideline{ID: e.ID, Type: g[0].Type, Function: "MPI_A"}.Formula()
			s.Table.Add(e.ID, formula, fmt.Sprintf("for each of the %d collectives A (%s)", len(g), g[0].Type))
			continue
		}
		note := phrase.When(e.Also != "" || e.Extended, "extended%s: off by default", phrase.When(e.Also != "", ", %s", e.Also))
		s.Table.Add(e.ID, g[0].Formula(), note)
	}
	return s
}

func listCalls() document.Section {
	usual := []string{"MPI_Alltoall", "MPI_Gatherv", "MPI_Bcast", "MPI_Reduce"} // the last that has the call
	s := document.Titled("OTHER WAYS TO CALL A COLLECTIVE, each by an example")
	s.Table = &document.Table{Head: []string{"id", "what it does", "collectives"}, Align: "llr", Flex: 1}
	count, example := map[mockups.Call]int{}, map[mockups.Call]mockups.Function{}
	for _, f := range mockups.Variants() {
		if f.Message {
			continue
		}
		if count[f.Call]++; count[f.Call] == 1 || slices.Index(usual, f.Of) > slices.Index(usual, example[f.Call].Of) {
			example[f.Call] = f
		}
	}
	alike := []mockups.Rule{"", mockups.Equal, mockups.Linear} // for what goes by every rule
	for _, c := range mockups.Calls {
		if f := example[c]; f.ID != "" && slices.Contains(alike, f.Rule) || c == mockups.Call(f.Rule) {
			s.Table.Add(f.ID, f.What, fmt.Sprint(count[c]))
		}
	}
	s.Note("Where linear stands, the other rules for counts may: %s.", phrase.Join(", ", "%s", mockups.Unequal[1:]))
	return s
}

// listMockups shows the mock-ups, and those that are the collectives themselves
// in one row.
func listMockups() document.Section {
	s := document.Titled("MOCK-UPS")
	s.Table = &document.Table{Head: []string{"id", "what it does"}, Align: "ll", Flex: 1}
	for _, f := range mockups.All() {
		if f.IsMockup() && !f.Identity {
			s.Table.Add(f.ID, f.What)
		}
	}
	s.Table.Add(mockups.IdentityOf("MPI_A"),
		fmt.Sprintf("MPI_A itself by its PMPI_ name, for Send, Sendrecv and %d collectives: for A/A tests in a [[guideline]]", len(mockups.Identities())))
	return s
}

func listUsers(f *glfile.File) document.Section {
	s := document.Titled("GUIDELINES OF %s", f.Name)
	if len(f.Guideline) == 0 {
		s.Say("none: it has no [[guideline]]")
		return s
	}
	s.Table = &document.Table{Head: []string{"id", "formula", "type", "sizes"}, Align: "llll", Flex: 1}
	for _, u := range f.Guideline {
		g := u.Guideline()
		sizes := cmp.Or(phrase.When(!guidelines.HasSize(g.Function), "no size"), strings.Join(u.Msizes, ", "), "job.msizes")
		s.Table.Add(g.ID, g.Formula(), string(g.Type), sizes)
	}
	return s
}

// listOwn shows the mock-ups of a gl.toml. Only their file knows what they do, and a list does not
// load it.
func listOwn(f *glfile.File) document.Section {
	s := document.Titled("MOCK-UPS OF %s", f.Name)
	s.Table = &document.Table{Head: []string{"id", "of", "file"}, Align: "lll", Flex: 2}
	for _, m := range f.Mockup {
		for _, id := range m.IDs {
			own, _ := mockups.Get(id)
			s.Table.Add(id, own.Of, m.File)
		}
	}
	return s
}
