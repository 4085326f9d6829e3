package launch

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"time"

	"pgmpi/guidelines"
	"pgmpi/measure/protocol"
)

func Cores() int { return runtime.NumCPU() }

// Launch returns the argument list, with "{np}", "{nodes}" and "{ppn}" and without
// the rank program, that starts the ranks of a shape: the configured one, or the
// default of the library that the rank program is built for. The one word "srun"
// stands for Slurm's default.
func Launch(c Config, rank protocol.RankInfo, shape guidelines.Shape) ([]string, error) {
	argv, err := c.Words, startedByLauncher()
	if err != nil {
		return nil, err
	}
	known := find(rank.Library)
	switch {
	case c.oneWord("srun") && os.Getenv("SLURM_JOB_ID") == "":
		return nil, errors.New("srun would ask for an allocation for every mpirun: start pgmpi inside one, with salloc or sbatch")
	case c.oneWord("srun"):
		argv, err = srun(argv[0], rank, c.wishFor(shape))
	case len(argv) == 0 && known.family == "":
		return nil, fmt.Errorf("the rank program is built for %s, and no launcher is known for it; give one with --launch, for example --launch \"mpiexec -n {np}\"", rank.BuiltFor)
	case len(argv) == 0:
		argv, err = c.findLauncher(known.launchers, rank, c.wishFor(shape))
	}
	if err != nil {
		return nil, err
	}
	if of := filepath.Join(c.Library, "bin", argv[0]); c.Library != "" && !strings.Contains(argv[0], "/") && there(of) {
		argv = append([]string{of}, argv[1:]...)
	}
	if _, err := exec.LookPath(argv[0]); err != nil {
		return nil, fmt.Errorf("launcher %q: %w; see --launch and mpi.launch", argv[0], errors.Unwrap(err))
	}
	return c.settle(argv, shape)
}

func (c Config) oneWord(program string) bool {
	return len(c.Words) == 1 && filepath.Base(c.Words[0]) == program
}

// srun starts ranks as a step of a Slurm job, only when asked for: the library's own
// mpirun knows Slurm too. Standard input goes to rank 0 alone, and a rank that dies ends
// the step (-K).
func srun(program string, rank protocol.RankInfo, w wish) ([]string, error) {
	known := find(rank.Library)
	if known.family == "" {
		return nil, fmt.Errorf("the rank program is built for %s: say how srun starts it, as in --launch \"srun -K --input=0 --mpi=pmix -n {np}\"", rank.BuiltFor)
	}
	pmi := known.pmi
	if strings.Contains(rank.LibVersion, "CRAY MPICH") {
		pmi = "cray_shasta" // it knows neither PMI2 nor PMIx of others
	}
	words := []string{program, "-K", "--input=0", "--mpi=" + pmi, "-n", "{np}"}
	words = append(words, when(w.grid, "-N", "{nodes}", "--ntasks-per-node={ppn}", "--distribution=block")...)
	words = append(words, when(w.several, "--cpus-per-task={cpus}")...)
	return append(words, when(w.shared, "--overcommit")...), nil
}

func (c Config) findLauncher(known []launcher, rank protocol.RankInfo, w wish) ([]string, error) {
	var tried []string
	names := c.candidates(known, rank.MPICC)
	for _, name := range names {
		path, err := exec.LookPath(name)
		if err != nil {
			continue
		}
		version := versionText(path)
		i := slices.IndexFunc(known, func(l launcher) bool { return l.says.MatchString(version) })
		if i < 0 {
			tried = append(tried, path+" (of another library)")
			continue
		}
		l := known[i]
		if l.refuses != nil {
			err = l.refuses()
		}
		return append([]string{path}, l.words(w)...), err
	}
	tried = append(tried, slices.DeleteFunc(names, func(name string) bool { return filepath.IsAbs(name) && c.Library == "" })...)
	return nil, fmt.Errorf("no mpirun for %s was found (tried %s); put it on the PATH or give it with --launch", rank.BuiltFor, strings.Join(tried, ", "))
}

// candidates lists the programs of all launchers, those beside the compiler wrapper first, or only
// the programs of the configured library.
func (c Config) candidates(known []launcher, mpicc string) []string {
	var beside, names []string
	for _, l := range known {
		for _, p := range l.programs {
			if slices.Contains(names, p) {
				continue
			}
			if c.Library != "" {
				p = filepath.Join(c.Library, "bin", p)
			}
			names = append(names, p)
			if c.Library == "" && filepath.IsAbs(mpicc) {
				beside = append(beside, filepath.Join(filepath.Dir(mpicc), p))
			}
		}
	}
	return append(beside, names...)
}

// versionText returns a launcher's answer to --version, even if it exits with an error.
func versionText(path string) string {
	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
	defer cancel()
	out, _ := exec.CommandContext(ctx, path, "--version").CombinedOutput()
	return string(out)
}
