package report

import (
	"testing"

	"pgmpi/testkit/documents"
)

// FuzzRenderers: whatever the texts of others are, no format has a character that a
// terminal would obey, csv and JSON say the same when they are read, and no cell of
// csv is a formula.
func FuzzRenderers(f *testing.F) {
	// One seed, as each makes every document in every format. It begins as a formula does.
	f.Add(documents.Hostile)
	f.Fuzz(func(t *testing.T, text string) {
		for name, e := range documents.Foreign(func() map[string]example { return newExamples(t) }, text) {
			e.Safe(t, name)
		}
	})
}
