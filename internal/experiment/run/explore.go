package run

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"pgmpi/analyze/explore"
	"pgmpi/analyze/judge"
	"pgmpi/analyze/report"
	"pgmpi/guidelines"
	"pgmpi/internal/conf/glfile"
	"pgmpi/internal/fail"
	"pgmpi/internal/reading"
	"pgmpi/internal/untimed"
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

// ExploreStages are the stages of an exploration.
var ExploreStages = []protocol.Mode{protocol.ModeNREP, protocol.ModeMeasure, protocol.ModeExplore}

// NewExplore asks the library for its algorithms, in an mpirun of its own, and makes the
// Plan. before is the manifest of the folder that is resumed, or nil; no Starter is
// measure.Exec.
func NewExplore(ctx context.Context, config *glfile.File, path string, before *results.Manifest, version string, start measure.Starter) (*Explore, error) {
	if before != nil && !before.Exploration {
		return nil, fail.Setupf("%s is no exploration: go on with the command that has made it, or take a new folder with --out", path)
	}
	if err := config.ExploresForced(); err != nil {
		return nil, fail.AsSetup(err)
	}
	list, err := untimed.ReadAlgorithms(ctx, config, start)
	if err != nil {
		return nil, err
	}
	if err := config.Explore.Known(list.Collectives); err != nil {
		return nil, fail.Setupf("explore.algorithms: %w", err)
	}
	users := Comparisons(list, config)
	if len(users) == 0 {
		return nil, fail.Setupf("nothing to explore: %s", nothingToExplore(list))
	}
	x, err := newExplore(config, users, path, before, version, New)
	if err == nil {
		x.Start = start
	}
	return x, err
}

// NewDryExplore is NewExplore for a Plan that is only shown: nothing is started, so that
// which algorithms there are is known only in a folder that is resumed. Of others, some
// are assumed.
func NewDryExplore(config *glfile.File, path string, before *results.Manifest, version string) (*Explore, error) {
	users := Comparisons(Assumed(config), config)
	if before != nil {
		old, err := reading.ConfigOf(before)
		if err != nil {
			return nil, err
		}
		users = old.Guideline
	}
	return newExplore(config, users, path, before, version, NewDry)
}

func newExplore(config *glfile.File, users []guidelines.User, path string, before *results.Manifest, version string,
	create func(*glfile.File, string, *results.Manifest, string) (*Campaign, error)) (*Explore, error) {
	if err := RefuseTests(config, config.Job.MPIRuns, 1); err != nil {
		return nil, err
	}
	f := *config
	f.Check.Guidelines, f.Check.Exclude, f.Guideline = []string{}, []string{}, users
	if f.Explore.Rounds > 0 && f.Measure.Turns == 0 && !f.Measure.Provable && f.Measure.Cache == protocol.CacheWarm {
		f.Measure.Turns = min(f.Explore.Rounds, f.NREP.Most())
	}
	c, err := create(&f, path, before, version)
	if err != nil {
		return nil, err
	}
	if before == nil {
		c.Manifest.Explores(f.Explore.Select)
	}
	return &Explore{c, config.Job.MPIRuns}, nil
}

// refuseTests returns a *Refused where r mpiruns cannot show any of m candidates to be faster;
// r = 0: as many will be made as suit.
func RefuseTests(config *glfile.File, r, m int) error {
	if r == 0 {
		return nil
	}
	return RefusedBy(judge.NewDesign(config.Analyze, judge.Once(r), m))
}

// assumedAlgorithms are as many as a collective usually has: Open MPI 4.1.4 and MPICH 4.0.2
// have 3 to 4 in the mean.
const assumedAlgorithms = 4

// assumed is what a library that was not asked is taken to have, and what is named.
func Assumed(config *glfile.File) *report.Algorithms {
	out := &report.Algorithms{}
	for _, c := range mockups.Collectives() {
		of := protocol.Algorithms{Collective: c}
		for i := range assumedAlgorithms {
			of.Names = append(of.Names, protocol.Algorithm{Name: fmt.Sprint(i + 1)})
		}
		for _, id := range config.Explore.Algorithms {
			if name, ok := strings.CutPrefix(id, c+"@"); ok {
				of.Names = append(of.Names, protocol.Algorithm{Name: name})
			}
		}
		out.Collectives = append(out.Collectives, of)
	}
	return out
}

// testingRuns is how many mpiruns test the candidates: at least, while these are not chosen.
func testingRuns(m *results.Manifest, config *glfile.File) int {
	if m.Explore != nil {
		return m.Explore.R
	}
	return cmp.Or(config.Job.MPIRuns, explore.LeastTesting)
}

func nothingToExplore(list *report.Algorithms) string {
	if n, _ := list.Count(); n == 0 {
		return list.Library + " does not tell any algorithm of its own (MPI_T)"
	}
	return "explore.algorithms and check.functions leave none of the library's own algorithms; `pgmpi list --algorithms` shows them"
}

// comparisons are those of every collective of which an own algorithm is wanted: with
// itself once more, with these algorithms, and with its mock-ups, those that divide their
// work among nodes only where all shapes let them.
func Comparisons(list *report.Algorithms, config *glfile.File) (out []guidelines.User) {
	add := func(collective, other string) {
		id := strings.NewReplacer("@", "-", ".", "_").Replace(strings.TrimPrefix(other, "MPI_"))
		out = append(out, guidelines.User{ID: "explore-" + id, Pattern: &guidelines.UserPattern{Function: collective, Mockup: other}})
	}
	shapes := config.Job.On(config.Job.NP)
	lanes := len(shapes) > 0 && !slices.ContainsFunc(shapes, func(s guidelines.Shape) bool { return !s.HasLanes() })
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
			if f, _ := mockups.Get(id); f.Over == "" || lanes {
				add(c.Collective, id)
			}
		}
	}
	return out
}

// Do selects, tests, and judges.
func (x *Explore) Do(ctx context.Context) (*explore.Exploration, error) {
	c := x.Campaign
	c.data.wanted = true
	c.plan(protocol.ModeMeasure, c.Manifest.R)
	if err := c.Predict(ctx); err != nil {
		return nil, err
	}
	if err := c.measure(ctx, 1, c.Manifest.R); err != nil {
		return nil, err
	}
	var refused *fail.Refused
	if err := x.planTests(); errors.As(err, &refused) {
		return nil, err
	} else if err != nil {
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
	return explore.Explore(c.Manifest, data, c.Config.Analyze)
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
	plan := explore.ExplorationPlan(c.Manifest, data, c.Config.Analyze, x.r)
	if plan != nil {
		if err := RefuseTests(c.Config, x.r, explore.Candidates(c.Manifest, plan)); err != nil {
			return err
		}
	}
	c.Manifest.Planned(protocol.ModeExplore, plan)
	return c.Folder().WriteManifest(c.Manifest)
}
