package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/spf13/pflag"

	"pgmpi/analyze"
	"pgmpi/analyze/report"
	"pgmpi/measure"
	"pgmpi/measure/protocol"
	"pgmpi/measure/results"
)

// abFile marks a folder of `pgmpi ab`, whose results folders are a and b.
const abFile = "ab.json"

const abSchema = "pgmpi-ab/1"

// abRecord is ab.json.
type abRecord struct {
	Schema string `json:"schema"` // abSchema
	Seed   uint64 `json:"seed"`   // of the order
	A      string `json:"a"`      // the configurations, as they were named
	B      string `json:"b"`
	// Order says for every round which side came first: "ab" or "ba".
	PredictOrder []string `json:"predict_order"`
	MeasureOrder []string `json:"measure_order"`
}

var abCommand = command{
	name:  "ab",
	args:  "A.toml B.toml",
	short: "measure two set-ups by turns in one go, then compare them",
	long: `Measures two set-ups, such as two rank programs or two environments, each with a
gl.toml of its own. Their mpiruns take turns, in an order drawn anew for every
pair, so that what drifts on the machine hits both; then they are compared in
pairs. The results folders are OUT/a and OUT/b, the comparison is in
OUT/compare.*. An interrupted run goes on with --out OUT --resume.

Exit codes: those of compare and of check.`,
	flags: func(fs *pflag.FlagSet) func(context.Context, []string) error {
		var s settings
		var o output
		var c compareOutput
		s.design(fs)
		o.folder(fs)
		fs.Lookup("out").Usage = "the `DIR` of both results folders (default pgmpi-ab-<UTC time>)"
		s.judging(fs)
		c.judging(fs)
		return func(ctx context.Context, args []string) error {
			if len(args) != 2 {
				return setupf("ab: give two configurations; see `pgmpi help ab`")
			}
			return ab(ctx, args, &s, &o, &c)
		}
	},
}

func ab(ctx context.Context, toml []string, s *settings, o *output, c *compareOutput) error {
	formats, err := pick(report.Comparisons, c.format)
	if err != nil {
		return err
	}
	if o.out == "" {
		o.out = defaultFolder("pgmpi-ab-", time.Now())
	}
	x := &byTurns{out: o.out}
	for i, name := range []string{"a", "b"} {
		mine, place := *s, *o
		mine.guidelines, place.out = toml[i], filepath.Join(o.out, name)
		refuse := func(p *prepared) error { return x.refuse(p.manifest, c.config(p.config.Analyze, true)) }
		side, err := open(&mine, &place, refuse)
		if err != nil {
			return err
		}
		defer side.Folder.Close()
		x.sides = append(x.sides, side)
	}
	if err := x.start(toml, o); err != nil {
		return err
	}
	if err := x.measure(ctx); err != nil {
		return err
	}
	a, b := x.sides[0], x.sides[1]
	fmt.Fprintf(stderr, "results: %s\n", o.out)
	return compareFolders(a.Folder.Path, b.Folder.Path, c.config(a.config.Analyze, true), formats, o.out)
}

// byTurns is two sessions whose mpiruns alternate.
type byTurns struct {
	out   string
	sides []*opened
	rec   abRecord
	show  *progress
	seen  map[string]bool // mpiruns that the progress has counted
	total map[protocol.Mode]int
	done  map[protocol.Mode]int
}

// refuse ends the command before its first mpirun when the sides cannot be
// compared, or no result could be significant.
func (x *byTurns) refuse(m *results.Manifest, cfg analyze.CompareConfig) error {
	if len(x.sides) == 0 {
		return nil
	}
	first := x.sides[0]
	cfg.Config = first.config.Analyze
	if first.Manifest.R != m.R {
		return setupf("A asks for %d mpiruns and B for %d: they alternate, so give both the same, or --mpiruns", first.Manifest.R, m.R)
	}
	if !slices.Equal(first.Manifest.Plan.Shapes, m.Plan.Shapes) {
		return setupf("A and B are about different numbers of processes: give both the same job.np, or --np")
	}
	d, err := analyze.CompareDesign(analyze.Planned("A", first.Manifest), analyze.Planned("B", m), cfg)
	if err != nil {
		return asSetup(err)
	}
	if d.Refused != nil {
		return &exit{exitNoVerdict, errors.New(d.Refused.Reason)}
	}
	return nil
}

