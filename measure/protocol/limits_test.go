package protocol

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"pgmpi/nrep"
	"pgmpi/testkit/should"
)

// Rank 0 cannot make the driver take in more than the job asked for, nor numbers
// that cannot be.
func TestMoreThanTheJobAskedForIsRefused(t *testing.T) {
	job := &Job{NP: 2, CallsJob: &CallsJob{Cases: []JobCase{{NRep: 3}, {NRep: 3}}}}
	const first = `case {"case":0,"status":"ok","nrep":2}`
	for says, lines := range map[string][]string{
		"more than the 2 cases":                {first, `case {"case":1,"status":"ok"}`, `case {"case":2,"status":"ok"}`},
		"case 2 of a job with 2":               {`case {"case":2,"status":"ok"}`},
		"case 0 a second time":                 {first, first},
		"can have at most 6":                   {`case {"case":0,"status":"ok","nrep":7}`},
		"announces -1 samples":                 {`case {"case":0,"status":"ok","nrep":-1}`},
		`the status "fine"`:                    {`case {"case":0,"status":"fine"}`},
		"a message of more than":               {`case {"case":0,"status":"wrong","message":"` + strings.Repeat("x", maxMessage+1) + `"}`},
		"a negative time":                      {`case {"case":0,"status":"ok","window_ns":-1}`},
		"case 1, which has not been announced": {first, "samples 1 0 5"},
		"samples of case -1":                   {first, "samples -1 0 5"},
		"more than the 2 samples":              {first, "samples 0 0 5 5 5"},
		"more than there are methods":          {`sync {"method":"hca3"}`},
		"more nodes than the 2 ranks":          {`nodes {"kinds":[{},{},{}]}`},
		"memory_cap is -1":                     {`end {"crc":"00000000","calls":{"memory_cap":-1}}`},
		"drift_ns is -1":                       {`end {"crc":"00000000","calls":{"timing":{"drift_ns":-1}}}`},
		"negative reading of the yardstick":    {`end {"crc":"00000000","calls":{"yardstick":[{"memcpy_ns":-1}]}}`},
		"another kind of job":                  {`end {"crc":"00000000"}`},
		"repetition 1: a call took 0 ns: the":  {first, "samples 0 0 5 0"},
	} {
		r, err := NewOutputReader(job), error(nil)
		for i := 0; i < len(lines) && err == nil; i++ {
			_, err = r.Add([]byte(lines[i]))
		}
		should.Hold(t, err != nil && strings.Contains(err.Error(), says), "%s: %v", says, err)
	}
}

func TestPredictionsAreLimitedByThePredictor(t *testing.T) {
	r := NewOutputReader(&Job{CallsJob: &CallsJob{Cases: []JobCase{{}}, Predict: &PredictJob{NREP: nrep.Config{Max: 10}}}})
	_, err := r.Add([]byte(`case {"case":0,"status":"ok","nrep":21}`))
	should.Hold(t, err != nil, "21 samples of at most 20 were taken")
}

func TestOnlyALateSampleMayHaveTakenNoTime(t *testing.T) {
	r := NewOutputReader(&Job{CallsJob: &CallsJob{Cases: []JobCase{{NRep: 2}}}})
	for _, line := range []string{`case {"case":0,"status":"ok","nrep":2}`, fmt.Sprintf("samples 0 0 0:%d", FlagLate)} {
		_, err := r.Add([]byte(line))
		should.Do(t, err, "%s", line)
	}
	_, err := r.Add([]byte("samples 0 1 0"))
	should.Hold(t, errors.Is(err, ErrNoTime), "got %v", err)
}
