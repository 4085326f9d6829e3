package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"pgmpi/internal/exitcode"
	"pgmpi/internal/version"
	"pgmpi/testkit/mpirun"
	"pgmpi/testkit/must"
	"pgmpi/testkit/should"
)

// withLongName returns flags for a rank program whose path is long.
func withLongName(t *testing.T) []string {
	t.Helper()
	b := newFixture(t, mpirun.Libraries[1])
	path := filepath.Join(b.Dir, strings.Repeat("a-long-name-", 8))
	must.Do(t, os.Symlink(b.Rank, path))
	return []string{"--rank", path, "--np", "2"}
}

func TestUsageErrorsSayWhatIsWanted(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "gl.toml")
	must.Do(t, os.WriteFile(file, nil, 0o666))
	for _, c := range []struct{ args, want string }{
		{"check --np 2,two", `--np: "two" is no number of processes`},
		{"check --mpiruns ten", `--mpiruns: "ten" is no whole number`},
		{"check --alpha 5%", `--alpha: "5%" is no number`},
		{"check --min-slowdown 0.5", "--min-slowdown: is a ratio of at least 1"},
		{"check --split-tolerance -1", "--split-tolerance: must be at least 0"},
		{"check --looks 5x,10", `--looks: "5x" is no number of mpiruns`},
		{"check --looks 5:x,10", `--looks: "5:x" has no weight`},
		{"check --guidelines GL8,GL1:MPI_Bcast", `guidelines = ["GL8", "GL1:MPI_Bcast"]`},
		{"check --guidelines absent.toml", "there is no file or folder absent.toml: `pgmpi init` writes a gl.toml"},
		{"analyze " + file, file + " is a file, and a results folder is wanted"},
		{"compare " + file + " " + file, "is a file, and a results folder is wanted"},
		{"analyze --from osu " + file + " " + file, "is given twice"},
		{"analyze --guidelines " + file + " DIR", "--guidelines goes with --from"},
		{"check --alpha 5%", "5 % is 0.05, and 5 % more is a factor of 1.05"},
		{"analyze DIR --min-slowdown 1,05", "did you mean 1.05?"},
		{"compare A B --need 25%", `--need: "25%" is no number (25 % is 0.25, and 25 % more is a factor of 1.25)`},
		{"check --max-time 10min", "did you mean 10m?"},
		{"check --np 2 --msizes 8 1Ki", "commas separate the values"},
		{"check --np 2 --out " + file, file + " is a file: name a folder"},
		{"check --np 2 --resume", "--out FOLDER"},
		{"ab A.toml B.toml --resume", "--out FOLDER"},
		{"check " + filepath.Dir(file), "is a folder, and a gl.toml is wanted"},
		{"analyze absent", "there is no folder absent"},
		{"history absent", "there is no folder absent: give one that has results folders"},
		{"status " + file, file + " is a file, and a results folder is wanted"},
		{"analyze --from osu absent", "there is no file or folder absent"},
		{"analyze absent --format HTML", "did you mean html?"},
		{"export absent --out x.xlsx", "name the file x.csv or x.parquet"},
		{"export absent --out no/x.csv", "there is no folder no: make it first"},
		{"chekc", `there is no command "chekc": did you mean ` + "`pgmpi check`?"},
		{"diff a b", "did you mean `pgmpi compare`?"},
		{"man chek", "did you mean `pgmpi check`?"},
		{"nothing-like-it", "`pgmpi help` lists them"},
		{"check --dry-run --explain foo:bar", "a dry run has none"},
		{"ab --dry-run A.toml B.toml", "unknown flag: --dry-run"},
	} {
		of, _, _ := strings.Cut(c.args, " ")
		if of == "export" && !has(of) || strings.Contains(c.args+c.want, "--from") && !has(of+" --from") {
			continue
		}
		inProcess(strings.Fields(c.args)...).Exits(t, exitcode.Setup).Says(t, c.want)
	}
}

