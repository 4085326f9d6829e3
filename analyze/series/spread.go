package series

import (
	"fmt"
	"math"
	"slices"

	"pgmpi/analyze"
	"pgmpi/analyze/medians"
	"pgmpi/guidelines"
	"pgmpi/internal/conf"
	"pgmpi/internal/lists"
	"pgmpi/internal/remark"
	"pgmpi/internal/stats"
)

const SpreadSchema = "pgmpi-reproduce/1"

// Spread says how well several measurements of one configuration repeat (S-REVISITED §6.3), as
// reproduce.json has it.
type Spread struct {
	Schema  string                   `json:"schema"` // SpreadSchema
	Version string                   `json:"pgmpi_version"`
	Folders []analyze.ComparedFolder `json:"folders"`
	analyze.Operation
	Cases     []CaseSpread     `json:"cases"`
	Functions []FunctionSpread `json:"functions"`
	Warnings  []remark.Remark  `json:"warnings"`

	left int // cases of the first folder that another lacks
}

type CaseSpread struct {
	medians.Cell
	NP      int     `json:"np"`
	MedianS float64 `json:"median_s"` // seconds; of the folders' medians of run medians
	// Normalised holds, by folder, the median of run medians over MedianS.
	Normalised []float64 `json:"normalised"`
	Min        float64   `json:"min"`          // of Normalised
	Max        float64   `json:"max"`          // of Normalised
	MaxOverMin float64   `json:"max_over_min"` // the largest of what S-REVISITED, Fig. 29 shows
	CV         float64   `json:"cv"`           // coefficient of variation of Normalised, sd with n−1
}

type FunctionSpread struct {
	Function   string  `json:"function"`
	Shape      string  `json:"shape"`
	Sizes      int     `json:"sizes"`
	MaxOverMin float64 `json:"max_over_min"` // the largest
	WorstMsize int64   `json:"worst_msize"`  // bytes, where it is
	CV         float64 `json:"cv"`           // the median
	cvs        []float64
}

// NewSpread compares at least two folders. It leaves out cases that a folder lacks. It returns a
// *NotComparable for folders that measured other operations, or nothing in common.
func NewSpread(sides []*analyze.Side, all bool) (*Spread, error) {
	if len(sides) < 2 {
		return nil, &analyze.NotComparable{Reason: "reproducibility needs two results folders at least"}
	}
	first := sides[0]
	p := &first.Manifest.Plan
	s := &Spread{Schema: SpreadSchema, Version: first.Manifest.Version, Operation: analyze.OperationOf(p), Warnings: []remark.Remark{}}
	for _, side := range sides {
		if err := sameOperation(first, side); err != nil {
			return nil, err
		}
		s.Folders = append(s.Folders, side.Folder())
	}
	for _, k := range p.Cases {
		if !all && analyze.IsMockup(k.Function) {
			continue
		}
		if err := s.add(k, sides); err != nil {
			return nil, err
		}
	}
	if len(s.Cases) == 0 {
		return nil, &analyze.NotComparable{Reason: "the folders have no measured function at one size on one number of processes in common"}
	}
	s.sumUp()
	s.warn(sides)
	return s, nil
}

func (s *Spread) add(k guidelines.Case, sides []*analyze.Side) error {
	var ns []float64
	for _, side := range sides {
		i := slices.Index(side.Manifest.Plan.Cases, k)
		if i < 0 || math.IsNaN(side.Set.Cases[i].Median()) {
			s.left++
			return nil
		}
		ns = append(ns, side.Set.Cases[i].Median())
	}
	middle := stats.MedianFinite(ns)
	row := CaseSpread{Cell: medians.CellOf(k), NP: k.Shape.NP, MedianS: middle / 1e9}
	row.Normalised = lists.Map(ns, func(m float64) float64 { return m / middle })
	mean, sd, err := stats.MeanSD(row.Normalised)
	if err != nil {
		return fmt.Errorf("%s at %s: %w", k.Function, conf.HumanSize(k.Msize), err)
	}
	row.Min, row.Max, row.CV = slices.Min(row.Normalised), slices.Max(row.Normalised), sd/mean
	row.MaxOverMin = row.Max / row.Min
	s.Cases = append(s.Cases, row)
	return nil
}

func (s *Spread) sumUp() {
	for _, k := range s.Cases {
		same := func(f FunctionSpread) bool { return f.Function == k.Function && f.Shape == k.Shape }
		f := lists.FirstOrNew(&s.Functions, same, FunctionSpread{Function: k.Function, Shape: k.Shape})
		f.Sizes++
		if k.MaxOverMin > f.MaxOverMin {
			f.MaxOverMin, f.WorstMsize = k.MaxOverMin, k.Msize
		}
		f.cvs = append(f.cvs, k.CV)
		f.CV = stats.MedianFinite(f.cvs)
	}
}

// warn names every factor that is not the same in all folders: then the spread does not come from
// the measurement alone.
func (s *Spread) warn(sides []*analyze.Side) {
	out := analyze.Remarks{}
	seen := map[string]bool{}
	for n, side := range sides[1:] {
		for _, d := range differences(sides[0], side, false) {
			if !seen[d.Factor] {
				seen[d.Factor] = true
				out.Differs(d.Factor, "", "%s is %s in folder 1 and %s in folder %d: this is not one configuration, so the spread does not come from the measurement alone",
					d.Factor, d.A, d.B, n+2)
			}
		}
	}
	if s.left > 0 {
		out.Add(remark.DiffersCases, "%d cases of folder 1 are not measured in every other one, and left out", s.left)
	}
	s.Warnings = out
}