// start draws the order, or takes that of the folder which is resumed, and
// makes the two progresses one.
func (x *byTurns) start(toml []string, o *output) error {
	a, b := x.sides[0], x.sides[1]
	predictions := max(predictRounds(a), predictRounds(b))
	seed := a.Manifest.Seed
	x.rec = abRecord{Schema: abSchema, Seed: seed, A: toml[0], B: toml[1],
		PredictOrder: drawOrder(seed, 1, predictions), MeasureOrder: drawOrder(seed, 2, a.Manifest.R)}
	if err := x.record(); err != nil {
		return setup(err)
	}
	shapes := len(a.Manifest.Plan.Shapes)
	x.seen, x.done = map[string]bool{}, map[protocol.Mode]int{}
	x.total = map[protocol.Mode]int{
		protocol.ModeNREP:    shapes * (predictRounds(a) + predictRounds(b)),
		protocol.ModeMeasure: shapes * 2 * a.Manifest.R,
	}
	x.show = newProgress(o.quiet, a.config)
	x.show.nrep, x.show.runs = x.total[protocol.ModeNREP], x.total[protocol.ModeMeasure]
	for i, side := range x.sides {
		side.progress, side.Session.Progress = x.show, func(e measure.Progress) { x.count(i, e) }
	}
	return nil
}

func predictRounds(side *opened) int {
	if side.NREP.Fixed > 0 {
		return 0
	}
	return side.NREP.Predictions
}

// drawOrder tosses a coin for every round (S-REVISITED §6.1: randomization
// within blocks). The seed alone decides, so a resumed run goes on as planned.
func drawOrder(seed, stage uint64, rounds int) []string {
	coin := rand.New(rand.NewPCG(seed, stage))
	order := make([]string, rounds)
	for i := range order {
		order[i] = []string{"ab", "ba"}[coin.IntN(2)]
	}
	return order
}

// record writes ab.json, unless the folder has it.
func (x *byTurns) record() error {
	folder := &results.Folder{Path: x.out}
	text, err := os.ReadFile(filepath.Join(x.out, abFile))
	if err == nil {
		return json.Unmarshal(text, &abRecord{})
	}
	if !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return folder.WriteFile(abFile, func(w io.Writer) error {
		e := json.NewEncoder(w)
		e.SetIndent("", " ")
		return e.Encode(x.rec)
	})
}

// count shows an mpirun of one side as one of both together.
func (x *byTurns) count(side int, e measure.Progress) {
	key := fmt.Sprint(side, e.Mode, e.Run)
	if x.seen[key] {
		return
	}
	e.Run, e.Runs = x.done[e.Mode]+1, x.total[e.Mode]
	e.MoreStages = e.Mode == protocol.ModeNREP
	x.show.show(e)
	if e.Finished {
		x.seen[key] = true
		x.done[e.Mode]++
	}
}

// measure does both stages, round by round.
func (x *byTurns) measure(ctx context.Context) error {
	for i, order := range x.rec.PredictOrder {
		err := x.round(ctx, order, func(s *opened) error { return s.PredictUpTo(ctx, min(i+1, predictRounds(s)), true) })
		if err != nil {
			return err
		}
	}
	for _, side := range x.sides {
		if side.NREP.Fixed > 0 {
			if err := side.Predict(ctx, true); err != nil {
				return side.failure(ctx, err, x.out)
			}
		}
	}
	for i, order := range x.rec.MeasureOrder {
		if err := x.round(ctx, order, func(s *opened) error { return s.MeasureUpTo(ctx, i+1) }); err != nil {
			return err
		}
	}
	return nil
}

func (x *byTurns) round(ctx context.Context, order string, do func(*opened) error) error {
	for _, name := range order {
		side := x.sides[name-'a']
		if err := do(side); err != nil {
			return side.failure(ctx, err, x.out)
		}
	}
	return nil
}
