package checks

import (
	"cmp"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"pgmpi/analyze"
	"pgmpi/analyze/judge"
	"pgmpi/analyze/report/check"
	"pgmpi/analyze/series"
	"pgmpi/guidelines"
	"pgmpi/internal/conf"
	"pgmpi/internal/document"
	"pgmpi/internal/fail"
	"pgmpi/internal/lists"
	"pgmpi/internal/phrase"
	"pgmpi/internal/picture"
	"pgmpi/mockups"
)

var Matrices = document.Kind[series.Matrix]{Name: "matrix", NotJudged: matrixNotJudged, Rows: matrixRows, JSON: true,
	Parts: []document.Part[series.Matrix]{
		document.Show(document.Screen, matrixScreen), document.Show(document.Full, matrixHead),
		document.Show(document.Pictured, matrixPicture), document.Show(document.Full, matrixAll, matrixCounts, matrixLegend)}}

func matrixRows(m *series.Matrix) [][]string {
	out := [][]string{{"guideline", "type", "function", "mockup", "folder", "library", "library_version", "host", "shape", "created", "r",
		"planned", "violated", "suspected", "marginal", "kept", "not_suspected", "undecided", "not_measured", "wrong", "violated_msizes", "largest_ratio", "seen_once"}}
	for _, r := range m.Rows {
		for i, cell := range r.Cells {
			if cell == nil {
				continue
			}
			c, n := &m.Columns[i], cell.Tests
			out = append(out, phrase.Row(r.Guideline, r.Type, r.Function, r.Mockup, c.Folder, c.Library.Name, phrase.ShortVersion(c.Library.Version), c.Host, c.Shape, c.Created, c.R,
				cell.Planned(), n[judge.Violated], n[judge.Suspected], n[judge.Marginal], n[judge.Kept], n[judge.NotSuspected], n[judge.Undecided], n[judge.NotMeasured], n[judge.Wrong],
				phrase.Join(" ", "%d", cell.Violated), cell.Ratio, n[judge.SeenOnce]))
		}
	}
	return out
}

func matrixLegend(*series.Matrix) []document.Section {
	var legend document.Section
	legend.Note("● 3/21 1.8×: violated at 3 of 21 sizes, by up to 1.8×; ? 3/21: split suspected; u 3/21: not violated, and at 3 sizes undecided; x: wrong data or no return; " +
		".: no violation found; -: not measured; blank: not planned.")
	return []document.Section{legend}
}

func matrixAll(m *series.Matrix) []document.Section {
	return matrixTables(m, guidelines.Pattern, guidelines.Monotony, guidelines.Split)
}

// matrixScreen returns S-PGMPI's Table 3: patterns only, unless there are no patterns.
func matrixScreen(m *series.Matrix) []document.Section {
	if len(m.Columns) > mostBeside {
		return matrixByColumn(m)
	}
	tables := matrixTables(m, guidelines.Pattern)
	if len(tables) == 0 {
		tables = matrixTables(m, guidelines.Monotony, guidelines.Split)
	}
	if len(tables) > 0 {
		tables[0].Note("● 3/21 1.8×: violated at 3 of 21 sizes, by up to 1.8×; u: undecided; ?: suspected; .: no violation found; blank: not planned.")
	}
	return slices.Concat(matrixHead(m), tables, matrixCounts(m))
}

// mostBeside columns fit next to each other on a screen; with more, each becomes a row.
const mostBeside = 8

func matrixByColumn(m *series.Matrix) []document.Section {
	t := &document.Table{Head: []string{"host", "library", "on", "mpiruns", "created", "found", "of tests", "at worst"}, Align: "lllrlrrl", Grouped: true, Flex: 7}
	named := lookAlike(m.Columns)
	if named {
		t.Head, t.Align, t.Flex = slices.Insert(t.Head, 1, "folder"), "l"+t.Align, t.Flex+1
	}
	for i, c := range m.Columns {
		tests, planned := tally(m, i)
		worst, ratio := "", 0.0
		for _, r := range m.Rows {
			if cell := r.Cells[i]; cell != nil && cell.Ratio != nil && *cell.Ratio > ratio {
				ratio = *cell.Ratio
				worst = fmt.Sprintf("%s %s %s", phrase.Ratio(cell.Ratio), r.Guideline, phrase.Plain(r.Function))
			}
		}
		row := []string{c.Host, check.LibraryName(c.Library), c.Shape, fmt.Sprint(c.R), c.Created[:min(len(c.Created), len("2006-01-02"))], fmt.Sprint(tests[judge.Violated] + tests[judge.SeenOnce]), fmt.Sprint(planned), worst}
		if named {
			row = slices.Insert(row, 1, filepath.Base(c.Folder))
		}
		t.Add(row...)
	}
	var answer document.Section
	answer.Say("%s", matrixAnswer(m))
	return append([]document.Section{answer}, document.Tabled(t, "", "Violated or seen once")...)
}

