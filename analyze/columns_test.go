package analyze

import (
	"reflect"
	"slices"
	"testing"

	"pgmpi/testkit/should"
)

func TestEveryFieldOfAVerdictHasAColumn(t *testing.T) {
	for _, f := range reflect.VisibleFields(reflect.TypeFor[Verdict]()) {
		has := func(c Column) bool {
			return len(c.index) >= len(f.Index) && slices.Equal(c.index[:len(f.Index)], f.Index)
		}
		should.Hold(t, f.Tag.Get("column") == "-" || slices.ContainsFunc(Columns, has),
			"field %s has no column: give the fields of its type a tag, or it `column:\"-\"`", f.Name)
	}
	var names []string
	for _, c := range Columns {
		should.Hold(t, !slices.Contains(names, c.Name), "two columns are called %s", c.Name)
		names = append(names, c.Name)
	}
}

func TestATableHasItsHeadFirstAndNothingForANull(t *testing.T) {
	rows := []Verdict{{Guideline: "GL8", MedianS: Number(.5)}, {Guideline: "GL1"}}
	columns := slices.DeleteFunc(slices.Clone(Columns), func(c Column) bool { return c.Name != "guideline" && c.Name != "median_s" })
	should.Equal(t, Table(columns, rows), [][]string{{"guideline", "median_s"}, {"GL8", "0.5"}, {"GL1", ""}}, "")
}
