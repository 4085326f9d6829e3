package main

import (
	"math"
	"math/bits"
	"time"

	"pgmpi/guidelines"
	"pgmpi/internal/conf/glfile"
	"pgmpi/measure/launch"
	"pgmpi/measure/protocol"
	"pgmpi/measure/results"
	"pgmpi/mockups"
)

// The model behind the estimate of --dry-run. Nothing is known of the machine
// before the first mpirun, so its constants are those of one node with shared
// memory, in seconds and seconds per byte (docs/guide.md, "Before it starts").
const (
	stepTime     = 0.75e-6 // one of the ⌈log2 p⌉ steps of a collective of few bytes
	byteTime     = 0.12e-9 // each byte of the buffers of the busiest rank
	fillTime     = 0.2e-9  // each byte of its buffers that is given data before a case
	verifyTime   = 1e-9    // each byte of its buffers that is verified, and once more per process if reduced
	caseTime     = 20e-6   // what a case costs beside its calls
	yieldingTime = 4e-6    // one step when there are more ranks than cores, Open MPI
	spinningTime = 6e-3    // the same with a library that does not give its core away
)

// startTime is what an mpirun costs without its cases, by library: s + s·p.
// Open MPI's is that of mpi.keep_pml; to choose its layer anew takes choiceTime.
const choiceTime = 0.2 // s

var startTime = map[string][2]float64{
	"openmpi": {0.01, 0.037},
	"mpich":   {0, 0.045},
	"":        {0.5, 0.065},
}

// The expected repetitions of a case with metric rse at 0.025, in the mean: the
// spread of short calls is larger. The largest prediction is kept, twice the
// mean one.
const (
	shortCall   = 5e-6 // s
	shortRepeat = 30
	longRepeat  = 15
	usualRSE    = 0.025
)

// cost is what a check takes in one shape.
type cost struct {
	shape  guidelines.Shape
	cases  int
	nrep   time.Duration // an mpirun of stage 1
	run    time.Duration // an mpirun of stage 2
	verify time.Duration // once more in the first mpirun
	memory int64         // bytes of a rank's buffers: the largest of each kind, over all cases
	left   []leftOut
}

// leftOut is a case that cannot be measured.
type leftOut struct {
	guidelines.Case
	why string
}

// costOf estimates a shape's part of a check.
func costOf(p *prepared, shape guidelines.Shape) cost {
	m, config := p.manifest, p.config
	c := cost{shape: shape}
	extent := guidelines.Extent(m.Plan.Datatype)
	model := modelOf(config, m.Rank.Library, shape.NP)
	cases := c.leaveOut(m, config, extent)
	called := map[string]bool{}
	var seconds struct{ nrep, run, verify float64 }
	for _, i := range cases {
		k := m.Plan.Cases[i]
		f, _ := mockups.Get(k.Function)
		need := f.Memory(k.Msize/extent, extent, shape.NP)
		call := model.call(f, need.Sum())
		untimed := warmups(config, call)
		if !called[k.Function] {
			called[k.Function] = true
			untimed += config.Measure.FirstCalls
		}
		once := caseTime + fillTime*float64(need.Send+need.Recv) + call*float64(untimed)
		each := call + model.step() // and its MPI_Barrier
		predicted, kept := repetitions(config, call, each, m.NRep[i].N)
		seconds.nrep += once + each*predicted
		seconds.run += once + each*kept
		seconds.verify += verifyTime * float64(need.Send+need.Recv) * model.folds(f)
	}
	c.nrep = inSeconds(model.start + seconds.nrep)
	c.run = inSeconds(model.start + seconds.run)
	c.verify = inSeconds(seconds.verify)
	return c
}

func inSeconds(s float64) time.Duration {
	return time.Duration(min(s, math.MaxInt64/1e10) * 1e9)
}

// warmups is how many untimed calls there are before a case whose calls take so
// many seconds.
func warmups(config *glfile.File, call float64) int {
	most := config.Measure.Warmup
	if limit := time.Duration(config.Measure.WarmupTime).Seconds(); limit > 0 {
		return min(most, max(2, int(limit/call)))
	}
	return most
}

// repetitions are those of a case in stage 1 and in stage 2. What a metric needs
// grows with the inverse square of its threshold; the others count as rse does.
func repetitions(config *glfile.File, call, each float64, known int) (predicted, kept float64) {
	n := config.NREP
	usual := float64(longRepeat)
	if each < shortCall {
		usual = shortRepeat
	}
	usual *= usualRSE * usualRSE / (n.RSE * n.RSE)
	most := min(float64(n.Max), time.Duration(n.MaxTime).Seconds()/each)
	predicted = max(float64(n.Min), min(usual, most))
	kept = max(float64(n.Min), min(2*usual, most), float64(n.ForMinTime([]float64{call})))
	switch {
	case known > 0:
		kept = float64(known)
	case n.Fixed > 0:
		kept = float64(n.Fixed)
	}
	return predicted, kept
}

// leaveOut fills in what the ranks will not measure, and returns the rest.
func (c *cost) leaveOut(m *results.Manifest, config *glfile.File, extent int64) []int {
	all := m.Plan.CasesOf(c.shape)
	sized := make([]mockups.Sized, len(all))
	for n, i := range all {
		f, _ := mockups.Get(m.Plan.Cases[i].Function)
		sized[n] = mockups.Sized{Function: f, Count: m.Plan.Cases[i].Msize / extent}
	}
	why, shared := mockups.Fit(sized, extent, c.shape.NP, mockups.Room{Cap: int64(config.Measure.TempMemory)})
	c.memory = shared.Sum()
	var cases []int
	for n, i := range all {
		if why[n] == "" {
			cases = append(cases, i)
		} else {
			c.left = append(c.left, leftOut{m.Plan.Cases[i], why[n]})
		}
	}
	c.cases = len(cases)
	return cases
}

// model is what a number of ranks of one library costs on this machine.
type model struct {
	np       int
	start    float64 // s, an mpirun without its cases
	stepTime float64 // s
}

func modelOf(config *glfile.File, library string, np int) model {
	start, ok := startTime[library]
	if !ok {
		start = startTime[""]
	}
	m := model{np: np, start: start[0] + start[1]*float64(np), stepTime: stepTime}
	if library == "openmpi" && !config.MPI.KeepPML {
		m.start += choiceTime
	}
	switch {
	case np <= launch.Slots():
	case library == "openmpi":
		m.stepTime = yieldingTime
	default:
		m.stepTime = spinningTime
	}
	return m
}

// step is what a collective without data costs: ⌈log2 p⌉ steps.
func (m model) step() float64 { return m.stepTime * float64(max(1, bits.Len(uint(m.np-1)))) }

// call is what one call of a function costs with so many bytes in its buffers.
// A mock-up is as many collectives as it is named after.
func (m model) call(f mockups.Function, bytes int64) float64 {
	parts := 1
	for _, c := range f.ID {
		if c == '+' {
			parts++
		}
	}
	return m.step()*float64(parts) + byteTime*float64(bytes)
}

// folds is how often the data of a case is computed to verify it.
func (m model) folds(f mockups.Function) float64 {
	if f.Reduces {
		return float64(1 + m.np)
	}
	return 1
}

// remaining counts the mpiruns of a mode that are not on disk yet.
func remaining(p *prepared, mode protocol.Mode, shape guidelines.Shape, runs int) int {
	if !p.goesOn {
		return runs
	}
	folder := results.Folder{Path: p.path}
	left := 0
	for run := 1; run <= runs; run++ {
		if !folder.Has(mode, shape, run) {
			left++
		}
	}
	return left
}
