package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"time"

	"github.com/spf13/pflag"

	"pgmpi/analyze"
	"pgmpi/guidelines"
	"pgmpi/measure/protocol"
	"pgmpi/measure/results"
)

// shareCommand shows how much of an mpirun of stage 2 is measuring: untimed and
// timed calls and their synchronisation, against preparing, verifying, filling,
// reducing and sending. Launching is left out.
var shareCommand = command{
	name:  "share",
	short: "share of stage 2 inside the measured calls, one library",
	flags: func(fs *pflag.FlagSet) func() error {
		pgmpi := fs.String("pgmpi", "bin/pgmpi", "the driver")
		rank := fs.String("rank", "bin/pgmpi-rank", "the rank program")
		nrep := fs.Int("nrep", 100, "repetitions of every case")
		runs := fs.Int("mpiruns", 4, "mpiruns; the first one verifies too")
		return func() error { return shareBench(*pgmpi, *rank, *nrep, *runs) }
	},
}

const shareAim = 0.8

func shareBench(pgmpi, rank string, nrep, runs int) error {
	rank, info, err := probe(rank)
	if err != nil {
		return err
	}
	title("share of stage 2 in the measured calls: GL1-GL17 at the default sizes, p = %d, nrep %d, %d mpiruns", info.LibVersion, np, nrep, runs)
	dir, err := os.MkdirTemp("", "pgmpi-bench-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	out := filepath.Join(dir, "out")
	text := fmt.Sprintf("[job]\nnp = [%d]\nmpiruns = %d\n[nrep]\nfixed = %d\n", np, runs, nrep)
	if _, err := runPgmpi(pgmpi, dir, text, "measure", "--rank", rank, "--out", out); err != nil {
		return err
	}
	_, m, err := results.Open(out)
	if err != nil {
		return err
	}
	var measured, wall float64
	for run := 1; run <= runs; run++ {
		h, err := results.ReadRaw(filepath.Join(out, "raw", results.RawName(protocol.ModeMeasure, m.Plan.Shapes[0], run)))
		if err != nil {
			return err
		}
		share := float64(h.TimedNS) / float64(h.WallNS-h.LaunchNS)
		fmt.Printf("   mpirun %d: launch %.2f s, then %.2f s, of them measured %.0f %%\n", run, seconds(h.LaunchNS), seconds(h.WallNS-h.LaunchNS), 100*share)
		measured, wall = measured+float64(h.TimedNS), wall+float64(h.WallNS-h.LaunchNS)
	}
	share := measured / wall
	return outcome("share of all mpiruns", fmt.Sprintf("%.0f %%", 100*share), fmt.Sprintf("at least %.0f %%", 100*shareAim), share >= shareAim)
}

func seconds(ns int64) float64 { return float64(ns) * 1e-9 }

// checkCommand times a whole check: the 15 patterns of S-PGMPI and the
// collectives in them, all three stages.
var checkCommand = command{
	name:  "check",
	short: "a whole check of GL3-GL17 at five sizes, one library",
	flags: func(fs *pflag.FlagSet) func() error {
		pgmpi := fs.String("pgmpi", "bin/pgmpi", "the driver")
		rank := fs.String("rank", "bin/pgmpi-rank", "the rank program")
		times := fs.Int("times", 3, "how often; the fastest counts")
		return func() error { return checkBench(*pgmpi, *rank, *times) }
	},
}

// checkAims are half of what PGMPI 1.0 takes for the same (two cores; 17.8 s with
// MPICH, 14 s with Open MPI), in seconds.
var checkAims = map[string]float64{"mpich": 8.9, "openmpi": 7}

const checkTOML = `
[check]
guidelines = ["GL3..GL17"]
[job]
np = [2]
msizes = ["16", "256", "4Ki", "64Ki", "1Mi"]
[nrep]
min = 10
max = 200
`

func checkBench(pgmpi, rank string, times int) error {
	rank, info, err := probe(rank)
	if err != nil {
		return err
	}
	dir, err := os.MkdirTemp("", "pgmpi-bench-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	var best time.Duration
	for i := range times {
		out := filepath.Join(dir, fmt.Sprint("out", i))
		took, err := runPgmpi(pgmpi, dir, checkTOML, "check", "--rank", rank, "--out", out)
		if err != nil {
			return err
		}
		folder, m, err := results.Open(out)
		if err != nil {
			return err
		}
		if i == 0 {
			title("whole check of GL3-GL17: %d functions at 5 sizes, 16 B to 1 MiB, p = %d, R = %d, nrep 10 to 200 predicted", info.LibVersion,
				functionsOf(&m.Plan), np, m.R)
		}
		if err := partsOf(folder, m, took); err != nil {
			return err
		}
		if i == 0 || took < best {
			best = took
		}
	}
	aim, known := checkAims[info.Library]
	if !known {
		return fmt.Errorf("no aim is known for %s", info.LibVersion)
	}
	return outcome("wall-clock", fmt.Sprintf("%.1f s", best.Seconds()), fmt.Sprintf("at most %.1f s", aim), best.Seconds() <= aim)
}

func functionsOf(p *guidelines.Plan) int {
	seen := map[string]bool{}
	for _, c := range p.Cases {
		seen[c.Function] = true
	}
	return len(seen)
}

// partsOf prints where the time of a check went.
func partsOf(folder *results.Folder, m *results.Manifest, took time.Duration) error {
	var launch, timed, rest float64
	mpiruns := 0
	for _, mode := range []protocol.Mode{protocol.ModeNREP, protocol.ModeMeasure} {
		for r, err := range folder.Runs(mode, m.Plan.Shapes[0], &m.Plan) {
			if err != nil {
				return err
			}
			mpiruns++
			launch, timed = launch+seconds(r.LaunchNS), timed+seconds(r.TimedNS)
			rest += seconds(r.WallNS - r.LaunchNS - r.TimedNS)
		}
	}
	fmt.Printf("   %.1f s: launching %d mpiruns %.1f s, measured calls %.1f s, the rest of the ranks' work %.1f s, the driver between them %.1f s\n",
		took.Seconds(), mpiruns, launch, timed, rest, took.Seconds()-launch-timed-rest)
	return nil
}

// runPgmpi runs the driver with a gl.toml of this text; violations are no error.
func runPgmpi(pgmpi, dir, text string, args ...string) (time.Duration, error) {
	file := filepath.Join(dir, "gl.toml")
	if err := os.WriteFile(file, []byte(text), 0o666); err != nil {
		return 0, err
	}
	cmd := exec.Command(pgmpi, append(args, "--guidelines", file, "--quiet")...)
	// A check goes on for minutes: it ends with the bench. Main is locked to its
	// thread, whose end is what the signal stands for.
	cmd.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGTERM}
	start := time.Now()
	out, err := cmd.CombinedOutput()
	if code := cmd.ProcessState.ExitCode(); code != 0 && code != 1 {
		return 0, fmt.Errorf("%v: %w\n%s", cmd.Args, err, out)
	}
	return time.Since(start), nil
}

// reportOf reads the report.json of a results folder.
func reportOf(dir string) (*analyze.Report, error) {
	text, err := os.ReadFile(filepath.Join(dir, "report.json"))
	if err != nil {
		return nil, err
	}
	var r analyze.Report
	return &r, errors.Join(json.Unmarshal(text, &r))
}
