package bisect

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"math"
	"path/filepath"
	"slices"
	"strings"

	"pgmpi/analyze"
	"pgmpi/analyze/judge"
	"pgmpi/analyze/medians"
	"pgmpi/analyze/series"
	"pgmpi/guidelines"
	"pgmpi/internal/conf/glfile"
	"pgmpi/internal/experiment"
	"pgmpi/internal/experiment/run"
	"pgmpi/internal/fail"
	"pgmpi/internal/reading"
	"pgmpi/internal/stats"
	"pgmpi/measure/launch"
	"pgmpi/measure/results"
)

// MPIRuns sets how many mpiruns of GOOD and of BAD compare them by default: many, since machines have several
// states (docs/dev/statistics.md, Comparisons), and builds take far longer.
const MPIRuns = 120

// of returns the configuration for what was built: it replaces {prefix} in [mpi]; where there is no {prefix}, the
// folder is an installed MPI library.
func of(config *glfile.File, prefix string) *glfile.File {
	f := *config
	named := false
	put := func(text string) string {
		named = named || strings.Contains(text, prefixWord)
		return strings.ReplaceAll(text, prefixWord, prefix)
	}
	f.MPI.Env, f.MPI.Launch = maps.Clone(f.MPI.Env), slices.Clone(f.MPI.Launch)
	for name, value := range f.MPI.Env {
		f.MPI.Env[name] = put(value)
	}
	for i, word := range f.MPI.Launch {
		f.MPI.Launch[i] = put(word)
	}
	f.MPI.Rank, f.MPI.Library = put(f.MPI.Rank), put(f.MPI.Library)
	if !named {
		f.MPI.Library = prefix
	}
	f.Job.MPIRuns = cmp.Or(f.Job.MPIRuns, MPIRuns)
	f.Job.Looks, f.Job.LookWeights, f.Job.MaxMPIRuns, f.Job.MaxTime = nil, nil, 0, 0
	return &f
}

func (x *Bisection) sides(ctx context.Context, kind *run.Experiment, folder string, hashes ...string) (*experiment.AB, error) {
	ab := &experiment.AB{Out: filepath.Join(x.Out, folder)}
	for i, hash := range hashes {
		f := of(x.Config, x.prefix(hash))
		if f.MPI.Library != "" {
			var err error
			if f.MPI.Rank, err = launch.RankFor(ctx, f.MPI.Library, f.MPI.Rank, filepath.Join(x.Out, "rank")); err != nil {
				return nil, fail.AsSetup(err)
			}
		}
		path := filepath.Join(ab.Out, string(rune('a'+i)))
		there, err := run.Before(kind, path, true)
		if err != nil {
			return nil, err
		}
		c, err := run.New(ctx, kind, f, run.Options{Path: path, Before: there, Version: x.Version, Tell: x.Tell, Start: x.Start})
		if err != nil {
			return nil, err
		}
		ab.Sides, ab.Names[i] = append(ab.Sides, c), hash
	}
	return ab, nil
}

// strict divides alpha when GOOD and BAD are compared: a call in which they only seem to differ would send all that
// follows astray.
const strict = 20

