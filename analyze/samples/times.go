package samples

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"pgmpi/analyze"
	"pgmpi/analyze/medians"
	"pgmpi/internal/conf"
	"pgmpi/internal/lists"
	"pgmpi/internal/stats"
	"pgmpi/measure/protocol"
	"pgmpi/measure/results"
)

const TimesSchema = "pgmpi-times/1"

// Times is times.json: the run-times of a results folder, without a verdict.
type Times struct {
	Schema  string                 `json:"schema"` // TimesSchema
	Version string                 `json:"pgmpi_version"`
	Folder  analyze.ComparedFolder `json:"folder"`
	analyze.Operation
	Cases []CaseTimes `json:"cases"` // in the order of the Plan
}

// CaseTimes are the run medians of a case over the mpiruns that have a valid
// one. Without any, the times are null.
type CaseTimes struct {
	medians.Cell
	NP      int      `json:"np"`
	R       int      `json:"r"`     // run medians
	MinS    *float64 `json:"min_s"` // seconds, as the following
	Q1S     *float64 `json:"q1_s"`  // quartiles by R's type 7
	MedianS *float64 `json:"median_s"`
	Q3S     *float64 `json:"q3_s"`
	MaxS    *float64 `json:"max_s"`
	Reason  string   `json:"reason,omitempty"` // why some or all are missing
}

// NewTimes lists the collectives of a folder, and with all its mock-ups too.
func NewTimes(s *analyze.Side, all bool) (*Times, error) {
	p := &s.Manifest.Plan
	t := &Times{TimesSchema, s.Manifest.Version, s.Folder(), analyze.OperationOf(p), []CaseTimes{}}
	for i, k := range p.Cases {
		if !all && analyze.IsMockup(k.Function) {
			continue
		}
		row := CaseTimes{Cell: medians.CellOf(k), NP: k.Shape.NP}
		if _, _, row.Reason = s.Unusable(i); !math.IsNaN(s.Set.Cases[i].Median()) {
			valid := medians.Valid(s.Set.Cases[i].Medians)
			row.R = len(valid)
			for quarter, to := range []**float64{&row.MinS, &row.Q1S, &row.MedianS, &row.Q3S, &row.MaxS} {
				ns, err := stats.Quantile(valid, float64(quarter)/4)
				if err != nil {
					return nil, err
				}
				*to = analyze.Seconds(ns)
			}
		}
		t.Cases = append(t.Cases, row)
	}
	return t, nil
}

const PipelinedSchema = "pgmpi-pipelined/1"

// Pipelined holds single calls behind a barrier against many calls in a row, as other
// benchmarks time them (S-NETGAUGE §1.2). Times are seconds a call.
type Pipelined struct {
	Schema  string                 `json:"schema"` // PipelinedSchema
	Version string                 `json:"pgmpi_version"`
	Folder  analyze.ComparedFolder `json:"folder"`
	analyze.Operation
	Timing protocol.Timing `json:"timing"`
	Cases  []PipelinedCase `json:"cases"` // in the order of the Plan
}

// PipelinedCase is one case. Times are medians over the mpiruns, or null.
type PipelinedCase struct {
	medians.Cell
	NP      int            `json:"np"`
	R       int            `json:"r"`        // mpiruns that have both
	Calls   int            `json:"calls"`    // in a row
	SingleS *float64       `json:"single_s"` // of a call behind a synchronisation: the run median
	RowS    *float64       `json:"row_s"`    // of a call among those in a row: the median of their samples
	MeanS   *float64       `json:"mean_s"`   // the same as other benchmarks have it: the mean of all
	Ratio   *float64       `json:"ratio"`    // of RowS to SingleS, the median over the mpiruns
	Runs    []PipelinedRun `json:"mpiruns"`
	Reason  string         `json:"reason,omitempty"` // why it is missing
}

// PipelinedRun is one mpirun, in seconds a call.
type PipelinedRun struct {
	Run     int     `json:"run"`
	SingleS float64 `json:"single_s"`
	RowS    float64 `json:"row_s"`
	MeanS   float64 `json:"mean_s"`
}

