// Proof measures how often pgmpi is wrong: false violations where a collective
// is compared with itself, and the share of planted slowdowns that it finds; for
// method default and method paper.
//
//	proof simulate [--checks N]                       with made-up run medians, R = 3…30
//	proof real --rank bin/pgmpi-rank [--checks N]     with real mpiruns on this machine
//
// It is part of `make bench`; docs/statistics.md has what it printed once.
package main

import (
	"fmt"
	"os"

	"github.com/spf13/pflag"
)

func main() {
	if err := run(os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "proof:", err)
		os.Exit(1)
	}
}

func run(args []string) error {
	if len(args) == 0 {
		return fmt.Errorf("say what: simulate or real")
	}
	fs := pflag.NewFlagSet("proof "+args[0], pflag.ContinueOnError)
	fs.SortFlags = false
	switch args[0] {
	case "simulate":
		s := simulation{}
		fs.IntVar(&s.checks, "checks", 40, "simulated checks per line")
		fs.IntVar(&s.tests, "tests", 495, "tests of a check")
		fs.IntVar(&s.slow, "slow", 30, "of these are slowed down")
		fs.Float64Var(&s.sd, "sd", 0.04, "standard deviation of a run median between mpiruns, a fraction")
		fs.Float64Var(&s.rho, "rho", 0, "share of that variance that both sides of a pair have in common")
		fs.Float64Var(&s.glitches, "glitches", 0, "share of run medians that are up to ten times too large, as on a busy machine")
		fs.Uint64Var(&s.seed, "seed", 1, "of the random numbers")
		if err := fs.Parse(args[1:]); err != nil {
			return err
		}
		return s.run(os.Stdout)
	case "real":
		r := real{}
		fs.StringVar(&r.pgmpi, "pgmpi", "bin/pgmpi", "the driver")
		fs.StringVar(&r.rank, "rank", "bin/pgmpi-rank", "the rank program; its delay library stands beside it")
		fs.IntVar(&r.checks, "checks", 20, "checks of the collectives with themselves")
		fs.IntVar(&r.plants, "plants", 3, "checks of each planted slowdown")
		fs.IntVar(&r.np, "np", 2, "processes")
		fs.IntVar(&r.mpiruns, "mpiruns", 10, "mpiruns of a check")
		fs.StringSliceVar(&r.msizes, "msizes", []string{"1Ki", "16Ki", "128Ki"}, "message sizes; calls of 1 µs at least, or the plant is no longer exact")
		if err := fs.Parse(args[1:]); err != nil {
			return err
		}
		return r.run(os.Stdout)
	}
	return fmt.Errorf("%q: say simulate or real", args[0])
}
