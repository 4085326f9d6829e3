package launch

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"pgmpi/guidelines"
	"pgmpi/measure/protocol"
	"pgmpi/testkit/must"
	"pgmpi/testkit/should"
)

// noBatch takes this test out of any batch job.
func noBatch(t *testing.T) {
	t.Helper()
	for _, name := range []string{"SLURM_JOB_ID", "SLURM_NTASKS", "SLURM_JOB_CPUS_PER_NODE", "SLURM_OVERCOMMIT", "SLURM_STEP_NUM_TASKS",
		"OMPI_COMM_WORLD_SIZE", "PMI_SIZE"} {
		t.Setenv(name, "")
	}
}

func shapeOf(t *testing.T, text string) guidelines.Shape {
	t.Helper()
	s := must.Get(guidelines.ParseShape(text))(t)
	return s
}

func TestWordsOfEveryLauncherPlaceAShape(t *testing.T) {
	noBatch(t)
	hosts := filepath.Join(t.TempDir(), "hosts")
	must.Do(t, os.WriteFile(hosts, []byte("a\nb\n"), 0o666))
	const openmpi, openmpi5, mpich = 0, 1, 2
	libraries := []struct {
		library, program, says string
	}{{"openmpi", "mpirun", saysOpenMPI4}, {"openmpi", "mpirun", saysOpenMPI5}, {"mpich", "mpiexec.hydra", saysHydra}}
	for _, c := range []struct {
		library int
		launch  string // the one word; "": the library's
		nodes   string // CPUs of the nodes of a Slurm job; "": outside of one
		shape   string
		cpus    int
		hosts   bool
		want    string // where ranks are placed, in the order of the words
	}{
		{openmpi, "", "", "2x1", 1, false, "mpirun -np 2 --map-by ppr:1:node --bind-to core"},
		{openmpi, "", "4(x2)", "2x3", 1, true, "mpirun -np 6 --hostfile HOSTS --map-by ppr:3:node --bind-to core"},
		{openmpi, "", "4(x2)", "2x8", 1, false, "mpirun -np 16 --map-by ppr:8:node:OVERSUBSCRIBE --bind-to none"},
		{openmpi, "", "4(x2)", "2x2", 2, false, "mpirun -np 4 --map-by ppr:2:node:PE=2 --bind-to core"},
		{openmpi, "", "4(x2)", "2x2", 3, false, "mpirun -np 4 --map-by ppr:2:node:OVERSUBSCRIBE --bind-to none"},
		{openmpi5, "", "4(x2)", "2x8", 1, false, "mpirun -np 16 --map-by ppr:8:node:OVERSUBSCRIBE --bind-to none"},
		{mpich, "", "4(x2)", "2x3", 1, true, "mpiexec.hydra -np 6 -f HOSTS -ppn 3 -bind-to core"},
		{mpich, "", "4(x2)", "2x2", 2, false, "mpiexec.hydra -np 4 -ppn 2 -bind-to core:2"},
		{mpich, "", "4(x2)", "2x8", 1, false, "mpiexec.hydra -np 16 -ppn 8"},
		{openmpi, "srun", "4(x2)", "2x3", 1, false, "srun -K --input=0 --mpi=pmix -n 6 -N 2 --ntasks-per-node=3 --distribution=block"},
		{mpich, "srun", "4(x2)", "2x2", 2, false, "srun -K --input=0 --mpi=pmi2 -n 4 -N 2 --ntasks-per-node=2 --distribution=block --cpus-per-task=2"},
		{mpich, "srun", "4(x2)", "1x8", 1, false, "srun -K --input=0 --mpi=pmi2 -n 8 -N 1 --ntasks-per-node=8 --distribution=block --overcommit"},
	} {
		t.Run(c.want, func(t *testing.T) {
			l := libraries[c.library]
			onlyLaunchers(t, map[string]string{l.program: l.says, "srun": "slurm-wlm 22.05.8\n"})
			if c.nodes != "" {
				t.Setenv("SLURM_JOB_ID", "7")
				t.Setenv("SLURM_JOB_CPUS_PER_NODE", c.nodes)
			}
			config := Config{Words: strings.Fields(c.launch), CPUsPerRank: c.cpus}
			if c.hosts {
				config.Hostfile = hosts
			}
			shape := shapeOf(t, c.shape)
			argv := must.Get(Launch(config, protocol.RankInfo{Library: l.library}, shape))(t)
			argv = Placed(argv, shape)
			argv[0] = filepath.Base(argv[0])
			should.Equal(t, strings.ReplaceAll(strings.Join(argv, " "), hosts, "HOSTS"), c.want)
		})
	}
}