func NewPipelined(name string, m *results.Manifest, runs []*results.Run) (*Pipelined, error) {
	p := &Pipelined{Schema: PipelinedSchema, Version: m.Version, Operation: analyze.OperationOf(&m.Plan), Timing: TimingOf(runs), Cases: []PipelinedCase{},
		Folder: analyze.FolderOf(name, m, m.R)}
	for i, k := range m.Plan.Cases {
		c := PipelinedCase{Cell: medians.CellOf(k), NP: k.Shape.NP, Runs: []PipelinedRun{}}
		for _, run := range runs {
			if run.Shape != k.Shape {
				continue
			}
			if err := c.add(run, i); err != nil {
				return nil, fmt.Errorf("raw/%s: %s at %s: %w", results.RawName(run.Mode, run.Shape, run.Run), k.Function, conf.HumanSize(k.Msize), err)
			}
		}
		c.sumUp()
		p.Cases = append(p.Cases, c)
	}
	return p, nil
}

func (c *PipelinedCase) add(run *results.Run, plan int) error {
	r := PipelinedRun{Run: run.Run}
	have := 0
	for i, info := range run.Cases {
		if info.Plan != plan {
			continue
		}
		if info.Status != protocol.StatusOK {
			c.Reason = cmp.Or(info.Message, string(info.Status))
			return nil
		}
		seconds := protocol.ValidSeconds(run.Samples[i])
		if len(seconds) == 0 {
			c.Reason = "no sample is valid"
			return nil
		}
		kept, _, err := stats.Tukey(seconds, stats.TukeyFactor)
		if err != nil {
			return err
		}
		if info.Calls <= 1 {
			r.SingleS = stats.MedianFinite(kept)
			have |= 1
			continue
		}
		mean, _, err := stats.MeanSD(seconds)
		if err != nil {
			return err
		}
		calls := float64(info.Calls)
		c.Calls, r.RowS, r.MeanS = info.Calls, stats.MedianFinite(kept)/calls, mean/calls
		have |= 2
	}
	if have == 3 && r.SingleS > 0 {
		c.Runs = append(c.Runs, r)
	}
	return nil
}

func (c *PipelinedCase) sumUp() {
	slices.SortFunc(c.Runs, func(a, b PipelinedRun) int { return cmp.Compare(a.Run, b.Run) })
	c.R = len(c.Runs)
	over := func(of func(PipelinedRun) float64) *float64 {
		all := lists.Map(c.Runs, of)
		return analyze.Number(stats.MedianFinite(all))
	}
	c.SingleS = over(func(r PipelinedRun) float64 { return r.SingleS })
	c.RowS = over(func(r PipelinedRun) float64 { return r.RowS })
	c.MeanS = over(func(r PipelinedRun) float64 { return r.MeanS })
	c.Ratio = over(func(r PipelinedRun) float64 { return r.RowS / r.SingleS })
	if c.R == 0 && c.Reason == "" {
		c.Reason = "no mpirun has it"
	}
}

// NotJudged returns why there are no times, or "" if there are some.
func (t *Times) NotJudged() string {
	return UnlessAny(t.Cases, func(c CaseTimes) bool { return c.MedianS != nil })
}

// NotJudged returns why there are no times, or "" if there are some.
func (p *Pipelined) NotJudged() string {
	return UnlessAny(p.Cases, func(c PipelinedCase) bool { return c.Ratio != nil })
}

func UnlessAny[T any](cases []T, known func(T) bool) string {
	if slices.ContainsFunc(cases, known) {
		return ""
	}
	return "nothing could be measured of " + conf.Plural(len(cases), "case")
}

func (p *Pipelined) MedianRatio() *float64 {
	known := lists.Keep(p.Cases, func(c PipelinedCase) bool { return c.Ratio != nil })
	return analyze.Number(stats.MedianFinite(lists.Map(known, func(c PipelinedCase) float64 { return *c.Ratio })))
}

// TimingOf is how the first mpirun timed, as all others.
func TimingOf(runs []*results.Run) (t protocol.Timing) {
	if len(runs) > 0 {
		t = runs[0].Timing
	}
	return t
}
