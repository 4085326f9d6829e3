package tuning

import "fmt"

// Trap is a rule that lets legal calls of a collective fail.
type Trap struct {
	Line int
	Why  string
}

// FindTrap looks among the rules of a file of Open MPI's for one that chooses by size for
// a collective whose size ranks may see differently, on np processes.
func FindTrap(rules []Rule, function string, np int) (Trap, bool) {
	if _, c := numberOf(function); c != unsafe {
		return Trap{}, false
	}
	first := ""
	for _, r := range rules {
		if r.Function != function || np < r.MinNP || r.MaxNP > 0 && np > r.MaxNP {
			continue
		}
		if r.From == 0 {
			first = r.Algorithm
		} else if r.Algorithm != first {
			return Trap{r.Line, fmt.Sprintf("a rule by size for %s: %s", function, whyUnsafe(function))}, true
		}
	}
	return Trap{}, false
}

// whyUnsafe names the arguments by which ranks differ in a legal call.
func whyUnsafe(function string) string {
	switch function {
	case "MPI_Scatter":
		return "Open MPI takes the size from sendcount and sendtype, which count at the root only"
	case "MPI_Gather":
		return "Open MPI takes the size from sendcount and sendtype, which do not count at a root with MPI_IN_PLACE"
	default:
		return "Open MPI takes the size from sendcount and sendtype, which do not count with MPI_IN_PLACE"
	}
}
