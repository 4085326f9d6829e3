package batch

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"pgmpi/internal/conf"
	"pgmpi/testkit/must"
	"pgmpi/testkit/should"
)

// programs puts shell scripts on the PATH, and nothing else in front of them.
func programs(t *testing.T, scripts map[string]string) (dir string) {
	t.Helper()
	dir = t.TempDir()
	for name, text := range scripts {
		must.Do(t, os.WriteFile(filepath.Join(dir, name), []byte("#!/bin/sh\n"+text), 0o777))
	}
	t.Setenv("PATH", dir+":"+os.Getenv("PATH"))
	return dir
}

func inJob(variable, id string) func(string) string {
	return func(name string) string {
		if name == variable {
			return id
		}
		return ""
	}
}

func TestTheEndOfTheJobIsWhatTheBatchSystemSays(t *testing.T) {
	programs(t, map[string]string{
		"squeue": `[ "$*" = "--noheader --jobs=17 --format=%e" ] && [ "$SLURM_TIME_FORMAT" = standard ] && date --date=@1792889100 +%FT%T`,
	})
	t.Setenv("SLURM_TIME_FORMAT", "relative")
	t.Setenv("TZ", "Europe/Berlin") // where the clock shows this time twice
	for _, c := range []struct {
		variable, id string
		want         time.Time
	}{
		{"SLURM_JOB_ID", "17", time.Unix(1792889100, 0)},
		{"HOME", "17", time.Time{}},
	} {
		j := here(inJob(c.variable, c.id))
		should.Hold(t, j.Ends.Equal(c.want) && (j.ID == c.id) == (c.variable != "HOME"), "%s: %+v, want %v", c.variable, j, c.want)
	}
}

func TestWhatIsNotToldOfTheEndStaysUnknown(t *testing.T) {
	for name, squeue := range map[string]string{
		"no limit": "echo NONE", "no answer": "echo no such controller >&2; exit 1", "nothing": "exit 0",
	} {
		programs(t, map[string]string{"squeue": squeue})
		j := here(inJob("SLURM_JOB_ID", "17"))
		should.Hold(t, j.ID == "17" && j.Ends.IsZero(), "%s: %+v", name, j)
	}
	t.Setenv("SLURM_JOB_END_TIME", "1800000000")
	programs(t, map[string]string{"squeue": "exit 1"})
	j := here(inJob("SLURM_JOB_ID", "17"))
	should.Hold(t, j.Ends.Unix() == 1800000000, "without squeue: %+v", j)
}

func TestTheIDOfAJobIsNoOption(t *testing.T) {
	programs(t, map[string]string{"squeue": "echo 'RUNNING|x|y|z'", "sbatch": "echo 17--cluster=evil x"})
	_, err := StateOf("17 --cluster=x")
	should.Hold(t, err != nil, "the state of a job with a space in its id was asked for")
	j := here(inJob("SLURM_JOB_ID", "-17"))
	should.Hold(t, j.Ends.IsZero(), "%+v", j)
	job, err := request("/job").Put()
	should.Hold(t, err != nil, "submitted %q", job)
}

func TestStateOfASlurmJob(t *testing.T) {
	for out, want := range map[string]State{
		"echo 'RUNNING|node[1-2]|None|0:25'":        {Word: "RUNNING", Nodes: "node[1-2]", Left: "0:25"},
		"echo 'PENDING||BeginTime|10:00'":           {Word: "PENDING", Why: "BeginTime"},
		"echo 'COMPLETED|node1|None|3:18'":          {Word: "COMPLETED", Nodes: "node1"},
		"echo 'Invalid job id specified'>&2;exit 1": {},
		"true": {},
	} {
		programs(t, map[string]string{"squeue": out})
		got, err := StateOf("17")
		should.Hold(t, err == nil && got == want, "%s: %+v, %v, want %+v", out, got, err, want)
		should.Equal(t, got.Over(), want.Word == "" || want.Word == "COMPLETED", "%s: over", out)
	}
	should.Hold(t, !(State{Word: "COMPLETING"}).Over() && (State{Word: "TIMEOUT"}).Over(), "what is over")
	programs(t, map[string]string{"squeue": "echo 'slurm_load_jobs error: Unable to contact slurm controller' >&2; exit 1"})
	_, err := StateOf("17")
	should.Hold(t, err != nil, "a state without Slurm")
}

func TestLaunchersWordsAtTheEndOfAJob(t *testing.T) {
	for words, want := range map[string]bool{
		"srun: error: Unable to create step for job 17: Job/step already completing or completed\n":        true,
		"slurmstepd: error: *** STEP 17.0 ON node1 CANCELLED AT 2026-11-22T14:05:00 DUE TO TIME LIMIT ***": true,
		"srun: error: Unable to create step for job 17: Invalid Trackable RESource (TRES)":                 false,
	} {
		should.Equal(t, Over(words), want, "%s: %v", words, !want)
	}
}

