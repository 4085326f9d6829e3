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

// MPIRuns is the number of mpiruns of GOOD and of BAD that compare them, by default.
const MPIRuns = 60

// of is the configuration for what was built: {prefix} is replaced in [mpi], and where it is not
// there the folder is an installed MPI library.
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

// strict divides alpha when GOOD and BAD are compared: what they only seem to differ in would send
// all that follows astray.
const strict = 20

// compareEnds finds the calls in which GOOD and BAD differ. Mpiruns that are in the folder are not
// made again.
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
			if row := c.Of(medians.CellOf(k)); row != nil && (row.Change == series.Slower || row.Change == series.Faster) {
				x.cells, x.result.Cells = append(x.cells, i), append(x.result.Cells, *row)
			}
		}
		return x.store()
	})
}

// rounds are the numbers of mpiruns after which a commit is judged. One that is undecided after the
// last is skipped.
var rounds = []int{4, 8, 16, 32, 64, 128}

func (x *Bisection) judge(ctx context.Context, hash string) (m Mark, why string, err error) {
	plan, repeated := x.ends.Plan, map[int]results.NRep{}
	plan.Cases, plan.Tests = nil, nil
	for n, i := range x.cells {
		plan.Cases = append(plan.Cases, x.ends.Plan.Cases[i])
		repeated[n] = x.ends.NRep[i]
	}
	plan.Shapes = slices.DeleteFunc(slices.Clone(plan.Shapes), func(s guidelines.Shape) bool { return len(plan.CasesOf(s)) == 0 })
	kind := &run.Experiment{Kind: results.Check, Name: "bisect", Stages: []run.Stage{run.Measure},
		Plan: func(*glfile.File) (*guidelines.Plan, error) { return &plan, nil },
		R:    func(*glfile.File) int { return slices.Max(rounds) }}
	ab, err := x.sides(ctx, kind, hash[:12], x.result.Good, x.result.Bad, hash)
	if err == nil {
		for _, side := range ab.Sides {
			side.Manifest.NRep = maps.Clone(repeated)
		}
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
	// log2 of the commits are judged, each can be wrong in one of two ways, at each look.
	level := x.Config.Analyze.Alpha / (2 * math.Log2(float64(max(2, x.result.Commits)))) / float64(len(rounds))
	for _, r := range rounds {
		if err := ab.UpTo(ctx, r); err != nil {
			return Skip, "", err
		}
		var sets []*medians.Set
		for _, side := range ab.Sides {
			set, err := reading.Collect(side.Folder(), side.Manifest, r)
			if err != nil {
				return Skip, "", err
			}
			sets = append(sets, set)
		}
		var at float64
		m, at = decide(x.logs(sets, r), level)
		if math.IsNaN(at) {
			return Skip, "its calls have no valid times", nil
		}
		if why = fmt.Sprintf("%d %% of the way from GOOD to BAD, %d mpiruns of each", int(math.Round(100*at)), r); m != Skip {
			return m, why, nil
		}
	}
	return Skip, "undecided, " + why, nil
}

// logs returns for every round the logarithms of the commit's and of BAD's times over GOOD's, on
// average over the calls. Calls that are faster in BAD count the other way round.
func (x *Bisection) logs(sets []*medians.Set, upTo int) (out [][2]float64) {
	for r := range upTo {
		var commit, bad, n float64
		for i, cell := range x.result.Cells {
			of := func(side int) float64 { return math.Log(sets[side].Cases[i].Medians[r]) }
			sign := 1.0
			if cell.Change == series.Faster {
				sign = -1
			}
			if c, b := sign*(of(2)-of(0)), sign*(of(1)-of(0)); !math.IsNaN(c + b) {
				commit, bad, n = commit+c, bad+b, n+1
			}
		}
		if n > 0 {
			out = append(out, [2]float64{commit / n, bad / n})
		}
	}
	return out
}

// decide marks a commit by a test of how far it is beyond the middle between GOOD and BAD, one distance
// for each round, at a level for each of both marks. at is 0 for one like GOOD, and 1 for one like BAD, by the medians of the rounds.
func decide(logs [][2]float64, level float64) (m Mark, at float64) {
	var beyond, before, commit, bad []float64
	for _, l := range logs {
		d := l[0] - l[1]/2
		beyond, before, commit, bad = append(beyond, d), append(before, -d), append(commit, l[0]), append(bad, l[1])
	}
	at = stats.MedianFinite(commit) / stats.MedianFinite(bad)
	switch {
	case above(beyond, level):
		return Bad, at
	case above(before, level):
		return Good, at
	}
	return Skip, at
}

// above tells whether distances are shown to be above 0, by Student's t-test or by the signed-rank test
// with capped ranks, each at half of the level: a few mpiruns in another state of the machine turn the
// first, and few rounds have no order that is rare enough for the second.
func above(d []float64, level float64) bool {
	mean, sd, err := stats.MeanSD(d)
	if err != nil || len(d) < 2 {
		return false
	}
	ranks, err := stats.SignedRank(d, stats.CappedRanks)
	return err == nil && ranks.P <= level/2 || mean > stats.StudentQuantile(1-level/2, len(d)-1)*sd/math.Sqrt(float64(len(d)))
}
