package document

import (
	"encoding/xml"
	"fmt"
	"io"
	"strconv"
	"strings"
	"time"

	"pgmpi/internal/lists"
)

// junitFormat writes what GitLab, Jenkins and others show as tests. There is no standard;
// testdata/junit.xsd has what they all read.
var junitFormat = Format{Name: "junit", ext: "junit.xml", from: outcomes, Write: writeJUnit}

type JunitCount struct {
	Tests    int `xml:"tests,attr"`
	Failures int `xml:"failures,attr"`
	Errors   int `xml:"errors,attr"`
}

type JunitSuites struct {
	XMLName xml.Name `xml:"testsuites"`
	Name    string   `xml:"name,attr"`
	JunitCount
	Suites []junitSuite `xml:"testsuite"`
}

type junitSuite struct {
	Name string `xml:"name,attr"`
	JunitCount
	Skipped    int             `xml:"skipped,attr"`
	Timestamp  string          `xml:"timestamp,attr,omitempty"`
	Host       string          `xml:"hostname,attr,omitempty"`
	Properties []junitProperty `xml:"properties>property"`
	Cases      []junitCase     `xml:"testcase"`
}

type junitProperty struct {
	Name  string `xml:"name,attr"`
	Value string `xml:"value,attr"`
}

type junitCase struct {
	Class   string        `xml:"classname,attr"`
	Name    string        `xml:"name,attr"`
	Time    string        `xml:"time,attr,omitempty"`
	Failure *junitMessage `xml:"failure"`
	Error   *junitMessage `xml:"error"`
	Skipped *junitMessage `xml:"skipped"`
}

type junitMessage struct {
	Type    string `xml:"type,attr,omitempty"`
	Message string `xml:"message,attr"`
	Body    string `xml:",chardata"`
}

func (n *JunitCount) add(o JunitCount) {
	n.Tests, n.Failures, n.Errors = n.Tests+o.Tests, n.Failures+o.Failures, n.Errors+o.Errors
}

func writeJUnit(w io.Writer, d *Document) error {
	all := JunitSuites{Name: "pgmpi"}
	for _, s := range d.Outcomes.Suites {
		suite := junitSuiteOf(s)
		if t, err := time.Parse(time.RFC3339, d.Outcomes.Created); err == nil {
			suite.Timestamp = t.UTC().Format("2006-01-02T15:04:05")
		}
		suite.Host = d.Outcomes.Host
		suite.Properties = lists.Map(d.Outcomes.Facts, func(p Label) junitProperty { return junitProperty(p) })
		all.add(suite.JunitCount)
		all.Suites = append(all.Suites, suite)
	}
	if _, err := io.WriteString(w, xml.Header); err != nil {
		return err
	}
	e := xml.NewEncoder(w)
	e.Indent("", " ")
	if err := e.Encode(all); err != nil {
		return err
	}
	_, err := io.WriteString(w, "\n")
	return err
}

func junitSuiteOf(s Suite) junitSuite {
	out := junitSuite{Name: s.Name}
	for _, o := range s.Outcomes {
		c := junitCase{Class: o.Class, Name: o.Name}
		if o.Seconds != nil {
			c.Time = strconv.FormatFloat(*o.Seconds, 'f', 3, 64)
		}
		out.Tests++
		switch o.Result {
		case Failed:
			out.Failures++
			c.Failure = junitFinding(&o)
		case Errored:
			out.Errors++
			c.Error = junitFinding(&o)
		case Skipped:
			out.Skipped++
			c.Skipped = &junitMessage{Message: o.Text}
		case Passed:
		}
		out.Cases = append(out.Cases, c)
	}
	return out
}

func junitFinding(o *Outcome) *junitMessage {
	var body strings.Builder
	fmt.Fprintf(&body, "\n%s.\n", o.Text)
	for _, d := range o.Details {
		fmt.Fprintf(&body, "%-12s %s\n", d.Name, d.Value)
	}
	return &junitMessage{Type: o.Why, Message: o.Title, Body: body.String()}
}
