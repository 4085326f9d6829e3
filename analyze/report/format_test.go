package report

import (
	"encoding/json"
	"maps"
	"os"
	"slices"
	"strings"
	"sync"
	"testing"
	"unicode/utf8"

	"pgmpi/analyze"
	"pgmpi/analyze/judge"
	"pgmpi/analyze/report/check"
	"pgmpi/analyze/report/checks"
	"pgmpi/analyze/report/environment"
	"pgmpi/analyze/series"
	"pgmpi/guidelines"
	"pgmpi/internal/document"
	"pgmpi/internal/remark"
	"pgmpi/testkit/documents"
	"pgmpi/testkit/must"
	"pgmpi/testkit/should"
	"pgmpi/testkit/shown"
)

// made are the examples that tests read; making them takes most of a second.
var made struct {
	sync.Once
	examples map[string]example
}

// examples has every kind of document, by the name of its golden files. Documents are copies:
// a test may give its own a page.
func examples(t *testing.T) map[string]example {
	t.Helper()
	made.Do(func() { made.examples = newExamples(t) })
	must.Hold(t, made.examples != nil, "an earlier test could not make the examples")
	out := maps.Clone(made.examples)
	for name, e := range out {
		d := *e.Document
		e.Document = &d
		out[name] = e
	}
	return out
}

// newExamples are for who changes their values.
func newExamples(t *testing.T) map[string]example {
	p2 := []guidelines.Shape{{NP: 2}}
	sizes := []int64{1, 1024, 65536, 1 << 20}
	constant := func(string, int64) int64 { return 5000 }
	_, _, inStates := stated(t)
	return map[string]example{
		"planted": documents.Of(check.Reports, synthetic(t, p2, sizes, few, 12, config(), planted)),
		"clean":   documents.Of(check.Reports, synthetic(t, p2, sizes, few, 12, config(), constant)),
		"refused": documents.Of(check.Reports, synthetic(t, p2, sizes, few, 3, config(), planted)),
		"states":  documents.Of(check.Reports, inStates.Report),
		"noisy":   documents.Of(check.Reports, noisyReport(t)),
		"gate":    documents.Of(check.Reports, gated(t)),
		"compare": documents.Of(checks.Comparisons, shown.Comparison()),
		"shift":   documents.Of(checks.Comparisons, shown.Shifted()),
		"history": documents.Of(checks.Histories, shown.History()),
		"spread":  documents.Of(checks.Spreads, shown.Spread()),
		"env":     documents.Of(environment.Environments, anEnvironment(t)),
		"explain": explainExample(t),
		"causes":  documents.Of(check.Causes, caused(t)),

		"levels": documents.Of(checks.LevelLists, levels()),
	}
}

// richest has most of what a page can have: the other pages differ in their sections only, which
// are in the tables and pictures.
const richest = "noisy"

func TestEveryDocumentInEveryFormatMatchesGoldenFiles(t *testing.T) {
	for name, e := range examples(t) {
		for _, format := range e.Formats {
			if format != "html" || name == richest {
				documents.Golden(t, name+"."+format, documents.Written(t, format, e.Document))
			}
		}
		if pictures := documents.DataOfPictures(t, e.Document); pictures != "" {
			documents.Golden(t, name+".pictures", pictures)
		}
	}
}

// TestDocumentsForConsumers writes what examples do not show, too.
func TestDocumentsForConsumers(t *testing.T) {
	all := examples(t)
	all["busy"], all["matrix"] = documents.Of(check.Reports, busyReport(t)), documents.Of(checks.Matrices, twoLibraries())
	all["hostile"], all["every-test"], all["large"] = documents.Of(check.Reports, hostileReport(t)), documents.Of(check.Reports, everyTest(t)), documents.Of(check.Reports, largeReport(t))
	documents.Write(t, all, func() map[string]example { return newExamples(t) })
}

// busyReport is of a machine that others use.
func busyReport(t *testing.T) *analyze.Report {
	r := *noisyReport(t)
	r.Warnings = append(slices.Clone(r.Warnings), remark.New(remark.OthersBusy, "", "other programs used 2.0 of 2 CPUs while the ranks slept"))
	r.Measured.Rank.LibVersion = "MPICH Version: 4.0.2"
	return &r
}

// twoLibraries violate GL8 by different factors on one host.
func twoLibraries() *series.Matrix {
	m := &series.Matrix{Schema: series.MatrixSchema, Rows: []series.MatrixRow{{Guideline: "GL8", Type: guidelines.Pattern, Function: "MPI_Reduce", Mockup: "reduce_as_allreduce"}}}
	for i, version := range []string{"MPICH Version: 4.0.2", "Open MPI v4.1.4"} {
		ratio := 1.5 + float64(i)
		m.Columns = append(m.Columns, series.MatrixColumn{Folder: version[:4], Host: "node1", Shape: "p2", Library: analyze.Library{Name: version[:4], Version: version}})
		m.Rows[0].Cells = append(m.Rows[0].Cells, &series.MatrixCell{Tests: map[judge.Verdict]int{judge.Violated: 1}, Ratio: &ratio})
	}
	return m
}

