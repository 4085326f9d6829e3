package calls

import (
	"math"

	"pgmpi/analyze"
	"pgmpi/analyze/medians"
	"pgmpi/internal/phrase"
	"pgmpi/internal/stats"
)

const TimesSchema = "pgmpi-times/1"

// Times is written as times.json: the run-times of a results folder, without a verdict.
type Times struct {
	Schema  string                 `json:"schema"` // TimesSchema
	Version string                 `json:"pgmpi_version"`
	Folder  analyze.ComparedFolder `json:"folder"`
	analyze.Operation
	Cases []CaseTimes `json:"cases"` // in the order of the Plan
}

// CaseTimes sums up the valid run medians of a case. Without any, the times are null.
type CaseTimes struct {
	medians.Cell
	NP      int      `json:"np"`
	R       int      `json:"r"`     // number of run medians
	MinS    *float64 `json:"min_s"` // seconds, as the following
	Q1S     *float64 `json:"q1_s"`  // quartiles by R's type 7
	MedianS *float64 `json:"median_s"`
	Q3S     *float64 `json:"q3_s"`
	MaxS    *float64 `json:"max_s"`
	Reason  string   `json:"reason,omitempty"` // why some or all are missing
}

// newTimes lists the collectives of a folder, and if all is set its mock-ups too.
func newTimes(s *analyze.Side, all bool) (*Times, error) {
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

// NotJudged returns why there are no times, or "" if there are some.
func (t *Times) NotJudged() string {
	return phrase.UnlessAny(t.Cases, func(c CaseTimes) bool { return c.MedianS != nil })
}
