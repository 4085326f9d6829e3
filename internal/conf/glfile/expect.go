package glfile

import (
	"encoding/json"
	"fmt"
	"reflect"
	"strings"

	"pgmpi/analyze/series"
	"pgmpi/mockups"
)

// ParseExpect reads the file of gate.expect as strictly as gl.toml; errors are of type Errors.
func ParseExpect(name string, data []byte) ([]series.Expectation, error) {
	var e struct {
		Expect []series.Expectation `toml:"expect"`
	}
	f := File{Name: name}
	errs, err := f.decode(data, &e)
	if err != nil {
		return nil, err
	}
	for i := range e.Expect {
		e.Expect[i].Function = mockups.Canonical(e.Expect[i].Function)
	}
	return e.Expect, f.located(beside(errs, inSection("expect", series.ValidateExpectations(e.Expect))))
}

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

// quoted writes a value in TOML: JSON without keys is TOML too.
func quoted(v any) string {
	var b strings.Builder
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(v); err != nil {
		panic(err)
	}
	return strings.TrimSpace(strings.ReplaceAll(b.String(), "\x7f", `\u007f`))
}
