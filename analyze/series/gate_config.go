package series

import (
	"cmp"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"time"

	"pgmpi/analyze"
	"pgmpi/analyze/judge"
	"pgmpi/analyze/selector"
	"pgmpi/guidelines"
	"pgmpi/internal/conf"
	"pgmpi/internal/phrase"
	"pgmpi/mockups"
)

// Expectation names known violations. A field that it lacks matches everything.
type Expectation struct {
	Guideline string `toml:"guideline"`
	Function  string `toml:"function"`
	// Msizes lists sizes and ranges: "8..64" is every size from 8 to 64 bytes.
	Msizes  guidelines.MsizeList `toml:"msizes"`
	Shape   string               `toml:"shape"`
	Library string               `toml:"library"` // what the library says of itself, * and ? stand for any characters
	Reason  string               `toml:"reason"`
	Ticket  string               `toml:"ticket"`
	Until   Date                 `toml:"until"` // the last day, or "" for good
}

// Date is a day, such as 2026-12-31, or "".
type Date string

func (d *Date) UnmarshalTOML(raw any) error {
	switch x := raw.(type) {
	case time.Time:
		*d = Date(x.Format(time.DateOnly))
		return nil
	case string:
		if _, err := time.Parse(time.DateOnly, x); err == nil || x == "" {
			*d = Date(x)
			return nil
		}
	}
	return fmt.Errorf("%.40q is no day such as 2026-12-31", fmt.Sprint(raw))
}

// over tells whether the day has passed at a time (RFC 3339).
func (d Date) over(now string) bool {
	return len(now) >= len(d) && now[:len(d)] > string(d)
}

// ValidateExpectations returns everything that is wrong with a list of [[expect]].
func ValidateExpectations(list []Expectation) []conf.FieldError {
	var errs conf.FieldErrors
	for i := range list {
		e, at := &list[i], fmt.Sprintf("[%d].", i)
		errs.Check(e.Guideline != "", at+"guideline", "is missing: an expectation is about one guideline, such as \"GL16\"")
		if f, _ := mockups.Get(e.Function); e.Function != "" && f.Call == "" {
			errs.Name(at+"function", "collective", e.Function, mockups.Functions())
		}
		if e.Shape != "" {
			errs.Check(selector.ShapeForm.MatchString(e.Shape), at+"shape", "%q is no shape such as \"p4\" or \"16x2\"", e.Shape)
		}
		_, err := e.ranges()
		errs.Check(err == nil, at+"msizes", "%v", err)
	}
	return errs
}

// ranges returns the sizes, each range from its first to its last; nil stands for all.
func (e *Expectation) ranges() (out [][2]int64, err error) {
	for _, text := range e.Msizes {
		from, to, isRange := strings.Cut(text, "..")
		if !isRange {
			to = from
		}
		lo, errLo := sizeOrNone(from)
		hi, errHi := sizeOrNone(to)
		if err := errors.Join(errLo, errHi); err != nil {
			return nil, err
		}
		if lo > hi {
			return nil, fmt.Errorf("range %q is empty: it starts above its end", text)
		}
		out = append(out, [2]int64{lo, hi})
	}
	return out, nil
}

// sizeOrNone reads a size, which is 0 for Barrier.
func sizeOrNone(text string) (int64, error) {
	if strings.TrimSpace(text) == "0" {
		return 0, nil
	}
	return conf.ParseSize(text)
}

// about tells whether the expectation names a test, with any library.
func (e *Expectation) about(a Asked) bool {
	if e.Guideline != a.Guideline || e.Function != "" && e.Function != a.Function || e.Shape != "" && e.Shape != a.Shape {
		return false
	}
	ranges, err := e.ranges()
	return err == nil && (len(ranges) == 0 || slices.ContainsFunc(ranges, func(r [2]int64) bool { return r[0] <= a.Msize && a.Msize <= r[1] }))
}

func (e *Expectation) with(l analyze.Library) bool {
	if e.Library == "" {
		return true
	}
	glob := strings.NewReplacer(`\*`, ".*", `\?`, ".").Replace(regexp.QuoteMeta(e.Library))
	matches := regexp.MustCompile(`(?is)^` + glob + `$`)
	return matches.MatchString(l.Short()) || matches.MatchString(l.Name)
}

func (e *Expectation) words() string {
	return phrase.List(" ", e.Guideline, e.Function, phrase.When(len(e.Msizes) > 0, "at %s", strings.Join(e.Msizes, ", ")),
		phrase.When(e.Shape != "", "on %s", e.Shape))
}

