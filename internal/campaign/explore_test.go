package campaign

import (
	"errors"
	"testing"
)

// Mpiruns that cannot decide anything are refused before they are made, and again when the
// number of candidates is known.
func TestMpirunsThatCannotDecideAreRefused(t *testing.T) {
	b := newBed(t)
	var refused *Refused
	few := b.config("[job]\nnp = [2]\nmpiruns = 2\nmsizes = [\"8\"]\n")
	if _, err := NewDryExplore(few, b.out, nil, "test"); !errors.As(err, &refused) {
		t.Errorf("2 mpiruns, any number of candidates: %v", err)
	}
	enough := b.config("[job]\nnp = [2]\nmpiruns = 6\nmsizes = [\"8\"]\n")
	if _, err := NewDryExplore(enough, b.out, nil, "test"); err != nil {
		t.Errorf("6 mpiruns: %v", err)
	}
	if err := refuseTests(enough, 6, 100); !errors.As(err, &refused) {
		t.Errorf("6 mpiruns, 100 candidates: %v", err)
	}
	if err := refuseTests(enough, 0, 100); err != nil {
		t.Errorf("as many mpiruns as suit: %v", err)
	}
}
