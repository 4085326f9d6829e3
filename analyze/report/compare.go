package report

import (
	"cmp"
	"encoding/csv"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"pgmpi/analyze"
)

// FormatOf is one way to write a T, which is not a Report.
type FormatOf[T any] struct {
	Name  string // as --format takes it
	File  string // its name in the folder of --out
	Write func(w io.Writer, t *T) error
}

// Comparisons are the formats of comparisons.
var Comparisons = []FormatOf[analyze.Comparison]{
	{"table", "compare.txt", writeCompareTable},
	{"json", "compare.json", func(w io.Writer, c *analyze.Comparison) error { return indentedJSON(w, c) }},
	{"csv", "compare.csv", writeCompareCSV},
}

// Pick returns the formats of a comma list.
func Pick[T any](formats []FormatOf[T], list string) ([]FormatOf[T], error) {
	var out []FormatOf[T]
	for _, name := range strings.Split(list, ",") {
		i := slices.IndexFunc(formats, func(f FormatOf[T]) bool { return f.Name == strings.TrimSpace(name) })
		if i < 0 {
			return nil, fmt.Errorf("unknown format %q: choose from %s", name, strings.Join(Names(), ", "))
		}
		out = append(out, formats[i])
	}
	return out, nil
}

// compareColumns are the names of compare.json. New columns go to the end.
var compareColumns = []string{"function", "msize", "shape", "np", "a_median_s", "b_median_s", "a_r", "b_r",
	"ratio", "ratio_lo", "ratio_hi", "p_value", "p_adjusted", "stars", "change", "reason"}

func writeCompareCSV(w io.Writer, c *analyze.Comparison) error {
	rows := [][]string{compareColumns}
	for _, k := range c.Cases {
		rows = append(rows, []string{k.Function, strconv.FormatInt(k.Msize, 10), k.Shape, strconv.Itoa(k.NP),
			csvNumber(k.AMedianS), csvNumber(k.BMedianS), strconv.Itoa(k.AR), strconv.Itoa(k.BR),
			csvNumber(k.Ratio), csvNumber(k.RatioLo), csvNumber(k.RatioHi), csvNumber(k.PValue), csvNumber(k.PAdjusted), k.Stars, string(k.Change), k.Reason})
	}
	return csv.NewWriter(w).WriteAll(rows)
}

func writeCompareTable(w io.Writer, c *analyze.Comparison) error {
	p := &page{}
	p.compareHead(c)
	p.compareCases(c)
	p.compareMeans(c)
	p.compareGuidelines(c)
	if len(c.Warnings) > 0 {
		p.title("Remarks")
	}
	for _, warning := range c.Warnings {
		p.say("- %s", withRemedy(warning))
	}
	if p.err != nil {
		return p.err
	}
	_, err := w.Write(p.out.Bytes())
	return err
}

func (p *page) compareHead(c *analyze.Comparison) {
	for _, s := range []struct {
		name string
		f    analyze.ComparedFolder
	}{{"A", c.A}, {"B", c.B}} {
		p.fact(s.name, "%s: %s; R = %d mpiruns; %s", s.f.Folder, shortVersion(s.f.Library.Version), s.f.R, s.f.Created)
	}
	const most = 12
	for i, d := range c.Differences {
		name := ""
		if i == 0 {
			name = "Differ"
		}
		if i == most {
			p.fact("", "and %d more factors, see compare.json", len(c.Differences)-most)
			break
		}
		p.fact(name, "%s: %s → %s", d.Factor, fit(d.A, 60), fit(d.B, 60))
	}
	paired := "mpiruns not paired"
	if c.Paired {
		paired = "measured by turns"
	}
	p.fact("Test", "%s %s, %s; %s, m = %s, alpha = %g, minimum slowdown %.2f×", c.Alternative, c.Test.Title(min(c.A.R, c.B.R)), paired,
		adjustNames[c.Adjust], plural(c.M, "case"), c.Alpha, c.MinSlowdown)
	p.fact("", "smallest p attainable %s; B/A is the ratio of the run-times over mpiruns (Hodges-Lehmann) with its 95 %% interval", probability(c.PMin))
	p.fact("Sizes", "%s", c.MsizeLegend)
	if c.Refused != nil {
		p.title("NO VERDICT: %s.", c.Refused.Reason)
	}
}

