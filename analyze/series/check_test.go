package series

import (
	"fmt"
	"strings"
	"testing"
	"testing/iotest"

	"pgmpi/analyze"
	"pgmpi/analyze/judge"
	"pgmpi/analyze/medians"
	"pgmpi/guidelines"
	"pgmpi/testkit/fixture"
	"pgmpi/testkit/should"
)

func TestOnlyMonotonyAsksForAnotherSize(t *testing.T) {
	m := fixture.Empty(1)
	large := fixture.Case(m, "MPI_Reduce", fixture.P2, 64)
	for name, c := range map[string]struct {
		kind   guidelines.Type
		others []int
		want   int64
	}{
		"monotony":                 {guidelines.Monotony, []int{large}, 64},
		"monotony without a size":  {guidelines.Monotony, nil, 8},
		"a pattern":                {guidelines.Pattern, []int{large}, 8},
		"split-robustness by many": {guidelines.Split, []int{large, large}, 8},
	} {
		got := planned(&m.Plan, guidelines.Test{Type: c.kind, Msize: 8, Shape: fixture.P2, Others: c.others})
		should.Equal(t, got.MsizeOther, c.want, name)
	}
}

func TestReportsThatAreTooLargeAreRefused(t *testing.T) {
	_, err := ReadCheck(iotest.ErrReader(fmt.Errorf("no disk")), "a")
	should.Fail(t, err, "no disk")
	for name, c := range map[string]struct {
		text, want string
	}{
		"as many values":    {strings.Repeat("{", 1_000_000), "no report.json"},
		"a value too many":  {strings.Repeat("{", 1_000_001), "more than 1000000"},
		"as many shapes":    {`{"shapes": [` + strings.Repeat("{},", 999) + "{}]}", "schema"},
		"a shape too many":  {`{"shapes": [` + strings.Repeat("{},", 1000) + "{}]}", "more than 1000 shapes"},
		"a state too many":  {`{"states": [` + strings.Repeat("{},", 1000) + "{}]}", "more than 1000 shapes"},
		"a probe too many":  {`{"yardstick": [` + strings.Repeat("{},", 1000) + "{}]}", "more than 1000 shapes"},
		"of another schema": {`{"schema": "x"}`, `schema "x"`},
	} {
		_, err := ReadCheck(strings.NewReader(c.text), "a")
		should.Fail(t, err, c.want, name)
	}
}

// The states are known from a check's own, or where it has none from its yardstick.
func TestACheckHasMetStatesThatItReadOrDidNotRead(t *testing.T) {
	speed := func(line float64) medians.Speed { return medians.Speed{LineNS: line} }
	states := []medians.State{{Shape: "p2", Speed: speed(100)}, {Shape: "p2", Speed: speed(400)}, {Shape: "p4", Speed: speed(900)}}
	probes := []analyze.Probes{{Shape: "p4", Speed: speed(900)}, {Shape: "p2", Speed: speed(200)}, {Shape: "p2", Speed: speed(300)}}
	for name, c := range map[string]struct {
		c    Check
		want []medians.Speed
	}{
		"its states":    {Check{States: states, Probes: probes}, []medians.Speed{speed(100), speed(400)}},
		"its yardstick": {Check{States: states[2:], Probes: probes}, []medians.Speed{speed(200)}},
		"neither":       {Check{}, nil},
	} {
		should.Equal(t, c.c.speeds("p2"), c.want, name)
	}
	for _, c := range []struct {
		then, now float64
		want      bool
	}{{100, 140, true}, {100, 150, false}, {100, 0, true}, {.5, 1, false}} {
		check := Check{Probes: []analyze.Probes{{Shape: "p2", Speed: speed(c.then)}}}
		should.Equal(t, check.met("p2", []medians.Speed{speed(c.now)}), c.want, "%v after %v", c.now, c.then)
	}
	small, hi := .5, .9
	for name, c := range map[string]struct {
		p    Point
		want float64 // 0: cannot tell
	}{
		"not suspected":      {Point{Answer: Answer{Verdict: judge.NotSuspected, Effect: analyze.Effect{Ratio: &small}}}, worseBy},
		"kept":               {Point{Answer: Answer{Verdict: judge.Kept, Effect: analyze.Effect{RatioHi95: &hi}}}, 1.25 * hi},
		"without a ratio":    {Point{Answer: Answer{Verdict: judge.NotSuspected}}, 0},
		"without an answer":  {Point{Answer: Answer{Verdict: judge.NotMeasured, Effect: analyze.Effect{RatioHi95: &hi}}}, 0},
		"without its limits": {Point{Answer: Answer{Verdict: judge.Kept}}, 0},
	} {
		got, ok := c.p.above(1.25)
		should.Hold(t, got == c.want && ok == (c.want > 0), "%s: %v, %v", name, got, ok)
	}
}
