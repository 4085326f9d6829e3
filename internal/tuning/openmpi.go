package tuning

import (
	"fmt"
	"strings"
)

// The MCA variables of Open MPI's component coll/tuned.
const (
	useDynamicRules = "OMPI_MCA_coll_tuned_use_dynamic_rules"
	rulesFilename   = "OMPI_MCA_coll_tuned_dynamic_rules_filename"
)

// counting is what Open MPI takes for the message size when it looks into a rules file.
type counting int

const (
	noRules  counting = iota // coll/tuned has no rules for it
	ofVector                 // bytes of the argument, on every rank the same
	ofAll                    // the same times the number of processes
	unsized                  // 0, or nothing that grows with the message
	// unsafe: by arguments that MPI says do not count on some ranks, so that ranks of a
	// legal call take different algorithms.
	unsafe
)

// openMPI is a row for every collective that can have rules: its number (coll_base_functions.h)
// and what the message size of a rule is (coll_tuned_decision_dynamic.c, 4.1 and 5.0).
var openMPI = []struct {
	function string
	id       int
	counting counting
}{
	{"MPI_Allgather", 0, ofAll},
	{"MPI_Allgatherv", 1, ofVector}, // the sum of the counts, divided by the processes
	{"MPI_Allreduce", 2, ofVector},
	{"MPI_Alltoall", 3, ofAll},
	{"MPI_Alltoallv", 4, unsized},
	{"MPI_Alltoallw", 5, noRules},
	{"MPI_Barrier", 6, unsized},
	{"MPI_Bcast", 7, ofVector},
	{"MPI_Exscan", 8, unsized}, // type size times processes: the count is missing
	{"MPI_Gather", 9, unsafe},
	{"MPI_Gatherv", 10, noRules},
	{"MPI_Reduce", 11, ofVector},
	{"MPI_Reduce_scatter", 12, ofAll},
	{"MPI_Reduce_scatter_block", 13, ofAll},
	{"MPI_Scan", 14, unsized}, // as Exscan
	{"MPI_Scatter", 15, unsafe},
	{"MPI_Scatterv", 16, noRules},
}

// numberOf is the number of a collective in a rules file, and how its size is counted.
func numberOf(function string) (id int, c counting) {
	for _, row := range openMPI {
		if row.function == function {
			return row.id, row.counting
		}
	}
	return -1, noRules
}

// named is the collective of a number; "": there is none.
func named(id int) string {
	if id < 0 || id >= len(openMPI) {
		return ""
	}
	return openMPI[id].function
}

// RuleSize is the message size by which Open MPI looks for a rule of a collective on so
// many processes, for a block of so many bytes; ok is false where it is not that of the
// message.
func RuleSize(function string, block int64, np int) (bytes int64, ok bool) {
	switch _, c := numberOf(function); c {
	case ofVector:
		return block, true
	case ofAll:
		return block * int64(np), true
	default:
		return 0, false
	}
}

const (
	noRulesFor  = "Open MPI has no rules for %s"
	onlyAlways  = "the message size by which Open MPI looks for a rule of %s does not grow with the message: only a choice that holds at all measured sizes can be written"
	neverBySize = "Open MPI looks for a rule of %s by arguments that do not count on every rank, so that a rule by size lets legal calls abort: only a choice that holds at all measured sizes can be written"
)

// refusesRule is why Open MPI cannot have a rule for a choice; "": it can.
func refusesRule(c Choice) string {
	_, counted := numberOf(c.Function)
	switch {
	case counted == noRules:
		return fmt.Sprintf(noRulesFor, c.Function)
	case c.Value < 1:
		return fmt.Sprintf("%d is no number of an algorithm", c.Value)
	case c.Everywhere():
	case counted == unsized:
		return fmt.Sprintf(onlyAlways, c.Function)
	case counted == unsafe:
		return fmt.Sprintf(neverBySize, c.Function)
	}
	return ""
}

// whole is what a choice for a collective without message sizes is in a file: one rule
// for all sizes, also for those that nobody measured.
func whole(function string, parts []part) []part {
	if _, ok := RuleSize(function, 1, 1); ok || len(parts) == 0 {
		return parts
	}
	return []part{{interval{0, 0}, parts[0].choice}}
}

// lower makes "reduce_scatter" of "MPI_Reduce_scatter".
func lower(function string) string { return strings.ToLower(strings.TrimPrefix(function, "MPI_")) }

// mcaVariable chooses the algorithm of a collective.
func mcaVariable(function string) string {
	return "OMPI_MCA_coll_tuned_" + lower(function) + "_algorithm"
}

func isOpenMPI(l Library) bool { return l.Family == "openmpi" }
