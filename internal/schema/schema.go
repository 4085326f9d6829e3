// Package schema makes JSON schemas, draft 2020-12, from the types of Go that files are read into and written from.
//
// It takes a type, and how the format of the file writes Go's values, and returns a schema. It knows no file.
package schema

import (
	"encoding"
	"encoding/json"
	"reflect"
	"slices"
	"strings"
	"time"
)

const draft = "https://json-schema.org/draft/2020-12/schema"

type Schema struct {
	Draft       string             `json:"$schema,omitempty"`
	Title       string             `json:"title,omitempty"`
	Description string             `json:"description,omitempty"`
	Type        any                `json:"type,omitempty"` // one name, or several
	Format      string             `json:"format,omitempty"`
	Default     json.RawMessage    `json:"default,omitempty"`
	Enum        []string           `json:"enum,omitempty"`
	Items       *Schema            `json:"items,omitempty"`
	Properties  map[string]*Schema `json:"properties,omitempty"`
	Required    []string           `json:"required,omitempty"`
	// Additional is false where other keys are errors, or the schema of their values.
	Additional any `json:"additionalProperties,omitempty"`
}

// Root returns the schema of a whole file.
func Root(title string, s *Schema) *Schema {
	s.Draft, s.Title = draft, title
	return s
}

func (s *Schema) Put(name string, of *Schema) {
	if s.Properties == nil {
		s.Properties = map[string]*Schema{}
	}
	s.Properties[name] = of
}

// Format says how a file has Go's values.
type Format struct {
	Tag string // of a struct's fields
	// Strict formats take no other keys. Others have every field, unless it may be left out, and null for nil.
	Strict bool
	// Special returns the schema of a type that is not written as its kind is, else nil.
	Special func(reflect.Type) *Schema
}

// JSON is how encoding/json writes.
var JSON = Format{Tag: "json"}

// Of returns the schema of a type's values.
func (f Format) Of(t reflect.Type) *Schema {
	s := f.present(t)
	switch kind := t.Kind(); {
	case f.Strict || s.Type == nil:
	case kind == reflect.Pointer, kind == reflect.Map, kind == reflect.Slice:
		s.Type = []any{s.Type, "null"}
	}
	return s
}

// present returns the schema of values that are not nil.
func (f Format) present(t reflect.Type) *Schema {
	if f.Special != nil {
		if s := f.Special(t); s != nil {
			return s
		}
	}
	switch {
	case t == reflect.TypeFor[time.Time]():
		return &Schema{Type: "string", Format: "date-time"}
	case t.Implements(reflect.TypeFor[json.Marshaler]()):
		return &Schema{}
	case reflect.PointerTo(t).Implements(reflect.TypeFor[encoding.TextUnmarshaler]()):
		return &Schema{Type: "string"}
	}
	switch t.Kind() {
	case reflect.Pointer:
		return f.present(t.Elem())
	case reflect.Slice, reflect.Array:
		return &Schema{Type: "array", Items: f.Of(t.Elem())}
	case reflect.Map:
		return &Schema{Type: "object", Additional: f.Of(t.Elem())}
	case reflect.Struct:
		s := &Schema{Type: "object"}
		if f.Strict {
			s.Additional = false
		}
		f.fields(t, s)
		return s
	case reflect.Bool:
		return &Schema{Type: "boolean"}
	case reflect.Float64:
		return &Schema{Type: "number"}
	case reflect.Int, reflect.Int64, reflect.Uint64:
		return &Schema{Type: "integer"}
	case reflect.String:
		return &Schema{Type: "string"}
	}
	return &Schema{}
}

// fields puts the fields of a struct, and of structs that are embedded in it.
func (f Format) fields(t reflect.Type, into *Schema) {
	for i := range t.NumField() {
		field := t.Field(i)
		name, options, _ := strings.Cut(field.Tag.Get(f.Tag), ",")
		switch {
		case name == "-":
		case field.Anonymous && name == "":
			f.embedded(field.Type, into)
		case field.IsExported() && (name != "" || !f.Strict):
			if name == "" {
				name = field.Name
			}
			if slices.Contains(strings.Split(options, ","), "omitempty") || strings.Contains(options, "omitzero") {
				into.Put(name, f.present(field.Type))
				continue
			}
			into.Put(name, f.Of(field.Type))
			if !f.Strict {
				into.Required = append(into.Required, name)
			}
		}
	}
}

// embedded puts the fields of a struct in another one; where it is a pointer, all may be missing.
func (f Format) embedded(t reflect.Type, into *Schema) {
	if t.Kind() != reflect.Pointer {
		f.fields(t, into)
		return
	}
	required := len(into.Required)
	f.fields(t.Elem(), into)
	into.Required = into.Required[:required]
}
