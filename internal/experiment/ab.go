package experiment

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"path/filepath"
	"reflect"
	"slices"
	"strings"

	"pgmpi/analyze"
	"pgmpi/analyze/judge"
	"pgmpi/analyze/medians"
	"pgmpi/analyze/report/check"
	"pgmpi/analyze/series"
	"pgmpi/guidelines"
	"pgmpi/internal/conf/glfile"
	"pgmpi/internal/document"
	"pgmpi/internal/experiment/run"
	"pgmpi/internal/fail"
	"pgmpi/internal/reading"
	"pgmpi/internal/regular"
	"pgmpi/measure/results"
)

const abSchema = "pgmpi-ab/1"

type abRecord struct {
	Schema         string `json:"schema"` // abSchema
	Seed           uint64 `json:"seed"`   // of the order
	A              string `json:"a"`      // the configurations, as they were named
	B              string `json:"b"`
	C              string `json:"c,omitempty"`
	*series.Factor        // if the sides are its levels; else two or three as above
	// PredictOrder and MeasureOrder hold the order of the sides in each round, such as "ba".
	PredictOrder []string `json:"predict_order"`
	MeasureOrder []string `json:"measure_order"`
}

// ABMPIRuns is the usual number of mpiruns of each side that measure.
const ABMPIRuns = 10

// Side makes one of the checks that alternate, and are only compared.
var Side = &run.Experiment{Kind: results.Check, Name: "ab", Plan: run.Tests, Stages: []run.Stage{run.Predict, run.Measure, followUp, confirm},
	Prepare: func(_ context.Context, config *glfile.File, _ run.Options) (*glfile.File, error) {
		if len(config.Job.Looks) == 0 {
			config.Job.MPIRuns = cmp.Or(config.Job.MPIRuns, ABMPIRuns)
		}
		return config, nil
	}}

// MaxSides limits how many campaigns can alternate.
const MaxSides = 8

// AB holds several campaigns whose mpiruns alternate, in results folders of one folder.
type AB struct {
	Out    string
	Sides  []*run.Campaign
	Names  [MaxSides]string // of the configurations
	Factor string           // if the sides are its levels; "" for two or three sides
}

// Refuse returns why nothing can begin: sides that cannot be compared (*Setup), or an R with which
// no result could be significant (*Refused).
func (x *AB) Refuse(cfg series.CompareConfig) error {
	a, planned := x.Sides[0], []*analyze.Side{}
	for i, b := range x.Sides {
		name := strings.ToUpper(letters[i : i+1])
		if a.Manifest.R != b.Manifest.R {
			return fail.Setupf("A asks for %d mpiruns and %s for %d: they alternate, so give all the same, or --mpiruns", a.Manifest.R, name, b.Manifest.R)
		}
		if !slices.Equal(a.Manifest.Plan.Shapes, b.Manifest.Plan.Shapes) {
			return fail.Setupf("A and %s are about different numbers of processes: give all the same job.np, or --np", name)
		}
		planned = append(planned, analyze.Planned(name, b.Manifest))
	}
	d, err := series.CompareDesign(planned, cfg)
	if no := (*analyze.NotComparable)(nil); errors.As(err, &no) {
		return fail.AsSetup(err)
	}
	return run.Refused(d, err)
}

// Opened does something while the results folders of all sides are open.
func (x *AB) Opened(do func() error) error {
	for _, side := range x.Sides {
		if err := side.Open(); err != nil {
			return err
		}
		defer side.Close()
	}
	return do()
}

// Judged opens the results folders, measures, judges, and passes its findings to a function.
func (x *AB) Judged(ctx context.Context, use func([]*analyze.Side) error) error {
	return x.Opened(func() error {
		if err := x.Measure(ctx); err != nil {
			return err
		}
		sides, err := x.Judge()
		if err != nil {
			return err
		}
		return use(sides)
	})
}

// Measure does the stages of all sides, which are open, round by round.
func (x *AB) Measure(ctx context.Context) error {
	a, predictions := x.Sides[0], 0
	for _, side := range x.Sides {
		predictions = max(predictions, run.Predict.Runs(side.Manifest, side.Config))
	}
	order, err := x.order(predictions, a.Manifest.R)
	if err != nil {
		return fail.AsSetup(err)
	}
	return run.Alternate(ctx, x.Sides, []run.Rounds{{Stage: run.Predict, Order: order.PredictOrder}, {Stage: run.Measure, Order: order.MeasureOrder, Before: x.repeatAlike}})
}

