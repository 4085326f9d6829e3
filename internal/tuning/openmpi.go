package tuning

import (
	"fmt"
	"pgmpi/mockups"
	"slices"
	"strings"
)

// The MCA variables of Open MPI's component coll/tuned.
const (
	useDynamicRules = "OMPI_MCA_coll_tuned_use_dynamic_rules"
	rulesFilename   = "OMPI_MCA_coll_tuned_dynamic_rules_filename"
)

// counting tells which size Open MPI compares when it looks into a rules file.
type counting int

const (
	noRules  counting = iota // coll/tuned has no rules for it
	ofVector                 // bytes of the argument
	ofAll                    // the same times the number of processes
	unsized                  // 0, or nothing that grows with the message
)

type rulesRow struct {
	function string
	id       int // coll_base_functions.h
	counting counting
	// unsafe names the arguments that the size is taken from, if some ranks of a legal call
	// ignore them: the call then uses several algorithms at once.
	unsafe string
}

const ignored = "sendcount and sendtype, which do not count with MPI_IN_PLACE"

// openMPI has every collective with a number (coll_tuned_decision_dynamic.c, 4.1 and 5.0).
var openMPI = []rulesRow{
	{"MPI_Allgather", 0, ofAll, ignored},
	{"MPI_Allgatherv", 1, ofVector, "sendtype, which does not count with MPI_IN_PLACE, and otherwise need not be like recvtype"}, // the sum of the counts, divided by the processes
	{"MPI_Allreduce", 2, ofVector, ""},
	{"MPI_Alltoall", 3, ofAll, ""}, // in place every algorithm is the same
	{"MPI_Alltoallv", 4, unsized, ""},
	{"MPI_Alltoallw", 5, noRules, ""},
	{"MPI_Barrier", 6, unsized, ""},
	{"MPI_Bcast", 7, ofVector, ""},
	{"MPI_Exscan", 8, unsized, ""}, // type size times processes: the count is missing
	{"MPI_Gather", 9, ofAll, "sendcount and sendtype, which do not count at a root with MPI_IN_PLACE"},
	{"MPI_Gatherv", 10, noRules, ""},
	{"MPI_Reduce", 11, ofVector, ""},
	{"MPI_Reduce_scatter", 12, ofAll, ""},
	{"MPI_Reduce_scatter_block", 13, ofAll, ""},
	{"MPI_Scan", 14, unsized, ""}, // as Exscan
	{"MPI_Scatter", 15, ofAll, "sendcount and sendtype, which count at the root only"},
	{"MPI_Scatterv", 16, noRules, ""},
}

// rowOf returns the row of a collective, or a row with the id -1.
func rowOf(function string) rulesRow {
	for _, row := range openMPI {
		if row.function == function {
			return row
		}
	}
	return rulesRow{function: function, id: -1}
}

// ruleSize returns the message size by which Open MPI looks for a rule, for a block on np
// processes, if it grows with the message.
func ruleSize(function string, block int64, np int) (bytes int64, ok bool) {
	switch rowOf(function).counting {
	case ofVector:
		return block, true
	case ofAll:
		return block * int64(np), true
	default:
		return 0, false
	}
}

// commutativeOnly are the algorithms that give wrong data with operators that do not commute
// (found with 4.1.4, by the conformance calls of the rank program). Open MPI's own choice avoids them then;
// a rule or a variable does not.
var commutativeOnly = map[string][]string{
	"MPI_Allreduce":      {"ring", "segmented_ring"},
	"MPI_Reduce":         {"chain", "pipeline", "binary", "binomial"},
	"MPI_Reduce_scatter": {"recursive_halving", "ring"},
}

// segmented are the algorithms that send a message in segments, and give right data with all
// operators.
var segmented = map[string][]string{
	"MPI_Bcast":  {"chain", "pipeline", "split_binary_tree", "binary_tree", "binomial"},
	"MPI_Reduce": {"in-order_binary"},
}

// segments are tried with each of them, and each fan-out that p processes can have with a chain.
var segments, fanouts = []string{"", "+4Ki", "+32Ki", "+128Ki", "+1Mi"}, []int{1, 2, 8}

// Parameters returns the names of an algorithm with the segments and fan-outs that can be tried, other
// than the library's.
func Parameters(l Library, collective, algorithm string, np int) (out []string) {
	if !isOpenMPI(l) || !slices.Contains(segmented[collective], algorithm) {
		return nil
	}
	for _, s := range segments {
		out = append(out, algorithm+s)
		for _, n := range fanouts {
			if algorithm == chain && n < np-1 {
				out = append(out, fmt.Sprintf("%s%s+fan%d", algorithm, s, n))
			}
		}
	}
	return out[1:]
}

func wrongOrder(c Choice) string {
	if name, _, _ := mockups.Parameters(c.Algorithm); !slices.Contains(commutativeOnly[c.Function], name) {
		return ""
	}
	return fmt.Sprintf("%s gives wrong data with operators that do not commute, and Open MPI does not look when it is told to take it", c.Algorithm)
}

func (r rulesRow) bySizeSafely() bool {
	return r.unsafe == "" && (r.counting == ofVector || r.counting == ofAll)
}

const (
	noRulesFor  = "Open MPI has no rules for %s"
	onlyAlways  = "the message size by which Open MPI looks for a rule of %s does not grow with the message: only a choice for all measured sizes can be written, with --extend"
	neverBySize = "Open MPI takes the size of %s from %s: a rule by size lets legal calls abort or hang, so that only a choice for all measured sizes can be written, with --extend"
)

func refusesRule(c Choice) string {
	row := rowOf(c.Function)
	switch {
	case row.counting == noRules:
		return fmt.Sprintf(noRulesFor, c.Function)
	case c.Value < 1:
		return fmt.Sprintf("%d is no number of an algorithm", c.Value)
	case wrongOrder(c) != "":
		return wrongOrder(c)
	case c.Everywhere():
	case row.unsafe != "":
		return fmt.Sprintf(neverBySize, c.Function, row.unsafe)
	case row.counting == unsized:
		return fmt.Sprintf(onlyAlways, c.Function)
	}
	return ""
}

func lower(function string) string { return strings.ToLower(strings.TrimPrefix(function, "MPI_")) }

func isOpenMPI(l Library) bool { return l.Family == "openmpi" }
