package analyze

import (
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
func SelectCases(plan *guidelines.Plan, text string) (out []int, err error) {
	function, msize, on, err := ParseCase(text)
	if err != nil {
		return nil, err
	}
	cases := &guidelines.Plan{}
	for i, c := range plan.Cases {
		cases.Tests, out = append(cases.Tests, guidelines.Test{Function: c.Function, Msize: c.Msize, Shape: c.Shape}), append(out, i)
	}
	out, err = narrow(cases, out, "function", function, func(t *guidelines.Test) []string { return []string{t.Function} })
	if err == nil {
		out, err = narrowSize(cases, out, function, conf.FormatSize(msize))
	}
	if err == nil && on != "" {
		out, err = narrow(cases, out, "shape", on, func(t *guidelines.Test) []string { return []string{t.Shape.String()} })
	}
	return out, err
}
