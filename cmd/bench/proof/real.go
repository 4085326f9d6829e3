package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"text/tabwriter"

	"pgmpi/analyze"
	"pgmpi/analyze/judge"
	"pgmpi/mockups"
)

// real makes checks in which every collective is compared with itself.
type real struct {
	pgmpi, rank    string
	checks, plants int
	np, mpiruns    int
	msizes         []string
	dir            string
}

var methods = []judge.Method{judge.MethodDefault, judge.MethodPaper}

func (r real) run(out io.Writer) error {
	dir, err := os.MkdirTemp("", "pgmpi-proof-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	r.dir = dir
	fmt.Fprintf(out, "Real: %s, p = %d, R = %d, sizes %s; every collective against itself\n\n", filepath.Base(r.rank), r.np, r.mpiruns, strings.Join(r.msizes, ", "))
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(w, "planted\tmethod\tchecks\tfalse per check\tchecks with any\tfound of planted\trecall\t")
	for _, percent := range []int{0, 5, 10, 25, 50} {
		n := r.plants
		if percent == 0 {
			n = r.checks
		}
		by := map[judge.Method]*tally{}
		for i := range n {
			if err := r.check(percent, i, by); err != nil {
				return err
			}
		}
		for _, method := range methods {
			t := by[method]
			if t == nil {
				continue
			}
			fmt.Fprintf(w, "%d %%\t%s\t%d\t%.2f\t%.2f\t", percent, method, t.checks, float64(t.falseFound)/float64(t.checks), float64(t.anyFalse)/float64(t.checks))
			if t.planted > 0 {
				fmt.Fprintf(w, "%d/%d\t%.2f", t.found, t.planted, float64(t.found)/float64(t.planted))
			} else {
				fmt.Fprint(w, "\t")
			}
			fmt.Fprintln(w, "\t")
		}
	}
	return w.Flush()
}

// slowed are the collectives that a plant of some percent delays: every second.
func slowed() []string {
	var out []string
	for i, c := range mockups.Identities() {
		if i%2 == 0 {
			out = append(out, c)
		}
	}
	return out
}

// check makes one check with a seed of its own, and judges it by both methods.
func (r real) check(percent, n int, by map[judge.Method]*tally) error {
	folder := filepath.Join(r.dir, fmt.Sprintf("%d-%d", percent, n))
	defer os.RemoveAll(folder)
	gl := filepath.Join(r.dir, "gl.toml")
	if err := os.WriteFile(gl, []byte(r.toml(percent)), 0o666); err != nil {
		return err
	}
	if err := r.command("check", "--quiet", "--guidelines", gl, "--rank", r.rank, "--out", folder, "--seed", fmt.Sprint(1000*percent+n+1)); err != nil {
		return err
	}
	var slow []string
	if percent > 0 {
		slow = slowed()
	}
	for _, method := range methods {
		if err := r.command("analyze", folder, "--method", string(method)); err != nil {
			return err
		}
		text, err := os.ReadFile(filepath.Join(folder, "report.json"))
		if err != nil {
			return err
		}
		var report analyze.Report
		if err := json.Unmarshal(text, &report); err != nil {
			return err
		}
		if by[method] == nil {
			by[method] = &tally{}
		}
		by[method].add(count(&report, slow))
	}
	return nil
}

func count(report *analyze.Report, slow []string) tally {
	t := tally{checks: 1}
	for _, v := range report.Verdicts {
		planted, violated := slices.Contains(slow, v.Function), v.Verdict == judge.Violated
		switch {
		case planted:
			t.planted++
			if violated {
				t.found++
			}
		case violated:
			t.falseFound++
			t.anyFalse = 1
		}
	}
	return t
}

func (r real) toml(percent int) string {
	var b strings.Builder
	fmt.Fprintf(&b, "[check]\nguidelines = []\n[job]\nnp = [%d]\nmpiruns = %d\nmsizes = [\"%s\"]\n[nrep]\nfixed = 100\n", r.np, r.mpiruns, strings.Join(r.msizes, `", "`))
	if percent > 0 {
		var plants []string
		for _, c := range slowed() {
			plants = append(plants, fmt.Sprintf("%s:0..1024Mi:%d%%", c, percent))
		}
		library, _ := filepath.Abs(r.rank + "-delay.so")
		fmt.Fprintf(&b, "[mpi]\nenv = { LD_PRELOAD = %q, PGMPI_DELAY = %q }\n", library, strings.Join(plants, ","))
	}
	for _, c := range mockups.Identities() {
		fmt.Fprintf(&b, "[[guideline]]\nid = %q\npattern = { function = %q, mockup = %q }\n", "self-"+strings.TrimPrefix(c, "MPI_"), c, mockups.IdentityOf(c))
	}
	return b.String()
}

// command runs the driver; that it finds violations is no error.
func (r real) command(args ...string) error {
	out, err := exec.Command(r.pgmpi, args...).CombinedOutput()
	var failed *exec.ExitError
	if errors.As(err, &failed) && failed.ExitCode() == 1 {
		return nil
	}
	if err != nil {
		return fmt.Errorf("%s %s: %w\n%s", r.pgmpi, strings.Join(args, " "), err, out)
	}
	return nil
}
