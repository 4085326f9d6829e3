package guidelines

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"pgmpi/internal/conf"
	"pgmpi/mockups"
)

// User is a guideline of the user's own: one [[guideline]] of gl.toml. Exactly
// one of Pattern, Monotony and Split is given.
type User struct {
	ID       string       `toml:"id" json:"id"`
	Pattern  *UserPattern `toml:"pattern" json:"pattern,omitempty"`
	Monotony string       `toml:"monotony" json:"monotony,omitempty"` // a collective, perhaps with an algorithm
	Split    string       `toml:"split" json:"split,omitempty"`       // as Monotony
	Msizes   MsizeList    `toml:"msizes" json:"msizes,omitempty"`     // by default those in [job]
}

type UserPattern struct {
	Function string `toml:"function" json:"function"`
	Mockup   string `toml:"mockup" json:"mockup"`
}

func (u User) Guideline() Guideline {
	switch {
	case u.Pattern != nil:
		return Guideline{ID: u.ID, Type: Pattern, Function: u.Pattern.Function, Mockup: u.Pattern.Mockup}
	case u.Split != "":
		return Guideline{ID: u.ID, Type: Split, Function: u.Split}
	}
	return Guideline{ID: u.ID, Type: Monotony, Function: u.Monotony}
}

// Calls tells whether the guideline calls a collective with one of the library's own algorithms.
func (u User) Calls(collective string) bool {
	g := u.Guideline()
	return slices.ContainsFunc([]string{g.Function, g.Mockup}, func(id string) bool { return mockups.Algorithm(id) != "" && mockups.Collective(id) == collective })
}

// ValidateUsers checks the user's guidelines for a datatype of the given extent in bytes. Keys
// begin with the index: "[0].pattern.mockup".
func ValidateUsers(users []User, extent int64) []conf.FieldError {
	var errs conf.FieldErrors
	for i, u := range users {
		wrong := func(key, format string, args ...any) {
			errs.Check(false, fmt.Sprintf("[%d]%s", i, key), format, args...)
		}
		switch {
		case u.ID == "":
			wrong(".id", "the guideline has no id")
		case !idPattern.MatchString(u.ID):
			wrong(".id", "guideline id %q: an id is made of letters, digits, _, + and -", u.ID)
		case reservedID.MatchString(u.ID), strings.EqualFold(Eager, u.ID), slices.ContainsFunc(groups, func(g Group) bool { return strings.EqualFold(string(g), u.ID) }):
			wrong(".id", "guideline id %q belongs to the catalogue: choose another, such as my-%s", u.ID, u.ID)
		case slices.ContainsFunc(users[:i], func(v User) bool { return v.ID == u.ID }):
			wrong(".id", "duplicate guideline id %q", u.ID)
		}
		u.validateType(wrong)
		if f := u.Guideline().Function; u.Msizes != nil && isCall(f) && !HasSize(f) {
			wrong(".msizes", "%s has no message size", f)
		} else if u.Msizes != nil {
			CheckMsizes(&errs, fmt.Sprintf("[%d].msizes", i), u.Msizes, extent)
		}
	}
	return errs
}

var (
	idPattern  = regexp.MustCompile(`^[A-Za-z0-9_+-]+$`)
	reservedID = regexp.MustCompile(`^(?i:(GL|NB|IP|V|DT|LC|M|TB|FP)[0-9]+|all|extended|everything)$`)
)

func (u User) validateType(wrong func(key, format string, args ...any)) {
	given := 0
	for _, one := range []struct{ key, name string }{{".monotony", u.Monotony}, {".split", u.Split}} {
		switch {
		case one.name == "":
			continue
		case !isCall(one.name):
			wrong(one.key, "%s", conf.Unknown("collective", one.name, mockups.Collectives()))
		case !HasSize(one.name):
			wrong(one.key, "%s has no message size", one.name)
		}
		given++
	}
	if p := u.Pattern; p != nil {
		given++
		m, _ := mockups.Get(p.Mockup)
		of := mockups.Collective(p.Function)
		switch {
		case !isCall(p.Function):
			wrong(".pattern.function", "%s", conf.Unknown("collective", p.Function, mockups.Collectives()))
		case !m.IsMockup() && m.ID != of:
			wrong(".pattern.mockup", "%s", conf.Unknown("mock-up of "+of, p.Mockup, mockups.Mockups(of)))
		case m.IsMockup() && m.Of != of:
			wrong(".pattern.mockup", "mock-up %q emulates %s, not %s", p.Mockup, m.Of, of)
		case p.Mockup == p.Function:
			wrong(".pattern.mockup", "%s is on both sides", p.Mockup)
		}
	}
	if given != 1 {
		wrong("", "a guideline has exactly one of pattern, monotony and split, this one has %d", given)
	}
}

// Mockups is a shared library with mock-ups of the user's own: one [[mockup]] of gl.toml.
type Mockups struct {
	File string   `toml:"file" json:"file"` // absolute, once gl.toml is read from a file
	IDs  []string `toml:"ids" json:"ids"`   // of its rows that are used: "scan_as_mine"
}

// ValidateMockups begins keys with the index: "[0].file".
func ValidateMockups(list []Mockups) []conf.FieldError {
	var errs conf.FieldErrors
	seen := map[string]bool{}
	for i, m := range list {
		wrong := func(key, format string, args ...any) {
			errs.Check(false, fmt.Sprintf("[%d]%s", i, key), format, args...)
		}
		if m.File == "" {
			wrong(".file", "is missing: the shared library")
		}
		if len(m.IDs) == 0 {
			wrong(".ids", "is missing: the ids of its rows, such as [\"scan_as_mine\"]")
		}
		for _, id := range m.IDs {
			f, ok := mockups.Get(id)
			switch {
			case !ok || !f.IsMockup() || f.Algorithm != "":
				wrong(".ids", "%q: an id begins with its collective and _as_, as in scan_as_mine; behind that are letters, digits, _, +, . and -", id)
			case !f.User:
				wrong(".ids", "%q is a mock-up of pgmpi's: give yours another id", id)
			case seen[id]:
				wrong(".ids", "%q is given twice", id)
			}
			seen[id] = true
		}
	}
	return errs
}

// ValidateUses returns an error for each of the user's guidelines whose own mock-up no file has.
func ValidateUses(users []User, own []Mockups) []conf.FieldError {
	var errs conf.FieldErrors
	for i, u := range users {
		if u.Pattern == nil {
			continue
		}
		f, _ := mockups.Get(u.Pattern.Mockup)
		of := mockups.Collective(u.Pattern.Function)
		if known := append(mockups.Mockups(of), OwnMockups(own, of)...); f.User && f.Of == of && !slices.Contains(known, f.ID) {
			errs.Check(false, fmt.Sprintf("[%d].pattern.mockup", i), "%s", conf.Unknown("mock-up of "+of, f.ID, known))
		}
	}
	return errs
}

func OwnMockups(own []Mockups, of string) (ids []string) {
	for _, m := range own {
		for _, id := range m.IDs {
			if f, ok := mockups.Get(id); ok && f.Of == of {
				ids = append(ids, id)
			}
		}
	}
	return ids
}

// MadeBy ends the message about a fault of a user's mock-up with its file; it returns "" for
// other functions.
func MadeBy(own []Mockups, id string) string {
	for _, m := range own {
		if slices.Contains(m.IDs, id) {
			return "; its code is in " + m.File
		}
	}
	return ""
}
