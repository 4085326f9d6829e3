package clocks

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"slices"

	"pgmpi/internal/document"
	"pgmpi/internal/phrase"
	"pgmpi/measure/protocol"
)

// methodLists makes the documents of `pgmpi clocks`, one mpirun after the other.
var methodLists = document.Kind[[]Clocks]{Name: "clocks", Parts: []document.Part[[]Clocks]{
	document.Show(document.Screen, clocksScreen), document.Show(document.Full, clocksSections)},
	Rows: clocksRows, JSON: true, Exit: clocksExit}

func clocksExit(list *[]Clocks) error {
	for _, c := range *list {
		if slices.ContainsFunc(c.Syncs, func(s protocol.ClockSync) bool { return s.Failed == "" }) {
			return nil
		}
	}
	return errors.New("no clock synchronisation worked here; see the reasons above")
}

// Clocks holds what one mpirun found about clocks and their synchronisation.
type Clocks struct {
	Shape  string               `json:"shape"`
	NP     int                  `json:"np"`
	Clock  string               `json:"clock"`
	Clocks []protocol.ClockInfo `json:"clocks"`
	Syncs  []protocol.ClockSync `json:"syncs"`
	Host   string               `json:"-"` // started the mpirun
}

// clocksColumns names the columns of a table with one row per method, comparison and rank. New columns go to the
// end.
var clocksColumns = []string{"shape", "np", "clock", "method", "duration_ns", "rounds", "messages", "seconds", "rank", "error_ns", "bound_ns", "failed"}

func clocksRows(list *[]Clocks) [][]string {
	out := [][]string{clocksColumns}
	for _, c := range *list {
		for _, s := range c.Syncs {
			if s.Failed != "" {
				out = append(out, phrase.Row(c.Shape, c.NP, c.Clock, s.Method, nil, nil, nil, nil, nil, nil, nil, s.Failed))
			}
			for _, check := range s.Checks {
				for rank := range min(len(check.ErrorNS), len(check.BoundNS)) {
					out = append(out, phrase.Row(c.Shape, c.NP, c.Clock, s.Method, s.DurationNS, s.Rounds, s.Messages, check.Seconds, rank, check.ErrorNS[rank], check.BoundNS[rank], ""))
				}
			}
		}
	}
	return out
}

// clocksScreen shows the answer and the tables, without a legend.
func clocksScreen(list *[]Clocks) []document.Section {
	out := []document.Section{clocksAnswer(list)}
	for i := range *list {
		out = append(out, clockSection(&(*list)[i]), syncSection(&(*list)[i]))
	}
	return out
}

// clocksAnswer names, for each mpirun, the method that came closest.
func clocksAnswer(list *[]Clocks) (s document.Section) {
	for _, c := range *list {
		best := -1
		for i, sync := range c.Syncs {
			if sync.Failed == "" && (best < 0 || lastError(sync) < lastError(c.Syncs[best])) {
				best = i
			}
		}
		if best < 0 {
			s.Say("NO METHOD SYNCHRONISED the clocks of %s.", c.Shape)
			continue
		}
		last := c.Syncs[best].Checks[len(c.Syncs[best].Checks)-1]
		s.Say("%s, clock %s: %s is closest, %s off after %v s.", c.Shape, c.Clock, c.Syncs[best].Method, phrase.Nanoseconds(float64(lastError(c.Syncs[best]))), last.Seconds)
	}
	return s
}

// lastError returns the largest error over the ranks in the last comparison.
func lastError(s protocol.ClockSync) int64 { return protocol.Worst(s.Checks[len(s.Checks)-1].ErrorNS) }

func clocksSections(list *[]Clocks) []document.Section {
	out := clocksScreen(list)
	if len(out) > 1 {
		out[len(out)-1].Note(`Error: the largest over the ranks, as 100 exchanges with rank 0 show it. Half of the shortest round trip is the ` +
			`most it can be wrong by ("known to ±"). Rounds: pairs of ranks that must come one after the other. Pareto *: no other method is ` +
			`both faster and, at the last comparison, closer; errors below what is known count as equal.`)
	}
	return out
}

func clockSection(c *Clocks) document.Section {
	s := document.Titled("Clocks, as rank 0 finds them (started from %s)", c.Host)
	s.Table = &document.Table{Head: []string{"clock", "resolution", "one reading", ""}, Align: "lrrl", Flex: 3}
	for _, k := range c.Clocks {
		if k.Refused != "" {
			s.Table.Add(k.Name, "refused", "", "")
			s.Note("%s", k.Refused)
			continue
		}
		s.Table.Add(k.Name, fmt.Sprintf("%d ns", k.TickNS), fmt.Sprintf("%.0f ns", k.CostNS),
			phrase.When(k.HZ > 0, "at %.6f GHz, %s", float64(k.HZ)/1e9, k.HZFrom))
	}
	return s
}

func syncSection(c *Clocks) document.Section {
	s := document.Titled("Clock synchronisation, %s, clock %s: error against rank 0 in µs", c.Shape, c.Clock)
	t, best := &document.Table{Head: []string{"method"}, Align: "l"}, pareto(c.Syncs)
	for i, sync := range c.Syncs {
		if sync.Failed != "" {
			s.Note("%s: not here: %s", sync.Method, sync.Failed)
			continue
		}
		first := len(t.Rows) == 0
		cells, bound := []string{sync.Method}, int64(0)
		for _, check := range sync.Checks {
			if first {
				moment := cmp.Or(phrase.When(check.Seconds != 0, "after %v s", check.Seconds), "at once")
				t.Columns("r", moment)
			}
			cells = append(cells, micros(protocol.Worst(check.ErrorNS)))
			bound = max(bound, protocol.Worst(check.BoundNS))
		}
		t.Add(append(cells, micros(bound), phrase.Nanoseconds(float64(sync.DurationNS)), fmt.Sprint(sync.Rounds), fmt.Sprint(sync.Messages),
			phrase.When(best[i], "*"))...)
	}
	t.Columns("r", "known to ±", "takes", "rounds", "messages")
	t.Columns("l", "Pareto")
	known := len(t.Head) - 5
	t.Spare = []int{known + 3, known + 2, known}
	if len(t.Rows) > 0 {
		s.Table = t
	}
	return s
}

func micros(ns int64) string { return fmt.Sprintf("%.2f", float64(ns)/1e3) }

// pareto marks the methods that no other dominates (the view of S-REVISITED, Fig. 8). Another dominates if it is as
// fast and as close, and better in one of the two. The last comparison tells how close they are; errors below the
// smallest bound count as equal.
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
