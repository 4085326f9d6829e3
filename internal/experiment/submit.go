package experiment

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"syscall"
	"time"

	"pgmpi/analyze/report"
	"pgmpi/guidelines"
	"pgmpi/internal/conf"
	"pgmpi/internal/conf/glfile"
	"pgmpi/internal/document"
	"pgmpi/internal/experiment/run"
	"pgmpi/internal/fail"
	"pgmpi/internal/phrase"
	"pgmpi/internal/reading"
	"pgmpi/internal/regular"
	"pgmpi/measure/batch"
	"pgmpi/measure/results"
)

type Submission struct {
	*batch.Request
	Folder   string
	Estimate time.Duration // from which the time limit comes; 0 if from batch.time
}

// leastTime makes up for an estimate that is too low: it knows neither networks nor the start of a
// large job.
const leastTime = 15 * time.Minute

// NewSubmission plans a job into a folder. argv is the command line that begins it and goes on with
// it; takes estimates its time. It writes nothing.
func NewSubmission(config *glfile.File, path string, argv []string, takes func() (time.Duration, error)) (*Submission, error) {
	if len(config.Job.NP)+len(config.Job.Shapes) == 0 {
		return nil, fail.Setupf("how many processes? Give job.np or job.shapes in gl.toml, or -- --np: the cores of this machine say nothing of the job's")
	}
	dir, err := os.Getwd()
	if err != nil {
		return nil, err
	}
	folder, err := filepath.Abs(path)
	if err != nil {
		return nil, err
	}
	s := &Submission{Folder: path, Request: &batch.Request{Config: config.Batch, Dir: dir, Command: argv,
		Nodes: config.Batch.Nodes, Path: filepath.Join(folder, results.BatchScript), Log: filepath.Join(folder, results.BatchLog)}}
	plan, err := config.Plan(config.Job.NP)
	if err != nil {
		return nil, fail.AsSetup(err)
	}
	for _, shape := range plan.Shapes {
		s.NP, s.PPN = max(s.NP, shape.NP), max(s.PPN, shape.PPN)
		s.Nodes = max(s.Nodes, shape.Nodes)
	}
	s.Time = time.Duration(config.Batch.Time)
	if s.Time == 0 {
		if s.Estimate, err = takes(); err != nil {
			return nil, err
		}
		s.Time = max(leastTime, 2*s.Estimate)
	}
	s.Time = (s.Time + time.Minute - 1).Truncate(time.Minute)
	return s, nil
}

// Takes estimates the time of a whole experiment.
func Takes(x *run.Experiment, config *glfile.File, path, version string) (time.Duration, error) {
	planned := *config
	c, err := run.New(context.Background(), x, &planned, run.Options{Path: path, Version: version, Dry: true, NoLauncher: true})
	if err != nil {
		return 0, fail.AsSetup(fail.Also(err, "batch.time, the time limit of the job, makes this estimate unnecessary"))
	}
	p, err := c.Estimate()
	if err != nil {
		return 0, err
	}
	return p.Total, c.Refusal()
}

func (s *Submission) Size() string {
	text := fmt.Sprintf("%d process%s", s.NP, phrase.When(s.NP != 1, "es"))
	switch {
	case s.PPN > 0:
		text = fmt.Sprintf("%s × %d processes", conf.Plural(s.Nodes, "node"), s.PPN)
	case s.Nodes > 0:
		text += " on " + conf.Plural(s.Nodes, "node")
	}
	text += fmt.Sprintf(", at most %d min in one allocation", s.Minutes())
	if s.Estimate > 0 {
		text += fmt.Sprintf(" (estimate of the whole: %s)", phrase.Rounded(s.Estimate))
	}
	return text
}

func (s *Submission) Write() error {
	script, err := s.Script()
	if err == nil {
		err = os.MkdirAll(s.Folder, 0o777)
	}
	if err == nil {
		folder := results.Folder{Path: s.Folder}
		err = folder.WriteText(results.BatchScript, script)
	}
	return fail.AsSetup(err)
}

// Go submits the script and returns the job's id. It keeps Slurm's id in the folder, and refuses a
// second job while the first is in the queue.
func (s *Submission) Go() (job string, err error) {
	before, err := readJob(s.Folder)
	if err != nil {
		return "", err
	}
	if before != nil {
		if state, err := batch.StateOf(before.Job); err == nil && !state.Over() {
			return "", fail.Setupf("job %s is %s, and works on %s: wait for it, end it, or take another folder with --out", before.Job, state.Word, s.Folder)
		}
	}
	if job, err = s.Put(); err != nil {
		return "", fail.AsSetup(err)
	}
	if s.Template != "" {
		return job, nil
	}
	folder := results.Folder{Path: s.Folder}
	return job, folder.WriteJSON(results.BatchJob, &jobRecord{Schema: jobSchema, Scheduler: slurm, Job: job,
		Submitted: time.Now().UTC().Format(time.RFC3339)})
}

