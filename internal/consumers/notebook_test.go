package consumers

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"pgmpi/testkit/must"
	"pgmpi/testkit/should"
)

func TestTheNotebookDrawsAKeptFolder(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	needs := `import IPython, ipykernel, matplotlib, nbconvert, pandas`
	if out, err := exec.Command("/usr/bin/python3", "-c", needs).CombinedOutput(); err != nil {
		t.Skipf("no Jupyter with pandas: apt-get install jupyter-nbconvert python3-ipykernel python3-pandas python3-matplotlib (%s)", lastLine(string(out)))
	}
	must.Do(t, os.WriteFile(filepath.Join(dir, "nrep.ipynb"), must.Get(os.ReadFile("../../examples/notebook/nrep.ipynb"))(t), 0o666))
	samples := filepath.Join(dir, "samples.csv")
	out, err := inModule("pgmpi", "export", "testdata/recompute/looks", "--out", samples)
	must.Hold(t, err == nil, "%s", out)
	run := exec.Command("/usr/bin/python3", "-m", "nbconvert", "--to", "notebook", "--execute", "--output", "ran", "nrep.ipynb")
	run.Dir, run.Env = dir, append(os.Environ(), "SAMPLES="+samples)
	said, err := run.CombinedOutput()
	must.Hold(t, err == nil, "%s", said)
	drawn, err := os.Stat(filepath.Join(dir, "rse.pdf"))
	should.Hold(t, err == nil && drawn.Size() > 1000, "%v", err)
}

func TestTheSamePictureInR(t *testing.T) {
	t.Parallel()
	if _, err := exec.LookPath("Rscript"); err != nil {
		t.Skip("no Rscript here")
	}
	dir := t.TempDir()
	samples, picture := filepath.Join(dir, "samples.csv"), filepath.Join(dir, "rse.pdf")
	out, err := inModule("pgmpi", "export", "testdata/recompute/looks", "--out", samples)
	must.Hold(t, err == nil, "%s", out)
	said, err := exec.Command("Rscript", "../../examples/notebook/nrep.R", samples, picture).CombinedOutput()
	must.Hold(t, err == nil, "%s", said)
	drawn, err := os.Stat(picture)
	should.Hold(t, err == nil && drawn.Size() > 1000, "%v", err)
}
