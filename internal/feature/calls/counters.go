package calls

import (
	"slices"

	"pgmpi/analyze"
	"pgmpi/internal/stats"
	"pgmpi/measure/protocol"
	"pgmpi/measure/results"
)

// CounterTimes holds a counter of a case, and how the run-time goes with it. It is of the rank where it counted
// most.
type CounterTimes struct {
	protocol.Counter
	Mean *float64 `json:"mean"` // of a repetition; null, as the following, if it was not read
	Min  *float64 `json:"min"`
	Max  *float64 `json:"max"`
	None *float64 `json:"none"` // the share of repetitions that counted nothing
	// R is the correlation (Pearson) of a valid sample with its count. It is the median over the mpiruns, or null
	// if one of the two does not change.
	R    *float64         `json:"r"`
	Runs []CounterSamples `json:"mpiruns"`
}

// CounterSamples holds the counts of an mpirun's repetitions, also of those that are not valid.
type CounterSamples struct {
	Run int     `json:"run"`
	N   []int64 `json:"n"`
}

// Reading holds the cost of reading counters: medians over the mpiruns of a call's run median with counters, and of
// repetitions among them without.
type Reading struct {
	WithS    float64 `json:"with_s"`
	WithoutS float64 `json:"without_s"`
	Ratio    float64 `json:"ratio"` // the median of each mpirun's ratio
}

// AddReading adds what the mpiruns say about reading counters, and which counters they had.
func (f *Fingerprint) AddReading(runs []*results.Run, plan int) {
	var with, without, ratios []float64
	for _, run := range runs {
		at := slices.IndexFunc(run.Cases, func(c results.CaseInfo) bool { return c.Plan == plan })
		for _, c := range run.Counters {
			if !slices.ContainsFunc(f.Counters, func(k CounterTimes) bool { return k.Name == c.Name }) {
				f.Counters = append(f.Counters, CounterTimes{Counter: c, Runs: []CounterSamples{}})
			}
		}
		if at < 0 || run.Cases[at].Counting == nil {
			continue
		}
		c := run.Cases[at].Counting
		with, without, ratios = append(with, c.WithNS/1e9), append(without, c.WithoutNS/1e9),
			append(ratios, c.WithNS/c.WithoutNS)
	}
	if len(ratios) > 0 {
		f.Reading = &Reading{stats.MedianFinite(with), stats.MedianFinite(without), stats.MedianFinite(ratios)}
	}
}

// AddCounts adds the counts of an mpirun, by counter and repetition.
func (f *Fingerprint) AddCounts(run int, counters []protocol.Counter, n [][]int64) {
	for i, c := range counters {
		k := slices.IndexFunc(f.Counters, func(k CounterTimes) bool { return k.Name == c.Name })
		if k < 0 {
			k = len(f.Counters)
			f.Counters = append(f.Counters, CounterTimes{Counter: c})
		}
		f.Counters[k].Runs = append(f.Counters[k].Runs, CounterSamples{run, n[i]})
	}
}

// Correlate sums up the counts, once all mpiruns are there.
func (f *Fingerprint) Correlate() error {
	for i := range f.Counters {
		if err := f.Counters[i].correlate(f.Runs); err != nil {
			return err
		}
	}
	return nil
}

func (c *CounterTimes) correlate(runs []FingerprintRun) error {
	var all, r []float64
	none := 0
	for _, counted := range c.Runs {
		at := slices.IndexFunc(runs, func(r FingerprintRun) bool { return r.Run == counted.Run })
		if at < 0 || len(runs[at].NS) != len(counted.N) {
			continue // the mpirun has other samples of the case
		}
		var times, counts []float64
		for i, of := range runs[at].Of {
			if of == "" {
				continue
			}
			if counted.N[i] == 0 {
				none++
			}
			times, counts = append(times, float64(runs[at].NS[i])), append(counts, float64(counted.N[i]))
		}
		all = append(all, counts...)
		if x, err := stats.Pearson(times, counts); err == nil {
			r = append(r, x)
		}
	}
	if len(all) == 0 {
		return nil
	}
	mean, _, err := stats.MeanSD(all)
	c.Mean, c.Min, c.Max, c.None, c.R = analyze.Number(mean), analyze.Number(slices.Min(all)),
		analyze.Number(slices.Max(all)), analyze.Number(float64(none)/float64(len(all))),
		analyze.Number(stats.MedianFinite(r))
	return err
}
