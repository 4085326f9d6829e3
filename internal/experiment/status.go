package experiment

import (
	"path/filepath"
	"time"

	"pgmpi/analyze/report"
	"pgmpi/guidelines"
	"pgmpi/internal/conf"
	"pgmpi/internal/document"
	"pgmpi/internal/experiment/run"
	"pgmpi/internal/fail"
	"pgmpi/internal/reading"
	"pgmpi/measure/batch"
	"pgmpi/measure/results"
)

// StatusOf looks at a results folder, which may not have a manifest yet.
func StatusOf(path string) (*report.Status, error) {
	s := &report.Status{Folder: path}
	job, err := readJob(path)
	if err != nil {
		return nil, err
	}
	parts, _ := filepath.Glob(filepath.Join(path, results.Proofs+"*", "*", "manifest.json"))
	sides, _ := filepath.Glob(filepath.Join(path, results.Proofs+"*", "*", "*", "manifest.json"))
	if parts = append(parts, sides...); len(parts) > 0 {
		return s, countParts(s, path, parts)
	}
	folder, m, err := reading.Open(path)
	switch {
	case err == nil:
		if err := count(s, folder, m); err != nil {
			return nil, err
		}
	case !results.IsFresh(path): // a job that waits has written nothing
		return nil, err
	case job == nil:
		if reading.Has(path, results.BatchScript) {
			err = fail.Setupf("%s has a job that is written and that pgmpi has not submitted: submit %s, with sbatch under Slurm, or run pgmpi submit with --go",
				path, conf.Quote(filepath.Join(path, results.BatchScript)))
		}
		return nil, err
	}
	if job != nil {
		s.Job = job.status()
	}
	return s, nil
}

// countParts fills in the mpiruns of the folders that a remedy consists of.
func countParts(s *report.Status, path string, manifests []string) error {
	for _, manifest := range manifests {
		part := filepath.Dir(manifest)
		folder, m, err := reading.Open(part)
		if err != nil {
			return err
		}
		before := len(s.Stages)
		if err := count(s, folder, m); err != nil {
			return err
		}
		name, _ := filepath.Rel(path, part)
		for i := range s.Stages[before:] {
			s.Stages[before+i].Name = filepath.ToSlash(name) + ": " + s.Stages[before+i].Name
		}
	}
	readme := filepath.Join(path, report.ReadmeFile)
	s.Shown, s.Reported = "cat "+conf.Quote(readme), reading.Has(path, report.ReadmeFile)
	return nil
}

func (r *jobRecord) status() *report.JobStatus {
	j := &report.JobStatus{Scheduler: r.Scheduler, ID: r.Job, Submitted: r.Submitted}
	state, err := batch.StateOf(r.Job)
	if err != nil {
		j.Unknown = err.Error()
		return j
	}
	j.State, j.Nodes, j.Why, j.Left = state.Word, state.Nodes, state.Why, state.Left
	return j
}

func count(s *report.Status, folder *results.Folder, m *results.Manifest) error {
	config, err := reading.ConfigOf(m)
	if err != nil {
		return err
	}
	x := of(m.Kind)
	if x == nil {
		return fail.Setupf("%s is a folder of %s, which this version of pgmpi lacks", folder.Path, m.Kind.Command())
	}
	s.Shown, s.Reported = m.Kind.Shown(conf.Quote(folder.Path)), reading.Has(folder.Path, x.Answer.FileIn(document.JSON))
	last := map[guidelines.Shape]float64{} // of the stage before
	for _, stage := range x.Stages {
		runs := stage.Runs(m, config)
		if n, ended := m.Stopped[stage.Mode]; ended {
			runs = min(runs, n)
		}
		if stage.Plan != nil && s.Reported {
			runs = m.Runs(stage.Mode)
		}
		for _, shape := range m.Plan.Shapes {
			if runs == 0 {
				continue
			}
			x, err := stageStatus(folder, m, stage, shape, runs)
			if err != nil {
				return err
			}
			s.Stages = append(s.Stages, *x)
			s.Done += x.Done
			s.Planned += x.Planned
			if x.LastS > 0 {
				last[shape] = x.LastS
			}
			s.LeftS += float64(max(0, x.Planned-x.Done)) * last[shape]
		}
	}
	return nil
}

func stageStatus(folder *results.Folder, m *results.Manifest, stage run.Stage, shape guidelines.Shape, planned int) (*report.StageStatus, error) {
	runs, err := folder.Finished(stage.Mode, shape)
	if err != nil {
		return nil, fail.AsSetup(err)
	}
	x := &report.StageStatus{Stage: stage.Mode, Name: stage.Name, Shape: shape.String(), Done: len(runs), Planned: planned}
	if len(runs) == 0 {
		return x, nil
	}
	r, err := folder.ReadRun(stage.Mode, shape, runs[len(runs)-1], &m.Plan)
	if err != nil {
		return nil, &fail.Failed{Err: err}
	}
	x.Planned -= max(0, r.Predictions-1)
	x.LastS = time.Duration(r.WallNS).Seconds()
	return x, nil
}
