package glfile

import (
	"encoding/json"
	"fmt"
	"reflect"
	"slices"
	"strings"

	"github.com/BurntSushi/toml"

	"pgmpi/analyze/series"
	"pgmpi/internal/conf"
)

// expectations is the file of gate.expect.
type expectations struct {
	Expect []series.Expectation `toml:"expect"`
}

// ParseExpect reads the file of gate.expect, as strictly as gl.toml: everything that is
// wrong with it is an error of type Errors.
func ParseExpect(name string, data []byte) ([]series.Expectation, error) {
	var e expectations
	data = withoutBOM(data)
	var sections map[string]any
	if _, err := toml.Decode(string(data), &sections); err != nil {
		return nil, syntaxError(name, data, err)
	}
	f := File{Name: name}
	var err error
	if f.keys, err = indexKeys(name, data); err != nil {
		return nil, err
	}
	var d decoder
	d.table(sections, reflect.ValueOf(&e).Elem(), "")
	wrong := slices.DeleteFunc(inSection("expect", series.ValidateExpectations(e.Expect)), func(e conf.FieldError) bool {
		return slices.ContainsFunc(d.errs, func(x conf.FieldError) bool { return related(x.Key, e.Key) })
	})
	return e.Expect, f.located(append(d.errs, wrong...))
}

// FormatExpect writes the file that ParseExpect reads.
func FormatExpect(list []series.Expectation) string {
	var b strings.Builder
	for i := range list {
		b.WriteString("\n[[expect]]\n")
		v := reflect.ValueOf(list[i])
		for k := range v.NumField() {
			if field := v.Field(k); !field.IsZero() {
				fmt.Fprintf(&b, "%s = %s\n", v.Type().Field(k).Tag.Get("toml"), quoted(field.Interface()))
			}
		}
	}
	return b.String()
}

// quoted is a value in TOML, which JSON without keys is, too.
func quoted(v any) string {
	var b strings.Builder
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(v); err != nil {
		panic(err)
	}
	return strings.TrimSpace(strings.ReplaceAll(b.String(), "\x7f", `\u007f`))
}
