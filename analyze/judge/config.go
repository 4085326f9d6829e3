package judge

import (
	"time"

	"pgmpi/internal/conf"
	"pgmpi/internal/lists"
	"pgmpi/internal/stats"
)

type Method string

const (
	MethodDefault Method = "default" // exact test, Benjamini-Hochberg, minimum slowdown
	MethodCI      Method = "ci"      // default with Holm
	MethodPaper   Method = "paper"   // S-PGMPI §4.3: unadjusted, no minimum slowdown
	MethodMargin  Method = "margin"  // tests against the minimum slowdown directly
)

type Adjust string

const (
	AdjustAuto Adjust = "auto"
	AdjustBH   Adjust = stats.AdjustBH
	AdjustHolm Adjust = stats.AdjustHolm
	AdjustNone Adjust = stats.AdjustNone
)

// Values of the keys of [analyze], besides names of tests.
var (
	Methods = []Method{MethodDefault, MethodCI, MethodPaper, MethodMargin}
	Adjusts = []Adjust{AdjustAuto, AdjustBH, AdjustHolm, AdjustNone}
)

// Config holds the [analyze] section of gl.toml: how the run medians are judged.
type Config struct {
	Method Method   `toml:"method" json:"method"` // one of Methods
	Test   TestName `toml:"test" json:"test"`     // one of Names; "auto" takes the method's
	Alpha  float64  `toml:"alpha" json:"alpha"`   // level of the family, in (0, 1)
	Adjust Adjust   `toml:"adjust" json:"adjust"` // one of Adjusts; "auto" takes the method's
	// MinSlowdown is the least ratio of medians, ≥ 1, that is reported as a violation.
	// SplitTolerance is the slack of split-robustness, ≥ 0: 0.05 is 5 %.
	MinSlowdown    float64 `toml:"min_slowdown" json:"min_slowdown"`
	SplitTolerance float64 `toml:"split_tolerance" json:"split_tolerance"`
	// A nonblocking call may exceed the blocking one (NB2) by this share, ≥ 0, and time.
	NBTolerance float64       `toml:"nb_tolerance" json:"nb_tolerance"`
	NBAllowance conf.Duration `toml:"nb_allowance" json:"nb_allowance"`
	// BetweenChecks is the standard deviation of a test's true log ratio from check to check, ≥ 0;
	// 0 if it is not known. Then a table gives it (Between).
	BetweenChecks float64 `toml:"between_checks" json:"between_checks"`
}

func Default() Config {
	return Config{Method: MethodDefault, Test: TestAuto, Alpha: 0.05, Adjust: AdjustAuto, MinSlowdown: 1.05, SplitTolerance: 0.05,
		NBTolerance: 0.25, NBAllowance: conf.Duration(time.Microsecond)}
}

// Validate returns everything that is wrong with the section. NaN is out of every range.
func (c Config) Validate() []conf.FieldError {
	var errs conf.FieldErrors
	errs.Name("method", "method", string(c.Method), Strings(Methods))
	errs.Name("test", "test", string(c.Test), Strings(Names()))
	errs.Name("adjust", "adjustment", string(c.Adjust), Strings(Adjusts))
	errs.Check(c.Alpha > 0 && c.Alpha < 1, "alpha", "must be between 0 and 1, not %v", c.Alpha)
	errs.Check(c.MinSlowdown >= 1 && c.MinSlowdown < 1000, "min_slowdown",
		"is a ratio of at least 1 (1.05: five per cent slower), not %v", c.MinSlowdown)
	errs.Check(c.SplitTolerance >= 0 && c.SplitTolerance < 1000, "split_tolerance",
		"must be at least 0 (0.05: five per cent), not %v", c.SplitTolerance)
	errs.Check(c.NBTolerance >= 0 && c.NBTolerance < 1000, "nb_tolerance",
		"must be at least 0 (0.25: a quarter), not %v", c.NBTolerance)
	errs.Check(c.BetweenChecks >= 0 && c.BetweenChecks < 1, "between_checks",
		"must be at least 0 and below 1 (0.03: ratios of two checks differ by 3 %%), not %v", c.BetweenChecks)
	errs.Check(c.NBAllowance >= 0 && c.NBAllowance <= conf.Duration(time.Second), "nb_allowance", "must be from 0s to 1s, not %v", c.NBAllowance)
	return errs
}

func Strings[T ~string](names []T) []string {
	return lists.Map(names, func(name T) string { return string(name) })
}

// resolved returns the Config with the method's adjustment instead of "auto". Unknown names and
// values out of range are errors.
func (c Config) resolved() (Config, error) {
	if errs := c.Validate(); len(errs) > 0 {
		return c, errs[0]
	}
	if c.Adjust == AdjustAuto {
		c.Adjust = c.Method.Rules().Adjust
	}
	return c, nil
}

// Rules holds what a Method decides. The zero value of each but Adjust is the rule of the paper.
type Rules struct {
	Adjust Adjust // replaces "auto"
	// Slowdown tells that violations reach the minimum slowdown, and that being kept is tested,
	// too. Without it all that is significant is violated, and all else is kept.
	Slowdown  bool
	Margin    bool // the other side is multiplied by the minimum slowdown before the test
	Effects   bool // ratios are the test's own estimates, not ratios of the medians
	Aligns    bool // unpaired tests divide by what all cases of an mpirun have in common
	Exact     bool // tests are exact, and paired where R suffices; else rank-sum by its normal approximation
	Plans     bool // the number of tests decides R and the looks
	FollowsUp bool // suspicions of split-robustness are tested; else their medians decide
}

var rules = map[Method]Rules{
	MethodDefault: ours(AdjustBH, false),
	MethodCI:      ours(AdjustHolm, false),
	MethodMargin:  ours(AdjustBH, true),
	MethodPaper:   {Adjust: AdjustNone}, // S-PGMPI §4.3
}

func ours(a Adjust, margin bool) Rules {
	return Rules{Adjust: a, Margin: margin, Slowdown: true, Effects: true, Aligns: true, Exact: true, Plans: true, FollowsUp: true}
}

func (m Method) Rules() Rules {
	if r, ok := rules[m]; ok {
		return r
	}
	return rules[MethodDefault]
}
