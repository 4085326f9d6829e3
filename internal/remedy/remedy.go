package remedy

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"pgmpi/analyze"
	"pgmpi/analyze/explore"
	"pgmpi/analyze/judge"
	"pgmpi/analyze/medians"
	"pgmpi/analyze/report"
	"pgmpi/analyze/series"
	"pgmpi/guidelines"
	"pgmpi/internal/clean"
	"pgmpi/internal/conf"
	"pgmpi/internal/conf/glfile"
	"pgmpi/internal/exitcode"
	"pgmpi/internal/experiment"
	"pgmpi/internal/experiment/run"
	"pgmpi/internal/fail"
	"pgmpi/internal/phrase"
	"pgmpi/internal/reading"
	"pgmpi/internal/tuning"
	"pgmpi/internal/untimed"
	"pgmpi/measure"
	"pgmpi/measure/protocol"
	"pgmpi/measure/results"
	"pgmpi/mockups"
)

// Remedy looks for a setting of the MPI library that mends what a check calls violated,
// and proves it.
type Remedy struct {
	Config  *glfile.File // of the check, with flags
	Check   string       // its results folder, or an exploration's
	Mpiruns int          // of each side of a proof; 0 for as many as one harmed case needs to be seen
	Force   bool         // write over an earlier remedy
	Version string
	Tell    func(run.Event)
	Start   measure.Starter // by default measure.Exec

	once    *untimed.Once
	target  tuning.Target
	plan    *guidelines.Plan // of proofs
	checked *results.Manifest
	// explored is the exploration that is in the folder, in place of a check.
	explored *explore.Exploration
	work     string            // folder of the mpiruns
	alone    []untimed.Outcome // conformance calls without a setting
	files    []string          // that were written, by name
	found    *report.RemedyResult
	held     setting // what is proved so far
}

// setting holds choices, their files and environment, and the findings about them.
// Without choices it is the library as it is.
type setting struct {
	choices     []tuning.Choice
	env         map[string]string
	files       []tuning.File
	inEffect    []report.Effect
	effects     *effects
	conformance int // conformance calls
	mpiruns     int
}

func folderOf(check string) string { return filepath.Join(check, "remedy") }

// Prepare judges the folder and refuses what cannot be begun; it writes and starts nothing.
// It returns false if nothing is violated, or no algorithm that was explored is faster.
func (x *Remedy) Prepare() (bool, error) {
	folder, m, err := reading.Open(x.Check, results.Check, results.Explore)
	if err != nil {
		return false, err
	}
	data, err := reading.Collect(folder, m, m.R)
	if err != nil {
		return false, err
	}
	unfinished, err := reading.Unfinished(folder, m, data)
	if err != nil {
		return false, err
	}
	if unfinished {
		return false, fail.Setupf("%s is not finished, and may find more: `%s` goes on", x.Check, m.Kind.GoesOn(conf.Quote(x.Check)))
	}
	x.plan, x.checked = &m.Plan, m
	var cells []report.RemedyCell
	if m.Kind == results.Explore {
		cells, err = x.fromExploration(data)
	} else {
		cells, err = x.fromCheck(folder, data)
	}
	if err != nil {
		return false, err
	}
	path, err := filepath.Abs(folderOf(x.Check))
	if err != nil {
		return false, fail.AsSetup(err)
	}
	if !x.Force && !results.IsFresh(path) {
		return false, fail.Setupf("%s is not empty: --force writes over the remedy there, and keeps its mpiruns", path)
	}
	x.found = &report.RemedyResult{Schema: report.RemedySchema, Version: x.Version, Created: time.Now().UTC().Format(time.RFC3339), Library: m.Rank.LibVersion,
		Check: x.Check, Kind: m.Kind, Folder: path, Alpha: x.Config.Analyze.Alpha, MinSlowdown: x.Config.Analyze.MinSlowdown,
		Harm:  cmp.Or(x.Config.Remedy.Harm, x.Config.Analyze.MinSlowdown),
		Cells: cells, Env: map[string]string{}, Files: []string{}, Effects: []report.Effect{}, Rejected: []tuning.Rejected{}, Proofs: []report.Proof{}, Profiles: []string{}, Notes: []string{}}
	return len(cells) > 0, nil
}

func (x *Remedy) fromCheck(folder *results.Folder, data *medians.Set) ([]report.RemedyCell, error) {
	j, err := reading.Judged(folder, x.checked, data, x.Config.Analyze)
	if err != nil {
		return nil, err
	}
	cells := violatedCells(j.Report)
	if no := j.Report.Refused; no != nil && len(cells) == 0 {
		return nil, &fail.Refused{Reason: no.Reason}
	}
	return cells, nil
}

