package reading

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"

	"pgmpi/analyze"
	"pgmpi/analyze/chosen"
	"pgmpi/analyze/judge"
	"pgmpi/analyze/medians"
	"pgmpi/analyze/report/check"
	"pgmpi/analyze/selector"
	"pgmpi/guidelines"
	"pgmpi/internal/conf"
	"pgmpi/internal/conf/glfile"
	"pgmpi/internal/document"
	"pgmpi/internal/fail"
	"pgmpi/internal/lists"
	"pgmpi/internal/remark"
	"pgmpi/measure/protocol"
	"pgmpi/measure/results"
)

// JudgedModes lists the modes of the mpiruns from which a report is made.
var JudgedModes = []protocol.Mode{protocol.ModeMeasure, protocol.ModeSplit, protocol.ModeTextbook, protocol.ModeFewer, protocol.ModeAlternate, protocol.ModeMalloc, protocol.ModeConfirm, protocol.ModeExplore, protocol.ModeMessages}

// Collect reads the mpiruns of stage 2 up to one, and of the experiments. It reads one raw file at
// a time.
func Collect(folder *results.Folder, m *results.Manifest, upTo int) (*medians.Set, error) {
	return CollectBy(folder, m, upTo, func(*results.Run) error { return nil })
}

// CollectBy changes each mpirun before it takes it in.
func CollectBy(folder *results.Folder, m *results.Manifest, upTo int, change func(*results.Run) error) (*medians.Set, error) {
	c := medians.New(m)
	for _, mode := range JudgedModes {
		for _, shape := range m.Plan.Shapes {
			for r, err := range folder.Runs(mode, shape, &m.Plan) {
				if err == nil && mode == protocol.ModeMeasure && r.Run > upTo {
					break
				}
				if err == nil {
					err = change(r)
				}
				if err == nil {
					err = c.Add(r)
				}
				if err != nil {
					return nil, err
				}
			}
		}
	}
	return c, folder.Still()
}

// Judgement holds the report on a results folder, and what it was made from.
type Judgement struct {
	*analyze.Analysis
	folder   *results.Folder
	Manifest *results.Manifest
}

// Judge does stage 3: it judges the mpiruns of a results folder.
func Judge(folder *results.Folder, m *results.Manifest, cfg judge.Config) (*Judgement, error) {
	data, err := Collect(folder, m, m.R)
	if err != nil {
		return nil, err
	}
	return Judged(folder, m, data, cfg)
}

// Unfinished tells whether a check or an exploration still needs mpiruns by its own settings.
func Unfinished(folder *results.Folder, m *results.Manifest, data *medians.Set) (bool, error) {
	config, err := ConfigOf(m)
	if err != nil {
		return false, err
	}
	for _, shape := range m.Plan.Shapes {
		made, err := folder.Finished(protocol.ModeMeasure, shape)
		if err != nil {
			return false, err
		}
		if len(made) < slices.Min(append([]int{m.Runs(protocol.ModeMeasure)}, m.Looks...)) {
			return true, nil
		}
		if len(made) < m.Runs(protocol.ModeMeasure) {
			look, err := analyze.Look(m, data, config.Analyze, len(made))
			if err != nil || slices.ContainsFunc(m.Plan.CasesOf(shape), func(i int) bool { return look.Needed[i] }) {
				return true, err
			}
		}
		for _, mode := range []protocol.Mode{protocol.ModeSplit, protocol.ModeTextbook, protocol.ModeFewer, protocol.ModeExplore} {
			x := m.FollowUps[mode]
			if x == nil || !slices.ContainsFunc(x.Comparisons, func(c results.Comparison) bool { return m.Plan.Cases[c.Case].Shape == shape }) {
				continue
			}
			if made, err = folder.Finished(mode, shape); err != nil || len(made) < m.Runs(mode) {
				return true, err
			}
		}
	}
	for _, id := range analyze.OneOf {
		if m.FollowUps[analyze.ModeOf(id)] == nil {
			if x, err := analyze.PlanOneOf(id, m, data, config.Analyze); err != nil || x != nil {
				return x != nil, err
			}
		}
	}
	if !m.SplitExperiment || m.FollowUps[protocol.ModeSplit] != nil {
		return false, nil
	}
	split, err := analyze.PlanSplit(m, data, config.Analyze, nil)
	return split != nil, err
}

// SidesBy judges folders by one configuration. It refuses folders whose times chose their cases, as
// in an exploration.
func SidesBy(cfg judge.Config, paths ...string) (sides []*analyze.Side, err error) {
	for _, path := range paths {
		folder, m, err := Open(path, results.Check, results.Fingerprint, results.Imported)
		if err != nil {
			return nil, err
		}
		j, err := Judge(folder, m, cfg)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", path, err)
		}
		sides = append(sides, j.Side(path))
	}
	return sides, nil
}

func judgeAsMade(folder *results.Folder, m *results.Manifest) (*Judgement, error) {
	config, err := ConfigOf(m)
	if err != nil {
		return nil, err
	}
	return Judge(folder, m, config.Analyze)
}

// Judged does what Judge does, from run medians that are known.
func Judged(folder *results.Folder, m *results.Manifest, data *medians.Set, cfg judge.Config) (*Judgement, error) {
	a, err := analyze.Judge(m, data, cfg)
	if err != nil {
		return nil, err
	}
	r := *a.Report
	if r.Folder, err = Name(folder.Path); err != nil {
		return nil, err
	}
	nameAlgorithms(&r, folder)
	return &Judgement{a.With(&r), folder, m}, nil
}

