package guidelines

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"pgmpi/internal/conf"
	"pgmpi/mockups"
)

// selector is a parsed element of check.guidelines or check.exclude.
type selector struct {
	ids      []string
	function string // "": any
}

func matches(list []selector, g Guideline) bool {
	return slices.ContainsFunc(list, func(s selector) bool {
		return slices.Contains(s.ids, g.ID) && (s.function == "" || s.function == g.Function)
	})
}

func parseSelector(s string, users []User) (selector, error) {
	switch s {
	case "all":
		return selector{ids: catalogueIDs(func(Entry) bool { return true })}, nil
	case "extended":
		return selector{ids: catalogueIDs(func(e Entry) bool { return e.Extended })}, nil
	}
	if from, to, ok := strings.Cut(s, ".."); ok {
		return parseIDRange(s, from, to)
	}
	id, function, hasFunction := strings.Cut(s, ":")
	of, err := collectivesOf(id, users)
	if err != nil || !hasFunction {
		return selector{ids: []string{id}}, err
	}
	if !slices.Contains(mockups.Collectives(), function) {
		return selector{}, errors.New(conf.Unknown("collective", function, mockups.Collectives()))
	}
	if !slices.Contains(of, function) {
		return selector{}, fmt.Errorf("%q: %s is about %s", s, id, joinNames(of))
	}
	return selector{ids: []string{id}, function: function}, nil
}

func parseIDRange(s, from, to string) (selector, error) {
	ids := catalogueIDs(func(Entry) bool { return true })
	for _, id := range []string{from, to} {
		if !slices.Contains(ids, id) {
			return selector{}, fmt.Errorf("range %q: %s", s, conf.Unknown("guideline", id, ids))
		}
	}
	i, j := slices.Index(ids, from), slices.Index(ids, to)
	if i > j {
		return selector{}, fmt.Errorf("range %q is empty: it starts above its end", s)
	}
	return selector{ids: ids[i : j+1]}, nil
}

func catalogueIDs(keep func(Entry) bool) []string {
	var out []string
	for _, e := range catalogue {
		if keep(e) {
			out = append(out, e.ID)
		}
	}
	return out
}

// collectivesOf returns the collectives that the guidelines of an id are about.
func collectivesOf(id string, users []User) ([]string, error) {
	known := []string{"all", "extended"}
	for _, e := range catalogue {
		if e.ID == id {
			var out []string
			for _, g := range e.Guidelines() {
				out = append(out, g.Function)
			}
			return out, nil
		}
		known = append(known, e.ID)
	}
	for _, u := range users {
		if u.ID == id {
			return []string{u.Guideline().Function}, nil
		}
		known = append(known, u.ID)
	}
	return nil, errors.New(conf.Unknown("guideline", id, known))
}

func joinNames(names []string) string { return strings.Join(names, ", ") }
