package glfile

import (
	"cmp"
	"encoding"
	"encoding/json"
	"fmt"
	"reflect"
	"regexp"
	"strconv"
	"strings"
)

func (k Key) Set(f *File, text string) error {
	if k.set != nil {
		return k.set(f, text)
	}
	return parse(text, f.field(k.Name))
}

func (k Key) TOML(f *File) string {
	text, err := json.Marshal(f.field(k.Name).Interface()) // JSON without keys is TOML, too
	if err != nil {
		panic(err)
	}
	return strings.NewReplacer("µs", "us", "m0s", "m").Replace(string(text))
}

func (k Key) Usage(f *File) string {
	text := cmp.Or(k.FlagText, k.Text)
	if len(k.Names) > 0 {
		text += ": " + strings.Join(k.Names, ", ")
	}
	switch {
	case k.Empty != "" && k.isEmpty(f):
		text += " (default: " + k.Empty + ")"
	case k.Value != "":
		text += " (default " + strings.NewReplacer("[", "", "]", "", `"`, "").Replace(k.TOML(f)) + ")"
	}
	return plain(text)
}

// Meaning explains the key, without its default and its flag.
func (k Key) Meaning() string {
	text := k.Text
	if len(k.Names) > 0 {
		text += ": " + code(k.Names)
	}
	if d := Default(); k.Empty != "" && k.isEmpty(&d) {
		zero := "empty"
		if v := k.TOML(&d); v == "0" || v == `"0s"` {
			zero = "`" + v + "`"
		}
		text += "; " + zero + ": " + k.Empty
	}
	if k.More != "" {
		text += ". " + k.More
	}
	return text
}

func (k Key) isEmpty(f *File) bool {
	v := f.field(k.Name)
	return v.IsZero() || v.Kind() == reflect.Slice && v.Len() == 0
}

func code(names []string) string { return "`" + strings.Join(names, "`, `") + "`" }

var link = regexp.MustCompile(`\[([^\]]+)\]\([^)]+\)`)

// plain removes Markdown.
func plain(text string) string {
	return strings.ReplaceAll(link.ReplaceAllString(text, "docs/$1"), "`", "")
}

func (f *File) field(name string) reflect.Value {
	v := reflect.ValueOf(f).Elem()
	for part := range strings.SplitSeq(name, ".") {
		fields, _ := tagged(v)
		v = fields[part]
	}
	return v
}

// parse reads the value of a flag. Commas separate the elements of an array.
func parse(text string, into reflect.Value) error {
	var err error
	switch p := into.Addr().Interface().(type) {
	case encoding.TextUnmarshaler:
		return p.UnmarshalText([]byte(text))
	case *bool:
		*p, err = strconv.ParseBool(text)
	case *int:
		var n int64
		n, err = strconv.ParseInt(text, 0, 0)
		*p = int(n)
	case *uint64:
		*p, err = strconv.ParseUint(text, 0, 64)
	case *float64:
		*p, err = strconv.ParseFloat(text, 64)
	default:
		if into.Kind() == reflect.String {
			into.SetString(text)
			return nil
		}
		return parseList(text, into)
	}
	if err != nil {
		return fmt.Errorf("%q is %s", text, map[reflect.Kind]string{
			reflect.Bool: "neither true nor false", reflect.Int: "no whole number",
			reflect.Uint64: "no whole number from 0 on", reflect.Float64: "no number",
		}[into.Kind()])
	}
	return nil
}

func parseList(text string, into reflect.Value) error {
	into.SetZero()
	for part := range strings.SplitSeq(text, ",") {
		element := reflect.New(into.Type().Elem()).Elem()
		if err := parse(part, element); err != nil {
			if element.Kind() == reflect.Int {
				err = fmt.Errorf("%q is no number of processes", part)
			}
			return err
		}
		into.Set(reflect.Append(into, element))
	}
	return nil
}
