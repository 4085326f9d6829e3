package calls

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"

	"pgmpi/analyze"
	"pgmpi/analyze/medians"
	"pgmpi/analyze/samples"
	"pgmpi/analyze/selector"
	"pgmpi/internal/conf"
	"pgmpi/internal/fail"
	"pgmpi/internal/stats"
	"pgmpi/measure/host"
	"pgmpi/measure/protocol"
	"pgmpi/measure/results"
	"pgmpi/mockups"
)

const FingerprintSchema = "pgmpi-fingerprint/1"

// Fingerprint describes the samples of one case in full: MPI-MiBFi of S-THESIS §4.7. Times are seconds.
type Fingerprint struct {
	Schema  string                 `json:"schema"` // FingerprintSchema
	Version string                 `json:"pgmpi_version"`
	Folder  analyze.ComparedFolder `json:"folder"`
	analyze.Operation
	medians.Cell
	NP         int               `json:"np"`
	Timing     protocol.Timing   `json:"timing"`
	Visits     int               `json:"visits"`  // in how many parts an mpirun made its samples, or 1 if in a row
	Samples    int               `json:"samples"` // of all mpiruns
	Invalid    int               `json:"invalid"` // of these, out of sync; nothing below rests on them
	Categories map[Category]int  `json:"categories"`
	All        *Distribution     `json:"all"`  // null if no sample is valid
	Good       *Distribution     `json:"good"` // without first ones, warm-up and outliers; null if none is left
	Modes      []FingerprintMode `json:"modes"`
	// ACF is the autocorrelation of the good samples at lag 1 and on. ACFBound bounds most of it where samples are
	// independent. Inefficiency says how many samples are worth one. They are medians over the mpiruns; null and 0
	// if there are too few samples.
	ACF          []float64        `json:"acf"`
	ACFBound     float64          `json:"acf_bound"`
	Inefficiency float64          `json:"inefficiency"`
	Runs         []FingerprintRun `json:"mpiruns"`

	// Counters and the cost of reading them, where measure.counters names some.
	Counters []CounterTimes `json:"counters,omitempty"`
	Reading  *Reading       `json:"reading,omitempty"`

	ByRank []RankTimes `json:"by_rank,omitempty"` // absent if not stored (measure.per_rank)
	// The rest can have changed the samples.
	Launch  []string     `json:"launch"` // the launcher's words
	Factors host.Factors `json:"factors"`
}

// Category says what kind a sample is (S-THESIS §4.5).
type Category string

const (
	First   Category = "first"   // of its mpirun
	Warmup  Category = "warm-up" // before the running minimum falls by a tenth of the median
	Outlier Category = "outlier" // at least twice the median of its mpirun
	Good    Category = "good"    // all others
)

// Categories lists them in the order in which a sample is put into one.
var Categories = []Category{First, Warmup, Outlier, Good}

// outlierFactor is the multiple of the median from which on a sample is an outlier.
const outlierFactor = 2

// Distribution describes samples, in seconds.
type Distribution struct {
	N         int        `json:"n"`
	Mean      float64    `json:"mean_s"`
	Quantiles []Quantile `json:"quantiles"`
}

// Quantile is a time that a share of the samples does not exceed (type 7).
type Quantile struct {
	P float64 `json:"p"`
	S float64 `json:"s"`
}

var quantiles = []float64{0, .05, .25, .5, .75, .9, .95, .99, 1}

// FingerprintMode is a cluster of good samples.
type FingerprintMode struct {
	AtS   float64 `json:"at_s"` // most of the cluster is near this time
	LoS   float64 `json:"lo_s"`
	HiS   float64 `json:"hi_s"`
	Share float64 `json:"share"`
}

type FingerprintRun struct {
	Run        int              `json:"run"`
	Categories map[Category]int `json:"categories"`
	Invalid    int              `json:"invalid"`
	WindowNS   int64            `json:"window_ns,omitempty"` // of the start times, if they have one
	FirstS     *float64         `json:"first_s"`
	MedianS    *float64         `json:"median_s"`
	// RunMedianS is the median after the Tukey filter, which the tests of a check compare.
	RunMedianS *float64   `json:"run_median_s"`
	PageFaults *float64   `json:"page_faults,omitempty"` // of a call, at the rank with most of them
	Switches   *float64   `json:"switches,omitempty"`    // involuntary ones, the same
	NS         []int64    `json:"ns"`                    // all samples, in the order of measurement
	Of         []Category `json:"-"`                     // by sample; "" if it is not valid
	Letters    string     `json:"of"`                    // the same: f, w, o, g, and - for a sample that is not valid
}

