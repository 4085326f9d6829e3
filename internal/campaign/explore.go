package campaign

import (
	"context"
	"slices"
	"strings"

	"pgmpi/analyze"
	"pgmpi/guidelines"
	"pgmpi/internal/conf/glfile"
	"pgmpi/measure"
	"pgmpi/measure/protocol"
	"pgmpi/measure/results"
	"pgmpi/mockups"
)

// exploreSizes are the message sizes that are explored unless others are asked for.
var exploreSizes = guidelines.MsizeList{"8", "1Ki", "16Ki", "64Ki", "256Ki", "1Mi"}

// ExploreDefaults is what flags of `pgmpi explore` beat.
func ExploreDefaults() *glfile.File {
	f := glfile.Default()
	f.Job.Msizes, f.NREP.Predictions = exploreSizes, 1
	return &f
}

// Explore is a campaign that compares what a library chooses with its own algorithms
// and with mock-ups: every comparison is a pattern of its Plan, stage 2 selects, and
// other mpiruns test.
type Explore struct {
	*Campaign
	r int // mpiruns that test; 0: as many as suit
}

// NewExplore asks the library for its algorithms, in an mpirun of its own, and makes the
// Plan. before is the manifest of the folder that is resumed, or nil; no Starter is
// measure.Exec.
func NewExplore(ctx context.Context, config *glfile.File, path string, before *results.Manifest, version string, start measure.Starter) (*Explore, error) {
	if err := config.ExploresForced(); err != nil {
		return nil, setup(err)
	}
	list, err := ReadAlgorithms(ctx, config, start)
	if err != nil {
		return nil, err
	}
	f := *config
	f.Check.Guidelines, f.Check.Exclude, f.Guideline = []string{}, []string{}, comparisons(list, config)
	if len(f.Guideline) == 0 {
		return nil, setupf("nothing to explore: %s", nothingToExplore(list))
	}
	if err := f.Explore.Known(list.Collectives); err != nil {
		return nil, setupf("explore.algorithms: %w", err)
	}
	if f.Explore.Rounds > 0 && f.Measure.Turns == 0 && !f.Measure.Provable && f.Measure.Cache == protocol.CacheWarm {
		f.Measure.Turns = min(f.Explore.Rounds, f.NREP.Most())
	}
	c, err := New(&f, path, before, version)
	if err != nil {
		return nil, err
	}
	if before == nil {
		c.Manifest.R, c.Manifest.Looks, c.Manifest.LookWeights = f.Explore.Select, nil, nil
	}
	c.Start = start
	return &Explore{c, config.Job.MPIRuns}, nil
}

func nothingToExplore(list *Algorithms) string {
	if n, _ := list.count(); n == 0 {
		return list.Library + " does not tell any algorithm of its own (MPI_T)"
	}
	return "explore.algorithms and check.functions leave none of the library's own algorithms; `pgmpi list --algorithms` shows them"
}

// comparisons are those of every collective of which an own algorithm is wanted: with
// itself once more, with these algorithms, and with its mock-ups.
func comparisons(list *Algorithms, config *glfile.File) (out []guidelines.User) {
	add := func(collective, other string) {
		id := strings.NewReplacer("@", "-", ".", "_").Replace(strings.TrimPrefix(other, "MPI_"))
		out = append(out, guidelines.User{ID: "explore-" + id, Pattern: &guidelines.UserPattern{Function: collective, Mockup: other}})
	}
	for _, c := range list.Collectives {
		var wanted []string
		only := config.Check.Functions
		for _, a := range c.Names {
			id := mockups.AlgorithmID(c.Collective, a.Name)
			if f, ok := mockups.Get(id); ok && !c.Fixed && config.Explore.Wants(id) && (len(only) == 0 || slices.Contains(only, f.Of)) {
				wanted = append(wanted, id)
			}
		}
		if len(wanted) == 0 {
			continue
		}
		add(c.Collective, mockups.AlgorithmID(c.Collective, mockups.DefaultAlgorithm))
		for _, id := range wanted {
			add(c.Collective, id)
		}
		for _, id := range append(mockups.Mockups(c.Collective), guidelines.OwnMockups(config.Mockup, c.Collective)...) {
			add(c.Collective, id)
		}
	}
	return out
}

// Do selects, tests, and judges.
func (x *Explore) Do(ctx context.Context) (*analyze.Exploration, error) {
	c := x.Campaign
	c.data.wanted = true
	c.plan(protocol.ModeMeasure, c.Manifest.R)
	if err := c.Predict(ctx); err != nil {
		return nil, err
	}
	if err := c.measure(ctx, 1, c.Manifest.R); err != nil {
		return nil, err
	}
	if err := x.planTests(); err != nil {
		return nil, c.failure(ctx, err)
	}
	if p := c.Manifest.Explore; p != nil {
		c.plan(protocol.ModeExplore, p.R)
		if err := c.stage(ctx, protocol.ModeExplore, 1, p.R); err != nil {
			return nil, err
		}
		c.sayStopped(protocol.ModeExplore, "the test of the candidates")
	}
	data, err := c.collected(c.Manifest.R, protocol.ModeMeasure, protocol.ModeExplore)
	if err != nil {
		return nil, err
	}
	return analyze.Explore(c.Manifest, data, c.Config.Analyze)
}

// planTests fixes what is tested when stage 2 has ended. What was planned stays so as
// soon as one of its mpiruns is there.
func (x *Explore) planTests() error {
	c := x.Campaign
	if begun, err := c.begun(protocol.ModeExplore); begun || err != nil {
		return err
	}
	data, err := c.collected(c.Manifest.R, protocol.ModeMeasure)
	if err != nil {
		return err
	}
	c.Manifest.Explore = analyze.ExplorationPlan(c.Manifest, data, c.Config.Analyze, x.r)
	return c.Folder().WriteManifest(c.Manifest)
}
