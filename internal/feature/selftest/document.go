package selftest

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

// Result holds the findings of both parts.
type Result struct {
	Function string   // slowed down
	Sizes    []string // as in gl.toml
	A        *Identities
	B        *Planted // nil if part (b) was not reached
}

// Identities sums up the comparison of collectives with themselves.
type Identities struct {
	Report   *analyze.Report
	Tests    int
	Verdicts map[judge.Verdict]int // how often each was given
	False    int                   // violated tests
	Again    int                   // of them, violated in the repetition too
}

type Planted struct {
	Msize int64         // bytes
	By    time.Duration // by which the call is slower
	Tests int
	Shown []PlantedTest // all but the quiet ones
	Wrong int           // missed or extra
	Again int           // of them, wrong in the repetition too
	Small []Share       // planted into the other collectives
}

// Share is a slowdown by a share of each call's own time. Found counts the tests of a collective against itself
// that found it.
type Share struct {
	Percent      int
	Msize        int64 // bytes
	Tests, Found int
}

// PlantedTest compares a test without and with the plant: one that must find it, or one that is violated with it
// without being about the slowed call.
type PlantedTest struct {
	Before, With *analyze.Verdict
	Result       string // PlantFound, PlantMissed or PlantExtra, or "" if it stayed quiet
}

const (
	PlantFound  = "found"
	PlantMissed = "MISSED"
	PlantExtra  = "EXTRA"
)

func (p PlantedTest) IsWrong() bool { return p.Result == PlantMissed || p.Result == PlantExtra }

// Failed tells whether an error came back.
func (r *Result) Failed() bool { return r.B != nil && r.A.Again+r.B.Again > 0 }

// Busy says why the self-test cannot tell how well pgmpi sees here. It returns "" if it tells.
func (r *Result) Busy() string {
	if r.B == nil || r.Failed() {
		return ""
	}
	if n := r.A.Verdicts[judge.Undecided]; 2*n > r.A.Tests {
		return fmt.Sprintf("%d of %d tests of a collective against itself are undecided", n, r.A.Tests)
	}
	for _, s := range r.B.Small {
		if s.Percent >= 25 && 2*s.Found < s.Tests {
			return fmt.Sprintf("%d of %d slowdowns by %d %% were found", s.Found, s.Tests, s.Percent)
		}
	}
	return ""
}

func (r *Result) answer() string {
	busy := r.Busy()
	switch {
	case r.B == nil:
		return "Self-test"
	case r.Failed():
		return "The self-test has FAILED. On a busy machine it may: give every process a core of its own, or more --mpiruns"
	case busy != "":
		return "The machine is too busy to tell: " + busy + ". Give every process a core of its own, or more --mpiruns"
	}
	return "The self-test has passed"
}

var kind = document.Kind[Result]{
	Name: "selftest",
	Sections: func(r *Result) []document.Section {
		base := r.A.Report
		head := document.Titled("%s.", r.answer())
		head.Say("%s, p = %d, R = %d mpiruns, sizes %s.", phrase.ShortVersion(base.Library.Version), base.Shapes[0].NP, base.R, strings.Join(r.Sizes, ", "))
		if r.B == nil {
			return []document.Section{head, r.A.section()}
		}
		return []document.Section{head, r.A.section(), r.B.section(r.Function)}
	},
	Exit: func(r *Result) error {
		if r.Failed() {
			return fail.ErrFound
		}
		if r.Busy() != "" {
			return &fail.Refused{Reason: "selftest: the machine is too busy to tell"}
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

func (x *Planted) section(function string) document.Section {
	s := document.Titled("(b) Planted: %s is %s slower at %s", function, phrase.Rounded(x.By), conf.HumanSize(x.Msize))
	s.Table = &document.Table{Head: []string{"guideline", "size", "without", "", "with the plant", "", ""}, Align: "lrrlrll"}
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
	for _, p := range x.Small {
		s.Notes = append(s.Notes, fmt.Sprintf("planted %d %% into each other collective at %s: found %d of %d", p.Percent, conf.HumanSize(p.Msize), p.Found, p.Tests))
	}
	return s
}
