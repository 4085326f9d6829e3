package document

import (
	"fmt"
	"reflect"
	"slices"

	"pgmpi/internal/clean"
	"pgmpi/internal/fail"
)

// OwnLines holds lines that pgmpi itself broke, whatever texts of others they hold.
type OwnLines []string

// Said returns a message for standard error. It breaks lines where the format does, between
// OwnLines, and between the lines of an error (fail.Lines). Any other text may come from others,
// and stays on its line.
func Said(format string, args ...any) string {
	args = slices.Clone(args)
	for i, a := range args {
		switch a := a.(type) {
		case error:
			args[i] = clean.Lines(fail.Lines(a))
		case OwnLines:
			args[i] = clean.Lines(a)
		default:
			if kind := reflect.ValueOf(a).Kind(); kind < reflect.Bool || kind > reflect.Float64 { // no number
				args[i] = clean.Line(fmt.Sprint(a))
			}
		}
	}
	return clean.Log(fmt.Sprintf(format, args...))
}
