package main

import (
	"encoding/json"
	"reflect"
	"slices"
	"strings"
	"testing"

	"pgmpi/internal/conf/glfile"
	"pgmpi/testkit/must"
	"pgmpi/testkit/should"
)

func TestEveryFieldOfASectionHasARow(t *testing.T) {
	for _, f := range features {
		for _, s := range f.Sections {
			named := map[string]bool{}
			for _, k := range s.Keys(s.New()) {
				should.Hold(t, k.Name != "" && !named[k.Name] && k.Text != "", "[%s] has a row %+v", s.Title(), k)
				named[k.Name] = true
			}
			fields := slices.DeleteFunc(reflect.VisibleFields(reflect.TypeOf(s.New()).Elem()), func(f reflect.StructField) bool { return f.Tag.Get("key") == "-" })
			should.Equal(t, len(named), len(fields), "keys of [%s]", s.Title())
			should.Hold(t, len(s.Check(s.New())) == 0, "defaults of [%s]: %v", s.Title(), s.Check(s.New()))
		}
	}
}

func TestTheTemplateWithAllFeaturesEqualsTheEmptyFile(t *testing.T) {
	f := must.Get(glfile.Parse("gl.toml", []byte(glfile.Template())))(t)
	must.Do(t, f.Validate(nil))
	should.Equal(t, string(must.Get(json.Marshal(f))(t)), string(must.Get(json.Marshal(glfile.Default()))(t)))
}

// Folders that were measured before must be read, and written again, as they are.
func TestSectionsInAManifestHaveTheOrderTheyAlwaysHad(t *testing.T) {
	needs(t, "explore", "overlap", "remedy")
	text := string(must.Get(json.Marshal(glfile.Default()))(t))
	rest := text
	for _, section := range []string{`"explore":{"algorithms":["all"],"select":3,"rounds":0}`, `"overlap":{"method":"time","tests":["1Mi","64Ki","4Ki"]}`,
		`"remedy":{"kinds":["environment","algorithm","component"],"proofs":8,"harm":0}`} {
		_, after, there := strings.Cut(rest, section)
		must.Hold(t, there, "%s is missing, or before another one, in:\n%s", section, text)
		rest = after
	}
}
