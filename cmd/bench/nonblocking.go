package main

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"pgmpi/analyze/judge"
	"pgmpi/internal/phrase"
	"pgmpi/mockups"
)

const (
	nonblockingMpiruns = 10
	nonblockingAim     = 60.0 // seconds
	nonblockingSizes   = 2    // of the plant
	// Much more than the tolerance of NB2 at the two small sizes of the plant.
	nonblockingPlant = "MPI_Iallreduce:0..4Ki:20000ns"
)

// brokenPersistent are known to give wrong data in MPICH 4.0.2 when they are started again.
var brokenPersistent = []string{"MPI_Allgather_init", "MPI_Gather_init", "MPI_Scatter_init"}

// nonblockingBench checks the eleven collectives in their three kinds, and what is known
// of them: wrong persistent calls, and a slow nonblocking one.
func nonblockingBench(ctx context.Context, e *env) {
	text := func(guidelines, msizes string) string {
		return fmt.Sprintf("[check]\nguidelines = [%s]\nfunctions = [%s]\n[job]\nnp = [%d]\nmpiruns = %d\nmsizes = [%s]\n",
			guidelines, phrase.Join(", ", "%q", mockups.Identities()), np, nonblockingMpiruns, msizes)
	}
	e.exits = []int{3} // wrong data
	for i := range e.times {
		c := e.check(ctx, "a check", text(`"NB1", "NB2", "NB3"`, `"8", "256", "4Ki", "64Ki", "256Ki", "1Mi"`), i+1)
		var wrong, want []string
		for _, v := range c.Verdicts {
			// A verdict names the call first; what NB3 has on both sides is named as the call, too.
			if v.Verdict == judge.Wrong && strings.HasSuffix(v.Function, "_init") && !slices.Contains(wrong, v.Function) {
				wrong = append(wrong, v.Function)
			}
		}
		if strings.HasPrefix(e.info.LibVersion, "MPICH 4.0.2") {
			want = brokenPersistent
		}
		slices.Sort(wrong)
		e.outcome("wrong persistent calls", fmt.Sprint(wrong), fmt.Sprint(want), slices.Equal(wrong, want))
		e.aim("wall-clock", c.seconds, "%.1f s", 0, nonblockingAim)
	}
	// The posting of one call is slow, which NB2 must find.
	c := e.check(ctx, "a late post", text(`"NB2:MPI_Iallreduce"`, `"8", "4Ki"`)+e.delay(nonblockingPlant), 1000)
	e.aim("sizes at which NB2 finds a post of MPI_Iallreduce that is 20 µs late", float64(verdicts(&c.Report)[judge.Violated]), "%.0f", nonblockingSizes, 0)
}
