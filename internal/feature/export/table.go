package export

import (
	"fmt"
	"io"
	"reflect"

	"pgmpi/analyze"
	"pgmpi/analyze/medians"
	"pgmpi/internal/clean"
	"pgmpi/internal/conf"
	"pgmpi/internal/fail"
	"pgmpi/internal/lists"
	"pgmpi/internal/phrase"
	"pgmpi/internal/reading"
	"pgmpi/measure/protocol"
	"pgmpi/measure/results"
)

const (
	ofSamples  = "samples"
	ofMedians  = "medians"
	ofVerdicts = "verdicts"
)

var tables = []string{ofSamples, ofMedians, ofVerdicts}

// export writes one table of several results folders, and returns its number of rows. A row holds a
// sample, run median or verdict. It tells step how many mpiruns, or folders, of all are done.
func export(paths []string, what, format string, to io.Writer, step func(done, all int)) (rows int, err error) {
	kinds := reading.Timed
	switch what {
	case ofVerdicts:
		kinds = results.Checks
	case ofSamples, ofMedians:
	default:
		return 0, fail.Setupf("--what: %s", conf.Unknown("word", what, tables))
	}
	all, err := reading.Sources(paths, kinds...)
	switch {
	case err != nil:
		return 0, err
	case what == ofSamples:
		return exported(all, format, to, reflect.TypeFor[Sample](), samplesOf(all, step))
	case what == ofMedians:
		return exported(all, format, to, reflect.TypeFor[Median](), folders(all, step, mediansOf))
	}
	return exported(all, format, to, Verdict, folders(all, step, verdictsOf))
}

func rowOf(s *reading.Source, shape string) Source {
	return Source{Folder: clean.Line(s.Path), Library: clean.Line(phrase.ShortVersion(s.Manifest.Rank.LibVersion)),
		Host: clean.Line(s.Manifest.Factors.Hostname), Shape: clean.Line(shape)}
}

func exported[T any](all []reading.Source, format string, to io.Writer, row reflect.Type, rows func(*reading.Source, func([]T) error) error) (n int, err error) {
	w, err := New[T](format, to, row)
	if err != nil {
		return 0, fail.Setupf("--format: %w", err)
	}
	for i := range all {
		err := rows(&all[i], func(some []T) error {
			n += len(some)
			return w.Write(some)
		})
		if err != nil {
			return n, fmt.Errorf("%s: %w", all[i].Path, err)
		}
	}
	return n, w.Close()
}

func folders[T any](all []reading.Source, step func(done, all int), rows func(*reading.Source, func([]T) error) error) func(*reading.Source, func([]T) error) error {
	done := 0
	return func(s *reading.Source, give func([]T) error) error {
		step(done, len(all))
		done++
		return rows(s, give)
	}
}

func samplesOf(all []reading.Source, step func(done, all int)) func(*reading.Source, func([]Sample) error) error {
	done, mpiruns := 0, 0
	for _, s := range all {
		for _, mode := range reading.JudgedModes {
			for _, shape := range s.Manifest.Plan.Shapes {
				runs, _ := s.Folder.Finished(mode, shape)
				mpiruns += len(runs)
			}
		}
	}
	return func(s *reading.Source, give func([]Sample) error) error {
		return samplesOfOne(s, give, func() {
			done++
			step(done, mpiruns)
		})
	}
}

// samplesOfOne gives the samples of a folder, one case of one mpirun after the other.
func samplesOfOne(s *reading.Source, give func([]Sample) error, mpirun func()) error {
	var filter medians.Filter
	var rows []Sample
	of := s.Manifest.Plan.MockedUp()
	for _, mode := range reading.JudgedModes {
		for _, shape := range s.Manifest.Plan.Shapes {
			for run, err := range s.Folder.Runs(mode, shape, &s.Manifest.Plan) {
				if err != nil {
					return err
				}
				mpirun()
				for i, info := range run.Cases {
					row := Sample{Source: rowOf(s, shape.String()), Function: clean.Line(info.Function), MockupOf: clean.Line(of[info.Function]),
						Variant: clean.Line(s.Manifest.Plan.Cases[info.Plan].Variant), Msize: info.Msize, Mpirun: int32(run.Run), Mode: string(mode), Calls: int32(max(info.Calls, 1)),
						Elements: clean.Line(s.Manifest.Plan.Cases[info.Plan].Elements)}
					rows = sampleRows(rows[:0], row, run.Samples[i], &filter)
					if err := give(rows); err != nil {
						return err
					}
				}
			}
		}
	}
	return nil
}

// sampleRows appends a case's samples in one mpirun, with all else as in row.
func sampleRows(rows []Sample, row Sample, samples []protocol.Sample, filter *medians.Filter) []Sample {
	fences, _ := filter.Fences(samples)
	for k, x := range samples {
		ns := float64(x.NS)
		row.Rep, row.NS, row.Flags = int32(k), x.NS, int32(x.Flags)
		row.Outlier = x.Flags == 0 && (ns < fences.Lo || ns > fences.Hi)
		rows = append(rows, row)
	}
	return rows
}

// mediansOf gives the run medians as medians.csv of the folder has them.
func mediansOf(s *reading.Source, give func([]Median) error) error {
	set, err := reading.Collect(s.Folder, s.Manifest, s.Manifest.R)
	if err != nil {
		return err
	}
	for _, k := range set.AllMedians() {
		err := give(lists.Map(k.Runs, func(r medians.RunMedian) Median {
			return Median{Source: rowOf(s, k.Shape), Function: clean.Line(k.Function), MockupOf: clean.Line(k.MockupOf), Variant: clean.Line(k.Variant), Msize: k.Msize,
				NP: int32(k.NP), Mpirun: int32(r.Run), N: int32(r.Samples - r.Outliers), Outliers: int32(r.Outliers), Invalid: int32(r.Invalid),
				Mode: string(k.Mode), Calls: int32(k.Calls), FinishedAt: clean.Line(r.FinishedAt), Pair: int32(k.Pair), MedianS: r.Seconds(), Elements: clean.Line(k.Elements)}
		}))
		if err != nil {
			return err
		}
	}
	return nil
}

// verdictsOf judges a folder by its own settings.
func verdictsOf(s *reading.Source, give func([]any) error) error {
	j, err := s.Judged()
	if err != nil {
		return err
	}
	return give(lists.Map(j.Report.Verdicts, func(v analyze.Verdict) any { return OfVerdict(rowOf(s, v.Shape), &v) }))
}
