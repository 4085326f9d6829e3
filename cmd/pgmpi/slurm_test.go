package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"pgmpi/testkit/mpirun"
	"pgmpi/testkit/must"
)

// slurm is a batch system of its own on this machine. Its nodes are network namespaces: see testdata/slurm/up.
type slurm struct {
	dir string
}

// newSlurm starts a Slurm, and stops it when the test ends. Its nodes are node1, node2, …, each with this number of
// CPUs. Where this machine does not let us, the test is skipped with the reason.
func newSlurm(t *testing.T, nodes, cpus int) *slurm {
	t.Helper()
	if os.Getenv("PGMPI_TEST_BIN") == "" {
		t.Skip("real mpiruns need the folder of the built programs in PGMPI_TEST_BIN: `make test` sets it")
	}
	if os.Geteuid() != 0 {
		t.Skip("a Slurm of our own needs root")
	}
	for _, program := range []string{"munged", "slurmctld", "slurmd", "sbatch", "ip", "nsenter", "unshare", "taskset"} {
		if _, err := exec.LookPath(program); err != nil {
			t.Skipf("a Slurm of our own needs %s (.ci/install slurmctld): %v", program, err)
		}
	}
	stopOrphans()
	s := &slurm{dir: filepath.Join(os.TempDir(), slurmPrefix+strconv.Itoa(os.Getpid()))}
	t.Cleanup(func() { stopSlurm(s.dir) })
	up := exec.Command("../../testdata/slurm/up", "-H", "-n", fmt.Sprint(nodes), "-c", fmt.Sprint(cpus), s.dir)
	up.Env = append(os.Environ(), "TASKPLUGIN=task/none") // there are fewer real CPUs
	if out, err := up.CombinedOutput(); err != nil {
		t.Skipf("no Slurm on this machine: %v: %s", err, out)
	}
	return s
}

const slurmPrefix = "pgmpi-slurm-"

func stopSlurm(dir string) { _ = exec.Command("../../testdata/slurm/down", dir).Run() }

// stopOrphans clears up after tests that were killed.
func stopOrphans() {
	dirs, _ := filepath.Glob(filepath.Join(os.TempDir(), slurmPrefix+"*"))
	for _, d := range dirs {
		if _, err := os.Stat("/proc/" + strings.TrimPrefix(filepath.Base(d), slurmPrefix)); os.IsNotExist(err) {
			stopSlurm(d)
		}
	}
}

// fixture returns a fixture whose programs find this Slurm. Its ranks give their core away, since there are more of
// them than cores.
func (s *slurm) fixture(t *testing.T, l mpirun.Library) *fixture {
	b := newFixture(t, l)
	b.Env = append(b.Env, "SLURM_CONF="+s.dir+"/slurm.conf")
	if l.Yield {
		b.Env = append(b.Env, "LD_PRELOAD="+filepath.Join(b.Bin, "yield.so"))
	}
	return b
}

// srun returns the words that start the ranks of a library.
func srun(l mpirun.Library) string {
	pmi := "pmix"
	if l.Name == "mpich" {
		pmi = "pmi2"
	}
	return "srun -K --input=0 --mpi=" + pmi + " -n {np}"
}

// held makes a launcher that waits after the first mpirun until it is let go, for a test to disturb it.
func (b *fixture) held(launch string) string {
	b.T.Helper()
	return b.until(`while [ ! -e go ] && [ -n "$(ls out/raw/*.tsv.gz 2>/dev/null)" ]; do sleep 0.1; done`, launch)
}

// until makes a launcher that waits in a line of shell, where go is the file that letGo writes.
func (b *fixture) until(line, launch string) string {
	b.T.Helper()
	b.Script("waits", "cd "+b.Dir+"\n"+line+"\nexec \"$@\"")
	return filepath.Join(b.Dir, "waits") + " " + launch
}

func (b *fixture) letGo() { b.Put("go", "") }

// batchJob is a job in the folder of a fixture.
type batchJob struct {
	*fixture
	id, name string
}

// batch submits lines of shell. Every start of the job leaves what was printed, and the exit status of the last
// line.
func (b *fixture) batch(name, options string, lines ...string) *batchJob {
	b.T.Helper()
	script := filepath.Join(b.Dir, name+".sh")
	text := fmt.Sprintf(`#!/bin/bash
n=${SLURM_RESTART_COUNT:-0}
trap : TERM # Slurm tells every process of the job
{
%s
} >%s.$n.out 2>%[2]s.$n.err
echo $? >%[2]s.$n.tmp && mv %[2]s.$n.tmp %[2]s.$n.status
`, strings.Join(lines, "\n"), filepath.Join(b.Dir, name))
	must.Do(b.T, os.WriteFile(script, []byte(text), 0o777))
	args := append([]string{"--parsable", "--requeue", "--output=/dev/null"}, strings.Fields(options)...)
	s := b.Run("sbatch", append(args, script)...).Exits(b.T, 0)
	return &batchJob{fixture: b, id: strings.TrimSpace(s.Stdout), name: name}
}

// checkLine writes a line that checks into the results folder.
func (b *fixture) checkLine(launch string, more ...string) string {
	line := "pgmpi check --quiet --guidelines quick.toml --rank $RANK --out out --resume"
	if launch != "" {
		line += fmt.Sprintf(" --launch '%s'", launch)
	}
	return strings.Join(append([]string{line}, more...), " ")
}

// jobLimit allows for a job that waits for others.
const jobLimit = 90 * time.Second

// endOf waits for the end of a start of the job, from 0.
func (j *batchJob) endOf(start int) mpirun.Said {
	j.T.Helper()
	path := filepath.Join(j.Dir, fmt.Sprintf("%s.%d.", j.name, start))
	read := func(what string) string {
		text, _ := os.ReadFile(path + what)
		return string(text)
	}
	if !mpirun.Within(jobLimit, func() bool { return read("status") != "" }) {
		j.T.Fatalf("job %s (%s), start %d, has not ended: %s\nstdout:\n%s\nstderr:\n%s", j.id, j.name, start, j.state(), read("out"), read("err"))
	}
	code := must.Get(strconv.Atoi(strings.TrimSpace(read("status"))))(j.T)
	return mpirun.Said{Code: code, Stdout: read("out"), Stderr: read("err")}
}

func (j *batchJob) state() string {
	return strings.TrimSpace(j.Run("squeue", "--noheader", "--states=all", "--jobs="+j.id, "--format=%T").Stdout)
}

// finished waits until n mpiruns are in the results folder.
func (b *fixture) finished(n int) {
	b.T.Helper()
	b.WaitFor(fmt.Sprintf("%d mpiruns", n), jobLimit, func() bool {
		files, _ := filepath.Glob(filepath.Join(b.Out, "raw", "*.tsv.gz"))
		return len(files) >= n
	})
}

// startNow takes a requeued job out of its wait of two minutes.
func (j *batchJob) startNow() {
	j.T.Helper()
	j.WaitFor("job "+j.id+" in the queue again", jobLimit, func() bool { return j.state() == "PENDING" })
	// A second start fails while a node still clears up after the first. Nothing tells when the node is done.
	j.NoneLeft(jobLimit)
	time.Sleep(3 * time.Second)
	j.Run("scontrol", "update", "JobId="+j.id, "StartTime=now").Exits(j.T, 0)
}
