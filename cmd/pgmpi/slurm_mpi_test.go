package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"pgmpi/internal/exitcode"
	"pgmpi/internal/fixture/must"
	"pgmpi/internal/phrase"
	"pgmpi/measure/results"
)

// What a batch system does to a check: each subtest is a job, or several, on
// virtual nodes.
func TestSlurm(t *testing.T) {
	s := newSlurm(t, 3, 8)
	for name, test := range map[string]func(*testing.T, *slurm){
		"EveryLauncherOnOneNodeAndOnTwo":                        slurmLaunchers,
		"TheJobMayComeByAFile":                                  slurmJobFile,
		"ScancelInterruptsAndLeavesNothing":                     slurmScancel,
		"NoMpirunIsStartedThatDoesNotFitAndTheNextJobGoesOn":    slurmTimeLimit,
		"StepsThatAreRefusedAtTheEndOfTheJobAreNoFailedMpiruns": slurmRefusedSteps,
		"ARequeuedJobGoesOn":                                    slurmRequeue,
		"AJobWhoseNodeGoesDownGoesOnElsewhere":                  slurmNodeDown,
		"OfTwoJobsOnOneFolderOneMeasures":                       slurmTwoJobs,
		"NodesNeedNoSharedFolder":                               slurmNoSharedFolder,
		"SubmitGoesOnOverAllocationsUntilThereIsAReport":        slurmSubmit,
		"ANightlyGateIsRedOnlyOnWhatIsNew":                      slurmGate,
		"NoNameOfAFolderReachesADirective":                      slurmNames,
		"AStepInsideOfAStepDoesNotWaitForItsCPUs":               slurmNested,
		"WhoeverCancelsASubmittedJobIsObeyed":                   slurmSubmitCancelled,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			test(t, s)
		})
	}
}

func slurmLaunchers(t *testing.T, s *slurm) {
	for _, l := range libraries {
		for _, nodes := range []int{1, 2} {
			for name, launch := range map[string]string{"mpirun": "", "srun": srun(l)} {
				t.Run(fmt.Sprintf("%s-%s-%d", l.name, name, nodes), func(t *testing.T) {
					t.Parallel()
					b := s.fixture(t, l)
					j := b.batch("job", fmt.Sprintf("-x node3 -N%d --ntasks-per-node=%d", nodes, 2/nodes), b.checkLine(launch))
					j.endOf(0).exits(t, exitcode.OK, exitcode.Violated)
					if n := b.nodes(); n != nodes {
						t.Errorf("the ranks were on %d nodes", n)
					}
				})
			}
		}
	}
}

// nodes is on how many nodes the first mpirun was.
func (b *fixture) nodes() int {
	b.t.Helper()
	if m := b.manifest(); len(m.Factors.Layouts) > 0 {
		return len(m.Factors.Layouts[0].Nodes)
	}
	return 0
}

func (b *fixture) manifest() *results.Manifest {
	b.t.Helper()
	_, m := must.Two(results.Open(b.out))(b.t)
	return m
}

func slurmJobFile(t *testing.T, s *slurm) {
	b := s.fixture(t, libraries[0])
	b.batch("job", "-x node3 -N2 --ntasks-per-node=1", b.checkLine(srun(b.lib), "--job-file")).endOf(0).exits(t, exitcode.OK, exitcode.Violated)
}

func slurmScancel(t *testing.T, s *slurm) {
	b := s.fixture(t, libraries[1])
	j := b.batch("job", "-x node3 -N2 --ntasks-per-node=1", b.checkLine(b.slowly(srun(b.lib))))
	b.finished(1)
	b.run("scancel", j.id).exits(t, 0)
	j.endOf(0).exits(t, exitcode.Interrupted).says(t, "interrupted; finished mpiruns are kept", "--out out --resume")
	b.noneLeft(5 * time.Second)
}

// endsIn is a line of a batch script that sets the end of its job.
func endsIn(seconds int) string {
	return fmt.Sprintf(`scontrol update JobId=$SLURM_JOB_ID EndTime=$(date -d '+%d sec' +%%FT%%T)`, seconds)
}

func slurmTimeLimit(t *testing.T, s *slurm) {
	b := s.fixture(t, libraries[0])
	line := b.checkLine(b.slowly("mpirun.openmpi -np {np}"))
	b.batch("first", "-x node3 -N2 --ntasks-per-node=1", endsIn(7), line).endOf(0).
		exits(t, exitcode.Interrupted).says(t, "interrupted: batch job ", "--out out --resume")
	before := b.raw()
	if len(before) == 3 { // none, where the first one took long
		t.Fatal("the first job has measured all mpiruns, which take at least two seconds each")
	}
	b.batch("second", "-x node3 -N2 --ntasks-per-node=1", line).endOf(0).exits(t, exitcode.OK, exitcode.Violated)
	for name, written := range before {
		if !b.raw()[name].Equal(written) {
			t.Errorf("%s was measured again", name)
		}
	}
	if events := b.manifest().Events; len(events) > 0 {
		t.Errorf("%q", events)
	}
}

