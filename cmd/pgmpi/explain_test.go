package main

import (
	"bytes"
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"pgmpi/guidelines"
	"pgmpi/internal/conf/glfile"
	"pgmpi/measure/protocol"
	"pgmpi/measure/results"
)

// folderOf writes a results folder in which Reduce takes twice as long as its
// mock-up at 8 bytes and the same at 64.
func folderOf(t *testing.T) string {
	t.Helper()
	config, err := json.Marshal(glfile.Default())
	if err != nil {
		t.Fatal(err)
	}
	p2 := guidelines.Shape{NP: 2}
	m := &results.Manifest{R: 10, Config: config}
	m.Plan = guidelines.Plan{Shapes: []guidelines.Shape{p2}, Datatype: "byte", Op: "bor"}
	var infos []results.CaseInfo
	for i, f := range []string{"MPI_Reduce", "MPI_Reduce", "reduce_as_allreduce", "reduce_as_allreduce"} {
		size := []int64{8, 64}[i%2]
		m.Plan.Cases = append(m.Plan.Cases, guidelines.Case{Function: f, Msize: size, Shape: p2})
		infos = append(infos, results.CaseInfo{Plan: i, Function: f, Msize: size, CaseResult: protocol.CaseResult{Case: i, Status: protocol.StatusOK, NRep: 3}})
	}
	for i, size := range []int64{8, 64} {
		m.Plan.Tests = append(m.Plan.Tests, guidelines.Test{Guideline: "GL8", Type: guidelines.Pattern, Function: "MPI_Reduce",
			Mockup: "reduce_as_allreduce", Msize: size, Shape: p2, Case: i, Others: []int{i + 2}})
	}
	dir := filepath.Join(t.TempDir(), "out")
	f, err := results.Create(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if err := f.WriteManifest(m); err != nil {
		t.Fatal(err)
	}
	for n := 1; n <= m.R; n++ {
		run := results.Run{Header: results.Header{Mode: protocol.ModeMeasure, Shape: p2, Run: n, Cases: infos}}
		for _, ns := range []int64{2000, 3000, 1000, 3000} {
			ns += int64(n)
			run.Samples = append(run.Samples, []protocol.Sample{{NS: ns}, {NS: ns + 1}, {NS: ns + 2}})
		}
		if err := f.WriteRun(&run); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// inProcess runs a command line that starts no mpirun.
func inProcess(args ...string) said {
	var out, errs bytes.Buffer
	stdout, stderr = &out, &errs
	defer func() { stdout, stderr = os.Stdout, os.Stderr }()
	code := run(context.Background(), args)
	return said{code, out.String(), errs.String()}
}

func TestAnalyzeExplainsInPlaceOfTheTables(t *testing.T) {
	dir := folderOf(t)
	s := inProcess("analyze", dir, "--explain", "GL8:8", "--explain", "GL8:MPI_Reduce:64:p2", "--explain", "gl8:8").exits(t, 1)
	first, second := strings.Index(s.stdout, "GL8 Reduce at 8 B on p2: VIOLATED"), strings.Index(s.stdout, "GL8 Reduce at 64 B on p2: KEPT")
	if first != 0 || second < 0 || strings.Count(s.stdout, "The verdict:") != 2 || strings.Contains(s.stdout, "Summary") {
		t.Errorf("%s", s.stdout)
	}
	for _, file := range []string{"report.json", "report.txt"} {
		if _, err := os.Stat(filepath.Join(dir, file)); err != nil {
			t.Error(err)
		}
	}
	s = inProcess("analyze", dir).exits(t, 1)
	if !strings.Contains(s.stdout, "Summary") || strings.Contains(s.stdout, "The verdict:") {
		t.Errorf("without --explain: %s", s.stdout)
	}
}

func TestExplainOfNothingIsAUsageErrorBeforeAnythingIsWritten(t *testing.T) {
	dir := folderOf(t)
	inProcess("analyze", dir, "--explain", "GL8:16").exits(t, exitSetup).
		says(t, "--explain: GL8 was not tested at 16 bytes (the nearest size is 8); there are: 8, 64")
	if _, err := os.Stat(filepath.Join(dir, "report.json")); err == nil {
		t.Error("a report was written")
	}
	inProcess("check", "--explain", "GL8:8", "--format", "json").exits(t, exitSetup).says(t, "--explain prints after the tables")
}

func TestCheckExplainsAfterTheTables(t *testing.T) {
	eachLibrary(t, func(t *testing.T, b *bench) {
		config := b.toml(quick)
		b.check("--guidelines", config, "--explain", "GL8:16").exits(t, 2).says(t, "GL8 was not tested at 16 bytes", "there are: 8, 1Ki")
		if _, err := os.Stat(b.out); err == nil {
			t.Error("a results folder was made for a selector of nothing")
		}
		s := b.check("--guidelines", config, "--explain", "GL8:1Ki").exits(t, 0, 1)
		tables, verdict := strings.Index(s.stdout, "Summary"), strings.Index(s.stdout, "GL8 Reduce at 1 KiB on p2:")
		if tables < 0 || verdict < tables || strings.Count(s.stdout, "The verdict:") != 1 {
			t.Errorf("%s", s.stdout)
		}
	})
}

func TestAnalyzeWritesTheReportWhereToldTo(t *testing.T) {
	dir := folderOf(t)
	out := filepath.Join(t.TempDir(), "report")
	inProcess("analyze", dir, "--out", out, "--format", "table,csv").exits(t, 1).says(t, "results: "+out)
	for _, file := range []string{"report.json", "report.txt", "report.csv"} {
		if _, err := os.Stat(filepath.Join(out, file)); err != nil {
			t.Error(err)
		}
		if _, err := os.Stat(filepath.Join(dir, file)); err == nil {
			t.Errorf("%s is in the results folder too", file)
		}
	}
}

func TestLeastSlowdownIsAFlagOfAnalyze(t *testing.T) {
	dir := folderOf(t)
	s := inProcess("analyze", dir, "--min-slowdown", "2.5", "--split-tolerance", "0.1").exits(t, 0)
	if !strings.Contains(s.stdout, "minimum slowdown 2.50×") {
		t.Errorf("%s", s.stdout)
	}
	text, err := os.ReadFile(filepath.Join(dir, "report.json"))
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(string(text), `"split_tolerance": 0.1`) {
		t.Error("report.json has another split_tolerance")
	}
}

func TestTimesShowsWhatWasMeasured(t *testing.T) {
	dir := folderOf(t)
	out := filepath.Join(t.TempDir(), "times")
	inProcess("times", dir, "--all", "--out", out, "--format", "table,json,csv").exits(t, 0).shows(t, `^Reduce, p2$`, `^reduce_as_allreduce, p2$`,
		`^ *msize +R +min +Q1 +median +Q3 +max$`)
	for _, file := range []string{"times.txt", "times.json", "times.csv"} {
		if _, err := os.Stat(filepath.Join(out, file)); err != nil {
			t.Error(err)
		}
	}
	if s := inProcess("times", dir); strings.Contains(s.stdout, "reduce_as_allreduce") {
		t.Errorf("mock-ups without --all:\n%s", s.stdout)
	}
	inProcess("times").exits(t, exitSetup).says(t, "give one results folder")
}