// A stage alone begins a new folder where none is named, as check does.
func TestAStageNeedsNoFolder(t *testing.T) {
	for _, stage := range []string{"nrep", "measure"} {
		s := inProcess(stage, "--np", "2", "--rank", "/nowhere/pgmpi-rank").Exits(t, exitcode.Setup).Says(t, "/nowhere/pgmpi-rank")
		should.Hold(t, !strings.Contains(s.Stderr, "--resume needs"), "%s", s.Stderr)
	}
}

func TestVersionAndHelpAsFlags(t *testing.T) {
	for _, flag := range []string{"--version", "-V", "-v"} {
		s := inProcess(flag).Exits(t, 0)
		should.Hold(t, strings.HasPrefix(s.Stdout, "pgmpi "+version.String()), "%s: %s", flag, s.Stdout)
	}
	for _, flag := range []string{"--help", "-h", "help"} {
		should.Equal(t, inProcess("help", flag).Exits(t, 0).Stdout, inProcess("help").Stdout, "help %s", flag)
	}
}

func TestAFullDiskIsAnErrorOfEveryText(t *testing.T) {
	full, err := os.OpenFile("/dev/full", os.O_WRONLY, 0)
	if err != nil {
		t.Skip(err)
	}
	defer full.Close()
	for _, args := range []string{"help", "help check", "check --help", "version", "list", "man", "completion bash"} {
		var errs strings.Builder
		code := execute(t.Context(), strings.Fields(args), full, &errs)
		if n := strings.Count(errs.String(), "no space left"); code != exitcode.Failed || n != 1 {
			t.Errorf("pgmpi %s: exit status %d; said %d times: %s", args, code, n, errs.String())
		}
	}
}

func TestMeasureWithoutStage1MeasuresNothing(t *testing.T) {
	out := filepath.Join(t.TempDir(), "out")
	args := append([]string{"measure", "--out", out}, withLongName(t)...)
	s := inProcess(args...).Exits(t, exitcode.Setup).Says(t, "run `pgmpi nrep --out "+out+"` first, or give nrep.fixed")
	should.Hold(t, !strings.Contains(s.Stderr, "go on with"), "nothing can go on:\n%s", s.Stderr)
	_, err := os.Stat(out)
	should.Hold(t, err != nil, "a results folder was made")
}

func TestDryRunAndListFitIn100Columns(t *testing.T) {
	s := inProcess(append([]string{"check", "--dry-run"}, withLongName(t)...)...).Exits(t, 0)
	// Words of a command line stay whole, however long.
	for line := range strings.Lines(s.Stdout) {
		if !strings.Contains(line, "a-long-name-") {
			mpirun.Said{Stdout: line}.WideLines(t, mpirun.TextWidth)
		}
	}
	s.Shows(t, `^  p2 +\S+ -np 2 .*\\$`, `^ +\S+a-long-name-\S* \\$`, `^ +--np 2$`,
		`^  p2 split experiment\s+rides in 15 mpiruns, which take .* longer, if something is found`, `^  p2 alternating calls\s+8 mpiruns of .*, if something is found`)
	inProcess("list").Exits(t, 0).WideLines(t, mpirun.TextWidth).Shows(t, `^identity:MPI_A `, `^ +empty$`)
}

func TestDryRunCountsNoFollowUpsWhereThereAreNone(t *testing.T) {
	for name, text := range map[string]string{
		"no split-robustness": "[check]\nguidelines = [\"GL8\"]\n",
		"no experiment":       "[measure]\nsplit_experiment = false\n",
		"method paper":        "[analyze]\nmethod = \"paper\"\n",
	} {
		file := filepath.Join(t.TempDir(), "gl.toml")
		must.Do(t, os.WriteFile(file, []byte(text), 0o666))
		s := inProcess(append([]string{"check", "--dry-run", "--guidelines", file}, withLongName(t)...)...).Exits(t, 0)
		should.Hold(t, !strings.Contains(s.Stdout, "p2 split experiment"), "%s: %s", name, s.Stdout)
	}
}
