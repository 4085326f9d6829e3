package medians

import (
	"fmt"
	"math"
	"slices"
	"time"

	"pgmpi/guidelines"
	"pgmpi/internal/conf"
	"pgmpi/internal/stats"
	"pgmpi/measure/protocol"
	"pgmpi/measure/results"
)

// MaxInvalid is the share of out-of-sync samples above which a case gives no
// verdict (docs/guide.md).
const MaxInvalid = 0.25

type Cell struct {
	Function string `json:"function"`
	Msize    int64  `json:"msize"` // bytes
	Shape    string `json:"shape"`
	Elements string `json:"elements,omitempty" column:"-"` // as in guidelines.Case
}

func CellOf(k guidelines.Case) Cell { return Cell{k.Function, k.Msize, k.Shape.String(), k.Elements} }

// Call returns the function, with the elements that it has of its own: "MPI_Reduce int/max".
func (c Cell) Call() string {
	if c.Elements == "" {
		return c.Function
	}
	return c.Function + " " + c.Elements
}

// AnySize returns the call on its shape, with Msize 0.
func (c Cell) AnySize() Cell { return Cell{Function: c.Function, Shape: c.Shape, Elements: c.Elements} }

// Took says how long an mpirun took, ns. SetUpNS is its part from its job to its first case, in which libraries
// also set up what they do not in MPI_Init, and after the last case; 0 if it is not known.
type Took struct{ WallNS, SetUpNS int64 }

// Set holds what is kept of the samples in a results folder.
type Set struct {
	Cases  []Case // by index into Plan.Cases
	TickNS int64  // the coarsest clock of all mpiruns
	// Drifted counts the mpiruns whose global clocks were off by more than they should be;
	// WorstDriftNS is the largest error.
	Drifted      int
	WorstDriftNS int64
	Joined       int                     // mpiruns with samples of several, since they were cut off
	ZeroIQR      int                     // times that the quartiles of a case in an mpirun were equal
	Took         map[string]map[int]Took // mpiruns of stage 2, by shape and run

	readings map[string]map[int][]Speed // of the yardstick, by shape and run, in the order of time
	again    map[string]map[int][]Speed // the readings of the confirmation

	manifest *results.Manifest
	finished map[string]string // end of the mpirun, by raw file
	sides    map[side]*Case    // of experiments in mpiruns of their own
	filter   Filter
	mockups  map[string]string // the Plan's MockedUp
}

// side names a planned case in an experiment, called several times in a row.
type side struct {
	mode        protocol.Mode
	plan, calls int
	pair        int // the number of the comparison whose sides took turns, from 1, or 0
}

type Case struct {
	Medians    []float64       // ns, by run-1; NaN for no valid median
	Runs       int             // mpiruns that had the case
	Status     protocol.Status // the worst seen
	Message    string
	late, long int              // invalid samples, by flag
	bounds     []protocol.Bound // of McCalpin, by mpirun that has one
	samples    []Count          // by run-1
	usage      []Usage          // by run-1; nil if not counted
	sent       *protocol.Messages
	dependence dependence
	spread     []float64 // by run-1: standard error of the run median's logarithm within the run; of imported runs only
}

// Count is a number of samples; Outliers are valid, but left out by the filter.
type Count struct{ Total, Invalid, Outliers int }

func (c *Case) counted(runs int) (sum Count) {
	for _, s := range c.samples[:runs] {
		sum.Total, sum.Invalid, sum.Outliers = sum.Total+s.Total, sum.Invalid+s.Invalid, sum.Outliers+s.Outliers
	}
	return sum
}

func (c *Case) Samples() Count { return c.counted(len(c.samples)) }

// tooMany tells whether the invalid samples leave the case without a verdict.
func (s Count) tooMany() bool { return float64(s.Invalid) > MaxInvalid*float64(s.Total) }

func New(m *results.Manifest) *Set {
	s := &Set{manifest: m, Cases: make([]Case, len(m.Plan.Cases)), finished: map[string]string{}, TickNS: m.Rank.ClockTickNS,
		Took: map[string]map[int]Took{}, readings: map[string]map[int][]Speed{}, again: map[string]map[int][]Speed{}, sides: map[side]*Case{}, mockups: m.Plan.MockedUp()}
	for i := range s.Cases {
		s.Cases[i] = newCase(m.Runs(protocol.ModeMeasure))
		if skip, ok := m.Skip[i]; ok {
			s.Cases[i].worsen(skip)
		}
	}
	return s
}

