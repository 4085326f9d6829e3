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
	var all, extended []string
	for _, e := range catalogue {
		all = append(all, e.ID)
		if e.Extended {
			extended = append(extended, e.ID)
		}
	}
	switch s {
	case "all":
		return selector{ids: all}, nil
	case "extended":
		return selector{ids: extended}, nil
	}
	if from, to, ok := strings.Cut(s, ".."); ok {
		for _, id := range []string{from, to} {
			if !slices.Contains(all, id) {
				return selector{}, fmt.Errorf("range %q: %s", s, conf.Unknown("guideline", id, all))
			}
		}
		i, j := slices.Index(all, from), slices.Index(all, to)
		if i > j {
			return selector{}, fmt.Errorf("range %q is empty: it starts above its end", s)
		}
		return selector{ids: all[i : j+1]}, nil
	}
	id, function, hasFunction := strings.Cut(s, ":")
	ids, of := []string{"all", "extended"}, []string(nil)
	for _, g := range known(users) {
		ids = append(ids, g.ID)
		if g.ID == id {
			of = append(of, g.Function)
		}
	}
	switch {
	case of == nil:
		return selector{}, errors.New(conf.Unknown("guideline", id, ids))
	case hasFunction && !isCollective(function):
		return selector{}, errors.New(conf.Unknown("collective", function, mockups.Collectives()))
	case hasFunction && !slices.Contains(of, function):
		return selector{}, fmt.Errorf("%q: %s is about %s", s, id, strings.Join(of, ", "))
	}
	return selector{ids: []string{id}, function: function}, nil
}

// known are all guidelines, the catalogue's and behind them the user's, without sizes.
func known(users []User) (all []Guideline) {
	for _, e := range catalogue {
		all = append(all, e.Guidelines()...)
	}
	for _, u := range users {
		all = append(all, u.Guideline())
	}
	return all
}

func isCollective(name string) bool { return slices.Contains(mockups.Collectives(), name) }
