package run

import (
	"errors"
	"strings"
	"testing"

	"pgmpi/internal/fail"
	"pgmpi/measure/results"
	"pgmpi/testkit/must"
	"pgmpi/testkit/should"
)

func TestLabelsAreWordsWithAValue(t *testing.T) {
	m := &results.Manifest{Label: map[string]string{"commit": "old", "branch": "main"}}
	must.Do(t, label(m, []string{"commit=4f3c2a1", "of=a=b ä"}))
	l := m.Label
	should.Hold(t, len(l) == 3 && l["commit"] == "4f3c2a1" && l["of"] == "a=b ä" && l["branch"] == "main", "%v", l)
	for _, bad := range []string{"", "commit", "=x", "a b=x", "1a=x", "a=\x1b[2J", "a=x\ny", "a=\u202ex", "a=\xff", "a=" + strings.Repeat("x", 201), strings.Repeat("k", 65) + "=x"} {
		var setup *fail.Setup
		err := label(m, []string{bad})
		should.Hold(t, errors.As(err, &setup) && strings.HasPrefix(err.Error(), "--label: "), "%q: %v", bad, err)
	}
}
