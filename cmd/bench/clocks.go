package main

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"pgmpi/measure/launch"
	"pgmpi/measure/protocol"
)

// clocksJob has all methods that work with clocks that differ on one host, and
// when the clocks are compared.
var clocksJob = protocol.ClocksJob{Methods: []string{"skampi", "netgauge", "jk", "hca", "hca2", "hca3"}, Seconds: []float64{1, 2, 5, 10, 20}, Compute: true}

// drift is that of every injected clock against rank 0's (clock_inject.c).
const drift = 50e-6

// clocksBench shows what clock synchronisation is worth where the truth is
// known: it runs every method with the rank program whose clocks are wrong by a
// known amount (build tag injectedclocks) and prints the true error of the global
// clocks.
//
// The aim is missed when a method that knows drift is off by more than half of it
// after the last comparison at most numbers of processes, or one that does not
// know it is off by less.
func clocksBench(ctx context.Context, e *env) error {
	e.title("clock synchronisation: true error in µs (the largest over the ranks) of clocks 2 s and 50 to 100 ppm apart, with 0.2 µs of jitter")
	fmt.Printf("   beyond %d ranks they share cores\n", launch.Cores())
	header := []any{"p", "method", "at once"}
	for _, s := range clocksJob.Seconds {
		header = append(header, fmt.Sprint(s, " s"))
	}
	t := newTable(append(header, "takes ms", "rounds", "messages")...)
	if e.processes == nil {
		for p := 2; p <= 16; p++ {
			e.processes = append(e.processes, p)
		}
	}
	right := map[string]int{}
	for _, p := range e.processes {
		out, err := e.do(ctx, "pgmpi-rank-injected", &protocol.Job{Mode: protocol.ModeClocks, NP: p, PPN: p, Clock: "monotonic", StallNS: int64(2 * time.Minute), Clocks: &clocksJob})
		if err != nil {
			return err
		}
		for _, s := range out.Syncs {
			row := []any{p, s.Method}
			for _, c := range s.Checks {
				if len(c.TrueNS) != p {
					return fmt.Errorf("%s at p = %d: no true errors: %s is not built with the tag injectedclocks", s.Method, p, e.program("pgmpi-rank-injected"))
				}
				row = append(row, fmt.Sprintf("%.2f", float64(protocol.Worst(c.TrueNS))/1e3))
			}
			if s.Failed != "" {
				return fmt.Errorf("%s at p = %d: %s", s.Method, p, s.Failed)
			}
			t.row(append(row, fmt.Sprintf("%.1f", float64(s.DurationNS)/1e6), s.Rounds, s.Messages)...)
			if asItMust(s) {
				right[s.Method]++
			}
		}
		if err := t.Flush(); err != nil {
			return err
		}
	}
	// An oversubscribed rank that loses its core spoils a fit now and then.
	wrong := slices.DeleteFunc(slices.Clone(clocksJob.Methods), func(m string) bool { return right[m]*2 >= len(e.processes) })
	return outcome("methods that are not as they must be at most numbers of processes", fmt.Sprintf("%d %s", len(wrong), strings.Join(wrong, ", ")), "none", len(wrong) == 0)
}

// asItMust says whether the last true error is one of a method of this kind.
func asItMust(s protocol.ClockSync) bool {
	last := s.Checks[len(s.Checks)-1]
	half := drift / 2 * last.Seconds * 1e9
	knowsDrift := s.Method != "skampi" && s.Method != "netgauge"
	return (float64(protocol.Worst(last.TrueNS)) < half) == knowsDrift
}