// Slurm refuses steps from the end of a job on; its signal comes up to 30 s later.
func slurmRefusedSteps(t *testing.T, s *slurm) {
	for _, l := range libraries {
		t.Run(l.name, func(t *testing.T) {
			t.Parallel()
			b := s.fixture(t, l)
			j := b.batch("job", "-x node3 -N2 --ntasks-per-node=1", b.checkLine(b.slowly(srun(l))))
			b.finished(1)
			b.run("scontrol", "update", "JobId="+j.id, "EndTime=now+2").exits(t, 0)
			j.endOf(0).exits(t, exitcode.Interrupted).says(t, "--out out --resume")
			if events := b.manifest().Events; len(events) > 0 {
				t.Errorf("%q", events)
			}
		})
	}
}

func slurmRequeue(t *testing.T, s *slurm) {
	b := s.fixture(t, libraries[1])
	j := b.batch("job", "-x node3 -N2 --ntasks-per-node=1", b.checkLine(b.slowly("mpirun.mpich -np {np}")))
	b.finished(1)
	before := b.raw()
	b.run("scontrol", "requeue", j.id).exits(t, 0)
	j.startNow()
	j.endOf(1).exits(t, exitcode.OK, exitcode.Violated)
	for name, written := range before {
		if !b.raw()[name].Equal(written) {
			t.Errorf("%s was measured again", name)
		}
	}
}

func slurmNodeDown(t *testing.T, s *slurm) {
	b := s.fixture(t, libraries[0])
	j := b.batch("job", "-w node3 -N1 --ntasks-per-node=2", b.checkLine(b.slowly(srun(b.lib))))
	b.finished(1)
	b.run("scontrol", "update", "NodeName=node3", "State=down", "Reason=test").exits(t, 0)
	j.waitFor("job "+j.id+" in the queue again", jobLimit, func() bool { return j.state() == "PENDING" })
	b.run("scontrol", "update", "JobId="+j.id, "ReqNodeList=", "ExcNodeList=node3").exits(t, 0)
	j.startNow()
	j.endOf(1).exits(t, exitcode.OK, exitcode.Violated)
	b.run("scontrol", "update", "NodeName=node3", "State=resume") // if it has not come back by itself
}

func slurmTwoJobs(t *testing.T, s *slurm) {
	b := s.fixture(t, libraries[0])
	line := b.checkLine(b.slowly(srun(b.lib)))
	first := b.batch("first", "-x node3 -N1 --ntasks-per-node=2", line)
	b.waitFor("the manifest", jobLimit, func() bool { _, err := os.Stat(filepath.Join(b.out, "manifest.json")); return err == nil })
	b.batch("second", "-x node3 -N1 --ntasks-per-node=2", line).endOf(0).exits(t, exitcode.Setup).says(t, "in use")
	first.endOf(0).exits(t, exitcode.OK, exitcode.Violated)
}

// Every node has a folder of its own at the same path.
func slurmNoSharedFolder(t *testing.T, s *slurm) {
	b := s.fixture(t, libraries[0])
	local := filepath.Join(s.dir, "local", "out")
	line := strings.Replace(b.checkLine(srun(b.lib)), "--out out", "--out "+local, 1)
	j := b.batch("job", "-x node3 -N2 --ntasks-per-node=1", line+"; status=$?", "ls "+local, "(exit $status)")
	j.endOf(0).exits(t, exitcode.OK, exitcode.Violated).shows(t, "report.json")
}

// submit submits a check whose mpiruns take their time.
func (b *fixture) submit() *batchJob {
	b.t.Helper()
	b.toml(quick + fmt.Sprintf(`
[mpi]
rank = %q
launch = [%s]
[batch]
time = "10m"
exclusive = false
options = ["--exclude=node3", "--nodes=2", "--ntasks-per-node=1"]
prolog = ["export SUBMITTED=yes"]
`, b.rank, phrase.Join(", ", "%q", strings.Fields(b.slowly(srun(b.lib))))))
	s := b.pgmpi("submit", "gl.toml", "--go", "--out", "out").exits(b.t, 0).shows(b.t, `^submitted job \d+: 2 processes, at most 10 min`, "pgmpi status out")
	return &batchJob{fixture: b, id: strings.TrimSuffix(strings.Fields(s.stdout)[2], ":")}
}

