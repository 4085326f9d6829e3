package reading

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"reflect"
	"slices"

	"pgmpi/analyze"
	"pgmpi/analyze/export"
	"pgmpi/analyze/judge"
	"pgmpi/analyze/medians"
	"pgmpi/analyze/report/checks"
	"pgmpi/analyze/samples"
	"pgmpi/analyze/selector"
	"pgmpi/guidelines"
	"pgmpi/internal/clean"
	"pgmpi/internal/conf"
	"pgmpi/internal/fail"
	"pgmpi/internal/lists"
	"pgmpi/internal/phrase"
	"pgmpi/internal/picture"
	"pgmpi/measure/protocol"
	"pgmpi/measure/results"
)

// Timed lists the kinds of folders whose mpiruns time calls by themselves.
var Timed = []results.Kind{results.Check, results.Explore, results.Fingerprint, results.Imported}

const (
	ExportSamples  = "samples"
	ExportMedians  = "medians"
	ExportVerdicts = "verdicts"
)

var Exports = []string{ExportSamples, ExportMedians, ExportVerdicts}

// Export writes one table of several results folders, and returns its number of rows. A row holds a
// sample, run median or verdict. It tells step how many mpiruns, or folders, of all are done.
func Export(paths []string, what, format string, to io.Writer, step func(done, all int)) (rows int, err error) {
	kinds := Timed
	switch what {
	case ExportVerdicts:
		kinds = results.Checks
	case ExportSamples, ExportMedians:
	default:
		return 0, fail.Setupf("--what: %s", conf.Unknown("word", what, Exports))
	}
	all, err := sources(paths, kinds...)
	switch {
	case err != nil:
		return 0, err
	case what == ExportSamples:
		return exported(all, format, to, reflect.TypeFor[export.Sample](), samplesOf(all, step))
	case what == ExportMedians:
		return exported(all, format, to, reflect.TypeFor[export.Median](), folders(all, step, mediansOf))
	}
	return exported(all, format, to, export.Verdict, folders(all, step, verdictsOf))
}

type source struct {
	path     string
	folder   *results.Folder
	manifest *results.Manifest
}

// sources opens results folders of some kinds, each of them once.
func sources(paths []string, kinds ...results.Kind) ([]source, error) {
	var out []source
	for _, path := range paths {
		path = filepath.Clean(path)
		if slices.ContainsFunc(out, func(s source) bool { return s.path == path }) {
			return nil, fail.Setupf("%s is given twice", path)
		}
		folder, m, err := Open(path, kinds...)
		if err != nil {
			return nil, err
		}
		out = append(out, source{path, folder, m})
	}
	return out, nil
}

func (s *source) row(shape string) export.Source {
	return export.Source{Folder: clean.Line(s.path), Library: clean.Line(phrase.ShortVersion(s.manifest.Rank.LibVersion)),
		Host: clean.Line(s.manifest.Factors.Hostname), Shape: clean.Line(shape)}
}

func exported[T any](all []source, format string, to io.Writer, row reflect.Type, rows func(*source, func([]T) error) error) (n int, err error) {
	w, err := export.New[T](format, to, row)
	if err != nil {
		return 0, fail.Setupf("--format: %w", err)
	}
	for i := range all {
		err := rows(&all[i], func(some []T) error {
			n += len(some)
			return w.Write(some)
		})
		if err != nil {
			return n, fmt.Errorf("%s: %w", all[i].path, err)
		}
	}
	return n, w.Close()
}

func folders[T any](all []source, step func(done, all int), rows func(*source, func([]T) error) error) func(*source, func([]T) error) error {
	done := 0
	return func(s *source, give func([]T) error) error {
		step(done, len(all))
		done++
		return rows(s, give)
	}
}

func samplesOf(all []source, step func(done, all int)) func(*source, func([]export.Sample) error) error {
	done, mpiruns := 0, 0
	for _, s := range all {
		for _, mode := range JudgedModes {
			for _, shape := range s.manifest.Plan.Shapes {
				runs, _ := s.folder.Finished(mode, shape)
				mpiruns += len(runs)
			}
		}
	}
	return func(s *source, give func([]export.Sample) error) error {
		return samplesOfOne(s, give, func() {
			done++
			step(done, mpiruns)
		})
	}
}

