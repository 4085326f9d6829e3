package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"pgmpi/internal/fixture/must"
	"pgmpi/internal/fixture/should"
)

// The script in R was written from docs/dev/statistics.md. Both folders are real: looks is
// of the usual schedule and has an experiment on split-robustness, once is of ten mpiruns
// that cannot be paired.
func TestAnotherProgramFindsTheSameVerdictsInTheRawFiles(t *testing.T) {
	if _, err := exec.LookPath("Rscript"); err != nil {
		t.Skip("there is no Rscript here: .ci/install Rscript, or apt-get install r-base-core r-cran-jsonlite")
	}
	if out, err := exec.Command("Rscript", "-e", "library(jsonlite)").CombinedOutput(); err != nil {
		t.Skipf("R has no jsonlite here: apt-get install r-cran-jsonlite: %s", out)
	}
	data := filepath.Join("..", "..", "testdata", "recompute")
	recompute := func(folder, report, test string) (string, error) {
		out, err := exec.Command("Rscript", filepath.Join(data, "recompute.R"), filepath.Join(data, folder), report, test).CombinedOutput()
		return string(out), err
	}
	for _, folder := range []string{"looks", "once"} {
		for _, flags := range [][]string{{}, {"--method", "ci"}, {"--method", "margin"}, {"--test", "ranksum"}} {
			t.Run(strings.Join(append([]string{folder}, flags...), " "), func(t *testing.T) {
				t.Parallel()
				b := emptyFixture(t, t.TempDir())
				from := must.Get(filepath.Abs(filepath.Join(data, folder)))(t)
				b.pgmpi(append([]string{"analyze", from, "--out", b.out, "--format", "json"}, flags...)...).exits(t, 1)
				test := "auto"
				if len(flags) > 0 && flags[0] == "--test" {
					test = flags[1]
				}
				report := filepath.Join(b.out, "report.json")
				out, err := recompute(folder, report, test)
				should.Hold(t, err == nil, "%v:\n%s", err, out)
				if folder == "once" && len(flags) == 0 {
					out, err := recompute(folder, oneDigitOff(t, report), test)
					should.Hold(t, err != nil && strings.Contains(out, "ratio_hi95") && strings.Contains(out, " 1 differences"),
						"a wrong ratio_hi95 passed (%v):\n%s", err, out)
				}
			})
		}
	}
}

// oneDigitOff changes the eighth digit of a ratio_hi95.
func oneDigitOff(t *testing.T, report string) string {
	text := must.Get(os.ReadFile(report))(t)
	text[regexp.MustCompile(`"ratio_hi95": \d\.\d{7}`).FindIndex(text)[1]-1] ^= 1
	must.Do(t, os.WriteFile(report, text, 0o666))
	return report
}
