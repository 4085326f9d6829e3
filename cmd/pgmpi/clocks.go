package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"slices"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/spf13/pflag"

	"pgmpi/internal/conf"
	"pgmpi/measure"
	"pgmpi/measure/launch"
	"pgmpi/measure/protocol"
)

var clocksCommand = command{
	name:  "clocks",
	short: "examine clocks and their synchronisation on this machine",
	long: `Shows the clocks that can time a repetition, with their resolution and cost, and
for every method of clock synchronisation how far the ranks' global clocks are
from rank 0's right after it and some seconds later, how long it takes, and how
many rounds and messages. One mpirun for every number of processes. Nothing is
written to disk. docs/clocks.md explains the methods.`,
	flags: func(fs *pflag.FlagSet) func(context.Context, []string) error {
		c := &clocksRun{}
		fs.IntSliceVar(&c.np, "np", nil, "numbers of processes, a comma `LIST` (default: the slots of the allocation, else the cores)")
		fs.StringVar(&c.rank, "rank", "", "the rank program `FILE` (default: pgmpi-rank beside pgmpi)")
		fs.StringVar(&c.launch, "launch", "", "the launcher, a `TEXT` that is split at spaces: \"mpirun.mpich -np {np}\" (default: that of the rank program's library)")
		fs.StringVar(&c.clock, "clock", measure.Default().Clock, "the `CLOCK`: "+strings.Join(protocol.Clocks, ", "))
		fs.StringSliceVar(&c.methods, "clock-sync", nil, "methods, a comma `LIST` (default shared,skampi,netgauge,jk,hca,hca2,hca3,hca3+shared)")
		fs.Float64SliceVar(&c.seconds, "seconds", []float64{1, 5, 10}, "when the clocks are compared, a comma `LIST` of seconds after a synchronisation")
		fs.Lookup("seconds").DefValue = "1,5,10" // as it is to be typed
		fs.StringVar(&c.format, "format", "table", "`FORMAT`: table or json")
		return func(ctx context.Context, _ []string) error { return c.run(ctx) }
	},
}

// clocksRun is one call of `pgmpi clocks`.
type clocksRun struct {
	np      []int
	rank    string
	launch  string
	clock   string
	methods []string
	seconds []float64
	format  string
}

// clocksReport is what one mpirun found; a list of them is the JSON format.
type clocksReport struct {
	NP     int                  `json:"np"`
	Clock  string               `json:"clock"`
	Clocks []protocol.ClockInfo `json:"clocks"`
	Syncs  []protocol.ClockSync `json:"syncs"`
}

// longestWait keeps a slip of the keyboard from waiting for days.
const longestWait = 3600

func (c *clocksRun) check() error {
	if len(c.np) == 0 {
		c.np = []int{launch.DefaultNP()}
	}
	if len(c.methods) == 0 {
		// One two-level method stands for all.
		c.methods = slices.DeleteFunc(slices.Clone(protocol.ClockSyncs), func(m string) bool {
			return strings.Contains(m, "+") && m != "hca3+shared"
		})
	}
	for _, np := range c.np {
		if np < 1 {
			return fmt.Errorf("--np: %d is no number of processes", np)
		}
	}
	if !slices.Contains(protocol.Clocks, c.clock) {
		return fmt.Errorf("--clock: %s", conf.Unknown("clock", c.clock, protocol.Clocks))
	}
	for _, m := range c.methods {
		if !slices.Contains(protocol.ClockSyncs, m) {
			return fmt.Errorf("--clock-sync: %s", conf.Unknown("clock synchronisation", m, protocol.ClockSyncs))
		}
	}
	for i, s := range c.seconds {
		if !(s > 0 && s <= longestWait) || (i > 0 && s <= c.seconds[i-1]) {
			return fmt.Errorf("--seconds: %v must be above 0, at most %d, and ascending", c.seconds, longestWait)
		}
	}
	if c.format != "table" && c.format != "json" {
		return fmt.Errorf("--format: %s", conf.Unknown("format", c.format, []string{"table", "json"}))
	}
	return nil
}

func (c *clocksRun) run(ctx context.Context) error {
	if err := c.check(); err != nil {
		return setup(err)
	}
	path, err := launch.FindRank(c.rank)
	if err != nil {
		return setup(err)
	}
	info, err := launch.Probe(path)
	if err != nil {
		return setup(err)
	}
	var reports []clocksReport
	for _, np := range c.np {
		argv, err := launch.Launch(strings.Fields(c.launch), info, np)
		if err != nil {
			return setup(err)
		}
		r, err := c.examine(ctx, measure.Examination{NP: np, Launch: argv, RankPath: path, Clock: c.clock,
			Job: protocol.ClocksJob{Methods: c.methods, Seconds: c.seconds}})
		if err != nil {
			return err
		}
		reports = append(reports, r)
		if c.format == "table" {
			var text bytes.Buffer
			if err := r.print(&text, c.seconds); err != nil {
				return err
			}
			for line := range strings.Lines(text.String()) {
				fmt.Fprintln(stdout, strings.TrimRight(line, " \n"))
			}
		}
	}
	if c.format == "json" {
		e := json.NewEncoder(stdout)
		e.SetIndent("", " ")
		if err := e.Encode(reports); err != nil {
			return err
		}
	}
	return allFailed(reports)
}

func allFailed(reports []clocksReport) error {
	for _, r := range reports {
		for _, s := range r.Syncs {
			if s.Failed == "" {
				return nil
			}
		}
	}
	return &exit{exitFailed, errors.New("no clock synchronisation worked here; the reasons stand above")}
}

