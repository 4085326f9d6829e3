package main

import (
	"context"
	"fmt"
	"time"

	"pgmpi/measure/protocol"
	"pgmpi/measure/results"
)

const (
	shareAim  = 0.8
	shareNRep = 100
)

// shareBench shows how much of an mpirun of stage 2 is measuring: untimed and
// timed calls and their synchronisation, against preparing, verifying, filling,
// reducing and sending. Launching is left out.
func shareBench(ctx context.Context, e *env) error {
	e.title("share of stage 2 in the measured calls: GL1-GL17 at the default sizes, p = %d, nrep %d, %d mpiruns", np, shareNRep, e.times)
	text := fmt.Sprintf("[job]\nnp = [%d]\nmpiruns = %d\n[nrep]\nfixed = %d\n", np, e.times, shareNRep)
	out, _, err := e.measure(ctx, "measure", text, 1)
	if err != nil {
		return err
	}
	_, runs, err := spentIn(out, protocol.ModeMeasure)
	if err != nil {
		return err
	}
	var timed, all float64
	for i, s := range runs {
		fmt.Printf("   mpirun %d: launch %.2f s, then %.2f s, of them measured %.0f %%\n", i+1, s.launch, s.timed+s.rest, 100*s.timed/(s.timed+s.rest))
		timed, all = timed+s.timed, all+s.timed+s.rest
	}
	return outcome("share of all mpiruns", fmt.Sprintf("%.0f %%", 100*timed/all), fmt.Sprintf("at least %.0f %%", 100*shareAim), timed/all >= shareAim)
}

// spent is where the time of an mpirun went, in seconds.
type spent struct{ launch, timed, rest float64 }

// spentIn returns the manifest of a results folder, and its mpiruns of some modes.
func spentIn(out string, modes ...protocol.Mode) (*results.Manifest, []spent, error) {
	folder, m, err := results.Open(out)
	if err != nil {
		return nil, nil, err
	}
	var runs []spent
	for _, mode := range modes {
		for r, err := range folder.Runs(mode, m.Plan.Shapes[0], &m.Plan) {
			if err != nil {
				return nil, nil, err
			}
			runs = append(runs, spent{float64(r.LaunchNS) * 1e-9, float64(r.TimedNS) * 1e-9, float64(r.WallNS-r.LaunchNS-r.TimedNS) * 1e-9})
		}
	}
	return m, runs, nil
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

// checkBench times a whole check: the 15 patterns of S-PGMPI and the collectives
// in them, all three stages.
func checkBench(ctx context.Context, e *env) error {
	var best time.Duration
	for i := range e.times {
		out, took, err := e.measure(ctx, "check", checkTOML, i+1)
		if err != nil {
			return err
		}
		m, runs, err := spentIn(out, protocol.ModeNREP, protocol.ModeMeasure)
		if err != nil {
			return err
		}
		if i == 0 {
			functions := map[string]bool{}
			for _, c := range m.Plan.Cases {
				functions[c.Function] = true
			}
			e.title("whole check of GL3-GL17: %d functions at 5 sizes, 16 B to 1 MiB, p = %d, R = %d, nrep 10 to 200 predicted", len(functions), np, m.R)
		}
		var all spent
		for _, s := range runs {
			all = spent{all.launch + s.launch, all.timed + s.timed, all.rest + s.rest}
		}
		fmt.Printf("   %.1f s: launching %d mpiruns %.1f s, measured calls %.1f s, the rest of the ranks' work %.1f s, the driver between them %.1f s\n",
			took.Seconds(), len(runs), all.launch, all.timed, all.rest, took.Seconds()-all.launch-all.timed-all.rest)
		if i == 0 || took < best {
			best = took
		}
	}
	aim := checkAims[e.library]
	return outcome("wall-clock", fmt.Sprintf("%.1f s", best.Seconds()), fmt.Sprintf("at most %.1f s", aim), best.Seconds() <= aim)
}
