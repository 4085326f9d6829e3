package main

import (
	"bytes"
	"compress/gzip"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"pgmpi/testkit/mpirun"
	"pgmpi/testkit/must"
	"pgmpi/testkit/should"
)

// The script in R was written from docs/dev/statistics.md. Both folders are real: looks has the usual schedule and
// an experiment on split-robustness, once has ten mpiruns that cannot be paired.
func TestAnotherProgramFindsTheSameVerdictsInTheRawFiles(t *testing.T) {
	t.Parallel()
	if _, err := exec.LookPath("Rscript"); err != nil {
		t.Skip("there is no Rscript here: .ci/install Rscript, or apt-get install r-base-core r-cran-jsonlite")
	}
	if out, err := exec.Command("Rscript", "-e", "library(jsonlite)").CombinedOutput(); err != nil {
		t.Skipf("R has no jsonlite here: apt-get install r-cran-jsonlite: %s", out)
	}
	data := filepath.Join("..", "..", "testdata", "recompute")
	recompute := func(folder, report, test string) (string, error) {
		script := exec.Command("Rscript", filepath.Join(data, "recompute.R"), folder, report, test)
		script.Env = append(os.Environ(), "R_ENABLE_JIT=0") // compiling takes as long as running
		out, err := script.CombinedOutput()
		return string(out), err
	}
	inStates := filepath.Join(t.TempDir(), "states")
	slowLater(t, filepath.Join(data, "looks"), inStates)
	for _, folder := range []string{"looks", "once", inStates} {
		for _, flags := range [][]string{{}, {"--method", "ci"}, {"--method", "margin"}, {"--test", "ranksum"}} {
			ranksum := slices.Contains(flags, "--test")
			if folder == inStates && len(flags) > 0 {
				continue
			}
			if !mpirun.Everything && (folder == "looks" || ranksum) { // others cover these
				continue
			}
			t.Run(strings.Join(append([]string{filepath.Base(folder)}, flags...), " "), func(t *testing.T) {
				t.Parallel()
				b := emptyFixture(t, t.TempDir())
				from := folder
				if folder != inStates {
					from = must.Get(filepath.Abs(filepath.Join(data, folder)))(t)
				}
				b.Pgmpi(append([]string{"analyze", from, "--out", b.Out, "--format", "json"}, flags...)...).Exits(t, 1)
				test := "auto"
				if ranksum {
					test = flags[1]
				}
				report := filepath.Join(b.Out, "report.json")
				out, err := recompute(from, report, test)
				should.Hold(t, err == nil, "%v:\n%s", err, out)
				if folder == inStates {
					should.Hold(t, bytes.Contains(must.Get(os.ReadFile(report))(t), []byte(`"by_state": [`)), "no answer depends on the states that were made")
				}
				if folder == "once" && len(flags) == 0 {
					out, err := recompute(from, oneDigitOff(t, report, "ratio_hi95", "chance"), test)
					should.Hold(t, err != nil && strings.Contains(out, "ratio_hi95") && strings.Contains(out, "chance") && strings.Contains(out, " 2 differences"), "what is wrong passed (%v):\n%s", err, out)
				}
			})
		}
	}
}

// slowLater copies a results folder; from the 13th mpirun on its machine is half as fast, and some cases have
// another ratio.
func slowLater(t *testing.T, from, to string) {
	must.Do(t, os.CopyFS(to, os.DirFS(from)))
	for _, file := range must.Get(filepath.Glob(filepath.Join(to, "raw", "run-*")))(t) {
		if name := filepath.Base(file); name < "run-p2-13" {
			continue
		}
		in := must.Get(gzip.NewReader(must.Get(os.Open(file))(t)))(t)
		var out bytes.Buffer
		w := gzip.NewWriter(&out)
		for line := range strings.Lines(string(must.Get(io.ReadAll(in))(t))) {
			if cells := strings.Split(line, "\t"); len(cells) == 4 {
				k, ns := must.Get(strconv.Atoi(cells[0]))(t), must.Get(strconv.Atoi(cells[2]))(t)
				cells[2] = strconv.Itoa(ns * (2 + k%3))
				line = strings.Join(cells, "\t")
			}
			must.Get(io.WriteString(w, line))(t)
		}
		must.Do(t, w.Close())
		must.Do(t, os.WriteFile(file, out.Bytes(), 0o666))
	}
}

// oneDigitOff copies a report, and changes the seventh decimal of each field.
func oneDigitOff(t *testing.T, report string, fields ...string) string {
	text := must.Get(os.ReadFile(report))(t)
	for _, field := range fields {
		text[regexp.MustCompile(`"` + field + `": \d\.\d{7}`).FindIndex(text)[1]-1] ^= 1
	}
	off := filepath.Join(t.TempDir(), "report.json")
	must.Do(t, os.WriteFile(off, text, 0o666))
	return off
}
