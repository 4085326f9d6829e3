package run

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"pgmpi/guidelines"
	"pgmpi/internal/conf"
	"pgmpi/internal/document"
	"pgmpi/internal/fail"
	"pgmpi/internal/reading"
	"pgmpi/measure/batch"
	"pgmpi/measure/protocol"
	"pgmpi/measure/results"
)

// Status is how far the check of a results folder is.
type Status struct {
	Folder   string        `json:"folder"`
	Stages   []StageStatus `json:"stages"` // none: nothing has been measured yet
	Done     int           `json:"done"`   // mpiruns of all stages
	Planned  int           `json:"planned"`
	LeftS    float64       `json:"left_s"`   // what the missing ones take, as long as their last one each; seconds
	Reported bool          `json:"reported"` // the check has ended with a report
	Job      *JobStatus    `json:"job,omitempty"`
}

// StageStatus is how far a stage is in one shape.
type StageStatus struct {
	Stage   protocol.Mode `json:"stage"`
	Shape   string        `json:"shape"`
	Done    int           `json:"done"`
	Planned int           `json:"planned"`
	LastS   float64       `json:"last_s,omitempty"` // wall-clock of the last mpirun, seconds
}

// JobStatus is the state of the folder's batch job.
type JobStatus struct {
	Scheduler string `json:"scheduler"`
	ID        string `json:"id"`
	Submitted string `json:"submitted"`
	State     string `json:"state,omitempty"` // in the words of the scheduler; "": it no longer knows the job
	Nodes     string `json:"nodes,omitempty"`
	Why       string `json:"why,omitempty"`     // it waits
	Left      string `json:"left,omitempty"`    // of its time limit
	Unknown   string `json:"unknown,omitempty"` // why the state is
}

// StatusOf looks at a results folder, which may not have a manifest yet.
func StatusOf(path string) (*Status, error) {
	s := &Status{Folder: path}
	job, err := readJob(path)
	if err != nil {
		return nil, err
	}
	folder, m, err := reading.OpenResults(path)
	switch {
	case err == nil:
		if err := s.count(folder, m); err != nil {
			return nil, err
		}
	case job == nil || !results.IsFresh(path): // a job that waits has written nothing
		return nil, err
	}
	if job != nil {
		s.Job = job.status()
	}
	return s, nil
}

func (r *jobRecord) status() *JobStatus {
	j := &JobStatus{Scheduler: r.Scheduler, ID: r.Job, Submitted: r.Submitted}
	state, err := batch.StateOf(r.Job)
	if err != nil {
		j.Unknown = err.Error()
		return j
	}
	j.State, j.Nodes, j.Why, j.Left = state.Word, state.Nodes, state.Why, state.Left
	return j
}

// count fills in the mpiruns.
func (s *Status) count(folder *results.Folder, m *results.Manifest) error {
	config, err := reading.ConfigOf(m)
	if err != nil {
		return err
	}
	c := Campaign{Config: config, Manifest: m}
	name, explore := "report.json", 0
	if m.Exploration {
		name, explore = "explore.json", m.Runs(protocol.ModeExplore)
	}
	_, err = os.Stat(filepath.Join(folder.Path, name))
	s.Reported = err == nil
	if m.Exploration && m.Explore == nil && !s.Reported {
		explore = testingRuns(m, config)
	}
	for _, stage := range []struct {
		mode protocol.Mode
		runs int
	}{{protocol.ModeNREP, c.predictions()}, {protocol.ModeMeasure, m.Runs(protocol.ModeMeasure)},
		{protocol.ModeSplit, m.Runs(protocol.ModeSplit)}, {protocol.ModeExplore, explore}} {
		for _, shape := range m.Plan.Shapes {
			if stage.runs == 0 {
				continue
			}
			x, err := stageStatus(folder, m, stage.mode, shape, stage.runs)
			if err != nil {
				return err
			}
			s.Stages = append(s.Stages, *x)
			s.Done += x.Done
			s.Planned += x.Planned
		}
	}
	last := map[string]float64{} // by shape, of the stage before
	for _, x := range s.Stages {
		if x.LastS > 0 {
			last[x.Shape] = x.LastS
		}
		s.LeftS += float64(max(0, x.Planned-x.Done)) * last[x.Shape]
	}
	return nil
}

func stageStatus(folder *results.Folder, m *results.Manifest, mode protocol.Mode, shape guidelines.Shape, planned int) (*StageStatus, error) {
	runs, err := folder.Finished(mode, shape)
	if err != nil {
		return nil, fail.AsSetup(err)
	}
	x := &StageStatus{Stage: mode, Shape: shape.String(), Done: len(runs), Planned: planned}
	if len(runs) == 0 {
		return x, nil
	}
	r, err := folder.ReadRun(mode, shape, runs[len(runs)-1], &m.Plan)
	if err != nil {
		return nil, &fail.Failed{Err: err}
	}
	x.Planned -= max(0, r.Predictions-1)
	x.LastS = time.Duration(r.WallNS).Seconds()
	return x, nil
}

// Statuses are the documents of `pgmpi status`.
var Statuses = document.Kind[Status]{Name: "status", JSON: true, Sections: func(s *Status) []document.Section {
	head := document.Titled("%s", strings.Join(append(s.measured(), s.Job.words()...), "; "))
	switch {
	case s.Reported:
		head.Say("The report is there: pgmpi analyze %s", conf.Quote(s.Folder))
	case s.LeftS > 0:
		head.Say("About %s of measuring left at most; mpiruns after an interim look take less, or are not needed.", Rounded(inSeconds(s.LeftS)))
	}
	if len(s.Stages) == 0 {
		return []document.Section{head}
	}
	head.Table = &document.Table{Head: []string{"stage", "shape", "done", "planned", "the last took"}, Align: "llrrr"}
	for _, x := range s.Stages {
		took := ""
		if x.LastS > 0 {
			took = Rounded(inSeconds(x.LastS))
		}
		head.Table.Add(stageNames[x.Stage], x.Shape, conf.Plural(x.Done, "mpirun"), conf.Plural(x.Planned, "mpirun"), took)
	}
	return []document.Section{head}
}}

var stageNames = map[protocol.Mode]string{
	protocol.ModeNREP: "1, predict", protocol.ModeMeasure: "2, measure", protocol.ModeSplit: "split experiment",
	protocol.ModeExplore: "test of candidates",
}

func (s *Status) measured() []string {
	switch {
	case s.Reported:
		return []string{"finished, with " + conf.Plural(s.Done, "mpirun")}
	case len(s.Stages) == 0:
		return []string{"nothing has been measured yet"}
	}
	return []string{fmt.Sprintf("%d of at most %s done", s.Done, conf.Plural(s.Planned, "mpirun"))}
}

// words say what the job does.
func (j *JobStatus) words() []string {
	if j == nil {
		return nil
	}
	text := "job " + j.ID
	switch {
	case j.Unknown != "":
		text += ": state unknown (" + j.Unknown + ")"
	case j.State == "":
		text += " is no longer in the queue"
	default:
		text += " is " + j.State
		if j.Nodes != "" {
			text += " on " + j.Nodes
		}
		if j.Why != "" {
			text += " (" + j.Why + ")"
		}
		if j.Left != "" {
			text += ", " + j.Left + " of its time limit left"
		}
	}
	return []string{text}
}
