package experiment_test

import (
	"encoding/json"
	"errors"
	"io"
	"testing"

	"pgmpi/internal/conf/glfile"
	"pgmpi/internal/experiment"
	"pgmpi/internal/experiment/run"
	"pgmpi/measure"
	"pgmpi/measure/results"
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
