package guidelines

import (
	"fmt"
	"slices"

	"pgmpi/internal/conf"
	"pgmpi/mockups"
)

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

// ValidateUses returns an error for each of the user's guidelines that needs a mock-up of the
// user's own which no file has.
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
