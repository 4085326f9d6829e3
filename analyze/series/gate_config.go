package series

import (
	"pgmpi/analyze/judge"
	"pgmpi/internal/conf"
)

// FailOn is what makes a night red.
type FailOn string

// What [gate] fail_on may name.
const (
	FailOnNew      FailOn = "new"      // what is newly wrong, or clearly worse
	FailOnFirm     FailOn = "firm"     // of that, what is firm
	FailOnViolated FailOn = "violated" // every violation that is not expected
	FailOnTimes    FailOn = "times"    // as new, and run-times that became longer
)

// FailOns are the names that [gate] fail_on takes.
var FailOns = []FailOn{FailOnNew, FailOnFirm, FailOnViolated, FailOnTimes}

// GateConfig is the [gate] section of gl.toml: what a check is held against, and what
// makes it red.
type GateConfig struct {
	Baseline []string `toml:"baseline" json:"baseline"` // results folders, report.json, folders of nights
	Nights   int      `toml:"nights" json:"nights"`     // how many of a folder of nights, the last ones
	Expect   string   `toml:"expect" json:"expect"`     // file of [[expect]]; "": none
	Confirm  bool     `toml:"confirm" json:"confirm"`   // measure again what would be an alarm
	FailOn   FailOn   `toml:"fail_on" json:"fail_on"`
	Strict   bool     `toml:"strict" json:"strict"` // what is expected and kept is an alarm
}

// DefaultGate is the [gate] section of an empty gl.toml: no gate.
func DefaultGate() GateConfig {
	return GateConfig{Baseline: []string{}, Nights: 5, Confirm: true, FailOn: FailOnNew}
}

// Wanted tells whether there is a gate.
func (c GateConfig) Wanted() bool { return len(c.Baseline) > 0 || c.Expect != "" }

// mostNights keeps the baselines in memory.
const mostNights = 100

// Validate returns everything that is wrong with the section.
func (c GateConfig) Validate() []conf.FieldError {
	var errs conf.FieldErrors
	errs.Check(c.Nights >= 1 && c.Nights <= mostNights, "nights", "must be from 1 to %d, not %d", mostNights, c.Nights)
	errs.Name("fail_on", "kind of alarm", string(c.FailOn), judge.Strings(FailOns))
	return errs
}
