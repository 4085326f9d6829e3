// Package selector finds the tests and cases of a plan that a few words name: "GL8:4Ki", "Scan", "violated".
package selector

import (
	"cmp"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"unicode"

	"pgmpi/analyze"
	"pgmpi/analyze/judge"
	"pgmpi/guidelines"
	"pgmpi/internal/conf"
	"pgmpi/internal/lists"
	"pgmpi/internal/phrase"
)

type Selection struct {
	Selector string
	Tests    []int // by index into plan.Tests
	Violated bool  // only the violated ones
}

// Of returns the selected tests of a report; it leaves out kept ones where only violated ones are wanted.
func (s Selection) Of(r *analyze.Report) []int {
	return slices.DeleteFunc(slices.Clone(s.Tests), func(i int) bool { return s.Violated && r.Verdicts[i].Verdict != judge.Violated })
}

const selectorForm = `of the form GUIDELINE[:FUNCTION]:MSIZE[:SHAPE], such as GL8:4Ki or GL1:MPI_Bcast:1Ki:p2; without a size, all that is violated of a GUIDELINE or FUNCTION`

// Select reads a selector: a guideline, a function, a message size and a shape, each at most once,
// between colons or blanks ("GL8:4096", "GL1:MPI_Bcast:1Ki:p2", "GL16 Scan 256 KiB"), and the word
// "violated". A part that is left out stands for all, but without a size only violated tests are
// selected. Barrier has size 0. A selector that names nothing is an error, which says what there is.
func Select(plan *guidelines.Plan, selector string) (Selection, error) {
	out := Selection{Selector: selector, Tests: make([]int, len(plan.Tests))}
	for i := range out.Tests {
		out.Tests[i] = i
	}
	parts, err := partsOf(plan, selector)
	if err != nil {
		return out, err
	}
	keep := func(what, word string, of func(*guidelines.Test) []string) {
		if word != "" && err == nil {
			out.Tests, err = narrow(plan, out.Tests, what, word, of)
		}
	}
	id, function := parts[aGuideline], "function"
	if id != "" {
		function = "function of " + id
	}
	keep("guideline or function", parts[aName], func(t *guidelines.Test) []string { return []string{t.Guideline, t.Function} })
	keep("guideline", id, func(t *guidelines.Test) []string { return []string{t.Guideline} })
	keep(function, parts[aFunction], func(t *guidelines.Test) []string { return []string{t.Function} })
	if size := parts[aSize]; size != "" && err == nil {
		out.Tests, err = narrowSize(plan, out.Tests, cmp.Or(id, parts[aFunction], "anything"), size)
	}
	keep("shape", parts[aShape], func(t *guidelines.Test) []string { return []string{t.Shape.String()} })
	out.Violated = parts[aSize] == "" || parts[theViolated] != ""
	return out, err
}

// part tells what a word of a selector names.
type part int

const (
	aGuideline part = iota
	aFunction
	aName // one of these two, unknown
	aSize
	aShape
	theViolated
)

var (
	// ShapeForm is what Shape.String writes.
	ShapeForm = regexp.MustCompile(`^(p[0-9]+|[0-9]+x[0-9]+)$`)
	// spacedSize is a size with a blank before its unit, as reports print it.
	spacedSize = regexp.MustCompile(`(?i)\b([0-9]+)\s+([kmg]i?b?|b)\b`)
)

func partsOf(plan *guidelines.Plan, selector string) (map[part]string, error) {
	parts := map[part]string{}
	known := func(word string, of func(*guidelines.Test) string) bool {
		return slices.ContainsFunc(plan.Tests, func(t guidelines.Test) bool { return Fold(of(&t)) == Fold(word) })
	}
	separates := func(r rune) bool { return r == ':' || unicode.IsSpace(r) }
	for _, word := range strings.FieldsFunc(spacedSize.ReplaceAllString(selector, "$1$2"), separates) {
		is := aName
		switch {
		case parts[aGuideline] == "" && known(word, func(t *guidelines.Test) string { return t.Guideline }):
			is = aGuideline
		case strings.EqualFold(word, string(judge.Violated)):
			is = theViolated
		case known(word, func(t *guidelines.Test) string { return t.Function }):
			is = aFunction
		case ShapeForm.MatchString(word):
			is = aShape
		case strings.ContainsAny(word[:1], "+-0123456789"):
			is = aSize
		case parts[aGuideline] != "":
			is = aFunction
		}
		if parts[is] != "" {
			return nil, fmt.Errorf("%q is not %s", selector, selectorForm)
		}
		parts[is] = word
	}
	if len(parts) == 0 {
		return nil, errors.New("the selector is empty; it is " + selectorForm)
	}
	return parts, nil
}

// Fold returns a name without regard to case and "MPI_".
func Fold(name string) string { return strings.TrimPrefix(strings.ToLower(name), "mpi_") }

func narrow(plan *guidelines.Plan, tests []int, what, name string, of func(*guidelines.Test) []string) ([]int, error) {
	var known []string
	var out []int
	for _, i := range tests {
		names := of(&plan.Tests[i])
		if slices.ContainsFunc(names, func(n string) bool { return Fold(n) == Fold(name) }) {
			out = append(out, i)
		}
		for _, n := range names {
			known = lists.With(known, n)
		}
	}
	if len(out) > 0 {
		return out, nil
	}
	near := conf.Nearest(name, append(slices.Clone(known), "violated"))
	hint := phrase.When(near != "", " (did you mean %s?)", near)
	return nil, fmt.Errorf("no %s %q was tested%s; there are: %s", what, name, hint, strings.Join(known, ", "))
}

func narrowSize(plan *guidelines.Plan, tests []int, what, text string) ([]int, error) {
	sizes := lists.Map(tests, func(i int) int64 { return plan.Tests[i].Msize })
	slices.Sort(sizes)
	sizes = slices.Compact(sizes)
	names := lists.Map(sizes, conf.FormatSize)
	there := "; there are: " + strings.Join(names, ", ")
	size := int64(0)
	if text != "0" && !strings.EqualFold(text, "0B") {
		var err error
		if size, err = conf.ParsePrintedSize(text); err != nil {
			return nil, fmt.Errorf("%s: %w%s", what, err, there)
		}
	}
	out := slices.DeleteFunc(slices.Clone(tests), func(i int) bool { return plan.Tests[i].Msize != size })
	if len(out) == 0 {
		nearest := slices.MinFunc(sizes, func(a, b int64) int { return cmp.Compare(max(a-size, size-a), max(b-size, size-b)) })
		return nil, fmt.Errorf("%s was not tested at %s (the nearest size is %s)%s", what, conf.HumanSize(size), conf.FormatSize(nearest), there)
	}
	return out, nil
}

// ParseCase reads FUNCTION:MSIZE[:SHAPE]; it returns "" for a shape that is not given.
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
// plan.Cases: one for each shape, where none is named. A case that is not there is an error, which
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