// compareCases writes a table for every function and number of processes.
func (p *page) compareCases(c *analyze.Comparison) {
	type group struct{ function, shape string }
	var order []group
	rows := map[group][][]string{}
	for i := range c.Cases {
		k := &c.Cases[i]
		at := group{k.Function, k.Shape}
		if rows[at] == nil {
			order = append(order, at)
		}
		rows[at] = append(rows[at], compareRow(k))
	}
	for _, at := range order {
		p.title("%s, %s", functionName(at.function), at.shape)
		p.grid(grid{head: []string{"msize", "A", "B", "B/A", "95 % interval", "p adjusted", "", "change"},
			rows: rows[at], align: "rrrrrrll", flex: 7, gap: 2})
	}
	p.say("p adjusted: * ≤ .05, ** ≤ .01, *** ≤ .001; ~: nothing significant, which does not show that there is nothing")
}

var changeNames = map[analyze.Change]string{analyze.SlightlySlower: "slightly slower", analyze.SlightlyFaster: "slightly faster"}

func compareRow(k *analyze.CaseChange) []string {
	if k.Ratio == nil {
		return []string{size(k.Msize), duration(k.AMedianS), duration(k.BMedianS), "-", "", "", "", k.Reason}
	}
	change := cmp.Or(changeNames[k.Change], string(k.Change))
	adjusted := "-"
	if k.PAdjusted != nil {
		adjusted = probability(*k.PAdjusted)
	}
	return []string{size(k.Msize), duration(k.AMedianS), duration(k.BMedianS), ratio(k.Ratio), interval(k.RatioLo, k.RatioHi), adjusted, k.Stars, change}
}

// interval writes "0.98–1.03".
func interval(lo, hi *float64) string {
	if lo == nil || hi == nil {
		return ""
	}
	return strings.TrimSuffix(ratio(lo), "×") + "–" + strings.TrimSuffix(ratio(hi), "×")
}

// functionName is Bcast for MPI_Bcast, and the id of a mock-up.
func functionName(id string) string { return strings.TrimPrefix(id, "MPI_") }

func (p *page) compareMeans(c *analyze.Comparison) {
	if len(c.Functions) == 0 {
		return
	}
	g := grid{head: []string{"function", "shape", "sizes", "slower", "faster", "B/A"}, align: "llrrrr", gap: 2}
	for _, f := range c.Functions {
		g.rows = append(g.rows, []string{functionName(f.Function), f.Shape, fmt.Sprint(f.Sizes), blankZero(f.Slower), blankZero(f.Faster), ratio(f.Ratio)})
	}
	p.title("Geometric means of B/A over the sizes")
	p.grid(g)
}

// compareGuidelines lists what became of guidelines.
func (p *page) compareGuidelines(c *analyze.Comparison) {
	for _, s := range []struct {
		change analyze.Change
		title  string
	}{
		{analyze.NewlyViolated, "Guidelines newly violated in B"}, {analyze.NewlyKept, "Guidelines newly kept in B"},
	} {
		g := grid{head: []string{"guideline", "shape", "msize", "compared with", "A", "ratio", "B", "ratio"}, align: "llrllrlr", flex: 3, gap: 2}
		for _, k := range c.Guidelines {
			if k.Change == s.change {
				g.rows = append(g.rows, []string{fit(k.Guideline, 14) + " " + plain(k.Function), k.Shape, size(k.Msize), otherSide(k),
					string(k.AVerdict), ratio(k.ARatio), string(k.BVerdict), ratio(k.BRatio)})
			}
		}
		p.title("%s: %d", s.title, len(g.rows))
		if len(g.rows) > 0 {
			p.grid(g)
		}
	}
}

func otherSide(k analyze.GuidelineChange) string {
	if k.Mockup != "" {
		return plain(k.Mockup)
	}
	return "itself at " + size(k.MsizeOther)
}
