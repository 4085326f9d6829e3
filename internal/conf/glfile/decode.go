package glfile

import (
	"encoding"
	"errors"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"

	"github.com/BurntSushi/toml"

	"pgmpi/internal/conf"
)

// decoder fills structs key by key, so that one wrong value hides no other
// and every error knows its key.
type decoder struct {
	meta toml.MetaData
	errs []conf.FieldError // Key is the whole path
}

func (d *decoder) fail(path, format string, args ...any) {
	d.errs = append(d.errs, conf.FieldError{Key: path, Msg: fmt.Sprintf(format, args...)})
}

func (d *decoder) table(entries map[string]toml.Primitive, into reflect.Value, path string) {
	fields, names := tagged(into)
	for _, key := range slices.Sorted(maps.Keys(entries)) { // errors always in one order
		prim := entries[key]
		if field, ok := fields[key]; ok {
			d.value(prim, field, join(path, key))
			continue
		}
		what := "key"
		if path == "" {
			what = "section"
		}
		d.fail(join(path, key), "%s", conf.Unknown(what, key, names))
	}
}

// tagged returns a struct's fields by their TOML names.
func tagged(v reflect.Value) (fields map[string]reflect.Value, names []string) {
	fields = map[string]reflect.Value{}
	for i := range v.NumField() {
		if name := v.Type().Field(i).Tag.Get("toml"); name != "" && name != "-" {
			fields[name] = v.Field(i)
			names = append(names, name)
		}
	}
	return fields, names
}

func (d *decoder) value(prim toml.Primitive, into reflect.Value, path string) {
	t := into.Type()
	switch {
	case isText(t):
		d.leaf(prim, into, path)
	case t.Kind() == reflect.Pointer:
		into.Set(reflect.New(t.Elem()))
		d.value(prim, into.Elem(), path)
	case t.Kind() == reflect.Struct:
		var entries map[string]toml.Primitive
		if d.as(prim, &entries, path, t) {
			d.table(entries, into, path)
		}
	case t.Kind() == reflect.Slice && t.Elem().Kind() == reflect.Struct:
		var elements []map[string]toml.Primitive
		if d.as(prim, &elements, path, t) {
			into.Set(reflect.MakeSlice(t, len(elements), len(elements)))
			for i, entries := range elements {
				d.table(entries, into.Index(i), fmt.Sprintf("%s[%d]", path, i))
			}
		}
	case t.Kind() == reflect.Map:
		d.mapping(prim, into, path)
	default:
		d.leaf(prim, into, path)
	}
}

func (d *decoder) mapping(prim toml.Primitive, into reflect.Value, path string) {
	var entries map[string]toml.Primitive
	if !d.as(prim, &entries, path, into.Type()) {
		return
	}
	into.Set(reflect.MakeMap(into.Type()))
	for _, key := range slices.Sorted(maps.Keys(entries)) {
		prim := entries[key]
		element := reflect.New(into.Type().Elem()).Elem()
		d.value(prim, element, join(path, key))
		into.SetMapIndex(reflect.ValueOf(key), element)
	}
}

// leaf decodes a value that has no keys of its own, over the default.
func (d *decoder) leaf(prim toml.Primitive, into reflect.Value, path string) {
	fresh := reflect.New(into.Type())
	if d.as(prim, fresh.Interface(), path, into.Type()) {
		into.Set(fresh.Elem())
	}
}

// as decodes a value into target, or says that it is no value for type t.
func (d *decoder) as(prim toml.Primitive, target any, path string, t reflect.Type) bool {
	var raw any
	if err := d.meta.PrimitiveDecode(prim, &raw); err != nil {
		d.fail(path, "%v", err)
		return false
	}
	err := d.meta.PrimitiveDecode(prim, target)
	if err == nil && fits(raw, t) {
		return true
	}
	var own toml.ParseError
	if isText(t) && errors.As(err, &own) {
		d.fail(path, "%s", own.Message)
	} else {
		d.fail(path, "wants %s, not %s", wanted(t), shown(raw))
	}
	return false
}

// fits finds what the TOML package decodes without complaint: other values
// into an empty map, and negative numbers into unsigned ones.
func fits(raw any, t reflect.Type) bool {
	if isText(t) {
		return true
	}
	isTable := func(v any) bool { _, ok := v.(map[string]any); return ok }
	switch t.Kind() {
	case reflect.Map, reflect.Struct:
		return isTable(raw)
	case reflect.Uint64:
		n, ok := raw.(int64)
		return ok && n >= 0
	case reflect.Slice:
		items, ok := raw.([]any)
		return !ok || t.Elem().Kind() != reflect.Struct || !slices.ContainsFunc(items, func(v any) bool { return !isTable(v) })
	}
	return true
}

// isText tells types that read their own text.
func isText(t reflect.Type) bool {
	p := reflect.PointerTo(t)
	return p.Implements(reflect.TypeFor[encoding.TextUnmarshaler]()) || p.Implements(reflect.TypeFor[toml.Unmarshaler]())
}

func wanted(t reflect.Type) string {
	if isText(t) {
		return "a string"
	}
	switch t.Kind() {
	case reflect.Int, reflect.Int64:
		return "an integer"
	case reflect.Uint64:
		return "an integer of at least 0"
	case reflect.Float64:
		return "a number"
	case reflect.Bool:
		return "true or false"
	case reflect.Slice:
		return "an array of " + plural(t.Elem().Kind())
	case reflect.Map, reflect.Struct:
		return "a table"
	}
	return "a string"
}

func plural(k reflect.Kind) string {
	switch k {
	case reflect.Int:
		return "integers"
	case reflect.Struct:
		return "tables"
	}
	return "strings"
}

// shown writes a TOML value shortly.
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
	case map[string]any, []map[string]any:
		return "a table"
	}
	return fmt.Sprint(v)
}
