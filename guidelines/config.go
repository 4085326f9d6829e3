package guidelines

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"pgmpi/internal/conf"
	"pgmpi/mockups"
)

// Config is the [check] section of gl.toml.
type Config struct {
	// Guidelines are selectors: "GL8", "GL1..GL17", "GL1:MPI_Gather" for one
	// collective, "extended" (GL18 and up), "all", a Group, "everything", the user's ids.
	Guidelines []string `toml:"guidelines" json:"guidelines"`
	Exclude    []string `toml:"exclude" json:"exclude"`     // selectors
	Functions  []string `toml:"functions" json:"functions"` // only these collectives; empty: all
}

// Default is the [check] section of an empty gl.toml.
func Default() Config {
	return Config{Guidelines: []string{"GL1..GL17"}, Exclude: []string{}, Functions: []string{}}
}

// Validate returns everything that is wrong with the section; users are the
// user's guidelines, whose ids may be selected.
func (c Config) Validate(users []User) []conf.FieldError {
	var errs conf.FieldErrors
	check := func(key string, selectors []string) {
		for i, s := range selectors {
			if _, err := parseSelector(s, users); err != nil {
				errs.Check(false, conf.Element(key, i), "%v", err)
			}
		}
	}
	errs.Check(len(c.Guidelines)+len(users) > 0, "guidelines", "is empty, and there is no [[guideline]]: nothing to check")
	check("guidelines", c.Guidelines)
	check("exclude", c.Exclude)
	for i, f := range c.Functions {
		errs.Name(conf.Element("functions", i), "collective", f, mockups.Collectives())
	}
	if len(errs) == 0 {
		errs.Check(len(c.resolve(users)) > 0, "guidelines", "exclude and functions leave no guideline to check")
	}
	return errs
}

// resolve returns the selected guidelines in the order of the catalogue, then
// the user's, without sizes. It expects a valid Config.
func (c Config) resolve(users []User) []Guideline {
	parse := func(list []string) (all []selector) {
		for _, s := range list {
			sel, _ := parseSelector(s, users)
			all = append(all, sel)
		}
		return all
	}
	in, out := parse(c.Guidelines), parse(c.Exclude)
	for _, u := range users {
		in = append(in, selector{ids: []string{u.ID}})
	}
	return slices.DeleteFunc(known(users), func(g Guideline) bool {
		return !matches(in, g, selector.selects) || matches(out, g, selector.names) || len(c.Functions) > 0 && !slices.Contains(c.Functions, mockups.Collective(g.Function))
	})
}

// selector is a parsed element of check.guidelines or check.exclude.
type selector struct {
	ids      []string
	function string   // "": any
	group    Group    // that of the guidelines, where no function is given
	also     []string // ids of blocking calls that the group has, too
	any      bool     // everything
}

func matches(list []selector, g Guideline, by func(selector, Guideline) bool) bool {
	return slices.ContainsFunc(list, func(s selector) bool { return by(s, g) })
}

// names tells whether a selector, in exclude, is about a guideline: "GL1" is about those of all groups.
func (s selector) names(g Guideline) bool {
	switch {
	case s.any:
		return true
	case s.ids == nil:
		return s.group == g.Group || slices.Contains(s.also, g.ID)
	}
	return slices.Contains(s.ids, g.ID) && (s.function == "" || s.function == g.Function)
}

// selects is stricter: "GL1" selects those of blocking calls.
func (s selector) selects(g Guideline) bool {
	return s.names(g) && (s.any || s.function != "" || s.group == g.Group || slices.Contains(s.also, g.ID))
}

func parseSelector(s string, users []User) (selector, error) {
	var all, extended []string
	for _, e := range catalogue {
		if e.Group == "" {
			all = append(all, e.ID)
		}
		if e.Extended {
			extended = append(extended, e.ID)
		}
	}
	switch s {
	case "all":
		return selector{ids: all}, nil
	case "extended":
		return selector{ids: extended}, nil
	case everything:
		return selector{any: true}, nil
	}
	if isGroup(s) {
		return selector{group: Group(s), also: also(Group(s))}, nil
	}
	if from, to, ok := strings.Cut(s, ".."); ok {
		for _, id := range []string{from, to} {
			if group := groupOf(id); group != "" {
				return selector{}, fmt.Errorf("range %q: %s is in the group %q, which is selected by that name", s, id, group)
			}
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
	ids, of := []string{"all", "extended", everything}, []string(nil)
	for _, group := range Groups() {
		ids = append(ids, string(group))
	}
	for _, g := range known(users) {
		ids = append(ids, g.ID)
		if g.ID == id {
			of = append(of, g.Function)
		}
	}
	switch {
	case of == nil:
		return selector{}, errors.New(conf.Unknown("guideline", id, ids))
	case hasFunction && !isCall(function):
		return selector{}, errors.New(conf.Unknown("collective", function, mockups.Collectives()))
	case hasFunction && !slices.Contains(of, function):
		return selector{}, fmt.Errorf("%q: %s is about %s", s, id, strings.Join(slices.Compact(of), ", "))
	}
	return selector{ids: []string{id}, function: function, group: groupOf(id)}, nil
}

// groupOf is the group of the catalogue's guidelines of an id; "": none.
func groupOf(id string) Group {
	i := slices.IndexFunc(catalogue, func(e Entry) bool { return e.ID == id })
	if i < 0 {
		return ""
	}
	return catalogue[i].Group
}

// known are all guidelines, the catalogue's and behind them the user's, without sizes.
func known(users []User) (all []Guideline) {
	for _, e := range catalogue {
		all = append(all, e.Guidelines()...)
		all = append(all, e.InGroups()...)
	}
	for _, u := range users {
		all = append(all, u.Guideline())
	}
	return all
}

// isCall tells whether it is a collective, perhaps with one of the library's own
// algorithms, or called in another way.
func isCall(name string) bool {
	f, ok := mockups.Get(name)
	return ok && (!f.IsMockup() || f.Algorithm != "" || f.Call != "")
}

// ResolveOp returns the operator that op stands for on a datatype: op itself,
// or for "auto" the datatype's own. Errors are about the keys "datatype" and
// "op".
func ResolveOp(datatype, op string) (string, []conf.FieldError) {
	var errs conf.FieldErrors
	errs.Name("datatype", "datatype", datatype, Datatypes())
	errs.Name("op", "op", op, append([]string{"auto"}, mockups.Ops()...))
	if errs != nil {
		return "", errs
	}
	d, _ := mockups.GetDatatype(datatype)
	if op == "auto" {
		return d.Auto, nil
	}
	if !slices.Contains(d.Ops, op) {
		errs.Check(false, "op", "op %q is not allowed on datatype %q (allowed: %s)", op, datatype, strings.Join(d.Ops, ", "))
		return "", errs
	}
	return op, nil
}

// Datatypes are the names that job.datatype may have.
func Datatypes() (names []string) {
	for _, d := range mockups.Datatypes() {
		names = append(names, d.Name)
	}
	return names
}

// Extent returns the extent of a datatype in bytes; 1 for an unknown one, so
// that sizes can be checked beside it.
func Extent(datatype string) int64 {
	if d, ok := mockups.GetDatatype(datatype); ok {
		return d.Bytes
	}
	return 1
}
