package host

import (
	"slices"
	"strings"
)

// ofMPI begin the names of variables that set MPI libraries and batch systems.
var ofMPI = []string{"OMPI_", "PRTE_MCA_", "MPIR_CVAR_", "UCX_", "FI_", "SLURM_", "MV2_", "I_MPI_"}

// ofLaunchers begin the names of variables that launchers set for their own use,
// or for one rank only. SLURM_JWT is a password.
var ofLaunchers = []string{
	"OMPI_MCA_orte_", "OMPI_MCA_ess", "OMPI_MCA_pmix", "OMPI_MCA_initial_wdir", "OMPI_MCA_shmem_RUNTIME", "OMPI_MCA_mpi_oversubscribe",
	"OMPI_APP_CTX_", "OMPI_COMMAND", "OMPI_ARGV", "OMPI_COMM_WORLD_", "OMPI_FILE_LOCATION", "OMPI_FIRST_RANKS", "OMPI_NUM_APP_CTX",
	"OMPI_UNIVERSE_SIZE", "OMPI_WORLD_", "MPIR_CVAR_CH3_INTERFACE_HOSTNAME",
	"SLURM_JWT", "SLURM_PROCID", "SLURM_LOCALID", "SLURM_NODEID", "SLURM_GTIDS", "SLURM_TASK_PID", "SLURM_TOPOLOGY_ADDR",
	"I_MPI_HYDRA_", "I_MPI_INFO_",
}

// placing begin the names of variables that only say who may start ranks, and
// where: that shows in the layout.
var placing = []string{"SLURM_", "OMPI_ALLOW_RUN_AS_ROOT", "OMPI_MCA_hwloc_base_binding", "OMPI_MCA_rmaps_", "OMPI_MCA_plm", "OMPI_MCA_oob", "PRTE_MCA_"}

// Env picks the variables that can change a result from an environment of NAME=VALUE.
func Env(environ []string) map[string]string {
	out := map[string]string{}
	for _, v := range environ {
		if name, value, ok := strings.Cut(v, "="); ok && begins(name, ofMPI) && !begins(name, ofLaunchers) {
			out[name] = value
		}
	}
	return out
}

func begins(name string, prefixes []string) bool {
	return slices.ContainsFunc(prefixes, func(p string) bool { return strings.HasPrefix(name, p) })
}