func newFingerprint(name string, m *results.Manifest, i int, runs []*results.Run) (*Fingerprint, error) {
	k := m.Plan.Cases[i]
	f := &Fingerprint{Schema: FingerprintSchema, Version: m.Version, Operation: analyze.OperationOf(&m.Plan),
		Cell: medians.CellOf(k), NP: k.Shape.NP,
		Folder:     analyze.FolderOf(name, m, len(runs)),
		Categories: map[Category]int{}, Modes: []FingerprintMode{}, ACF: []float64{}, Runs: []FingerprintRun{},
		Launch: m.Launch[k.Shape.String()], Factors: m.Factors}
	var all, good []float64
	series := samples.Side{Calls: 1}
	for _, run := range runs {
		at := slices.IndexFunc(run.Cases, func(c results.CaseInfo) bool { return c.Plan == i })
		if at < 0 || run.Cases[at].Status != protocol.StatusOK {
			continue
		}
		f.Timing = run.Timing
		if err := series.Add(run, i); err != nil {
			return nil, err
		}
		r := newFingerprintRun(run, at)
		if kept := series.Runs[len(series.Runs)-1].RunMedian; !math.IsNaN(kept) {
			r.RunMedianS = analyze.Seconds(kept)
		}
		for j, c := range r.Of {
			ns := float64(r.NS[j])
			if c != "" {
				all = append(all, ns)
			}
			if c == Good {
				good = append(good, ns)
			}
		}
		f.Samples, f.Invalid = f.Samples+len(r.NS), f.Invalid+r.Invalid
		for c, n := range r.Categories {
			f.Categories[c] += n
		}
		f.Runs = append(f.Runs, r)
	}
	if len(all) == 0 {
		return nil, &fail.Refused{Reason: fail.NotJudged(fmt.Sprintf("%s at %s on %s has no valid sample in %s",
			k.Function, conf.HumanSize(k.Msize), k.Shape, name))}
	}
	series.Dependence()
	f.Visits, f.ACFBound, f.Inefficiency = series.Visits, series.ACFBound, series.Inefficiency
	f.ACF = append(f.ACF, series.ACF...)
	if err := f.describe(all, good); err != nil {
		return nil, fmt.Errorf("%s at %s on %s in %s: %w", k.Function, conf.HumanSize(k.Msize), k.Shape, name, err)
	}
	return f, nil
}

func newFingerprintRun(run *results.Run, at int) FingerprintRun {
	usage := medians.UsageOf(&run.Cases[at])
	r := FingerprintRun{Run: run.Run, WindowNS: run.Cases[at].WindowNS, Categories: map[Category]int{},
		PageFaults: analyze.Number(usage.Faults), Switches: analyze.Number(usage.Switches)}
	valid := protocol.Valid(run.Samples[at])
	categories := categoriesOf(valid)
	letters := strings.Builder{}
	for _, x := range run.Samples[at] {
		r.NS = append(r.NS, x.NS)
		if x.Flags != 0 {
			r.Invalid++
			r.Of = append(r.Of, "")
			letters.WriteByte('-')
			continue
		}
		c := categories[len(r.Of)-r.Invalid]
		r.Categories[c]++
		r.Of = append(r.Of, c)
		letters.WriteByte(c[0])
	}
	r.Letters = letters.String()
	if len(valid) > 0 {
		r.FirstS, r.MedianS = analyze.Seconds(valid[0]), analyze.Seconds(stats.MedianFinite(valid))
	}
	return r
}

func categoriesOf(valid []float64) []Category {
	out := make([]Category, len(valid))
	warm, err := stats.WarmupEnd(valid)
	if err != nil {
		return out // there are no samples
	}
	limit := outlierFactor * stats.MedianFinite(valid)
	for i, x := range valid {
		switch {
		case i == 0:
			out[i] = First
		case i < warm:
			out[i] = Warmup
		case x >= limit:
			out[i] = Outlier
		default:
			out[i] = Good
		}
	}
	return out
}

// describe sums up all samples, and the good ones, in nanoseconds.
func (f *Fingerprint) describe(all, good []float64) (err error) {
	if f.All, err = distributionOf(all); err != nil || len(good) == 0 {
		return err
	}
	if f.Good, err = distributionOf(good); err != nil {
		return err
	}
	modes, err := stats.Modes(good)
	for _, m := range modes {
		f.Modes = append(f.Modes, FingerprintMode{m.At / 1e9, m.Lo / 1e9, m.Hi / 1e9, m.Share})
	}
	return err
}

func distributionOf(ns []float64) (*Distribution, error) {
	mean, _, err := stats.MeanSD(ns)
	d := &Distribution{N: len(ns), Mean: mean / 1e9}
	slices.Sort(ns)
	for _, p := range quantiles {
		q, e := stats.Quantile(ns, p)
		if err == nil {
			err = e
		}
		d.Quantiles = append(d.Quantiles, Quantile{p, q / 1e9})
	}
	return d, err
}

// parseCase reads "FUNCTION:MSIZE[:SHAPE]" of a function that can be measured. shape is "" where none is given.
func parseCase(text string) (function string, msize int64, shape string, err error) {
	function, msize, shape, err = selector.ParseCase(text)
	if err != nil {
		return "", 0, "", err
	}
	var known []string
	for _, f := range slices.Concat(mockups.All(), mockups.Variants()) {
		if selector.Fold(f.ID) == selector.Fold(function) {
			return f.ID, msize, shape, nil
		}
		known = append(known, f.ID)
	}
	return "", 0, "", errors.New(conf.Unknown("function", function, known))
}

// At returns a quantile of the distribution in seconds, or nil.
func (d *Distribution) At(p float64) *float64 {
	for _, q := range d.Quantiles {
		if q.P == p {
			return &q.S
		}
	}
	return nil
}

// caseSamples returns the valid samples, as figures of a case want them.
func (f *Fingerprint) caseSamples() (*samples.CaseSamples, error) {
	c := &samples.CaseSamples{Cell: f.Cell}
	for _, r := range f.Runs {
		var valid []float64
		for i, of := range r.Of {
			if of != "" {
				valid = append(valid, float64(r.NS[i])/1e9)
			}
		}
		s, err := samples.OfRun(r.Run, valid)
		if err != nil {
			return nil, err
		}
		if s != nil {
			c.Runs = append(c.Runs, *s)
		}
	}
	return c, nil
}