// nameAlgorithms reads which.json, which only adds names.
func nameAlgorithms(r *analyze.Report, folder *results.Folder) {
	if !Has(folder.Path, WhichName) {
		return
	}
	text, err := readFile(filepath.Join(folder.Path, WhichName), MostReport)
	if err == nil {
		r.Which, err = chosen.ReadWhich(text)
	}
	if err != nil {
		r.Notes = append(slices.Clip(r.Notes), fmt.Sprintf("%s is damaged, and left out: %v; `pgmpi which DIR` writes it anew.", WhichName, err))
	}
}

func Name(path string) (string, error) {
	whole, err := filepath.Abs(path)
	return filepath.Base(whole), err
}

// OnlyLooks tells whether a judgement with these settings only looks at a folder. The folder then
// keeps its report, which was made with the settings of its check.
func OnlyLooks(folder *results.Folder, m *results.Manifest, config *glfile.File) bool {
	own, err := ConfigOf(m)
	return err == nil && Has(folder.Path, ReportName) &&
		!(reflect.DeepEqual(own.Analyze, config.Analyze) && reflect.DeepEqual(own.Gate, config.Gate))
}

// Doubts returns what is doubtful about a folder's mpiruns, by their times.
func Doubts(folder *results.Folder, m *results.Manifest) ([]remark.Remark, error) {
	j, err := judgeAsMade(folder, m)
	if err != nil {
		return nil, err
	}
	return slices.DeleteFunc(slices.Clone(j.Report.Warnings), func(r remark.Remark) bool { return !r.ID.AboutMpiruns() }), nil
}

// Explain shows what the verdict on a test rests on. It reads the test's raw samples again.
func (j *Judgement) Explain(test int) (*analyze.Explanation, error) {
	shape := j.Manifest.Plan.Tests[test].Shape
	return j.Analysis.Explain(test, func(run int) (*results.Run, error) {
		if !j.folder.Has(protocol.ModeMeasure, shape, run) {
			return nil, nil
		}
		return j.folder.ReadRun(protocol.ModeMeasure, shape, run, &j.Manifest.Plan)
	})
}

func Store(folder *results.Folder, d *document.Document, formats []document.Format) (err error) {
	for _, f := range formats {
		err = errors.Join(err, folder.WriteFile(f.File(d), func(w io.Writer) error { return f.Write(w, d) }))
	}
	return err
}

func StoreMedians(folder *results.Folder, a *analyze.Analysis) error {
	csv, err := check.RunMedians.Format("csv")
	if err != nil {
		return err
	}
	rows := a.RunMedians()
	return Store(folder, check.RunMedians.Document(&rows), []document.Format{csv})
}

// Keep writes a document into a results folder, in all formats. Programs get it as JSON.
func Keep(folder *results.Folder, d *document.Document, formats []document.Format) error {
	if d.Value != nil && !slices.ContainsFunc(formats, func(f document.Format) bool { return f.Name == document.JSON.Name }) {
		formats = append(slices.Clone(formats), document.JSON)
	}
	return Store(folder, d, formats)
}

// instead says what may have been meant by a file in place of a results folder.
func instead(path string) string {
	if folder := filepath.Dir(path); !results.IsFresh(folder) {
		if _, _, err := results.Open(folder); err == nil {
			return ": its folder is " + folder
		}
	}
	if strings.EqualFold(filepath.Ext(path), ".toml") {
		return fmt.Sprintf(": `pgmpi check %s` makes one", conf.Quote(path))
	}
	return "; `pgmpi analyze --from FORMAT FILE…` reads files of other programs"
}

// Open opens a results folder of some kinds, or of any, to read it.
func Open(path string, kinds ...results.Kind) (*results.Folder, *results.Manifest, error) {
	if info, err := os.Stat(path); err == nil && !info.IsDir() {
		return nil, nil, fail.Setupf("%s is a file, and a results folder is wanted%s", path, instead(path))
	}
	folder, m, err := results.Open(path, kinds...)
	if err != nil {
		return nil, nil, fail.AsSetup(err)
	}
	return folder, m, nil
}

func ConfigOf(m *results.Manifest) (*glfile.File, error) {
	f := glfile.Default()
	if err := json.Unmarshal(m.Config, &f); err != nil {
		return nil, fail.Setupf("manifest.json: config: %w", err)
	}
	f.Source = m.TOML
	return &f, nil
}

func Selected(plan *guidelines.Plan, selectors []string) ([]selector.Selection, error) {
	var out []selector.Selection
	for _, text := range selectors {
		s, err := selector.Select(plan, text)
		if err != nil {
			return nil, fail.Setupf("--explain: %w", err)
		}
		out = append(out, s)
	}
	return out, nil
}

// Chosen returns the tests of selections by their index in the Plan, each once. It warns of a
// selection without any.
func (j *Judgement) Chosen(selections []selector.Selection, warn func(format string, args ...any)) []int {
	var tests []int
	for _, s := range selections {
		of := s.Of(j.Report)
		if len(of) == 0 {
			warn("--explain %s: none of these tests is violated; add a size to see others\n", conf.Quote(s.Selector))
		}
		for _, i := range of {
			tests = lists.With(tests, i)
		}
	}
	return tests
}