// fromExploration returns the cells where an own algorithm is shown to be faster. Proofs then
// measure the collectives that were explored, with the mock-ups of all guidelines.
func (x *Remedy) fromExploration(data *medians.Set) ([]report.RemedyCell, error) {
	var err error
	if x.explored, err = explore.Explore(x.checked, data, x.Config.Analyze); err != nil {
		return nil, err
	}
	f := *x.Config
	f.Guideline, f.Check = nil, guidelines.Config{Guidelines: []string{"GL1..GL29"}, Exclude: []string{}}
	cells := []report.RemedyCell{}
	for _, c := range x.explored.Cells {
		if !slices.Contains(f.Check.Functions, c.Function) {
			f.Check.Functions = append(f.Check.Functions, c.Function)
		}
		if c.Word == explore.OwnAlgorithm {
			cells = append(cells, report.RemedyCell{Cell: c.Cell, NP: c.NP, Guidelines: []string{}, Ratio: c.Own.Ratio, State: report.CellNotProved, By: []string{}})
		}
	}
	x.Config = &f
	if x.plan, err = f.Plan(f.Job.NP); err != nil {
		return nil, fail.AsSetup(err)
	}
	return cells, nil
}

// Do tries choices in the order of remedy.kinds, returns those that are proved, and writes
// them into the folder of the remedy.
func (x *Remedy) Do(ctx context.Context) (*report.RemedyResult, error) {
	if len(x.found.Cells) == 0 {
		return x.found, nil
	}
	if err := x.begin(ctx); err != nil {
		return nil, err
	}
	err := x.try(ctx)
	if err != nil && len(x.held.choices) == 0 {
		return nil, err
	}
	if err != nil { // what is proved took many mpiruns
		x.note("it ended early, and what is proved so far is here: %v", err)
	}
	return x.found, errors.Join(x.export(), err)
}

func (x *Remedy) try(ctx context.Context) error {
	if x.explored != nil {
		list, err := untimed.ReadAlgorithms(ctx, x.Config, x.Start)
		if err != nil {
			return err
		}
		return x.tryOf(ctx, x.explored, list)
	}
	for _, kind := range []struct {
		of  tuning.Kind
		try func(context.Context) error
	}{{tuning.ByEnv, x.tryEnvironment}, {tuning.OwnAlgorithm, x.tryAlgorithms}, {tuning.ByComponent, x.tryComponents}} {
		if !x.Config.Remedy.Wants(kind.of) {
			continue
		}
		if err := kind.try(ctx); err != nil {
			return err
		}
	}
	return nil
}

// begin makes the folder, and asks the library for what does not depend on a setting.
func (x *Remedy) begin(ctx context.Context) (err error) {
	if x.once, err = untimed.NewOnce(x.Config, x.Start); err != nil {
		return err
	}
	if err := x.sameLibrary(); err != nil {
		return err
	}
	if x.target, err = x.once.Target(ctx, x.found.Folder); err != nil {
		return err
	}
	if err := os.MkdirAll(x.found.Folder, 0o777); err != nil {
		return fail.AsSetup(err)
	}
	// The folder has no setting until one is proved.
	for _, name := range append([]string{report.RemedyFile, report.ReadmeFile, report.SettingTOML, report.Profiles}, tuning.FileNames()...) {
		if err := os.RemoveAll(filepath.Join(x.found.Folder, name)); err != nil {
			return fail.AsSetup(err)
		}
	}
	x.work = run.NewFolder(filepath.Join(x.found.Folder, "proof-"), time.Now())
	x.Tell(run.Event{Step: "conformance calls without a setting"})
	x.alone, err = x.once.Conformance(ctx, nil)
	return err
}

// sameLibrary refuses to prove with another library than the one that was checked, and notes other
// differences.
func (x *Remedy) sameLibrary() error {
	now, then := x.once.Rank(), x.checked
	if now.LibVersion != "" && then.Rank.LibVersion != "" && now.LibVersion != then.Rank.LibVersion {
		return fail.Setupf("%s is a check of %s, and the rank program now runs with %s: check that library first, or give --rank and --launch of the other",
			x.Check, clean.Line(phrase.ShortVersion(then.Rank.LibVersion)), clean.Line(phrase.ShortVersion(now.LibVersion)))
	}
	if now.Hash != then.Rank.Hash {
		x.note("the rank program is another than in the check (%s, then %s)", clean.Line(now.Hash), clean.Line(then.Rank.Hash))
	}
	x.found.Host, _ = os.Hostname()
	if old := then.Factors.Hostname; x.found.Host != old {
		x.note("what is proved here holds for %s; the check was made on %s", clean.Line(x.found.Host), clean.Line(old))
	}
	return nil
}