func request(dir string, command ...string) *Request {
	c := Default()
	c.Account, c.Partition, c.Constraint = "hpc", "main", "amd"
	c.Options, c.Modules, c.Prolog = []string{"--qos=debug"}, []string{"openmpi/4"}, []string{"ulimit -l unlimited"}
	c.Restarts = 2
	return &Request{Config: c, NP: 8, Nodes: 2, PPN: 4, Time: 90 * time.Minute, Log: filepath.Join(dir, "batch.log"),
		Path: filepath.Join(dir, "batch.sh"), Dir: dir, Command: command}
}

func TestDirectivesSayWhatTheSectionBatchDoes(t *testing.T) {
	lines := strings.Split(request("/job", "pgmpi", "check").forSlurm(), "\n")
	for _, w := range []string{"#SBATCH --nodes=2", "#SBATCH --ntasks-per-node=4", "#SBATCH --time=1:30:00", "#SBATCH --account=hpc", "#SBATCH --partition=main",
		"#SBATCH --constraint=amd", "#SBATCH --exclusive", "#SBATCH --requeue", "#SBATCH --open-mode=append", "#SBATCH --signal=B:USR1@90", `#SBATCH --output="/job/batch.log"`, "#SBATCH --qos=debug",
		"ulimit -l unlimited", "module purge", "module load openmpi/4 || exit 2", "pgmpi check &"} {
		should.Hold(t, slices.Contains(lines, w), "the script lacks %s:\n%s", w, strings.Join(lines, "\n"))
	}
	alone := request("/job", "pgmpi")
	alone.Nodes, alone.PPN = 0, 0
	s := alone.forSlurm()
	should.Hold(t, strings.Contains(s, "#SBATCH --ntasks=8\n") && !strings.Contains(s, "--nodes"), "Slurm is not left to choose the nodes:\n%s", s)
}

func TestATemplateIsFilledForAnotherBatchSystem(t *testing.T) {
	dir := programs(t, map[string]string{"qsub": "echo 4711.head $1"})
	r := request("/a job", "pgmpi", "check", "--out", "my results")
	r.Config, r.Log = Config{Template: filepath.Join(dir, "pbs.sh")}, "/job/batch.log"
	r.PPN = 0
	write := func(text string) {
		must.Do(t, os.WriteFile(r.Template, []byte(text), 0o666))
	}
	write("#PBS -N {name}\n#PBS -l select={nodes}:mpiprocs={ppn} -l walltime={time} -o {log} # {np} {minutes}\ncd {dir}\nexec ${LAUNCH} {command}\n")
	want := "#PBS -N pgmpi\n#PBS -l select=2:mpiprocs=4 -l walltime=1:30:00 -o /job/batch.log # 8 90\ncd '/a job'\nexec ${LAUNCH} pgmpi check --out 'my results'\n"
	got, err := r.Script()
	should.Hold(t, got == want && err == nil, "%v\n%s", err, got)
	_, err = r.Put()
	should.Hold(t, err != nil && r.SubmitLine() == "" && strings.Contains(err.Error(), "batch.submit is empty"), "submitted without words: %v", err)
	r.Submit = []string{"qsub"}
	if said, err := r.Put(); said != "4711.head /a job/batch.sh" || err != nil || r.SubmitLine() != "qsub '/a job/batch.sh'" {
		t.Errorf("%q, %v, %s", said, err, r.SubmitLine())
	}
	write("exec pgmpi\n")
	_, err = r.Script()
	should.Fail(t, err, "lacks {command}")
}

func TestWordsOfTheSectionBatchCannotEndADirective(t *testing.T) {
	for _, c := range []Config{
		{Account: "a\nrm"}, {Partition: "a b"}, {Constraint: `a"`}, {Options: []string{"--x\n#SBATCH --y"}}, {Options: []string{"x"}},
		{Modules: []string{"a;b c"}}, {Nodes: -1}, {Restarts: -1}, {Time: -1}, {Time: conf.Duration(4*time.Minute - 1)}, {Template: "t", Time: -1},
		{Submit: []string{"qsub"}}, {Template: "t", Account: "a"}, {Template: "t", Prolog: []string{"x"}},
	} {
		should.Equal(t, len(c.Validate()), 1, "%+v: %v", c, c.Validate())
	}
	for _, c := range []Config{request("/job").Config, {Time: conf.Duration(4 * time.Minute)}, {Template: "t", Time: conf.Duration(time.Minute)}} {
		should.Hold(t, len(c.Validate()) == 0, "%v", c.Validate())
	}
}

// hostile are names of folders, some of which no line #SBATCH can hold.
var hostile = []string{"plain", "a b", "a$(touch PWNED)b", "a`touch PWNED`b", "$HOME", `a"b`, "a'b", "a;touch PWNED", "a&b", "a|b", "a>b", "#SBATCH", "a#b", "100%", "%j%u", "*", "~", "a\nb",
	"q\"\n#SBATCH --comment=\"INJ", `a\b`, "é\u00a0ü", "{submit}{most}", "--wrap", "a\tb", "\x1b[31m"}

