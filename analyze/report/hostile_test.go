package report

import (
	"encoding/csv"
	"encoding/json"
	"maps"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"testing"
	"unicode/utf8"

	"pgmpi/internal/clean"
	"pgmpi/internal/fixture/must"
	"pgmpi/internal/fixture/should"
)

// poison puts a text behind every string of a value, as somebody may have done
// who wrote a results folder. Words with a type of their own are ours.
func poison(v reflect.Value, text string) {
	switch v.Kind() {
	case reflect.Pointer, reflect.Interface:
		if !v.IsNil() {
			poison(v.Elem(), text)
		}
	case reflect.String:
		if v.CanSet() && v.Type() == reflect.TypeFor[string]() {
			v.SetString(v.String() + text)
		}
	case reflect.Struct:
		for i := range v.NumField() {
			if v.Type().Field(i).IsExported() {
				poison(v.Field(i), text)
			}
		}
	case reflect.Slice, reflect.Array:
		for i := range v.Len() {
			poison(v.Index(i), text)
		}
	case reflect.Map:
		for _, key := range v.MapKeys() {
			value := reflect.New(v.Type().Elem()).Elem()
			value.Set(v.MapIndex(key))
			poison(value, text)
			v.SetMapIndex(key, value)
		}
	default: // no text
	}
}

// hostile has one example of every kind of document, with a text of somebody else's in all places.
func hostile(t *testing.T, text string) map[string]example {
	out := map[string]example{}
	all := newExamples(t)
	for _, name := range slices.Sorted(maps.Keys(all)) { // the same example at every call
		e := all[name]
		if _, known := out[e.document.Name]; !known {
			e.document = e.poisoned(text)
			out[e.document.Name] = e
		}
	}
	return out
}

// FuzzRenderers: whatever the texts of others are, no format has a character that a
// terminal would obey, csv and JSON say the same when they are read, and no cell of
// csv is a formula.
func FuzzRenderers(f *testing.F) {
	// One seed, as each makes every document in every format. It begins as a formula does.
	f.Add("=cmd|' /C calc'!A0\x1b]0;title\x07\u202e\u2066\u009b31m\xff\xc0\r\nverdict kept\n+\n-1\t@x```\n# heading|a|&lt;b>\U000e0041" +
		strings.Repeat("long", 500) + "+\n")
	f.Fuzz(func(t *testing.T, text string) {
		for name, e := range hostile(t, text) {
			for _, format := range e.formats {
				got := written(t, format, e.document)
				at := strings.IndexFunc(got, func(r rune) bool { return r != '\n' && clean.Hidden(r) })
				should.Hold(t, at < 0 && utf8.ValidString(got), "%s as %s: %q", name, format, got[max(0, at):min(len(got), at+40)])
				switch format {
				case "csv":
					sameRows(t, name, e.document.Rows, got)
				case "json":
					want, err := json.Marshal(e.document.Value)
					should.Hold(t, err == nil && sameJSON(want, []byte(got)), "%s as JSON: %v", name, err)
				}
			}
		}
	})
}

func sameRows(t *testing.T, name string, rows [][]string, text string) {
	t.Helper()
	got, err := csv.NewReader(strings.NewReader(text)).ReadAll()
	must.Hold(t, err == nil && len(got) == len(rows), "%s: %d of %d rows, %v", name, len(got), len(rows), err)
	for i := range rows {
		for j, cell := range got[i] {
			_, err := strconv.ParseFloat(cell, 64)
			should.Hold(t, err == nil || cell == "" || !strings.Contains("=+-@", cell[:1]), "%s: %q is a formula", name, cell)
			got[i][j] = strings.TrimPrefix(cell, "'")
			rows[i][j] = strings.TrimPrefix(rows[i][j], "'")
		}
		should.Hold(t, slices.Equal(got[i], rows[i]), "%s: %q became %q", name, rows[i], got[i])
	}
}

func sameJSON(a, b []byte) bool {
	var x, y any
	return json.Unmarshal(a, &x) == nil && json.Unmarshal(b, &y) == nil && reflect.DeepEqual(x, y)
}
