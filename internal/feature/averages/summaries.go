package averages

import (
	"math"
	"slices"

	"pgmpi/analyze"
	"pgmpi/analyze/judge"
	"pgmpi/analyze/medians"
	"pgmpi/analyze/series"
	"pgmpi/guidelines"
	"pgmpi/internal/stats"
	"pgmpi/measure/protocol"
)

// Summary names what stands for the samples of a case in an mpirun. Benchmarks and papers have
// chosen these (S-REVISITED, Tables II to IV; S-NETGAUGE §1.2).
type Summary string

const (
	RunMedian   Summary = "median" // what pgmpi takes
	Least       Summary = "min"
	Mean        Summary = "mean"
	MeanOfMeans Summary = "mean-of-means" // one number for all mpiruns, without a test
	RanksMean   Summary = "ranks-mean"    // run median of the mean over the ranks
	RanksLeast  Summary = "ranks-min"
)

// others lists all but ours.
var others = []Summary{Least, Mean, MeanOfMeans, RanksMean, RanksLeast}

// ByRank tells whether a summary needs the times of each rank.
func (s Summary) ByRank() bool { return s == RanksMean || s == RanksLeast }

// Put replaces a case's valid samples in an mpirun: their run median becomes the summary. ranks
// holds the durations by rank and repetition in ns, for summaries that need them.
func (s Summary) Put(samples []protocol.Sample, ranks [][]int64) {
	if s == RunMedian {
		return
	}
	valid := protocol.Valid(samples)
	mean, _, _ := stats.MeanSD(valid) // all are finite
	for i := range samples {
		switch {
		case samples[i].Flags != 0:
		case s == Least:
			samples[i].NS = int64(slices.Min(valid))
		case s.ByRank():
			samples[i].NS = s.over(ranks, i)
		default:
			samples[i].NS = int64(math.Round(mean))
		}
	}
}

// over returns the mean or the least over the ranks of a repetition, in ns.
func (s Summary) over(ranks [][]int64, repetition int) int64 {
	var all []float64
	for _, of := range ranks {
		if repetition < len(of) {
			all = append(all, float64(of[repetition]))
		}
	}
	if len(all) == 0 {
		return 1 // a damaged file
	}
	mean, _, _ := stats.MeanSD(all)
	if s == RanksLeast {
		mean = slices.Min(all)
	}
	return max(1, int64(math.Round(mean)))
}

const schema = "pgmpi-summaries/1"

// Summaries says what a check would have found by other summaries of the same samples.
type Summaries struct {
	Schema  string                 `json:"schema"` // schema
	Version string                 `json:"pgmpi_version"`
	Folder  analyze.ComparedFolder `json:"folder"`
	analyze.Operation
	MinSlowdown float64         `json:"min_slowdown"`
	By          []BySummary     `json:"summaries"` // ours first
	Tests       []SummariesTest `json:"tests"`     // patterns and monotony, in the Plan's order
}

// BySummary counts the tests in which a summary finds the call too slow.
type BySummary struct {
	Summary Summary `json:"summary"`
	Slow    int     `json:"slow"`
	More    int     `json:"more"` // of these, not by ours
	Missed  int     `json:"missed"`
}

// SummariesTest judges a test by every summary.
type SummariesTest struct {
	series.Asked
	Ratios []*float64 `json:"ratios"` // in the order of By, null where undefined
	Slow   []bool     `json:"slow"`   // violated; mean-of-means: from min_slowdown on
}

// Differs tells whether a summary has another answer than ours.
func (t *SummariesTest) Differs() bool { return slices.Contains(t.Slow, !t.Slow[0]) }

// newSummaries puts the sides of one folder together, each judged by another summary, ours first.
func newSummaries(by []Summary, sides []*analyze.Side) *Summaries {
	r := sides[0].Report
	out := &Summaries{Schema: schema, Version: r.Version, Folder: sides[0].Folder(), Operation: analyze.OperationOf(&sides[0].Manifest.Plan), MinSlowdown: r.MinSlowdown, Tests: []SummariesTest{}}
	for _, s := range by {
		out.By = append(out.By, BySummary{Summary: s})
	}
	for i := range r.Verdicts {
		v := &r.Verdicts[i]
		if v.Type == guidelines.Split || v.Verdict == judge.NotMeasured || v.Verdict == judge.Wrong {
			continue
		}
		t := SummariesTest{Asked: series.AskedBy(v)}
		for k, side := range sides {
			ratio, slow := side.Report.Verdicts[i].Ratio, side.Report.Verdicts[i].Verdict == judge.Violated
			if by[k] == MeanOfMeans {
				of := &side.Manifest.Plan.Tests[i]
				ratio = analyze.Number(meanOf(side.Set, of.Case) / meanOf(side.Set, of.Others[0]))
				slow = ratio != nil && *ratio >= r.MinSlowdown
			}
			t.Ratios, t.Slow = append(t.Ratios, ratio), append(t.Slow, slow)
			if slow {
				out.By[k].Slow++
			}
			if ours := t.Slow[0]; slow && !ours {
				out.By[k].More++
			} else if ours && !slow {
				out.By[k].Missed++
			}
		}
		out.Tests = append(out.Tests, t)
	}
	return out
}

func meanOf(set *medians.Set, plan int) float64 {
	mean, _, err := stats.MeanSD(medians.Valid(set.Cases[plan].Medians))
	if err != nil {
		return math.NaN()
	}
	return mean
}
