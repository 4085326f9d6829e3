package glfile

import (
	"encoding/json"
	"reflect"
	"slices"
	"strings"
	"time"

	"pgmpi/guidelines"
	"pgmpi/internal/conf"
	"pgmpi/internal/schema"
)

// inTOML is how gl.toml has Go's values.
var inTOML = schema.Format{Tag: "toml", Strict: true, Special: func(t reflect.Type) *schema.Schema {
	switch t {
	case reflect.TypeFor[conf.Bytes]():
		return sizeOf()
	case reflect.TypeFor[guidelines.MsizeList]():
		return &schema.Schema{Type: "array", Items: sizeOf()}
	case reflect.TypeFor[conf.Duration](), reflect.TypeFor[time.Duration]():
		return &schema.Schema{Type: "string"}
	}
	return nil
}}

// Schema returns the JSON schema of gl.toml, by which editors complete and check it.
func Schema() ([]byte, error) {
	root := schema.Root("gl.toml of pgmpi", table())
	d := Default()
	for _, k := range Keys() {
		v := d.field(k.Name)
		into, words := root, strings.Split(k.Name, ".")
		for _, word := range words[:len(words)-1] {
			into = within(into, word)
		}
		of := inTOML.Of(v.Type())
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
		into.Put(words[len(words)-1], of)
	}
	tables := reflect.TypeFor[File]()
	for i := range tables.NumField() {
		if f := tables.Field(i); f.Type.Kind() == reflect.Slice { // [[guideline]], [[mockup]]
			root.Put(f.Tag.Get("toml"), inTOML.Of(f.Type))
		}
	}
	return json.MarshalIndent(root, "", "  ")
}

func table() *schema.Schema { return &schema.Schema{Type: "object", Additional: false} }

func within(s *schema.Schema, name string) *schema.Schema {
	if s.Properties[name] == nil {
		s.Put(name, table())
	}
	return s.Properties[name]
}

// sizeOf returns the schema of bytes: "64Ki" or 65536.
func sizeOf() *schema.Schema { return &schema.Schema{Type: []string{"string", "integer"}} }