// Expectations names the violations of a check: one entry for each guideline, function and shape,
// which joins sizes that are neighbours in the Plan.
func Expectations(n *Check) (out []Expectation) {
	reason := "known"
	if len(n.Created) >= len(time.DateOnly) {
		reason += " since " + n.Created[:len(time.DateOnly)]
	}
	for _, of := range analyze.Grouped(n.Points, func(p Point) [3]string { return [3]string{p.Guideline, p.Function, p.Shape} }) {
		slices.SortStableFunc(of, func(a, b Point) int { return cmp.Compare(a.Msize, b.Msize) })
		if ranges := joined(of); len(ranges) > 0 {
			p := of[0]
			out = append(out, Expectation{Guideline: p.Guideline, Function: p.Function, Msizes: ranges, Shape: p.Shape, Library: n.Library.Short(), Reason: reason})
		}
	}
	return out
}

// joined returns the sizes of violations among the tests of one guideline, ascending.
func joined(tests []Point) (out guidelines.MsizeList) {
	for i := 0; i < len(tests); i++ {
		first := i
		for i < len(tests) && tests[i].Verdict == judge.Violated {
			i++
		}
		switch from := conf.FormatSize(tests[first].Msize); {
		case i == first:
		case i == first+1:
			out = append(out, from)
		default:
			out = append(out, from+".."+conf.FormatSize(tests[i-1].Msize))
		}
	}
	return out
}

type FailOn string

const (
	FailOnNew      FailOn = "new"              // what is newly wrong, or clearly worse
	FailOnSure     FailOn = "sure"             // of these, what a new check would probably show again
	FailOnViolated FailOn = "violated"         // every violation that is not expected
	FailOnSeen     FailOn = analyze.FailOnSeen // as new, and what was seen once in imported data
	FailOnTimes    FailOn = "times"            // as new, and run-times that became longer
)

// firm is the name of FailOnSure up to version 0.2.
const firm FailOn = "firm"

var FailOns = []FailOn{FailOnNew, FailOnSure, FailOnViolated, FailOnSeen, FailOnTimes}

// GateConfig holds the [gate] section of gl.toml: the baselines of a check, and what makes it red.
type GateConfig struct {
	Baseline  []string `toml:"baseline" json:"baseline"`
	Nights    int      `toml:"nights" json:"nights"`
	Expect    string   `toml:"expect" json:"expect"`
	Confirm   bool     `toml:"confirm" json:"confirm"`
	FailOn    FailOn   `toml:"fail_on" json:"fail_on"`
	Strict    bool     `toml:"strict" json:"strict"`
	MustJudge bool     `toml:"must_judge" json:"must_judge"`
}

// mostNights bounds the memory that baselines take.
const mostNights = 100

// Rows describes the keys.
func (c *GateConfig) Rows() []conf.Key {
	return []conf.Key{
		{Field: conf.At(&c.Baseline, []string{}),
			Text:  "what the check is held against: results folders, their report.json, or folders whose sub-folders are nights",
			Empty: "nothing; exit code 1 means any violation", More: "See [gate.md](gate.md).", Flag: "baseline", Value: "LIST"},
		{Field: conf.At(&c.Nights, 20, conf.Within(1, mostNights)),
			Text: "how many nights of a folder are compared, the last ones; at most 100", Flag: "nights", Value: "N"},
		{Field: conf.At(&c.Expect, ""),
			Text:  "file of the violations that are known, its `[[expect]]`; `pgmpi expect` writes one",
			Empty: "none", More: "See [gate.md](gate.md#expectations).", Flag: "expect", Value: "FILE"},
		{Field: conf.At(&c.Confirm, true), Text: "only what is violated again when it is measured again is an alarm",
			Flag: "confirm", FlagText: "only what is violated again when it is measured again is an alarm: usual; " +
				"--confirm=false does without"},
		{Field: conf.At(&c.FailOn, FailOnNew, func(on *FailOn) []error {
			if *on == firm {
				return nil
			}
			return conf.Known("kind of alarm", judge.Strings(FailOns), string(*on))
		}), Names: judge.Strings(FailOns), Text: "what is an alarm",
			More: "`sure` (once `firm`): of what is new, what a repeat would probably show again; `violated`: all that is not " +
				"expected; `seen`: also what was seen once in imported data; `times`: also run-times that became longer. " +
				"See [gate.md](gate.md#states).",
			Flag: "fail-on", Value: "WORD"},
		{Field: conf.At(&c.MustJudge, false),
			Text: "a check on a machine in a state that no baseline has exits with 4", Flag: "must-judge"},
		{Field: conf.At(&c.Strict, false),
			Text: "what is expected to be violated and is kept is an alarm, too", Flag: "strict"},
	}
}

func DefaultGate() GateConfig { return conf.Usual((*GateConfig).Rows) }

func (c GateConfig) Against() bool { return len(c.Baseline) > 0 || c.Expect != "" }

// Wanted tells whether there is a gate: without one, every violation counts.
func (c GateConfig) Wanted() bool { return c.Against() || c.onlySure() || c.FailOn == FailOnSeen }

func (c GateConfig) onlySure() bool { return c.FailOn == FailOnSure || c.FailOn == firm }

func (c GateConfig) Validate() []conf.FieldError { return conf.Check(&c, c.Rows()) }
