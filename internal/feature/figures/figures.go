package figures

import (
	"errors"
	"fmt"
	"io"
	"os"
	"slices"

	"pgmpi/analyze"
	"pgmpi/analyze/judge"
	"pgmpi/analyze/medians"
	"pgmpi/analyze/samples"
	"pgmpi/analyze/selector"
	"pgmpi/guidelines"
	"pgmpi/internal/fail"
	"pgmpi/internal/lists"
	"pgmpi/internal/picture"
	"pgmpi/internal/reading"
	"pgmpi/measure/protocol"
	"pgmpi/measure/results"
)

// drawnFrom draws several results folders, each judged by its own settings, into a folder. It also
// draws the samples of the cases that selectors name; without selectors, the largest loss in the
// first folder that has one. It tells step how many pictures of all are drawn.
func drawnFrom(paths, selectors []string, out *results.Folder, formats []picture.Format, step func(done, all int)) (*Gallery, error) {
	all, err := reading.Sources(paths, results.Checks...)
	if err != nil {
		return nil, err
	}
	sides, err := reading.Sides(paths)
	if err != nil {
		return nil, err
	}
	var note string
	if len(selectors) == 0 {
		selectors, note = worstCases(sides)
	}
	samples := make([][]*samples.CaseSamples, len(all))
	for i := range all {
		if samples[i], err = samplesOf(&all[i], selectors, note != ""); err != nil {
			return nil, fmt.Errorf("%s: %w", all[i].Path, err)
		}
	}
	g := newGallery(sides, samples)
	g.Out = out.Path
	g.Formats = lists.Map(formats, func(f picture.Format) string { return f.Ext })
	if note != "" {
		g.Notes = append(g.Notes, note)
	}
	if err := os.MkdirAll(out.Path, 0o777); err != nil {
		return nil, fail.AsSetup(err)
	}
	return g, written(g, out, formats, step)
}

func written(g *Gallery, out *results.Folder, formats []picture.Format, step func(done, all int)) (err error) {
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

// samplesOf reads the samples of the cases that selectors name, in stages 1 and 2. If lenient, a folder may lack
// the cases.
func samplesOf(s *reading.Source, selectors []string, lenient bool) ([]*samples.CaseSamples, error) {
	config, err := reading.ConfigOf(s.Manifest)
	if err != nil {
		return nil, err
	}
	plan := &s.Manifest.Plan
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
			for run, err := range s.Folder.Runs(mode, shape, plan) {
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
