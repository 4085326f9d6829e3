package checks

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"pgmpi/analyze/report/check"
	"pgmpi/analyze/series"
	"pgmpi/internal/conf"
	"pgmpi/internal/document"
	"pgmpi/internal/fail"
	"pgmpi/internal/lists"
	"pgmpi/internal/phrase"
)

// LevelLists compares the levels of a factor (S-REVISITED §5.5 to 5.8).
var LevelLists = document.Kind[series.Levels]{Name: "levels", JSON: true, Exit: levelExit,
	NotJudged: func(l *series.Levels) string { return l.Comparisons[0].NotJudged() },
	Parts: []document.Part[series.Levels]{document.Show(document.Everywhere, levelAnswer),
		document.Show(document.Screen, func(l *series.Levels) []document.Section { return levelTable(l, 12) }),
		document.Show(document.Full, levelTables)}}

// levelExit returns the exit of the level that ends worst.
func levelExit(l *series.Levels) (worst error) {
	for _, c := range l.Comparisons {
		if err := compareExit(c); worst == nil || errors.Is(err, fail.ErrFound) {
			worst = err
		}
	}
	return worst
}

func levelTables(l *series.Levels) []document.Section {
	out := slices.Concat(levelTable(l, len(l.Comparisons[0].Cases)), compareDesign(l.Comparisons[0]))
	for i, c := range l.Comparisons {
		s := document.Titled("%s against A", columnName(i+1))
		s.Facts("Differ", lists.Map(c.Differences, differing(": ")))
		out = append(out, s)
	}
	return out
}

func levelAnswer(l *series.Levels) []document.Section {
	first := l.Comparisons[0]
	var s document.Section
	var found []string
	for i, c := range l.Comparisons {
		counts, most := map[series.Change]int{}, 1.0
		for _, k := range c.Cases {
			counts[k.Change]++
			if k.Change == series.Slower {
				most = max(most, *k.Ratio)
			}
		}
		text := fmt.Sprintf("%s %d slower%s, %d faster", columnName(i+1), counts[series.Slower], phrase.When(most > 1, ", by up to %s", phrase.Ratio(&most)), counts[series.Faster])
		newly := lists.Count(c.Guidelines, func(g series.GuidelineChange) bool { return g.Change == series.NewlyViolated })
		found = append(found, text+phrase.When(newly > 0, ", %s newly violated", conf.Plural(newly, "test")))
	}
	s.Say("%s: of %s, against A: %s.", l.Name, conf.Plural(len(first.Cases), "call"), strings.Join(found, "; "))
	s.Fact("A", "%s: %s: %s", l.Levels[0], first.A.Folder, check.FolderSetUp(first.A, "", first.Operation))
	for i, c := range l.Comparisons {
		s.Fact(columnName(i+1), "%s: %s%s", l.Levels[i+1], c.B.Folder, phrase.When(c.B.Library != first.A.Library, ": %s", phrase.ShortVersion(c.B.Library.Version)))
	}
	s.Fact("Changes", "%s.", couldHaveSeen(first))
	return []document.Section{s}
}

// levelSigns stand before a ratio that is a change.
var levelSigns = map[series.Change]string{series.Slower: "+ ", series.Faster: "− ", series.SlightlySlower: "(+) ", series.SlightlyFaster: "(−) "}

// levelTable returns a row for each changed call, or for all with --all-rows.
func levelTable(l *series.Levels, most int) []document.Section {
	first := l.Comparisons[0]
	t := &document.Table{Head: []string{"call", "size", "A"}, Align: "lrr"}
	for _, name := range columnNames(1 + len(l.Comparisons))[1:] {
		t.Columns("l", name+"/A [95 %]")
	}
	several := slices.ContainsFunc(first.Cases, func(k series.CaseChange) bool { return k.Shape != first.Cases[0].Shape })
	for _, k := range first.Cases {
		row := []string{phrase.Function(k.Function) + phrase.When(several, ", %s", k.Shape), phrase.Size(k.Msize), phrase.Duration(k.AMedianS)}
		changed := first.AllRows
		for _, c := range l.Comparisons {
			of := c.Of(k.Cell)
			if of == nil {
				row = append(row, "-")
				continue
			}
			changed = changed || levelSigns[of.Change] != ""
			row = append(row, levelSigns[of.Change]+phrase.RatioIn(of.Ratio, of.RatioLo, of.RatioHi))
		}
		if changed {
			t.Add(row...)
		}
	}
	rows, more := phrase.First(t.Rows, most, "%d more with --full.")
	changed := len(t.Rows)
	t.Rows = rows
	return document.Tabled(t, strings.TrimSpace("+ slower, − faster; in brackets: significant, but less than the minimum slowdown. "+more), "Calls that a level changes: %d of %s", changed, conf.Plural(len(first.Cases), "call"))
}
