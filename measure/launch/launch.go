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
	"strconv"
	"strings"
	"time"

	"pgmpi/measure/protocol"
)

// Cores is the number of cores in this process's affinity mask.
func Cores() int { return runtime.NumCPU() }

// DefaultNP is the number of slots of the batch allocation, else the cores.
func DefaultNP() int {
	if n, err := strconv.Atoi(os.Getenv("SLURM_NTASKS")); err == nil && n > 0 {
		return n
	}
	return Cores()
}

// Slots is how many ranks can have a core each: of a batch allocation, which may
// have many nodes, its tasks, unless it was asked to overcommit; else the cores.
func Slots() int {
	if os.Getenv("SLURM_OVERCOMMIT") != "" {
		return Cores()
	}
	return max(Cores(), DefaultNP())
}

// Launch returns the argument list, with "{np}" and without the rank program,
// that starts np ranks of a rank program: the configured one, or the default of
// the library that the rank program is built for. The one word "srun" is
// short for Slurm's.
func Launch(configured []string, rank protocol.RankInfo, np int) ([]string, error) {
	if len(configured) == 1 && filepath.Base(configured[0]) == "srun" {
		return srun(configured[0], rank)
	}
	if len(configured) > 0 {
		return configuredLaunch(configured)
	}
	known := find(rank.Library)
	if known == nil {
		return nil, fmt.Errorf("the rank program is built for %s, and no launcher is known for it; give one with --launch, for example --launch \"mpiexec -n {np}\"", rank.BuiltFor)
	}
	return findLauncher(known.launchers, rank, np)
}

// srun launches through Slurm, only when asked for: the library's own mpirun
// knows Slurm too. Standard input goes to rank 0 alone (without --input=0 the
// step hangs), a rank that dies ends the step (-K), and the way in which ranks
// find each other is the library's.
func srun(program string, rank protocol.RankInfo) ([]string, error) {
	if _, err := exec.LookPath(program); err != nil {
		return nil, fmt.Errorf("launcher %q: %w; it comes with Slurm", program, errors.Unwrap(err))
	}
	if os.Getenv("SLURM_JOB_ID") == "" {
		return nil, errors.New("srun would ask for an allocation for every mpirun: start pgmpi inside one, with salloc or sbatch")
	}
	known := find(rank.Library)
	if known == nil {
		return nil, fmt.Errorf("the rank program is built for %s: say how srun starts it, as in --launch \"srun -K --input=0 --mpi=pmix -n {np}\"", rank.BuiltFor)
	}
	return []string{program, "-K", "--input=0", "--mpi=" + known.pmi, "-n", "{np}"}, nil
}

func configuredLaunch(argv []string) ([]string, error) {
	if _, err := exec.LookPath(argv[0]); err != nil {
		return nil, fmt.Errorf("launcher %q: %w; see --launch and mpi.launch", argv[0], errors.Unwrap(err))
	}
	if !strings.Contains(strings.Join(argv, " "), "{np}") {
		return nil, fmt.Errorf("the launcher %q lacks {np}, which stands for the number of processes: \"mpirun -np {np}\"", strings.Join(argv, " "))
	}
	return argv, nil
}

// findLauncher takes the first program that says it is one of the known launchers.
func findLauncher(known []launcher, rank protocol.RankInfo, np int) ([]string, error) {
	var tried []string
	names := candidates(known, rank.MPICC)
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
		words := l.words
		if np > Slots() {
			words = l.shared
		}
		if l.refuses != nil {
			err = l.refuses()
		}
		return append([]string{path}, words...), err
	}
	tried = append(tried, slices.DeleteFunc(names, filepath.IsAbs)...)
	return nil, fmt.Errorf("no mpirun for %s was found (tried %s); put it on the PATH or give it with --launch", rank.BuiltFor, strings.Join(tried, ", "))
}

// candidates are the programs of all launchers, those beside the compiler
// wrapper first.
func candidates(known []launcher, mpicc string) []string {
	var beside, names []string
	for _, l := range known {
		for _, p := range l.programs {
			if slices.Contains(names, p) {
				continue
			}
			names = append(names, p)
			if filepath.IsAbs(mpicc) {
				beside = append(beside, filepath.Join(filepath.Dir(mpicc), p))
			}
		}
	}
	return append(beside, names...)
}

// versionText is what a launcher answers to --version; it may exit with an error
// and still have said it.
func versionText(path string) string {
	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
	defer cancel()
	out, _ := exec.CommandContext(ctx, path, "--version").CombinedOutput()
	return string(out)
}

// WithNP returns a launcher's argument list with the number of processes in place of "{np}".
func WithNP(argv []string, np int) []string {
	out := make([]string, len(argv))
	for i, a := range argv {
		out[i] = strings.ReplaceAll(a, "{np}", strconv.Itoa(np))
	}
	return out
}

// RankArgv is the command line that starts np ranks of a rank program; args are
// more of its arguments.
func RankArgv(launch []string, rankPath string, np int, args ...string) []string {
	return append(append(WithNP(launch, np), rankPath, "--np", strconv.Itoa(np)), args...)
}
