package guidelines

import (
	"fmt"
	"slices"

	"pgmpi/internal/conf"
	"pgmpi/mockups"
)

// Config is the [check] section of gl.toml.
type Config struct {
	// Guidelines are selectors: "GL8", "GL1..GL17", "GL1:MPI_Gather" for one
	// collective, "extended" (GL18 and up), "all", the user's ids.
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
	var errs []conf.FieldError
	check := func(key string, selectors []string) {
		for _, s := range selectors {
			if _, err := parseSelector(s, users); err != nil {
				errs = append(errs, conf.FieldError{Key: key, Msg: err.Error()})
			}
		}
	}
	if len(c.Guidelines) == 0 && len(users) == 0 {
		errs = append(errs, conf.FieldError{Key: "guidelines", Msg: "is empty, and there is no [[guideline]]: nothing to check"})
	}
	check("guidelines", c.Guidelines)
	check("exclude", c.Exclude)
	for _, f := range c.Functions {
		if !slices.Contains(mockups.Collectives(), f) {
			errs = append(errs, conf.FieldError{Key: "functions", Msg: conf.Unknown("collective", f, mockups.Collectives())})
		}
	}
	if len(errs) == 0 && len(c.resolve(users)) == 0 {
		errs = append(errs, conf.FieldError{Key: "guidelines", Msg: "exclude and functions leave no guideline to check"})
	}
	return errs
}

// resolve returns the selected guidelines in the order of the catalogue, then
// the user's, without sizes. It expects a valid Config.
func (c Config) resolve(users []User) []Guideline {
	var in, out []selector
	for _, s := range c.Guidelines {
		sel, _ := parseSelector(s, users)
		in = append(in, sel)
	}
	for _, s := range c.Exclude {
		sel, _ := parseSelector(s, users)
		out = append(out, sel)
	}
	var all []Guideline
	for _, e := range catalogue {
		for _, g := range e.Guidelines() {
			if matches(in, g) {
				all = append(all, g)
			}
		}
	}
	for _, u := range users {
		all = append(all, u.Guideline())
	}
	return slices.DeleteFunc(all, func(g Guideline) bool {
		return matches(out, g) || len(c.Functions) > 0 && !slices.Contains(c.Functions, g.Function)
	})
}

// ResolveOp returns the operator that op stands for on a datatype: op itself,
// or for "auto" the datatype's own. The errors are those of the keys
// "datatype" and "op".
func ResolveOp(datatype, op string) (string, []conf.FieldError) {
	d, ok := mockups.GetDatatype(datatype)
	var errs []conf.FieldError
	if !ok {
		var names []string
		for _, d := range mockups.Datatypes() {
			names = append(names, d.Name)
		}
		errs = append(errs, conf.FieldError{Key: "datatype", Msg: conf.Unknown("datatype", datatype, names)})
	}
	switch {
	case op != "auto" && !slices.Contains(mockups.Ops(), op):
		errs = append(errs, conf.FieldError{Key: "op", Msg: conf.Unknown("op", op, append([]string{"auto"}, mockups.Ops()...))})
	case !ok:
	case op == "auto":
		return d.Auto, nil
	case !slices.Contains(d.Ops, op):
		errs = append(errs, conf.FieldError{Key: "op", Msg: fmt.Sprintf("op %q is not allowed on datatype %q (allowed: %s)",
			op, datatype, joinNames(d.Ops))})
	}
	if errs != nil {
		return "", errs
	}
	return op, nil
}

// Extent returns the extent of a datatype in bytes; 1 for an unknown one, so
// that sizes can be checked beside it.
func Extent(datatype string) int64 {
	if d, ok := mockups.GetDatatype(datatype); ok {
		return d.Bytes
	}
	return 1
}
