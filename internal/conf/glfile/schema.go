package glfile

import (
	"encoding"
	"encoding/json"
	"reflect"
	"slices"
	"strings"
	"time"

	"pgmpi/guidelines"
	"pgmpi/internal/conf"
)

// schema is a part of a JSON schema, draft 2020-12.
type schema struct {
	Schema      string             `json:"$schema,omitempty"`
	Title       string             `json:"title,omitempty"`
	Description string             `json:"description,omitempty"`
	Type        any                `json:"type,omitempty"` // one name, or several
	Default     json.RawMessage    `json:"default,omitempty"`
	Enum        []string           `json:"enum,omitempty"`
	Items       *schema            `json:"items,omitempty"`
	Properties  map[string]*schema `json:"properties,omitempty"`
	// Additional is false where other keys are errors, or the schema of their values.
	Additional any `json:"additionalProperties,omitempty"`
}

// Schema returns the JSON schema of gl.toml, by which editors complete and check it.
func Schema() ([]byte, error) {
	root := &schema{Schema: "https://json-schema.org/draft/2020-12/schema", Title: "gl.toml of pgmpi", Type: "object", Additional: false}
	d := Default()
	for _, k := range Keys() {
		v := d.field(k.Name)
		into, words := root, strings.Split(k.Name, ".")
		for _, word := range words[:len(words)-1] {
			into = into.within(word)
		}
		of := typeOf(v.Type())
		of.Description = plain(k.Meaning())
		if raw, err := json.Marshal(v.Interface()); err != nil {
			return nil, err
		} else if string(raw) != "null" {
			of.Default = raw
		}
		switch {
		case len(k.Names) > 0 && of.Items != nil:
			of.Items.Enum = k.Names
		case len(k.Names) > 0:
			of.Enum = k.Names
			if text := v.Kind() == reflect.String; text && !slices.Contains(k.Names, v.String()) {
				of.Enum = append(slices.Clone(k.Names), v.String()) // "": as another key says
			}
		}
		into.put(words[len(words)-1], of)
	}
	tables := reflect.TypeFor[File]()
	for i := range tables.NumField() {
		if f := tables.Field(i); f.Type.Kind() == reflect.Slice { // [[guideline]], [[mockup]]
			root.put(f.Tag.Get("toml"), typeOf(f.Type))
		}
	}
	return json.MarshalIndent(root, "", "  ")
}

func (s *schema) put(name string, of *schema) {
	if s.Properties == nil {
		s.Properties = map[string]*schema{}
	}
	s.Properties[name] = of
}

func (s *schema) within(name string) *schema {
	if s.Properties[name] == nil {
		s.put(name, &schema{Type: "object", Additional: false})
	}
	return s.Properties[name]
}

// typeOf returns the schema of a Go type as TOML writes its values.
func typeOf(t reflect.Type) *schema {
	switch {
	case t == reflect.TypeFor[conf.Bytes]():
		return sizeOf()
	case t == reflect.TypeFor[guidelines.MsizeList]():
		return &schema{Type: "array", Items: sizeOf()}
	case t == reflect.TypeFor[conf.Duration](), t == reflect.TypeFor[time.Duration](),
		reflect.PointerTo(t).Implements(reflect.TypeFor[encoding.TextUnmarshaler]()):
		return &schema{Type: "string"}
	}
	switch t.Kind() {
	case reflect.Pointer:
		return typeOf(t.Elem())
	case reflect.Slice:
		return &schema{Type: "array", Items: typeOf(t.Elem())}
	case reflect.Map:
		return &schema{Type: "object", Additional: typeOf(t.Elem())}
	case reflect.Struct:
		return structOf(t)
	case reflect.Bool:
		return &schema{Type: "boolean"}
	case reflect.Float64:
		return &schema{Type: "number"}
	case reflect.Int, reflect.Int64, reflect.Uint64:
		return &schema{Type: "integer"}
	}
	return &schema{Type: "string"}
}

// sizeOf returns the schema of bytes: "64Ki" or 65536.
func sizeOf() *schema { return &schema{Type: []string{"string", "integer"}} }

func structOf(t reflect.Type) *schema {
	out := &schema{Type: "object", Additional: false}
	for i := range t.NumField() {
		name, _, _ := strings.Cut(t.Field(i).Tag.Get("toml"), ",")
		if name != "" && name != "-" {
			out.put(name, typeOf(t.Field(i).Type))
		}
	}
	return out
}
