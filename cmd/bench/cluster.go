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
)

// clusterBench is a whole default check as a batch job over two virtual nodes, one
// rank each: Slurm, namespaces and a bridge of this machine, over TCP.
func clusterBench(ctx context.Context, e *env) (err error) {
	e.title("a whole check, submitted to Slurm by pgmpi submit: two virtual nodes, one process each, all else the defaults")
	up, err := filepath.Abs("testdata/slurm/up")
	if err != nil {
		return err
	}
	dir := filepath.Join(e.dir, "slurm")
	defer func() { _ = exec.Command(filepath.Join(filepath.Dir(up), "down"), dir).Run() }()
	if out, err := exec.CommandContext(ctx, up, "-H", "-n", "2", "-c", "1", dir).CombinedOutput(); err != nil {
		fmt.Printf("   left out: no Slurm of our own (it needs root and .ci/install slurmctld): %v: %s\n", err, out)
		return nil
	}
	variables := append(os.Environ(), "SLURM_CONF="+filepath.Join(dir, "slurm.conf"))
	launch := "srun -K --input=0 --mpi=pmix"
	if e.library == "mpich" {
		launch = "srun -K --input=0 --mpi=pmi2"
		variables = append(variables, "UCX_TLS=tcp,self") // else it takes memory that two hosts do not share
	}
	toml := fmt.Sprintf("[job]\nnp = [2]\n[mpi]\nrank = %q\nlaunch = [\"%s\", \"-n\", \"{np}\"]\n[batch]\nnodes = 2\ntime = \"2h\"\n",
		e.program("pgmpi-rank"), strings.Join(strings.Fields(launch), `", "`))
	if err := os.WriteFile(filepath.Join(e.dir, "gl.toml"), []byte(toml), 0o666); err != nil {
		return err
	}
	pgmpi := func(args ...string) ([]byte, error) {
		cmd := command(ctx, append([]string{filepath.Join(e.bin, "pgmpi")}, args...)...)
		var stderr bytes.Buffer
		cmd.Dir, cmd.Env, cmd.Stderr = e.dir, variables, &stderr
		out, err := cmd.Output()
		if err != nil {
			err = fmt.Errorf("pgmpi %s: %w: %s", args[0], err, stderr.String())
		}
		return out, err
	}
	start := time.Now()
	if _, err = pgmpi("submit", "gl.toml", "--go", "--out", "out"); err != nil {
		return err
	}
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
			return fmt.Errorf("the job has ended (%s) without a report: %s", s.Job.State, log)
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(2 * time.Second):
		}
		text, err := pgmpi("status", "out", "--format", "json")
		if err != nil {
			return err
		}
		if err := json.Unmarshal(text, &s); err != nil {
			return err
		}
		ended = strings.Contains("COMPLETED FAILED CANCELLED TIMEOUT NODE_FAIL", s.Job.State)
	}
	took := time.Since(start)
	r, err := reportOf(filepath.Join(e.dir, "out"))
	if err != nil {
		return err
	}
	count := map[string]int{}
	for _, v := range r.Verdicts {
		count[string(v.Verdict.Verdict)]++
		if v.Verdict.Verdict == "violated" && v.Ratio != nil {
			fmt.Printf("   %s %s at %d B: %.2f times\n", v.Guideline, v.Function, v.Msize, *v.Ratio)
		}
	}
	fmt.Printf("   %d mpiruns in %v; verdicts: %v\n", s.Done, took.Round(time.Second), count)
	return nil
}
