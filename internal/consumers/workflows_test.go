package consumers

import (
	"io"
	"os"
	"path/filepath"
	"testing"

	"github.com/rhysd/actionlint"

	"pgmpi/internal/fixture/must"
)

// GitHub does not run here. actionlint knows its syntax and expressions, and what its actions take.
func TestWorkflowsAreWhatGitHubTakes(t *testing.T) {
	ours := filepath.Join(t.TempDir(), "actionlint.yaml")
	must.Do(t, os.WriteFile(ours, []byte("self-hosted-runner: { labels: [mpi] }\n"), 0o666))
	linter := must.Get(actionlint.NewLinter(io.Discard, &actionlint.LinterOptions{ConfigFile: ours}))(t)
	workflows := must.Get(filepath.Glob("../../examples/ci/github-*.yml"))(t)
	must.Hold(t, len(workflows) == 2, "%q", workflows)
	for _, wrong := range must.Get(linter.LintFiles(workflows, nil))(t) {
		t.Error(wrong)
	}
}
