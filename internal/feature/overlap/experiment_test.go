package overlap

import (
	"math"
	"slices"
	"testing"

	"pgmpi/guidelines"
	"pgmpi/internal/conf/glfile"
	"pgmpi/internal/fixture/bed"
	"pgmpi/internal/fixture/must"
	"pgmpi/internal/fixture/should"
	"pgmpi/internal/reading"
	"pgmpi/measure/protocol"
)

func overlapConfig(t *testing.T) *glfile.File {
	config := experiment.Defaults()
	config.MPI.Rank, config.MPI.Launch, config.Job.NP = bed.RankProgram(t), []string{"true", "{np}"}, []int{2}
	config.Job.MPIRuns, config.Job.Msizes = 3, guidelines.MsizeList{"8", "128Ki"}
	config.Check.Functions = []string{"MPI_Bcast", "MPI_Reduce"}
	config.Overlap.Method, config.Overlap.Tests = protocol.OverlapWork, guidelines.MsizeList{"4Ki", "64Ki"}
	return config
}

func TestOverlapMeasuresEachNonblockingCallOncePerMpirun(t *testing.T) {
	ranks, config := &bed.Ranks{}, overlapConfig(t)
	_, found, err := bed.Run(t, experiment, config, t.TempDir()+"/out", ranks)
	must.Do(t, err)
	jobs := ranks.Jobs()
	must.Hold(t, len(jobs) == 3, "%d mpiruns", len(jobs))
	for _, j := range jobs {
		var names []string
		for _, k := range j.Cases {
			names = append(names, k.Function)
			should.Hold(t, k.NRep == 50, "%s is repeated %d times", k.Function, k.NRep)
		}
		should.Hold(t, j.Mode == protocol.ModeOverlap && len(j.Order) == 4 && j.Sample == protocol.SampleLocal && j.Overlap != nil && j.Overlap.Method == protocol.OverlapWork && slices.Equal(j.Overlap.Intervals, []int64{4 << 10, 64 << 10}) && slices.Equal(names, []string{"MPI_Ibcast", "MPI_Ibcast", "MPI_Ireduce", "MPI_Ireduce"}),
			"%+v", j)
	}
	o := found.Value.(*Overlap)
	for _, k := range o.Cases {
		tests := k.Msize/4096 + 1
		should.Hold(t, k.R == 3 && k.Best.Tests == tests && *k.None.Overlap.Median == 0 && math.Abs(*k.Best.Overlap.Median-.5) <= 1e-9 && k.Blocking.Lo95 == nil,
			"%+v", k)
	}
	should.Hold(t, o.Method == protocol.OverlapWork && len(o.Cases) == 4, "%d cases by %s", len(o.Cases), o.Method)
}

func TestOverlapGoesOnWhereItWasInterrupted(t *testing.T) {
	path, config := t.TempDir()+"/out", overlapConfig(t)
	ranks := &bed.Ranks{Fault: func(launch int) bed.Fault {
		if launch > 1 { // again and again
			return bed.Dies
		}
		return bed.NoFault
	}}
	before, _, err := bed.Run(t, experiment, config, path, ranks)
	must.Hold(t, err != nil, "an mpirun that dies is no fault")
	config = must.Get(reading.ConfigOf(before.Manifest))(t)
	again := &bed.Ranks{}
	c, found, err := bed.Run(t, experiment, config, path, again)
	should.Hold(t, err == nil && c.Before != nil && c.Manifest.Created == before.Manifest.Created && found.Value.(*Overlap).Cases[0].R == 3 && len(again.Jobs()) == 2,
		"%d mpiruns more: %+v, %v", len(again.Jobs()), found, err)
}

func TestOverlapRefusesWhatItCannotMeasure(t *testing.T) {
	for want, change := range map[string]func(*glfile.File){
		"has no room for computation":     func(f *glfile.File) { f.Measure.Sync = "window" },
		"(--functions) names no":          func(f *glfile.File) { f.Check.Functions = []string{"MPI_Barrier"} },
		"is below 1 byte":                 func(f *glfile.File) { f.Overlap.Tests = guidelines.MsizeList{"0"} },
		`unknown method "day"`:            func(f *glfile.File) { f.Overlap.Method = "day" },
		"overlap.tests: \"x\" is no size": func(f *glfile.File) { f.Overlap.Tests = guidelines.MsizeList{"x"} },
	} {
		config := overlapConfig(t)
		change(config)
		err := config.Validate(nil)
		if err == nil {
			_, _, err = bed.Run(t, experiment, config, t.TempDir()+"/out", &bed.Ranks{})
		}
		should.Fail(t, err, want)
	}
}
