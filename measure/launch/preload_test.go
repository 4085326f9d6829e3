package launch

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"pgmpi/testkit/must"
	"pgmpi/testkit/should"
)

// command is one whose launcher answers to --version as given, with a library beside a rank program.
func command(t *testing.T, says string, argv ...string) (c Command, library string) {
	t.Helper()
	dir := t.TempDir()
	rank := filepath.Join(dir, "pgmpi-rank")
	script(t, rank, "")
	library = rank + "-preload.so"
	must.Do(t, os.WriteFile(library, nil, 0o666))
	script(t, filepath.Join(dir, argv[0]), says)
	t.Setenv("PATH", dir)
	t.Setenv("LD_PRELOAD", "")
	return must.Get(NewCommand(argv, rank))(t), library
}

func TestALauncherSetsVariablesForTheRanksAlone(t *testing.T) {
	c, library := command(t, openMPISays, "mpirun", "-np", "2", "./a", ":", "-np", "1", "./b")
	argv, env := c.With(map[string]string{"PGMPI_PROFILE": "/f"}, nil)
	set := "-x LD_PRELOAD=" + library + " -x PGMPI_PROFILE=/f"
	should.Equal(t, strings.Join(argv, " "), "mpirun "+set+" -np 2 ./a : "+set+" -np 1 ./b")
	should.Hold(t, len(env) == 0, "%v", env)

	c, library = command(t, mpichSays, "mpiexec", "-np", "2", "./a")
	argv, _ = c.With(map[string]string{"PGMPI_PROFILE": "/f"}, nil)
	should.Equal(t, strings.Join(argv, " "), "mpiexec -genv LD_PRELOAD "+library+" -genv PGMPI_PROFILE /f -np 2 ./a")
}

func TestUnderASettingTheyAreAddedToItsList(t *testing.T) {
	c, library := command(t, openMPISays, "mpirun", "./a")
	t.Setenv("OMPI_MCA_mca_base_env_list", "MALLOC_TRIM_THRESHOLD_")
	argv, env := c.With(map[string]string{"PGMPI_PROFILE": "/f"}, nil)
	should.Equal(t, strings.Join(argv, " "), "mpirun ./a")
	should.Equal(t, strings.Join(env, " "), "OMPI_MCA_mca_base_env_list=MALLOC_TRIM_THRESHOLD_;LD_PRELOAD="+library+";PGMPI_PROFILE=/f")
}

func TestAListOfTheSettingItselfIsKept(t *testing.T) {
	c, library := command(t, openMPISays, "mpirun", "./a")
	t.Setenv("OMPI_MCA_mca_base_env_list", "A")
	argv, env := c.With(map[string]string{"PGMPI_CALLED": "/f"}, map[string]string{"OMPI_MCA_mca_base_env_list": "MALLOC_TRIM_THRESHOLD_", "OMPI_MCA_coll": "x"})
	should.Equal(t, strings.Join(argv, " "), "mpirun ./a")
	should.Equal(t, strings.Join(env, " "), "OMPI_MCA_coll=x OMPI_MCA_mca_base_env_list=MALLOC_TRIM_THRESHOLD_;LD_PRELOAD="+library+";PGMPI_CALLED=/f")
}

// The loader would leave it out with a word that nobody reads.
func TestALibraryWhosePathTheLoaderCannotReadIsRefused(t *testing.T) {
	for _, name := range []string{"my folder", "a:b"} {
		dir := filepath.Join(t.TempDir(), name)
		rank := filepath.Join(dir, "pgmpi-rank")
		must.Do(t, os.Mkdir(dir, 0o777))
		script(t, rank, "")
		must.Do(t, os.WriteFile(rank+"-preload.so", nil, 0o666))
		_, err := NewCommand([]string{"true"}, rank)
		should.Fail(t, err, "LD_PRELOAD ends a path at a space or colon")
		should.Fail(t, err, rank+"-preload.so")
	}
}

func TestARankProgramOfAnotherLibraryThanTheLaunchersIsRefused(t *testing.T) {
	c, _ := command(t, openMPISays, "mpirun", "./a")
	dir := t.TempDir()
	rank := filepath.Join(dir, "pgmpi-rank")
	script(t, rank, `{"program": "pgmpi-rank", "library": "mpich"}`)
	must.Do(t, os.WriteFile(rank+"-preload.so", nil, 0o666))
	_, err := NewCommand(c.Argv, rank)
	should.Fail(t, err, "built for mpich, and the launcher is openmpi's")
}

func TestAScriptGetsThemInItsEnvironment(t *testing.T) {
	c, library := command(t, openMPISays, "job.sh", "2")
	t.Setenv("LD_PRELOAD", "/other.so")
	argv, env := c.With(map[string]string{"PGMPI_PROFILE": "/f"}, nil)
	should.Equal(t, strings.Join(argv, " "), "job.sh 2")
	should.Hold(t, slices.Equal(env, []string{"LD_PRELOAD=" + library + ":/other.so", "PGMPI_PROFILE=/f"}), "%v", env)
}

func TestWhatTheShellSaysToTheLibraryDoesNotReachAProgram(t *testing.T) {
	for _, c := range [][2]string{
		{"A=1 LD_PRELOAD=/p/pgmpi-rank-mpich-preload.so:/malloc.so PGMPI_APPLY=/r PGMPI_PROFILE=/f PGMPI_APPLIED=/h", "A=1 LD_PRELOAD=/malloc.so"},
		{"LD_PRELOAD=/p/pgmpi-rank-preload.so MALLOC_ARENA_MAX=1", "MALLOC_ARENA_MAX=1"},
		{"LD_PRELOAD=/other-preload.so", "LD_PRELOAD=/other-preload.so"},
		{"OMPI_MCA_mca_base_env_list=MALLOC_TRIM_THRESHOLD_;PGMPI_APPLY=/r;LD_PRELOAD=/p/pgmpi-rank-preload.so;PGMPI_PROFILE", "OMPI_MCA_mca_base_env_list=MALLOC_TRIM_THRESHOLD_"},
		{"OMPI_MCA_mca_base_env_list=PGMPI_APPLY", ""},
	} {
		should.Equal(t, strings.Join(Bare(strings.Fields(c[0])), " "), c[1], "%s", c[0])
	}
	c, library := command(t, openMPISays, "mpirun", "./a")
	t.Setenv("OMPI_MCA_mca_base_env_list", "MALLOC_TRIM_THRESHOLD_;PGMPI_APPLY=/r")
	t.Setenv("LD_PRELOAD", "/p/pgmpi-rank-preload.so")
	_, env := c.With(map[string]string{"PGMPI_PROFILE": "/f"}, nil)
	should.Equal(t, strings.Join(env, " "), "OMPI_MCA_mca_base_env_list=MALLOC_TRIM_THRESHOLD_;LD_PRELOAD="+library+";PGMPI_PROFILE=/f")
}