func TestTemplateMustFitTheShape(t *testing.T) {
	noBatch(t)
	onlyLaunchers(t, map[string]string{"run": ""})
	for _, c := range []struct{ launch, shape, says string }{
		{"run -n {np}", "", ""},
		{"run -n {np}", "2x1", ""},
		{"run -N {nodes} -t {ppn}", "2x1", ""},
		{"run -N {nodes} -t {ppn}", "", "--shape"},
		{"run -n {np} -ppn {ppn}", "", "--shape"},
		{"run -n 2", "", "{np}"},
		{"run -n 2", "2x1", "{ppn}"},
		{"run -n {np} -f {hostfile}", "", "--hostfile"},
	} {
		shape := guidelines.Shape{NP: 2}
		if c.shape != "" {
			shape = shapeOf(t, c.shape)
		}
		_, err := Launch(Config{Words: strings.Fields(c.launch)}, protocol.RankInfo{}, shape)
		should.Hold(t, (err == nil) == (c.says == "") && (err == nil || strings.Contains(err.Error(), c.says)), "%q for %s: %v, want %q", c.launch, shape, err, c.says)
	}
	// Slurm starts as many processes as the job has tasks, where the words leave the number out.
	_, err := Launch(Config{Words: []string{"run"}}, protocol.RankInfo{}, shapeOf(t, "2x1"))
	for _, words := range regexp.MustCompile(`"[a-z]+ [^"]*"`).FindAllString(fmt.Sprint(err), -1) {
		if !strings.Contains(words, "{np}") {
			t.Errorf("the error recommends %s, without the number of processes", words)
		}
	}
	argv, err := Launch(Config{Words: []string{"run", "{np}", "-c{cpus}"}, CPUsPerRank: 4}, protocol.RankInfo{}, guidelines.Shape{NP: 2})
	should.Hold(t, err == nil && argv[2] == "-c4", "%v, %v", argv, err)
}

func TestRanksOfCrayFindEachOtherByCraysPMI(t *testing.T) {
	noBatch(t)
	onlyLaunchers(t, map[string]string{"srun": "slurm 23.02.7\n"})
	t.Setenv("SLURM_JOB_ID", "7")
	for version, want := range map[string]string{
		"MPI VERSION    : CRAY MPICH version 8.1.26.47 (ANL base 3.4a2)": "--mpi=cray_shasta", "MPICH Version:\t4.0.2": "--mpi=pmi2",
	} {
		argv, err := Launch(Config{Words: []string{"srun"}}, protocol.RankInfo{Library: "mpich", LibVersion: version}, guidelines.Shape{NP: 2})
		if err != nil || !slices.Contains(argv, want) {
			t.Errorf("%s: %q, %v", version, argv, err)
		}
	}
}

func TestPgmpiDoesNotStartBelowALauncher(t *testing.T) {
	noBatch(t)
	onlyLaunchers(t, map[string]string{"run": ""})
	start := func() error {
		_, err := Launch(Config{Words: []string{"run", "{np}"}}, protocol.RankInfo{}, guidelines.Shape{NP: 2})
		return err
	}
	for _, name := range []string{"SLURM_STEP_NUM_TASKS", "OMPI_COMM_WORLD_SIZE", "PMI_SIZE"} {
		for n, refused := range map[string]bool{"1": false, "2": true} {
			t.Setenv(name, n)
			err := start()
			should.Hold(t, (err != nil) == refused && (!refused || strings.Contains(err.Error(), "starts the ranks by itself")), "%s=%s: %v", name, n, err)
		}
		t.Setenv(name, "")
	}
}

func TestRanksShareCoresByWhatANodeHas(t *testing.T) {
	noBatch(t)
	_, crowded := Crowded(shapeOf(t, "1024x64"), 1)
	should.Hold(t, !crowded, "nodes that are elsewhere have enough cores, as far as is known")
	cores, crowded := Crowded(guidelines.Shape{NP: Cores() + 1}, 1)
	should.Hold(t, crowded && cores == Cores(), "%d ranks on this host: %v of %d cores", Cores()+1, crowded, cores)
	t.Setenv("SLURM_JOB_ID", "7")
	t.Setenv("SLURM_JOB_CPUS_PER_NODE", "64(x4)")
	for text, want := range map[string]bool{"4x64": false, "4x65": true, "1x65": true} {
		cores, crowded := Crowded(shapeOf(t, text), 1)
		should.Hold(t, crowded == want && cores == 64, "%s: %v of %d cores", text, crowded, cores)
	}
	_, crowded = Crowded(guidelines.Shape{NP: 256}, 1)
	should.Hold(t, !crowded, "256 ranks on 4 nodes of 64 CPUs share cores")
	_, crowded = Crowded(guidelines.Shape{NP: 129}, 2)
	should.Hold(t, crowded, "129 ranks of 2 CPUs fit 4 nodes of 64")
}
