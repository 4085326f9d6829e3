package host

import (
	"maps"
	"slices"
	"strings"
)

// ofMPI holds prefixes of the variables that set MPI libraries and batch systems.
var ofMPI = []string{"OMPI_", "PRTE_MCA_", "MPIR_CVAR_", "MPICH_ASYNC_PROGRESS", "UCX_", "FI_", "SLURM_", "MV2_", "I_MPI_"}

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
var placing = []string{"SLURM_", "OMPI_ALLOW_RUN_AS_ROOT", "OMPI_MCA_hwloc_base_binding", "OMPI_MCA_rmaps_", "OMPI_MCA_plm", "OMPI_MCA_oob", "PRTE_MCA_"}

// Env picks the variables that can change a result from an environment of NAME=VALUE.
func Env(environ []string) map[string]string {
	out := map[string]string{}
	for _, v := range environ {
		name, value, ok := strings.Cut(v, "=")
		if !ok || !begins(name, ofMPI) || begins(name, ofLaunchers) || begins(name, []string{"SLURM_"}) && !begins(name, ofSlurm) {
			continue
		}
		out[name] = value
	}
	return out
}

// tuning returns the variables of Env that do more than place ranks.
func tuning(env map[string]string) map[string]string {
	env = maps.Clone(env)
	maps.DeleteFunc(env, func(name, _ string) bool { return begins(name, placing) })
	return env
}

func read(name, library string) bool {
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
