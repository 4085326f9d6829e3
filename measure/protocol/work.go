package protocol

import (
	"encoding/json"
	"fmt"
)

// Work is a kind of work of the ranks: its name, and the types of its job and its answer. The driver's
// side and the ranks share one value; all between them pass both on as JSON.
type Work[Job, Answer any] struct {
	Name  string              // in the job; of work on cases also their mode, and the key of the answer in raw files
	Check func(*Answer) error // refuses impossible answers
}

// Asked is the part of a job that asks for a kind of work.
type Asked struct {
	Work  string              `json:"work"`
	Job   json.RawMessage     `json:"job"`
	check func(*Answer) error // set where it was asked for, not at the ranks
}

// Answer is the result of a kind of work: about a case, or at the end of an mpirun without cases.
type Answer struct {
	Work  string          `json:"work"`
	Found json.RawMessage `json:"found"`
}

func (w *Work[J, A]) Ask(job J) (*Asked, error) {
	text, err := json.Marshal(job)
	return &Asked{Work: w.Name, Job: text, check: func(a *Answer) error {
		_, err := w.Found(a)
		return err
	}}, err
}

// Job decodes the job that is asked for.
func (w *Work[J, A]) Job(asked *Asked) (*J, error) {
	job := new(J)
	if err := json.Unmarshal(asked.Job, job); err != nil {
		return nil, fmt.Errorf("the job of %q: %w", w.Name, err)
	}
	return job, nil
}

func (w *Work[J, A]) Answer(found *A) (*Answer, error) {
	text, err := json.Marshal(found)
	return &Answer{Work: w.Name, Found: text}, err
}

// Found reads an answer, and checks it.
func (w *Work[J, A]) Found(a *Answer) (*A, error) {
	if a.Work != w.Name {
		return nil, fmt.Errorf("an answer of %.40q, and %q was asked for", a.Work, w.Name)
	}
	found := new(A)
	if err := json.Unmarshal(a.Found, found); err != nil {
		return nil, fmt.Errorf("the answer of %q: %w", w.Name, err)
	}
	return found, w.Check(found)
}
