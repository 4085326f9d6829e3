// Bench measures what pgmpi itself costs and how far its verdicts can be
// trusted; `make bench` runs all of it. Each bench says what it measures, on
// which machine, the number, the aim, and "ok" or "missed"; the exit status is 1
// when an aim is missed. docs/dev/benchmarks.md explains them.
package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"runtime"
	"slices"
	"strings"
	"syscall"

	"github.com/spf13/pflag"
)

type bench struct {
	name, shows string
	mpi         bool // runs once with each MPI library
	times       int  // unless --times says otherwise
	least       int  // --times
	run         func(context.Context, *env)
}

var benches = []bench{
	{"size", "the size of bin/pgmpi", false, 1, 1, sizeBench},
	{"analyze", "10 million samples from the raw files to the verdict; the fastest counts", false, 3, 1, analyzeBench},
	{"export", "10 million samples from the raw files to a table, as Parquet and csv; the fastest counts", false, 3, 1, exportBench},
	{"import", "the way of other programs' files, given by --folder, to verdicts; what is refused, what awk reads otherwise", false, 1, 1, importBench},
	{"loop", "the timing loop against the same loop in plain C, p = 2, in rounds of three mpiruns", true, 30, 1, loopRival.bench},
	{"check", "a whole check of GL3-GL17 at five sizes, 16 B to 1 MiB, p = 2, nrep 10 to 200; the fastest counts", true, 3, 1, checkBench},
	{"memory", "a rank's memory beside a plain C program with the same buffers, and what a case takes beside its calls, by p", true, 1, 1, memoryBench},
	{"layer", "what the library that is preloaded into a program costs its calls, p = 2; the medians of mpiruns", true, 15, 1, layerBench},
	{"simulate", "what the statistics promise, in simulated checks, with 95 % limits: errors, power, repeats, cost", false, 1000, 1, simulateBench},
	{"replay", "R needed and the probability of replication in parts of one folder of many mpiruns", true, 100, 1, replayBench},
	{"proof", "the same in real checks of collectives with themselves, p = 2, 1 to 128 KiB", true, 20, 1, proofBench},
	{"explore", "explorations whose answers are known, p = 2, 16 and 64 KiB", true, 5, 1, exploreBench},
	{"remedy", "what settings are known to mend: malloc's variables, a planted algorithm, and a check of GL3-GL17; what that is worth to a plain C program; p = 2", true, 5, 1, remedyBench},
	{"applications", "real programs, p = 2: their calls by another counter, what check --calls covers, what gain predicts; pairs of runs", true, 10, 6, applicationsBench},
	{"faults", "checks that are killed, stopped and starved at random times, and go on: what is lost, wrong, hung, left; p = 2", true, 150, 1, faultsBench},
	{"nonblocking", "a check of blocking, nonblocking and persistent calls, with known answers, 8 B to 1 MiB, R = 10, p = 2", true, 1, 1, nonblockingBench},
	{"overlap", "how much of calls of 5 ms is hidden where that is known, R = 6, p = 1 and 2", true, 1, 1, overlapBench},
	{"large", "Bcast of 2 GiB + 24 B by a call with large counts, right and cut to 31 bits; 5 GiB a rank, p = 2", true, 1, 1, largeBench},
	{"builds", "two builds of MPICH's sources that differ in one line, by ab and by bisect, p = 2; on request, with --folder", false, 10, 1, buildsBench},
	{"stability", "checks in a row of GL3-GL17 at 1 B to 1 MiB, p = 2: how many verdicts flip", true, 10, 2, stabilityBench},
	{"alone", "the same tests alone, in a check of five sizes and in one of 21, p = 2: repeated, alternating and with the other malloc", true, 40, 1, aloneBench},
	{"nights", "nights against those before: false alarms, slowdowns planted into every cell", true, 20, 4, nightsBench},
}

// failure ends a bench, which is written like a test: must ends it, as t.Fatal does, and outcome
// goes on after a missed aim, as t.Errorf does.
type failure struct{ error }

func must(err error) {
	if err != nil {
		panic(failure{err})
	}
}

func get[T any](v T, err error) T {
	must(err)
	return v
}

func try(do func()) (err error) {
	defer func() {
		switch f := recover().(type) {
		case nil:
		case failure:
			err = f.error
		default:
			panic(f)
		}
	}()
	do()
	return nil
}