func (x *Remedy) tryEnvironment(ctx context.Context) error {
	c, may := environmentChoice(x.found.Cells, sizesOf(x.plan, "", 0))
	if !may {
		x.note("malloc's variables were not tried: no violated case is of 128 KiB or more, or meets page faults")
		return nil
	}
	return x.prove(ctx, []tuning.Choice{c})
}

// tryAlgorithms explores the collectives that are still violated, under the proved setting.
func (x *Remedy) tryAlgorithms(ctx context.Context) error {
	functions, sizes := x.unmended()
	if len(functions) == 0 {
		return nil
	}
	f := *x.Config
	f.Check.Functions, f.NREP.Predictions, f.NREP.Fixed = functions, 1, 0
	f.Job.MPIRuns, f.Job.Looks, f.Gate = 0, nil, series.DefaultGate()
	if len(sizes) > 0 {
		f.Job.Msizes = sizes
	}
	f.MPI.Env = measure.Env(f.MPI.Env, x.held.env)
	list, err := untimed.ReadAlgorithms(ctx, &f, x.Start)
	if err != nil {
		return err
	}
	e, err := x.explore(ctx, &f, list)
	if err != nil || e == nil {
		return err
	}
	return x.tryOf(ctx, e, list)
}

// tryOf proves what an exploration has found.
func (x *Remedy) tryOf(ctx context.Context, e *explore.Exploration, list *report.Algorithms) error {
	if choices := algorithmChoices(e, x.found.Cells, x.plan, list.Collectives); len(choices) > 0 {
		return x.prove(ctx, slices.Concat(x.held.choices, choices))
	}
	return nil
}

// tryComponents proves other components of the library one by one, beside what is proved
// already: each acts on all sizes, so only a proof of its own can tell what it harms.
func (x *Remedy) tryComponents(ctx context.Context) error {
	functions, _ := x.unmended()
	for _, c := range tuning.Components(x.target.Library, functions) {
		if still, _ := x.unmended(); len(still) == 0 {
			return nil
		}
		c.NP = x.found.Cells[0].NP
		if err := x.prove(ctx, append(slices.Clone(x.held.choices), c)); err != nil {
			return err
		}
	}
	return nil
}

// unmended returns the collectives with algorithms, and the sizes, of the cells that are not
// mended yet.
func (x *Remedy) unmended() (functions, sizes []string) {
	for _, c := range x.found.Cells {
		if c.State == report.CellMended || c.State == report.CellNotAgain || !slices.Contains(mockups.Collectives(), c.Function) {
			continue
		}
		if !slices.Contains(functions, c.Function) {
			functions = append(functions, c.Function)
		}
		if text := fmt.Sprint(c.Msize); c.Msize > 0 && !slices.Contains(sizes, text) {
			sizes = append(sizes, text)
		}
	}
	return functions, sizes
}

// explore returns nil if the library names no algorithms.
func (x *Remedy) explore(ctx context.Context, f *glfile.File, list *report.Algorithms) (*explore.Exploration, error) {
	if n, _ := list.Count(); n == 0 {
		x.note("no algorithms were tried: %s does not tell any of its own (MPI_T)", list.Library)
		return nil, nil
	}
	x.Tell(run.Event{Step: fmt.Sprintf("exploring the library's own algorithms of %s", conf.Plural(len(f.Check.Functions), "violated collective"))})
	c, err := run.New(ctx, experiment.Explore, f, x.into(filepath.Join(x.work, "explore")))
	if err != nil {
		return nil, x.unless(ctx, err, "no algorithms were tried")
	}
	if err := c.Open(); err != nil {
		return nil, err
	}
	defer c.Close()
	found, err := c.Do(ctx)
	if err != nil {
		return nil, err
	}
	return found.Value.(*explore.Exploration), nil
}

// into says how an experiment is done in a folder.
func (x *Remedy) into(path string) run.Options {
	return run.Options{Path: path, Version: x.Version, Tell: x.Tell, Start: x.Start}
}

