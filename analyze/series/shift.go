package series

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"pgmpi/analyze"
	"pgmpi/analyze/medians"
	"pgmpi/guidelines"
	"pgmpi/internal/conf"
	"pgmpi/internal/stats"
)

// Shift is what speaks for the machine, and not for the library, where one check
// gave other run-times than another (docs/statistics.md, "Did the machine change?").
type Shift struct {
	Cases    int      `json:"cases"`    // that both have
	Slower   int      `json:"slower"`   // in the second
	Faster   int      `json:"faster"`   // in the second
	Ratio    *float64 `json:"ratio"`    // of the run-times, second to first, in the median case
	Together bool     `json:"together"` // nearly all moved in one direction
	// Probes has what was read of the machine in both.
	Probes []ProbeShift `json:"yardstick"`
}

// ProbeShift is a reading of the machine in the median mpirun of each check.
type ProbeShift struct {
	Shape    string           `json:"shape"`
	Quantity medians.Quantity `json:"quantity"`
	ANS      float64          `json:"a_ns"`
	BNS      float64          `json:"b_ns"`
	Moved    bool             `json:"moved"`
}

// Cases moved together when this share of them did in one direction, and the median
// of them by shiftedRatio. A few cases of one or two functions do so if the function
// changed.
const (
	shiftedShare     = 0.8
	shiftedRatio     = 1.05
	shiftedCases     = 10
	shiftedFunctions = 3
)

// ofMachine are the readings that no library has a part in.
var ofMachine = []medians.Quantity{medians.ByLine, medians.ByMemcpy}

// MachineShift says what speaks for a change of the machine from check a to check b,
// which measured the same operation; nil: nothing.
func MachineShift(a, b *analyze.Report) *Shift { return machineShift(a, b, false) }

// machineShift: by turns, what drifts hits both, so that cases which moved together
// say nothing of the machine.
func machineShift(a, b *analyze.Report, byTurns bool) *Shift {
	s := &Shift{Probes: readings(a, b)}
	moved := slices.ContainsFunc(s.Probes, func(y ProbeShift) bool { return y.Moved })
	s.together(a, b)
	if s.Together = s.Together && !byTurns; !s.Together && !moved {
		return nil
	}
	return s
}

func (s *Shift) together(a, b *analyze.Report) {
	before, after := caseMedians(a), caseMedians(b)
	var logs []float64
	var functions []string
	for k, ns := range before {
		now, ok := after[k]
		if !ok {
			continue
		}
		functions = append(functions, k.Function)
		logs = append(logs, math.Log(now)-math.Log(ns))
		switch {
		case now > ns:
			s.Slower++
		case now < ns:
			s.Faster++
		}
	}
	s.Cases = len(logs)
	ratio := math.Exp(stats.MedianFinite(logs))
	s.Ratio = analyze.Number(ratio)
	s.Together = s.Ratio != nil && s.Cases >= shiftedCases && len(analyze.Unique(functions)) >= shiftedFunctions &&
		float64(max(s.Slower, s.Faster)) >= shiftedShare*float64(s.Cases) && max(ratio, 1/ratio) > shiftedRatio
}

// caseMedians are the medians of the cases that a report's verdicts have, mock-ups too.
func caseMedians(r *analyze.Report) map[medians.Cell]float64 {
	out := map[medians.Cell]float64{}
	put := func(k medians.Cell, s *float64) {
		if _, there := out[k]; !there && s != nil && *s > 0 {
			out[k] = *s
		}
	}
	for i := range r.Verdicts {
		v := &r.Verdicts[i]
		put(v.Cell(), v.MedianS)
		other := medians.Cell{Function: v.Function, Msize: v.MsizeOther, Shape: v.Shape}
		switch v.Type {
		case guidelines.Pattern:
			other.Function = v.Mockup
			put(other, v.OtherMedianS)
		case guidelines.Monotony:
			put(other, v.OtherMedianS)
		case guidelines.Split: // of k calls in a row
		}
	}
	return out
}

// readings pairs what was read of the machine.
func readings(a, b *analyze.Report) []ProbeShift {
	out := []ProbeShift{}
	for _, x := range a.Probes {
		i := slices.IndexFunc(b.Probes, func(y analyze.Probes) bool { return y.Shape == x.Shape })
		if i < 0 {
			continue
		}
		for _, q := range ofMachine {
			before, now := *x.At(q), *b.Probes[i].At(q)
			if min(before, now) > 0 {
				out = append(out, ProbeShift{x.Shape, q, before, now, otherState(before, now)})
			}
		}
	}
	return out
}

// otherState tells whether two readings of the yardstick are of different states of the machine.
func otherState(x, y float64) bool { return max(x, y) >= otherSpeed*min(x, y) }

// String is a sentence.
func (s *Shift) String() string {
	var parts, moved, still []string
	if s.Together {
		n, how := s.Slower, "slower"
		if s.Faster > n {
			n, how = s.Faster, "faster"
		}
		parts = append(parts, fmt.Sprintf("%d of %s became %s together (%.2f× in the median)", n, conf.Plural(s.Cases, "case"), how, *s.Ratio))
	}
	for _, y := range s.Probes {
		name := fmt.Sprintf("%s on %s", y.Quantity, y.Shape)
		if y.Moved {
			moved = append(moved, fmt.Sprintf("%s: %.3g ns → %.3g ns", name, y.ANS, y.BNS))
		} else {
			still = append(still, name)
		}
	}
	if len(moved) > 0 {
		parts = append(parts, "what no library has a part in changed ("+strings.Join(moved, ", ")+")")
	} else if len(still) > 0 {
		parts = append(parts, "though this did not: "+strings.Join(still, ", "))
	}
	return "probably the machine changed, not the library: " + strings.Join(parts, "; ")
}
