package phrase

import (
	"fmt"
	"strings"
)

// ShortVersion is what a library says of itself, up to the first comma or line.
func ShortVersion(s string) string {
	short, _, _ := strings.Cut(strings.ReplaceAll(s, "\n", ","), ",")
	return strings.TrimSpace(short)
}

// Plain is what people call an id: "Bcast" for "MPI_Bcast", "Reduce" for "gather_as_reduce".
func Plain(id string) string {
	id = strings.TrimPrefix(id, "MPI_")
	_, parts, ok := strings.Cut(id, "_as_")
	if !ok {
		return id
	}
	names := strings.Split(parts, "+")
	for i, n := range names {
		if n != "" {
			names[i] = strings.ToUpper(n[:1]) + n[1:]
		}
	}
	return strings.Join(names, "+")
}

// functionName is Bcast for MPI_Bcast, and the id of a mock-up.
func Function(id string) string { return strings.TrimPrefix(id, "MPI_") }

func Capital(s string) string { return strings.ToUpper(s[:1]) + s[1:] }

// Percent writes a share: "1.5 %".
func Percent(x float64) string { return fmt.Sprintf("%.1f %%", 100*x) }
