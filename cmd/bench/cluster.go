package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"pgmpi/analyze/judge"
)

// clusterBench is a whole default check as a batch job over two virtual nodes, one
// rank each: Slurm, namespaces and a bridge of this machine, over TCP.
func clusterBench(ctx context.Context, e *env) {
	e.title("a whole check, submitted to Slurm by pgmpi submit: two virtual nodes, one process each, all else the defaults")
	slurm := filepath.Join(e.dir, "slurm")
	up := exec.CommandContext(ctx, "testdata/slurm/up", "-H", "-n", "2", "-c", "1", slurm)
	// A node's slurmd has its cores already. Slurm itself would bind the ranks of all nodes to the first one.
	up.Env = append(os.Environ(), "TASKPLUGIN=task/none")
	defer func() { _ = exec.Command("testdata/slurm/down", slurm).Run() }()
	if out, err := up.CombinedOutput(); err != nil {
		fmt.Printf("   left out: no Slurm of our own (it needs root and .ci/install slurmctld): %v: %s\n", err, out)
		return
	}
	plugin, variables := "pmix", append(os.Environ(), "SLURM_CONF="+filepath.Join(slurm, "slurm.conf"))
	if e.library == "mpich" {
		plugin, variables = "pmi2", append(variables, "UCX_TLS=tcp,self") // else it takes memory that two hosts do not share
	}
	toml := fmt.Sprintf("[job]\nnp = [2]\n[batch]\nnodes = 2\ntime = \"2h\"\n[mpi]\nrank = %q\nlaunch = [\"srun\", \"-K\", \"--input=0\", \"--mpi=%s\", \"-n\", \"{np}\"]\n",
		e.program("pgmpi-rank"), plugin)
	must(os.WriteFile(filepath.Join(e.dir, "gl.toml"), []byte(toml), 0o666))
	pgmpi := func(args ...string) []byte {
		cmd := command(ctx, append([]string{filepath.Join(e.bin, "pgmpi")}, args...)...)
		var stderr bytes.Buffer
		cmd.Dir, cmd.Env, cmd.Stderr = e.dir, variables, &stderr
		out, err := cmd.Output()
		if err != nil {
			must(fmt.Errorf("pgmpi %s: %w: %s", strings.Join(args, " "), err, stderr.String()))
		}
		return out
	}
	start := time.Now()
	pgmpi("submit", "gl.toml", "--go", "--out", "out")
	var s struct {
		Done     int  `json:"done"`
		Reported bool `json:"reported"`
		Job      struct {
			State string `json:"state"`
		} `json:"job"`
	}
	for ended := false; !s.Reported; {
		if ended {
			log, _ := os.ReadFile(filepath.Join(e.dir, "out", "batch.log"))
			must(fmt.Errorf("the job has ended (%s) without a report: %s", s.Job.State, log))
		}
		time.Sleep(2 * time.Second)
		must(json.Unmarshal(pgmpi("status", "out", "--format", "json"), &s))
		ended = strings.Contains("COMPLETED FAILED CANCELLED TIMEOUT NODE_FAIL", s.Job.State)
	}
	took := time.Since(start)
	var r report
	read(filepath.Join(e.dir, "out", "report.json"), &r)
	for i := range r.Verdicts {
		if v := &r.Verdicts[i]; v.Verdict == judge.Violated {
			fmt.Println("   " + cell(v))
		}
	}
	fmt.Printf("   %d mpiruns in %v: %v\n", s.Done, took.Round(time.Second), r.verdicts())
}
