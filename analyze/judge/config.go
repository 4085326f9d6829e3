package judge

import (
	"fmt"
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
	Method         Method        `toml:"method" json:"method"`
	Test           TestName      `toml:"test" json:"test"`
	Alpha          float64       `toml:"alpha" json:"alpha"`
	Adjust         Adjust        `toml:"adjust" json:"adjust"`
	MinSlowdown    float64       `toml:"min_slowdown" json:"min_slowdown"`
	SplitTolerance float64       `toml:"split_tolerance" json:"split_tolerance"`
	NBTolerance    float64       `toml:"nb_tolerance" json:"nb_tolerance"`
	NBAllowance    conf.Duration `toml:"nb_allowance" json:"nb_allowance"`
	BetweenChecks  float64       `toml:"between_checks" json:"between_checks"`
}

// Rows describes the keys. NaN is out of every range.
func (c *Config) Rows() []conf.Key {
	const second = conf.Duration(time.Second)
	below := func(least, limit float64, otherwise string) conf.Limit[float64] {
		return conf.That(func(v float64) bool { return v >= least && v < limit }, otherwise+", not %v")
	}
	return []conf.Key{
		{Field: conf.OneOf(&c.Method, MethodDefault, "method", Methods), Text: "method of judging",
			More: "See [statistics.md](statistics.md#methods).", Flag: "method", Value: "METHOD"},
		{Field: conf.OneOf(&c.Test, TestAuto, "test", Names()), Text: "test of a guideline (`auto`: the method's)",
			Flag: "test", Value: "TEST"},
		{Field: conf.At(&c.Alpha, .05,
			conf.That(func(v float64) bool { return v > 0 && v < 1 }, "must be between 0 and 1, not %v")),
			Text: "level of the whole check; between 0 and 1", Flag: "alpha", Value: "LEVEL"},
		{Field: conf.OneOf(&c.Adjust, AdjustAuto, "adjustment", Adjusts),
			Text: "adjustment for the number of tests (`auto`: the method's)", Flag: "adjust", Value: "METHOD"},
		{Field: conf.At(&c.MinSlowdown, 1.05, below(1, 1000, "is a ratio of at least 1 (1.05: five per cent slower)")),
			Text: "least ratio that is a violation, at least 1; 1.05 is five per cent slower",
			Flag: "min-slowdown", Value: "RATIO"},
		{Field: conf.At(&c.SplitTolerance, .05, below(0, 1000, "must be at least 0 (0.05: five per cent)")),
			Text: "slack of split-robustness (GL2), at least 0; 0.05 is five per cent", Flag: "split-tolerance", Value: "N"},
		{Field: conf.At(&c.NBTolerance, .25, below(0, 1000, "must be at least 0 (0.25: a quarter)")),
			Text: "share of a blocking call that the nonblocking one may take longer (NB2), at least 0; 0.25 is a quarter",
			Flag: "nb-tolerance", Value: "N"},
		{Field: conf.At(&c.NBAllowance, conf.Duration(time.Microsecond),
			conf.That(func(v conf.Duration) bool { return v >= 0 && v <= second }, "must be from 0s to 1s, not %v")),
			Text: "and this time more, for the request"},
		{Field: conf.At(&c.BetweenChecks, 0,
			below(0, 1, "must be at least 0 and below 1 (0.03: ratios of two checks differ by 3 %)")),
			Text:  "how far ratios differ from check to check, as the standard deviation of ln ratio",
			Empty: fmt.Sprintf("the baselines' own, else %g, and %g beside other programs", Between, BetweenBusy),
			More:  "See [statistics.md](statistics.md#would-a-repeat-show-it)."},
	}
}

func Default() Config { return conf.Usual((*Config).Rows) }

// Validate returns everything that is wrong with the section.
func (c Config) Validate() []conf.FieldError { return conf.Check(&c, c.Rows()) }

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