func main() {
	runtime.LockOSThread() // what command starts ends with this thread
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	status := run(ctx, os.Args[1:])
	stop()
	os.Exit(status)
}

func run(ctx context.Context, args []string) (status int) {
	var e env
	chosen, libraries, err := parse(&e, args)
	if errors.Is(err, pflag.ErrHelp) {
		return 0
	} else if err != nil {
		fmt.Fprintln(os.Stderr, "bench:", err)
		return 2
	}
	for _, b := range chosen {
		on := []string{""}
		if b.mpi {
			on = libraries
		}
		for _, library := range on {
			if !e.run(ctx, b, library) {
				status = 1
			}
			if ctx.Err() != nil {
				return 130
			}
		}
	}
	return status
}

func parse(e *env, args []string) (chosen []bench, libraries []string, err error) {
	fs := pflag.NewFlagSet("bench", pflag.ContinueOnError)
	fs.SortFlags = false
	fs.StringVar(&e.bin, "bin", "bin", "the folder of the programs that make bench builds")
	fs.StringSliceVar(&libraries, "library", []string{"openmpi", "mpich"}, "the MPI libraries")
	fs.IntVar(&e.times, "times", 0, "rounds, checks or mpiruns of a bench (0: what is in parentheses above)")
	fs.IntVar(&e.mpiruns, "mpiruns", 0, "R of a check of stability and proof (0: the default procedure); remedy: pairs of mpiruns of the plain C program (0: 15)")
	fs.BoolVar(&e.load, "load", false, "stability, proof, alone: beside a load that comes and goes, a busy process on one core for 10 of every 30 s")
	fs.IntSliceVar(&e.processes, "np", nil, "numbers of processes of memory (default 2, 4, 8, 16, 32)")
	fs.Uint64Var(&e.seed, "seed", 1, "of the order of mpiruns (loop) and of random numbers (simulate, replay)")
	fs.IntVar(&e.tests, "tests", 300, "simulate: tests of a check")
	fs.StringSliceVar(&e.designs, "designs", []string{"usual", "10"}, "simulate: what to compare: usual, numbers of mpiruns as 10 or with looks 8+16+24, paper")
	fs.StringVar(&e.rows, "rows", "", "simulate, replay, proof, stability, nights, applications: only questions with this in their name")
	fs.StringVar(&e.folder, "folder", "", "replay, nights: a results folder of many mpiruns, instead of one that it measures with each library; import: the files; builds: MPICH's sources; applications: programs that are no packages")
	fs.StringVar(&e.screens, "screens", "", "applications: a folder that gets a file for each program, of what pgmpi prints")
	fs.Usage = func() {
		fmt.Println("Usage: bench [FLAGS] [BENCH…]")
		for _, b := range benches {
			fmt.Printf("  %-10s %s (%d)\n", b.name, b.shows, b.times)
		}
		fmt.Print("\n", fs.FlagUsages())
	}
	if err := fs.Parse(args); err != nil {
		return nil, nil, err
	}
	if e.times < 0 || e.mpiruns < 0 {
		return nil, nil, errors.New("--times and --mpiruns must be at least 0")
	}
	for _, name := range fs.Args() {
		i := slices.IndexFunc(benches, func(b bench) bool { return b.name == name })
		if i < 0 {
			return nil, nil, fmt.Errorf("no bench is called %s; `bench --help` lists them", name)
		}
		chosen = append(chosen, benches[i])
	}
	if len(chosen) == 0 { // some need files that nobody has here
		chosen = slices.DeleteFunc(slices.Clone(benches), func(b bench) bool { return b.name == "import" || b.name == "builds" })
	}
	for _, b := range chosen {
		if e.times > 0 && e.times < b.least {
			return nil, nil, fmt.Errorf("%s: --times must be at least %d", b.name, b.least)
		}
	}
	if e.folder != "" {
		of := []string{"replay", "nights", "import", "builds", "applications"}
		if len(chosen) != 1 || !slices.Contains(of, chosen[0].name) {
			return nil, nil, fmt.Errorf("--folder is for one of %s: bench replay --folder DIR", strings.Join(of, ", "))
		}
		if chosen[0].name != "applications" {
			libraries = []string{""} // none is measured
		}
	}
	return chosen, libraries, nil
}
