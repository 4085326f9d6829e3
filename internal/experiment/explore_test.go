package experiment_test

import (
	"errors"
	"testing"

	"pgmpi/internal/experiment"
	"pgmpi/internal/experiment/run"
	"pgmpi/internal/fail"
	"pgmpi/internal/fixture/bed"
	"pgmpi/internal/fixture/should"
)

// Mpiruns that cannot decide anything are refused before they are made, and again when the
// number of candidates is known.
func TestMpirunsThatCannotDecideAreRefused(t *testing.T) {
	b := bed.New(t)
	for mpiruns, want := range map[string]bool{"2": true, "6": false} {
		config := b.Config("[job]\nnp = [2]\nmpiruns = " + mpiruns + "\nmsizes = [\"8\"]\n")
		_, err := run.New(t.Context(), experiment.Explore, config, run.Options{Path: b.Out, Dry: true})
		var refused *fail.Refused
		should.Hold(t, errors.As(err, &refused) == want && (want || err == nil), "%s mpiruns, any number of candidates: %v", mpiruns, err)
	}
}
