package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"pgmpi/internal/exitcode"
	"pgmpi/internal/phrase"
	"pgmpi/measure/results"
	"pgmpi/testkit/mpirun"
	"pgmpi/testkit/must"
)

// Each subtest shows what a batch system does to a check: it is a job, or several, on virtual nodes.
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
	for _, l := range mpirun.Libraries {
		for _, nodes := range []int{1, 2} {
			for name, launch := range map[string]string{"mpirun": "", "srun": srun(l)} {
				t.Run(fmt.Sprintf("%s-%s-%d", l.Name, name, nodes), func(t *testing.T) {
					t.Parallel()
					b := s.fixture(t, l)
					j := b.batch("job", fmt.Sprintf("-x node3 -N%d --ntasks-per-node=%d", nodes, 2/nodes), b.checkLine(launch))
					j.endOf(0).Exits(t, exitcode.OK, exitcode.Violated)
					if n := b.nodes(); n != nodes {
						t.Errorf("the ranks were on %d nodes", n)
					}
				})
			}
		}
	}
}

// nodes returns on how many nodes the first mpirun ran.
func (b *fixture) nodes() int {
	b.T.Helper()
	if m := b.manifest(); len(m.Factors.Layouts) > 0 {
		return len(m.Factors.Layouts[0].Nodes)
	}
	return 0
}

func (b *fixture) manifest() *results.Manifest {
	b.T.Helper()
	_, m := must.Two(results.Open(b.Out))(b.T)
	return m
}

func slurmJobFile(t *testing.T, s *slurm) {
	b := s.fixture(t, mpirun.Libraries[0])
	b.batch("job", "-x node3 -N2 --ntasks-per-node=1", b.checkLine(srun(b.Lib), "--job-file")).endOf(0).Exits(t, exitcode.OK, exitcode.Violated)
}

func slurmScancel(t *testing.T, s *slurm) {
	b := s.fixture(t, mpirun.Libraries[1])
	j := b.batch("job", "-x node3 -N2 --ntasks-per-node=1", b.checkLine(b.held(srun(b.Lib))))
	b.finished(1)
	b.Run("scancel", j.id).Exits(t, 0)
	j.endOf(0).Exits(t, exitcode.Interrupted).Says(t, "interrupted; finished mpiruns are kept", "--out out --resume")
	b.NoneLeft(5 * time.Second)
}

// endsIn writes a line of a batch script that sets the end of its job.
func endsIn(seconds int) string {
	return fmt.Sprintf(`scontrol update JobId=$SLURM_JOB_ID EndTime=$(date -d '+%d sec' +%%FT%%T)`, seconds)
}

func slurmTimeLimit(t *testing.T, s *slurm) {
	b := s.fixture(t, mpirun.Libraries[0])
	line := b.checkLine(b.until("[ -e go ] || sleep 8", "mpirun.openmpi -np {np}"))
	b.batch("first", "-x node3 -N2 --ntasks-per-node=1", endsIn(20), line).endOf(0).
		Exits(t, exitcode.Interrupted).Says(t, "interrupted: batch job ", "--out out --resume")
	before := b.Raw()
	must.Hold(t, len(before) < 3, "the first job has measured %d mpiruns", len(before))
	b.letGo()
	b.batch("second", "-x node3 -N2 --ntasks-per-node=1", line).endOf(0).Exits(t, exitcode.OK, exitcode.Violated)
	for name, written := range before {
		if !b.Raw()[name].Equal(written) {
			t.Errorf("%s was measured again", name)
		}
	}
	if events := b.manifest().Events; len(events) > 0 {
		t.Errorf("%q", events)
	}
}

// Slurm refuses steps from the end of a job on; its signal comes up to 30 s later.
func slurmRefusedSteps(t *testing.T, s *slurm) {
	for _, l := range mpirun.Libraries {
		t.Run(l.Name, func(t *testing.T) {
			t.Parallel()
			b := s.fixture(t, l)
			j := b.batch("job", "-x node3 -N2 --ntasks-per-node=1", b.checkLine(b.held(srun(l))))
			b.finished(1)
			b.Run("scontrol", "update", "JobId="+j.id, "EndTime=now+2").Exits(t, 0)
			time.Sleep(3 * time.Second)
			b.letGo()
			j.endOf(0).Exits(t, exitcode.Interrupted).Says(t, "--out out --resume")
			if events := b.manifest().Events; len(events) > 0 {
				t.Errorf("%q", events)
			}
		})
	}
}

