package tuning

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
)

// intelVariables are those of Intel MPI (Developer Reference, "I_MPI_ADJUST Family
// Environment Variables"): an algorithm's number, and the sizes and numbers of processes
// that it is for. What the size of a message is, is said nowhere: only where every
// definition gives the same, a choice by size is written.
var intelVariables = Writer{
	Name: "intel", Title: "variables of Intel MPI", Untested: true,
	For:   func(l Library) bool { return l.Family == "intel" },
	Write: writeIntel,
	Read: readVariables(func(name string) string {
		for _, f := range mpichCollectives() {
			if intelVariable(f) == name {
				return f
			}
		}
		return ""
	}),
}

func intelVariable(function string) string {
	return "I_MPI_ADJUST_" + strings.ToUpper(strings.TrimPrefix(function, "MPI_"))
}

func writeIntel(_ Target, choices []Choice) (*Setting, error) {
	s := &Setting{Writer: "intel", Env: map[string]string{}}
	functions, of := accepted(choices, OwnAlgorithm, s, func(c Choice) string {
		row := rowOf(c.Function)
		switch {
		case c.Value < 1:
			return fmt.Sprintf("%d is no number of an algorithm", c.Value)
		case !c.Everywhere() && (row.counting != ofVector || row.unsafe != ""):
			return "Intel does not say what the size of a message of " + c.Function + " is: only a choice that holds at all measured sizes can be written"
		}
		return ""
	})
	for _, f := range functions {
		var parts []string
		groups := byProcesses(of[f], func(c Choice, why string) { s.Refused = append(s.Refused, Refusal{c, why}) })
		for _, np := range slices.Sorted(maps.Keys(groups)) {
			for _, p := range groups[np] {
				sizes := fmt.Sprintf("%d-%d", p.from, p.to-1)
				if p.choice.Everywhere() {
					sizes = "0-2147483647"
				}
				parts = append(parts, fmt.Sprintf("%d:%s@%d-%d", p.choice.Value, sizes, np, np))
				s.Entries = append(s.Entries, Entry{Choice: p.choice, From: p.from, To: p.to, Where: intelVariable(f), Variable: intelVariable(f),
					Value: strconv.Itoa(p.choice.Value), Proof: Unproved})
			}
		}
		if len(parts) > 0 {
			s.Env[intelVariable(f)] = strings.Join(parts, ";")
		}
	}
	if len(s.Entries) > 0 {
		s.Notes = []string{"Nobody has tried these variables with Intel MPI yet: I_MPI_DEBUG=6 says which algorithm is taken."}
	}
	return s, nil
}
