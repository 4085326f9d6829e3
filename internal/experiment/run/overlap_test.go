package run_test

import (
	"errors"
	"math"
	"slices"
	"strings"
	"testing"

	"pgmpi/guidelines"
	"pgmpi/internal/conf/glfile"
	"pgmpi/internal/experiment/run"
	"pgmpi/internal/fail"
	"pgmpi/internal/fixture/bed"
	"pgmpi/internal/fixture/must"
	"pgmpi/internal/reading"
	"pgmpi/measure/protocol"
	"pgmpi/measure/results"
)

func overlapConfig(t *testing.T) *glfile.File {
	config := run.OverlapDefaults()
	config.MPI.Rank, config.MPI.Launch, config.Job.NP = bed.RankProgram(t), []string{"true", "{np}"}, []int{2}
	config.Job.MPIRuns, config.Job.Msizes = 3, guidelines.MsizeList{"8", "128Ki"}
	config.Check.Functions = []string{"MPI_Bcast", "MPI_Reduce"}
	config.Overlap.Method, config.Overlap.Tests = protocol.OverlapWork, guidelines.MsizeList{"4Ki", "64Ki"}
	return config
}

func measuredOverlap(t *testing.T, config *glfile.File, path string, before *results.Manifest, ranks *bed.Ranks) *run.Campaign {
	t.Helper()
	c := must.Get(run.NewOverlap(config, path, before, "test"))(t)
	c.Start, c.Tell = ranks.Start, func(run.Event) {}
	must.Do(t, c.Open())
	t.Cleanup(func() { c.Close() })
	must.Do(t, c.MeasureOverlap(t.Context()))
	return c
}

func TestOverlapMeasuresEachNonblockingCallOncePerMpirun(t *testing.T) {
	ranks, config := &bed.Ranks{}, overlapConfig(t)
	c := measuredOverlap(t, config, t.TempDir()+"/out", nil, ranks)
	jobs := ranks.Jobs()
	if len(jobs) != 3 {
		t.Fatalf("%d mpiruns", len(jobs))
	}
	for _, j := range jobs {
		var names []string
		for _, k := range j.Cases {
			names = append(names, k.Function)
			if k.NRep != run.OverlapRepetitions {
				t.Errorf("%s is repeated %d times", k.Function, k.NRep)
			}
		}
		if j.Mode != protocol.ModeOverlap || len(j.Order) != 4 || j.Sample != protocol.SampleLocal || j.Overlap == nil || j.Overlap.Method != protocol.OverlapWork ||
			!slices.Equal(j.Overlap.Intervals, []int64{4 << 10, 64 << 10}) || !slices.Equal(names, []string{"MPI_Ibcast", "MPI_Ibcast", "MPI_Ireduce", "MPI_Ireduce"}) {
			t.Errorf("%+v", j)
		}
	}
	o := must.Get(reading.Overlap(c.Folder(), c.Manifest, config.Analyze))(t)
	for _, k := range o.Cases {
		tests := k.Msize/4096 + 1
		if k.R != 3 || k.Best.Tests != tests || *k.None.Overlap.Median != 0 || math.Abs(*k.Best.Overlap.Median-.5) > 1e-9 || k.Blocking.Lo95 != nil {
			t.Errorf("%+v", k)
		}
	}
	if o.Method != protocol.OverlapWork || len(o.Cases) != 4 {
		t.Errorf("%d cases by %s", len(o.Cases), o.Method)
	}
}

func TestOverlapGoesOnWhereItWasInterrupted(t *testing.T) {
	path, config := t.TempDir()+"/out", overlapConfig(t)
	ranks := &bed.Ranks{Fault: func(launch int) bed.Fault {
		if launch > 1 { // again and again
			return bed.Dies
		}
		return bed.NoFault
	}}
	c, err := run.NewOverlap(config, path, nil, "test")
	if err != nil {
		t.Fatal(err)
	}
	c.Start, c.Tell = ranks.Start, func(run.Event) {}
	must.Do(t, c.Open())
	if err := c.MeasureOverlap(t.Context()); err == nil {
		t.Fatal("an mpirun that dies is no fault")
	}
	c.Close()
	before := must.Get(run.Before(path, true))(t)
	config = must.Get(reading.ConfigOf(before))(t)
	again := &bed.Ranks{}
	c = measuredOverlap(t, config, path, before, again)
	o, err := reading.Overlap(c.Folder(), c.Manifest, config.Analyze)
	if err != nil || !c.Resumed || c.Manifest.Created != before.Created || o.Cases[0].R != 3 || len(again.Jobs()) != 2 {
		t.Errorf("%d mpiruns more: %+v, %v", len(again.Jobs()), o, err)
	}
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
			_, err = run.NewOverlap(config, t.TempDir()+"/out", nil, "test")
		}
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %s", err, want)
		}
	}
}

func TestOverlapDoesNotGoOnInAnotherCommandsFolder(t *testing.T) {
	config := overlapConfig(t)
	p := must.Get(run.NewPipelined(config, t.TempDir()+"/out", "test"))(t)
	var refused *fail.Setup
	if _, err := run.NewOverlap(config, p.Path, p.Manifest, "test"); !errors.As(err, &refused) || !strings.Contains(err.Error(), "is no folder of pgmpi overlap") {
		t.Errorf("%v", err)
	}
}
