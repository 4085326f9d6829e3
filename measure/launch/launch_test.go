package launch

import (
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"pgmpi/guidelines"
	"pgmpi/measure/protocol"
	"pgmpi/testkit/must"
	"pgmpi/testkit/should"
)

// What launchers answer to --version, as recorded: Open MPI 4.1.4 and MPICH
// 4.0.2 on Debian 12; "mpirun (Open MPI)" as open-mpi/ompi issue 8292 quotes it,
// 5.0.7 by Debian 13; prterun as its own build says; Intel MPI 2021.10 as in
// the tests of RedHatInsights/insights-core (test_mpirun.py).
const (
	saysOpenMPI4 = "mpirun.openmpi (OpenRTE) 4.1.4\n\nReport bugs to http://www.open-mpi.org/community/help/\n"
	saysOpenMPI2 = "mpirun (Open MPI) 2.1.1\n\nReport bugs to http://www.open-mpi.org/community/help/\n"
	saysOpenMPI5 = "mpirun (Open MPI) 5.0.7\n\nReport bugs to https://www.open-mpi.org/community/help/\n"
	saysPRRTE    = "prterun (PRRTE) 4.0.0\nReport bugs to: https://github.com/openpmix/prrte\n"
	saysHydra    = "HYDRA build details:\n    Version:                                 4.0.2\n    Release Date:                            Thu Apr  7 12:34:45 CDT 2022\n"
	saysIntel    = "Intel(R) MPI Library for Linux* OS, Version 2021.10 Build 20230619 (id: c2e19c2f3e)\nCopyright 2003-2023, Intel Corporation.\n"
)

// onlyLaunchers makes a PATH of programs that answer --version with these texts.
func onlyLaunchers(t *testing.T, says map[string]string) {
	t.Helper()
	dir := t.TempDir()
	for name, text := range says {
		script := "#!/bin/sh\nwhile IFS= read -r l; do echo \"$l\"; done <<'END'\n" + text + "END\n"
		must.Do(t, os.WriteFile(filepath.Join(dir, name), []byte(script), 0o755))
	}
	t.Setenv("PATH", dir)
	t.Setenv("OMPI_ALLOW_RUN_AS_ROOT", "1")
	t.Setenv("OMPI_ALLOW_RUN_AS_ROOT_CONFIRM", "1")
}

func TestLauncherIsTheOneThatSaysItIsOfTheLibrary(t *testing.T) {
	many := Cores() + 1
	noBatch(t)
	for _, c := range []struct {
		name, library string
		says          map[string]string
		np            int
		want          string // the words after the launcher's folder
	}{
		{"Open MPI 4", "openmpi", map[string]string{"mpirun": saysOpenMPI4}, 1, "mpirun -np {np} --bind-to core"},
		{"Open MPI 2, too many ranks", "openmpi", map[string]string{"mpirun": saysOpenMPI2}, many, "mpirun -np {np} --oversubscribe --bind-to none"},
		{"Open MPI 5", "openmpi", map[string]string{"mpirun": saysOpenMPI5}, 1, "mpirun -np {np} --bind-to core"},
		{"Open MPI 5, too many ranks", "openmpi", map[string]string{"mpirun": saysOpenMPI5}, many, "mpirun -np {np} --map-by :OVERSUBSCRIBE --bind-to none"},
		{"PRRTE alone", "openmpi", map[string]string{"mpirun": saysHydra, "prterun": saysPRRTE}, many, "prterun -np {np} --map-by :OVERSUBSCRIBE --bind-to none"},
		{"MPICH behind Open MPI", "mpich", map[string]string{"mpirun": saysOpenMPI5, "mpiexec": saysHydra}, 1, "mpiexec -np {np} -bind-to core"},
		{"MPICH, not Intel's hydra", "mpich", map[string]string{"mpiexec.hydra": saysIntel, "mpirun": saysHydra}, many, "mpirun -np {np}"},
	} {
		t.Run(c.name, func(t *testing.T) {
			onlyLaunchers(t, c.says)
			argv := must.Get(Launch(Config{}, protocol.RankInfo{Library: c.library}, guidelines.Shape{NP: c.np}))(t)
			argv[0] = filepath.Base(argv[0])
			should.Equal(t, strings.Join(argv, " "), c.want)
		})
	}
}

func TestRanksOfAnAllocationOfManyNodesAreBoundToCores(t *testing.T) {
	onlyLaunchers(t, map[string]string{"mpirun": saysOpenMPI4})
	many := 4 * Cores()
	noBatch(t)
	t.Setenv("SLURM_JOB_ID", "7")
	t.Setenv("SLURM_NTASKS", strconv.Itoa(many))
	for overcommit, want := range map[string]string{"": "core", "1": "none"} {
		t.Setenv("SLURM_OVERCOMMIT", overcommit)
		argv, err := Launch(Config{}, protocol.RankInfo{Library: "openmpi"}, guidelines.Shape{NP: many})
		should.Hold(t, err == nil && argv[len(argv)-1] == want, "SLURM_OVERCOMMIT=%q: %v, %v", overcommit, argv, err)
	}
}

func TestLauncherOfAnotherLibraryIsPassedOver(t *testing.T) {
	for library, says := range map[string]string{"openmpi": saysHydra, "mpich": saysIntel} {
		t.Run(library, func(t *testing.T) {
			onlyLaunchers(t, map[string]string{"mpirun": says, "mpiexec": says})
			_, err := Launch(Config{}, protocol.RankInfo{Library: library, BuiltFor: "this one"}, guidelines.Shape{NP: 2})
			should.Hold(t, err != nil && strings.Contains(err.Error(), "of another library") && strings.Contains(err.Error(), "--launch"), "got %v", err)
		})
	}
}

func TestLauncherBesideTheCompilerWrapperComesFirst(t *testing.T) {
	onlyLaunchers(t, map[string]string{"mpirun": saysHydra})
	dir := os.Getenv("PATH")
	onlyLaunchers(t, map[string]string{"mpirun": saysHydra})
	argv, err := Launch(Config{}, protocol.RankInfo{Library: "mpich", MPICC: filepath.Join(dir, "mpicc")}, guidelines.Shape{NP: 1})
	should.Hold(t, err == nil && argv[0] == filepath.Join(dir, "mpirun"), "got %v, %v", argv, err)
}

func TestSrunIsTakenWhenItIsAskedForInsideAnAllocation(t *testing.T) {
	onlyLaunchers(t, map[string]string{"srun": "slurm-wlm 22.05.8\n"})
	noBatch(t)
	bySrun, two := Config{Words: []string{"srun"}}, guidelines.Shape{NP: 2}
	_, err := Launch(bySrun, protocol.RankInfo{Library: "mpich"}, two)
	should.Fail(t, err, "salloc", "outside an allocation")
	t.Setenv("SLURM_JOB_ID", "7")
	for library, mpi := range map[string]string{"openmpi": "pmix", "mpich": "pmi2"} {
		argv, err := Launch(bySrun, protocol.RankInfo{Library: library}, two)
		should.Hold(t, err == nil && slices.Equal(argv, []string{"srun", "-K", "--input=0", "--mpi=" + mpi, "-n", "{np}"}), "%s: %v, %v", library, argv, err)
	}
	_, err = Launch(bySrun, protocol.RankInfo{Library: "unknown"}, two)
	should.Fail(t, err, "--mpi=", "an unknown library")
}