func slurmSubmit(t *testing.T, s *slurm) {
	b := s.fixture(t, libraries[0])
	j := b.submit()
	b.pgmpi("submit", "gl.toml", "--go", "--out", "out").exits(t, exitcode.Setup).says(t, "job "+j.id+" is ", "works on out")
	b.finished(1)
	b.pgmpi("status", "out").exits(t, 0).shows(t, `^[12] of at most 3 mpiruns done; job `+j.id+` is RUNNING on node\[1-2\]`)
	// What Slurm sends before the time limit.
	b.run("scancel", "--batch", "--signal=USR1", j.id).exits(t, 0)
	j.startNow()
	b.waitFor("the report", jobLimit, func() bool { _, err := os.Stat(filepath.Join(b.out, "report.json")); return err == nil })
	b.waitFor("the end of the job", jobLimit, func() bool { return j.state() == "COMPLETED" || j.state() == "FAILED" })
	b.pgmpi("status", "out").exits(t, 0).shows(t, "^finished, with 3 mpiruns; job "+j.id+" is (COMPLETED|FAILED)")
	if log := b.log(); !strings.Contains(log, "interrupted; finished mpiruns are kept") || !strings.Contains(log, "restart 1 of at most 10") {
		t.Errorf("%s", log)
	}
}

// log is what a submitted job has printed.
func (b *fixture) log() string {
	b.t.Helper()
	return string(must.Get(os.ReadFile(filepath.Join(b.out, "batch.log")))(b.t))
}

func slurmSubmitCancelled(t *testing.T, s *slurm) {
	b := s.fixture(t, libraries[1])
	j := b.submit()
	b.finished(1)
	b.run("scancel", j.id).exits(t, 0)
	b.waitFor("the end of the job", jobLimit, func() bool { return j.state() == "CANCELLED" })
	b.noneLeft(5 * time.Second)
	time.Sleep(time.Second)
	if state := j.state(); state != "CANCELLED" {
		t.Errorf("job %s is %s", j.id, state)
	}
	// Slurm's SIGTERM comes to pgmpi by itself and through its script.
	if log := b.log(); !strings.Contains(log, "interrupted; finished mpiruns are kept") || !strings.Contains(log, "--out out --resume") {
		t.Errorf("%s", log)
	}
}

func slurmGate(t *testing.T, s *slurm) {
	if !strings.Contains(inProcess("help", "check").stdout, "--baseline") {
		t.Skip("this pgmpi has no --baseline")
	}
	b := s.fixture(t, libraries[0])
	line := b.checkLine(srun(b.lib))
	options := "-x node3 -N2 --ntasks-per-node=1"
	b.batch("first", options, line).endOf(0).exits(t, exitcode.OK, exitcode.Violated)
	b.batch("night", options, strings.Replace(line, "--out out", "--out night --baseline out", 1)).endOf(0).exits(t, exitcode.OK, exitcode.Violated)
}

// What Slurm makes of a script is compared with what was asked for; the jobs never start.
func slurmNames(t *testing.T, s *slurm) {
	b := s.fixture(t, libraries[0])
	b.toml(quick + "[batch]\ntime = \"10m\"\n")
	for i, name := range []string{"a b", "a$(touch PWNED)b", "a`touch PWNED`b", "$HOME", "a'b", "a;b", "a&b|c>d", "#SBATCH", "a#b", "*", "~", "é ü", "{submit}", "--wrap", "x --comment=INJ"} {
		out := filepath.Join(b.dir, fmt.Sprint(i), name)
		b.pgmpi("submit", "gl.toml", "--out", out).exits(t, 0)
		id := strings.TrimSpace(b.run("sbatch", "--hold", "--parsable", filepath.Join(out, "batch.sh")).exits(t, 0).stdout)
		job := b.run("scontrol", "show", "job", id).exits(t, 0).stdout
		b.run("scancel", id).exits(t, 0)
		if !strings.Contains(job, "StdOut="+filepath.Join(out, "batch.log")+"\n") || strings.Contains(job, "Comment=") {
			t.Errorf("%q: %s", name, job)
		}
	}
	for i, name := range []string{`a"b`, "a\nb", "q\"\n#SBATCH --comment=\"INJ", `a\b`} {
		b.pgmpi("submit", "gl.toml", "--out", filepath.Join(b.dir, fmt.Sprint("bad", i), name)).exits(t, exitcode.Setup).says(t, "#SBATCH")
	}
}

// In srun --pty bash, and after srun -n1, the step holds the CPUs that the ranks need.
func slurmNested(t *testing.T, s *slurm) {
	b := s.fixture(t, libraries[0])
	line := "srun -n1 " + b.checkLine(srun(b.lib))
	b.batch("job", "-x node3 -N1 -n2", line).endOf(0).exits(t, exitcode.OK, exitcode.Violated)
}
