package remedy

import (
	"cmp"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"pgmpi/analyze"
	"pgmpi/analyze/judge"
	"pgmpi/analyze/medians"
	"pgmpi/analyze/report"
	"pgmpi/analyze/series"
	"pgmpi/guidelines"
	"pgmpi/internal/conf"
	"pgmpi/internal/conf/glfile"
	"pgmpi/internal/experiment"
	"pgmpi/internal/experiment/run"
	"pgmpi/internal/fail"
	"pgmpi/internal/lists"
	"pgmpi/internal/tuning"
	"pgmpi/internal/untimed"
	"pgmpi/measure"
	"pgmpi/measure/protocol"
	"pgmpi/mockups"
)

// setting holds choices, their files and environment, and the findings about them.
// Without choices it is the library as it is.
type setting struct {
	choices     []tuning.Choice
	folder      string // of its files
	env         map[string]string
	files       []tuning.File
	entries     []tuning.Entry
	inEffect    []report.Effect
	effects     *effects
	conformance int // conformance calls
	mpiruns     int
}

// write writes the files of a setting into its folder, except env.sh, which puts them in force. It
// returns the choices that cannot be written.
func (p *setting) write(t tuning.Target) ([]tuning.Rejected, error) {
	t.Folder = p.folder
	written, refused, err := tuning.Write(t, joined(p.choices))
	switch {
	case err != nil:
		return nil, fail.AsSetup(err)
	case len(refused) > 0:
		return partsOf(p.choices, refused, "it cannot be written: "), nil
	}
	p.entries = nil
	for _, s := range written {
		p.entries = append(p.entries, s.Entries...)
	}
	if p.env, p.files, err = tuning.Join(written); err != nil {
		return nil, fail.AsSetup(err)
	}
	if err := os.MkdirAll(p.folder, 0o777); err != nil {
		return nil, fail.AsSetup(err)
	}
	for _, f := range p.files {
		if f.Name != tuning.EnvFile {
			if err := writeFile(p.folder, f.Name, f.Content); err != nil {
				return nil, err
			}
		}
	}
	return nil, nil
}

// prove tests choices, drops those that fail, and repeats with the rest until none fails or all that
// are left are held before.
func (x *Remedy) prove(ctx context.Context, choices []tuning.Choice) error {
	for len(x.fresh(choices)) > 0 {
		if len(x.found.Proofs) >= x.section().Proofs {
			return x.drop(&choices, rejected(nil, x.fresh(choices), fmt.Sprintf("not proved: remedy.proofs = %d are used up", x.section().Proofs)))
		}
		p := setting{choices: choices, folder: filepath.Join(x.work, x.nameOf("ab", choices))}
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
			var newly []string
			for _, h := range p.effects.newlyViolated(false) {
				newly = append(newly, strings.Replace(h.Text, " is newly violated:", "", 1))
			}
			if len(newly) > 0 {
				x.note("newly violated because the other side became faster, by calls that are not slower: %s", strings.Join(newly, "; "))
			}
			x.cellsBy(p.effects, p.choices)
			return nil
		}
		if err := x.drop(&choices, back); err != nil {
			return err
		}
	}
	return nil
}

// nameOf names a folder by what is tried, beside what is held, so that a remedy that is resumed finds
// its mpiruns.
func (x *Remedy) nameOf(what string, choices []tuning.Choice) string {
	h := sha256.New()
	for _, c := range slices.Concat(choices, x.held.choices) {
		fmt.Fprintln(h, c.Key(), c.Extend)
	}
	return fmt.Sprintf("%s-%.4x", what, h.Sum(nil))
}

func (x *Remedy) fresh(choices []tuning.Choice) []tuning.Choice {
	return without(choices, x.held.choices)
}

func without(choices, others []tuning.Choice) []tuning.Choice {
	return slices.DeleteFunc(slices.Clone(choices), func(c tuning.Choice) bool {
		return slices.ContainsFunc(others, func(o tuning.Choice) bool { return o.Key() == c.Key() })
	})
}

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