// samplesOfOne gives the samples of a folder, one case of one mpirun after the other.
func samplesOfOne(s *source, give func([]export.Sample) error, mpirun func()) error {
	var filter medians.Filter
	var rows []export.Sample
	of := s.manifest.Plan.MockedUp()
	for _, mode := range JudgedModes {
		for _, shape := range s.manifest.Plan.Shapes {
			for run, err := range s.folder.Runs(mode, shape, &s.manifest.Plan) {
				if err != nil {
					return err
				}
				mpirun()
				for i, info := range run.Cases {
					row := export.Sample{Source: s.row(shape.String()), Function: clean.Line(info.Function), MockupOf: clean.Line(of[info.Function]),
						Variant: clean.Line(s.manifest.Plan.Cases[info.Plan].Variant), Msize: info.Msize, Mpirun: int32(run.Run), Mode: string(mode), Calls: int32(max(info.Calls, 1)),
						Elements: clean.Line(s.manifest.Plan.Cases[info.Plan].Elements)}
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
func sampleRows(rows []export.Sample, row export.Sample, samples []protocol.Sample, filter *medians.Filter) []export.Sample {
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
func mediansOf(s *source, give func([]export.Median) error) error {
	set, err := Collect(s.folder, s.manifest, s.manifest.R)
	if err != nil {
		return err
	}
	for _, k := range set.AllMedians() {
		err := give(lists.Map(k.Runs, func(r medians.RunMedian) export.Median {
			return export.Median{Source: s.row(k.Shape), Function: clean.Line(k.Function), MockupOf: clean.Line(k.MockupOf), Variant: clean.Line(k.Variant), Msize: k.Msize,
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
func verdictsOf(s *source, give func([]any) error) error {
	j, err := judgeAsMade(s.folder, s.manifest)
	if err != nil {
		return err
	}
	return give(lists.Map(j.Report.Verdicts, func(v analyze.Verdict) any { return export.OfVerdict(s.row(v.Shape), &v) }))
}

// Sides judges several results folders by their own settings.
func Sides(paths []string) ([]*analyze.Side, error) {
	all, err := sources(paths, results.Checks...)
	if err != nil {
		return nil, err
	}
	var out []*analyze.Side
	for i := range all {
		j, err := judgeAsMade(all[i].folder, all[i].manifest)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", all[i].path, err)
		}
		out = append(out, j.Side(all[i].path))
	}
	return out, nil
}

// Figures draws several results folders, each judged by its own settings, into a folder. It also
// draws the samples of the cases that selectors name; without selectors, the largest loss in the
// first folder that has one. It tells step how many pictures of all are drawn.
func Figures(paths, selectors []string, out *results.Folder, formats []picture.Format, step func(done, all int)) (*checks.Gallery, error) {
	all, err := sources(paths, results.Checks...)
	if err != nil {
		return nil, err
	}
	sides, err := Sides(paths)
	if err != nil {
		return nil, err
	}
	var note string
	if len(selectors) == 0 {
		selectors, note = worstCases(sides)
	}
	samples := make([][]*samples.CaseSamples, len(all))
	for i := range all {
		if samples[i], err = all[i].samples(selectors, note != ""); err != nil {
			return nil, fmt.Errorf("%s: %w", all[i].path, err)
		}
	}
	g := checks.NewGallery(sides, samples)
	g.Out = out.Path
	g.Formats = lists.Map(formats, func(f picture.Format) string { return f.Ext })
	if note != "" {
		g.Notes = append(g.Notes, note)
	}
	if err := os.MkdirAll(out.Path, 0o777); err != nil {
		return nil, fail.AsSetup(err)
	}
	return g, drawn(g, out, formats, step)
}

func drawn(g *checks.Gallery, out *results.Folder, formats []picture.Format, step func(done, all int)) (err error) {
	for i := range g.Pictures {
		step(i, len(g.Pictures))
		p := &g.Pictures[i]
		for _, f := range formats {
			err = errors.Join(err, out.WriteFile(p.Name+"."+f.Ext, func(w io.Writer) error { return f.Write(w, p) }))
		}
	}
	return err
}

// worstCases returns both sides of the pattern that loses most time in a call. The note says so in
// a sentence.
func worstCases(sides []*analyze.Side) (selectors []string, note string) {
	lost := 0.0
	for _, s := range sides {
		for _, v := range s.Report.Where(func(v *analyze.Verdict) bool { return v.Verdict == judge.Violated && v.Type == guidelines.Pattern }) {
			if v.MedianS != nil && v.OtherMedianS != nil && *v.MedianS-*v.OtherMedianS > lost {
				lost = *v.MedianS - *v.OtherMedianS
				size := fmt.Sprint(v.Msize)
				selectors = []string{v.Function + ":" + size + ":" + v.Shape, v.Mockup + ":" + size + ":" + v.Shape}
			}
		}
		if lost > 0 {
			return selectors, fmt.Sprintf("Samples are of the largest loss, %s against its mock-up. --case %s draws another case.", selectors[0], "FUNCTION:MSIZE")
		}
	}
	return nil, ""
}

// samples reads the samples of the cases that selectors name, in stages 1 and 2. If lenient, a folder may lack
// the cases.
func (s *source) samples(selectors []string, lenient bool) ([]*samples.CaseSamples, error) {
	config, err := ConfigOf(s.manifest)
	if err != nil {
		return nil, err
	}
	plan := &s.manifest.Plan
	var out []*samples.CaseSamples
	var chosen []int
	for _, text := range selectors {
		cases, err := selector.SelectCases(plan, text)
		if err != nil && !lenient {
			return nil, fail.Setupf("--case: %w", err)
		}
		for _, i := range cases {
			if !slices.Contains(chosen, i) {
				chosen = append(chosen, i)
				out = append(out, &samples.CaseSamples{Cell: medians.CellOf(plan.Cases[i]), NREP: config.NREP})
			}
		}
	}
	for _, mode := range []protocol.Mode{protocol.ModeNREP, protocol.ModeMeasure} {
		for _, shape := range plan.Shapes {
			if !slices.ContainsFunc(chosen, func(i int) bool { return plan.Cases[i].Shape == shape }) {
				continue
			}
			for run, err := range s.folder.Runs(mode, shape, plan) {
				for k := 0; k < len(chosen) && err == nil; k++ {
					err = out[k].Add(run, chosen[k])
				}
				if err != nil {
					return nil, err
				}
			}
		}
	}
	return out, nil
}
