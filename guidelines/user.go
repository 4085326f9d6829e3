package guidelines

import (
	"fmt"
	"regexp"
	"slices"

	"pgmpi/internal/conf"
	"pgmpi/mockups"
)

// User is a guideline of the user's own: one [[guideline]] of gl.toml. Exactly
// one of Pattern, Monotony and Split is given.
type User struct {
	ID       string       `toml:"id" json:"id"`
	Pattern  *UserPattern `toml:"pattern" json:"pattern,omitempty"`
	Monotony string       `toml:"monotony" json:"monotony,omitempty"` // a collective
	Split    string       `toml:"split" json:"split,omitempty"`       // a collective
	Msizes   MsizeList    `toml:"msizes" json:"msizes,omitempty"`     // empty: those of [job]
}

// UserPattern says that Function must not be slower than Mockup.
type UserPattern struct {
	Function string `toml:"function" json:"function"`
	Mockup   string `toml:"mockup" json:"mockup"`
}

// Guideline returns the guideline without its sizes.
func (u User) Guideline() Guideline {
	switch {
	case u.Pattern != nil:
		return Guideline{ID: u.ID, Type: Pattern, Function: u.Pattern.Function, Mockup: u.Pattern.Mockup}
	case u.Split != "":
		return Guideline{ID: u.ID, Type: Split, Function: u.Split}
	}
	return Guideline{ID: u.ID, Type: Monotony, Function: u.Monotony}
}

// ValidateUsers returns everything that is wrong with the user's guidelines,
// for a datatype of the given extent in bytes. Keys begin with the index:
// "[0].pattern.mockup".
func ValidateUsers(users []User, extent int64) []conf.FieldError {
	var errs []conf.FieldError
	for i, u := range users {
		add := func(key, format string, args ...any) {
			errs = append(errs, conf.FieldError{Key: fmt.Sprintf("[%d]%s", i, key), Msg: fmt.Sprintf(format, args...)})
		}
		if msg := checkID(u.ID); msg != "" {
			add(".id", "%s", msg)
		} else if slices.ContainsFunc(users[:i], func(v User) bool { return v.ID == u.ID }) {
			add(".id", "duplicate guideline id %q", u.ID)
		}
		u.validateType(add)
		if f := u.Guideline().Function; u.Msizes != nil && slices.Contains(mockups.Collectives(), f) && !HasSize(f) {
			add(".msizes", "%s has no message size", f)
		} else if u.Msizes != nil {
			if _, _, err := FitMsizes(u.Msizes, extent); err != nil {
				add(".msizes", "%v", err)
			}
		}
	}
	return errs
}

var (
	idPattern      = regexp.MustCompile(`^[A-Za-z0-9_+-]+$`)
	reservedID     = regexp.MustCompile(`^(?i:GL[0-9]+|all|extended)$`)
	idRequirements = "letters, digits, _, + and -"
)

func checkID(id string) string {
	switch {
	case id == "":
		return "the guideline has no id"
	case !idPattern.MatchString(id):
		return fmt.Sprintf("guideline id %q: an id is made of %s", id, idRequirements)
	case reservedID.MatchString(id):
		return fmt.Sprintf("guideline id %q belongs to the catalogue", id)
	}
	return ""
}

func (u User) validateType(add func(key, format string, args ...any)) {
	given := 0
	collective := func(key, name string) bool {
		if slices.Contains(mockups.Collectives(), name) {
			return true
		}
		add(key, "%s", conf.Unknown("collective", name, mockups.Collectives()))
		return false
	}
	for _, one := range []struct{ key, name string }{{".monotony", u.Monotony}, {".split", u.Split}} {
		if one.name == "" {
			continue
		}
		given++
		if collective(one.key, one.name) && !HasSize(one.name) {
			add(one.key, "%s has no message size", one.name)
		}
	}
	if u.Pattern != nil {
		given++
		if collective(".pattern.function", u.Pattern.Function) {
			u.Pattern.validateMockup(add)
		}
	}
	if given != 1 {
		add("", "a guideline has exactly one of pattern, monotony and split, this one has %d", given)
	}
}

func (p UserPattern) validateMockup(add func(key, format string, args ...any)) {
	m, ok := mockups.Get(p.Mockup)
	switch {
	case !ok || !m.IsMockup():
		add(".pattern.mockup", "%s", conf.Unknown("mock-up of "+p.Function, p.Mockup, mockups.Mockups(p.Function)))
	case m.Of != p.Function:
		add(".pattern.mockup", "mock-up %q emulates %s, not %s", p.Mockup, m.Of, p.Function)
	}
}
