package guidelines

import (
	"strings"

	"pgmpi/mockups"
)

func formula(g Guideline) string {
	a := strings.TrimPrefix(g.Function, "MPI_")
	switch g.Type {
	case Monotony:
		return a + "(n) ≤ " + a + "(n+k)"
	case Split:
		return a + "(n) ≤ k·" + a + "(n/k)"
	case Pattern:
		if m, ok := mockups.Get(g.Mockup); ok {
			return a + "(n) ≤ " + m.Formula
		}
	}
	return a + "(n) ≤ " + g.Mockup
}
