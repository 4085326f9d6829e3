package consumers

import (
	"bytes"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/BurntSushi/toml"
	"github.com/santhosh-tekuri/jsonschema/v6"

	"pgmpi/internal/conf/glfile"
	"pgmpi/testkit/must"
	"pgmpi/testkit/should"
)

// compiled is the schema that `pgmpi init --schema` prints, closed: what it has no word for is wrong.
func compiled(t *testing.T, args ...string) *jsonschema.Schema {
	t.Helper()
	out, err := exec.Command("pgmpi", append([]string{"init", "--schema"}, args...)...).CombinedOutput()
	must.Hold(t, err == nil, "%q: %s", args, out)
	text := must.Get(jsonschema.UnmarshalJSON(bytes.NewReader(out)))(t)
	closed(text)
	c := jsonschema.NewCompiler()
	must.Do(t, c.AddResource("x.schema.json", text))
	return must.Get(c.Compile("x.schema.json"))(t)
}

func closed(part any) {
	object, is := part.(map[string]any)
	if !is {
		return
	}
	_, other := object["additionalProperties"]
	if _, fields := object["properties"].(map[string]any); fields && !other {
		object["additionalProperties"] = false
	}
	for _, of := range object {
		closed(of)
	}
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
	s := compiled(t)
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
	s := compiled(t)
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

func TestEveryDocumentIsWhatItsSchemaSays(t *testing.T) {
	named := regexp.MustCompile(`^\{\s*"schema": "pgmpi-(\w+)/\d`)
	unnamed := regexp.MustCompile(`^(?:elses-\d+-)?([\w-]+)\.json$`) // a list, or an answer about this machine
	compiledFor := map[string]*jsonschema.Schema{}
	for file, text := range matching(t, "*.json") {
		kind := unnamed.FindStringSubmatch(file)[1]
		if head := named.FindStringSubmatch(text); head != nil {
			kind = head[1]
		}
		value := must.Get(jsonschema.UnmarshalJSON(strings.NewReader(text)))(t)
		if strings.HasPrefix(text, "{\n  \"schema\": \"\"") {
			continue // of a test that made a part of one
		}
		if compiledFor[kind] == nil {
			compiledFor[kind] = compiled(t, kind)
		}
		err := compiledFor[kind].Validate(value)
		should.Hold(t, err == nil, "%s: %v", file, err)
	}
	should.Hold(t, compiledFor["report"].Validate(map[string]any{"schema": "pgmpi-report/1"}) != nil, "an empty report passes")
	should.Hold(t, len(compiledFor) > 15, "only %d kinds of documents", len(compiledFor))
}

func TestAnEditorFindsTheSchemaByTheFirstLine(t *testing.T) {
	if _, err := exec.LookPath("taplo"); err != nil {
		t.Skip("no taplo, which many editors check TOML with: npm install -g @taplo/cli")
	}
	dir := t.TempDir()
	schema := must.Get(exec.Command("pgmpi", "init", "--schema").Output())(t)
	must.Do(t, os.WriteFile(filepath.Join(dir, "gl.schema.json"), schema, 0o666))
	for text, wrong := range map[string]string{"": "", "[measure]\n": "", "[measure]\nmin_tim = 3\n": "'min_tim' was unexpected"} {
		must.Do(t, os.WriteFile(filepath.Join(dir, "gl.toml"), []byte(strings.SplitAfter(glfile.Template(), "\n")[0]+text), 0o666))
		lint := exec.Command("taplo", "lint", "gl.toml")
		lint.Dir = dir
		out, err := lint.CombinedOutput()
		should.Hold(t, (err != nil) == (wrong != "") && strings.Contains(string(out), wrong), "%q: %v: %s", text, err, out)
	}
}