// lookAlike tells whether only the folders tell some columns apart.
func lookAlike(columns []series.MatrixColumn) bool {
	seen := map[[3]string]bool{}
	for _, c := range columns {
		key := [3]string{c.Host, check.LibraryName(c.Library), c.Shape}
		if seen[key] {
			return true
		}
		seen[key] = true
	}
	return false
}

func matrixHead(m *series.Matrix) []document.Section {
	var answer document.Section
	answer.Say("%s", matrixAnswer(m))
	for i, c := range m.Columns {
		answer.Fact(columnName(i), "%s: %s, %s to %s%s", c.Folder, check.SetUp(c.Library, c.Shape, analyze.Operation{Datatype: c.Datatype, Op: c.Op}, conf.Plural(c.R, "mpirun"), c.Host, c.Created),
			document.Whole(phrase.Size(c.LeastMsize)), document.Whole(phrase.Size(c.LargestMsize)), phrase.When(differs(m, func(c series.MatrixColumn) string { return string(c.Method) }), "; method %s", c.Method))
	}
	if differs(m, func(c series.MatrixColumn) string { return fmt.Sprint(c.R, c.LeastMsize, c.LargestMsize, c.Method) }) {
		answer.Say("The columns were not measured alike: fewer mpiruns or sizes find fewer violations.")
	}
	if differs(m, func(c series.MatrixColumn) string { return c.Datatype + c.Op }) {
		answer.Say("The columns differ in datatype or operator: do not compare them.")
	}
	return []document.Section{answer}
}

// silentIn lists the columns without any verdict, and counts the undecided tests. Suspicions come
// from medians, without a test, and stand in a report that can give no verdict, too.
func silentIn(m *series.Matrix) (silent []string, open int) {
	for i := range m.Columns {
		tests, _ := tally(m, i)
		if open += tests[judge.Undecided]; tests[judge.Violated]+tests[judge.Marginal]+tests[judge.Kept] == 0 {
			silent = append(silent, columnName(i))
		}
	}
	return silent, open
}

func matrixNotJudged(m *series.Matrix) string {
	silent, open := silentIn(m)
	if tests, _ := tally(m, allColumns); tests[judge.SeenOnce] > 0 || len(silent) < len(m.Columns) {
		return ""
	}
	return "no verdict in " + strings.Join(silent, ", ") + phrase.When(open > 0, ": %s undecided", conf.Plural(open, "test"))
}

func matrixAnswer(m *series.Matrix) string {
	violated, checked := 0, 0
	for _, typ := range []guidelines.Type{guidelines.Pattern, guidelines.Monotony, guidelines.Split} {
		some, all := violatedRows(m, typ, allColumns)
		violated, checked = violated+some, checked+all
	}
	silent, open := silentIn(m)
	if tests, planned := tally(m, allColumns); tests[judge.SeenOnce] > 0 && len(silent) == len(m.Columns) {
		return fmt.Sprintf("SEEN ONCE: slower in %d of %s, in %s; other mpiruns may differ.", tests[judge.SeenOnce], conf.Plural(planned, "test"),
			conf.Plural(len(m.Columns), "column"))
	}
	if why := matrixNotJudged(m); why != "" {
		return fail.NotJudged(why) + "."
	}
	n := len(m.Columns)
	where := phrase.Either(n > 3, "any of "+conf.Plural(n, "column"), strings.Join(columnNames(n), " or "))
	answer := fmt.Sprintf("NO VIOLATION SHOWN in %s, of %s", where, conf.Plural(checked, "guideline"))
	if violated > 0 {
		answer = fmt.Sprintf("VIOLATED in %s: %d of %s", where, violated, conf.Plural(checked, "guideline"))
	}
	return answer + phrase.When(open > 0, "; %s undecided", conf.Plural(open, "test")) + phrase.When(len(silent) > 0, "; no verdict in %s", strings.Join(silent, ", ")) + "."
}

// allColumns stands for all columns.
const allColumns = -1

// cellsOf returns the planned cells of a row, in one column or in all.
func cellsOf(r series.MatrixRow, column int) []*series.MatrixCell {
	cells := r.Cells
	if column != allColumns {
		cells = cells[column : column+1]
	}
	return lists.Keep(cells, func(c *series.MatrixCell) bool { return c != nil })
}

