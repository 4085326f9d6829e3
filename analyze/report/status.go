package report

import (
	"fmt"
	"strings"

	"pgmpi/internal/conf"
	"pgmpi/internal/document"
	"pgmpi/internal/phrase"
	"pgmpi/measure/protocol"
)

type Status struct {
	Folder   string        `json:"folder"`
	Stages   []StageStatus `json:"stages"` // empty before anything is measured
	Done     int           `json:"done"`   // mpiruns of all stages
	Planned  int           `json:"planned"`
	LeftS    float64       `json:"left_s"`   // seconds of the missing ones, if each takes as long as their last one
	Reported bool          `json:"reported"` // it has ended with an answer
	Shown    string        `json:"-"`        // the command line that shows the folder
	Job      *JobStatus    `json:"job,omitempty"`
}

type StageStatus struct {
	Stage   protocol.Mode `json:"stage"`
	Name    string        `json:"-"`
	Shape   string        `json:"shape"`
	Done    int           `json:"done"`
	Planned int           `json:"planned"`
	LastS   float64       `json:"last_s,omitempty"` // wall-clock of the last mpirun, seconds
}

type JobStatus struct {
	Scheduler string `json:"scheduler"`
	ID        string `json:"id"`
	Submitted string `json:"submitted"`
	State     string `json:"state,omitempty"` // in the words of the scheduler, or "" if it no longer knows the job
	Nodes     string `json:"nodes,omitempty"`
	Why       string `json:"why,omitempty"`     // why it waits
	Left      string `json:"left,omitempty"`    // of its time limit
	Unknown   string `json:"unknown,omitempty"` // why the state is unknown
}

var Statuses = document.Kind[Status]{
	Name: "status",
	JSON: true,
	Sections: func(s *Status) []document.Section {
		head := document.Titled("%s", strings.Join(append(s.measured(), s.Job.words()...), "; "))
		switch {
		case s.Reported:
			head.Say("The report is there: %s", s.Shown)
		case s.LeftS > 0:
			head.Say("About %s of measuring left at most; mpiruns after an interim look take less, or are not needed.", phrase.Rounded(phrase.InSeconds(s.LeftS)))
		}
		if len(s.Stages) == 0 {
			return []document.Section{head}
		}
		head.Table = &document.Table{Head: []string{"stage", "on", "done", "planned", "the last took"}, Align: "llrrr"}
		for _, x := range s.Stages {
			took := phrase.When(x.LastS > 0, "%s", phrase.Rounded(phrase.InSeconds(x.LastS)))
			head.Table.Add(x.Name, x.Shape, conf.Plural(x.Done, "mpirun"), conf.Plural(x.Planned, "mpirun"), took)
		}
		return []document.Section{head}
	}}

func (s *Status) measured() []string {
	switch {
	case s.Reported:
		return []string{"finished, with " + conf.Plural(s.Done, "mpirun")}
	case len(s.Stages) == 0:
		return []string{"nothing has been measured yet"}
	}
	return []string{fmt.Sprintf("%d of at most %s done", s.Done, conf.Plural(s.Planned, "mpirun"))}
}

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
		text += " is " + j.State + phrase.When(j.Nodes != "", " on %s", j.Nodes) + phrase.When(j.Why != "", " (%s)", j.Why) +
			phrase.When(j.Left != "", ", %s of its time limit left", j.Left)
	}
	return []string{text}
}
