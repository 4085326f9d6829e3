package analyze

import (
	"fmt"
	"math"
	"slices"

	"pgmpi/guidelines"
	"pgmpi/internal/stats"
	"pgmpi/measure/protocol"
	"pgmpi/measure/results"
)

// maxInvalid is the share of out-of-sync samples above which a case gives no
// verdict (docs/guide.md).
const maxInvalid = 0.25

// Collector reduces raw files to run medians, one mpirun at a time, so that
// only R numbers per case stay in memory.
type Collector struct {
	manifest *results.Manifest
	cases    []collected // by index into Plan.Cases
	seen     map[string]bool
	tickNS   int64
	// Mpiruns whose global clocks were off by more than they should, and the most, ns.
	drifted    int
	worstDrift int64
	zeroIQR    int // case-runs whose quartiles were equal
	schedule   Schedule
	runs       map[string]int           // stage-2 mpiruns by shape
	walls      map[string]map[int]int64 // their wall-clock in ns, by run
	// followed holds both sides of the split experiment, by case and number of
	// calls.
	followed map[followKey]*collected
	// Room for the samples of one case.
	ns, ascending []int64
	values        []float64
}

// followKey is a case of the split experiment: so many calls of a case in a row.
type followKey struct{ plan, calls int }

// collected is what is kept of a case.
type collected struct {
	medians    []float64        // ns, by run-1; NaN: no valid median
	runs       int              // mpiruns that had the case
	samples    []sampleCount    // by run-1
	late, long int              // invalid samples, by flag
	bounds     []protocol.Bound // of McCalpin, by mpirun that has one
	dependence dependence
	status     protocol.Status // of protocol.Status…; the worst seen
	message    string
}

// sampleCount is how many samples an mpirun has of a case.
type sampleCount struct{ total, invalid int }

// counted are those of the first so many mpiruns.
func (c *collected) counted(runs int) (sum sampleCount) {
	for _, s := range c.samples[:runs] {
		sum.total, sum.invalid = sum.total+s.total, sum.invalid+s.invalid
	}
	return sum
}

// counts are those of all mpiruns.
func (c *collected) counts() sampleCount { return c.counted(len(c.samples)) }

// tooMany tells whether so many are invalid that the case gives no verdict.
func (s sampleCount) tooMany() bool { return float64(s.invalid) > maxInvalid*float64(s.total) }

// NewCollector starts a collection for what the manifest plans.
func NewCollector(m *results.Manifest) *Collector {
	c := &Collector{manifest: m, cases: make([]collected, len(m.Plan.Cases)), seen: map[string]bool{}, tickNS: m.Rank.ClockTickNS,
		schedule: ScheduleOf(m), runs: map[string]int{}, walls: map[string]map[int]int64{}, followed: map[followKey]*collected{}}
	for i := range c.cases {
		c.cases[i] = newCollected(m.Runs(protocol.ModeMeasure))
		if skip, ok := m.Skip[i]; ok {
			c.cases[i].worsen(skip)
		}
	}
	return c
}

func newCollected(runs int) collected {
	runs = min(max(runs, 0), results.MaxMPIRuns)
	k := collected{status: protocol.StatusOK, medians: make([]float64, runs), samples: make([]sampleCount, runs)}
	for r := range k.medians {
		k.medians[r] = math.NaN()
	}
	return k
}

// worsen keeps the worst status: wrong, then not_measured, then ok.
func (c *collected) worsen(r protocol.CaseResult) {
	rank := map[protocol.Status]int{protocol.StatusNotMeasured: 1, protocol.StatusWrong: 2}
	if rank[r.Status] > rank[c.status] {
		c.status, c.message = r.Status, r.Message
	}
}

// problem says why the case gives no verdict: one of the planned mpiruns without
// a valid median, or too many samples out of sync. Empty: it does.
func (c *collected) problem(planned int) string {
	medians := c.medians[:min(planned, len(c.medians))]
	valid := 0
	for _, m := range medians {
		if !math.IsNaN(m) {
			valid++
		}
	}
	switch {
	case len(medians) == 0:
		return "no mpirun was planned"
	case valid < len(medians):
		return fmt.Sprintf("only %d of %d mpiruns have a valid median", valid, len(medians))
	}
	if n := c.counted(len(medians)); n.tooMany() {
		return fmt.Sprintf("%d of %d samples are out of sync, more than %.0f %%", n.invalid, n.total, 100*maxInvalid)
	}
	return ""
}

// problem is that of a case at the last look that it has data for.
func (c *Collector) problem(i int) string {
	k := &c.cases[i]
	return k.problem(c.schedule.Looks[max(0, c.schedule.after(k.runs))])
}

// median is the median of the run medians in ns; NaN where there is none.
func (c *collected) median() float64 { return c.medianOf(len(c.medians)) }

// medianOf is that of the first so many mpiruns.
func (c *collected) medianOf(runs int) float64 {
	var valid []float64
	for _, m := range c.medians[:min(runs, len(c.medians))] {
		if !math.IsNaN(m) {
			valid = append(valid, m)
		}
	}
	if c.status != protocol.StatusOK {
		return math.NaN()
	}
	return median(valid)
}

