package main

import (
	"bytes"
	"fmt"
	"html"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"pgmpi/analyze/report"
	"pgmpi/analyze/report/check"
	"pgmpi/analyze/report/checks"
	"pgmpi/analyze/report/environment"
	"pgmpi/guidelines"
	"pgmpi/internal/command"
	"pgmpi/internal/conf/glfile"
	"pgmpi/internal/document"
	"pgmpi/internal/exitcode"
	"pgmpi/internal/experiment"
	"pgmpi/internal/experiment/run"
	"pgmpi/measure/results"
	"pgmpi/testkit/mpirun"
	"pgmpi/testkit/must"
)

// formatsOf lists the formats of the document that a command prints.
var formatsOf = map[string][]string{
	"check": check.Reports.Formats(), "analyze": check.Reports.Formats(),
	"compare": checks.Comparisons.Formats(), "ab": checks.Comparisons.Formats(), "history": checks.Histories.Formats(),
	"env": environment.Environments.Formats(), "list": report.Lists.Formats(),
	"status": report.Statuses.Formats(),
}

// formatsOffered returns the formats that a command of a feature says it has.
func formatsOffered(name string) []string {
	for _, c := range rootCommand(command.New(io.Discard, io.Discard)).Commands() {
		if c.Name() == name {
			_, list, _ := strings.Cut(c.Flags().Lookup("format").Usage, ": ")
			return strings.Split(list, ", ")
		}
	}
	return nil
}

func TestHelpNamesTheFormatsThatACommandHas(t *testing.T) {
	for _, c := range rootCommand(command.New(io.Discard, io.Discard)).Commands() {
		if ofFeature(c) { // it has documents of its own
			continue
		}
		f, want := c.Flags().Lookup("format"), formatsOf[c.Name()]
		if (f == nil) != (want == nil) {
			t.Errorf("%s: is there a --format?", c.Name())
		}
		if f != nil && !strings.Contains(f.Usage, strings.Join(want, ", ")) {
			t.Errorf("%s: %q lacks %q", c.Name(), f.Usage, want)
		}
	}
}

func TestAFormatThatADocumentLacksIsRefusedWithThoseItHas(t *testing.T) {
	for _, c := range []struct{ command, args, format string }{
		{"env", "env", "csv"}, {"list", "list", "json"},
		{"check", "check", "xml"}, {"compare", "compare a b", "xml"}, {"history", "history a", "xml"},
	} {
		args := append(strings.Fields(c.args), "--format", c.format)
		inProcess(args...).Exits(t, exitcode.Setup).Says(t, fmt.Sprintf("--format: unknown format %q: choose from %s", c.format, strings.Join(formatsOf[c.command], ", ")))
	}
	inProcess("compare", "a", "b", "--format", "table, xml").Exits(t, exitcode.Setup).Says(t, `unknown format "xml"`)
}

func TestTablesOfFormatsAreThoseOfTheProgram(t *testing.T) {
	documents := []struct {
		name    string
		formats []string
	}{{"report", formatsOf["check"]}, {"compare", formatsOf["compare"]}, {"reproduce", checks.Spreads.Formats()}, {"history", formatsOf["history"]}, {"times", formatsOf["times"]}, {"matrix", checks.Matrices.Formats()},
		{"selftest", formatsOffered("selftest")}, {"env", formatsOf["env"]}, {"clocks", formatsOffered("clocks")}, {"list", formatsOf["list"]},
		{"plan", report.Plans.Formats()}, {"explain", check.Explanations.Formats()}}
	table := []string{"| format | files | has |", "|---|---|---|"}
	for _, name := range check.Reports.Formats() { // a report has all formats
		var has []string
		for _, d := range documents {
			if slices.Contains(d.formats, name) {
				has = append(has, d.name)
			}
		}
		text := strings.Join(has, ", ")
		if len(has) == len(documents) {
			text = "every document"
		}
		f := must.Get(check.Reports.Format(name))(t)
		table = append(table, fmt.Sprintf("| `%s` | %s | %s |", name, f.File(&document.Document{}), text))
	}
	sameTable(t, "guide.md", "formats", table)
}

// The documents that this package makes, in each of their formats; analyze/report tests a page.
func TestEveryDocumentOfACommandMatchesGoldenFiles(t *testing.T) {
	users := &glfile.File{Name: "gl.toml", Guideline: []guidelines.User{{ID: "grows", Monotony: "MPI_Bcast"}}}
	for name, d := range map[string]*document.Document{
		"list": report.Lists.Document(users),
	} {
		for _, width := range []int{80, 160} {
			narrow := *d
			narrow.Page.Width = width
			var out bytes.Buffer
			must.Do(t, command.Usually(report.Lists, "table").Write(&out, &narrow))
			mpirun.Said{Stdout: out.String()}.WideLines(t, width)
		}
		for _, format := range slices.DeleteFunc(slices.Clone(formatsOf[d.Name]), func(f string) bool { return f == "html" }) {
			f, err := check.Reports.Format(format)
			must.Do(t, err)
			var out bytes.Buffer
			must.Do(t, f.Write(&out, d))
			golden := filepath.Join("testdata", name+"."+format)
			if *update {
				must.Do(t, os.WriteFile(golden, out.Bytes(), 0o666))
			}
			want, err := os.ReadFile(golden)
			if err != nil || out.String() != string(want) {
				t.Errorf("%s differs (-update writes it anew; %v):\n%s", golden, err, out.String())
			}
		}
	}
}

// The numbers depend on the machine, so a plan has no golden file.
func TestADryRunIsWrittenInEveryFormatItHas(t *testing.T) {
	f := glfile.Default()
	plan := must.Get(f.Plan([]int{2}))(t)
	m := &results.Manifest{Plan: *plan, R: 10, SplitExperiment: true, Launch: map[string][]string{"p2": {"mpirun", "-np", "2"}}}
	c := &run.Campaign{Experiment: experiment.Check, Config: &f, Manifest: m, RankPath: "/a path/" + strings.Repeat("deep/", 30)}
	p, err := c.Estimate()
	must.Do(t, err)
	for _, name := range report.Plans.Formats() {
		format, err := report.Plans.Format(name)
		must.Do(t, err)
		var out bytes.Buffer
		d := report.Plans.Document(p)
		d.Page.Width = 80
		must.Do(t, format.Write(&out, d))
		for line := range strings.Lines(out.String()) {
			if name == "table" && !strings.Contains(line, "deep/") { // words of a command line stay whole
				mpirun.Said{Stdout: line}.WideLines(t, 80)
			}
		}
		for _, want := range []string{"PLAN", "11 of monotony", "mpirun -np 2 \\\n", "'/a path/deep", "if something is found", "TIME, an estimate"} {
			if !strings.Contains(html.UnescapeString(out.String()), want) {
				t.Errorf("%s: no %q in:\n%s", name, want, out.String())
			}
		}
	}
}
