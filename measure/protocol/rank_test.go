package protocol

import (
	"bytes"
	"slices"
	"strings"
	"testing"
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
		if _, err := r.Add(bytes.TrimSuffix(line, []byte("\n"))); err != nil {
			t.Fatal(err)
		}
	}
	if got := r.Output().Ranks[0]; len(got) != 2 || !slices.Equal(got[0], []int64{7}) || !slices.Equal(got[1], want) {
		t.Errorf("%d and %d durations", len(got[0]), len(got[1]))
	}
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
		if _, err := r.Add([]byte(line)); (err == nil) != ok {
			t.Errorf("%s: %v", line, err)
		}
	}
	r := NewOutputReader(&Job{NP: 2, CallsJob: &CallsJob{Measure: &MeasureJob{}, Cases: []JobCase{{NRep: 2}}}})
	if _, err := r.Add([]byte("rank 0 1 0 5")); err == nil || !strings.Contains(err.Error(), "does not ask") {
		t.Errorf("nobody asked: %v", err)
	}
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
	if got := r.Output().Counts[0]; err != nil || len(got) != 2 || !slices.Equal(got[0], []int64{385, 0}) || !slices.Equal(got[1], []int64{1, 2}) {
		t.Errorf("%v, %v", got, err)
	}
	for line, j := range map[string]MeasureJob{
		"count 0 2 0 5":  two, // counters 0 and 1
		"count 0 0 0 -5": two,
		"count 1 0 0 5":  two,
		"count 0 0 0 5":  {PerRank: true}, // nobody asked
	} {
		if _, err := read(j, line); err == nil {
			t.Errorf("%s: taken", line)
		}
	}
}