func slurmRequeue(t *testing.T, s *slurm) {
	b := s.fixture(t, mpirun.Libraries[1])
	j := b.batch("job", "-x node3 -N2 --ntasks-per-node=1", b.checkLine(b.held("mpirun.mpich -np {np}")))
	b.finished(1)
	before := b.Raw()
	b.Run("scontrol", "requeue", j.id).Exits(t, 0)
	j.startNow()
	b.letGo()
	j.endOf(1).Exits(t, exitcode.OK, exitcode.Violated)
	for name, written := range before {
		if !b.Raw()[name].Equal(written) {
			t.Errorf("%s was measured again", name)
		}
	}
}

func slurmNodeDown(t *testing.T, s *slurm) {
	b := s.fixture(t, mpirun.Libraries[0])
	j := b.batch("job", "-w node3 -N1 --ntasks-per-node=2", b.checkLine(b.held(srun(b.Lib))))
	b.finished(1)
	b.Run("scontrol", "update", "NodeName=node3", "State=down", "Reason=test").Exits(t, 0)
	j.WaitFor("job "+j.id+" in the queue again", jobLimit, func() bool { return j.state() == "PENDING" })
	b.Run("scontrol", "update", "JobId="+j.id, "ReqNodeList=", "ExcNodeList=node3").Exits(t, 0)
	j.startNow()
	b.letGo()
	j.endOf(1).Exits(t, exitcode.OK, exitcode.Violated)
	b.Run("scontrol", "update", "NodeName=node3", "State=resume") // if it has not come back by itself
}

func slurmTwoJobs(t *testing.T, s *slurm) {
	b := s.fixture(t, mpirun.Libraries[0])
	line := b.checkLine(b.held(srun(b.Lib)))
	first := b.batch("first", "-x node3 -N1 --ntasks-per-node=2", line)
	b.WaitFor("the manifest", jobLimit, func() bool { _, err := os.Stat(filepath.Join(b.Out, "manifest.json")); return err == nil })
	b.batch("second", "-x node3 -N1 --ntasks-per-node=2", line).endOf(0).Exits(t, exitcode.Setup).Says(t, "in use")
	b.letGo()
	first.endOf(0).Exits(t, exitcode.OK, exitcode.Violated)
}

// Every node has a folder of its own at the same path.
func slurmNoSharedFolder(t *testing.T, s *slurm) {
	b := s.fixture(t, mpirun.Libraries[0])
	local := filepath.Join(s.dir, "local", "out")
	line := strings.Replace(b.checkLine(srun(b.Lib)), "--out out", "--out "+local, 1)
	j := b.batch("job", "-x node3 -N2 --ntasks-per-node=1", line+"; status=$?", "ls "+local, "(exit $status)")
	j.endOf(0).Exits(t, exitcode.OK, exitcode.Violated).Shows(t, "report.json")
}

// submit submits a check that is held after its first mpirun.
func (b *fixture) submit() *batchJob {
	b.T.Helper()
	b.TOML(quick + fmt.Sprintf(`
[mpi]
rank = %q
launch = [%s]
[batch]
time = "10m"
exclusive = false
options = ["--exclude=node3", "--nodes=2", "--ntasks-per-node=1"]
prolog = ["export SUBMITTED=yes"]
`, b.Rank, phrase.Join(", ", "%q", strings.Fields(b.held(srun(b.Lib))))))
	s := b.Pgmpi("submit", "gl.toml", "--go", "--out", "out").Exits(b.T, 0).Shows(b.T, `^submitted job \d+: 2 processes, at most 10 min`, "pgmpi status out")
	return &batchJob{fixture: b, id: strings.TrimSuffix(strings.Fields(s.Stdout)[2], ":")}
}

