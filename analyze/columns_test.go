package analyze

import (
	"reflect"
	"slices"
	"testing"
)

func TestEveryFieldOfAVerdictHasAColumn(t *testing.T) {
	for _, f := range reflect.VisibleFields(reflect.TypeFor[Verdict]()) {
		has := func(c Column) bool {
			return len(c.index) >= len(f.Index) && slices.Equal(c.index[:len(f.Index)], f.Index)
		}
		if f.Tag.Get("column") != "-" && !slices.ContainsFunc(Columns, has) {
			t.Errorf("field %s has no column: give the fields of its type a tag, or it `column:\"-\"`", f.Name)
		}
	}
	var names []string
	for _, c := range Columns {
		if slices.Contains(names, c.Name) {
			t.Errorf("two columns are called %s", c.Name)
		}
		names = append(names, c.Name)
	}
}
