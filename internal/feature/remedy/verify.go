package remedy

import (
	"context"
	"encoding/json"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"pgmpi/analyze"
	"pgmpi/analyze/medians"
	"pgmpi/internal/clean"
	"pgmpi/internal/conf"
	"pgmpi/internal/conf/glfile"
	"pgmpi/internal/document"
	"pgmpi/internal/exitcode"
	"pgmpi/internal/experiment"
	"pgmpi/internal/experiment/run"
	"pgmpi/internal/fail"
	"pgmpi/internal/feature/remedy/effect"
	"pgmpi/internal/feature/remedy/reach"
	"pgmpi/internal/lists"
	"pgmpi/internal/phrase"
	"pgmpi/internal/picture"
	"pgmpi/internal/regular"
	"pgmpi/internal/tuning"
	"pgmpi/internal/untimed"
	"pgmpi/measure/protocol"
	"pgmpi/measure/results"
	"pgmpi/mockups"
)

const mostResult = 64 << 20 // bytes

// Read reads remedy.json. It refuses numbers that no proof gives, since gains are computed from them.
func Read(path string) (*Result, error) {
	text, err := regular.Read(path, mostResult)
	if err != nil {
		return nil, err
	}
	r := &Result{}
	if err = json.Unmarshal(text, r); err == nil && r.Schema != Schema {
		err = fmt.Errorf("its schema is %.40q, not %q", r.Schema, Schema)
	}
	if err == nil {
		err = r.check()
	}
	if err != nil {
		return nil, fmt.Errorf("%s is damaged: %w; `pgmpi remedy` writes it anew", path, err)
	}
	return r, nil
}

func (r *Result) check() error {
	for i, k := range r.Cells {
		if _, ok := mockups.Get(k.Function); !ok || k.Msize < 0 || k.NP < 1 || !slices.Contains(CellStates, k.State) {
			return fmt.Errorf("cells[%d] is no cell: %.40q of %d B, %d processes, %.40q", i, k.Function, k.Msize, k.NP, k.State)
		}
		for _, x := range []*float64{k.BeforeS, k.AfterS, k.Gain, k.GainLo, k.GainHi} {
			if x != nil && *x < 0 {
				return fmt.Errorf("cells[%d] has the time or gain %g", i, *x)
			}
		}
	}
	for i, t := range r.Trades {
		for _, k := range slices.Concat(t.Mends, t.Harms) {
			for _, x := range []*float64{k.Ratio, k.Lo, k.Hi} {
				if x != nil && *x < 0 {
					return fmt.Errorf("trades[%d] has the ratio %g", i, *x)
				}
			}
		}
		if t.Folder != filepath.Base(t.Folder) {
			return fmt.Errorf("trades[%d] is in %.40q, which is no name of a folder", i, t.Folder)
		}
	}
	return nil
}

// Verified says whether a setting that was proved still helps with the library of today.
type Verified struct {
	Schema  string          `json:"schema"`  // VerifiedSchema
	Created string          `json:"created"` // RFC 3339, UTC
	Folder  string          `json:"folder"`  // of the remedy
	Library string          `json:"library"` // now
	Then    string          `json:"then"`    // when the setting was proved
	Mpiruns int             `json:"mpiruns"` // both sides together
	Sides   []string        `json:"sides"`   // folders without and with the setting, for pgmpi compare
	Cells   []Cell          `json:"cells"`   // that the setting had made faster, as they are now
	Effects []effect.Effect `json:"entries"`
	Harms   []Harm          `json:"harms"`
	// Obsolete lists what does nothing any more, or no good.
	Obsolete []string `json:"obsolete"`
	Exit     int      `json:"exit_code"`
}

const VerifiedSchema = "pgmpi-verify/1"

// Verify measures the cells that a setting had mended again, without it and with it in turn. The library may be another.
func (t *Task) Verify(ctx context.Context, tell func(run.Event)) (*Verified, error) {
	old, err := Read(filepath.Join(t.Folder, File))
	f := &glfile.File{}
	if f.MPI.Under = t.Folder; err == nil {
		err = experiment.Under(f)
	}
	if err != nil {
		return nil, fail.Setupf("%s has no setting to verify: %w", conf.Quote(t.Folder), err)
	}
	once, err := untimed.NewOnce(t.Config, t.Start)
	if err != nil {
		return nil, err
	}
	x := &mending{Task: t, tell: tell, once: once, found: t.result()}
	x.found.Cells = lists.Keep(old.Cells, func(c Cell) bool { return c.State == CellMended || c.State == CellFaster })
	x.work = run.NewFolder(filepath.Join(t.Folder, "verify"), time.Now())
	p := setting{env: f.MPI.Env, folder: x.work}
	p.entries = lists.Map(old.Effects, func(e effect.Effect) tuning.Entry { return e.Entry })
	p.choices = lists.Map(p.entries, func(e tuning.Entry) tuning.Choice { return e.Choice })
	if len(x.found.Cells) == 0 || len(p.choices) == 0 {
		return nil, fail.Setupf("%s has no setting to verify: none of its cells is mended or faster", conf.Quote(t.Folder))
	}
	v := &Verified{Schema: VerifiedSchema, Created: time.Now().UTC().Format(time.RFC3339), Folder: t.Folder,
		Library: once.Rank().LibVersion, Then: old.Library, Sides: []string{}, Harms: []Harm{}, Obsolete: []string{}}
	err = x.verify(ctx, &p, v)
	return v, err
}