// Add takes in one mpirun of stage 2 or of the split experiment. A run that does not belong to the manifest
// and a run-time that is not positive are errors, which name the raw file.
func (c *Collector) Add(run *results.Run) error {
	file := fmt.Sprintf("raw/%s-%s-%02d.tsv.gz", run.Mode, run.Shape, run.Run)
	switch {
	case run.Mode != protocol.ModeMeasure && run.Mode != protocol.ModeSplit:
		return fmt.Errorf("%s: not a measurement of stage 2 (mode %q)", file, run.Mode)
	case run.Run < 1 || run.Run > min(c.manifest.Runs(run.Mode), results.MaxMPIRuns):
		return fmt.Errorf("%s: run %d is not one of the %d that the manifest plans", file, run.Run, c.manifest.Runs(run.Mode))
	case c.seen[file]:
		return fmt.Errorf("%s: run %d of %s came twice", file, run.Run, run.Shape)
	case len(run.Samples) != len(run.Cases):
		return fmt.Errorf("%s: samples of %d cases, the header has %d", file, len(run.Samples), len(run.Cases))
	}
	c.seen[file] = true
	c.tickNS = max(c.tickNS, run.Rank.ClockTickNS)
	if t := run.Timing; t.DriftNS > t.MaxDriftNS {
		c.drifted++
		c.worstDrift = max(c.worstDrift, t.DriftNS)
	}
	if run.Mode == protocol.ModeMeasure {
		shape := run.Shape.String()
		c.runs[shape]++
		if c.walls[shape] == nil {
			c.walls[shape] = map[int]int64{}
		}
		c.walls[shape][run.Run] = run.WallNS
	}
	for i, info := range run.Cases {
		if err := c.addCase(run, info, run.Samples[i]); err != nil {
			return fmt.Errorf("%s: case %s at %d B: %w", file, info.Function, info.Msize, err)
		}
	}
	return nil
}

func (c *Collector) addCase(run *results.Run, info results.CaseInfo, samples []protocol.Sample) error {
	if info.Plan < 0 || info.Plan >= len(c.cases) {
		return fmt.Errorf("index %d is not in the Plan of %d cases", info.Plan, len(c.cases))
	}
	want := guidelines.Case{Function: info.Function, Msize: info.Msize, Shape: run.Shape}
	planned := c.manifest.Plan.Cases[info.Plan]
	planned.Variant = ""
	if planned != want {
		return fmt.Errorf("the Plan has %s at %d B on %s in its place", planned.Function, planned.Msize, planned.Shape)
	}
	k := &c.cases[info.Plan]
	if run.Mode == protocol.ModeSplit {
		key := followKey{info.Plan, max(1, info.Calls)}
		if c.followed[key] == nil {
			fresh := newCollected(c.manifest.Runs(run.Mode))
			c.followed[key] = &fresh
		}
		k = c.followed[key]
	} else if info.Calls > 1 {
		return fmt.Errorf("its samples are %d calls each, in a stage where they are one", info.Calls)
	}
	k.runs++
	k.worsen(info.CaseResult)
	if info.Status != protocol.StatusOK {
		return nil
	}
	c.ns = c.ns[:0]
	for n, s := range samples {
		if s.Flags != 0 {
			continue
		}
		if s.NS <= 0 {
			return fmt.Errorf("repetition %d took %d ns; a run-time is positive: move the file away, `pgmpi check --resume` measures this mpirun again", n, s.NS)
		}
		c.ns = append(c.ns, s.NS)
	}
	var flagged protocol.CaseResult
	flagged.Count(samples)
	k.late, k.long = k.late+flagged.Late, k.long+flagged.Long
	k.samples[run.Run-1] = sampleCount{len(samples), flagged.Invalid}
	if info.Provable != nil {
		k.bounds = append(k.bounds, *info.Provable)
	}
	if len(c.ns) == 0 {
		return nil
	}
	var series []float64
	k.medians[run.Run-1], series = c.filter()
	return k.dependence.add(series)
}

// filter returns the run median of the samples in c.ns and what the outlier
// filter left of them, in the order of measurement; the next call overwrites
// both. They are sorted once, as integers: floats compare four times slower.
func (c *Collector) filter() (runMedian float64, series []float64) {
	c.ascending = append(c.ascending[:0], c.ns...)
	slices.Sort(c.ascending)
	c.values = c.values[:0]
	for _, ns := range c.ascending {
		c.values = append(c.values, float64(ns))
	}
	f := stats.FencesSorted(c.values, stats.TukeyFactor)
	if f.ZeroIQR() {
		c.zeroIQR++
	}
	runMedian = stats.MedianSorted(stats.TukeySorted(c.values, stats.TukeyFactor))
	c.values = c.values[:0]
	for _, ns := range c.ns {
		if v := float64(ns); f.Lo <= v && v <= f.Hi {
			c.values = append(c.values, v)
		}
	}
	return runMedian, c.values
}