// unless notes a set-up error as the reason why something was not tried, and returns others.
func (x *Remedy) unless(ctx context.Context, err error, what string) error {
	var s *fail.Setup
	if ctx.Err() != nil || !errors.As(err, &s) {
		return err
	}
	x.note("%s: %v", what, err)
	return nil
}

func (x *Remedy) note(format string, args ...any) {
	x.found.Notes = append(x.found.Notes, fmt.Sprintf(format, args...))
}

// prove tests choices, drops those that fail, and repeats with the rest until none fails or
// none of the newest kind is left. Then what was held before still is.
func (x *Remedy) prove(ctx context.Context, choices []tuning.Choice) error {
	newest := choices[len(choices)-1].Kind
	for slices.ContainsFunc(choices, func(c tuning.Choice) bool { return c.Kind == newest }) {
		if len(x.found.Proofs) >= x.Config.Remedy.Proofs {
			return x.drop(&choices, newestOf(choices, fmt.Sprintf("not proved: remedy.proofs = %d are used up", x.Config.Remedy.Proofs)))
		}
		p := setting{choices: choices}
		back, err := x.withoutClock(ctx, &p)
		if err == nil && len(back) == 0 {
			back, err = x.measured(ctx, &p)
		}
		switch {
		case err != nil:
			return err
		case len(back) == 0:
			x.held = p
			x.found.Proofs[len(x.found.Proofs)-1].Holds = true
			x.cellsBy(p.effects, p.choices)
			return nil
		}
		if err := x.drop(&choices, back); err != nil {
			return err
		}
	}
	return nil
}

func newestOf(choices []tuning.Choice, reason string) (out []tuning.Rejected) {
	newest := choices[len(choices)-1].Kind
	return rejected(nil, slices.DeleteFunc(slices.Clone(choices), func(c tuning.Choice) bool { return c.Kind != newest }), reason)
}

// rejected adds the choices that are not in a list yet.
func rejected(list []tuning.Rejected, choices []tuning.Choice, reason string) []tuning.Rejected {
	for _, c := range choices {
		if !has(list, c) {
			list = append(list, c.Rejected(reason))
		}
	}
	return list
}

func has(list []tuning.Rejected, c tuning.Choice) bool {
	return slices.ContainsFunc(list, func(r tuning.Rejected) bool { return r.Choice.Key() == c.Key() })
}

func (x *Remedy) drop(choices *[]tuning.Choice, back []tuning.Rejected) error {
	for _, d := range back {
		x.Tell(run.Event{Sentence: fmt.Sprintf("taken back: %s: %s", d.Label, d.Reason)})
	}
	x.found.Rejected = append(x.found.Rejected, back...)
	before := len(*choices)
	*choices = slices.DeleteFunc(slices.Clone(*choices), func(c tuning.Choice) bool { return has(back, c) })
	if len(*choices) == before {
		return fmt.Errorf("internal error: nothing of %d choices was taken back", before)
	}
	return nil
}

func (x *Remedy) cellsBy(e *effects, by []tuning.Choice) {
	for i := range x.found.Cells {
		e.outcome(&x.found.Cells[i], by)
	}
}

// withoutClock writes the files of a setting and returns the choices that cannot be written,
// are not in effect, or let conformance calls fail.
func (x *Remedy) withoutClock(ctx context.Context, p *setting) ([]tuning.Rejected, error) {
	written, refused, err := tuning.Write(x.target, joined(p.choices))
	if err != nil {
		return nil, fail.AsSetup(err)
	}
	if len(refused) > 0 {
		return partsOf(p.choices, refused, "it cannot be written: "), nil
	}
	if p.env, p.files, err = tuning.Join(written); err != nil {
		return nil, fail.AsSetup(err)
	}
	if reason := setAlready(x.Config.MPI.Env, p.env); reason != "" {
		return newestOf(p.choices, reason), nil
	}
	if err := x.writeFiles(p.files); err != nil {
		return nil, err
	}
	x.Tell(run.Event{Step: "is the setting in force, and are conformance calls right under it?"})
	var entries []tuning.Entry
	for _, s := range written {
		entries = append(entries, s.Entries...)
	}
	if p.inEffect, err = x.once.Effects(ctx, p.env, entries); err != nil {
		return nil, err
	}
	var off []tuning.Rejected
	for _, f := range p.inEffect {
		if f.State == report.NotInEffect {
			off = append(off, f.Entry.Choice.Rejected(f.Text))
		}
	}
	if len(off) > 0 {
		return partsOf(p.choices, off, "it is not in force: "), nil
	}
	all, err := x.once.Conformance(ctx, p.env)
	if err != nil {
		return nil, err
	}
	p.conformance = len(all)
	return nonconforming(p.choices, untimed.NewlyBad(x.alone, all)), nil
}

