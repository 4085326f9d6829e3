package tuning

import (
	"bytes"
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// openMPINames has the algorithms of Open MPI's collectives by their numbers, from 1 on: first what 4.1 has and,
// after a bar, what 5 and 6 have added.
var openMPINames = map[string]string{
	"MPI_Allgather":            "linear bruck recursive_doubling ring neighbor two_proc | sparbit direct-messaging",
	"MPI_Allgatherv":           "default bruck ring neighbor two_proc | sparbit",
	"MPI_Allreduce":            "basic_linear nonoverlapping recursive_doubling ring segmented_ring rabenseifner | allgather_reduce",
	"MPI_Alltoall":             "linear pairwise modified_bruck linear_sync two_proc",
	"MPI_Alltoallv":            "basic_linear pairwise",
	"MPI_Barrier":              "linear double_ring recursive_doubling bruck two_proc tree",
	"MPI_Bcast":                "basic_linear chain pipeline split_binary_tree binary_tree binomial knomial scatter_allgather scatter_allgather_ring",
	"MPI_Exscan":               "linear recursive_doubling",
	"MPI_Gather":               "basic_linear binomial linear_sync",
	"MPI_Reduce":               "linear chain pipeline binary binomial in-order_binary rabenseifner | knomial",
	"MPI_Reduce_scatter":       "non-overlapping recursive_halving ring butterfly",
	"MPI_Reduce_scatter_block": "basic_linear recursive_doubling recursive_halving butterfly",
	"MPI_Scan":                 "linear recursive_doubling",
	"MPI_Scatter":              "basic_linear binomial linear_nb",
}

// OpenMPINames returns the algorithms of a collective of Open MPI, by their numbers from 1 on.
func OpenMPINames(function string) []string {
	return slices.DeleteFunc(strings.Fields(openMPINames[function]), func(name string) bool { return name == "|" })
}

// Named returns the name of a rule's algorithm, or "" if the library chooses. known is false where there is none of
// that number or name.
func (r *Rule) Named(names []string) (name string, known bool) {
	if r.Algorithm == "" || r.Algorithm == "0" {
		return "", true
	}
	if n, err := strconv.Atoi(r.Algorithm); err == nil {
		if n < 1 || n > len(names) {
			return "", false
		}
		return names[n-1], true
	}
	return r.Algorithm, slices.Contains(names, r.Algorithm)
}

// RuleFor returns the rule of a file that holds for a call, or nil: the first that fits.
func RuleFor(rules []Rule, function string, block int64, np int) *Rule {
	size, _ := ruleSize(function, block, np)
	for i := range rules {
		r := &rules[i]
		if r.Function == function && np >= r.MinNP && (r.MaxNP == 0 || np <= r.MaxNP) && size >= r.From && (r.To == 0 || size < r.To) {
			return r
		}
	}
	return nil
}

// RulesVersion returns the version of a file of rules.
func RulesVersion(text []byte) int {
	switch {
	case jsonRules(text):
		return 3
	case bytes.HasPrefix(text, []byte(versionWord+"2")):
		return 2
	}
	return 1
}

// Idle returns a sentence for each part of a file of rules that does nothing, with its place. l may be unknown; names
// are the algorithms of a collective by their numbers, or nil where they are not known.
func Idle(l Library, file string, text []byte, rules []Rule, names func(function string) []string) (out []string) {
	version := RulesVersion(text)
	for since, least := range map[int]Library{2: {Major: 5, Minor: 0, Patch: 7}, 3: {Major: 6}} {
		if version == since && l.Major > 0 && !l.from(least) {
			return []string{fmt.Sprintf("%s:1: rules of version %d, which Open MPI reads from %d.%d.%d on: %s ignores the whole file",
				file, version, least.Major, least.Minor, least.Patch, l)}
		}
	}
	for i := range rules {
		r := &rules[i]
		if r.Algorithm == "" || r.Algorithm == "0" {
			continue
		}
		say := func(format string, args ...any) {
			out = append(out, fmt.Sprintf("%s:%d: %s", file, r.Line, fmt.Sprintf(format, args...)))
		}
		row, known := rowOf(r.Function), names(r.Function)
		_, there := r.Named(known)
		switch {
		case row.counting == noRules:
			say(noRulesFor, r.Function)
		case row.counting == unsized && r.From > 0:
			say("a rule from %d bytes on never holds: Open MPI takes no size for %s that grows with the message", r.From, r.Function)
		case len(known) > 0 && !there:
			say("%s has no algorithm %s; it has %s", r.Function, r.Algorithm, numbered(known))
		}
	}
	return out
}

func numbered(names []string) string {
	out := make([]string, len(names))
	for i, name := range names {
		out[i] = fmt.Sprint(i+1, " ", name)
	}
	return strings.Join(out, ", ")
}

// from tells whether a library is of this version or newer.
func (l Library) from(o Library) bool {
	return slices.Compare([]int{l.Major, l.Minor, l.Patch}, []int{o.Major, o.Minor, o.Patch}) >= 0
}
