package series

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"pgmpi/analyze"
	"pgmpi/analyze/medians"
	"pgmpi/guidelines"
	"pgmpi/internal/conf"
	"pgmpi/internal/phrase"
	"pgmpi/internal/stats"
)

// Shift holds what points to the machine where two checks have different run-times
// (docs/statistics.md, "Did the machine change?").
type Shift struct {
	Cases    int      `json:"cases"`    // that both have
	Slower   int      `json:"slower"`   // in the second
	Faster   int      `json:"faster"`   // in the second
	Ratio    *float64 `json:"ratio"`    // of the run-times, second to first, in the median case
	Together bool     `json:"together"` // nearly all moved in one direction
	// Machine tells that probably the machine changed: the library is the same, and the yardstick
	// moved as the cases did.
	Machine bool `json:"machine"`
	// Probes holds what was read of the machine in both.
	Probes []ProbeShift `json:"yardstick"`
}

// ProbeShift holds a reading of the machine in the median mpirun of each check.
type ProbeShift struct {
	Shape    string           `json:"shape"`
	Quantity medians.Quantity `json:"quantity"`
	ANS      float64          `json:"a_ns"`
	BNS      float64          `json:"b_ns"`
	Moved    bool             `json:"moved"`
}

// Cases moved together when this share moved in one direction, and their median by shiftedRatio. A
// few cases of one or two functions also do so if the function changed.
const (
	shiftedShare     = 0.8
	shiftedRatio     = 1.05
	shiftedCases     = 10
	shiftedFunctions = 3
)

// ofMachine lists the readings that no library affects.
var ofMachine = []medians.Quantity{medians.ByLine, medians.ByMemcpy}

// MachineShift says what points to a change of the machine between checks. Checks a and b measured
// the same operation. It returns nil if nothing does.
func MachineShift(a, b *Check) *Shift { return machineShift(a, b, readings(a, b), false) }

// shiftByTurns compares sides that took turns: drift hits both, so that cases that moved together
// say nothing of the machine. Neither does the yardstick if mpiruns had several states, since each
// met its own.
func shiftByTurns(a, b *analyze.Side) *Shift {
	x, y := CheckOf(a.Report, a.Name), CheckOf(b.Report, b.Name)
	probes := readings(x, y)
	for _, shape := range a.Manifest.Plan.Shapes {
		if severalStates(a, b, shape) {
			probes = slices.DeleteFunc(probes, func(p ProbeShift) bool { return p.Shape == shape.String() })
		}
	}
	return machineShift(x, y, probes, true)
}

func severalStates(a, b *analyze.Side, shape guidelines.Shape) bool {
	return a.Set.States(shape) != nil || b.Set.States(shape) != nil
}

func machineShift(a, b *Check, probes []ProbeShift, byTurns bool) *Shift {
	s := &Shift{Probes: probes}
	moved := slices.ContainsFunc(s.Probes, func(y ProbeShift) bool { return y.Moved })
	s.together(a, b)
	if s.Together = s.Together && !byTurns; !s.Together && !moved {
		return nil
	}
	s.Machine = s.Together && a.Library == b.Library && slices.ContainsFunc(s.Probes, func(y ProbeShift) bool { return y.Moved && (y.BNS > y.ANS) == (s.Slower > s.Faster) })
	return s
}

func (s *Shift) together(a, b *Check) {
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

func caseMedians(c *Check) map[medians.Cell]float64 {
	out := map[medians.Cell]float64{}
	put := func(function string, msize int64, shape string, s *float64) {
		k := medians.Cell{Function: function, Msize: msize, Shape: shape}
		if _, there := out[k]; !there && s != nil && *s > 0 {
			out[k] = *s
		}
	}
	for i := range c.Points {
		p := &c.Points[i]
		put(p.Function, p.Msize, p.Shape, p.MedianS)
		switch p.Type {
		case guidelines.Pattern:
			put(p.Mockup, p.MsizeOther, p.Shape, p.OtherMedianS)
		case guidelines.Monotony:
			put(p.Function, p.MsizeOther, p.Shape, p.OtherMedianS)
		case guidelines.Split: // of k calls in a row
		}
	}
	return out
}

func readings(a, b *Check) []ProbeShift {
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

// otherState tells whether two readings of the yardstick come from different states of the machine.
func otherState(x, y float64) bool { return max(x, y) >= otherSpeed*min(x, y) }

const alone = "measured without the library: "

func (s *Shift) String() string {
	var moved, still []string
	text := ""
	if s.Together {
		n, how := s.Slower, "slower"
		if s.Faster > n {
			n, how = s.Faster, "faster"
		}
		text = fmt.Sprintf("%d of %s became %s together (%.2f× in the median)", n, conf.Plural(s.Cases, "case"), how, *s.Ratio)
	}
	for _, y := range s.Probes {
		name := fmt.Sprintf("%s on %s", y.Quantity, y.Shape)
		if y.Moved {
			moved = append(moved, fmt.Sprintf("%s %s → %s", name, phrase.Nanoseconds(y.ANS), phrase.Nanoseconds(y.BNS)))
		} else {
			still = append(still, name)
		}
	}
	if len(moved) > 0 {
		text = phrase.List("; ", text, alone+strings.Join(moved, ", "))
	} else if len(still) > 0 {
		text = phrase.List("; ", text, "unchanged, "+alone+strings.Join(still, ", "))
	}
	switch {
	case s.Machine:
		return "the machine changed, probably not the library: " + text
	case s.Together:
		return "the machine or the library changed, and `pgmpi ab` tells which: " + text
	}
	return "the machine was in another state: " + strings.TrimPrefix(text, alone)
}

// machineState begins the name of the factor.
const machineState = "machine state"

// otherSpeed separates the yardsticks of two folders that met different states of the machine.
const otherSpeed = 1.5

// machineStates names the shapes on which two folders met other states of the machine: the
// yardstick's readings of the machine differ, or only one of them has several.
func machineStates(a, b *analyze.Side, byTurns bool) []Difference {
	var out []Difference
	for _, shape := range a.Manifest.Plan.Shapes {
		if byTurns && severalStates(a, b, shape) {
			continue
		}
		statesA, statesB := a.Set.States(shape), b.Set.States(shape)
		inA, inB := cmp.Or(analyze.StatesOf(statesA, shape.String()), "one state"), cmp.Or(analyze.StatesOf(statesB, shape.String()), "one state")
		differ := (statesA == nil) != (statesB == nil)
		speedA, speedB := a.Set.Speed(shape), b.Set.Speed(shape)
		for _, q := range ofMachine {
			x, y := *speedA.At(q), *speedB.At(q)
			if min(x, y) > 0 && otherState(x, y) {
				differ, inA, inB = true, fmt.Sprintf("%s %s (%s)", q, phrase.Nanoseconds(x), inA), fmt.Sprintf("%s %s (%s)", q, phrase.Nanoseconds(y), inB)
				break
			}
		}
		if differ && len(a.Set.Took[shape.String()]) > 0 && len(b.Set.Took[shape.String()]) > 0 {
			out = append(out, Difference{Factor: machineState + " " + shape.String(), A: inA, B: inB})
		}
	}
	return out
}
