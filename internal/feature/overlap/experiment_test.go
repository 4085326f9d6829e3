package overlap

import (
	"math"
	"slices"
	"testing"

	"pgmpi/guidelines"
	"pgmpi/internal/conf/glfile"
	"pgmpi/internal/feature/overlap/work"
	"pgmpi/internal/reading"
	"pgmpi/measure/protocol"
	"pgmpi/testkit/bed"
	"pgmpi/testkit/must"
	"pgmpi/testkit/should"
)

// hidden is a call of which nothing is hidden without tests, and half with the most of them.
func hidden(asked *protocol.Asked, c protocol.JobCase, ns float64) *protocol.Answer {
	side := func(t work.Try, left float64) work.Side {
		return work.Side{Interval: t.Interval, Tests: t.Tests, N: c.NRep, PostNS: left / 4, WaitNS: left * 3 / 4,
			OverheadNS: left, OverallNS: ns + left, ExcessNS: left}
	}
	job, _ := work.Work.Job(asked)
	tries := job.Tests(c.Msize)
	answer, _ := work.Work.Answer(&work.Answer{BlockingNS: ns, ComputeNS: int64(ns), Search: tries,
		None: side(tries[0], ns), Best: side(tries[len(tries)-1], ns/2), DoneNS: ns})
	return answer
}
func init() { glfile.Register(section) }

func overlapConfig(t *testing.T) *glfile.File {
	config := experiment.Defaults()
	config.MPI.Rank, config.MPI.Launch, config.Job.NP = bed.RankProgram(t), []string{"true", "{np}"}, []int{2}
	config.Job.MPIRuns, config.Job.Msizes = 3, guidelines.MsizeList{"8", "128Ki"}
	config.Check.Functions = []string{"MPI_Bcast", "MPI_Reduce"}
	glfile.Put(config, section, Config{Method: work.ByWork, Tests: guidelines.MsizeList{"4Ki", "64Ki"}})
	return config
}

func TestOverlapMeasuresEachNonblockingCallOncePerMpirun(t *testing.T) {
	ranks, config := &bed.Ranks{Work: hidden}, overlapConfig(t)
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
		asked := must.Get(work.Work.Job(j.Work))(t)
		should.Equal(t, *asked, work.Job{Method: work.ByWork, Intervals: []int64{4 << 10, 64 << 10}})
		should.Hold(t, j.Mode == "overlap" && len(j.Order) == 4 && j.Sample == protocol.SampleLocal && j.SendNS == 0 && slices.Equal(names, []string{"MPI_Ibcast", "MPI_Ibcast", "MPI_Ireduce", "MPI_Ireduce"}),
			"%+v", j)
	}
	o := found.Value.(*Overlap)
	for _, k := range o.Cases {
		tests := k.Msize/4096 + 1
		should.Hold(t, k.R == 3 && k.Best.Tests == tests && *k.None.Overlap.Median == 0 && math.Abs(*k.Best.Overlap.Median-.5) <= 1e-9 && k.Blocking.Lo95 == nil,
			"%+v", k)
	}
	should.Hold(t, o.Method == work.ByWork && len(o.Cases) == 4, "%d cases by %s", len(o.Cases), o.Method)
}

func TestOverlapGoesOnWhereItWasInterrupted(t *testing.T) {
	path, config := t.TempDir()+"/out", overlapConfig(t)
	ranks := &bed.Ranks{Work: hidden, Fault: func(launch int) bed.Fault {
		if launch > 1 { // again and again
			return bed.Dies
		}
		return bed.NoFault
	}}
	before, _, err := bed.Run(t, experiment, config, path, ranks)
	must.Hold(t, err != nil, "an mpirun that dies is no fault")
	config = must.Get(reading.ConfigOf(before.Manifest))(t)
	again := &bed.Ranks{Work: hidden}
	c, found, err := bed.Run(t, experiment, config, path, again)
	should.Hold(t, err == nil && c.Before != nil && c.Manifest.Created == before.Manifest.Created && found.Value.(*Overlap).Cases[0].R == 3 && len(again.Jobs()) == 2,
		"%d mpiruns more: %+v, %v", len(again.Jobs()), found, err)
}

func TestWrongDataOfAnMpirunNameItsKind(t *testing.T) {
	ranks := &bed.Ranks{Work: hidden, Fault: func(int) bed.Fault { return bed.WrongData }}
	campaign, found, err := bed.Run(t, experiment, overlapConfig(t), t.TempDir()+"/out", ranks)
	must.Do(t, err)
	c := found.Value.(*Overlap).Cases[0]
	should.Hold(t, c.Wrong && len(c.Runs) == 0, "%+v", c)
	should.Equal(t, campaign.Manifest.Skip[0].Message, "mpirun 1 of overlapped calls: rank 0 has 1 in place of 2")
}

func TestOverlapRefusesWhatItCannotMeasure(t *testing.T) {
	for want, change := range map[string]func(*glfile.File){
		"has no room for computation":     func(f *glfile.File) { f.Measure.Sync = "window" },
		"(--functions) names no":          func(f *glfile.File) { f.Check.Functions = []string{"MPI_Barrier"} },
		"is below 1 byte":                 func(f *glfile.File) { glfile.Put(f, section, Config{work.ByTime, guidelines.MsizeList{"0"}}) },
		`unknown method "day"`:            func(f *glfile.File) { glfile.Put(f, section, Config{Method: "day"}) },
		"overlap.tests: \"x\" is no size": func(f *glfile.File) { glfile.Put(f, section, Config{work.ByTime, guidelines.MsizeList{"x"}}) },
	} {
		config := overlapConfig(t)
		change(config)
		err := config.Validate(nil)
		if err == nil {
			_, _, err = bed.Run(t, experiment, config, t.TempDir()+"/out", &bed.Ranks{Work: hidden})
		}
		should.Fail(t, err, want)
	}
}
