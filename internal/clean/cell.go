package clean

import (
	"strings"
)

// all puts every text of a list through a function.
func All(change func(string) string, list []string) []string {
	out := make([]string, len(list))
	for i, t := range list {
		out[i] = change(t)
	}
	return out
}

// longestCell is the most bytes of a cell: every other one of its column is made as
// wide.
const longestCell = 1000

// cleanCell keeps only the breaks that we make ourselves, behind a plus.
func TableCell(cell string) string {
	parts := strings.Split(cell, "+\n")
	for i := range parts {
		parts[i] = Line(parts[i])
	}
	cell = strings.Join(parts, "+\n")
	if len(cell) > longestCell {
		cell = strings.ToValidUTF8(cell[:longestCell], "") + "…"
	}
	return cell
}
