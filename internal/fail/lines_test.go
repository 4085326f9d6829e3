package fail

import (
	"errors"
	"fmt"
	"strings"
	"testing"
)

func TestOnlyLinesOfOurOwnAreLines(t *testing.T) {
	foreign := errors.New("a\n::error::b")
	for name, c := range map[string]struct {
		err  error
		want []string
	}{
		"plain":   {foreign, []string{"a\n::error::b"}},
		"wrapped": {Setupf("x: %w (%s)", foreign, "c\n  d"), []string{"x: a\n::error::b (c\n  d)"}},
		"also":    {Also(foreign, "go on", "e\nf"), []string{"a\n::error::b", "  go on", "  e\nf"}},
		"joined":  {errors.Join(foreign, nil, errors.New("g")), []string{"a\n::error::b", "g"}},
		"within":  {fmt.Errorf("x: %w; y", Also(errors.Join(foreign, foreign), "h")), []string{"x: a\n::error::b", "a\n::error::b", "  h; y"}},
		"several": {fmt.Errorf("%w: %w", foreign, Also(errors.New("i"), "j")), []string{"a\n::error::b: i", "  j"}},
		"failed":  {&Failed{Err: Also(foreign, "k"), Twice: true}, []string{"an mpirun failed twice: a\n::error::b", "  k"}},
	} {
		got := Lines(c.err)
		if fmt.Sprintf("%q", got) != fmt.Sprintf("%q", c.want) {
			t.Errorf("%s: %q, want %q", name, got, c.want)
		}
		if strings.Join(got, "\n") != c.err.Error() {
			t.Errorf("%s: the lines are not the error: %q", name, c.err)
		}
	}
	if !errors.Is(Also(foreign, "x"), foreign) {
		t.Error("an error is lost")
	}
}