func (x *mending) verify(ctx context.Context, p *setting, v *Verified) (err error) {
	x.tell(run.Event{Step: "checking that it takes effect and gives right data"})
	if v.Effects, err = effect.Of(ctx, x.once, p.env, p.entries); err != nil {
		return err
	}
	dead := 0
	for _, f := range v.Effects {
		if f.State == effect.NotInEffect {
			dead++
			v.Obsolete = append(v.Obsolete, fmt.Sprintf("%s: not in force: %s", f.Entry.Choice, clean.Line(f.Text)))
		}
	}
	if dead < len(v.Effects) {
		bad, _, err := x.nonconforming(ctx, p)
		if err != nil {
			return err
		}
		for _, o := range bad {
			text := fmt.Sprintf("a conformance call goes wrong with it: %s on %s: %s", o.Call, o.Shape, o.State)
			v.Harms = append(v.Harms, Harm{Cell: medians.Cell{Function: o.Function, Msize: o.Msize}, Text: text})
		}
		if err := x.again(ctx, p, v); err != nil {
			return err
		}
	}
	v.Cells = x.found.Cells
	v.Exit = v.exitCode()
	return nil
}

// again compares the cells without and with the setting.
func (x *mending) again(ctx context.Context, p *setting, v *Verified) error {
	x.tell(run.Event{Step: fmt.Sprintf("measuring %s without and with the setting", conf.Plural(len(x.found.Cells), "cell"))})
	plan := reach.Part(x.plan, func(k medians.Cell) bool { return cellOf(x.found.Cells, k) != nil }, p.choices)
	ab, err := x.sides(ctx, p.folder, plan, x.mpiruns(plan), nil, p.env)
	if err != nil {
		return err
	}
	helps, harms := questions(x.Config.Analyze, x.found, p.choices)
	if err := answers(ab, helps, harms); err != nil {
		return err
	}
	return ab.Judged(ctx, func(sides []*analyze.Side) error {
		e, err := effectsOf(sides, x.Config.Analyze, x.found, p.choices, nil)
		if err != nil {
			return err
		}
		x.cellsBy(e, p.choices)
		v.Harms = append(v.Harms, e.harms()...)
		for _, c := range x.found.Cells {
			if k := e.helped.Of(c.Cell); k != nil && k.RatioLo != nil && *k.RatioLo*x.found.MinSlowdown > 1 {
				v.Obsolete = append(v.Obsolete, fmt.Sprintf("%s at %s on %s: a gain of %g× is excluded (%s by %s)",
					c.Function, conf.HumanSize(c.Msize), c.Shape, x.found.MinSlowdown, phrase.Ratio(c.Gain), strings.Join(c.By, " + ")))
			}
		}
		for _, side := range ab.Sides {
			v.Sides = append(v.Sides, side.Path)
			v.Mpiruns += side.Manifest.Runs(protocol.ModeMeasure) * len(x.plan.Shapes)
		}
		return nil
	})
}

func (v *Verified) faster() int {
	return lists.Count(v.Cells, func(c Cell) bool { return c.State == CellMended || c.State == CellFaster })
}

// exitCode is 1 where something is obsolete or harms, and 4 where not every cell is shown to be faster still.
func (v *Verified) exitCode() int {
	switch {
	case len(v.Obsolete)+len(v.Harms) > 0:
		return exitcode.Violated
	case v.faster() < len(v.Cells):
		return exitcode.NoVerdict
	}
	return exitcode.OK
}

var verified = document.Kind[Verified]{Name: "verify", JSON: true,
	Rows: func(v *Verified) [][]string { return rows(&Result{Cells: v.Cells}) },
	Sections: func(v *Verified) []document.Section {
		harms := document.Listed("It harms", v.Harms, len(v.Harms), withFull, func(h Harm) string { return h.Text })
		obsolete := document.Listed("Obsolete", v.Obsolete, len(v.Obsolete), withFull, func(text string) string { return text })
		return slices.Concat(v.answer(), obsolete, harms, cellsTable(&Result{Kind: results.Explore, Cells: v.Cells}))
	},
	Exit: func(v *Verified) error {
		switch v.Exit {
		case exitcode.Violated:
			return fail.ErrFound
		case exitcode.NoVerdict:
			return &fail.Refused{Reason: "not every cell is shown to be faster still, nor not to be; --mpiruns may tell"}
		}
		return nil
	},
	Ending: func(v *Verified, _ string) (e document.Ending) {
		if len(v.Sides) == 2 {
			e.Next = []document.Label{{Name: "Compare", Value: "pgmpi compare " + conf.Quote(v.Sides[0]) + " " + conf.Quote(v.Sides[1])}}
		}
		return e
	}}

func (v *Verified) answer() []document.Section {
	s := document.Section{}
	cells := fmt.Sprintf("%d of %s", v.faster(), conf.Plural(len(v.Cells), "cell"))
	switch {
	case len(v.Obsolete) > 0:
		s.Say("OBSOLETE: %s of the setting in %s.", conf.Plural(len(v.Obsolete), "part"), v.Folder)
		s.Tone = picture.Slow
	case len(v.Harms) > 0:
		s.Say("IT HARMS: the setting in %s slows or breaks %s.", v.Folder, conf.Plural(len(v.Harms), "case"))
		s.Tone = picture.Slow
	case v.faster() < len(v.Cells):
		s.Say("NOT SHOWN: %s with the setting in %s shown to be faster still.", cells, v.Folder)
		s.Tone = picture.Open
	default:
		s.Say("STILL HELPS: %s faster with the setting in %s.", cells, v.Folder)
	}
	now, then := phrase.ShortVersion(v.Library), phrase.ShortVersion(v.Then)
	s.Say("%s%s; %s, without and with it.", now, phrase.When(now != then, "; it was proved with %s", then),
		conf.Plural(v.Mpiruns, "mpirun"))
	return []document.Section{s}
}
