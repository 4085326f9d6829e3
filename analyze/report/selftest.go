package report

import (
	"fmt"
	"strings"
	"time"

	"pgmpi/analyze"
	"pgmpi/analyze/judge"
	"pgmpi/internal/conf"
	"pgmpi/internal/document"
	"pgmpi/internal/fail"
	"pgmpi/internal/phrase"
)

// Selftest is what a self-test has found, as far as it came.
type Selftest struct {
	Function string   // that is slowed down
	Sizes    []string // as in gl.toml
	A        *Identities
	B        *Planted // nil: part (b) was not reached
}

// Identities is what became of the collectives that were compared with themselves.
type Identities struct {
	Report   *analyze.Report
	Tests    int
	Verdicts map[judge.Verdict]int // how often each was given
	False    int                   // tests that were violated
	Again    int                   // of them, in the repetition too
}

// Planted is what a check found of the planted slowdown.
type Planted struct {
	Msize int64         // bytes
	By    time.Duration // that the call is slower
	Tests int
	Shown []PlantedTest // all but the quiet ones
	Wrong int           // missed or extra
	Again int           // of them, in the repetition too
}

// PlantedTest is a test that the plant was to be found in, or that is violated
// with it without being about the slowed call.
type PlantedTest struct {
	Before, With *analyze.Verdict
	Result       string // PlantFound, PlantMissed or PlantExtra; "": it stayed quiet
}

// What becomes of a test with the plant.
const (
	PlantFound  = "found"
	PlantMissed = "MISSED"
	PlantExtra  = "EXTRA"
)

// IsWrong tells whether it is an error of the self-test.
func (p PlantedTest) IsWrong() bool { return p.Result == PlantMissed || p.Result == PlantExtra }

// Failed tells whether an error came back.
func (r *Selftest) Failed() bool { return r.B != nil && r.A.Again+r.B.Again > 0 }

// Selftests are the documents of self-tests.
var Selftests = document.Kind[Selftest]{
	Name: "selftest",
	Sections: func(r *Selftest) []document.Section {
		base := r.A.Report
		out := []document.Section{
			document.Titled("Self-test with %s, p = %d, R = %d mpiruns, sizes %s", phrase.ShortVersion(base.Library.Version),
				base.Shapes[0].NP, base.R, strings.Join(r.Sizes, ", ")),
			r.A.section(),
		}
		if r.B == nil {
			return out
		}
		end := document.Titled("The self-test has passed.")
		if r.Failed() {
			end = document.Titled("The self-test has FAILED. On a busy machine it may: give every process a core of its own, or more --mpiruns.")
		}
		return append(out, r.B.section(r.Function), end)
	},
	Exit: func(r *Selftest) error {
		if r.Failed() {
			return fail.ErrFound
		}
		return nil
	},
}

func (x *Identities) section() document.Section {
	s := document.Titled("(a) A/A: %d tests of a collective against itself: %d violated, %d marginal, %d kept, %d undecided",
		x.Tests, x.Verdicts[judge.Violated], x.Verdicts[judge.Marginal], x.Verdicts[judge.Kept], x.Verdicts[judge.Undecided])
	s.Say("Stated error: alpha = %g for all %d tests of a check together, adjustment %s.", x.Report.Alpha, x.Report.M, x.Report.Adjust)
	if x.False > 0 {
		s.Say("Repeated in another order: %d of the false violations came back.", x.Again)
	}
	return s
}

// section shows what was planted, found, missed and extra.
func (x *Planted) section(function string) document.Section {
	s := document.Titled("(b) Planted: %s is %s slower at %s", function, phrase.Rounded(x.By), conf.HumanSize(x.Msize))
	s.Table = &document.Table{Head: []string{"guideline", "msize", "without", "", "with the plant", "", ""}, Align: "lrrlrll"}
	count := map[string]int{}
	for _, c := range x.Shown {
		v, b := c.With, c.Before
		count[c.Result]++
		s.Table.Add(fmt.Sprintf("%s %s", v.Guideline, v.Type), conf.HumanSize(v.Msize),
			phrase.Ratio(b.Ratio), string(b.Verdict), phrase.Ratio(v.Ratio), string(v.Verdict), c.Result)
	}
	planted := count[PlantFound] + count[PlantMissed]
	s.Notes = []string{fmt.Sprintf("planted %d, found %d, missed %d; extra %d among %d other tests",
		planted, count[PlantFound], count[PlantMissed], count[PlantExtra], x.Tests-planted)}
	if x.Wrong > 0 {
		s.Notes = append(s.Notes, fmt.Sprintf("Repeated in another order: %d of %d errors came back.", x.Again, x.Wrong))
	}
	return s
}
