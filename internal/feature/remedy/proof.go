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
	"pgmpi/analyze/series"
	"pgmpi/guidelines"
	"pgmpi/internal/conf"
	"pgmpi/internal/conf/glfile"
	"pgmpi/internal/experiment"
	"pgmpi/internal/experiment/run"
	"pgmpi/internal/fail"
	"pgmpi/internal/feature/remedy/conformance"
	"pgmpi/internal/feature/remedy/effect"
	"pgmpi/internal/feature/remedy/reach"
	"pgmpi/internal/lists"
	"pgmpi/internal/tuning"
	"pgmpi/measure"
	"pgmpi/measure/protocol"
	"pgmpi/mockups"
)

// setting holds choices, their files and environment, and the findings about them.
// Without choices it is the library as it is.
type setting struct {
	choices     []tuning.Choice
	fresh       []tuning.Choice // those that were not held before
	folder      string          // of its files
	env         map[string]string
	files       []tuning.File
	entries     []tuning.Entry
	inEffect    []effect.Effect
	effects     *effects
	conformance int // conformance calls
	mpiruns     int
	lost        *fail.Failed // an mpirun under it that failed twice
}

// write writes the files of a setting into its folder, except env.sh, which puts them in force. It
// returns the choices that cannot be written.
func (p *setting) write(t tuning.Target) ([]tuning.Rejected, error) {
	t.Folder = p.folder
	written, refused, err := tuning.Write(t, reach.Joined(p.choices))
	switch {
	case err != nil:
		return nil, fail.AsSetup(err)
	case len(refused) > 0:
		return reach.PartsOf(p.choices, refused, "it cannot be written: "), nil
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

// prove tests choices, drops those that fail, and tests the rest again. What harms only between the measured sizes is
// tried again at these alone, and half of those under which an mpirun fails before the other half. It ends when none
// fails or all that are left are held. It returns what is held then, also with an error.
func (x *mending) prove(ctx context.Context, held setting, choices []tuning.Choice) (setting, error) {
	for {
		fresh := reach.Without(choices, held.choices)
		if len(fresh) == 0 {
			return held, nil
		}
		var back []tuning.Rejected
		var narrowed []tuning.Choice
		var err error
		if len(x.found.Proofs) >= x.section().Proofs {
			back = tuning.Reject(nil, fresh, fmt.Sprintf("not proved: remedy.proofs = %d are used up", x.section().Proofs))
		} else {
			p := setting{choices: choices, fresh: fresh, folder: filepath.Join(x.work, nameOf("ab", slices.Concat(choices, held.choices)))}
			back, err = x.withoutClock(ctx, held, &p)
			if err == nil && len(back) == 0 {
				back, err = x.measured(ctx, held, &p)
			}
			if p.lost != nil && len(fresh) > 1 { // which of them ends it?
				if held, err = x.prove(ctx, held, slices.Concat(held.choices, fresh[:len(fresh)/2])); err != nil {
					return held, err
				}
				choices = slices.Concat(held.choices, fresh[len(fresh)/2:])
				continue
			}
			if err == nil && len(back) == 0 {
				x.proved(&p)
				return p, nil
			}
			if err == nil && p.effects != nil {
				narrowed = p.effects.narrowed(choices, back)
				x.found.Trades = append(x.found.Trades, p.effects.trades(choices, back)...)
				held, err = x.untouched(ctx, held, p, back)
			}
		}
		if err == nil {
			choices, held, err = x.drop(choices, held, back)
			choices = append(choices, narrowed...)
		}
		if err != nil {
			return held, err
		}
	}
}

// untouched holds what a proof has shown to help, as far as nothing that it rejects can have changed the same cases: one
// bad choice does not take back a good one.
func (x *mending) untouched(ctx context.Context, held setting, p setting, back []tuning.Rejected) (setting, error) {
	bad := lists.Map(back, func(r tuning.Rejected) tuning.Choice { return r.Choice })
	good := slices.DeleteFunc(reach.Without(p.fresh, bad), func(c tuning.Choice) bool { return reach.Touched(bad, c) })
	if len(good) == 0 || len(reach.Without(held.choices, bad)) < len(held.choices) {
		return held, nil
	}
	p.choices, p.fresh, p.folder = slices.Concat(held.choices, good), good, p.folder+"-kept"
	x.found.Proofs[len(x.found.Proofs)-1].Dropped = len(bad)
	e := *p.effects
	e.choices, p.effects = p.choices, &e
	if off, err := x.withoutClock(ctx, held, &p); err != nil || len(off) > 0 {
		return held, err
	}
	x.proved(&p)
	return p, nil
}

// proved notes the setting of the last proof in the result.
func (x *mending) proved(p *setting) {
	record := &x.found.Proofs[len(x.found.Proofs)-1]
	record.Holds = true
	p.effects.exclude(p.choices, record)
	var newly []string
	for _, h := range p.effects.newlyViolated(false) {
		newly = append(newly, strings.Replace(h.Text, " is newly violated:", "", 1))
	}
	const becauseFaster = "newly violated because the other side became faster, by calls that are not slower: "
	x.found.Notes = slices.DeleteFunc(x.found.Notes, func(n string) bool { return strings.HasPrefix(n, becauseFaster) }) // of less
	if len(newly) > 0 {
		x.note("%s%s", becauseFaster, strings.Join(newly, "; "))
	}
	for i := range x.found.Cells {
		if c := &x.found.Cells[i]; reach.By(p.choices, c.Cell) {
			p.effects.outcome(c, p.choices)
		}
	}
}

// nameOf names a folder by what is tried besides what is held. By the name, a remedy that is resumed
// finds its mpiruns.
func nameOf(what string, choices []tuning.Choice) string {
	h := sha256.New()
	for _, c := range choices {
		fmt.Fprintln(h, c.Key(), c.Extend)
	}
	return fmt.Sprintf("%s-%.4x", what, h.Sum(nil))
}

// drop takes choices out, and returns those that are left and what is still held. If one of them was
// held, nothing stays held, and what is left of it is proved again.
func (x *mending) drop(choices []tuning.Choice, held setting, back []tuning.Rejected) ([]tuning.Choice, setting, error) {
	for _, d := range back {
		x.tell(run.Event{Sentence: fmt.Sprintf("taken back: %s: %s", d.Label, d.Reason)})
	}
	x.found.Rejected = append(x.found.Rejected, back...)
	left := slices.DeleteFunc(slices.Clone(choices), func(c tuning.Choice) bool { return tuning.IsRejected(back, c) })
	if len(left) == len(choices) {
		return left, held, fmt.Errorf("internal error: nothing of %d choices was taken back", len(left))
	}
	if len(reach.Without(held.choices, left)) > 0 {
		held = setting{}
		x.takenBack()
	}
	return left, held, nil
}

// takenBack marks the cells that a setting that is not held any more had made faster.
func (x *mending) takenBack() {
	for i := range x.found.Cells {
		if s := &x.found.Cells[i].State; *s == CellMended || *s == CellFaster {
			*s = CellTakenBack
		}
	}
}

func (x *mending) cellsBy(e *effects, by []tuning.Choice) {
	for i := range x.found.Cells {
		e.outcome(&x.found.Cells[i], by)
	}
}

// withoutClock writes the files of a setting, and checks it before it is measured. It returns the
// choices that cannot be written, are not in effect, or let conformance calls fail.
func (x *mending) withoutClock(ctx context.Context, held setting, p *setting) ([]tuning.Rejected, error) {
	if back, err := p.write(x.target); err != nil || len(back) > 0 {
		return back, err
	}
	if reason := tuning.SetAlready(x.Config.MPI.Env, p.env); reason != "" {
		return tuning.Reject(nil, p.fresh, reason), nil
	}
	x.tell(run.Event{Step: "checking that it takes effect and gives right data"})
	var err error
	if p.inEffect, err = effect.Of(ctx, x.once, p.env, p.entries); err != nil {
		return nil, err
	}
	var off []tuning.Rejected
	for _, f := range p.inEffect {
		if f.State == effect.NotInEffect {
			off = append(off, f.Entry.Choice.Rejected(f.Text))
		}
	}
	if len(off) > 0 {
		return reach.PartsOf(p.choices, off, "it is not in force: "), nil
	}
	if points, err := x.pointsToHelp(ctx, held, p); err != nil || !points {
		return tuning.Reject(nil, p.fresh, fmt.Sprintf("in %d pairs of mpiruns of the cells that are not mended none seems faster with it", fewProving)), err
	}
	bad, n, err := x.nonconforming(ctx, p)
	p.conformance = n
	return blamed(p.fresh, bad), err
}

// nonconforming returns the conformance calls that are right without a setting and wrong under it. n
// calls were made.
func (x *mending) nonconforming(ctx context.Context, p *setting) (bad []conformance.Outcome, n int, err error) {
	all, err := conformance.Make(ctx, x.once, p.env, p.entries)
	if err != nil {
		return nil, 0, err
	}
	var functions []string
	for _, o := range conformance.NewlyBad(nil, all) {
		functions = lists.With(functions, o.Function)
	}
	if len(functions) == 0 {
		return nil, len(all), nil
	}
	alone, err := conformance.Make(ctx, x.once, nil, p.entries, functions...)
	return conformance.NewlyBad(alone, all), len(all), err
}

func blamed(choices []tuning.Choice, bad []conformance.Outcome) (out []tuning.Rejected) {
	for _, o := range bad {
		reason := fmt.Sprintf("a conformance call goes wrong with it: %s on %s: %s", o.Call, o.Shape, o.State)
		if o.Message != "" {
			reason += ": " + o.Message
		}
		found, _ := reach.Culprits(choices, medians.Cell{Function: o.Function, Msize: o.Msize}, "")
		out = tuning.Reject(out, found, reason)
	}
	return out
}

// measured compares the library without and with a setting, and with what is held already. It does so
// in fresh mpiruns, and returns the choices that this rejects.
func (x *mending) measured(ctx context.Context, held setting, p *setting) ([]tuning.Rejected, error) {
	x.tell(run.Event{Step: fmt.Sprintf("proof %d: without and with %s", len(x.found.Proofs)+1, conf.Plural(len(p.choices), "choice"))})
	if err := x.compare(ctx, held, p); err != nil {
		if p.lost == nil {
			return nil, err
		}
		why, _, _ := strings.Cut(p.lost.Error(), "\n")
		return tuning.Reject(nil, p.fresh, "with it "+why), nil
	}
	e := p.effects
	record := Proof{Folder: filepath.Join(filepath.Base(x.work), filepath.Base(p.folder)), Tried: []string{}, Mpiruns: p.mpiruns, Cases: len(e.harmed.Cases), Helped: e.faster(), Harms: e.harms(), SetUp: e.setUp}
	e.exclude(p.choices, &record)
	for _, c := range reach.Joined(p.choices) {
		record.Tried = append(record.Tried, c.String())
	}
	x.found.Proofs = append(x.found.Proofs, record)
	if len(held.choices) == 0 {
		x.cellsBy(e, nil)
		x.takenBack() // should nothing hold
	}
	back := e.rejects(p.choices)
	if len(back) == 0 && len(held.choices) > 0 && !e.betters(x.found.Cells) {
		back = tuning.Reject(nil, p.fresh, "with it no violated cell is better off than with what is proved already")
	}
	return back, nil
}

// With leastProving pairs a difference in all mpiruns shows; no adjustment needs more than
// mostProving. In fewProving a cell that is faster in all shows a p-value below 1 %, by chance in one of 256.
const leastProving, mostProving, fewProving = 10, 40, 8

// mpiruns returns the smallest R that makes a case significant which is slower in all pairs: the least
// p-value of the signed-rank test, 2⁻ᴿ, times all cases.
func (x *Task) mpiruns(plan *guidelines.Plan) int {
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

func (x *mending) compare(ctx context.Context, held setting, p *setting) error {
	plan, envs := x.planOf(p), []map[string]string{nil, p.env}
	if len(held.choices) > 0 {
		envs = append(envs, held.env)
	}
	ab, err := x.sides(ctx, p.folder, plan, x.mpiruns(plan), envs...)
	if err != nil {
		return err
	}
	helps, harms := questions(x.Config.Analyze, x.found, p.choices)
	if err := answers(ab, helps, harms); err != nil {
		return err
	}
	err = ab.Judged(ctx, func(sides []*analyze.Side) error {
		e, err := effectsOf(sides, x.Config.Analyze, x.found, p.choices, held.choices)
		// Rejected choices need no splits, but the first proof tells the state of the cells.
		if err == nil && (len(x.found.Proofs) == 0 || e.open(p.choices)) {
			e, err = x.withSplits(ctx, held, ab, sides, p.choices)
		}
		if err == nil && e.open(p.choices) {
			err = x.lookAgain(ctx, ab, sides, e, p.choices)
		}
		if p.effects = e; err == nil {
			e.addEarlier(held.effects)
		}
		for _, side := range ab.Sides {
			m := side.Manifest
			p.mpiruns += (m.Runs(protocol.ModeMeasure) + m.Runs(protocol.ModeSplit) + m.Runs(protocol.ModeConfirm)) * len(x.plan.Shapes)
		}
		return err
	})
	p.lost = ab.Sides[withIt].Lost
	return err
}

func (x *mending) withSplits(ctx context.Context, held setting, ab *experiment.AB, sides []*analyze.Side, choices []tuning.Choice) (*effects, error) {
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
	return effectsOf(sides, x.Config.Analyze, x.found, choices, held.choices)
}

// pointsToHelp tells whether what acts on the whole library seems to make any cell faster. It compares
// with what is held already, in a few pairs of mpiruns of the cells that are not mended yet. Algorithms
// come from an exploration that has shown that; the first proof tells the state of the cells.
func (x *mending) pointsToHelp(ctx context.Context, held setting, p *setting) (points bool, err error) {
	const seems = .01 // p-value, not adjusted
	if len(x.found.Proofs) == 0 || !slices.ContainsFunc(p.fresh, func(c tuning.Choice) bool { return !forOne(c) }) {
		return true, nil
	}
	x.tell(run.Event{Step: "a short look at each choice"})
	plan := reach.Part(x.plan, func(k medians.Cell) bool {
		c := cellOf(x.found.Cells, k)
		return c != nil && !c.State.Settled() && reach.By(p.fresh, k)
	}, p.choices)
	ab, err := x.sides(ctx, p.folder+"-look", plan, fewProving, held.env, p.env)
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
	if ab.Sides[withIt].Lost != nil {
		return true, nil // the proof finds which of them it is
	}
	return points, err
}

// lookAgain measures the cases again that point to harm without showing it, or whose harm is doubtful, with others as
// their yardstick. Only these mpiruns then tell whether those are harmed.
func (x *mending) lookAgain(ctx context.Context, ab *experiment.AB, sides []*analyze.Side, e *effects, choices []tuning.Choice) error {
	cases := e.pointing(sides[alone], choices)
	if len(cases) == 0 {
		return nil
	}
	x.tell(run.Event{Step: "measuring again what points to harm"})
	two := &experiment.AB{Out: ab.Out, Sides: ab.Sides[:before]}
	if err := two.Again(ctx, cases, sides[alone].Manifest.R, sides); err != nil {
		return err
	}
	return e.lookAgain(sides[alone].Again(), sides[withIt].Again(), x.Config.Analyze, x.found, choices)
}

func (x *mending) sides(ctx context.Context, folder string, plan *guidelines.Plan, r int, envs ...map[string]string) (*experiment.AB, error) {
	ab := &experiment.AB{Out: folder}
	kind := *experiment.Side
	kind.Plan = func(*glfile.File) (*guidelines.Plan, error) { return plan, nil }
	for i, env := range envs {
		f := *x.Config
		f.Job.MPIRuns, f.Job.Looks, f.Gate, f.NREP.Predictions = r, nil, series.DefaultGate(), 1
		f.MPI.Env = measure.Env(f.MPI.Env, env)
		f.Measure = f.Measure.AsInPrograms()
		side, err := x.campaign(ctx, &kind, &f, filepath.Join(folder, string(rune('a'+i))))
		if err != nil {
			return nil, err
		}
		ab.Sides, ab.Names[i] = append(ab.Sides, side), cmp.Or([experiment.MaxSides]string{"without", "with", "before"}[i], fmt.Sprintf("with %d", i))
	}
	return ab, nil
}

// planOf returns the cases that new choices can change, since what is held has been proved. For the
// first proof it returns all violated cells. It has the sizes between the measured ones that a setting
// reaches.
func (x *mending) planOf(p *setting) *guidelines.Plan {
	plan := *x.reached(p.fresh, len(x.found.Proofs) == 0, p.choices)
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

func (x *Task) reached(fresh []tuning.Choice, first bool, all []tuning.Choice) *guidelines.Plan {
	return reach.Part(x.plan, func(k medians.Cell) bool { return first && cellOf(x.Cells, k) != nil || reach.By(fresh, k) }, all)
}

// harmLooks share alpha: cases that point to harm are measured again.
const harmLooks = 2

// questions returns the two of a proof: are the violated cases faster, as a family of their
// own, and is any case slower?
func questions(cfg judge.Config, r *Result, choices []tuning.Choice) (helps, harms series.CompareConfig) {
	helps = series.CompareConfig{Config: cfg, Alternative: judge.Less, Paired: true, Yardstick: func(c medians.Cell) bool { return !reach.By(choices, c) }, Only: func(c medians.Cell) bool {
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
