package analyze

import (
	"cmp"
	"reflect"
	"slices"
	"strings"
)

type Column struct {
	Name     string
	Type     reflect.Type // of its values
	Optional bool         // there may be no value
	omitZero bool
	index    []int
}

// Columns are the columns of report.csv, and with an order of its own of `pgmpi export`: the fields of
// a Verdict by their names in report.json or a tag `column`, of its parts those with such a tag. A new field gets
// a column at the end.
var Columns = InOrder([]string{"guideline", "type", "function", "mockup", "msize", "msize_other", "k", "shape", "np",
	"median_s", "other_median_s", "ratio", "p_value", "p_adjusted", "p_kept", "stars", "verdict", "reason",
	"alternative", "alternative_msize", "alternative_calls", "alternative_median_s",
	"ratio_lo95", "ratio_hi95", "runs_needed", "runs_needed_towards", "mpiruns", "replication", "firm", "by_state", "state", "alarm", "state_reason",
	"page_faults", "other_page_faults", "switches", "other_switches"}, columnsOf(reflect.TypeFor[Verdict](), Column{}, "", false))

// InOrder sorts columns by a list of names; those that it lacks stay behind it.
func InOrder(names []string, columns []Column) []Column {
	at := func(c Column) int {
		if i := slices.Index(names, c.Name); i >= 0 {
			return i
		}
		return len(names)
	}
	columns = slices.Clone(columns)
	slices.SortStableFunc(columns, func(a, b Column) int { return at(a) - at(b) })
	return columns
}

// columnsOf lists the columns of a struct: all fields of a Verdict and of what it embeds, those
// with a tag of its other parts.
func columnsOf(t reflect.Type, of Column, prefix string, part bool) (out []Column) {
	for i := range t.NumField() {
		f, c := t.Field(i), of
		c.Type, c.index = f.Type, append(slices.Clone(of.index), i)
		name, options, _ := strings.Cut(f.Tag.Get("json"), ",")
		tag, tagged := f.Tag.Lookup("column")
		c.Name, c.omitZero = cmp.Or(tag, name), options == "omitempty"
		if part {
			c.Name, c.omitZero = strings.CutSuffix(prefix+tag, ",omitzero")
		}
		if f.Type.Kind() == reflect.Pointer {
			c.Type, c.Optional, c.omitZero = f.Type.Elem(), true, false
		}
		switch {
		case tag == "-" || part && !tagged:
		case f.Anonymous || c.Type.Kind() == reflect.Struct:
			out = append(out, columnsOf(c.Type, c, prefix+tag, part || !f.Anonymous)...)
		default:
			out = append(out, c)
		}
	}
	return out
}

func (c Column) Value(v *Verdict) any {
	x, err := reflect.ValueOf(v).Elem().FieldByIndexErr(c.index)
	if err != nil || x.Kind() == reflect.Pointer && x.IsNil() || c.omitZero && x.IsZero() {
		return nil
	}
	return reflect.Indirect(x).Interface()
}
