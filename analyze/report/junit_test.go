package report

import (
	"encoding/xml"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"pgmpi/analyze/report/check"
	"pgmpi/guidelines"
	"pgmpi/internal/document"
	"pgmpi/testkit/documents"
	"pgmpi/testkit/fixture"
	"pgmpi/testkit/must"
	"pgmpi/testkit/should"
)

// lint validates a JUnit file with the schema.
func lint(t *testing.T, text string) error {
	t.Helper()
	xmllint, err := exec.LookPath("xmllint")
	if err != nil {
		t.Skip("no xmllint here: .ci/install xmllint")
	}
	file := filepath.Join(t.TempDir(), "junit.xml")
	must.Do(t, os.WriteFile(file, []byte(text), 0o666))
	out, err := exec.Command(xmllint, "--noout", "--schema", "testdata/junit.xsd", file).CombinedOutput()
	if err != nil {
		t.Logf("%s", out)
	}
	return err
}

func TestJUnitFilesAreValidWhateverTheNames(t *testing.T) {
	for _, e := range examples(t) {
		if e.Document.Outcomes != nil {
			should.Do(t, lint(t, documents.Written(t, "junit", e.Document)))
		}
	}
	text := documents.Written(t, "junit", check.Reports.Document(hostileReport(t)))
	err := lint(t, text)
	should.Hold(t, err == nil, "%v:\n%s", err, text)
}

func TestTheJUnitSchemaRefusesWhatReadersDo(t *testing.T) {
	good := documents.Written(t, "junit", check.Reports.Document(hostileReport(t)))
	for what, change := range map[string]func(string) string{
		"a test without a name":    func(s string) string { return strings.Replace(s, ` name="1 B"`, "", 1) },
		"a test named twice":       func(s string) string { return strings.Replace(s, ` name="1024 B"`, ` name="1 B"`, 1) },
		"an unknown result":        func(s string) string { return strings.ReplaceAll(s, "skipped", "ignored") },
		"a count without a number": func(s string) string { return strings.Replace(s, ` errors="0"`, ` errors="none"`, 1) },
		"a time that is no time":   func(s string) string { return strings.Replace(s, ` time="0`, ` time="x0`, 1) },
		"an end that is missing":   func(s string) string { return strings.TrimSuffix(s, "</testsuites>\n") },
	} {
		bad := change(good)
		should.Hold(t, bad != good, "%s: nothing was changed", what)
		should.Hold(t, lint(t, bad) != nil, "%s passes", what)
	}
}

func TestJUnitReadsBackWithItsCounts(t *testing.T) {
	r := hostileReport(t)
	d := check.Reports.Document(r)
	var got document.JunitSuites
	must.Do(t, xml.Unmarshal([]byte(documents.Written(t, "junit", d)), &got))
	var n document.JunitCount
	for i, s := range got.Suites {
		should.Hold(t, s.Timestamp == "2026-01-02T02:04:05" && s.Host == d.Outcomes.Host && s.Name == d.Outcomes.Suites[i].Name,
			"%q %q %q", s.Timestamp, s.Host, s.Name)
		for _, c := range s.Cases {
			n.Tests++
			if c.Failure != nil {
				n.Failures++
				should.Hold(t, c.Failure.Type == "new" && strings.Contains(c.Failure.Body, "\nstate        new: "+document.OneLine(fixture.Hostile)+"\n"),
					"%+v", c.Failure)
			}
		}
	}
	should.Hold(t, n == got.JunitCount && n.Tests == len(r.Verdicts) && n.Failures != 0 && n.Failures != n.Tests, "%+v, and the file says %+v", n, got.JunitCount)
}

func TestADefaultCheckOnTwoShapesIsFarBelowWhatJUnitReadersTake(t *testing.T) {
	r := everyTest(t)
	text := documents.Written(t, "junit", check.Reports.Document(r))
	// GitLab takes 30 MB.
	should.Hold(t, len(text) <= 10e6 && len(text) >= 500*len(r.Verdicts), "%d bytes for %d failures", len(text), len(r.Verdicts))
}

func TestShapesAndTypesAreTheSuites(t *testing.T) {
	r := synthetic(t, []guidelines.Shape{{NP: 2}, {NP: 4}}, []int64{1, 1024}, few, 12, config(), planted)
	var names []string
	for _, s := range check.Reports.Document(r).Outcomes.Suites {
		names = append(names, s.Name)
	}
	should.Equal(t, strings.Join(names, " "), "p2.monotony p2.split p2.pattern p4.monotony p4.split p4.pattern")
}
