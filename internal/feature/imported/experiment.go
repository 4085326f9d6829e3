package imported

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"
	"sync"

	"pgmpi/analyze"
	"pgmpi/analyze/medians"
	"pgmpi/analyze/report/check"
	"pgmpi/analyze/report/checks"
	"pgmpi/analyze/series"
	"pgmpi/internal/conf/glfile"
	"pgmpi/internal/document"
	core "pgmpi/internal/experiment"
	"pgmpi/internal/experiment/run"
	"pgmpi/internal/fail"
	"pgmpi/internal/feature/imported/readers"
	"pgmpi/internal/lists"
	"pgmpi/internal/phrase"
	"pgmpi/internal/reading"
	"pgmpi/measure/results"
)

// experiment judges measurements of another program as a check.
var experiment = &run.Experiment{Kind: results.Imported, Plan: run.Tests, Stages: []run.Stage{run.Measure},
	Begin: core.Check.Begin, Judge: run.ByMedians(judge), Answer: check.Reports, Analyzed: true}

// judge adds what features have to say about the data. They say, for instance, which of the library's own
// algorithms is faster.
func judge(c *run.Campaign, data *medians.Set) (*run.Found, error) {
	found, err := core.JudgeCheck(c, data)
	if err != nil {
		return found, err
	}
	for _, note := range c.Notes {
		more, err := note(c.Manifest, data, c.Config.Analyze)
		if err != nil {
			return found, err
		}
		if len(more) > 0 {
			found.Document.Add(more)
		}
	}
	return found, nil
}

// job holds a batch job of another program in its results folder. side is nil where the job is alone; of several,
// only what the table of all needs is kept.
type job struct {
	path     string
	warnings []string
	side     *analyze.Side
	exit     error
}

// beside shows several jobs in one table, or returns nil for one that is alone.
func beside(jobs []job) *document.Document {
	var sides []*analyze.Side
	var worst error
	for _, j := range jobs {
		if j.side == nil {
			return nil
		}
		sides, worst = append(sides, j.side), cmp.Or(worst, j.exit)
	}
	d := checks.Matrices.Document(series.NewMatrix(sides))
	d.Exit = cmp.Or(worst, d.Exit)
	return d
}

// importer writes the results folders of one command.
type importer struct {
	config *glfile.File
	run.Options
	taken sync.Map // paths of folders
}

// take writes results folders from files and folders of other programs. A job that is alone goes into o.Path;
// several go below it, and are judged. take returns them in the order of the files, and what was left out.
func take(paths []string, given readers.Given, config *glfile.File, o run.Options) (made []job, leftOut []string, err error) {
	if !results.IsFresh(o.Path) {
		return nil, nil, fail.Setupf("the folder %s is not empty: name a new one with --out", o.Path)
	}
	if shapes := config.Job.On(config.Job.NP); len(shapes) == 1 {
		given.Shape = shapes[0]
	} else if len(shapes) > 1 {
		return nil, nil, fail.Setupf("files of other programs are of one --np or --shape at a time")
	}
	x := importer{config: config, Options: o}
	made, leftOut, err = readers.Each(paths, given, x.write)
	if err == nil && len(made) == 0 {
		shown, more := phrase.First(leftOut, 10, "%d more reasons")
		if more != "" {
			shown = append(shown[:len(shown):len(shown)], more)
		}
		err = fail.AsSetup(errors.Join(lists.Map(shown, func(text string) error { return errors.New(text) })...))
	}
	return made, leftOut, err
}

// write makes the results folder of a job, and judges it unless it is alone.
func (x *importer) write(j *readers.Job, alone bool) (made job, err error) {
	m, err := j.Manifest(x.config.Check, x.config.Guideline)
	if err != nil {
		return made, err
	}
	m.Version, m.Command, m.TOML = x.Version, x.Line, x.config.Source
	if m.Config, err = json.Marshal(x.config); err != nil {
		return made, err
	}
	made.path, made.warnings = x.Path, j.Warnings()
	if !alone {
		made.path = x.below(j.Name())
	}
	folder, err := results.Create(made.path)
	if err != nil {
		return made, fail.AsSetup(err)
	}
	defer folder.Close()
	data := medians.New(m)
	for i := range m.R {
		r := j.Run(i, m)
		if err := folder.WriteRun(r); err != nil {
			return made, err
		}
		if err := data.Add(r); err != nil {
			return made, err
		}
	}
	if err := folder.WriteManifest(m); err != nil || alone {
		return made, err
	}
	own := *x.config
	c := run.Read(experiment, folder, m, &own)
	c.Notes = x.Notes
	if err := c.Ready(); err != nil {
		return made, err
	}
	found, err := judge(c, data)
	if err != nil {
		return made, err
	}
	made.side, made.exit = found.Judgement.Side(made.path), found.Exit
	return made, reading.Keep(folder, found.Document, nil)
}

// below returns the path of a new folder. It adds a number to a name that is taken.
func (x *importer) below(name string) string {
	first := filepath.Join(x.Path, name)
	path := first
	for n := 2; ; n++ {
		if _, known := x.taken.LoadOrStore(path, true); !known {
			return path
		}
		path = fmt.Sprintf("%s-%d", first, n)
	}
}