func slurmSubmit(t *testing.T, s *slurm) {
	b := s.fixture(t, mpirun.Libraries[0])
	j := b.submit()
	b.Pgmpi("submit", "gl.toml", "--go", "--out", "out").Exits(t, exitcode.Setup).Says(t, "job "+j.id+" is ", "works on out")
	b.finished(1)
	b.Pgmpi("status", "out").Exits(t, 0).Shows(t, `^1 of at most 3 mpiruns done; job `+j.id+` is RUNNING on node\[1-2\]`)
	// Slurm sends this before the time limit.
	b.Run("scancel", "--batch", "--signal=USR1", j.id).Exits(t, 0)
	j.startNow()
	b.letGo()
	b.WaitFor("the report", jobLimit, func() bool { _, err := os.Stat(filepath.Join(b.Out, "report.json")); return err == nil })
	b.WaitFor("the end of the job", jobLimit, func() bool { return j.state() == "COMPLETED" || j.state() == "FAILED" })
	b.Pgmpi("status", "out").Exits(t, 0).Shows(t, "^finished, with 3 mpiruns; job "+j.id+" is (COMPLETED|FAILED)")
	if log := b.log(); !strings.Contains(log, "interrupted; finished mpiruns are kept") || !strings.Contains(log, "restart 1 of at most 10") {
		t.Errorf("%s", log)
	}
}

// log returns what a submitted job has printed.
func (b *fixture) log() string {
	b.T.Helper()
	return string(must.Get(os.ReadFile(filepath.Join(b.Out, "batch.log")))(b.T))
}

func slurmSubmitCancelled(t *testing.T, s *slurm) {
	b := s.fixture(t, mpirun.Libraries[1])
	j := b.submit()
	b.finished(1)
	b.Run("scancel", j.id).Exits(t, 0)
	b.WaitFor("the end of the job", jobLimit, func() bool { return j.state() == "CANCELLED" })
	b.NoneLeft(5 * time.Second)
	time.Sleep(time.Second)
	if state := j.state(); state != "CANCELLED" {
		t.Errorf("job %s is %s", j.id, state)
	}
	// Slurm's SIGTERM reaches pgmpi directly and through its script.
	if log := b.log(); !strings.Contains(log, "interrupted; finished mpiruns are kept") || !strings.Contains(log, "--out out --resume") {
		t.Errorf("%s", log)
	}
}

func slurmGate(t *testing.T, s *slurm) {
	if !strings.Contains(inProcess("help", "check").Stdout, "--baseline") {
		t.Skip("this pgmpi has no --baseline")
	}
	b := s.fixture(t, mpirun.Libraries[0])
	line := b.checkLine(srun(b.Lib))
	options := "-x node3 -N2 --ntasks-per-node=1"
	b.batch("first", options, line).endOf(0).Exits(t, exitcode.OK, exitcode.Violated)
	b.batch("night", options, strings.Replace(line, "--out out", "--out night --baseline out", 1)).endOf(0).Exits(t, exitcode.OK, exitcode.Violated)
}

// Slurm's reading of a script is compared with what was asked for; the jobs never start.
func slurmNames(t *testing.T, s *slurm) {
	b := s.fixture(t, mpirun.Libraries[0])
	b.TOML(quick + "[batch]\ntime = \"10m\"\n")
	for i, name := range []string{"a b", "a$(touch PWNED)b", "a`touch PWNED`b", "$HOME", "a'b", "a;b", "a&b|c>d", "#SBATCH", "a#b", "*", "~", "é ü", "{submit}", "--wrap", "x --comment=INJ"} {
		out := filepath.Join(b.Dir, fmt.Sprint(i), name)
		b.Pgmpi("submit", "gl.toml", "--out", out).Exits(t, 0)
		id := strings.TrimSpace(b.Run("sbatch", "--hold", "--parsable", filepath.Join(out, "batch.sh")).Exits(t, 0).Stdout)
		job := b.Run("scontrol", "show", "job", id).Exits(t, 0).Stdout
		b.Run("scancel", id).Exits(t, 0)
		if !strings.Contains(job, "StdOut="+filepath.Join(out, "batch.log")+"\n") || strings.Contains(job, "Comment=") {
			t.Errorf("%q: %s", name, job)
		}
	}
	for i, name := range []string{`a"b`, "a\nb", "q\"\n#SBATCH --comment=\"INJ", `a\b`} {
		b.Pgmpi("submit", "gl.toml", "--out", filepath.Join(b.Dir, fmt.Sprint("bad", i), name)).Exits(t, exitcode.Setup).Says(t, "#SBATCH")
	}
}

// The step holds the CPUs that the ranks need, in srun --pty bash and after srun -n1.
func slurmNested(t *testing.T, s *slurm) {
	b := s.fixture(t, mpirun.Libraries[0])
	line := "srun -n1 " + b.checkLine(srun(b.Lib))
	b.batch("job", "-x node3 -N1 -n2", line).endOf(0).Exits(t, exitcode.OK, exitcode.Violated)
}