func (c *clocksRun) examine(ctx context.Context, e measure.Examination) (clocksReport, error) {
	wait := 0.0
	if len(c.seconds) > 0 {
		wait = c.seconds[len(c.seconds)-1]
	}
	fmt.Fprintf(stderr, "p = %d: %d methods; each synchronises (up to seconds) and is then watched for %v s\n", e.NP, len(c.methods), wait)
	start := time.Now()
	e.Progress = func(i, of int, method string) {
		fmt.Fprintf(stderr, "%4.0f s  %s (%d of %d)\n", time.Since(start).Seconds(), method, i+1, of)
	}
	out, err := measure.ExamineClocks(ctx, e)
	var failed *measure.Error
	switch {
	case err == nil:
		return clocksReport{NP: e.NP, Clock: c.clock, Clocks: out.End.Clocks, Syncs: out.Syncs}, nil
	case ctx.Err() != nil:
		return clocksReport{}, &exit{exitInterrupted, errors.New("interrupted")}
	case errors.As(err, &failed) && !failed.Started:
		return clocksReport{}, setup(err)
	}
	if failed != nil && strings.Contains(failed.Remedy, "--resume") {
		failed.Remedy = "" // there is no folder to go on in
	}
	return clocksReport{}, &exit{exitFailed, err}
}

// print writes the two tables.
func (r *clocksReport) print(w io.Writer, seconds []float64) error {
	host, _ := os.Hostname()
	fmt.Fprintf(w, "\nCLOCKS, as rank 0 finds them (started from %s)\n", host)
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprintf(t, "  clock\tresolution\tone reading\t\n")
	for _, c := range r.Clocks {
		switch {
		case c.Refused != "":
			fmt.Fprintf(t, "  %s\trefused\t\t\n", c.Name)
		case c.HZ > 0:
			fmt.Fprintf(t, "  %s\t%d ns\t%.0f ns\tat %.6f GHz, %s\n", c.Name, c.TickNS, c.CostNS, float64(c.HZ)/1e9, c.HZFrom)
		default:
			fmt.Fprintf(t, "  %s\t%d ns\t%.0f ns\t\n", c.Name, c.TickNS, c.CostNS)
		}
	}
	if err := t.Flush(); err != nil {
		return err
	}
	for _, c := range r.Clocks {
		if c.Refused != "" {
			fmt.Fprintf(w, "  %s\n", c.Refused)
		}
	}
	return r.printSyncs(w, seconds)
}

func (r *clocksReport) printSyncs(w io.Writer, seconds []float64) error {
	fmt.Fprintf(w, "\nCLOCK SYNCHRONISATION, p = %d, clock %s: error against rank 0 in µs\n", r.NP, r.Clock)
	// Numbers to the right; names are filled up to stand to the left.
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintf(t, "  %-16s\tat once\t", "method")
	for _, s := range seconds {
		fmt.Fprintf(t, "after %v s\t", s)
	}
	fmt.Fprint(t, "known to ±\ttakes\trounds\tmessages\tPareto\t\n")
	best := pareto(r.Syncs)
	for i, s := range r.Syncs {
		if s.Failed != "" {
			continue
		}
		fmt.Fprintf(t, "  %-16s\t", s.Method)
		bound := int64(0)
		for _, c := range s.Checks {
			fmt.Fprintf(t, "%s\t", micros(protocol.Worst(c.ErrorNS)))
			bound = max(bound, protocol.Worst(c.BoundNS))
		}
		mark := ""
		if best[i] {
			mark = "*"
		}
		fmt.Fprintf(t, "%s\t%s\t%d\t%d\t%s\t\n", micros(bound), round3(time.Duration(s.DurationNS)), s.Rounds, s.Messages, mark)
	}
	if err := t.Flush(); err != nil {
		return err
	}
	for _, s := range r.Syncs {
		if s.Failed != "" {
			fmt.Fprintf(w, "  %s: not here: %s\n", s.Method, s.Failed)
		}
	}
	_, err := fmt.Fprint(w, `
Error: the largest over the ranks, as 100 exchanges with rank 0 show it. Half of
the shortest round trip is the most it can be wrong by ("known to ±").
Rounds: pairs of ranks that must come one after the other. Pareto *: no other
method is both faster and, at the last comparison, closer; errors below what is
known count as equal.
`)
	return err
}

// pareto marks the methods that no other dominates: as fast and as close, and
// better in one of the two (the view of S-REVISITED, Fig. 8). Closeness is that
// of the last comparison; what is below the smallest bound is equal.
func pareto(syncs []protocol.ClockSync) []bool {
	last := func(s protocol.ClockSync) protocol.ClockCheck { return s.Checks[len(s.Checks)-1] }
	known := int64(math.MaxInt64)
	for _, s := range syncs {
		if s.Failed == "" {
			known = min(known, protocol.Worst(last(s).BoundNS))
		}
	}
	off := func(s protocol.ClockSync) int64 { return max(known, protocol.Worst(last(s).ErrorNS)) }
	best := make([]bool, len(syncs))
	for i, s := range syncs {
		best[i] = s.Failed == "" && !slices.ContainsFunc(syncs, func(o protocol.ClockSync) bool {
			return o.Failed == "" && o.DurationNS <= s.DurationNS && off(o) <= off(s) &&
				(o.DurationNS < s.DurationNS || off(o) < off(s))
		})
	}
	return best
}

func micros(ns int64) string { return fmt.Sprintf("%.2f", float64(ns)/1e3) }

// round3 keeps three digits of a duration, which is all that repeats.
func round3(d time.Duration) string {
	for unit := time.Duration(1); unit < time.Hour; unit *= 10 {
		if d < 1000*unit {
			return d.Round(unit).String()
		}
	}
	return d.String()
}
