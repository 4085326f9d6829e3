package analyze

import (
	"errors"
	"fmt"
	"strings"

	"pgmpi/guidelines"
	"pgmpi/internal/conf"
)

// ParseCase reads FUNCTION:MSIZE[:SHAPE]; shape is "" where none is given.
func ParseCase(text string) (function string, msize int64, shape string, err error) {
	function, rest, _ := strings.Cut(text, ":")
	size, shape, _ := strings.Cut(rest, ":")
	if function == "" || size == "" {
		return "", 0, "", fmt.Errorf("%q is not of the form FUNCTION:MSIZE[:SHAPE], such as Bcast:1Ki or MPI_Reduce:64Ki:p4", text)
	}
	if size != "0" {
		if msize, err = conf.ParsePrintedSize(size); err != nil {
			err = fmt.Errorf("%s: %w", function, err)
		}
	}
	return function, msize, shape, err
}

// SelectCases returns the planned cases that FUNCTION:MSIZE[:SHAPE] names, by index into
// plan.Cases: one for each shape, where none is named. One that is not there is an error, which
// says what there is.
func SelectCases(plan *guidelines.Plan, text string) ([]int, error) {
	function, msize, on, err := ParseCase(text)
	if err != nil {
		return nil, err
	}
	var functions, sizes, shapes []string
	var out []int
	for i, c := range plan.Cases {
		functions = append(functions, c.Function)
		if Fold(c.Function) != Fold(function) {
			continue
		}
		sizes = append(sizes, conf.FormatSize(c.Msize))
		if c.Msize != msize {
			continue
		}
		shapes = append(shapes, c.Shape.String())
		if on == "" || on == c.Shape.String() {
			out = append(out, i)
		}
	}
	switch {
	case len(out) > 0:
		return out, nil
	case len(sizes) == 0:
		return nil, errors.New(conf.Unknown("function", function, Unique(functions)))
	case len(shapes) == 0:
		return nil, fmt.Errorf("%s was not measured at %s; there are: %s", function, conf.HumanSize(msize), strings.Join(Unique(sizes), ", "))
	}
	return nil, fmt.Errorf("%s was not measured on %s; there are: %s", function, on, strings.Join(Unique(shapes), ", "))
}
