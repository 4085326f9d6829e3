package consumers

import (
	"bytes"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/rhysd/actionlint"
	"go.yaml.in/yaml/v4"

	"pgmpi/internal/version"
	"pgmpi/testkit/must"
	"pgmpi/testkit/should"
)

// pinned is an action by the commit that a version of it was when we looked at it: a tag can be moved.
var pinned = regexp.MustCompile(`@[0-9a-f]{40} # (v\d+)\.\d+\.\d+`)

// GitHub does not run here. actionlint knows its syntax and expressions, and what its actions take, by their tags.
func TestWorkflowsAreWhatGitHubTakes(t *testing.T) {
	dir := t.TempDir()
	ours := filepath.Join(dir, "actionlint.yaml")
	must.Do(t, os.WriteFile(ours, []byte("self-hosted-runner: { labels: [mpi] }\n"), 0o666))
	linter := must.Get(actionlint.NewLinter(io.Discard, &actionlint.LinterOptions{ConfigFile: ours}))(t)
	workflows := append(must.Get(filepath.Glob("../../examples/ci/github-*.yml"))(t), must.Get(filepath.Glob("../../.github/workflows/*.yml"))(t)...)
	must.Hold(t, len(workflows) == 3, "%q", workflows)
	for i, path := range workflows {
		text := string(must.Get(os.ReadFile(path))(t))
		if uses, pins := strings.Count(text, "uses: "), len(pinned.FindAllString(text, -1)); uses == 0 || uses != pins {
			t.Errorf("%s: %d of %d actions are pinned by a commit, with its version in a comment", path, pins, uses)
		}
		workflows[i] = filepath.Join(dir, filepath.Base(path))
		must.Do(t, os.WriteFile(workflows[i], []byte(pinned.ReplaceAllString(text, "@$1 #")), 0o666))
	}
	for _, wrong := range must.Get(linter.LintFiles(workflows, nil))(t) {
		t.Error(wrong)
	}
}

// The script of the action runs here, with a pgmpi that tells what it was given.
func TestTheActionRunsACheckAndKeepsItsResults(t *testing.T) {
	var action struct {
		Inputs map[string]struct{ Description, Default string }
		Runs   struct {
			Using string
			Steps []struct {
				Shell, Run, Uses string
				Env              map[string]string
			}
		}
	}
	text := must.Get(os.ReadFile("../../action.yml"))(t)
	must.Do(t, yaml.Unmarshal(text, &action))
	steps := action.Runs.Steps
	must.Hold(t, action.Runs.Using == "composite" && len(steps) == 2 && pinned.Match(text), "%+v", action)
	dir := t.TempDir()
	must.Do(t, os.WriteFile(filepath.Join(dir, "pgmpi"), []byte("#!/bin/sh\nprintf '<%s>' \"$@\"\n"), 0o777))
	for baseline, want := range map[string]string{"": "<--mpiruns><6><--format>", "good nights": "<--mpiruns><6><--baseline><good nights><--format>"} {
		script := exec.Command("bash", "-eo", "pipefail", "-c", steps[0].Run)
		script.Env = append(os.Environ(), "PATH="+dir+":"+os.Getenv("PATH"), "GUIDELINES=my gl.toml", "BASELINE="+baseline, "FLAGS=--mpiruns 6", "GITHUB_STEP_SUMMARY=summary.md")
		out := string(must.Get(script.CombinedOutput())(t))
		if !strings.HasPrefix(out, "<check><my gl.toml><--out><pgmpi-results>"+want) {
			t.Errorf("%q: %s", baseline, out)
		}
	}
	for name := range steps[0].Env {
		if _, ok := action.Inputs[strings.ToLower(name)]; !ok {
			t.Errorf("there is no input for %s", name)
		}
	}
}

// cite has what https://github.com/citation-file-format/citation-file-format/blob/1.2.0/schema-guide.md asks for, and
// what we have of the rest.
type cite struct {
	CFF     string `yaml:"cff-version"`
	Message string
	Work    `yaml:",inline"`
	License string
	Version string

	Abstract   string
	Keywords   []string
	References []Work
}

type Work struct {
	Type, Title string
	Authors     []struct {
		Name        string
		FamilyNames string `yaml:"family-names"`
		GivenNames  string `yaml:"given-names"`
	}
	Year        int
	Conference  struct{ Name string }
	Identifiers []struct{ Type, Value, Description string }
}

func TestTheCitationHasEveryFieldThatWeKnow(t *testing.T) {
	var c cite
	known := yaml.NewDecoder(bytes.NewReader(must.Get(os.ReadFile("../../CITATION.cff"))(t)))
	known.KnownFields(true)
	must.Do(t, known.Decode(&c))
	should.Equal(t, c.CFF+" "+c.Type+" "+c.Version, "1.2.0 software "+strings.Split(version.String(), "+")[0])
	for _, w := range append(c.References, c.Work) {
		should.Hold(t, w.Title != "" && w.Type != "" && len(w.Authors) > 0, "%+v", w)
	}
	should.Hold(t, c.Message != "" && c.Abstract != "" && c.License != "" && len(c.References) > 1, "%+v", c)
}
