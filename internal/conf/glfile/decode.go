package glfile

import (
	"cmp"
	"encoding"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"

	"github.com/BurntSushi/toml"

	"pgmpi/internal/conf"
)

// decoder fills structs key by key. One wrong value hides no other, and every error knows its key.
type decoder struct {
	errs []conf.FieldError // Key is the whole path
}

func (d *decoder) fail(path, format string, args ...any) {
	d.errs = append(d.errs, conf.FieldError{Key: path, Msg: fmt.Sprintf(format, args...)})
}

// enoughAdvice limits how many errors say what may have been meant.
const enoughAdvice = 1000

func (d *decoder) table(entries map[string]any, into reflect.Value, path string) {
	fields, names := tagged(into)
	for _, key := range slices.Sorted(maps.Keys(entries)) { // errors always in one order
		if field, ok := fields[key]; ok {
			d.value(entries[key], field, join(path, key))
			continue
		}
		what := "key"
		if path == "" {
			what = "section"
		}
		if len(d.errs) > enoughAdvice { // looking for near names among very many would take seconds
			d.fail(join(path, key), "unknown %s %q", what, key)
			continue
		}
		if there := sectionsWith(key); there != "" && conf.Nearest(key, names) == "" {
			d.fail(join(path, key), "unknown %s %q: it belongs into %s", what, key, there)
			continue
		}
		d.fail(join(path, key), "%s", conf.Unknown(what, key, names))
	}
}

func sectionsWith(key string) string {
	var in []string
	for _, k := range Keys() {
		if section, name, _ := strings.Cut(k.Name, "."); name == key {
			in = append(in, "["+section+"]")
		}
	}
	return strings.Join(in, " or ")
}

// tagged returns the fields of a struct by the names of their keys; for a File also the sections of features.
func tagged(v reflect.Value) (fields map[string]reflect.Value, names []string) {
	fields, names = taggedStruct(v)
	if f, ok := v.Addr().Interface().(*File); ok {
		for _, s := range registered {
			fields[s.Title()] = reflect.ValueOf(f.section(s)).Elem()
			names = slices.Insert(names, slices.Index(names, afterFeatures), s.Title())
		}
	}
	return fields, names
}

func taggedStruct(v reflect.Value) (fields map[string]reflect.Value, names []string) {
	fields = map[string]reflect.Value{}
	for i := range v.NumField() {
		tags := v.Type().Field(i).Tag
		if name := cmp.Or(tags.Get("toml"), tags.Get("json")); name != "" && name != "-" {
			fields[name] = v.Field(i)
			names = append(names, name)
		}
	}
	return fields, names
}

func (d *decoder) value(raw any, into reflect.Value, path string) {
	if own, err := readOwn(raw, into); own {
		if err != nil {
			d.fail(path, "%v", err)
		}
		return
	}
	table, ok := raw.(map[string]any)
	switch into.Kind() {
	case reflect.Pointer:
		into.Set(reflect.New(into.Type().Elem()))
		d.value(raw, into.Elem(), path)
		return
	case reflect.Struct:
		d.table(table, into, path)
	case reflect.Map:
		into.Set(reflect.MakeMap(into.Type()))
		for _, key := range slices.Sorted(maps.Keys(table)) {
			element := reflect.New(into.Type().Elem()).Elem()
			d.value(table[key], element, join(path, key))
			into.SetMapIndex(reflect.ValueOf(key), element)
		}
	case reflect.Slice:
		ok = d.list(raw, into, path)
	default:
		ok = scalar(raw, into)
	}
	if !ok {
		d.fail(path, "wants %s, not %s", wanted(into.Type()), shown(raw))
	}
}

func readOwn(raw any, into reflect.Value) (own bool, err error) {
	switch p := into.Addr().Interface().(type) {
	case toml.Unmarshaler:
		return true, p.UnmarshalTOML(raw)
	case encoding.TextUnmarshaler:
		switch raw.(type) {
		case string, bool, int64, float64:
			return true, p.UnmarshalText(fmt.Append(nil, raw))
		}
	}
	return false, nil
}

func (d *decoder) list(raw any, into reflect.Value, path string) bool {
	items := reflect.ValueOf(raw) // []any, or []map[string]any
	if items.Kind() != reflect.Slice {
		return false
	}
	all := reflect.MakeSlice(into.Type(), items.Len(), items.Len())
	for i := range items.Len() {
		item := items.Index(i).Interface()
		if table, isTable := item.(map[string]any); isTable && all.Index(i).Kind() == reflect.Struct {
			d.table(table, all.Index(i), fmt.Sprintf("%s[%d]", path, i))
		} else if !scalar(item, all.Index(i)) {
			d.fail(fmt.Sprintf("%s[%d]", path, i), "wants %s, not %s", wanted(all.Index(i).Type()), shown(item))
		}
	}
	into.Set(all)
	return true
}

// scalar sets a field to a value of its type. A number may be written as an integer.
func scalar(raw any, into reflect.Value) bool {
	switch x := raw.(type) {
	case int64:
		switch {
		case into.CanInt():
			into.SetInt(x)
		case into.CanUint():
			into.SetUint(uint64(x))
			return x >= 0
		case into.CanFloat():
			into.SetFloat(float64(x))
		default:
			return false
		}
		return true
	case float64, bool, string:
		v := reflect.ValueOf(x)
		if v.Kind() == into.Kind() {
			into.Set(v.Convert(into.Type())) // the type may have a name of its own
			return true
		}
	}
	return false
}

func wanted(t reflect.Type) string {
	switch t.Kind() {
	case reflect.Int:
		return "an integer"
	case reflect.Uint64:
		return "an integer of at least 0"
	case reflect.Float64:
		return "a number"
	case reflect.Bool:
		return "true or false"
	case reflect.Slice:
		return "an array of " + map[reflect.Kind]string{
			reflect.Int: "integers", reflect.Float64: "numbers", reflect.String: "strings", reflect.Struct: "tables",
		}[t.Elem().Kind()]
	case reflect.Map, reflect.Struct:
		return "a table"
	}
	return "a string"
}

func shown(v any) string {
	switch x := v.(type) {
	case string:
		return fmt.Sprintf("%q", x)
	case float64:
		return fmt.Sprintf("the float %v", x)
	case []any:
		items := make([]string, len(x))
		for i := range x {
			items[i] = shown(x[i])
		}
		return "[" + strings.Join(items, ", ") + "]"
	case map[string]any:
		return "a table"
	case []map[string]any:
		return "an array of tables"
	}
	return fmt.Sprint(v)
}
