package main

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"pgmpi/cmd/bench/table"
	"pgmpi/measure/protocol"
)

// clocksJob has all methods that work with clocks that differ on one host, and
// when the clocks are compared.
var clocksJob = protocol.ClocksJob{Clock: "monotonic", Methods: []string{"skampi", "netgauge", "jk", "hca", "hca2", "hca3"},
	Seconds: []float64{1, 2, 5, 10, 20}, Compute: true}

// drift is what each injected clock gains or loses against rank 0's (clock_inject.c).
const drift = 50e-6

// clocksBench shows what clock synchronisation is worth where the truth is
// known: it runs every method with the rank program whose clocks are wrong by a
// known amount (build tag injectedclocks) and prints the true error of the global
// clocks.
//
// The aim is missed when a method that knows drift is off by more than half of it
// after the last comparison at most numbers of processes, or one that does not
// know it is off by less.
func clocksBench(ctx context.Context, e *env) {
	fmt.Println("   true error in µs, the largest over the ranks, of clocks 2 s and 50 to 100 ppm apart, with 0.2 µs of jitter")
	header := []any{"p", "method", "at once"}
	for _, s := range clocksJob.Seconds {
		header = append(header, fmt.Sprint(s, " s"))
	}
	t := table.New(append(header, "takes ms", "rounds", "messages")...)
	numbers := e.numbers(2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16)
	right := map[string]int{}
	for _, p := range numbers {
		job := &protocol.Job{NP: p, StallNS: stall, Clocks: &clocksJob}
		out := e.do(ctx, "pgmpi-rank-injected", job)
		for _, s := range out.Syncs {
			row := []any{p, s.Method}
			for _, c := range s.Checks {
				if len(c.TrueNS) != p {
					must(fmt.Errorf("%s at p = %d: no true errors: %s is not built with the tag injectedclocks", s.Method, p, e.program("pgmpi-rank-injected")))
				}
				row = append(row, fmt.Sprintf("%.2f", float64(protocol.Worst(c.TrueNS))/1e3))
			}
			if s.Failed != "" {
				must(fmt.Errorf("%s at p = %d: %s", s.Method, p, s.Failed))
			}
			t.Row(append(row, fmt.Sprintf("%.1f", float64(s.DurationNS)/1e6), s.Rounds, s.Messages)...)
			last := s.Checks[len(s.Checks)-1]
			small := float64(protocol.Worst(last.TrueNS)) < drift/2*last.Seconds*1e9
			if knowsDrift := s.Method != "skampi" && s.Method != "netgauge"; small == knowsDrift {
				right[s.Method]++
			}
		}
		must(t.Flush())
	}
	// An oversubscribed rank that loses its core spoils a fit now and then.
	wrong := slices.DeleteFunc(slices.Clone(clocksJob.Methods), func(m string) bool { return right[m]*2 >= len(numbers) })
	e.outcome("methods that are not as they must be at most numbers of processes",
		fmt.Sprintf("%d %s", len(wrong), strings.Join(wrong, ", ")), "none", len(wrong) == 0)
}
