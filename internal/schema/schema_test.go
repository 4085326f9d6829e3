package schema

import (
	"encoding/json"
	"reflect"
	"testing"
	"time"

	"pgmpi/testkit/must"
	"pgmpi/testkit/should"
)

type inner struct {
	Deep []int `json:"deep"`
}

type Part struct {
	Of string `json:"of"`
}

type Shared struct {
	At time.Time `json:"at"`
}

func TestASchemaSaysWhatMayBeMissingAndWhatNull(t *testing.T) {
	got := func(f Format, v any) string { return string(must.Get(json.Marshal(f.Of(reflect.TypeOf(v))))(t)) }
	type all struct {
		Shared
		*Part
		Ratio *float64         `json:"ratio"`
		Times map[string]inner `json:"times,omitempty"`
		Raw   json.RawMessage  `json:"raw"`
		Not   int              `json:"-"`
	}
	should.Equal(t, got(JSON, all{}), `{"type":"object","properties":{"at":{"type":"string","format":"date-time"},"of":{"type":"string"},`+
		`"ratio":{"type":["number","null"]},"raw":{},"times":{"type":"object","additionalProperties":{"type":"object",`+
		`"properties":{"deep":{"type":["array","null"],"items":{"type":"integer"}}},"required":["deep"]}}},"required":["at","ratio","raw"]}`)
	should.Equal(t, got(Format{Tag: "toml", Strict: true}, struct {
		Sizes []string `toml:"sizes"`
		Not   bool
	}{}), `{"type":"object","properties":{"sizes":{"type":"array","items":{"type":"string"}}},"additionalProperties":false}`)
}