// setAlready returns why an environment cannot be tried beside mpi.env, if so.
func setAlready(mine, env map[string]string) string {
	for _, name := range tuning.Variables(env) {
		if old, ok := mine[name]; ok && old != env[name] {
			return fmt.Sprintf("mpi.env sets %s to %q already", name, old)
		}
	}
	return ""
}

// partsOf returns the choices, before joining, that rejected choices consist of.
func partsOf(choices []tuning.Choice, joined []tuning.Rejected, why string) (out []tuning.Rejected) {
	for _, j := range joined {
		for _, c := range choices {
			if whole := j.Choice; c.Kind == whole.Kind && c.Function == whole.Function && c.NP == whole.NP && c.Algorithm == whole.Algorithm {
				out = append(out, c.Rejected(why+j.Reason))
			}
		}
	}
	return out
}

// nonconforming returns the choices of the collectives that fail conformance calls, or else all of
// the newest kind.
func nonconforming(choices []tuning.Choice, bad []untimed.Outcome) (out []tuning.Rejected) {
	for _, o := range bad {
		reason := fmt.Sprintf("a conformance call goes wrong with it: %s on %s: %s", o.Call, o.Shape, o.State)
		if o.Message != "" {
			reason += ": " + o.Message
		}
		found, _ := culprits(choices, report.Harm{Cell: medians.Cell{Function: o.Function, Msize: o.Msize}}, choices[len(choices)-1].Kind)
		out = rejected(out, found, reason)
	}
	return out
}

// measured compares the library without and with a setting, in fresh mpiruns, and returns
// the choices that this rejects.
func (x *Remedy) measured(ctx context.Context, p *setting) ([]tuning.Rejected, error) {
	n := len(x.found.Proofs) + 1
	name := fmt.Sprintf("ab-%d", n)
	x.Tell(run.Event{Step: fmt.Sprintf("proof %d: the whole plan without and with %s", n, conf.Plural(len(p.choices), "choice"))})
	e, mpiruns, err := x.compare(ctx, filepath.Join(x.work, name), p.env, p.choices)
	if err != nil {
		return nil, err
	}
	p.effects, p.mpiruns = e, mpiruns
	record := report.Proof{Folder: filepath.Join(filepath.Base(x.work), name), Tried: []string{}, Mpiruns: mpiruns, Cases: e.harmed.M, Helped: e.faster(), Harms: e.harms()}
	e.exclude(p.choices, &record)
	for _, c := range joined(p.choices) {
		record.Tried = append(record.Tried, c.Label())
	}
	x.found.Proofs = append(x.found.Proofs, record)
	if len(x.held.choices) == 0 {
		x.cellsBy(e, nil)
		for i := range x.found.Cells { // should nothing hold
			if s := &x.found.Cells[i].State; *s == report.CellMended || *s == report.CellFaster {
				*s = report.CellTakenBack
			}
		}
	}
	back := e.rejects(p.choices)
	if len(back) == 0 && len(x.held.choices) > 0 && !e.betters(x.found.Cells) {
		back = newestOf(p.choices, "with it no violated cell is better off than with what is proved already")
	}
	return back, nil
}

// With leastProving pairs a difference in all mpiruns shows; no adjustment needs more than
// mostProving.
const leastProving, mostProving = 10, 40

// mpiruns returns the smallest R at which a single case that is slower in all pairs is
// significant: the least p-value of the signed-rank test, 2⁻ᴿ, times all cases.
func (x *Remedy) mpiruns() int {
	if x.Mpiruns > 0 {
		return x.Mpiruns
	}
	cases := 0
	for _, k := range x.plan.Cases {
		if strings.HasPrefix(k.Function, "MPI_") {
			cases++
		}
	}
	r := leastProving
	for r < mostProving && math.Ldexp(float64(cases), -r) > x.Config.Analyze.Alpha/harmLooks {
		r++
	}
	return r
}

