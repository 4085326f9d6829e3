package consumers

import (
	"io"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/rhysd/actionlint"

	"pgmpi/testkit/must"
)

// pinned is an action by the commit that a version of it was when we looked at it: a tag can be moved.
var pinned = regexp.MustCompile(`@[0-9a-f]{40} # (v\d+)\.\d+\.\d+`)

// GitHub does not run here. actionlint knows its syntax and expressions, and what its actions take, by their tags.
func TestWorkflowsAreWhatGitHubTakes(t *testing.T) {
	dir := t.TempDir()
	ours := filepath.Join(dir, "actionlint.yaml")
	must.Do(t, os.WriteFile(ours, []byte("self-hosted-runner: { labels: [mpi] }\n"), 0o666))
	linter := must.Get(actionlint.NewLinter(io.Discard, &actionlint.LinterOptions{ConfigFile: ours}))(t)
	workflows := must.Get(filepath.Glob("../../examples/ci/github-*.yml"))(t)
	must.Hold(t, len(workflows) == 2, "%q", workflows)
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