// compareEnds finds the calls in which GOOD and BAD differ. It makes no mpirun again that is in the folder.
func (x *Bisection) compareEnds(ctx context.Context) error {
	x.Tell(run.Event{Step: "comparing GOOD and BAD"})
	ab, err := x.sides(ctx, experiment.Side, "ends", x.result.Good, x.result.Bad)
	if err != nil {
		return err
	}
	cfg := series.CompareConfig{Config: x.Config.Analyze, Alternative: judge.TwoSided, Paired: true}
	cfg.Alpha /= strict
	if err := ab.Refuse(cfg); err != nil {
		return err
	}
	return ab.Judged(ctx, func(sides []*analyze.Side) error {
		c, err := series.Compare(sides[0], sides[1], cfg)
		if err != nil {
			return err
		}
		x.result.Compared, x.result.CouldHaveSeen = len(c.Cases), c.CouldHaveSeen
		x.ends, x.cells, x.result.Cells = ab.Sides[0].Manifest, nil, []series.CaseChange{}
		for i, k := range x.ends.Plan.Cases {
			row := c.Of(medians.CellOf(k))
			if row == nil || row.Ratio == nil {
				continue
			}
			shown := row.Change == series.Slower || row.Change == series.Faster
			a, b := logarithms(sides[0].Set, i), logarithms(sides[1].Set, i)
			if ratio := math.Exp(lowerQuartile(b) - lowerQuartile(a)); !shown && max(ratio, 1/ratio) >= cfg.MinSlowdown && min(slower(a, b), slower(b, a)) <= cfg.Alpha/float64(2*len(c.Cases)) {
				row.Ratio, row.RatioLo, row.RatioHi, shown = &ratio, nil, nil, true
			}
			if shown {
				x.cells, x.result.Cells = append(x.cells, i), append(x.result.Cells, *row)
			}
		}
		return x.store()
	})
}

// Rounds sets after how many mpiruns a commit is judged by default: fewer than eight have no order that is rare
// enough. A commit that is undecided after the last is skipped.
var Rounds = []int{8, 16, 32, 64, 128, 256}

// few prepares builds that alternate in the calls in which GOOD and BAD differ.
func (x *Bisection) few(ctx context.Context, folder string, hashes ...string) (*experiment.AB, error) {
	plan, repeated := x.ends.Plan, map[int]results.NRep{}
	plan.Cases, plan.Tests = nil, nil
	for n, i := range x.cells {
		plan.Cases = append(plan.Cases, x.ends.Plan.Cases[i])
		repeated[n] = x.ends.NRep[i]
	}
	plan.Shapes = slices.DeleteFunc(slices.Clone(plan.Shapes), func(s guidelines.Shape) bool { return len(plan.CasesOf(s)) == 0 })
	kind := &run.Experiment{Kind: results.Check, Name: "bisect", Stages: []run.Stage{run.Measure},
		Plan: func(*glfile.File) (*guidelines.Plan, error) { return &plan, nil },
		R:    func(*glfile.File) int { return slices.Max(x.Rounds) }}
	ab, err := x.sides(ctx, kind, folder, hashes...)
	if err != nil {
		return nil, err
	}
	for _, side := range ab.Sides {
		side.Manifest.NRep = maps.Clone(repeated)
	}
	return ab, nil
}

// measured returns the run medians of r mpiruns of each side.
func measured(ctx context.Context, ab *experiment.AB, r int) (sets []*medians.Set, err error) {
	if err := ab.UpTo(ctx, r); err != nil {
		return nil, err
	}
	for _, side := range ab.Sides {
		set, err := reading.Collect(side.Folder(), side.Manifest, r)
		if err != nil {
			return nil, err
		}
		sets = append(sets, set)
	}
	return sets, nil
}

// again sets how many mpiruns confirm a difference, unless fewer have found it.
const again = 64

// confirm measures GOOD and BAD again in the calls that differ. It keeps the calls that differ in the same
// direction. The tests do not allow for states of the machine that last for several mpiruns.
func (x *Bisection) confirm(ctx context.Context) error {
	ab, err := x.few(ctx, "again", x.result.Good, x.result.Bad)
	if err != nil {
		return err
	}
	return ab.Opened(func() error {
		sets, err := measured(ctx, ab, min(again, x.ends.R))
		if err != nil {
			return err
		}
		cells, rows := x.cells, x.result.Cells
		x.cells, x.result.Cells = nil, []series.CaseChange{}
		for n, row := range rows {
			fast, slow := logarithms(sets[0], n), logarithms(sets[1], n)
			if *row.Ratio < 1 {
				fast, slow = slow, fast
			}
			if slower(slow, fast) <= x.Config.Analyze.Alpha {
				x.cells, x.result.Cells = append(x.cells, cells[n]), append(x.result.Cells, row)
			}
		}
		return x.store()
	})
}

