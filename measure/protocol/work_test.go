package protocol

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"pgmpi/testkit/must"
	"pgmpi/testkit/should"
)

type (
	weighing struct {
		Grams int `json:"grams"`
	}
	weight struct {
		Grams float64 `json:"grams"`
	}
)

var scale = &Work[weighing, weight]{Name: "scale", Check: func(w *weight) error {
	if w.Grams < 0 {
		return errors.New("nothing weighs less than nothing")
	}
	return nil
}}

func TestWhatAWorkIsAskedForArrives(t *testing.T) {
	asked := must.Get(scale.Ask(weighing{Grams: 7}))(t)
	job := &Job{NP: 1, Work: asked, CallsJob: &CallsJob{Cases: []JobCase{{}}}}
	lines := must.Get(EncodeJob(job))(t)
	got := must.Get(ReadJob(bufio.NewReader(strings.NewReader(lines[0]+"\n")), func(int) {}))(t)
	should.Equal(t, got.Work.Work, "scale")
	should.Equal(t, *must.Get(scale.Job(got.Work))(t), weighing{Grams: 7})
	_, err := scale.Job(&Asked{Work: "scale", Job: json.RawMessage(`[]`)})
	should.Fail(t, err, `the job of "scale"`)
}

func TestAnswersOfAWorkAreThoseThatItsJobAsksFor(t *testing.T) {
	asked := must.Get(scale.Ask(weighing{}))(t)
	found := must.Get(scale.Answer(&weight{Grams: 1.5}))(t)
	for says, c := range map[string]struct {
		asked  *Asked
		answer *Answer
	}{
		"":                                 {asked, found},
		"nothing was asked for":            {nil, found},
		"nothing weighs less than nothing": {asked, must.Get(scale.Answer(&weight{Grams: -1}))(t)},
		`"scale" was asked for`:            {asked, &Answer{Work: "ruler", Found: found.Found}},
		`the answer of "scale"`:            {asked, &Answer{Work: "scale", Found: json.RawMessage(`{"grams":"much"}`)}},
	} {
		var text bytes.Buffer
		NewOutputWriter(&text).Case(CaseResult{Status: StatusOK, Answer: c.answer}, nil, 0)
		r := NewOutputReader(&Job{NP: 1, Work: c.asked, CallsJob: &CallsJob{Cases: []JobCase{{}}}})
		_, err := r.Add(bytes.TrimSpace(text.Bytes()))
		if says != "" {
			should.Fail(t, err, says)
			continue
		}
		must.Do(t, err)
		should.Equal(t, must.Get(scale.Found(r.Output().Cases[0].Answer))(t).Grams, 1.5)
	}
}
