package reading

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"

	"pgmpi/analyze"
	"pgmpi/analyze/judge"
	"pgmpi/analyze/medians"
	"pgmpi/analyze/report/checks"
	"pgmpi/analyze/samples"
	"pgmpi/analyze/selector"
	"pgmpi/guidelines"
	"pgmpi/internal/fail"
	"pgmpi/internal/lists"
	"pgmpi/internal/picture"
	"pgmpi/measure/protocol"
	"pgmpi/measure/results"
)

// Timed lists the kinds of folders whose mpiruns time calls by themselves.
var Timed = []results.Kind{results.Check, results.Explore, results.Fingerprint, results.Imported}

// Source is an open results folder, by the name that the user gave it.
type Source struct {
	Path     string
	Folder   *results.Folder
	Manifest *results.Manifest
}

// Sources opens results folders of some kinds, each of them once.
func Sources(paths []string, kinds ...results.Kind) ([]Source, error) {
	var out []Source
	for _, path := range paths {
		path = filepath.Clean(path)
		if slices.ContainsFunc(out, func(s Source) bool { return s.Path == path }) {
			return nil, fail.Setupf("%s is given twice", path)
		}
		folder, m, err := Open(path, kinds...)
		if err != nil {
			return nil, err
		}
		out = append(out, Source{path, folder, m})
	}
	return out, nil
}

// Judged judges a folder by its own settings.
func (s *Source) Judged() (*Judgement, error) { return judgeAsMade(s.Folder, s.Manifest) }

// Sides judges several results folders by their own settings.
func Sides(paths []string) ([]*analyze.Side, error) {
	all, err := Sources(paths, results.Checks...)
	if err != nil {
		return nil, err
	}
	var out []*analyze.Side
	for i := range all {
		j, err := all[i].Judged()
		if err != nil {
			return nil, fmt.Errorf("%s: %w", all[i].Path, err)
		}
		out = append(out, j.Side(all[i].Path))
	}
	return out, nil
}

// Figures draws several results folders, each judged by its own settings, into a folder. It also
// draws the samples of the cases that selectors name; without selectors, the largest loss in the
// first folder that has one. It tells step how many pictures of all are drawn.
func Figures(paths, selectors []string, out *results.Folder, formats []picture.Format, step func(done, all int)) (*checks.Gallery, error) {
	all, err := Sources(paths, results.Checks...)
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
			return nil, fmt.Errorf("%s: %w", all[i].Path, err)
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
func (s *Source) samples(selectors []string, lenient bool) ([]*samples.CaseSamples, error) {
	config, err := ConfigOf(s.Manifest)
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