func (x *Remedy) compare(ctx context.Context, path string, env map[string]string, choices []tuning.Choice) (*effects, int, error) {
	ab, err := x.sides(ctx, path, env)
	if err != nil {
		return nil, 0, err
	}
	helps, harms := questions(x.Config.Analyze, x.found, choices)
	if err := answers(ab, helps, harms); err != nil {
		return nil, 0, err
	}
	for _, side := range ab.Sides {
		if err := side.Open(); err != nil {
			return nil, 0, err
		}
		defer side.Close()
	}
	if err := ab.Measure(ctx); err != nil {
		return nil, 0, err
	}
	both, err := ab.Judge()
	if err != nil {
		return nil, 0, err
	}
	a, b := both[0].Side(ab.Names[0]), both[1].Side(ab.Names[1])
	e, err := effectsOf(a, b, x.Config.Analyze, x.found, choices)
	if err == nil && len(e.rejects(choices)) == 0 {
		err = x.lookAgain(ctx, ab, [2]*analyze.Side{a, b}, e, choices)
	}
	mpiruns := 0
	for _, side := range ab.Sides {
		m := side.Manifest
		mpiruns += (m.R + m.Runs(protocol.ModeSplit) + m.Runs(protocol.ModeConfirm)) * len(x.plan.Shapes)
	}
	return e, mpiruns, err
}

// lookAgain measures the cases again that point to harm without showing it, with others as their
// yardstick. Only these mpiruns then tell whether those are harmed.
func (x *Remedy) lookAgain(ctx context.Context, ab *experiment.AB, sides [2]*analyze.Side, e *effects, choices []tuning.Choice) error {
	cases := e.pointing(sides[0], choices)
	if len(cases) == 0 {
		return nil
	}
	x.Tell(run.Event{Step: "measuring again what points to harm"})
	if err := ab.Again(ctx, cases, 2*sides[0].Manifest.R); err != nil {
		return err
	}
	for i, c := range ab.Sides {
		set, err := c.Collected()
		if err != nil {
			return err
		}
		sides[i].Set = set
	}
	return e.lookAgain(sides[0].Again(), sides[1].Again(), x.Config.Analyze, x.found, choices)
}

// sides are the plan of the check without and with a setting.
func (x *Remedy) sides(ctx context.Context, path string, env map[string]string) (*experiment.AB, error) {
	ab := &experiment.AB{Out: path, Names: [2]string{"without the setting", "with it"}, Split: func(v *analyze.Verdict) int64 {
		i := slices.IndexFunc(x.found.Cells, func(c report.RemedyCell) bool { return c.Cell == v.Cell() })
		if i < 0 {
			return 0
		}
		return x.found.Cells[i].SplitOf
	}}
	for i, more := range []map[string]string{nil, env} {
		f := *x.Config
		f.Job.MPIRuns, f.Job.Looks, f.Gate = x.mpiruns(), nil, series.DefaultGate()
		f.MPI.Env = measure.Env(f.MPI.Env, more)
		side, err := run.New(ctx, experiment.Side, &f, x.into(filepath.Join(path, string(rune('a'+i)))))
		if err != nil {
			return nil, err
		}
		ab.Sides[i] = side
	}
	return ab, nil
}

// harmLooks share alpha: cases that point to harm are measured again.
const harmLooks = 2

// questions returns the two of a proof: are the violated cases faster, as a family of their
// own, and is any case slower?
func questions(cfg judge.Config, r *report.RemedyResult, choices []tuning.Choice) (helps, harms series.CompareConfig) {
	helps = series.CompareConfig{Config: cfg, Alternative: judge.Less, Paired: true, Yardstick: func(c medians.Cell) bool { return !changes(choices, c) }, Only: func(c medians.Cell) bool {
		return slices.ContainsFunc(r.Cells, func(v report.RemedyCell) bool { return v.Cell == c })
	}}
	harms = helps
	helps.All, harms.Alternative, harms.Only = true, judge.Greater, nil
	harms.MinSlowdown, harms.Alpha = r.Harm, cfg.Alpha/harmLooks
	return helps, harms
}

// answers returns an error where mpiruns are too few to answer a question.
func answers(x *experiment.AB, questions ...series.CompareConfig) error {
	for _, q := range questions {
		d, err := series.CompareDesign(analyze.Planned("A", x.Sides[0].Manifest), analyze.Planned("B", x.Sides[1].Manifest), q)
		if no := (*analyze.NotComparable)(nil); errors.As(err, &no) {
			return fail.AsSetup(err)
		}
		if err := experiment.Refused(d, err); err != nil {
			return err
		}
	}
	return nil
}

// It is OK if nothing was violated, and if something was mended.
func exitCode(r *report.RemedyResult) int {
	if len(r.Cells) == 0 || len(r.Env) > 0 {
		return exitcode.OK
	}
	return exitcode.NoVerdict
}