// tally counts the tests of a column, or of all, by verdict and together.
func tally(m *series.Matrix, column int) (tests map[judge.Verdict]int, planned int) {
	tests = map[judge.Verdict]int{}
	for _, r := range m.Rows {
		for _, c := range cellsOf(r, column) {
			for verdict, n := range c.Tests {
				tests[verdict] += n
				planned += n
			}
		}
	}
	return tests, planned
}

var typeNames = map[guidelines.Type]string{guidelines.Pattern: "patterns", guidelines.Monotony: "monotony", guidelines.Split: "split-robustness"}

// violatedRows counts the checked and violated guidelines of a type in one or all columns.
func violatedRows(m *series.Matrix, typ guidelines.Type, column int) (violated, checked int) {
	for _, r := range m.Rows {
		cells := cellsOf(r, column)
		if r.Type != typ || len(cells) == 0 {
			continue
		}
		checked++
		if slices.ContainsFunc(cells, func(c *series.MatrixCell) bool { return c.Tests[judge.Violated] > 0 }) {
			violated++
		}
	}
	return violated, checked
}

// differs tells whether the columns differ in something.
func differs(m *series.Matrix, of func(series.MatrixColumn) string) bool {
	return slices.ContainsFunc(m.Columns, func(c series.MatrixColumn) bool { return of(c) != of(m.Columns[0]) })
}

// columnName returns the name of a column in the table: A, B, …, Z, 27, 28, …
func columnName(i int) string {
	if i < 26 {
		return string(rune('A' + i))
	}
	return fmt.Sprint(i + 1)
}

func columnNames(n int) (names []string) {
	for i := range n {
		names = append(names, columnName(i))
	}
	return names
}

var typeTitles = map[guidelines.Type]string{
	guidelines.Pattern:  "Patterns: is the collective slower than its mock-up?",
	guidelines.Monotony: "Monotony: is it slower than itself on more data?",
	guidelines.Split:    "Split-robustness: is it slower than itself in parts?",
}

func matrixTables(m *series.Matrix, types ...guidelines.Type) (out []document.Section) {
	for _, typ := range types {
		t := &document.Table{Head: []string{"guideline"}, Align: "l", Key: 1, Narrow: true, Tone: columnTone}
		t.Columns("l", columnNames(len(m.Columns))...)
		for _, r := range m.Rows {
			if r.Type != typ {
				continue
			}
			cells := []string{phrase.Fit(r.Guideline, 14) + " " + phrase.Plain(r.Function) + phrase.When(r.Mockup != "", " ≤ %s", phrase.Plain(r.Mockup))}
			cells = append(cells, lists.Map(r.Cells, matrixCell)...)
			t.Add(cells...)
		}
		out = append(out, document.Tabled(t, "", "%s", typeTitles[typ])...)
	}
	return out
}

// matrixCell writes the worst that was found over the sizes.
func matrixCell(c *series.MatrixCell) string {
	if c == nil {
		return ""
	}
	planned := c.Planned()
	for _, k := range []struct {
		verdict judge.Verdict
		sign    string
	}{{judge.Wrong, "x"}, {judge.Violated, "●"}, {judge.SeenOnce, "1"}, {judge.Suspected, "?"}, {judge.Undecided, "u"}} {
		if n := c.Tests[k.verdict]; n > 0 {
			return fmt.Sprintf("%s %d/%d", k.sign, n, planned) + phrase.When((k.verdict == judge.Violated || k.verdict == judge.SeenOnce) && c.Ratio != nil, " %s", phrase.Ratio(c.Ratio))
		}
	}
	return phrase.Either(c.Tests[judge.NotMeasured] == planned, "-", ".")
}

func columnTone(row []string, column int) picture.Tone {
	switch {
	case column == 0 || row[column] == "":
		return picture.Plain
	case strings.HasPrefix(row[column], "●") || strings.HasPrefix(row[column], "x"):
		return picture.Slow
	case strings.HasPrefix(row[column], "1 ") || strings.HasPrefix(row[column], "?") || strings.HasPrefix(row[column], "u"):
		return picture.Open
	}
	return picture.Plain
}

