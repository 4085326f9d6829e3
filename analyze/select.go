package analyze

import (
	"cmp"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"pgmpi/guidelines"
	"pgmpi/internal/conf"
)

// shapeForm is what Shape.String writes.
var shapeForm = regexp.MustCompile(`^(p[0-9]+|[0-9]+x[0-9]+)$`)

// Select returns the planned tests, by index into plan.Tests, that a selector
// GUIDELINE[:FUNCTION]:MSIZE[:SHAPE] names: "GL8:4096", "GL1:MPI_Bcast:1Ki:p2".
// A part that is left out stands for all; Barrier has size 0. A selector that
// names nothing is an error, which says what there is.
func Select(plan *guidelines.Plan, selector string) ([]int, error) {
	id, rest, _ := strings.Cut(selector, ":")
	tests := make([]int, len(plan.Tests))
	for i := range tests {
		tests[i] = i
	}
	tests, err := narrow(plan, tests, "guideline", id, func(t *guidelines.Test) string { return t.Guideline })
	if err != nil {
		return nil, err
	}
	parts := strings.Split(rest, ":")
	shape := ""
	if n := len(parts); n > 1 && shapeForm.MatchString(parts[n-1]) {
		shape, parts = parts[n-1], parts[:n-1]
	}
	if len(parts) == 2 {
		tests, err = narrow(plan, tests, "function of "+id, parts[0], func(t *guidelines.Test) string { return t.Function })
		if err != nil {
			return nil, err
		}
		parts = parts[1:]
	}
	if len(parts) != 1 {
		return nil, fmt.Errorf("%q is not of the form GUIDELINE[:FUNCTION]:MSIZE[:SHAPE], such as GL8:4Ki or GL1:MPI_Bcast:1Ki:p2", selector)
	}
	if tests, err = narrowSize(plan, tests, id, parts[0]); err != nil || shape == "" {
		return tests, err
	}
	return narrow(plan, tests, "shape", shape, func(t *guidelines.Test) string { return t.Shape.String() })
}

// narrow keeps the tests whose name is `name`, without regard to case and "MPI_".
func narrow(plan *guidelines.Plan, tests []int, what, name string, of func(*guidelines.Test) string) ([]int, error) {
	fold := func(s string) string { return strings.TrimPrefix(strings.ToLower(s), "mpi_") }
	var known []string
	var out []int
	for _, i := range tests {
		n := of(&plan.Tests[i])
		if fold(n) == fold(name) {
			out = append(out, i)
		}
		if !slices.Contains(known, n) {
			known = append(known, n)
		}
	}
	if len(out) > 0 {
		return out, nil
	}
	hint := ""
	if n := conf.Nearest(name, known); n != "" {
		hint = fmt.Sprintf(" (did you mean %s?)", n)
	}
	return nil, fmt.Errorf("no %s %q was tested%s; there are: %s", what, name, hint, strings.Join(known, ", "))
}

func narrowSize(plan *guidelines.Plan, tests []int, id, text string) ([]int, error) {
	var sizes []int64
	for _, i := range tests {
		sizes = append(sizes, plan.Tests[i].Msize)
	}
	slices.Sort(sizes)
	sizes = slices.Compact(sizes)
	var names []string
	for _, s := range sizes {
		names = append(names, conf.FormatSize(s))
	}
	there := "; there are: " + strings.Join(names, ", ")
	if text == "" {
		return nil, fmt.Errorf("%s: a message size is missing%s", id, there)
	}
	size := int64(0)
	if text != "0" {
		var err error
		if size, err = conf.ParseSize(strings.TrimSuffix(text, "B")); err != nil {
			return nil, fmt.Errorf("%s: %w%s", id, err, there)
		}
	}
	out := slices.DeleteFunc(slices.Clone(tests), func(i int) bool { return plan.Tests[i].Msize != size })
	if len(out) == 0 {
		nearest := slices.MinFunc(sizes, func(a, b int64) int { return cmp.Compare(max(a-size, size-a), max(b-size, size-b)) })
		return nil, fmt.Errorf("%s was not tested at %s (the nearest size is %s)%s", id, conf.HumanSize(size), conf.FormatSize(nearest), there)
	}
	return out, nil
}
