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

	"pgmpi/guidelines"
	"pgmpi/internal/lists"
	"pgmpi/measure/host"
	"pgmpi/measure/protocol"
)

func Cores() int { return runtime.NumCPU() }

// Launch returns the argument list that starts the ranks of a shape, without the rank program. It has
// "{np}", "{nodes}" and "{ppn}", and is the configured one, or the default of the library that the rank
// program is built for. The one word "srun" stands for Slurm's default.
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
	names := c.candidates(known, rank)
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

// candidates lists the programs of all launchers, those next to the compiler wrapper first, or the first one
// on the PATH for a rank program of any library. With a configured library it lists only that library's.
func (c Config) candidates(known []launcher, rank protocol.RankInfo) []string {
	var beside, names []string
	mpicc := rank.MPICC
	if strings.HasPrefix(rank.BuiltFor, abiHeaders) {
		mpicc = ""
		if mpirun, _ := c.firstLauncher(); mpirun != "" {
			names = append(names, mpirun)
		}
	}
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

type Config struct {
	Words       []string // with "{np}" and the like; if empty, the library's
	Hostfile    string   // for {hostfile}
	CPUsPerRank int      // 0 means 1
	Library     string   // the folder in which the library is installed, if it is not to be found
}

type wish struct {
	grid     bool // {nodes} with {ppn} ranks on each
	shared   bool // ranks share cores
	several  bool // cores for each rank: {cpus}
	hostfile bool
}

// openMPI returns the words of Open MPI's mpirun; oversubscribe lets ranks share cores where
// no nodes are given.
func openMPI(oversubscribe ...string) func(wish) []string {
	return func(w wish) []string {
		words, by := []string{"-np", "{np}"}, ""
		w.several = w.several && !w.shared // there is nothing to keep apart
		words = append(words, when(w.hostfile, "--hostfile", "{hostfile}")...)
		switch {
		case w.grid:
			by = "ppr:{ppn}:node"
		case w.several:
			by = "slot"
		case w.shared:
			words = append(words, oversubscribe...)
		}
		if by != "" {
			if w.several {
				by += ":PE={cpus}"
			}
			if w.shared {
				by += ":OVERSUBSCRIBE"
			}
			words = append(words, "--map-by", by)
		}
		if w.shared {
			return append(words, "--bind-to", "none")
		}
		return append(words, "--bind-to", "core")
	}
}

func hydra(w wish) []string {
	words := []string{"-np", "{np}"}
	words = append(words, when(w.hostfile, "-f", "{hostfile}")...)
	words = append(words, when(w.grid, "-ppn", "{ppn}")...)
	switch {
	case w.shared:
		return words
	case w.several:
		return append(words, "-bind-to", "core:{cpus}")
	}
	return append(words, "-bind-to", "core")
}

func when(wanted bool, words ...string) []string {
	if !wanted {
		return nil
	}
	return words
}

func (c Config) wishFor(shape guidelines.Shape) wish {
	_, shared := Crowded(shape, c.CPUsPerRank)
	return wish{grid: shape.Nodes > 0, shared: shared, several: c.CPUsPerRank > 1, hostfile: c.Hostfile != ""}
}

// settle fills in what is the same for every shape. It leaves the numbers of processes and nodes.
func (c Config) settle(words []string, shape guidelines.Shape) ([]string, error) {
	all := strings.Join(words, " ")
	grid := strings.Contains(all, "{ppn}") || strings.Contains(all, "{nodes}")
	switch {
	case shape.Nodes == 0 && grid:
		return nil, fmt.Errorf("the launcher %q wants {nodes} or {ppn}, and p = %d says nothing of nodes: give --shape NODESxPPN in place of --np, such as --shape %dx1", all, shape.NP, shape.NP)
	case shape.Nodes == 0 && !strings.Contains(all, "{np}"):
		return nil, fmt.Errorf("the launcher %q lacks {np}, which stands for the number of processes: \"mpirun -np {np}\"", all)
	case shape.Nodes > 0 && !grid && !strings.Contains(all, "{np}"):
		return nil, fmt.Errorf("the launcher %q lacks {ppn} and {nodes}: \"mpirun -np {np} --map-by ppr:{ppn}:node\", \"mpiexec -n {np} -ppn {ppn}\", \"srun -n {np} -N {nodes} --ntasks-per-node={ppn}\"", all)
	}
	if strings.Contains(all, "{hostfile}") {
		file, err := c.hostfile()
		if err != nil {
			return nil, err
		}
		words = replaced(words, "{hostfile}", file)
	}
	return replaced(words, "{cpus}", strconv.Itoa(max(1, c.CPUsPerRank))), nil
}

func (c Config) hostfile() (string, error) {
	if c.Hostfile == "" {
		return "", fmt.Errorf("the launcher wants a {hostfile}: give one with --hostfile, such as --hostfile \"$PBS_NODEFILE\" (in Slurm leave {hostfile} out: its launchers know the nodes)")
	}
	if _, err := os.Stat(c.Hostfile); err != nil {
		return "", fmt.Errorf("--hostfile: %w", err)
	}
	return filepath.Abs(c.Hostfile)
}

func replaced(words []string, pairs ...string) []string {
	return lists.Map(words, strings.NewReplacer(pairs...).Replace)
}

func Placed(argv []string, s guidelines.Shape) []string {
	return replaced(argv, "{np}", strconv.Itoa(s.NP), "{nodes}", strconv.Itoa(s.Nodes), "{ppn}", strconv.Itoa(s.PPN))
}

func RankArgv(launch []string, rankPath string, s guidelines.Shape, args ...string) []string {
	return append(append(Placed(launch, s), rankPath, "--np", strconv.Itoa(s.NP)), args...)
}

// Crowded tells whether ranks of a shape share cores, and how many cores are known: those on
// one node if nodes are given. With no cores known it returns false.
func Crowded(s guidelines.Shape, cpusPerRank int) (cores int, crowded bool) {
	job, wanted := host.ReadJob(), max(1, cpusPerRank)
	if s.Nodes == 0 {
		cores = slots()
		if wanted > 1 && job != nil && job.NodeCPU > 0 {
			cores = max(Cores(), job.NodeCPU*max(1, job.NodeCount))
		}
		return cores, s.NP*wanted > cores
	}
	switch {
	case job != nil && job.NodeCPU > 0 && os.Getenv("SLURM_OVERCOMMIT") == "":
		cores = job.NodeCPU
	case s.Nodes == 1 || job != nil:
		cores = Cores()
	default: // nodes elsewhere
		return 0, false
	}
	return cores, s.PPN*wanted > cores
}

// DefaultNP returns the number of slots of the batch allocation, else of cores.
func DefaultNP() int {
	if j := host.ReadJob(); j != nil && j.Slots > 0 {
		return j.Slots
	}
	return Cores()
}

// slots returns how many ranks can have a core each: the tasks of a batch allocation, which
// may have many nodes, unless it was asked to overcommit; else the cores.
func slots() int {
	if os.Getenv("SLURM_OVERCOMMIT") != "" {
		return Cores()
	}
	return max(Cores(), DefaultNP())
}

// startedByLauncher returns an error if a launcher has started several copies of pgmpi: each
// would start ranks of its own.
func startedByLauncher() error {
	for _, v := range []string{"SLURM_STEP_NUM_TASKS", "OMPI_COMM_WORLD_SIZE", "PMI_SIZE"} {
		if n, err := strconv.Atoi(os.Getenv(v)); err == nil && n > 1 {
			return fmt.Errorf("pgmpi itself was started %d times (%s=%d), and it starts the ranks by itself: run it once, without srun or mpirun before it; --launch says how it starts them", n, v, n)
		}
	}
	return nil
}