// repeatAlike gives all sides of one configuration the most repetitions that were predicted for
// any: the first calls of an mpirun are slower, so that the median of fewer is larger.
func (x *AB) repeatAlike() {
	most := map[guidelines.Case]int{}
	for _, side := range x.Sides {
		if !reflect.DeepEqual(side.Config.NREP, x.Sides[0].Config.NREP) {
			return
		}
		for i, k := range side.Manifest.Plan.Cases {
			most[k] = max(most[k], side.Manifest.NRep[i].N)
		}
	}
	for _, side := range x.Sides {
		for i, n := range side.Manifest.NRep {
			if n.N > 0 {
				n.N = most[side.Manifest.Plan.Cases[i]]
				side.Manifest.NRep[i] = n
			}
		}
	}
}

// Splits makes the split experiment on all sides. If of returns a smaller size for a test, the test
// is made against it even if no side suspects it. With 0 it is made only if a side does.
func (x *AB) Splits(ctx context.Context, of func(*analyze.Verdict) int64) error {
	a := x.Sides[0]
	if !a.Config.Measure.SplitExperiment {
		return nil
	}
	stage := followUpOf(func(*run.Campaign) func(*analyze.Verdict) int64 { return of })
	return run.Alternate(ctx, x.Sides, []run.Rounds{{Stage: stage, Order: drawOrder(a.Manifest.Seed, 2, a.Manifest.R, len(x.Sides))}})
}

// UpTo does only the mpiruns of stage 2 up to a round.
func (x *AB) UpTo(ctx context.Context, round int) error {
	order, err := x.order(0, x.Sides[0].Manifest.R)
	if err != nil {
		return fail.AsSetup(err)
	}
	measure := run.Measure
	measure.Runs = func(*results.Manifest, *glfile.File) int { return round }
	return run.Alternate(ctx, x.Sides, []run.Rounds{{Stage: measure, Order: order.MeasureOrder[:round]}})
}

// Again measures cases of the Plan again, in r separate mpiruns of each side. sides then have
// these, too.
func (x *AB) Again(ctx context.Context, cases []int, r int, sides []*analyze.Side) error {
	plan := &results.FollowUps{R: r}
	for _, i := range cases {
		plan.Comparisons = append(plan.Comparisons, results.Comparison{Case: i, Part: i, Calls: 1})
	}
	again := confirm
	again.Plan = func(*run.Campaign, *medians.Set) (*results.FollowUps, error) { return plan, nil }
	if err := run.Alternate(ctx, x.Sides, []run.Rounds{{Stage: again, Order: drawOrder(x.Sides[0].Manifest.Seed, 3, r, len(x.Sides))}}); err != nil {
		return err
	}
	for i, side := range x.Sides {
		set, err := side.Collected()
		if err != nil {
			return err
		}
		sides[i].Set = set
	}
	return nil
}

// Judge judges each side by itself and stores its report.
func (x *AB) Judge() (out []*analyze.Side, err error) {
	text, err := check.Reports.Format("table")
	if err != nil {
		return out, err
	}
	for i, side := range x.Sides {
		j, err := reading.Judge(side.Folder(), side.Manifest, side.Config.Analyze)
		if err == nil {
			err = errors.Join(reading.Keep(side.Folder(), check.Reports.Document(j.Report), []document.Format{text}), reading.StoreMedians(side.Folder(), j.Analysis))
		}
		if err != nil {
			return out, fmt.Errorf("%s: %w", side.Path, err)
		}
		out = append(out, j.Side(x.Names[i]))
	}
	return out, nil
}

// BySide counts the tests that each side violates by itself, one side a line.
func (x *AB) BySide(sides []*analyze.Side) (lines document.OwnLines) {
	var first []string
	for i, s := range sides {
		var violated []string
		both := 0
		for _, v := range s.Report.Verdicts {
			if v.Verdict != judge.Violated {
				continue
			}
			name := fmt.Sprintf("%s %s %d %s", v.Guideline, v.Function, v.Msize, v.Shape)
			if violated = append(violated, name); slices.Contains(first, name) {
				both++
			}
		}
		same := fmt.Sprintf(", %d of them also in A", both)
		switch {
		case i == 0:
			first, same = violated, ""
		case both == len(first) && both == len(violated):
			same = ", the same as A"
		}
		lines = append(lines, fmt.Sprintf("%c: %d violated%s; %s", 'A'+i, len(violated), same, filepath.Join(x.Sides[i].Path, "report.txt")))
	}
	return lines
}

