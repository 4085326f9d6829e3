package check

import (
	"cmp"
	"fmt"
	"strings"

	"pgmpi/analyze"
	"pgmpi/internal/lists"
	"pgmpi/internal/phrase"
	"pgmpi/measure/host"
	"pgmpi/mockups"
)

// distance tells how far the ranks of a test about messages are from each other.
func distance(r *analyze.Report, v *analyze.Verdict) host.Apart {
	f, _ := mockups.Get(v.Function)
	return r.Measured.Factors.Apart(v.Shape, f.Ranks)
}

// pairs tells how far the ranks are from each other that messages are exchanged between, where these are several pairs.
func pairs(r *analyze.Report) string {
	var out []string
	for i := range r.Verdicts {
		v := &r.Verdicts[i]
		if f, _ := mockups.Get(v.Function); f.Message {
			out = lists.With(out, fmt.Sprintf("ranks %d and %d%s, %s", f.Ranks[0], f.Ranks[1],
				phrase.When(len(r.Shapes) > 1, " on %s", v.Shape), cmp.Or(string(distance(r, v)), "how far is not known")))
		}
	}
	return phrase.When(len(out) > 1, "between %s", strings.Join(out, "; "))
}
