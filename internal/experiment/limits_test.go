package experiment_test

import (
	"encoding/json"
	"errors"
	"io"
	"slices"
	"testing"

	"pgmpi/guidelines"
	"pgmpi/internal/conf/glfile"
	"pgmpi/internal/experiment"
	"pgmpi/internal/experiment/run"
	"pgmpi/internal/fail"
	"pgmpi/measure"
	"pgmpi/measure/results"
	"pgmpi/mockups"
	"pgmpi/testkit/bed"
	"pgmpi/testkit/must"
	"pgmpi/testkit/should"
)

// A check that goes on measures what it has planned, whatever the library would tell now. A dry one asks nothing.
func TestACheckGoesOnAroundTheLimitsOfItsFolder(t *testing.T) {
	asked := func(config glfile.File, o run.Options) []int64 {
		t.Helper()
		o.Start = func([]string, []string, io.Writer) (*measure.Ranks, error) {
			t.Error("an mpirun is started")
			return nil, errors.New("none")
		}
		f := must.Get(experiment.CheckAroundLimits().Prepare(t.Context(), &config, o))(t)
		return f.Check.Around
	}
	old := glfile.Default()
	old.Check.Around = []int64{4040, 4041}
	before := &results.Manifest{Config: must.Get(json.Marshal(old))(t)}
	should.Equal(t, asked(glfile.Default(), run.Options{Before: before}), []int64{4040, 4041}, "going on")
	should.Equal(t, asked(glfile.Default(), run.Options{Dry: true}), nil, "dry")
	without := glfile.Default()
	without.Check.Exclude = []string{"messages"}
	should.Equal(t, asked(without, run.Options{}), nil, "without messages")
}

// A launcher that does not come back would be waited for twice.
func TestALauncherThatHangsBeforeACheckIsWaitedForOnce(t *testing.T) {
	for fault, ends := range map[bed.Fault]bool{bed.Silent: true, bed.Crashes: false} {
		bed.Bubble(t, func(t *testing.T, b *bed.Bed) {
			b.Fake.Fault = func(int) bed.Fault { return fault }
			config := b.Config("[job]\nnp = [4]\n")
			f, err := experiment.CheckAroundLimits().Prepare(t.Context(), config, run.Options{Start: b.Fake.Start})
			should.Equal(t, fail.Is[*fail.Setup](err), ends, "%d: %v", fault, err)
			should.Equal(t, f == config, !ends, "%d: the check goes on", fault)
		})
	}
}

func TestACheckAsksOfMessagesBetweenRanksOfEachDistance(t *testing.T) {
	bed.Bubble(t, func(t *testing.T, b *bed.Bed) {
		b.Fake.Hosts = 2
		f := must.Get(experiment.CheckAroundLimits().Prepare(t.Context(), b.Config("[job]\nnp = [2, 4]\n"), run.Options{Start: b.Fake.Start}))(t)
		must.Hold(t, len(f.Check.Between) == 1 && f.Check.Between[0].Shape == "p4", "%+v", f.Check.Between)
		should.Equal(t, f.Check.Between[0].Pairs[0], [2]int{0, 1}, "on one node")
		other := f.Check.Between[0].Pairs[1]
		should.Hold(t, other[0] < 2 && other[1] >= 2, "%v is on one node, too", other)
		plan := must.Get(f.Plan([]int{2, 4}))(t)
		should.Hold(t, slices.ContainsFunc(plan.Tests, func(x guidelines.Test) bool { return x.Function == mockups.Between("MPI_Send", other) }), "%+v", plan.Tests)
	})
}
