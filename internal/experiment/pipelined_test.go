package experiment_test

import (
	"errors"
	"math"
	"strings"
	"testing"
	"time"

	"pgmpi/analyze/samples"
	"pgmpi/guidelines"
	"pgmpi/internal/conf/glfile"
	"pgmpi/internal/experiment"
	"pgmpi/internal/fail"
	"pgmpi/internal/fixture/bed"
	"pgmpi/internal/fixture/must"
	"pgmpi/internal/fixture/should"
	"pgmpi/measure/protocol"
)

// Every collective is measured as single calls and as calls in a row, and their ratio comes from the library.
func TestPipelinedMeasuresSingleCallsAndCallsInARow(t *testing.T) {
	config := glfile.Default()
	config.MPI.Rank, config.NREP.Fixed, config.Job.MPIRuns, config.Job.NP = bed.RankProgram(t), 30, 2, []int{2}
	config.MPI.Launch, config.Job.Msizes = []string{"true", "{np}"}, guidelines.MsizeList{"8", "64Ki", "128Ki"}
	config.Check.Functions = []string{"MPI_Bcast", "MPI_Reduce"}
	ranks := &bed.Ranks{Call: func(c protocol.JobCase, _ int) time.Duration {
		if c.Calls > 1 {
			return 4 * time.Microsecond
		}
		return 10 * time.Microsecond
	}}
	_, found, err := bed.Run(t, experiment.Pipelined, &config, t.TempDir()+"/out", ranks)
	must.Do(t, err)
	calls := map[int64]int{8: 100, 64 << 10: 100, 128 << 10: 10}
	for _, j := range ranks.Jobs() {
		must.Hold(t, j.Mode == protocol.ModePipelined && len(j.Cases) == 12 && len(j.Order) == 12, "mode %s, %d cases, %d visits", j.Mode, len(j.Cases), len(j.Order))
		for i, k := range j.Cases {
			if single := i%2 == 0; single && (k.Calls != 0 || k.NRep != 30) || !single && (k.Calls != calls[k.Msize] || k.NRep != 10) {
				t.Errorf("%+v", k)
			}
		}
	}
	p := found.Value.(*samples.Pipelined)
	for _, k := range p.Cases {
		should.Hold(t, k.R == 2 && k.Calls == calls[k.Msize] && math.Abs(*k.Ratio-0.4) <= 1e-3, "%+v", k)
	}
	should.Hold(t, len(p.Cases) == 6 && len(ranks.Jobs()) == 2, "%d cases in %d mpiruns", len(p.Cases), len(ranks.Jobs()))
}

func TestNoExperimentGoesOnInAnotherOnesFolder(t *testing.T) {
	config, path := experiment.Explore.Defaults(), t.TempDir()+"/out"
	config.MPI.Rank, config.MPI.Launch, config.Job.NP = bed.RankProgram(t), []string{"true", "{np}"}, []int{2}
	config.Job.MPIRuns, config.Job.Msizes, config.Check.Functions = 3, guidelines.MsizeList{"8"}, []string{"MPI_Bcast"}
	if _, _, err := bed.Run(t, experiment.Pipelined, config, path, &bed.Ranks{}); err != nil {
		t.Fatal(err)
	}
	var refused *fail.Setup
	_, _, err := bed.Run(t, experiment.Explore, config, path, &bed.Ranks{})
	should.Hold(t, errors.As(err, &refused) && strings.Contains(err.Error(), "is a folder of pgmpi times --pipelined: `pgmpi times --pipelined --out "+path+" --resume` goes on in it"),
		"%v", err)
}
