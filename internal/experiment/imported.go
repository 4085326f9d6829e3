package experiment

import (
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"pgmpi/analyze/report/check"
	"pgmpi/internal/conf/glfile"
	"pgmpi/internal/document"
	"pgmpi/internal/experiment/run"
	"pgmpi/internal/fail"
	"pgmpi/internal/reading"
	"pgmpi/measure/results"
	"pgmpi/measure/results/imported"
)

// Imported judges, as a check, what another program has measured.
var Imported = &run.Experiment{Kind: results.Imported, Plan: planTests, Stages: []run.Stage{run.Measure}, Begin: Check.Begin, Judge: judgeCheck, Answer: check.Reports}

// Import writes results folders from files and folders of other programs, one for each job: into out, or below it where
// there are several. It returns them in the order of the files, what was left out, and an error where nothing is left.
func Import(paths []string, given imported.Given, config *glfile.File, o run.Options) (folders, leftOut []string, err error) {
	if !results.IsFresh(o.Path) {
		return nil, nil, fail.Setupf("the folder %s is not empty: name a new one with --out", o.Path)
	}
	var first *imported.Job // stays until it is known to be the only one
	write := func(j *imported.Job, path string) error {
		for n := 2; slices.Contains(folders, path); n++ {
			path = filepath.Join(o.Path, fmt.Sprintf("%s-%d", j.Name(), n))
		}
		err := writeImported(j, path, config, o)
		if noTest := (*imported.NoTest)(nil); errors.As(err, &noTest) {
			leftOut = append(leftOut, err.Error())
			return nil
		}
		folders = append(folders, path)
		return err
	}
	damaged, err := imported.Each(paths, given, func(j *imported.Job) error {
		if first == nil && len(folders)+len(leftOut) == 0 {
			first = j
			return nil
		}
		if first != nil {
			if err := write(first, filepath.Join(o.Path, first.Name())); err != nil {
				return err
			}
			first = nil
		}
		return write(j, filepath.Join(o.Path, j.Name()))
	})
	if err == nil && first != nil {
		err = write(first, o.Path)
	}
	if err == nil && len(folders) == 0 {
		return nil, nil, fail.Setupf("%s", strings.Join(append(leftOut, damaged...), "\n"))
	}
	return folders, append(leftOut, damaged...), err
}

func writeImported(j *imported.Job, path string, config *glfile.File, o run.Options) error {
	m, err := j.Manifest(config.Check, config.Guideline)
	if err != nil {
		return err
	}
	m.Version, m.Command, m.Created, m.TOML = o.Version, o.Line, time.Now().UTC().Format(time.RFC3339), config.Source
	if m.Config, err = json.Marshal(config); err != nil {
		return err
	}
	folder, err := results.Create(path)
	if err != nil {
		return fail.AsSetup(err)
	}
	defer folder.Close()
	for i := range m.R {
		if err := folder.WriteRun(j.Run(i, m)); err != nil {
			return err
		}
	}
	return folder.WriteManifest(m)
}

// JudgeImported judges such a folder with a configuration, and stores its report there in some formats.
func JudgeImported(path string, load func(*results.Manifest) (*glfile.File, error), formats []document.Format) (*document.Document, error) {
	folder, m, err := reading.Open(path, results.Imported)
	if err != nil {
		return nil, err
	}
	config, err := load(m)
	if err != nil {
		return nil, err
	}
	c := run.Read(Imported, folder, m, config)
	if err := c.Ready(); err != nil {
		return nil, err
	}
	found, err := c.Judge(c)
	if err != nil {
		return nil, err
	}
	return found.Document, reading.Keep(folder, found.Document, formats)
}
