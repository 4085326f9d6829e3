package measure

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"time"

	"pgmpi/measure/results"
)

// launcher knows how one family of MPI libraries is started on this machine.
type launcher struct {
	families []string
	programs []string // in the order they are tried
	says     []string // one of these stands in the output of PROGRAM --version
	argv     func(program string, np, cores int) []string
	refuses  func() error // why it would not start anything; nil if it would
}

// launchers is filled by the files launch_*.go.
var launchers []launcher

// Cores is the number of cores in this process's affinity mask.
func Cores() int { return runtime.NumCPU() }

// DefaultNP is the number of slots of the batch allocation, else the cores.
func DefaultNP() int {
	if n, err := strconv.Atoi(os.Getenv("SLURM_NTASKS")); err == nil && n > 0 {
		return n
	}
	return Cores()
}

// Launch returns the argument list, with "{np}" and without the rank program,
// that starts np ranks of a rank program: the configured one, or that of the
// library which the rank program is built for.
func Launch(configured []string, rank results.RankInfo, np int) ([]string, error) {
	if len(configured) > 0 {
		return configuredLaunch(configured)
	}
	for _, l := range launchers {
		for _, f := range l.families {
			if f == rank.Library {
				return l.find(rank, np)
			}
		}
	}
	return nil, fmt.Errorf("the rank program is built for %s, and no launcher is known for it; give one with --launch, for example --launch \"mpiexec -n {np}\"", rank.BuiltFor)
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

func (l *launcher) find(rank results.RankInfo, np int) ([]string, error) {
	var tried []string
	for _, name := range l.candidates(rank.MPICC) {
		path, err := exec.LookPath(name)
		if err != nil {
			continue
		}
		if !l.is(path) {
			tried = append(tried, path+" (of another library)")
			continue
		}
		if l.refuses != nil {
			if err := l.refuses(); err != nil {
				return nil, err
			}
		}
		return l.argv(path, np, Cores()), nil
	}
	tried = append(tried, strings.Join(l.programs, ", "))
	return nil, fmt.Errorf("no mpirun for %s was found (tried %s); put it on the PATH or give it with --launch", rank.BuiltFor, strings.Join(tried, ", "))
}

// candidates prefers the launcher beside the compiler wrapper.
func (l *launcher) candidates(mpicc string) []string {
	names := l.programs
	if filepath.IsAbs(mpicc) {
		for i := len(l.programs) - 1; i >= 0; i-- {
			names = append([]string{filepath.Join(filepath.Dir(mpicc), l.programs[i])}, names...)
		}
	}
	return names
}

func (l *launcher) is(path string) bool {
	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
	defer cancel()
	out, _ := exec.CommandContext(ctx, path, "--version").CombinedOutput()
	for _, s := range l.says {
		if strings.Contains(string(out), s) {
			return true
		}
	}
	return false
}

// withNP fills "{np}" in.
func withNP(argv []string, np int) []string {
	out := make([]string, len(argv))
	for i, a := range argv {
		out[i] = strings.ReplaceAll(a, "{np}", strconv.Itoa(np))
	}
	return out
}
