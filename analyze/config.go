package analyze

import "pgmpi/internal/conf"

// Config is the [analyze] section of gl.toml: how the run medians are judged.
type Config struct {
	Method string  `toml:"method" json:"method"` // one of Methods
	Test   string  `toml:"test" json:"test"`     // one of Tests; "auto": the method's
	Alpha  float64 `toml:"alpha" json:"alpha"`   // level of the family, in (0, 1)
	Adjust string  `toml:"adjust" json:"adjust"` // one of Adjusts; "auto": the method's
	// MinSlowdown is the least ratio of medians, ≥ 1, that is reported as a
	// violation; SplitTolerance the slack of split-robustness, ≥ 0: 0.05 is 5 %.
	MinSlowdown    float64 `toml:"min_slowdown" json:"min_slowdown"`
	SplitTolerance float64 `toml:"split_tolerance" json:"split_tolerance"`
}

// What the keys of [analyze] may name.
var (
	Methods = []string{MethodDefault, MethodCI, MethodPaper, MethodMargin}
	Tests   = []string{TestAuto, TestRankSum, TestSignedRank, TestKS}
	Adjusts = []string{AdjustAuto, AdjustBH, AdjustHolm, AdjustNone}
)

// Default is the [analyze] section of an empty gl.toml.
func Default() Config {
	return Config{
		Method: MethodDefault, Test: TestAuto, Alpha: 0.05, Adjust: AdjustAuto,
		MinSlowdown: 1.05, SplitTolerance: 0.05,
	}
}

// Validate returns everything that is wrong with the section. NaN is out of
// every range.
func (c Config) Validate() []conf.FieldError {
	var errs conf.FieldErrors
	errs.Name("method", "method", c.Method, Methods)
	errs.Name("test", "test", c.Test, Tests)
	errs.Name("adjust", "adjustment", c.Adjust, Adjusts)
	errs.Check(c.Alpha > 0 && c.Alpha < 1, "alpha", "must be between 0 and 1, not %v", c.Alpha)
	errs.Check(c.MinSlowdown >= 1 && c.MinSlowdown < 1000, "min_slowdown",
		"is a ratio of at least 1 (1.05: five per cent slower), not %v", c.MinSlowdown)
	errs.Check(c.SplitTolerance >= 0 && c.SplitTolerance < 1000, "split_tolerance",
		"must be at least 0 (0.05: five per cent), not %v", c.SplitTolerance)
	return errs
}