func newCase(runs int) Case {
	runs = min(max(runs, 0), results.MaxMPIRuns)
	k := Case{Status: protocol.StatusOK, Medians: make([]float64, runs), samples: make([]Count, runs), spread: make([]float64, runs)}
	for r := range k.Medians {
		k.Medians[r], k.spread[r] = math.NaN(), math.NaN()
	}
	return k
}

// Side returns one side of an experiment, or nil if it has not been measured. A side is a case,
// called several times in a row; in stage 2 it is the case.
func (s *Set) Side(mode protocol.Mode, plan, calls int) *Case {
	if mode == protocol.ModeMeasure {
		return &s.Cases[plan]
	}
	return s.sides[side{mode, plan, calls, 0}]
}

// InTurns returns one side of a comparison, by its number from 0 on, as it took turns with the other
// side; in older folders the side of all comparisons, which took turns with all cases.
func (s *Set) InTurns(mode protocol.Mode, comparison, plan, calls int) *Case {
	if k := s.sides[side{mode, plan, calls, comparison + 1}]; k != nil {
		return k
	}
	return s.Side(mode, plan, calls)
}

// Worst returns a case of stage 2 with its worst status: in stage 2, or in an experiment that
// calls it once.
func (s *Set) Worst(mode protocol.Mode, plan int) Case {
	c := s.Cases[plan]
	if k := s.Side(mode, plan, 1); k != nil {
		c.worsen(protocol.CaseResult{Status: k.Status, Message: k.Message})
	}
	return c
}

func (s *Set) Has(mode protocol.Mode, shape guidelines.Shape, run int) bool {
	_, ok := s.finished[results.RawName(mode, shape, run)]
	return ok
}

func (s *Set) FinishedAt(mode protocol.Mode, shape guidelines.Shape, run int) string {
	return s.finished[results.RawName(mode, shape, run)]
}

// LastFinished returns when the last mpirun ended, or the zero time if that is unknown.
func (s *Set) LastFinished() (last time.Time) {
	for _, text := range s.finished {
		if t, err := time.Parse(time.RFC3339, text); err == nil && t.After(last) {
			last = t
		}
	}
	return last
}

// worsen keeps the worst status, in the order of protocol.NotTimed, with ok as the best.
func (c *Case) worsen(r protocol.CaseResult) {
	if slices.Index(protocol.NotTimed, r.Status) > slices.Index(protocol.NotTimed, c.Status) {
		c.Status, c.Message = r.Status, r.Message
	}
}

// Problem returns why the case gives no verdict, or "": one of the planned mpiruns lacks a valid
// median, or too many samples are out of sync.
func (c *Case) Problem(planned int) string {
	medians := c.Medians[:min(planned, len(c.Medians))]
	switch valid := len(Valid(medians)); {
	case len(medians) == 0:
		return "no mpirun was planned"
	case valid < len(medians):
		return fmt.Sprintf("only %d of %d mpiruns have a valid median", valid, len(medians))
	}
	if n := c.counted(len(medians)); n.tooMany() {
		return fmt.Sprintf("%d of %d samples are out of sync, more than %.0f %%", n.Invalid, n.Total, 100*MaxInvalid)
	}
	return ""
}

// Median returns the median of the run medians in ns, or NaN.
func (c *Case) Median() float64 { return c.MedianOf(len(c.Medians)) }

func (c *Case) MedianOf(runs int) float64 {
	if c.Status != protocol.StatusOK {
		return math.NaN()
	}
	return stats.MedianFinite(Valid(c.Medians[:min(runs, len(c.Medians))]))
}

func Valid(medians []float64) []float64 {
	return slices.DeleteFunc(slices.Clone(medians), math.IsNaN)
}

