package host

import (
	"cmp"
	"maps"
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// ofMPI holds prefixes of the variables that set MPI libraries and batch systems.
var ofMPI = []string{"OMPI_", "PRTE_MCA_", "MPIR_CVAR_", "MPICH_ASYNC_PROGRESS", "UCX_", "FI_", "SLURM_", "MV2_", "I_MPI_"}

// ofProcesses holds prefixes of the variables that act on processes. They load code into ranks, choose
// where ranks load it from, set their malloc, or tell a library of pgmpi's that is loaded what to do.
var ofProcesses = []string{"LD_PRELOAD", "LD_LIBRARY_PATH", "MALLOC_", "GLIBC_TUNABLES", "PGMPI_"}

// ofDriver holds prefixes of variables of the driver. They tell an mpirun from the next, name the rank
// program (its hash is known), or belong to pgmpi's own tests.
var ofDriver = []string{"PGMPI_MPIRUN", "PGMPI_RANK", "PGMPI_TEST", "PGMPI_SCREENSHOTS"}

// ofSlurm holds prefixes of Slurm's variables that can change a result: where ranks
// are bound, and how they find each other. The others number jobs and steps, name users and
// accounts, or show in the layout.
var ofSlurm = []string{
	"SLURM_CPU_BIND", "SLURM_MEM_BIND", "SLURM_DISTRIBUTION", "SLURM_HINT", "SLURM_CPU_FREQ_REQ", "SLURM_MPI_TYPE", "SLURM_NETWORK",
}

// ofLaunchers holds prefixes of variables that launchers set for their own use,
// or for one rank only.
var ofLaunchers = []string{
	"OMPI_MCA_orte_", "OMPI_MCA_ess", "OMPI_MCA_pmix", "OMPI_MCA_initial_wdir", "OMPI_MCA_shmem_RUNTIME", "OMPI_MCA_mpi_oversubscribe",
	"OMPI_APP_CTX_", "OMPI_COMMAND", "OMPI_ARGV", "OMPI_COMM_WORLD_", "OMPI_FILE_LOCATION", "OMPI_FIRST_RANKS", "OMPI_NUM_APP_CTX",
	"OMPI_UNIVERSE_SIZE", "OMPI_WORLD_", "MPIR_CVAR_CH3_INTERFACE_HOSTNAME",
	"I_MPI_HYDRA_", "I_MPI_INFO_", "MV2_COMM_WORLD_",
}

// placing holds prefixes of variables that only say who may start ranks, and
// where: the layout shows that.
// LD_LIBRARY_PATH may differ between nodes, and the libraries that are found are compared.
var placing = []string{"SLURM_", "LD_LIBRARY_PATH", "OMPI_ALLOW_RUN_AS_ROOT", "OMPI_MCA_hwloc_base_binding", "OMPI_MCA_rmaps_", "OMPI_MCA_plm", "OMPI_MCA_oob", "PRTE_MCA_"}

// Env picks the variables that can change a result from an environment of NAME=VALUE.
func Env(environ []string) map[string]string {
	out := map[string]string{}
	for _, v := range environ {
		name, value, ok := strings.Cut(v, "=")
		if !ok || !begins(name, EnvOf()) || begins(name, ofLaunchers) || begins(name, ofDriver) || begins(name, []string{"SLURM_"}) && !begins(name, ofSlurm) {
			continue
		}
		out[name] = value
	}
	return out
}

// ofNodes holds prefixes of variables that no launcher sets for its own use: who set them, did it for the ranks.
var ofNodes = slices.Concat([]string{"MPICH_ASYNC_PROGRESS", "UCX_", "FI_", "SLURM_"}, ofProcesses)

// EnvAsked is Env of a rank. It leaves out what the launcher has set: what was not asked for.
func EnvAsked(environ, asked []string) map[string]string {
	out := Env(environ)
	maps.DeleteFunc(out, func(name, _ string) bool { return !begins(name, ofNodes) && !slices.Contains(asked, name) })
	return out
}

// Asked returns the variables of Env that pgmpi hands to a launcher, or that its command sets: -x NAME, --mca NAME
// VALUE.
func Asked(environ, command []string) []string {
	names := slices.Collect(maps.Keys(Env(environ)))
	for i, word := range command {
		if i > 0 && slices.Contains([]string{"--mca", "-mca", "--gmca", "-gmca", "--omca"}, command[i-1]) {
			names = append(names, OfOpenMPI+word)
		}
		for _, name := range variable.FindAllString(word, -1) {
			if begins(name, ofMPI) {
				names = append(names, name)
			}
		}
	}
	slices.Sort(names)
	return slices.Compact(names)
}

var variable = regexp.MustCompile(`[A-Z][A-Za-z0-9_]+`)

// EnvOf returns the prefixes of what Env picks.
func EnvOf() []string { return slices.Concat(ofMPI, ofProcesses) }

// LooksAt tells whether the factors cover a variable of the driver: older versions covered only those
// that set the MPI library.
func (f *Factors) LooksAt(variable string) bool {
	of := f.EnvOf
	if len(of) == 0 {
		of = ofMPI
	}
	return begins(variable, of)
}

// tuning returns the variables of Env that do more than place ranks.
func tuning(env map[string]string) map[string]string {
	env = maps.Clone(env)
	maps.DeleteFunc(env, func(name, _ string) bool { return begins(name, placing) })
	return env
}

// Reads tells whether a library looks at a variable, which may be another library's.
func Reads(name, library string) bool {
	for _, of := range []struct{ prefix, says string }{
		{"OMPI_", "Open MPI"}, {"PRTE_MCA_", "Open MPI"}, {"I_MPI_", "Intel(R) MPI"}, {"MV2_", "MVAPICH"},
	} {
		if strings.HasPrefix(name, of.prefix) {
			return strings.Contains(library, of.says)
		}
	}
	return !strings.HasPrefix(name, "MPIR_CVAR_") || !strings.Contains(library, "Open MPI")
}

func begins(name string, prefixes []string) bool {
	return slices.ContainsFunc(prefixes, func(p string) bool { return strings.HasPrefix(name, p) })
}

// Job is the batch job that pgmpi runs in. Who submitted it, and on whose account, is
// left out: results are published.
type Job struct {
	Scheduler string `json:"scheduler"` // older versions also read "pbs", "lsf" and "sge"
	ID        string `json:"id"`
	Partition string `json:"partition,omitempty"`
	Nodes     string `json:"nodes,omitempty"` // as the scheduler writes them: "node[1-4]"
	NodeCount int    `json:"node_count,omitempty"`
	Switch    string `json:"switch,omitempty"`   // of the first node
	Restarts  int    `json:"restarts,omitempty"` // how often it was put back into the queue

	Slots   int `json:"-"` // ranks that were asked for, or have a CPU each; 0 if unknown
	NodeCPU int `json:"-"` // CPUs of the first node for the job; 0 if unknown
}

// ReadJob reads the Slurm job from the environment; it returns nil outside of one.
func ReadJob() *Job {
	id := os.Getenv("SLURM_JOB_ID")
	if id == "" {
		return nil
	}
	number := func(name string) int {
		n, err := strconv.Atoi(os.Getenv(name))
		if err != nil || n < 0 {
			return 0
		}
		return n
	}
	first, all := slurmCPUs(os.Getenv("SLURM_JOB_CPUS_PER_NODE"))
	topology := os.Getenv("SLURM_TOPOLOGY_ADDR") // "s0.s4.node1"
	return &Job{Scheduler: "slurm", ID: id, Partition: os.Getenv("SLURM_JOB_PARTITION"),
		Nodes: cmp.Or(os.Getenv("SLURM_JOB_NODELIST"), os.Getenv("SLURM_NODELIST")), NodeCount: cmp.Or(number("SLURM_JOB_NUM_NODES"), number("SLURM_NNODES")),
		Switch: topology[:max(0, strings.LastIndexByte(topology, '.'))], Restarts: number("SLURM_RESTART_COUNT"),
		Slots: cmp.Or(number("SLURM_NTASKS"), all), NodeCPU: first}
}

// slurmCPUs reads the CPUs of the first node, and of all, from text such as "4(x2),2".
func slurmCPUs(text string) (first, all int) {
	for part := range strings.SplitSeq(text, ",") {
		cpus, times, repeated := strings.Cut(strings.TrimSuffix(part, ")"), "(x")
		n, err := strconv.Atoi(cpus)
		k := 1
		if repeated && err == nil {
			k, err = strconv.Atoi(times)
		}
		if err != nil || n < 1 || k < 1 {
			return 0, 0
		}
		first, all = cmp.Or(first, n), all+n*k
	}
	return first, all
}

// SetsMalloc tells whether an environment has variables that decide which memory glibc's malloc keeps.
func SetsMalloc(environ []string) bool {
	return slices.ContainsFunc(environ, func(v string) bool {
		name, value, _ := strings.Cut(v, "=")
		if name == "GLIBC_TUNABLES" {
			name = value
		}
		return slices.ContainsFunc([]string{"mmap_", "trim_", "top_pad"}, func(limit string) bool {
			return strings.Contains(name, "MALLOC_"+strings.ToUpper(limit)) || strings.Contains(name, "glibc.malloc."+limit)
		})
	})
}
