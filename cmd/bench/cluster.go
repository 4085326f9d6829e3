package main

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"pgmpi/internal/conf"
	"pgmpi/measure/launch"
)

// virtual is a Slurm of this machine with virtual nodes of one CPU, over TCP.
type virtual struct {
	*env
	dir       string
	launch    string // of one rank program
	variables []string
}

// newVirtual starts it with n nodes; args are more for testdata/slurm/up.
func newVirtual(ctx context.Context, e *env, n int, args ...string) (*virtual, error) {
	v := &virtual{env: e, dir: filepath.Join(e.dir, "slurm"), launch: "srun -K --input=0 --mpi=pmix"}
	args = append(append([]string{"-H", "-n", fmt.Sprint(n), "-c", "1"}, args...), v.dir)
	up := exec.CommandContext(ctx, "testdata/slurm/up", args...)
	// A node's slurmd has its cores already. Slurm itself would bind the ranks of all nodes to the first one.
	up.Env = append(os.Environ(), "TASKPLUGIN=task/none")
	if out, err := up.CombinedOutput(); err != nil {
		v.stop()
		return nil, fmt.Errorf("no Slurm of our own (it needs root and .ci/install slurmctld): %w: %s", err, out)
	}
	v.variables = append(os.Environ(), "SLURM_CONF="+filepath.Join(v.dir, "slurm.conf"))
	if e.library == "mpich" {
		v.launch = "srun -K --input=0 --mpi=pmi2"
		v.variables = append(v.variables, "UCX_TLS=tcp,self") // else it takes memory that two hosts do not share
	}
	return v, nil
}

// yielding lets ranks that wait give their core away: the nodes share cores, of which
// the library knows nothing, and times would be those of the kernel's scheduler, a few
// ms a step.
func (v *virtual) yielding() string {
	if v.library == "mpich" {
		return "LD_PRELOAD=" + filepath.Join(v.bin, "yield.so")
	}
	return "OMPI_MCA_mpi_yield_when_idle=1"
}

func (v *virtual) stop() { _ = exec.Command("testdata/slurm/down", v.dir).Run() }

func (v *virtual) pgmpi() string { return filepath.Join(v.bin, "pgmpi") }

// configure writes gl.toml.
func (v *virtual) configure(toml string) error {
	toml += fmt.Sprintf("[mpi]\nrank = %q\nlaunch = [\"%s\", \"-n\", \"{np}\"]\n", v.program("pgmpi-rank"), strings.Join(strings.Fields(v.launch), `", "`))
	return os.WriteFile(filepath.Join(v.env.dir, "gl.toml"), []byte(toml), 0o666)
}

func (v *virtual) run(ctx context.Context, argv ...string) ([]byte, error) {
	cmd := command(ctx, argv...)
	var stderr bytes.Buffer
	cmd.Dir, cmd.Env, cmd.Stderr = v.env.dir, v.variables, &stderr
	out, err := cmd.Output()
	if err != nil {
		err = fmt.Errorf("%s: %w: %s", strings.Join(argv, " "), err, stderr.String())
	}
	return out, err
}

// The example of docs/how-to-slurm.md: what stands out on a slow network.
const (
	gbitNodes    = 4
	gbitStandOut = 1.3
	gbitRuns     = 10
)

// gbitBench checks the patterns on four virtual nodes, one rank each, over a link that
// is held to 1 Gbit, and prints the rows of the example.
func gbitBench(ctx context.Context, e *env) error {
	runs := max(e.mpiruns, 1)
	if e.mpiruns == 0 {
		runs = gbitRuns
	}
	e.title("GL3-GL17 on %d virtual nodes, one process each, 1 Gbit, R = %d: what is slower by more than %g times", gbitNodes, runs, gbitStandOut)
	v, err := newVirtual(ctx, e, gbitNodes, "-r", "1gbit")
	if err != nil {
		fmt.Printf("   left out: %v\n", err)
		return nil
	}
	defer v.stop()
	if gbitNodes > launch.Cores() {
		v.variables = append(v.variables, v.yielding())
	}
	if err := v.configure(fmt.Sprintf("[check]\nguidelines = [\"GL3..GL17\"]\n[job]\nshapes = [\"%dx1\"]\nmpiruns = %d\nmsizes = [\"8\", \"1Ki\", \"16Ki\", \"256Ki\"]\n", gbitNodes, runs)); err != nil {
		return err
	}
	start := time.Now()
	_, failed := v.run(ctx, "salloc", "--quiet", "-N", fmt.Sprint(gbitNodes), "--ntasks-per-node=1", v.pgmpi(), "check", "--quiet", "--guidelines", "gl.toml", "--out", "gbit")
	r, err := reportOf(filepath.Join(v.env.dir, "gbit"))
	if err != nil {
		return cmp.Or(failed, err) // a check with violations ends with 1
	}
	for _, row := range r.Verdicts {
		if row.Ratio != nil && row.RatioLo95 != nil && row.RatioHi95 != nil && *row.Ratio >= gbitStandOut {
			fmt.Printf("   | %s %s ≤ %s | %s | %.2f [%.2f, %.2f] | %s |\n", row.Guideline, row.Function, row.Mockup, conf.HumanSize(row.Msize), *row.Ratio, *row.RatioLo95, *row.RatioHi95, row.Verdict.Verdict)
		}
	}
	fmt.Printf("   %d tests, %v\n", len(r.Verdicts), time.Since(start).Round(time.Second))
	return nil
}

// clusterBench is a whole default check as a batch job over two virtual nodes, one
// rank each: Slurm, namespaces and a bridge of this machine, over TCP.
func clusterBench(ctx context.Context, e *env) (err error) {
	e.title("a whole check, submitted to Slurm by pgmpi submit: two virtual nodes, one process each, all else the defaults")
	v, err := newVirtual(ctx, e, 2)
	if err != nil {
		fmt.Printf("   left out: %v\n", err)
		return nil
	}
	defer v.stop()
	if err := v.configure("[job]\nnp = [2]\n[batch]\nnodes = 2\ntime = \"2h\"\n"); err != nil {
		return err
	}
	pgmpi := func(args ...string) ([]byte, error) { return v.run(ctx, append([]string{v.pgmpi()}, args...)...) }
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
			fmt.Printf("   %s %s at %s: %.2f times\n", v.Guideline, v.Function, conf.HumanSize(v.Msize), *v.Ratio)
		}
	}
	var words []string
	for _, word := range slices.Sorted(maps.Keys(count)) {
		words = append(words, fmt.Sprintf("%d %s", count[word], strings.ReplaceAll(word, "_", " ")))
	}
	fmt.Printf("   %d mpiruns in %v: %s\n", s.Done, took.Round(time.Second), strings.Join(words, ", "))
	return nil
}
