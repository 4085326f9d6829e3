package consumers

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/BurntSushi/toml"
	"github.com/santhosh-tekuri/jsonschema/v6"

	"pgmpi/internal/conf/glfile"
	"pgmpi/testkit/must"
	"pgmpi/testkit/should"
)

// schemaOf compiles the schema of gl.toml as `pgmpi init --schema` prints it.
func schemaOf(t *testing.T) *jsonschema.Schema {
	t.Helper()
	text := must.Get(glfile.Schema())(t)
	c := jsonschema.NewCompiler()
	c.DefaultDraft(jsonschema.Draft2020)
	must.Do(t, c.AddResource("gl.schema.json", must.Get(jsonschema.UnmarshalJSON(strings.NewReader(string(text))))(t)))
	return must.Get(c.Compile("gl.schema.json"))(t)
}

// valuesOf are the values of a TOML text as a validator of JSON takes them.
func valuesOf(t *testing.T, text string) any {
	t.Helper()
	values := map[string]any{}
	_, err := toml.Decode(text, &values)
	must.Do(t, err)
	return must.Get(jsonschema.UnmarshalJSON(bytes.NewReader(must.Get(json.Marshal(values))(t))))(t)
}

func TestTheSchemaTakesTheTemplateAndEveryExample(t *testing.T) {
	s := schemaOf(t)
	texts := map[string]string{"the template": glfile.Template(), "empty": ""}
	must.Do(t, filepath.WalkDir("../../examples", func(path string, _ os.DirEntry, err error) error {
		if err == nil && filepath.Ext(path) == ".toml" {
			texts[path] = string(must.Get(os.ReadFile(path))(t))
		}
		return err
	}))
	must.Hold(t, len(texts) > 3, "only %d files", len(texts))
	for name, text := range texts {
		err := s.Validate(valuesOf(t, text))
		should.Hold(t, err == nil, "%s: %v", name, err)
	}
}

func TestTheSchemaRefusesWhatPgmpiRefuses(t *testing.T) {
	s := schemaOf(t)
	for _, text := range []string{
		"[job]\nn = [2]", "[jobs]\nnp = [2]", "[job]\nnp = [\"2\"]", "[job]\nmsizes = [1.5]", "[measure]\ncache = \"lukewarm\"", "[measure]\nstall = 2",
		"[nrep]\nmetrics = [\"rsd\"]", "[analyze]\nalpha = \"low\"", "[[guideline]]\nid = \"a\"\npattern = { function = \"MPI_Bcast\", mock = \"x\" }", "[nrep.cov_mean]\nwidth = 1",
	} {
		f, refused := glfile.Parse("gl.toml", []byte(text))
		if refused == nil {
			refused = f.Validate(nil)
		}
		err := s.Validate(valuesOf(t, text))
		should.Hold(t, refused != nil && err != nil, "%s: pgmpi says %v, the schema %v", text, refused, err)
	}
}
