package analyze

import (
	"errors"
	"fmt"
	"strings"

	"pgmpi/guidelines"
	"pgmpi/internal/conf"
)

// SelectCases reads FUNCTION:MSIZE[:SHAPE], such as MPI_Scan:256Ki or scan_as_exscan+reduce_local:8:p2, and
// returns the planned cases that it names, by index into plan.Cases: one for each shape, where none is named.
func SelectCases(plan *guidelines.Plan, selector string) ([]int, error) {
	parts := strings.Split(selector, ":")
	if len(parts) < 2 || len(parts) > 3 {
		return nil, fmt.Errorf("%q is not of the form FUNCTION:MSIZE[:SHAPE], such as MPI_Scan:256Ki", selector)
	}
	size, err := conf.ParsePrintedSize(parts[1])
	if err != nil && parts[1] != "0" {
		return nil, fmt.Errorf("%s: %w", parts[0], err)
	}
	var functions, sizes, shapes []string
	var out []int
	for i, c := range plan.Cases {
		shape := c.Shape.String()
		functions = append(functions, c.Function)
		if Fold(c.Function) != Fold(parts[0]) {
			continue
		}
		sizes = append(sizes, conf.FormatSize(c.Msize))
		if c.Msize != size {
			continue
		}
		shapes = append(shapes, shape)
		if len(parts) == 2 || parts[2] == shape {
			out = append(out, i)
		}
	}
	switch {
	case len(out) > 0:
		return out, nil
	case len(sizes) == 0:
		return nil, errors.New(conf.Unknown("function", parts[0], Unique(functions)))
	case len(shapes) == 0:
		return nil, fmt.Errorf("%s was not measured at %s; there are: %s", parts[0], conf.HumanSize(size), strings.Join(Unique(sizes), ", "))
	}
	return nil, fmt.Errorf("%s was not measured on %s; there are: %s", parts[0], parts[2], strings.Join(Unique(shapes), ", "))
}