// anEnvironment has two unlike nodes, the second one of which tells little, and a
// host whose name would clear the screen.
func anEnvironment(t *testing.T) *environment.Environment {
	t.Helper()
	text := must.Get(os.ReadFile("testdata/environment.json"))(t)
	var e environment.Environment
	must.Do(t, json.Unmarshal(text, &e))
	e.Factors.Hostname = "login1\x1b[2J"
	e.Factors.Layouts[0].Kinds[0].Env["OMPI_MCA_long"] = strings.Repeat("x", 300)
	e.Doubts = e.Factors.Remarks()
	return &e
}

func TestNoTextIsWiderThan100ColumnsOrCommandsTheTerminal(t *testing.T) {
	for name, e := range examples(t) {
		text := documents.Written(t, "table", e.Document)
		for line := range strings.Lines(text) {
			n := utf8.RuneCountInString(strings.TrimSuffix(line, "\n"))
			should.Hold(t, n <= document.UsualWidth, "%s: %d columns: %s", name, n, line)
		}
		should.Hold(t, !strings.Contains(text, "\x1b"), "%s commands the terminal:\n%s", name, text)
	}
}

func TestEnvironmentSaysWhatIsKnown(t *testing.T) {
	text := documents.Written(t, "table", environment.Environments.Document(anEnvironment(t)))
	should.Contain(t, text,
		"p4: 4 ranks on 2 nodes, since run-p4-01.tsv.gz", "nodes of kind 1: n1", "nodes of kind 2: n2",
		"4: CPUs 0,4 | 1,5", "22 MiB", "governor powersave, driver unknown, turbo on, 1000 to 3700 MHz", "1.5 CPUs", "eno1 10000 Mb/s", "UCX_TLS=rc",
		"load 0.25 in the minute before; other programs used 0.5 CPUs", "load unknown", "2 GiB, 1 GiB of it free", "memory        unknown",
		"rank 1        CPUs 2,6, package 1", "[measure]     sync=\"barrier\"", "Open MPI v5.0.2",
		"DOUBTFUL", string(remark.Governor), string(remark.Turbo), string(remark.CPULimit), string(remark.OthersBusy), string(remark.NodesDiffer), string(remark.EnvDiffers),
	)
}

// The screen was written with more doubts than it has room for.
func TestTheScreenOfEnvHas24Lines(t *testing.T) {
	text := string(must.Get(os.ReadFile("testdata/env-screen.txt"))(t))
	should.Hold(t, strings.Count(text, "\n") <= 22 && strings.HasPrefix(text, "A check says little here"), "with the two lines at its end:\n%s", text)
	clean := anEnvironment(t)
	clean.Doubts = nil
	should.Contain(t, documents.Written(t, "table", environment.Environments.Document(clean)), "A check can be trusted here: nothing doubtful was found.")
}

func TestAFormatThatAKindLacksIsRefused(t *testing.T) {
	for list, want := range map[string]string{"csv": `unknown format "csv": choose from table, json, markdown`, "table, xml": `unknown format "xml": choose from `} {
		_, err := environment.Environments.Pick(list)
		should.Fail(t, err, want, "%s", list)
	}
	all := check.Reports.Formats()
	should.Hold(t, len(all) == len(document.Formats) && len(check.Explanations.Formats()) < len(all),
		"a report has %q, an explanation %q", all, check.Explanations.Formats())
}

func TestWrapBreaksAtBlanksAndInLongWords(t *testing.T) {
	for text, want := range map[string]string{
		"": "", "a b": "a b", "aaa bbb": "aaa|bbb", "a bb cc": "a bb|cc", "aaaaaaa b": "aaaa|aaa|b", "ab ccccc": "ab|cccc|c",
	} {
		should.Equal(t, strings.Join(document.Wrap(text, 4, ""), "|"), want, "%q", text)
	}
	for n, want := range map[int]string{19: "Exscan+Reduce_local", 15: "Exscan+|Reduce_local", 12: "Exscan+|Reduce_local", 7: "Exscan+|Reduce_|local"} {
		should.Equal(t, strings.Join(document.Wrap("Exscan+Reduce_local", n, ""), "|"), want, "%d", n)
	}
	should.Equal(t, strings.Join(document.Wrap("aaaaaaa b", 4, "  "), "|"), "aaaa|  aa|  a|  b")
}
