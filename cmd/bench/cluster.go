package main

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"pgmpi/analyze"
	"pgmpi/analyze/judge"
	"pgmpi/analyze/report"
)

// clusterBench is a whole default check as a batch job over two virtual nodes, one
// rank each: Slurm, namespaces and a bridge of this machine, over TCP.
func clusterBench(ctx context.Context, e *env) {
	slurm := filepath.Join(e.dir, "slurm")
	up := exec.CommandContext(ctx, "testdata/slurm/up", "-H", "-n", "2", "-c", "1", slurm)
	// A node's slurmd has its cores already. Slurm itself would bind the ranks of all nodes to the first one.
	up.Env = append(os.Environ(), "TASKPLUGIN=task/none")
	defer func() { _ = exec.Command("testdata/slurm/down", slurm).Run() }()
	if out, err := up.CombinedOutput(); err != nil {
		fmt.Printf("   left out: no Slurm of our own (it needs root and .ci/install slurmctld): %v: %s\n", err, out)
		return
	}
	plugin := "pmix"
	must(os.Setenv("SLURM_CONF", filepath.Join(slurm, "slurm.conf")))
	defer os.Unsetenv("SLURM_CONF")
	if e.library == "mpich" {
		plugin = "pmi2"
		must(os.Setenv("UCX_TLS", "tcp,self")) // else it takes memory that two hosts do not share
		defer os.Unsetenv("UCX_TLS")
	}
	toml := fmt.Sprintf("[job]\nnp = [2]\n[batch]\nnodes = 2\ntime = \"2h\"\n[mpi]\nrank = %q\nlaunch = [\"srun\", \"-K\", \"--input=0\", \"--mpi=%s\", \"-n\", \"{np}\"]\n",
		e.program("pgmpi-rank"), plugin)
	file, folder := filepath.Join(e.dir, "gl.toml"), filepath.Join(e.dir, "out")
	must(os.WriteFile(file, []byte(toml), 0o666))
	start := time.Now()
	e.pgmpi(ctx, "submit", file, "--go", "--out", folder)
	var s report.Status
	for ended := false; !s.Reported; {
		if ended {
			log, _ := os.ReadFile(filepath.Join(folder, "batch.log"))
			must(fmt.Errorf("the job has ended (%s) without a report: %s", s.Job.State, log))
		}
		time.Sleep(2 * time.Second)
		text, _ := e.pgmpi(ctx, "status", folder, "--format", "json")
		must(json.Unmarshal(text, &s))
		ended = s.Job != nil && strings.Contains("COMPLETED FAILED CANCELLED TIMEOUT NODE_FAIL", s.Job.State)
	}
	took := time.Since(start)
	var r analyze.Report
	read(filepath.Join(folder, "report.json"), &r)
	for i := range r.Verdicts {
		if v := &r.Verdicts[i]; v.Verdict == judge.Violated {
			fmt.Println("   " + cell(v))
		}
	}
	fmt.Printf("   %d mpiruns in %v: %v\n", s.Done, took.Round(time.Second), verdicts(&r))
}
