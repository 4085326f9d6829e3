package glfile

import (
	"reflect"
	"strings"
	"testing"

	"pgmpi/analyze/series"
	"pgmpi/guidelines"
	"pgmpi/testkit/should"
)

func TestExpectationsReadBack(t *testing.T) {
	want := []series.Expectation{
		{Guideline: "GL16", Function: "MPI_Scan", Msizes: guidelines.MsizeList{"8..64", "256Ki"}, Shape: "p2", Library: `MPICH "4" <\>` + "\x1b\x7f", Reason: "known since 2026-11-22", Ticket: "T-7", Until: "2027-01-31"},
		{Guideline: "mine"},
	}
	text := FormatExpect(want)
	got, err := ParseExpect("expect.toml", []byte(text))
	should.Hold(t, err == nil && reflect.DeepEqual(got, want), "%v\n%s\n%+v", err, text, got)
	should.Hold(t, !strings.ContainsAny(text, "\x1b\x7f"), "%q", text)
}

func TestExpectationsMayBeginWithTheMarkOfWindows(t *testing.T) {
	got, err := ParseExpect("expect.toml", []byte("\uFEFF[[expect]]\nguideline = \"GL8\"\n"))
	should.Hold(t, err == nil && len(got) == 1, "%v, %+v", err, got)
}

func TestADateOfAnExpectationMayBeOneOfTOML(t *testing.T) {
	got, err := ParseExpect("expect.toml", []byte("[[expect]]\nguideline = \"GL8\"\nuntil = 2027-01-31\nmsizes = [8, \"1Ki\"]\n"))
	should.Hold(t, err == nil && got[0].Until == "2027-01-31" && len(got[0].Msizes) == 2, "%v, %+v", err, got)
}

func TestErrorsOfExpectationsHaveTheirPlace(t *testing.T) {
	for text, want := range map[string]string{
		"[[expct]]\n": `expect.toml:1:3: unknown section "expct" (did you mean expect?)`,
		"[[expect]]\nguideline = \"GL8\"\nmsize = [8]\n":                  `expect.toml:3:1: unknown key "msize" (did you mean msizes?)`,
		"[[expect]]\nfunction = \"MPI_Scan\"\n":                           "expect.toml:1:3: expect.guideline: is missing",
		"[[expect]]\nguideline = \"GL16\"\nfunction = \"MPI_Scam\"\n":     `expect.toml:3:1: unknown collective "MPI_Scam" (did you mean MPI_Scan?)`,
		"[[expect]]\nguideline = \"GL16\"\n\n[[expect]]\nguideline = 8\n": "expect.toml:5:1: expect.guideline: wants a string, not 8",
		"[[expect]]\nguideline = \"GL16\"\nuntil = \"tomorrow\"\n":        "expect.toml:3:1: expect.until: \"tomorrow\" is no day such as 2026-12-31",
		"[[expect]]\nguideline = \"GL16\"\nshape = \"two\"\n":             "expect.toml:3:1: expect.shape: \"two\" is no shape",
		"[[expect]]\nguideline = \"GL16\"\nmsizes = [\"64..8\"]\n":        "expect.toml:3:1: expect.msizes: range \"64..8\" is empty",
		"[[expect]]\nguideline = \"GL16\"\nmsizes = [\"x\"]\n":            "expect.toml:3:1: expect.msizes: \"x\" is no size",
		"expect = 1\n": "expect.toml:1:1: expect: wants an array of tables, not 1",
		"[[expect]\n":  "expect.toml:1:",
	} {
		_, err := ParseExpect("expect.toml", []byte(text))
		should.Hold(t, err != nil && strings.HasPrefix(err.Error(), want), "%q: %v", text, err)
	}
}
