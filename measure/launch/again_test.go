package launch

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"pgmpi/testkit/must"
	"pgmpi/testkit/should"
)

// The second column has what starts the ranks of another program in the same way, the third what was left out.
func TestAProgramsLauncherStartsOthersInTheSameWay(t *testing.T) {
	dir := t.TempDir()
	for _, name := range strings.Fields("mpirun mpiexec.hydra srun app node env sh python3") {
		must.Do(t, os.WriteFile(filepath.Join(dir, name), []byte("#!/bin/sh\n"), 0o777))
	}
	t.Setenv("PATH", dir)
	for _, c := range [][3]string{
		{"mpirun -np 4 app", "mpirun -np {np}", ""},
		{"mpirun --mca coll ^tuned --map-by node -np 2 --bind-to none python3 app -np 7",
			"mpirun --mca coll ^tuned --map-by node -np {np} --bind-to none", ""},
		{"mpirun -x UCX_TLS=tcp -x LD_PRELOAD=x.so -x LD_LIBRARY_PATH -n 2 app",
			"mpirun -x UCX_TLS=tcp -n {np}", "-x LD_PRELOAD"},
		{"mpirun --mca plm_rsh_agent evil --tag-output --wdir node app", "mpirun -np {np}", "--mca plm_rsh_agent"},
		{"mpirun --hostfile hosts --map-by=ppr:2:node --np 2 app",
			"mpirun --hostfile hosts --map-by=ppr:2:node --np {np}", ""},
		{"mpirun --prefix /opt/mpi -np 2 app", "mpirun -np {np}", "--prefix"},
		{"mpiexec.hydra -genv MPIR_CVAR_BCAST_INTRA_ALGORITHM binomial -bind-to core -l -n 2 app",
			"mpiexec.hydra -genv MPIR_CVAR_BCAST_INTRA_ALGORITHM binomial -bind-to core -n {np}", ""},
		{"srun --ntasks=8 -N 2 --mpi=pmix app", "srun --ntasks={np} -N 2 --mpi=pmix", ""},
		{"srun --bcast=/tmp/x app", "srun -n {np}", "--bcast=/tmp/x"},
		{"env OMPI_MCA_osc=sm mpirun -np 2 app", "mpirun -np {np}", ""},
		{dir + "/mpirun -np 2 app", "mpirun -np {np}", ""},
		{"/opt/mpi/bin/mpirun -np 2 app", "/opt/mpi/bin/mpirun -np {np}", ""},
		{"mpirun -np 1 app : -np 2 app", "", ""},
		{"sh -c mpirun.sh", "", ""},
		{"app", "", ""}, {"", "", ""}, {"mpirun", "mpirun -np {np}", ""}, {"mpirun -np", "mpirun -np {np}", ""},
		{"mpirun --mca coll", "mpirun -np {np}", "--mca coll"},
	} {
		s := StartOf(strings.Fields(c[0]))
		should.Equal(t, strings.Join(s.Words, " "), c[1])
		should.Equal(t, strings.Join(s.Left, ","), c[2])
		again := StartOf(s.Words)
		should.Equal(t, strings.Join(again.Words, " "), c[1])
	}
	should.Equal(t, StartOf(strings.Fields("env OMPI_MCA_osc=sm mpirun -np 2 app")).Set, []string{"OMPI_MCA_osc=sm"})
}

// A profile may come from anybody.
func TestNoVariableOfAFileLoadsOrStartsAnything(t *testing.T) {
	for _, name := range strings.Fields(`OMPI_MCA_osc OMPI_MCA_coll_tuned_bcast_algorithm
		OMPI_MCA_coll_tuned_dynamic_rules_filename
		MPIR_CVAR_CH4_NETMOD UCX_TLS UCX_NET_DEVICES I_MPI_FABRICS I_MPI_ADJUST_BCAST
		OMPI_MCA_btl_vader_single_copy_mechanism`) {
		should.Hold(t, Decides(name), "%s", name)
	}
	for _, name := range strings.Fields(`LD_PRELOAD PATH OMPI_MCA_plm_rsh_agent OMPI_MCA_mca_base_component_path
		OMPI_MCA_mca_base_env_list
		OMPI_MCA_orte_launch_agent UCX_MODULE_DIR I_MPI_HYDRA_BOOTSTRAP_EXEC I_MPI_PMI_LIBRARY
		OMPI_MCA_ PGMPI_APPLY OMPI_MCA_a=b MALLOC_X`) {
		should.Hold(t, !Decides(name), "%s", name)
	}
}