// order returns the order in ab.json of a resumed folder, or draws and writes one.
func (x *AB) order(predictions, measurements int) (*abRecord, error) {
	seed := x.Sides[0].Manifest.Seed
	if slices.ContainsFunc(x.Sides, func(c *run.Campaign) bool { return c.Before != nil }) {
		there, err := readOrder(filepath.Join(x.Out, results.ABFile))
		switch {
		case err == nil && (there.Seed != seed || len(there.PredictOrder) != predictions || len(there.MeasureOrder) != measurements):
			return nil, errors.New(filepath.Join(x.Out, results.ABFile) + " has the order of another seed or number of mpiruns: take a new folder with --out, or the old settings")
		case !errors.Is(err, fs.ErrNotExist):
			return there, err
		}
	}
	rec := &abRecord{Schema: abSchema, Seed: seed, A: x.Names[0], B: x.Names[1], C: x.Names[2],
		PredictOrder: drawOrder(seed, 1, predictions, len(x.Sides)), MeasureOrder: drawOrder(seed, 2, measurements, len(x.Sides))}
	if x.Factor != "" {
		rec.Factor = &series.Factor{Name: x.Factor, Levels: x.Names[:len(x.Sides)]}
	}
	folder := results.Folder{Path: x.Out}
	return rec, folder.WriteJSON(results.ABFile, rec)
}

func readOrder(path string) (*abRecord, error) {
	const most = 1 << 20 // bytes; a round takes 9
	text, err := regular.Read(path, most)
	if err != nil {
		return nil, err
	}
	var rec abRecord
	if err := json.Unmarshal(text, &rec); err != nil {
		return nil, errors.Join(errors.New(path+" is damaged: take a new folder with --out"), err)
	}
	if rec.Schema != abSchema {
		return nil, fmt.Errorf("%s is damaged: its schema is %.40q, not %q; take a new folder with --out", path, rec.Schema, abSchema)
	}
	n := 2
	if rec.Factor != nil {
		n = len(rec.Levels)
	} else if rec.C != "" {
		n = 3
	}
	if n < 2 || n > MaxSides {
		return nil, fmt.Errorf("%s is damaged: it has %d sides, not 2 to %d; take a new folder with --out", path, n, MaxSides)
	}
	sides := letters[:n]
	for _, round := range slices.Concat(rec.PredictOrder, rec.MeasureOrder) {
		if in := []byte(round); !slices.Equal(slices.Sorted(slices.Values(in)), []byte(sides)) {
			return nil, errors.New(path + " is damaged: a round of it does not have each of " + sides + " once; take a new folder with --out")
		}
	}
	return &rec, nil
}

// Compares returns what the arguments of `pgmpi compare` name: results folders, or the sides of one
// `pgmpi ab`, which are paired, and the factor if the sides are its levels.
func Compares(args []string) (paths []string, paired bool, factor series.Factor, err error) {
	if len(args) != 1 {
		return args, false, factor, nil
	}
	rec, err := readOrder(filepath.Join(args[0], results.ABFile))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, false, factor, fail.Setupf("compare: give two results folders, or one of `pgmpi ab`; see `pgmpi help compare`")
	} else if err != nil {
		return nil, false, factor, fail.AsSetup(err)
	}
	if rec.Factor != nil {
		factor = *rec.Factor
	}
	for i := range min(max(2, len(factor.Levels)), MaxSides) {
		paths = append(paths, filepath.Join(args[0], letters[i:i+1]))
	}
	return paths, true, factor, nil
}

// letters name the sides in the order of a round.
const letters = "abcdefgh"

// drawOrder draws the order of sides for every round (S-REVISITED §6.1: randomization within
// blocks).
func drawOrder(seed, stage uint64, rounds, sides int) []string {
	coin := rand.New(rand.NewPCG(seed, stage))
	order := make([]string, rounds)
	for i := range order {
		round := []byte(letters[:sides])
		coin.Shuffle(sides, func(i, j int) { round[i], round[j] = round[j], round[i] })
		order[i] = string(round)
	}
	return order
}
