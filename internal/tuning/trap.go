package tuning

import "fmt"

// Trap is a rule that lets legal calls of a collective fail.
type Trap struct {
	Line int
	Why  string
}

// FindTrap returns the rule of a file of Open MPI's that chooses by size for a collective
// whose ranks may see different sizes, on np processes.
func FindTrap(rules []Rule, function string, np int) (Trap, bool) {
	row := rowOf(function)
	if row.unsafe == "" {
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
			return Trap{r.Line, fmt.Sprintf("a rule by size for %s: Open MPI takes the size from %s", function, row.unsafe)}, true
		}
	}
	return Trap{}, false
}
