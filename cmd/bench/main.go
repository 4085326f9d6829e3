// Bench measures what pgmpi itself costs and how far its verdicts can be
// trusted; `make bench` runs all of it. Each command says what it measures, on
// which machine, the number, the aim, and "ok" or "missed"; the exit status is 1
// when an aim is missed. docs/benchmarks.md explains them.
package main

import (
	"errors"
	"fmt"
	"os"
	"runtime"

	"github.com/spf13/pflag"
)

// command is one bench.
type command struct {
	name, short string
	flags       func(*pflag.FlagSet) func() error
}

func commands() []command {
	return []command{loopCommand, shareCommand, checkCommand, analyzeCommand, sizeCommand, memoryCommand, stabilityCommand, pagesCommand}
}

// errMissed is how a bench ends whose aim was missed.
var errMissed = errors.New("missed")

func main() {
	runtime.LockOSThread()
	if err := run(os.Args[1:]); errors.Is(err, errMissed) {
		os.Exit(1)
	} else if err != nil {
		fmt.Fprintln(os.Stderr, "bench:", err)
		os.Exit(1)
	}
}

func run(args []string) error {
	if len(args) > 0 {
		for _, c := range commands() {
			if c.name == args[0] {
				fs := pflag.NewFlagSet(c.name, pflag.ContinueOnError)
				do := c.flags(fs)
				if err := fs.Parse(args[1:]); errors.Is(err, pflag.ErrHelp) {
					return nil
				} else if err != nil {
					return err
				}
				return do()
			}
		}
	}
	fmt.Println("Usage: bench COMMAND [FLAGS]")
	for _, c := range commands() {
		fmt.Printf("  %-10s %s\n", c.name, c.short)
	}
	return nil
}