const (
	jobSchema = "pgmpi-batch/1"
	slurm     = "slurm"  // the only batch system that is asked about its jobs
	mostJob   = 64 << 10 // bytes of batch.json
)

type jobRecord struct {
	Schema    string `json:"schema"` // jobSchema
	Scheduler string `json:"scheduler"`
	Job       string `json:"job"`
	Submitted string `json:"submitted"` // RFC 3339, UTC
}

func readJob(folder string) (*jobRecord, error) {
	path := filepath.Join(folder, results.BatchJob)
	text, err := regular.Read(path, mostJob)
	switch {
	case errors.Is(err, fs.ErrNotExist), errors.Is(err, syscall.ENOTDIR): // a file is no results folder, as its reader says
		return nil, nil
	case err != nil:
		return nil, fail.AsSetup(err)
	}
	var r jobRecord
	switch err := json.Unmarshal(text, &r); {
	case err != nil:
		return nil, fail.Setupf("%s: %w; the file is damaged: move it away", path, err)
	case r.Schema != jobSchema || r.Scheduler != slurm:
		return nil, fail.Setupf("%s: schema %q and scheduler %q, and this pgmpi reads %q", path, r.Schema, r.Scheduler, jobSchema)
	case !batch.IsJob(r.Job):
		return nil, fail.Setupf("%s: no job is called %q; the file is damaged: move it away", path, r.Job)
	}
	return &r, nil
}

// StatusOf looks at a results folder of these kinds, which may lack a manifest.
func StatusOf(path string, kinds []*run.Experiment) (*report.Status, error) {
	s := &report.Status{Folder: path}
	job, err := readJob(path)
	if err != nil {
		return nil, err
	}
	parts, _ := filepath.Glob(filepath.Join(path, results.Proofs+"*", "*", "manifest.json"))
	sides, _ := filepath.Glob(filepath.Join(path, results.Proofs+"*", "*", "*", "manifest.json"))
	if parts = append(parts, sides...); len(parts) > 0 {
		return s, countParts(s, path, parts, kinds)
	}
	folder, m, err := reading.Open(path)
	switch {
	case err == nil:
		if err := count(s, folder, m, kinds); err != nil {
			return nil, err
		}
	case !results.IsFresh(path): // a waiting job has written nothing
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

func countParts(s *report.Status, path string, manifests []string, kinds []*run.Experiment) error {
	for _, manifest := range manifests {
		part := filepath.Dir(manifest)
		folder, m, err := reading.Open(part)
		if err != nil {
			return err
		}
		before := len(s.Stages)
		if err := count(s, folder, m, kinds); err != nil {
			return err
		}
		name, _ := filepath.Rel(path, part)
		for i := range s.Stages[before:] {
			s.Stages[before+i].Name = filepath.ToSlash(name) + ": " + s.Stages[before+i].Name
		}
	}
	readme := filepath.Join(path, results.Readme)
	s.Shown, s.Reported = "cat "+conf.Quote(readme), reading.Has(path, results.Readme)
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

func count(s *report.Status, folder *results.Folder, m *results.Manifest, kinds []*run.Experiment) error {
	config, err := reading.ConfigOf(m)
	if err != nil {
		return err
	}
	i := slices.IndexFunc(kinds, func(x *run.Experiment) bool { return x.Kind == m.Kind })
	if i < 0 {
		return fail.Setupf("%s is a folder of %s, which this version of pgmpi lacks", folder.Path, m.Kind.Command())
	}
	x := kinds[i]
	s.Shown = m.Kind.Shown(conf.Quote(folder.Path))
	if reading.Has(folder.Path, x.Answer.FileIn(document.JSON)) { // also of what was measured so far
		if s.Reported, err = finished(folder, m, x.Stages, config); err != nil {
			return err
		}
	}
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

// finished tells whether a folder needs no more mpiruns by its manifest.
func finished(folder *results.Folder, m *results.Manifest, stages []run.Stage, config *glfile.File) (bool, error) {
	switch {
	case slices.ContainsFunc(stages, func(s run.Stage) bool { return s.Plan != nil }): // the data tell what they need
		data, err := reading.Collect(folder, m, m.R)
		if err != nil {
			return false, &fail.Failed{Err: err}
		}
		unfinished, err := reading.Unfinished(folder, m, data)
		return !unfinished, err
	case len(stages) == 0: // it is imported
		return true, nil
	}
	last := stages[len(stages)-1]
	planned := last.Runs(m, config)
	if n, ended := m.Stopped[last.Mode]; ended {
		planned = min(planned, n)
	}
	for _, shape := range m.Plan.Shapes {
		if made, err := folder.Finished(last.Mode, shape); err != nil || len(made) < planned {
			return false, err
		}
	}
	return true, nil
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
