package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"pgmpi/internal/conf/glfile"
	"pgmpi/testkit/mpirun"
	"pgmpi/testkit/must"
	"pgmpi/testkit/should"
)

// exampleOf reads a script below examples/.
func exampleOf(t *testing.T, path string) string {
	t.Helper()
	script := must.Get(filepath.Abs(filepath.Join("../../examples", path)))(t)
	return script
}

func TestEveryExampleHasAReadmeAndAScript(t *testing.T) {
	folders, err := filepath.Glob("../../examples/[a-z]*")
	must.Hold(t, err == nil && len(folders) >= 5, "%v %v", folders, err)
	index := must.Get(os.ReadFile("../../examples/README.md"))(t)
	for _, f := range folders {
		name := filepath.Base(f)
		should.Hold(t, strings.Contains(string(index), "\n| ["+name+"]("+name+") | "), "examples/README.md lacks %s", name)
		scripts, _ := filepath.Glob(filepath.Join(f, "*.sh"))
		makefile, _ := filepath.Glob(filepath.Join(f, "Makefile"))
		should.Hold(t, len(scripts)+len(makefile) != 0, "%s has no script", f)
		_, err := os.Stat(filepath.Join(f, "README.md"))
		should.Do(t, err)
	}
}

// The page and the example show one file.
func TestTheExampleOfGuidelinesIsThatOfItsPage(t *testing.T) {
	file := must.Get(os.ReadFile(exampleOf(t, "guideline/gl.toml")))(t)
	page := must.Get(os.ReadFile("../../docs/how-to-guideline.md"))(t)
	plain := func(text string) string { // without comments and blanks before them
		var lines []string
		for line := range strings.Lines(text) {
			line, _, _ = strings.Cut(line, "#")
			if line = strings.TrimSpace(line); line != "" {
				lines = append(lines, line)
			}
		}
		return strings.Join(lines, "\n")
	}
	_, shown, _ := strings.Cut(string(page), "```toml\n")
	shown, _, _ = strings.Cut(shown, "```")
	if plain(shown) != plain(string(file)) {
		t.Errorf("docs/how-to-guideline.md shows\n%s\nand examples/guideline/gl.toml is\n%s", plain(shown), plain(string(file)))
	}
}

func TestFilesOfExamplesAreValid(t *testing.T) {
	files, _ := filepath.Glob("../../examples/*/*.toml")
	must.Hold(t, len(files) >= 4, "%v", files)
	for _, f := range files {
		_, err := glfile.Load(f)
		should.Do(t, err)
	}
}

// The calls are fewer and smaller than by default: the test shows only that the examples run.
func TestExamplesRun(t *testing.T) {
	t.Parallel()
	b := newFixture(t, mpirun.Libraries[1])
	b.Env = append(b.Env, "PGMPI_RANK="+b.Rank)
	nights := filepath.Join(b.Dir, "nights")
	b.Run(exampleOf(t, "nightly/night.sh"), nights, "--method", "paper", "--mpiruns", "3", "--msizes", "64", "--nrep-max", "10", "--no-split-experiment").Exits(t, 0, 1).
		Shows(t, "^TOO FEW CHECKS to see a lasting change: 1 check of ")

	tuned := filepath.Join(b.Dir, "tuned")
	b.Run(exampleOf(t, "tune/tune.sh"), tuned, "--mpiruns", "4", "--alpha", "0.5", "--nrep-max", "10", "--msizes", "64").Exits(t, 0, 1).Shows(t, "^ *size +Reduce ")
	for _, side := range []string{"a", "b"} {
		_, err := os.Stat(filepath.Join(tuned, side, "report.json"))
		should.Do(t, err)
	}

	b.Run(exampleOf(t, "guideline/check.sh"), b.Out, "--method", "paper", "--mpiruns", "3", "--nrep-max", "10", "--no-split-experiment").Exits(t, 0, 1).
		Shows(t, "reduce-large", "bcast-grows", "scan-splits")

	studies := []string{"gather"}
	if mpirun.Everything {
		studies = append(studies, "reduce")
	}
	for _, study := range studies {
		b.Run(exampleOf(t, "case-studies/study.sh"), study, filepath.Join(b.Dir, study), "--mpiruns", "6", "--msizes", "64Ki", "--nrep-max", "10").Exits(t, 0).
			Shows(t, "1 test[,. ]", "MENDED|FASTER|TRADE|NOT SHOWN|NOTHING TO MEND")
	}

	b.Env = append(b.Env, "MPICC=mpicc."+b.Lib.Name, "STEPS=50")
	b.Run(exampleOf(t, "gain/gain.sh"), filepath.Join(b.Dir, "gain"), "--method", "paper", "--mpiruns", "3", "--nrep-max", "10").Exits(t, 0).
		Shows(t, "blocking collectives", "solver would gain |No gain is shown for solver|Change no setting: ")

	pictures := filepath.Join(b.Dir, "pictures")
	b.Env = append(b.Env, "PYTHON=/usr/bin/python3")
	s := b.Run(exampleOf(t, "figures/figures.sh"), pictures, b.Out).Exits(t, 0)
	for _, made := range []string{"samples.csv", "heat-p2.pdf"} {
		_, err := os.Stat(filepath.Join(pictures, made))
		should.Do(t, err)
	}
	if _, err := exec.LookPath("Rscript"); err == nil {
		s.Shows(t, `^wrote .*latency\.pdf with \d+ run medians$`)
	}
	if exec.Command("/usr/bin/python3", "-c", "import pandas").Run() == nil {
		s.Shows(t, `max/min`, `MPI_\w+ +\d+ +\d+\.\d`)
	}
}
