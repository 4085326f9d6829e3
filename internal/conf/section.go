package conf

import (
	"errors"
	"fmt"
	"reflect"
	"slices"
)

// Key describes one key of gl.toml. Its flag with its help, the template and the tables of docs/ are all made from
// it. Text is Markdown; help and template show it as plain text.
type Key struct {
	Name  string   // such as "job.np"
	Text  string   // its meaning
	Names []string // allowed values, where these are names
	Empty string   // meaning of 0, "" or [], where that is the default
	More  string   // further sentences, not in the help of the flag

	Flag     string // without "--", if there is one
	Value    string // the flag's value, such as "LIST", if it takes one
	FlagText string // instead of Text, where the flag is written in another way

	// Field binds the key of a feature's section to its value there. Name and Names come from it.
	Field Field
}

// Field points to a key's value in a section, with its default and its limits.
type Field struct {
	at    any // pointer to it
	names []string
	reset func()
	check func() []error
}

// Limit returns what is wrong with a value; before that it may rewrite the value in the usual way.
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
func OneOf(field *string, usual, kind string, names []string) Field {
	f := At(field, usual, func(v *string) []error { return known(kind, names, *v) })
	f.names = names
	return f
}

// SomeOf binds a key to a field that holds at least one of these names.
func SomeOf(field *[]string, usual []string, kind, none string, names []string) Field {
	f := At(field, usual, func(v *[]string) []error { return known(kind, names, *v...) }, NotEmpty[string](none))
	f.names = names
	return f
}

func known(kind string, names []string, values ...string) (errs []error) {
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

// Unless returns an error unless ok holds.
func Unless(ok bool, format string, args ...any) []error {
	if ok {
		return nil
	}
	return []error{fmt.Errorf(format, args...)}
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
	values := new(T)
	for _, k := range s.Rows(values) {
		k.Field.reset()
	}
	return values
}

func (s *SectionOf[T]) Copy(values any) any {
	same := *values.(*T)
	return &same
}

func (s *SectionOf[T]) Keys(values any) []Key {
	rows, v := s.Rows(values.(*T)), reflect.ValueOf(values).Elem()
	for i := range rows {
		k := &rows[i]
		k.Names = k.Field.names
		for n := range v.NumField() {
			if v.Field(n).Addr().Interface() == k.Field.at {
				k.Name = v.Type().Field(n).Tag.Get("json")
			}
		}
	}
	return rows
}

func (s *SectionOf[T]) Check(values any) (errs []FieldError) {
	for _, k := range s.Keys(values) {
		for _, err := range k.Field.check() {
			errs = append(errs, FieldError{Key: k.Name, Msg: err.Error()})
		}
	}
	return errs
}
