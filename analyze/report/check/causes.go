package check

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"pgmpi/analyze"
	"pgmpi/analyze/judge"
	"pgmpi/guidelines"
	"pgmpi/internal/conf"
	"pgmpi/internal/document"
	"pgmpi/internal/lists"
	"pgmpi/internal/phrase"
	"pgmpi/mockups"
)

// Caused holds the tests of a report whose causes are asked for.
type Caused struct {
	Report *analyze.Report
	Folder string // as a word of a command line
	Tests  []*analyze.Verdict
}

// Causes groups tests by what probably makes their calls slow, each group with the command that mends or proves it.
var Causes = document.Kind[Caused]{Name: "causes", Sections: causeSections}

// cause is a row of the table of causes. The first that applies to a test counts.
type cause struct {
	name string
	is   func(r *analyze.Report, v *analyze.Verdict) bool
	text string
	mend string // label of the command that tries to, or ""
}

var causes = []cause{
	{"gone when the calls take turns", func(_ *analyze.Report, v *analyze.Verdict) bool { return v.Standing == analyze.GoneInTurns },
		"The call keeps its guideline where both sides take turns call by call. Repeated in a row, it finds its own buffers in the cache, as few programs do.", ""},
	{"page faults, with one state of malloc", func(_ *analyze.Report, v *analyze.Verdict) bool {
		return v.Standing == analyze.OneMalloc
	}, "The call keeps its guideline in the other state of malloc. Fresh malloc returns memory to the kernel after each call, and each page faults again; settled malloc keeps it.",
		"Mend it"},
	{"page faults", func(_ *analyze.Report, v *analyze.Verdict) bool {
		return v.PageFaults != nil && v.OtherPageFaults != nil && *v.PageFaults >= *v.OtherPageFaults*float64(max(v.K, 1))+1
	}, "The call meets more page faults than what it is compared with.", "Mend it"},
	{"the clock", func(_ *analyze.Report, v *analyze.Verdict) bool {
		return strings.Contains(v.Reason, "steps of the clock")
	},
		"The difference is two steps of the clock.", ""},
	{"the library's choice of algorithm", func(_ *analyze.Report, v *analyze.Verdict) bool { return mockups.Algorithm(v.Mockup) != "" },
		"Another algorithm of the library's own is faster there.", "Mend it"},
	{"the library's choice of algorithm at a size", func(r *analyze.Report, v *analyze.Verdict) bool {
		here, there := r.Which.Of(v.Function, v.Shape, v.Msize).Default(), r.Which.Of(v.Function, v.Shape, v.MsizeOther).Default()
		return v.Type != guidelines.Pattern && here != "" && there != "" && here != there
	}, "The library takes one algorithm at this size and another at the size that it is compared with.", "Mend it"},
	{"a switch of algorithm, segment or limit with the size", func(_ *analyze.Report, v *analyze.Verdict) bool { return v.Type != guidelines.Pattern },
		"The call is slower than itself at another size, so what the library does at that size would be better at this one.", "Mend it"},
	{"not known", func(*analyze.Report, *analyze.Verdict) bool { return true },
		"The library does this call in another, slower way than what is called instead.", "What may mend it"},
}

func causeSections(c *Caused) []document.Section {
	violated := 0
	groups := make([][]*analyze.Verdict, len(causes))
	var others document.Section
	for _, v := range c.Tests {
		if v.Verdict != judge.Violated {
			others.Item("%s on %s: %s%s.", document.Whole(v.Guideline+" "+phrase.Plain(v.Cell().Call())+" "+phrase.Size(v.Msize)), v.Shape, phrase.Words(v.Verdict),
				phrase.When(v.Ratio != nil, ", %s", effect(v.Effect)))
			continue
		}
		violated++
		i := slices.IndexFunc(causes, func(of cause) bool { return of.is(c.Report, v) })
		groups[i] = append(groups[i], v)
	}
	var counts []string
	var out []document.Section
	for i, tests := range groups {
		if len(tests) == 0 {
			continue
		}
		of := &causes[i]
		counts = append(counts, fmt.Sprintf("%s %d", of.name, len(tests)))
		s := document.Titled("%s: %s", phrase.Capital(of.name), conf.Plural(len(tests), "test"))
		s.Say("%s", of.text)
		s.Table = causeTable(c.Report, tests)
		if of.mend != "" && c.Folder != "" {
			s.Note("%s: pgmpi remedy %s", of.mend, c.Folder)
		}
		out = append(out, s)
	}
	var head document.Section
	head.Say("%s violated%s.", conf.Plural(violated, "test"), phrase.When(violated > 0, ", by cause: %s", strings.Join(counts, "; ")))
	chosen := slices.ContainsFunc(slices.Concat(groups...), func(v *analyze.Verdict) bool {
		f, _ := mockups.Get(v.Function)
		return !f.Message // messages have no algorithms
	})
	if chosen && c.Report.Which == nil && c.Report.Imported == nil && c.Folder != "" {
		head.Say("Which algorithms the library takes is not known yet: `pgmpi which %s` adds them.", c.Folder)
	}
	if len(others.Text) > 0 {
		others.Title = fmt.Sprintf("Not violated: %d", len(others.Text))
		out = append(out, others)
	}
	return append([]document.Section{head}, out...)
}

// causeTable has a row for each call and what it is compared with.
func causeTable(r *analyze.Report, tests []*analyze.Verdict) *document.Table {
	t := &document.Table{Head: []string{"call", "sizes", "worst", "slower [95 %]", "instead [guideline]", "takes now"}, Align: "lrrlll", Flex: 4, Spare: []int{5}}
	name := func(v *analyze.Verdict) string {
		return phrase.Plain(v.Cell().Call()) + phrase.When(len(r.Shapes) > 1, ", %s", v.Shape)
	}
	for _, of := range analyze.Grouped(tests, func(v *analyze.Verdict) string { return strings.Join([]string{v.Guideline, name(v), v.Mockup}, " ") }) {
		slices.SortStableFunc(of, func(a, b *analyze.Verdict) int { return cmp.Compare(a.Msize, b.Msize) })
		worst := slices.MaxFunc(of, func(a, b *analyze.Verdict) int { return cmp.Compare(lost(a), lost(b)) })
		sizes := lists.Map(of, func(v *analyze.Verdict) int64 { return v.Msize })
		least, most := slices.Min(sizes), slices.Max(sizes)
		t.Add(name(worst), phrase.When(least < most, "%s – ", phrase.Size(least))+phrase.Size(most)+phrase.When(len(of) > 1, " (%d)", len(of)), phrase.Size(worst.Msize),
			effect(worst.Effect), instance(worst)+" ["+worst.Guideline+"]", r.Which.Of(worst.Function, worst.Shape, worst.Msize).Default())
	}
	if !slices.ContainsFunc(t.Rows, func(row []string) bool { return row[5] != "" }) {
		t.Drop(5)
	}
	return t
}
