package experiment

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"sync"

	"pgmpi/analyze"
	"pgmpi/analyze/explore"
	"pgmpi/analyze/medians"
	"pgmpi/analyze/report"
	"pgmpi/analyze/report/check"
	"pgmpi/analyze/report/checks"
	"pgmpi/analyze/series"
	"pgmpi/guidelines"
	"pgmpi/internal/conf/glfile"
	"pgmpi/internal/document"
	"pgmpi/internal/experiment/run"
	"pgmpi/internal/fail"
	"pgmpi/internal/lists"
	"pgmpi/internal/reading"
	"pgmpi/measure/results"
	"pgmpi/measure/results/imported"
	"pgmpi/mockups"
)

// Imported judges, as a check, what another program has measured; the library's own algorithms among it answer explore's question.
var Imported = &run.Experiment{Kind: results.Imported, Plan: run.Tests, Stages: []run.Stage{run.Measure}, Begin: Check.Begin,
	Judge: run.ByMedians(judgeImported), Answer: check.Reports}

func judgeImported(c *run.Campaign, data *medians.Set) (*run.Found, error) {
	found, err := judgeCheck(c, data)
	if err != nil || !slices.ContainsFunc(c.Manifest.Plan.Cases, func(k guidelines.Case) bool { return mockups.Algorithm(k.Function) != "" }) {
		return found, err
	}
	e, err := explore.Explore(c.Manifest, data, c.Config.Analyze)
	if err == nil {
		found.Document.Add(report.OwnAlgorithms(e))
	}
	return found, err
}

// Beside shows jobs beside each other; it is nil for one that is alone.
func Beside(jobs []Job) *document.Document {
	var sides []*analyze.Side
	var worst error
	for _, j := range jobs {
		if j.Found == nil {
			return nil
		}
		sides, worst = append(sides, j.Found.Judgement.Side(j.Path)), cmp.Or(worst, j.Found.Exit)
	}
	d := checks.Matrices.Document(series.NewMatrix(sides))
	d.Exit = cmp.Or(worst, d.Exit)
	return d
}

// Job is what one batch job of another program has become. Found is nil where it is alone.
type Job struct {
	Path  string
	Found *run.Found
}

// Import writes results folders from files and folders of other programs: into o.Path a job that is alone, and each of
// several, which it judges, below. It returns them in the order of the files, and what was left out.
func Import(paths []string, from string, config *glfile.File, o run.Options) (made []Job, leftOut []string, err error) {
	if !results.IsFresh(o.Path) {
		return nil, nil, fail.Setupf("the folder %s is not empty: name a new one with --out", o.Path)
	}
	given := imported.Given{From: from}
	if shapes := config.Job.On(config.Job.NP); len(shapes) == 1 {
		given.Shape = shapes[0]
	} else if len(shapes) > 1 {
		return nil, nil, fail.Setupf("files of other programs are of one --np or --shape at a time")
	}
	var taken sync.Map
	made, leftOut, err = imported.Each(paths, given, func(j *imported.Job, alone bool) (made Job, err error) {
		m, err := j.Manifest(config.Check, config.Guideline)
		if err != nil {
			return made, err
		}
		m.Version, m.Command, m.TOML = o.Version, o.Line, config.Source
		if m.Config, err = json.Marshal(config); err != nil {
			return made, err
		}
		made.Path = filepath.Join(o.Path, j.Name())
		for n, name := 2, made.Path; ; n++ {
			if _, known := taken.LoadOrStore(made.Path, true); !known {
				break
			}
			made.Path = fmt.Sprintf("%s-%d", name, n)
		}
		if alone {
			made.Path = o.Path
		}
		folder, err := results.Create(made.Path)
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
		own := *config
		c := run.Read(Imported, folder, m, &own)
		if err := c.Ready(); err != nil {
			return made, err
		}
		if made.Found, err = judgeImported(c, data); err != nil {
			return made, err
		}
		return made, reading.Keep(folder, made.Found.Document, nil)
	})
	if err == nil && len(made) == 0 {
		err = fail.AsSetup(errors.Join(lists.Map(leftOut, func(text string) error { return errors.New(text) })...))
	}
	return made, leftOut, err
}
