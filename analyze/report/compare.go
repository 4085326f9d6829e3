package report

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"pgmpi/analyze"
	"pgmpi/internal/conf"
	"pgmpi/internal/remark"
)

// Comparisons are of two results folders.
var Comparisons = Kind[analyze.Comparison]{Name: "compare", Sections: compareSections, Rows: compareRows, JSON: true}

// compareColumns are the names of compare.json. New columns go to the end.
var compareColumns = []string{"function", "msize", "shape", "np", "a_median_s", "b_median_s", "a_r", "b_r",
	"ratio", "ratio_lo", "ratio_hi", "p_value", "p_adjusted", "stars", "change", "reason"}

func compareRows(c *analyze.Comparison) [][]string {
	out := [][]string{compareColumns}
	for _, k := range c.Cases {
		out = append(out, row(k.Function, k.Msize, k.Shape, k.NP, k.AMedianS, k.BMedianS, k.AR, k.BR,
			k.Ratio, k.RatioLo, k.RatioHi, k.PValue, k.PAdjusted, k.Stars, k.Change, k.Reason))
	}
	return out
}

func compareSections(c *analyze.Comparison) []Section {
	return slices.Concat(compareHead(c), compareCases(c), compareMeans(c), compareGuidelines(c), warnings(c.Warnings))
}

// warnings lists remarks on a comparison; their place is in their text.
func warnings(list []remark.Remark) []Section {
	if len(list) == 0 {
		return nil
	}
	s := Titled("Remarks")
	for _, w := range list {
		s.Item("%s%s", w.Text, when(w.Remedy != "", "; %s", w.Remedy))
	}
	return []Section{s}
}

// folderFact names a results folder.
func (s *Section) folderFact(name string, f analyze.ComparedFolder) {
	s.Fact(name, "%s: %s; R = %d mpiruns; %s", f.Folder, ShortVersion(f.Library.Version), f.R, f.Created)
}

func compareHead(c *analyze.Comparison) []Section {
	var s Section
	s.folderFact("A", c.A)
	s.folderFact("B", c.B)
	var differences []string
	shown, more := first(c.Differences, 12, "and %d more factors, see compare.json")
	for _, d := range shown {
		differences = append(differences, fmt.Sprintf("%s: %s → %s", d.Factor, fit(d.A, 60), fit(d.B, 60)))
	}
	if more != "" {
		differences = append(differences, more)
	}
	s.facts("Differ", differences)
	s.Fact("Test", "%s %s, %s; %s, m = %s, alpha = %g, minimum slowdown %.2f×", c.Alternative, c.Test.Title(min(c.A.R, c.B.R)),
		cmp.Or(when(c.Paired, "measured alternately"), "mpiruns not paired"), adjustNames[c.Adjust], conf.Plural(c.M, "case"), c.Alpha, c.MinSlowdown)
	s.Fact("", "smallest p attainable %s; B/A is the ratio of the run-times over mpiruns (Hodges-Lehmann) with its 95 %% interval", probability(&c.PMin))
	s.Fact("Sizes", "%s", c.MsizeLegend)
	return append([]Section{s}, refused(c.Refused)...)
}

// compareCases has a table for every function and number of processes.
func compareCases(c *analyze.Comparison) []Section {
	var out []Section
	at := map[string]int{}
	for i := range c.Cases {
		k := &c.Cases[i]
		title := functionName(k.Function) + ", " + k.Shape
		if _, ok := at[title]; !ok {
			at[title] = len(out)
			out = append(out, Section{Title: title, Table: &Table{Align: "rrrrrrll", Flex: 7,
				Head: []string{"msize", "A", "B", "B/A", "95 % interval", "p adjusted", "", "change"}}})
		}
		cells := []string{size(k.Msize), duration(k.AMedianS), duration(k.BMedianS), "-", "", "", "", k.Reason}
		if k.Ratio != nil {
			cells = append(cells[:3], Ratio(k.Ratio), interval(k.RatioLo, k.RatioHi, "–"), probability(k.PAdjusted), k.Stars, words(k.Change))
		}
		out[at[title]].Table.Add(cells...)
	}
	return append(out, Section{Notes: []string{"p adjusted: * ≤ .05, ** ≤ .01, *** ≤ .001; ~: nothing significant, which does not show that there is nothing"}})
}

// functionName is Bcast for MPI_Bcast, and the id of a mock-up.
func functionName(id string) string { return strings.TrimPrefix(id, "MPI_") }

func compareMeans(c *analyze.Comparison) []Section {
	t := &Table{Head: []string{"function", "shape", "sizes", "slower", "faster", "B/A"}, Align: "llrrrr"}
	for _, f := range c.Functions {
		t.Add(functionName(f.Function), f.Shape, fmt.Sprint(f.Sizes), blankZero(f.Slower), blankZero(f.Faster), Ratio(f.Ratio))
	}
	return tabled(t, "", "Geometric means of B/A over the sizes")
}

// compareGuidelines lists what became of guidelines.
func compareGuidelines(c *analyze.Comparison) []Section {
	var out []Section
	for _, change := range []analyze.Change{analyze.NewlyViolated, analyze.NewlyKept} {
		t := &Table{Head: []string{"guideline", "shape", "msize", "compared with", "A", "ratio", "B", "ratio"}, Align: "llrllrlr", Flex: 3}
		for _, k := range c.Guidelines {
			if k.Change == change {
				t.Add(fit(k.Guideline, 14)+" "+plain(k.Function), k.Shape, size(k.Msize), cmp.Or(plain(k.Mockup), "itself at "+size(k.MsizeOther)),
					string(k.AVerdict), Ratio(k.ARatio), string(k.BVerdict), Ratio(k.BRatio))
			}
		}
		section := Titled("Guidelines %s in B: %d", words(change), len(t.Rows))
		if len(t.Rows) > 0 {
			section.Table = t
		}
		out = append(out, section)
	}
	return out
}
