package campaign

import (
	"errors"
	"io"
	"slices"

	"pgmpi/analyze"
	"pgmpi/analyze/report"
	"pgmpi/measure/protocol"
	"pgmpi/measure/results"
)

// All that this package asks of analyze is in this file.

// judged are the stages whose mpiruns are judged.
var judged = []protocol.Mode{protocol.ModeMeasure, protocol.ModeSplit}

// collection keeps the run medians of the mpiruns of a check, so that no raw
// file is read twice.
type collection struct {
	wanted  bool // the campaign ends with a judgement
	medians *analyze.Collector
	runs    int  // that it has
	stale   bool // the manifest says something else by now, or an mpirun did not fit: read all again
}

// add takes in an mpirun. What is wrong with it is said when it is judged.
func (d *collection) add(m *results.Manifest, r *results.Run) {
	if !d.wanted || !slices.Contains(judged, r.Mode) {
		return
	}
	if d.runs == 0 {
		d.medians = analyze.NewCollector(m)
	}
	d.runs++
	d.stale = d.medians.Add(r) != nil || d.stale
}

// collected are the medians of stages, of stage 2 up to an mpirun.
func (c *Campaign) collected(upTo int, modes ...protocol.Mode) (*analyze.Collector, error) {
	onDisk := 0
	for _, mode := range modes {
		for _, shape := range c.Manifest.Plan.Shapes {
			runs, err := c.Folder().Finished(mode, shape)
			if err != nil {
				return nil, err
			}
			for _, run := range runs {
				if mode == protocol.ModeSplit || run <= upTo {
					onDisk++
				}
			}
		}
	}
	if c.data.runs != onDisk || c.data.runs == 0 || c.data.stale {
		return Collect(c.Folder(), c.Manifest, upTo)
	}
	return c.data.medians, nil
}

// Collect reads the mpiruns of stage 2 up to the given one, and the split
// experiment, one raw file at a time.
func Collect(folder *results.Folder, m *results.Manifest, upTo int) (*analyze.Collector, error) {
	c := analyze.NewCollector(m)
	for _, mode := range judged {
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
	Report   *analyze.Report
	medians  *analyze.Collector
	cfg      analyze.Config
	folder   *results.Folder
	manifest *results.Manifest
}

// Judge is stage 3: it judges a results folder.
func Judge(folder *results.Folder, m *results.Manifest, cfg analyze.Config) (*Judgement, error) {
	data, err := Collect(folder, m, m.R)
	if err != nil {
		return nil, err
	}
	return judge(data, folder, m, cfg)
}

// judge is Judge of what the campaign has measured or read.
func (c *Campaign) judge() (*Judgement, error) {
	data, err := c.collected(c.Manifest.R, judged...)
	if err != nil {
		return nil, err
	}
	return judge(data, c.Folder(), c.Manifest, c.Config.Analyze)
}

func judge(data *analyze.Collector, folder *results.Folder, m *results.Manifest, cfg analyze.Config) (*Judgement, error) {
	r, err := data.Report(cfg)
	return &Judgement{Report: r, medians: data, cfg: cfg, folder: folder, manifest: m}, err
}

// Explain shows what the verdict on a test rests on; it reads the test's raw
// samples again.
func (j *Judgement) Explain(test int) (*analyze.Explanation, error) {
	m := j.manifest
	shape := m.Plan.Tests[test].Shape
	return j.medians.Explain(j.Report, j.cfg, test, func(run int) (*results.Run, error) {
		if !j.folder.Has(protocol.ModeMeasure, shape, run) {
			return nil, nil
		}
		return j.folder.ReadRun(protocol.ModeMeasure, shape, run, &m.Plan)
	})
}

// Design is a report without data: whether R suffices, and for what.
func (c *Campaign) Design() (*analyze.Report, error) {
	return analyze.NewCollector(c.Manifest).Report(c.Config.Analyze)
}

// Refuse returns a *Refused where no result could be significant.
func (c *Campaign) Refuse() error {
	r, err := c.Design()
	if err != nil {
		return err
	}
	return refused(r.Refused)
}

// comparable returns a *Refused where no difference of two campaigns could be
// significant, and a *Setup where they cannot be compared.
func comparable(a, b *Campaign, cfg analyze.CompareConfig) error {
	sideA, err := analyze.NewCollector(a.Manifest).Side("A", cfg.Config)
	if err != nil {
		return err
	}
	sideB, err := analyze.NewCollector(b.Manifest).Side("B", cfg.Config)
	if err != nil {
		return err
	}
	c, err := analyze.Compare(sideA, sideB, cfg)
	var no *analyze.NotComparable
	if errors.As(err, &no) {
		return setup(err)
	}
	if err != nil {
		return err
	}
	return refused(c.Refused)
}

func refused(r *analyze.Refusal) error {
	if r == nil {
		return nil
	}
	return &Refused{r.Reason}
}

// Store puts a report into a folder, in the given formats and as JSON.
func Store(folder *results.Folder, r *analyze.Report, formats []report.Format) error {
	json, err := report.Get("json")
	if err != nil {
		return err
	}
	if !slices.ContainsFunc(formats, func(f report.Format) bool { return f.Name == json.Name }) {
		formats = append(slices.Clone(formats), json)
	}
	for _, f := range formats {
		err = errors.Join(err, folder.WriteFile(f.File, func(w io.Writer) error { return f.Write(w, r) }))
	}
	return err
}
