package conf

import (
	"cmp"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"

	"pgmpi/internal/lists"
)

// Key describes one key of gl.toml. Its flag with its help, the template and the tables of docs/ are all made from
// it. Text is Markdown; help and template show it as plain text.
type Key struct {
	Name  string   // such as "job.np"; comes from the field's tag
	Text  string   // its meaning
	Names []string // allowed values, where these are names
	Empty string   // meaning of 0, "" or [], where that is the default
	More  string   // further sentences, not in the help of the flag

	Flag     string // without "--", if there is one
	Value    string // the flag's value, such as "LIST", if it takes one
	FlagText string // instead of Text, where the flag is written in another way

	// Field binds the key to its value in a section's struct.
	Field Field
}

// Field points to a key's value in a section, with its default and its limits.
type Field struct {
	at    any // pointer to it
	names []string
	reset func()
	check func() []error
}

// Limit returns what is wrong with a value; before that it may rewrite the value in the usual way. A FieldError names
// an element of the value, "[2]".
type Limit[T any] func(*T) []error

// At binds a key to a field.
func At[T any](field *T, usual T, limits ...Limit[T]) Field {
	return Field{at: field, reset: func() { *field = usual }, check: func() (errs []error) {
		for _, wrong := range limits {
			errs = append(errs, wrong(field)...)
		}
		return errs
	}}
}

// OneOf binds a key to a field that holds one of these names; kind says what they name.
func OneOf[T ~string](field *T, usual T, kind string, names []T) Field {
	words := lists.Map(names, func(name T) string { return string(name) })
	f := At(field, usual, func(v *T) []error { return Known(kind, words, string(*v)) })
	f.names = words
	return f
}

// SomeOf binds a key to a field that holds at least one of these names.
func SomeOf(field *[]string, usual []string, kind, none string, names []string) Field {
	f := At(field, usual, func(v *[]string) []error { return Known(kind, names, *v...) }, NotEmpty[string](none))
	f.names = names
	return f
}

// Known wants each of the values to be one of these names.
func Known(kind string, names []string, values ...string) (errs []error) {
	for _, v := range values {
		if !slices.Contains(names, v) {
			errs = append(errs, errors.New(Unknown(kind, v, names)))
		}
	}
	return errs
}

// NotEmpty wants a list to have elements, or says what follows where it has none.
func NotEmpty[T any](none string) Limit[[]T] {
	return func(v *[]T) []error { return Unless(len(*v) > 0, "is empty: %s", none) }
}

// Within wants a number from least to most.
func Within[T int | float64](least, most T) Limit[T] {
	return func(v *T) []error {
		return Unless(*v >= least && *v <= most, "must be from %v to %v, not %v", least, most, *v)
	}
}

// That wants a condition to hold. In what it says otherwise %v stands for the value.
func That[T any](holds func(T) bool, otherwise string) Limit[T] {
	return func(v *T) []error {
		if holds(*v) {
			return nil
		}
		return []error{errors.New(strings.ReplaceAll(otherwise, "%v", fmt.Sprint(*v)))}
	}
}

// AtLeast wants a number of at least this; NaN is none.
func AtLeast[T cmp.Ordered](least T, otherwise string) Limit[T] {
	return That(func(v T) bool { return v >= least }, otherwise)
}

// Above wants a number above this; NaN is none.
func Above[T cmp.Ordered](limit T, otherwise string) Limit[T] {
	return That(func(v T) bool { return v > limit }, otherwise)
}

// Unless returns an error unless ok holds.
func Unless(ok bool, format string, args ...any) []error {
	if ok {
		return nil
	}
	return []error{fmt.Errorf(format, args...)}
}

// Usual returns values of which each has the default of its row.
func Usual[T any](rows func(*T) []Key) (values T) {
	for _, k := range rows(&values) {
		k.Field.reset()
	}
	return values
}

// Keys gives rows the names of their fields, by the tags of the struct that values points to.
func Keys(values any, rows []Key) []Key {
	for i := range rows {
		k := &rows[i]
		k.Name = nameOf(reflect.ValueOf(values).Elem(), k.Field.at)
		if k.Field.names != nil {
			k.Names = k.Field.names
		}
	}
	return rows
}

// Check returns what is beyond the limits of rows whose fields are in the struct that values points to.
func Check(values any, rows []Key) (errs FieldErrors) {
	for _, k := range rows {
		for _, err := range k.Field.check() {
			e, ok := err.(FieldError)
			if !ok {
				e.Msg = err.Error()
			}
			e.Key = nameOf(reflect.ValueOf(values).Elem(), k.Field.at) + e.Key
			errs = append(errs, e)
		}
	}
	return errs
}

// nameOf returns the key of a field, "cov_mean.window" in a struct within the struct, or "".
func nameOf(v reflect.Value, at any) string {
	for i := range v.NumField() {
		field, tags := v.Field(i), v.Type().Field(i).Tag
		name, _, _ := strings.Cut(cmp.Or(tags.Get("toml"), tags.Get("json")), ",")
		if field.Addr().Interface() == at {
			return name
		}
		if field.Kind() != reflect.Struct {
			continue
		}
		if inner := nameOf(field, at); inner != "" {
			return name + "." + inner
		}
	}
	return ""
}

// Section is a table of gl.toml that a feature brings. It holds the values of its keys in a struct that only the
// section's own methods know.
type Section interface {
	Title() string
	// New returns a pointer to the values that hold where gl.toml says nothing.
	New() any
	// Copy returns a pointer to equal values.
	Copy(values any) any
	Keys(values any) []Key
	Check(values any) []FieldError
	// Fixed tells whether a results folder depends on these values: none may change in it.
	Fixed() bool
}

// SectionOf is a Section whose values are the fields of a T: each has the name of its key as its json tag, and a
// row.
type SectionOf[T any] struct {
	Name     string
	Measured bool // makes it Fixed
	Rows     func(*T) []Key
}

func (s *SectionOf[T]) Title() string { return s.Name }

func (s *SectionOf[T]) Fixed() bool { return s.Measured }

func (s *SectionOf[T]) New() any {
	values := Usual(s.Rows)
	return &values
}

func (s *SectionOf[T]) Copy(values any) any {
	same := *values.(*T)
	return &same
}

func (s *SectionOf[T]) Keys(values any) []Key { return Keys(values, s.Rows(values.(*T))) }

func (s *SectionOf[T]) Check(values any) []FieldError { return Check(values, s.Rows(values.(*T))) }