// drop takes choices out. If one of them was held, nothing is held any more, and what is left of it is
// proved again.
func (x *Remedy) drop(choices *[]tuning.Choice, back []tuning.Rejected) error {
	for _, d := range back {
		x.Tell(run.Event{Sentence: fmt.Sprintf("taken back: %s: %s", d.Label, d.Reason)})
	}
	x.found.Rejected = append(x.found.Rejected, back...)
	left := slices.DeleteFunc(slices.Clone(*choices), func(c tuning.Choice) bool { return has(back, c) })
	if len(left) == len(*choices) {
		return fmt.Errorf("internal error: nothing of %d choices was taken back", len(left))
	}
	if *choices = left; len(without(x.held.choices, left)) > 0 {
		x.held = setting{}
		x.takenBack()
	}
	return nil
}

// takenBack marks the cells that a setting that is not held any more had made faster.
func (x *Remedy) takenBack() {
	for i := range x.found.Cells {
		if s := &x.found.Cells[i].State; *s == report.CellMended || *s == report.CellFaster {
			*s = report.CellTakenBack
		}
	}
}

func (x *Remedy) cellsBy(e *effects, by []tuning.Choice) {
	for i := range x.found.Cells {
		e.outcome(&x.found.Cells[i], by)
	}
}

// withoutClock writes the files of a setting and returns the choices that cannot be written,
// are not in effect, or let conformance calls fail.
func (x *Remedy) withoutClock(ctx context.Context, p *setting) ([]tuning.Rejected, error) {
	if back, err := p.write(x.target); err != nil || len(back) > 0 {
		return back, err
	}
	if reason := setAlready(x.Config.MPI.Env, p.env); reason != "" {
		return rejected(nil, x.fresh(p.choices), reason), nil
	}
	x.Tell(run.Event{Step: "is the setting in force, and are conformance calls right under it?"})
	var err error
	if p.inEffect, err = x.once.Effects(ctx, p.env, p.entries); err != nil {
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
	if points, err := x.pointsToHelp(ctx, p); err != nil || !points {
		return rejected(nil, x.fresh(p.choices), fmt.Sprintf("in %d pairs of mpiruns of the cells that are not mended none seems faster with it", fewProving)), err
	}
	bad, n, err := x.nonconforming(ctx, p)
	p.conformance = n
	return blamed(x.fresh(p.choices), bad), err
}

// nonconforming returns the conformance calls that are not right under a setting, and are without
// it, of n.
func (x *Remedy) nonconforming(ctx context.Context, p *setting) (bad []untimed.Outcome, n int, err error) {
	all, err := x.once.Conformance(ctx, p.env, p.entries)
	if err != nil {
		return nil, 0, err
	}
	var functions []string
	for _, o := range untimed.NewlyBad(nil, all) {
		functions = lists.With(functions, o.Function)
	}
	if len(functions) == 0 {
		return nil, len(all), nil
	}
	alone, err := x.once.Conformance(ctx, nil, p.entries, functions...)
	return untimed.NewlyBad(alone, all), len(all), err
}

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

func blamed(choices []tuning.Choice, bad []untimed.Outcome) (out []tuning.Rejected) {
	for _, o := range bad {
		reason := fmt.Sprintf("a conformance call goes wrong with it: %s on %s: %s", o.Call, o.Shape, o.State)
		if o.Message != "" {
			reason += ": " + o.Message
		}
		found, _ := culprits(choices, report.Harm{Cell: medians.Cell{Function: o.Function, Msize: o.Msize}})
		out = rejected(out, found, reason)
	}
	return out
}

// measured compares the library without and with a setting, and with what is held already, in fresh
// mpiruns, and returns the choices that this rejects.
func (x *Remedy) measured(ctx context.Context, p *setting) ([]tuning.Rejected, error) {
	n, of := len(x.found.Proofs)+1, "what they can change and all violated cells"
	if n > 1 {
		of = "what they can change"
	}
	x.Tell(run.Event{Step: fmt.Sprintf("proof %d: %s without and with %s", n, of, conf.Plural(len(p.choices), "choice"))})
	if err := x.compare(ctx, p); err != nil {
		return nil, err
	}
	e := p.effects
	record := report.Proof{Folder: filepath.Join(filepath.Base(x.work), filepath.Base(p.folder)), Tried: []string{}, Mpiruns: p.mpiruns, Cases: len(e.harmed.Cases), Helped: e.faster(), Harms: e.harms()}
	e.exclude(p.choices, &record)
	for _, c := range joined(p.choices) {
		record.Tried = append(record.Tried, c.String())
	}
	x.found.Proofs = append(x.found.Proofs, record)
	if len(x.held.choices) == 0 {
		x.cellsBy(e, nil)
		x.takenBack() // should nothing hold
	}
	back := e.rejects(p.choices)
	if len(back) == 0 && len(x.held.choices) > 0 && !e.betters(x.found.Cells) {
		back = rejected(nil, x.fresh(p.choices), "with it no violated cell is better off than with what is proved already")
	}
	return back, nil
}

// With leastProving pairs a difference in all mpiruns shows; no adjustment needs more than
// mostProving. In fewProving a cell that is faster in all shows a p-value below 1 %, by chance in one of 256.
const leastProving, mostProving, fewProving = 10, 40, 8

// mpiruns returns the smallest R at which a single case that is slower in all pairs is
// significant: the least p-value of the signed-rank test, 2⁻ᴿ, times all cases.
func (x *Remedy) mpiruns(plan *guidelines.Plan) int {
	if x.Mpiruns > 0 {
		return x.Mpiruns
	}
	cases := lists.Count(plan.Cases, func(k guidelines.Case) bool { return strings.HasPrefix(k.Function, "MPI_") })
	r := leastProving
	for r < mostProving && math.Ldexp(float64(cases), -r) > x.Config.Analyze.Alpha/harmLooks {
		r++
	}
	return r
}

// The sides of a proof; what is held already is the third, if anything is.
const alone, withIt, before = 0, 1, 2

func (x *Remedy) compare(ctx context.Context, p *setting) error {
	plan, envs := x.planOf(p), []map[string]string{nil, p.env}
	if len(x.held.choices) > 0 {
		envs = append(envs, x.held.env)
	}
	ab, err := x.sides(ctx, p.folder, plan, x.mpiruns(plan), envs...)
	if err != nil {
		return err
	}
	helps, harms := questions(x.Config.Analyze, x.found, p.choices)
	if err := answers(ab, helps, harms); err != nil {
		return err
	}
	return ab.Judged(ctx, func(sides []*analyze.Side) error {
		e, err := effectsOf(sides, x.Config.Analyze, x.found, p.choices, x.held.choices)
		// What is rejected already needs no splits, but the first proof tells the state of the cells.
		if err == nil && (len(x.found.Proofs) == 0 || len(e.rejects(p.choices)) == 0) {
			e, err = x.withSplits(ctx, ab, sides, p.choices)
		}
		if err == nil && len(e.rejects(p.choices)) == 0 {
			err = x.lookAgain(ctx, ab, sides, e, p.choices)
		}
		if p.effects = e; err == nil {
			e.addEarlier(x.held.effects)
		}
		for _, side := range ab.Sides {
			m := side.Manifest
			p.mpiruns += (m.Runs(protocol.ModeMeasure) + m.Runs(protocol.ModeSplit) + m.Runs(protocol.ModeConfirm)) * len(x.plan.Shapes)
		}
		return err
	})
}

func (x *Remedy) withSplits(ctx context.Context, ab *experiment.AB, sides []*analyze.Side, choices []tuning.Choice) (*effects, error) {
	err := ab.Splits(ctx, func(v *analyze.Verdict) int64 {
		if c := cellOf(x.found.Cells, v.Cell()); c != nil {
			return c.SplitOf
		}
		return 0
	})
	if err != nil {
		return nil, err
	}
	again, err := ab.Judge()
	if err != nil {
		return nil, err
	}
	copy(sides, again)
	return effectsOf(sides, x.Config.Analyze, x.found, choices, x.held.choices)
}

// pointsToHelp tells, after a few pairs of mpiruns of the cells that are not mended yet, whether any of
// them seems faster with what acts on the whole library than with what is held already. Algorithms come
// from an exploration that has shown that; the first proof tells the state of the cells.
func (x *Remedy) pointsToHelp(ctx context.Context, p *setting) (points bool, err error) {
	const seems = .01 // p-value, not adjusted
	fresh := x.fresh(p.choices)
	if len(x.found.Proofs) == 0 || !slices.ContainsFunc(fresh, func(c tuning.Choice) bool { return !forOne(c) }) {
		return true, nil
	}
	x.Tell(run.Event{Step: "does anything point to help?"})
	plan := partOf(x.plan, func(k medians.Cell) bool {
		c := cellOf(x.found.Cells, k)
		return c != nil && !c.State.Settled() && changes(fresh, k)
	}, p.choices)
	ab, err := x.sides(ctx, p.folder+"-look", plan, fewProving, x.held.env, p.env)
	if err != nil {
		return false, err
	}
	helps, _ := questions(x.Config.Analyze, x.found, p.choices)
	err = ab.Judged(ctx, func(sides []*analyze.Side) error {
		found, err := series.Compare(sides[alone], sides[withIt], helps)
		points = err == nil && slices.ContainsFunc(found.Cases, func(k series.CaseChange) bool {
			return k.PValue != nil && *k.PValue <= seems && *k.Ratio*x.found.MinSlowdown <= 1
		})
		return err
	})
	return points, err
}

// lookAgain measures the cases again that point to harm without showing it, with others as their
// yardstick. Only these mpiruns then tell whether those are harmed.
func (x *Remedy) lookAgain(ctx context.Context, ab *experiment.AB, sides []*analyze.Side, e *effects, choices []tuning.Choice) error {
	cases := e.pointing(sides[alone], choices)
	if len(cases) == 0 {
		return nil
	}
	x.Tell(run.Event{Step: "measuring again what points to harm"})
	two := &experiment.AB{Out: ab.Out, Sides: ab.Sides[:before]}
	if err := two.Again(ctx, cases, sides[alone].Manifest.R, sides); err != nil {
		return err
	}
	return e.lookAgain(sides[alone].Again(), sides[withIt].Again(), x.Config.Analyze, x.found, choices)
}

func (x *Remedy) sides(ctx context.Context, folder string, plan *guidelines.Plan, r int, envs ...map[string]string) (*experiment.AB, error) {
	ab := &experiment.AB{Out: folder}
	kind := *experiment.Side
	kind.Plan = func(*glfile.File) (*guidelines.Plan, error) { return plan, nil }
	for i, env := range envs {
		f := *x.Config
		f.Job.MPIRuns, f.Job.Looks, f.Gate, f.NREP.Predictions = r, nil, series.DefaultGate(), 1
		f.MPI.Env = measure.Env(f.MPI.Env, env)
		side, err := x.campaign(ctx, &kind, &f, filepath.Join(folder, string(rune('a'+i))))
		if err != nil {
			return nil, err
		}
		ab.Sides, ab.Names[i] = append(ab.Sides, side), []string{"without", "with", "before"}[i]
	}
	return ab, nil
}

// planOf is what new choices can change, since what is held has been proved, and for the first proof all
// violated cells. It has the sizes between the measured ones that a setting reaches.
func (x *Remedy) planOf(p *setting) *guidelines.Plan {
	plan := *x.reached(x.fresh(p.choices), len(x.found.Proofs) == 0, p.choices)
	for _, e := range p.entries {
		c, _ := mockups.Get(e.Choice.Function)
		d, _ := c.Elements(plan.Datatype, plan.Op)
		inside, _ := e.Probes(max(1, d.Bytes))
		for _, shape := range plan.Shapes {
			for _, size := range inside {
				k := guidelines.Case{Function: e.Choice.Function, Msize: size, Shape: shape}
				if e.Choice.Kind == tuning.OwnAlgorithm && shape.NP == e.Choice.NP && !slices.Contains(plan.Cases, k) {
					plan.Cases = append(plan.Cases, k)
				}
			}
		}
	}
	return &plan
}

func (x *Remedy) reached(fresh []tuning.Choice, first bool, all []tuning.Choice) *guidelines.Plan {
	return partOf(x.plan, func(k medians.Cell) bool { return first && cellOf(x.found.Cells, k) != nil || reaches(fresh, k) }, all)
}

// partOf leaves in a plan the cases that are wanted, the tests that have one, and some of the other cases, of all
// sizes, that choices cannot change: they tell how slow an mpirun is in general.
func partOf(p *guidelines.Plan, wanted func(medians.Cell) bool, choices []tuning.Choice) *guidelines.Plan {
	out := *p
	at := map[int]int{} // where a case of p is
	keep := func(i int) int {
		if _, there := at[i]; !there {
			at[i], out.Cases = len(out.Cases), append(out.Cases, p.Cases[i])
		}
		return at[i]
	}
	out.Cases, out.Tests = nil, nil
	for _, t := range p.Tests {
		if !slices.ContainsFunc(append([]int{t.Case}, t.Others...), func(i int) bool { return wanted(medians.CellOf(p.Cases[i])) }) {
			continue
		}
		t.Case, t.Others = keep(t.Case), slices.Clone(t.Others)
		for n, i := range t.Others {
			t.Others[n] = keep(i)
		}
		out.Tests = append(out.Tests, t)
	}
	for i, k := range p.Cases { // of no test
		if wanted(medians.CellOf(k)) {
			keep(i)
		}
	}
	const most = 2 * medians.GeneralCases
	for _, shape := range p.Shapes {
		others := slices.DeleteFunc(p.CasesOf(shape), func(i int) bool { return changes(choices, medians.CellOf(p.Cases[i])) })
		slices.SortStableFunc(others, func(i, j int) int { return cmp.Compare(p.Cases[i].Msize, p.Cases[j].Msize) })
		for n := range min(most, len(others)) {
			keep(others[n*len(others)/min(most, len(others))])
		}
	}
	return &out
}

// harmLooks share alpha: cases that point to harm are measured again.
const harmLooks = 2

// questions returns the two of a proof: are the violated cases faster, as a family of their
// own, and is any case slower?
func questions(cfg judge.Config, r *report.RemedyResult, choices []tuning.Choice) (helps, harms series.CompareConfig) {
	helps = series.CompareConfig{Config: cfg, Alternative: judge.Less, Paired: true, Yardstick: func(c medians.Cell) bool { return !changes(choices, c) }, Only: func(c medians.Cell) bool {
		return cellOf(r.Cells, c) != nil
	}}
	harms = helps
	helps.All, harms.Alternative, harms.Only = true, judge.Greater, nil
	harms.MinSlowdown, harms.Alpha = r.Harm, cfg.Alpha/harmLooks
	return helps, harms
}

func answers(x *experiment.AB, questions ...series.CompareConfig) error {
	for _, q := range questions {
		d, err := series.CompareDesign([]*analyze.Side{analyze.Planned("A", x.Sides[alone].Manifest), analyze.Planned("B", x.Sides[withIt].Manifest)}, q)
		if no := (*analyze.NotComparable)(nil); errors.As(err, &no) {
			return fail.AsSetup(err)
		}
		if err := run.Refused(d, err); err != nil {
			return err
		}
	}
	return nil
}
