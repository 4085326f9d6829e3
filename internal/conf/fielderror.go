package conf

import (
	"fmt"
	"slices"
)

// FieldError is an error about one key of a section of gl.toml. Key is relative to the
// section, with dots: "cov_mean.window"; an element of a list has its index, "msizes[2]".
type FieldError struct {
	Key, Msg string
}

func (e FieldError) Error() string { return e.Key + ": " + e.Msg }

func Element(key string, index int) string { return fmt.Sprintf("%s[%d]", key, index) }

type FieldErrors []FieldError

func (e *FieldErrors) Check(ok bool, key, format string, args ...any) {
	if !ok {
		*e = append(*e, FieldError{Key: key, Msg: fmt.Sprintf(format, args...)})
	}
}

// Name adds an error about a key unless its value is a known name.
func (e *FieldErrors) Name(key, what, value string, known []string) {
	e.Check(slices.Contains(known, value), key, "%s", Unknown(what, value, known))
}