// Add takes in one mpirun of stage 2 or of an experiment. It returns an error that names the
// raw file for a run that is not of the manifest, or a run-time that is not positive.
func (s *Set) Add(run *results.Run) error {
	file := "raw/" + results.RawName(run.Mode, run.Shape, run.Run)
	switch {
	case run.Mode != protocol.ModeMeasure && run.Mode != protocol.ModeMessages && !run.Mode.FollowsUp():
		return fmt.Errorf("%s: not a measurement of stage 2 (mode %q)", file, run.Mode)
	case run.Run < 1 || run.Run > min(s.manifest.Runs(run.Mode), results.MaxMPIRuns):
		return fmt.Errorf("%s: run %d is not one of the %d that the manifest plans", file, run.Run, s.manifest.Runs(run.Mode))
	case s.Has(run.Mode, run.Shape, run.Run):
		return fmt.Errorf("%s: run %d of %s came twice", file, run.Run, run.Shape)
	case len(run.Samples) != len(run.Cases):
		return fmt.Errorf("%s: samples of %d cases, the header has %d", file, len(run.Samples), len(run.Cases))
	}
	s.finished[results.RawName(run.Mode, run.Shape, run.Run)] = run.FinishedAt
	s.TickNS = max(s.TickNS, run.Rank.ClockTickNS)
	if t := run.Timing; t.DriftNS > t.MaxDriftNS {
		s.Drifted++
		s.WorstDriftNS = max(s.WorstDriftNS, t.DriftNS)
	}
	if len(run.Parts) > 0 {
		s.Joined++
	}
	if run.Mode == protocol.ModeMeasure {
		shape := run.Shape.String()
		if s.Took[shape] == nil {
			s.Took[shape] = map[int]Took{}
		}
		took := Took{WallNS: run.WallNS}
		if run.With == "" && len(run.Parts) == 0 {
			took.SetUpNS = run.WallNS - run.LaunchNS - run.MeasureNS
		}
		s.Took[shape][run.Run] = took
		put(s.readings, run)
	}
	if run.Mode == protocol.ModeConfirm {
		put(s.again, run)
	}
	if run.Mode == protocol.ModeMessages {
		s.addMessages(run)
		return nil
	}
	for i, info := range run.Cases {
		if err := s.addCase(run, info, run.Samples[i]); err != nil {
			return fmt.Errorf("%s: case %s at %s: %w", file, info.Function, conf.HumanSize(info.Msize), err)
		}
	}
	if run.Mode == protocol.ModeMeasure {
		s.addSums(run.Run)
	}
	return nil
}

func (s *Set) addCase(run *results.Run, info results.CaseInfo, samples []protocol.Sample) error {
	if info.Plan < 0 || info.Plan >= len(s.Cases) {
		return fmt.Errorf("index %d is not in the Plan of %d cases", info.Plan, len(s.Cases))
	}
	want := guidelines.Case{Function: info.Function, Msize: info.Msize, Shape: run.Shape}
	planned := s.manifest.Plan.Cases[info.Plan]
	planned.Variant, planned.Elements = "", ""
	if planned != want {
		return fmt.Errorf("the Plan has %s at %s on %s in its place", planned.Function, conf.HumanSize(planned.Msize), planned.Shape)
	}
	k := &s.Cases[info.Plan]
	if run.Mode.FollowsUp() {
		if n := len(s.manifest.Following(run.Mode)); info.Pair < 0 || info.Pair > n {
			return fmt.Errorf("it is of comparison %d of %d", info.Pair, n)
		}
		key := side{run.Mode, info.Plan, max(1, info.Calls), info.Pair}
		if s.sides[key] == nil {
			fresh := newCase(s.manifest.Runs(run.Mode))
			s.sides[key] = &fresh
		}
		k = s.sides[key]
	} else if info.Calls > 1 {
		return fmt.Errorf("its samples are %d calls each, in a stage where they are one", info.Calls)
	}
	k.Runs++
	k.worsen(info.CaseResult)
	if info.Status != protocol.StatusOK {
		return nil
	}
	for n, x := range samples {
		if x.Flags == 0 && x.NS <= 0 {
			return fmt.Errorf("repetition %d took %d ns; a run-time is positive: move the file away, `pgmpi check --resume` measures this mpirun again", n, x.NS)
		}
	}
	var flagged protocol.CaseResult
	flagged.Count(samples)
	k.late, k.long = k.late+flagged.Late, k.long+flagged.Long
	k.samples[run.Run-1] = Count{Total: len(samples), Invalid: flagged.Invalid}
	k.addUsage(run.Run, UsageOf(&info))
	if info.Provable != nil {
		k.bounds = append(k.bounds, *info.Provable)
	}
	fences, valid := s.filter.Fences(samples)
	if valid == 0 {
		return nil
	}
	if fences.ZeroIQR() {
		s.ZeroIQR++
	}
	var series []float64
	k.Medians[run.Run-1], series = s.filter.kept(fences)
	k.samples[run.Run-1].Outliers = valid - len(series)
	if s.manifest.SeenOnce() {
		k.spread[run.Run-1] = within(series)
	}
	return k.dependence.add(series)
}

