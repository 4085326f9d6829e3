package protocol

import (
	"bytes"
	"slices"
	"strings"
	"testing"

	"pgmpi/testkit/must"
	"pgmpi/testkit/should"
)

func TestDurationsOfRanksComeBackByRank(t *testing.T) {
	job := &Job{NP: 2, CallsJob: &CallsJob{Measure: &MeasureJob{PerRank: true}, Cases: []JobCase{{NRep: 2000}}}}
	want := make([]int64, 1300)
	for i := range want {
		want[i] = int64(i)
	}
	var text bytes.Buffer
	w := NewOutputWriter(&text)
	w.Rank(0, 0, 0, []int64{7})
	w.Rank(0, 1, 0, want[:5])
	w.Rank(0, 1, 5, want[5:])
	r := NewOutputReader(job)
	for line := range bytes.Lines(text.Bytes()) {
		must.Get(r.Add(bytes.TrimSuffix(line, []byte("\n"))))(t)
	}
	got := r.Output().Ranks[0]
	should.Hold(t, len(got) == 2 && slices.Equal(got[0], []int64{7}) && slices.Equal(got[1], want), "%d and %d durations", len(got[0]), len(got[1]))
}

func TestDurationsThatTheJobCannotBringAreRefused(t *testing.T) {
	for line, ok := range map[string]bool{
		"rank 0 1 0 5 6":       true,
		"rank 0 1 0 5 6 7":     true,
		"rank 0 1 1 5":         false, // repetition 0 is missing
		"rank 0 2 0 5":         false, // ranks 0 and 1
		"rank 0 -1 0 5":        false,
		"rank 1 0 0 5":         false, // case 0 only
		"rank 0 0 0":           false,
		"rank 0 0 x 5":         false,
		"rank 0 0 0 -5":        false,
		"rank 0 0 0 1 2 3 4 5": false, // at most twice two
	} {
		r := NewOutputReader(&Job{NP: 2, CallsJob: &CallsJob{Measure: &MeasureJob{PerRank: true}, Cases: []JobCase{{NRep: 2}}}})
		_, err := r.Add([]byte(line))
		should.Hold(t, (err == nil) == ok, "%s: %v", line, err)
	}
	r := NewOutputReader(&Job{NP: 2, CallsJob: &CallsJob{Measure: &MeasureJob{}, Cases: []JobCase{{NRep: 2}}}})
	_, err := r.Add([]byte("rank 0 1 0 5"))
	should.Fail(t, err, "does not ask", "nobody asked")
}

func TestCountsComeBackByCounter(t *testing.T) {
	read := func(j MeasureJob, lines ...string) (*OutputReader, error) {
		r := NewOutputReader(&Job{NP: 1, CallsJob: &CallsJob{Measure: &j, Cases: []JobCase{{NRep: 2}}}})
		for _, line := range lines {
			if _, err := r.Add([]byte(line)); err != nil {
				return r, err
			}
		}
		return r, nil
	}
	var text bytes.Buffer
	w := NewOutputWriter(&text)
	w.Count(0, 0, []int64{385, 0})
	w.Count(0, 1, []int64{1, 2})
	two := MeasureJob{Counters: []string{"page-faults", "cycles"}}
	r, err := read(two, strings.Split(strings.TrimSpace(text.String()), "\n")...)
	got := r.Output().Counts[0]
	should.Hold(t, err == nil && len(got) == 2 && slices.Equal(got[0], []int64{385, 0}) && slices.Equal(got[1], []int64{1, 2}), "%v, %v", got, err)
	for line, j := range map[string]MeasureJob{
		"count 0 2 0 5":  two, // counters 0 and 1
		"count 0 0 0 -5": two,
		"count 1 0 0 5":  two,
		"count 0 0 0 5":  {PerRank: true}, // nobody asked
	} {
		_, err := read(j, line)
		should.Hold(t, err != nil, "%s: taken", line)
	}
}
