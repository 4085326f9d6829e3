// Clocks shows what clock synchronisation is worth where the truth is known: it
// runs every method with the rank program whose clocks are wrong by a known
// amount (build tag injectedclocks) and prints the true error of the global
// clocks. `make bench` runs it.
//
// The exit status is 1 when a method that knows drift is off by more than half
// of it after the last comparison at most numbers of processes, or one that
// does not know it is off by less.
package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/spf13/pflag"

	"pgmpi/measure"
	"pgmpi/measure/launch"
	"pgmpi/measure/protocol"
)

// drift is that of every injected clock against rank 0's (clock_inject.c).
const drift = 50e-6

var errWrong = errors.New("a method does not do what it is for; see above")

func main() {
	var b bench
	pflag.StringVar(&b.rank, "rank", "bin/pgmpi-rank-injected-openmpi", "the rank program with injected clocks")
	pflag.StringVar(&b.preload, "preload", "", "LD_PRELOAD of the ranks: testdata/yield for MPICH with more ranks than cores")
	pflag.IntSliceVar(&b.np, "np", []int{2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16}, "numbers of processes")
	pflag.Float64SliceVar(&b.seconds, "seconds", []float64{1, 2, 5, 10, 20}, "when the clocks are compared")
	pflag.Parse()
	if err := b.run(); err != nil {
		fmt.Fprintln(os.Stderr, "clocks:", err)
		os.Exit(1)
	}
}

type bench struct {
	rank, preload string
	np            []int
	seconds       []float64
}

// methods are all that work with clocks that differ on one host.
var methods = []string{"skampi", "netgauge", "jk", "hca", "hca2", "hca3"}

func (b *bench) run() error {
	path, err := launch.FindRank(b.rank)
	if err != nil {
		return err
	}
	info, err := launch.Probe(path)
	if err != nil {
		return err
	}
	env := map[string]string{}
	if b.preload != "" {
		env["LD_PRELOAD"] = b.preload
	}
	fmt.Printf("\nClock synchronisation with %s, %d cores: true error in µs (the largest over the ranks) of\nclocks 2 s and 50 to 100 ppm apart, with 0.2 µs of jitter. Beyond %d ranks they share cores.\n\n",
		info.BuiltFor, launch.Cores(), launch.Cores())
	// All columns are equally wide, so that rows can be shown as they come.
	t := tabwriter.NewWriter(os.Stdout, 10, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprint(t, "p\tmethod\tat once\t")
	for _, s := range b.seconds {
		fmt.Fprintf(t, "%v s\t", s)
	}
	fmt.Fprint(t, "takes ms\trounds\tmessages\t\n")
	right, tried := map[string]int{}, 0
	for _, np := range b.np {
		syncs, err := b.one(np, info, path, env)
		if err != nil {
			return err
		}
		tried++
		for _, s := range syncs {
			fmt.Fprintf(t, "%d\t%s\t", np, s.Method)
			for _, c := range s.Checks {
				fmt.Fprintf(t, "%.2f\t", float64(protocol.Worst(c.TrueNS))/1e3)
			}
			fmt.Fprintf(t, "%.1f\t%d\t%d\t\n", float64(s.DurationNS)/1e6, s.Rounds, s.Messages)
			if b.asItMust(s) {
				right[s.Method]++
			}
		}
		if err := t.Flush(); err != nil {
			return err
		}
	}
	var wrong []string
	for _, m := range methods {
		// An oversubscribed rank that loses its core spoils a fit now and then.
		if right[m]*2 < tried {
			wrong = append(wrong, m)
		}
	}
	if len(wrong) > 0 {
		fmt.Printf("not as they must be at most numbers of processes: %s\n", strings.Join(wrong, ", "))
		return errWrong
	}
	return nil
}

func (b *bench) one(np int, info protocol.RankInfo, path string, env map[string]string) ([]protocol.ClockSync, error) {
	argv, err := launch.Launch(nil, info, np)
	if err != nil {
		return nil, err
	}
	out, err := measure.ExamineClocks(context.Background(), measure.Examination{
		NP: np, Launch: argv, RankPath: path, Env: env, Clock: "monotonic",
		Job:      protocol.ClocksJob{Methods: methods, Seconds: b.seconds, Compute: true},
		Progress: func(int, int, string) {},
	})
	if err != nil {
		return nil, err
	}
	for _, s := range out.Syncs {
		for _, c := range s.Checks {
			if s.Failed != "" || len(c.TrueNS) != np {
				return nil, fmt.Errorf("%s at p = %d: no true errors (%s): %s is not built with the tag injectedclocks", s.Method, np, s.Failed, b.rank)
			}
		}
	}
	return out.Syncs, nil
}

// asItMust says whether the last true error is that of a method of this kind.
func (b *bench) asItMust(s protocol.ClockSync) bool {
	last := s.Checks[len(s.Checks)-1]
	half := drift / 2 * float64(time.Duration(last.Seconds*1e9))
	knowsDrift := s.Method != "skampi" && s.Method != "netgauge"
	return (float64(protocol.Worst(last.TrueNS)) < half) == knowsDrift
}