// Filter removes outliers. It reuses its memory, so one Filter serves many cases, one after the
// other.
type Filter struct {
	ns, ascending, other []int64
	values               []float64
}

// Fences returns the fences of a case's valid samples in one mpirun, in ns. It also returns the
// number of these samples; valid samples beyond the fences are outliers. Samples are sorted once,
// as integers: floats compare four times slower.
func (f *Filter) Fences(samples []protocol.Sample) (fences stats.Fences, valid int) {
	f.ns = f.ns[:0]
	for _, x := range samples {
		if x.Flags == 0 {
			f.ns = append(f.ns, x.NS)
		}
	}
	if len(f.ns) == 0 {
		return fences, 0
	}
	f.ascending = append(f.ascending[:0], f.ns...)
	f.ascending, f.other = stats.Ascending(f.ascending, f.other)
	f.values = f.values[:0]
	for _, ns := range f.ascending {
		f.values = append(f.values, float64(ns))
	}
	return stats.FencesSorted(f.values, stats.TukeyFactor), len(f.ns)
}

// kept returns the run median of the samples that Fences had last. It also returns the samples
// within the fences, in the order of measurement; the next call overwrites these.
func (f *Filter) kept(fences stats.Fences) (runMedian float64, series []float64) {
	runMedian = stats.MedianSorted(stats.TukeySorted(f.values, stats.TukeyFactor))
	f.values = f.values[:0]
	for _, ns := range f.ns {
		if v := float64(ns); fences.Lo <= v && v <= fences.Hi {
			f.values = append(f.values, v)
		}
	}
	return runMedian, f.values
}

// addSums fills in the mock-ups of one mpirun that are sums of measured calls.
func (s *Set) addSums(run int) {
	for i, parts := range s.manifest.Sums {
		k := &s.Cases[i]
		k.Runs++
		k.Medians[run-1], k.spread[run-1] = 0, 0
		n := Count{Total: math.MaxInt}
		for _, p := range parts {
			part := &s.Cases[p]
			k.Medians[run-1] += part.Medians[run-1]
			k.spread[run-1] = math.Hypot(k.spread[run-1], part.spread[run-1]*part.Medians[run-1])
			if n.Total > part.samples[run-1].Total {
				n = part.samples[run-1]
			}
			if part.Status != protocol.StatusOK {
				k.worsen(protocol.CaseResult{Status: part.Status, Message: part.Message})
			}
		}
		k.spread[run-1] /= k.Medians[run-1]
		k.samples[run-1] = n
	}
}

// within returns the standard error of the logarithm of a series' median. It resamples blocks of
// the series that are three times as long as neighbours resemble each other (block bootstrap), and
// returns NaN for fewer than leastSeries samples.
func within(series []float64) float64 {
	acf, err := Autocorrelation(series)
	if err != nil || len(series) < leastSeries {
		return math.NaN()
	}
	block := 1
	if acf != nil { // the first lag below the bound
		bound := stats.AutocorrelationBound(len(series))
		if block = 1 + slices.IndexFunc(acf, func(r float64) bool { return r < bound }); block == 0 {
			block = Lags
		}
	}
	lo, hi := stats.MedianByBlocks(series, slices.Sorted(slices.Values(series)), min(3*block, len(series)/4), 0.95)
	return (math.Log(hi) - math.Log(lo)) / (2 * 1.96)
}

// Spread returns the standard error of the logarithm of the median of run medians. It knows only
// the samples of each mpirun, not how mpiruns differ, and returns NaN if they do not show it.
func (c *Case) Spread() float64 {
	sum := 0.0
	for _, s := range c.spread {
		sum += s * s
	}
	out := math.Sqrt(sum) / float64(len(c.spread))
	if len(c.spread) > 2 { // the median varies more than the mean
		out *= math.Sqrt(math.Pi / 2)
	}
	return out
}
