package reading

import (
	"encoding/json"
	"errors"
	"io"
	"os"
	"path/filepath"
	"pgmpi/analyze"
	"pgmpi/analyze/judge"
	"pgmpi/analyze/medians"
	"pgmpi/analyze/report"
	"pgmpi/analyze/report/calls"
	"pgmpi/analyze/report/check"
	"pgmpi/internal/conf"
	"pgmpi/internal/conf/glfile"
	"pgmpi/internal/document"
	"pgmpi/internal/fail"
	"pgmpi/internal/remark"
	"pgmpi/measure/protocol"
	"pgmpi/measure/results"
	"reflect"
	"slices"
)

// judgedModes are those of the mpiruns that a report is made from.
var JudgedModes = []protocol.Mode{protocol.ModeMeasure, protocol.ModeSplit, protocol.ModeConfirm, protocol.ModeExplore, protocol.ModeMessages}

// collect reads the mpiruns of stage 2 up to the given one, and those of the
// experiments, one raw file at a time.
func Collect(folder *results.Folder, m *results.Manifest, upTo int) (*medians.Set, error) {
	c := medians.New(m)
	for _, mode := range JudgedModes {
		for _, shape := range m.Plan.Shapes {
			for r, err := range folder.Runs(mode, shape, &m.Plan) {
				if err == nil && mode == protocol.ModeMeasure && r.Run > upTo {
					break
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
	return c, nil
}

// Judgement is the report on a results folder, and what it was made from.
type Judgement struct {
	*analyze.Analysis
	folder   *results.Folder
	Manifest *results.Manifest
}

// Judge is stage 3: it judges the results folder of a check. Stage 2 of an exploration has chosen
// what others of its mpiruns test, so verdicts on that would use the same data twice.
func Judge(folder *results.Folder, m *results.Manifest, cfg judge.Config) (*Judgement, error) {
	if m.Exploration {
		return nil, fail.Setupf("an exploration, and no check: its answer is that of `pgmpi analyze %s`", conf.Quote(folder.Path))
	}
	return Described(folder, m, cfg)
}

// Described is Judge for those who want what mpiruns took, and no verdicts: of an exploration, too.
func Described(folder *results.Folder, m *results.Manifest, cfg judge.Config) (*Judgement, error) {
	data, err := Collect(folder, m, m.R)
	if err != nil {
		return nil, err
	}
	return Judged(folder, m, data, cfg)
}

func Judged(folder *results.Folder, m *results.Manifest, data *medians.Set, cfg judge.Config) (*Judgement, error) {
	a, err := analyze.Judge(m, data, cfg)
	if err != nil {
		return nil, err
	}
	r := *a.Report
	r.Folder, err = nameOf(folder.Path)
	return &Judgement{a.With(&r), folder, m}, err
}

// nameOf is the name of a folder without its path.
func nameOf(path string) (string, error) {
	whole, err := filepath.Abs(path)
	return filepath.Base(whole), err
}

// OnlyLooks tells whether a judgement with these settings is only a look at a folder, which
// keeps the report that it has: that was made with others, those of its check.
func OnlyLooks(folder *results.Folder, m *results.Manifest, config *glfile.File) bool {
	own, err := ConfigOf(m)
	return err == nil && Has(folder.Path, ReportName) &&
		!(reflect.DeepEqual(own.Analyze, config.Analyze) && reflect.DeepEqual(own.Gate, config.Gate))
}

// Doubts are what is doubtful about the mpiruns of a folder, by what they took.
func Doubts(folder *results.Folder, m *results.Manifest) ([]remark.Remark, error) {
	config, err := ConfigOf(m)
	if err != nil {
		return nil, err
	}
	j, err := Described(folder, m, config.Analyze)
	if err != nil {
		return nil, err
	}
	return slices.DeleteFunc(slices.Clone(j.Report.Warnings), func(r remark.Remark) bool { return !r.ID.AboutMpiruns() }), nil
}

// Explain shows what the verdict on a test rests on; it reads the test's raw
// samples again.
func (j *Judgement) Explain(test int) (*analyze.Explanation, error) {
	shape := j.Manifest.Plan.Tests[test].Shape
	return j.Analysis.Explain(test, func(run int) (*results.Run, error) {
		if !j.folder.Has(protocol.ModeMeasure, shape, run) {
			return nil, nil
		}
		return j.folder.ReadRun(protocol.ModeMeasure, shape, run, &j.Manifest.Plan)
	})
}

// Store writes a document into a folder, in all formats.
func Store(folder *results.Folder, d *document.Document, formats []document.Format) (err error) {
	for _, f := range formats {
		err = errors.Join(err, folder.WriteFile(f.File(d), func(w io.Writer) error { return f.Write(w, d) }))
	}
	return err
}

// StoreMedians writes medians.csv into a folder.
func StoreMedians(folder *results.Folder, a *analyze.Analysis) error {
	csv, err := check.RunMedians.Format("csv")
	if err != nil {
		return err
	}
	rows := a.RunMedians()
	return Store(folder, check.RunMedians.Document(&rows), []document.Format{csv})
}

// StoreExploration writes what was explored into a folder, in all formats and as JSON.
func StoreExploration(folder *results.Folder, d *document.Document, formats []document.Format) error {
	return storeWithJSON(folder, report.Explorations, d, formats)
}

// StoreOverlap is StoreExploration for what `pgmpi overlap` found.
func StoreOverlap(folder *results.Folder, d *document.Document, formats []document.Format) error {
	return storeWithJSON(folder, calls.Overlaps, d, formats)
}

func storeWithJSON[T any](folder *results.Folder, k document.Kind[T], d *document.Document, formats []document.Format) error {
	if !slices.ContainsFunc(formats, func(f document.Format) bool { return f.Name == "json" }) {
		json, err := k.Format("json")
		if err != nil {
			return err
		}
		formats = append(slices.Clone(formats), json)
	}
	return Store(folder, d, formats)
}

// StoreReport writes a report into a folder, in all formats and as JSON, which
// every results folder has.
func StoreReport(folder *results.Folder, r *analyze.Report, formats []document.Format) error {
	return storeWithJSON(folder, check.Reports, check.Reports.Document(r), formats)
}

// OpenResults opens a results folder to read it.
func OpenResults(path string) (*results.Folder, *results.Manifest, error) {
	if info, err := os.Stat(path); err == nil && !info.IsDir() {
		return nil, nil, fail.Setupf("%s is a file, and a results folder is wanted; `pgmpi analyze --from reprompi FILE…` reads files of ReproMPI", path)
	}
	folder, m, err := results.Open(path)
	if err != nil {
		return nil, nil, fail.AsSetup(err)
	}
	return folder, m, nil
}

// ConfigOf is the configuration that a results folder was made with.
func ConfigOf(m *results.Manifest) (*glfile.File, error) {
	f := glfile.Default()
	if err := json.Unmarshal(m.Config, &f); err != nil {
		return nil, fail.Setupf("manifest.json: config: %w", err)
	}
	f.Source = m.TOML
	return &f, nil
}