// matrixCounts returns S-PGMPI's Table 2: violated/checked guidelines by type and column.
func matrixCounts(m *series.Matrix) []document.Section {
	t := &document.Table{Head: []string{"violated/checked"}, Align: "l", Key: 1, Narrow: true}
	t.Columns("r", columnNames(len(m.Columns))...)
	for _, typ := range []guidelines.Type{guidelines.Pattern, guidelines.Monotony, guidelines.Split} {
		row, all := []string{typeNames[typ]}, 0
		for i := range m.Columns {
			violated, checked := violatedRows(m, typ, i)
			row, all = append(row, phrase.When(checked > 0, "%d/%d", violated, checked)), all+checked
		}
		if all > 0 {
			t.Add(row...)
		}
	}
	return document.Tabled(t, "", "Guidelines violated, of those checked")
}

// matrixPicture shows all findings: how much slower at worst, guideline × library,
// host and shape.
func matrixPicture(m *series.Matrix) []document.Section {
	library := func(c series.MatrixColumn) string { return check.LibraryName(c.Library) }
	several := differs(m, library)
	name := func(c series.MatrixColumn) string {
		return strings.Join(strings.Fields(phrase.When(several, "%s ", library(c))+c.Host+" "+c.Shape), " ")
	}
	order := slices.SortedStableFunc(slices.Values(m.Columns), func(a, b series.MatrixColumn) int {
		return cmp.Or(cmp.Compare(a.Host, b.Host), cmp.Compare(guidelines.ShapeOf(a.Shape, 0).NP, guidelines.ShapeOf(b.Shape, 0).NP), cmp.Compare(a.Shape, b.Shape))
	})
	heat := matrixHeat(m, lists.Map(m.Columns, name), slices.Compact(lists.Map(order, name)), func(r series.MatrixRow) bool {
		return slices.ContainsFunc(r.Cells, func(c *series.MatrixCell) bool { return c != nil && c.Ratio != nil })
	})
	if len(heat.Rows) == 0 {
		return nil
	}
	s := document.Titled("How many times slower at worst, by guideline, %shost and shape",
		phrase.When(several, "library, "))
	s.Heat = heat
	s.Note("★ violated, 1 seen once, ? undecided, ·: no violation found; blank: not planned. The worst " +
		"over all sizes, and all folders of a library, host and shape. own: than an algorithm of the library's own.")
	return []document.Section{s}
}

// FolderHeat shows the violated patterns of folders by label and shape.
func FolderHeat(m *series.Matrix, labels []string) *picture.HeatMap {
	folders, names := map[string]int{}, []string{}
	for _, c := range m.Columns {
		if _, seen := folders[c.Folder]; !seen {
			folders[c.Folder] = len(folders)
		}
		names = append(names, labels[folders[c.Folder]]+" "+c.Shape)
	}
	return matrixHeat(m, names, names, func(r series.MatrixRow) bool { return r.Type == guidelines.Pattern })
}

// matrixHeat returns a heat map with a column for each name in order. names belong to the matrix's
// columns; columns with one name share the worst.
func matrixHeat(m *series.Matrix, names, order []string, shown func(series.MatrixRow) bool) *picture.HeatMap {
	h := &picture.HeatMap{Corner: "guideline", Columns: order}
	for _, r := range m.Rows {
		if !shown(r) {
			continue
		}
		name := phrase.Either(mockups.Algorithm(r.Mockup) != "", "own", r.Guideline) + " " + phrase.Plain(r.Function) +
			phrase.When(r.Mockup != "" && mockups.Algorithm(r.Mockup) == "", " ≤ %s", phrase.Plain(r.Mockup))
		fresh := picture.HeatRow{Name: name, Cells: make([]picture.HeatCell, len(order))}
		row := lists.FirstOrNew(&h.Rows, func(row picture.HeatRow) bool { return row.Name == name }, fresh)
		for i, cell := range r.Cells {
			into := &row.Cells[slices.Index(order, names[i])]
			if c := matrixHeatCell(cell); *into == (picture.HeatCell{}) || c.Ratio > into.Ratio {
				*into = c
			}
		}
	}
	return h
}

func matrixHeatCell(c *series.MatrixCell) picture.HeatCell {
	if c == nil {
		return picture.HeatCell{}
	}
	for _, verdict := range []judge.Verdict{judge.Wrong, judge.Violated, judge.SeenOnce, judge.Undecided} {
		if n := c.Tests[verdict]; n > 0 {
			cell := picture.HeatCell{Sign: check.Signs[verdict][0], Word: fmt.Sprintf("%s at %d of %d sizes", check.Signs[verdict][1], n, c.Planned())}
			if (verdict == judge.Violated || verdict == judge.SeenOnce) && c.Ratio != nil {
				cell.Ratio, cell.Text = *c.Ratio, fmt.Sprintf("%.2f", *c.Ratio)
			}
			return cell
		}
	}
	return picture.HeatCell{Word: "no violation found", Text: "·"}
}