func (x *Bisection) judge(ctx context.Context, hash string) (m Mark, why string, err error) {
	ab, err := x.few(ctx, hash[:12], x.result.Good, x.result.Bad, hash)
	if err == nil {
		err = ab.Opened(func() error {
			m, why, err = x.decided(ctx, ab)
			return err
		})
	}
	if err != nil && ctx.Err() == nil && !fail.Is[*fail.Interrupted](err) {
		line, _, _ := strings.Cut(err.Error(), "\n")
		return Skip, "it cannot be measured: " + line, nil
	}
	return m, why, err
}

func (x *Bisection) decided(ctx context.Context, ab *experiment.AB) (m Mark, why string, err error) {
	// log2 of the commits are judged. At each look a judgement can be wrong in one of two ways.
	level := x.Config.Analyze.Alpha / (2 * math.Log2(float64(max(2, x.result.Commits)))) / float64(len(x.Rounds))
	for _, r := range x.Rounds {
		sets, err := measured(ctx, ab, r)
		if err != nil {
			return Skip, "", err
		}
		var at float64
		m, at = decide(x.times(sets), level)
		if math.IsNaN(at) {
			return Skip, "its calls have no valid times", nil
		}
		if why = fmt.Sprintf("%d %% of the way from GOOD to BAD, %d mpiruns of each", int(math.Round(100*at)), r); m != Skip {
			return m, why, nil
		}
	}
	return Skip, "undecided, " + why, nil
}

// times returns the logarithms of the times of each mpirun, for GOOD, BAD and the commit. They are averaged over
// the calls. Each call counts from its time in GOOD; a call that is faster in BAD counts the other way round.
func (x *Bisection) times(sets []*medians.Set) (out [3][]float64) {
	for i, cell := range x.result.Cells {
		sign := 1.0
		if *cell.Ratio < 1 {
			sign = -1
		}
		from := stats.MedianFinite(logarithms(sets[0], i))
		for side, set := range sets {
			for r, t := range stats.Logs(set.Cases[i].Medians) {
				if r == len(out[side]) {
					out[side] = append(out[side], 0)
				}
				out[side][r] += sign * (t - from) / float64(len(x.result.Cells))
			}
		}
	}
	for side := range out {
		out[side] = medians.Valid(out[side])
	}
	return out
}

func lowerQuartile(x []float64) float64 {
	q, err := stats.Quantile(x, .25)
	if err != nil {
		return math.NaN()
	}
	return q
}

// logarithms returns the logarithms of the valid run medians of a case.
func logarithms(set *medians.Set, i int) []float64 {
	return stats.Logs(medians.Valid(set.Cases[i].Medians))
}

// decide marks a commit by which of GOOD and BAD it is shown not to be like. level holds for each of the two. at is
// 0 for a commit like GOOD, and 1 for one like BAD, by the lower quartiles, which slow states influence least.
func decide(times [3][]float64, level float64) (m Mark, at float64) {
	good, bad, commit := times[0], times[1], times[2]
	from := lowerQuartile(good)
	at = (lowerQuartile(commit) - from) / (lowerQuartile(bad) - from)
	notGood, notBad := slower(commit, good), slower(bad, commit)
	switch {
	case min(notGood, notBad) > level:
		return Skip, at
	case notGood < notBad:
		return Bad, at
	}
	return Good, at
}

// slower returns the probability of mpiruns like these if x were not slower than y. It is twice the smaller p-value
// of two rank-sum tests: of all mpiruns and of the fastest half. Where a machine has slow states, only mpiruns in
// its fast one tell two builds apart.
func slower(x, y []float64) float64 {
	all, err := stats.RankSum(x, y)
	fastest, fails := stats.RankSumFastest(x, y)
	if err != nil || fails != nil {
		return 1
	}
	return min(1, 2*min(all.P, fastest.P))
}