// A script runs the command that was given, and says how to go on, whatever a folder is called.
func FuzzNoPathIsReadByAShell(f *testing.F) {
	for _, name := range hostile {
		f.Add(name)
	}
	f.Fuzz(func(t *testing.T, name string) {
		if strings.Contains(name, "\x00") || len(name) > 200 {
			t.Skip()
		}
		folder := "/out/" + name
		r := Request{NP: 2, Dir: "/", Path: folder + "/batch.sh", Log: folder + "/batch.log", Command: []string{"sh", "-c", `printf '%s' "$0"; exit 130`, folder}}
		script, err := r.Script()
		if err != nil {
			return
		}
		for line := range strings.Lines(script) {
			if rest, is := strings.CutPrefix(line, "#SBATCH --output="); is && (!strings.HasPrefix(rest, `"`) || strings.Count(rest, `"`) != 2) {
				t.Errorf("%s", line)
			}
		}
		var out, errs strings.Builder
		cmd := exec.Command("bash", "-c", script)
		cmd.Dir, cmd.Stdout, cmd.Stderr = t.TempDir(), &out, &errs
		_ = cmd.Run()
		should.Hold(t, cmd.ProcessState.ExitCode() == 130 && out.String() == folder, "exit status %d, %q of %q", cmd.ProcessState.ExitCode(), out.String(), folder)
		should.Equal(t, errs.String(), "pgmpi: not finished after 0 restarts; go on with: "+r.SubmitLine()+"\n")
	})
}

func TestNamesThatADirectiveCannotHoldAreRefused(t *testing.T) {
	template := filepath.Join(t.TempDir(), "t")
	must.Do(t, os.WriteFile(template, []byte("#PBS -o {log}\n{command}\n"), 0o666))
	for name, want := range map[string][2]bool{"plain": {true, true}, "a b": {true, false}, "$x": {true, false}, `a"b`: {}, "a\nb": {}, `a\b`: {}} {
		for i, template := range []string{"", template} {
			r := Request{Config: Config{Template: template}, NP: 2, Log: "/" + name + "/batch.log", Command: []string{"pgmpi"}}
			_, err := r.Script()
			should.Hold(t, (err == nil) == want[i] && (err == nil || strings.Contains(err.Error(), "--out")), "%q, %q: %v", name, template, err)
		}
	}
}

// The script of a job is played with a check that ends as told, and with what the
// batch system sends.
func TestTheScriptGoesOnUntilTheCheckIsDone(t *testing.T) {
	const waits = `trap 'kill $!; exit 130' TERM; touch $0.began; sleep 20 & wait`
	for name, c := range map[string]struct {
		check    string
		signal   syscall.Signal
		restarts string
		want     int
		requeued bool
		says     string
	}{
		"done":                     {check: "exit 0", want: 0},
		"violated":                 {check: "exit 1", want: 1},
		"no time for an mpirun":    {check: "exit 130", want: 130, requeued: true},
		"warned of the limit":      {check: waits, signal: syscall.SIGUSR1, want: 130, requeued: true},
		"cancelled":                {check: waits, signal: syscall.SIGTERM, want: 130},
		"once more":                {check: "exit 130", restarts: "1", want: 130, requeued: true, says: "restart 2 of at most 2"},
		"enough":                   {check: "exit 130", restarts: "2", want: 130, says: "not finished after 2 restarts; go on with: sbatch "},
		"warned, but done in time": {check: `trap 'kill $!; exit 0' TERM; touch $0.began; sleep 20 & wait`, signal: syscall.SIGUSR1, want: 0},
	} {
		t.Run(name, func(t *testing.T) {
			dir := programs(t, map[string]string{"module": "", "check": c.check, "scontrol": `echo "$@" >$0.asked`})
			r := request(dir, filepath.Join(dir, "check"))
			r.Prolog = nil
			cmd := exec.Command("bash", "-c", r.forSlurm())
			cmd.Env = append(os.Environ(), "SLURM_JOB_ID=17", "SLURM_RESTART_COUNT="+c.restarts)
			cmd.Stderr = new(strings.Builder)
			must.Do(t, cmd.Start())
			if c.signal != 0 {
				for !exists(filepath.Join(dir, "check.began")) { // its trap is set
					time.Sleep(5 * time.Millisecond)
				}
				must.Do(t, cmd.Process.Signal(c.signal))
			}
			err := cmd.Wait()
			exit := (*exec.ExitError)(nil)
			must.Hold(t, err == nil || errors.As(err, &exit), "%v", err)
			said := cmd.Stderr.(*strings.Builder).String()
			code := cmd.ProcessState.ExitCode()
			should.Hold(t, code == c.want && strings.Contains(said, c.says), "exit status %d, want %d; %s", code, c.want, said)
			asked, _ := os.ReadFile(filepath.Join(dir, "scontrol.asked"))
			should.Equal(t, string(asked) == "requeue 17\n", c.requeued, "scontrol was asked %q", asked)
		})
	}
}

func exists(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}
