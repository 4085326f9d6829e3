package app

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"pgmpi/internal/conf/glfile"
	"pgmpi/internal/fail"
	"pgmpi/internal/feature/remedy/conformance"
	"pgmpi/internal/regular"
	"pgmpi/internal/tuning"
	"pgmpi/internal/untimed"
	"pgmpi/measure/results"
	"pgmpi/mockups"
)

const (
	rulesFile = "mockups.txt"
	applyFile = "apply.json"
)

// Application puts mock-ups into a program's calls. It keeps only mock-ups by which the program is shown to gain.
type Application struct {
	*Program
	Gain     *GainResult
	Config   *glfile.File // the check's
	Out      string       // the folder of the setting
	Pairs    int
	SameBits bool
	Tell     func(step string)

	result *ApplyResult
	made   string // a folder for the time of the proof
}

// Do proves the rules: legal under all sizes, in force by their own counters, and faster in the program.
func (a *Application) Do(ctx context.Context) (_ *ApplyResult, err error) {
	g := a.Gain
	a.result = &ApplyResult{Schema: ApplySchema, Check: g.Check, Profile: g.Profile, Program: g.Program, WallS: g.WallS, SameBits: a.SameBits, Rules: []AppliedRule{}}
	for _, f := range g.Findings {
		a.choose(f)
	}
	if len(a.result.Rules) == 0 {
		a.result.Why = "none of its calls is shown to be faster by a mock-up alone"
		return a.result, nil
	}
	if a.made, err = os.MkdirTemp("", "pgmpi-apply-"); err != nil {
		return nil, fail.AsSetup(err)
	}
	defer os.RemoveAll(a.made)
	if err := a.legal(ctx); err != nil || a.result.Why != "" {
		return a.result, err
	}
	if err := a.compare(ctx); err != nil || a.result.Why != "" {
		return a.result, err
	}
	return a.result, a.write()
}

// choose makes a rule of what only a mock-up is shown to mend.
func (a *Application) choose(f GainFinding) {
	if f.Mockup == "" || f.Why != "" || f.Bytes == 0 || !mockups.Applies(f.Mockup) {
		return
	}
	types := "-"
	if of, _ := mockups.Get(f.Function); of.Reduces {
		types = "all"
		if a.SameBits {
			types = "exact"
		}
	}
	a.result.Rules = append(a.result.Rules, AppliedRule{Function: f.Function, Processes: f.Processes, From: f.Bytes, To: f.Bytes, Mockup: f.Mockup, Types: types})
	a.result.Predicted.Add(f.Saved)
}

func rulesText(rules []AppliedRule) string {
	text := "# collective, processes, first and last size in bytes of one block, mock-up, datatypes\n"
	for _, r := range rules {
		text += r.Line() + "\n"
	}
	return text
}

// legalTo limits the size of a block in conformance calls.
const legalTo = 4 << 20

// legal makes conformance calls with the mock-ups at every size. It compares what goes wrong with the library
// alone.
func (a *Application) legal(ctx context.Context) error {
	a.Tell("conformance calls")
	all := slices.Clone(a.result.Rules)
	var functions []string
	for i := range all {
		all[i].From, all[i].To = 1, legalTo
		functions = append(functions, all[i].Function)
	}
	path := filepath.Join(a.made, "all.txt")
	if err := os.WriteFile(path, []byte(rulesText(all)), 0o666); err != nil {
		return fail.AsSetup(err)
	}
	once, err := untimed.NewOnce(a.Config, nil)
	if err != nil {
		return err
	}
	env := map[string]string{tuning.Preload: tuning.Loading(a.Preload), "PGMPI_APPLY": path}
	with, err := conformance.Make(ctx, once, env, nil, functions...)
	if err != nil {
		return err
	}
	bad := wrong(with)
	if len(bad) > 0 {
		without, err := conformance.Make(ctx, once, nil, nil, functions...)
		if err != nil {
			return err
		}
		alone := wrong(without)
		bad = slices.DeleteFunc(bad, func(call string) bool { return slices.Contains(alone, call) })
	}
	if a.result.Legal = len(with); len(bad) > 0 {
		a.result.Why = fmt.Sprintf("%d conformance calls go wrong with the mock-ups, such as %s", len(bad), bad[0])
	}
	return nil
}

func wrong(calls []conformance.Outcome) (out []string) {
	for _, c := range calls {
		if c.State != conformance.Right {
			out = append(out, fmt.Sprintf("%s on %d processes: %s", c.Call, c.NP, c.State))
		}
	}
	return out
}

// compare runs the program alternately without the rules and with them. It leaves out rules that none of its calls
// met.
func (a *Application) compare(ctx context.Context) (err error) {
	rules, applied := filepath.Join(a.made, rulesFile), filepath.Join(a.made, "applied")
	if err := os.WriteFile(rules, []byte(rulesText(a.result.Rules)), 0o666); err != nil {
		return fail.AsSetup(err)
	}
	a.result.AB, err = a.AB(ctx, a.Pairs, Setting{Ranks: map[string]string{"PGMPI_APPLY": rules, "PGMPI_APPLIED": applied}}, a.Tell)
	if err != nil {
		return err
	}
	if err := a.count(applied); err != nil {
		return err
	}
	a.result.Rules = slices.DeleteFunc(a.result.Rules, func(r AppliedRule) bool { return r.Hits == 0 })
	switch x := a.result.AB; {
	case len(a.result.Rules) == 0:
		a.result.Why = "no call of the program went through a mock-up: they have other datatypes or operators, or do not come to the preloaded library (it says so on standard error)"
	case x.RatioHi < 1:
		a.result.Why = fmt.Sprintf("it is slower with them, %.2f× as fast; the check does not see what they meet in the program, such as its malloc", x.Ratio)
	case x.RatioLo <= 1:
		a.result.Why = "it is not shown to be faster with them"
	}
	return nil
}

// count reads how many calls went through each rule.
func (a *Application) count(path string) error {
	text, err := regular.Read(path, 16<<20)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	lines := bufio.NewScanner(bytes.NewReader(text))
	for lines.Scan() {
		var hits int64
		if _, err := fmt.Sscan(lines.Text(), &hits); err != nil {
			continue
		}
		_, rule, _ := strings.Cut(lines.Text(), " ")
		for i, r := range a.result.Rules {
			if strings.HasPrefix(r.Line(), rule+" ") {
				a.result.Rules[i].Hits += hits
			}
		}
	}
	return err
}

// write makes the folder of the setting, or replaces its files.
func (a *Application) write() error {
	folder, err := filepath.Abs(a.Out)
	if err == nil {
		err = os.MkdirAll(folder, 0o777)
	}
	if err != nil {
		return fail.AsSetup(err)
	}
	a.result.Folder = folder
	env, err := tuning.EnvSh(map[string]string{tuning.Preload: a.Preload, "PGMPI_APPLY": filepath.Join(folder, rulesFile)}, []string{
		"For " + a.result.Program + " alone, which was run with it. On other hosts Open MPI's mpirun needs -x LD_PRELOAD -x PGMPI_APPLY."})
	if err != nil {
		return fail.AsSetup(err)
	}
	to := results.Folder{Path: folder}
	d := applications.Document(a.result)
	readme, err := applications.Format("table")
	if err != nil {
		return err
	}
	return errors.Join(to.WriteText(rulesFile, rulesText(a.result.Rules)), to.WriteJSON(applyFile, a.result),
		to.WriteFile(results.Readme, func(w io.Writer) error { return readme.Write(w, d) }), to.WriteText(tuning.EnvFile, string(env)))
}
