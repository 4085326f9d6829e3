package protocol

import (
	"testing"

	"pgmpi/testkit/must"
	"pgmpi/testkit/should"
)

// What a rank prints besides may begin with the word of a record, and has not its form.
func TestALineOfRank0IsKnownByItsForm(t *testing.T) {
	for line, want := range map[string]bool{
		LineHello: true, LineHello + " anything": true, LineAck: true, "": false, "hullo": false,
		LineCase + " {}": true, LineEnd + ` {"a": 1}`: true, LineCase: false, LineCase + " ": false, LineCase + " {": false,
		LineCase + " 1": false, LineCase + " []": false, LineNodes + " {}": true, LineSync + " {}": true,
		LineExit + " {}": true, LineSoFar + " {}": true,
		LineSamples + " 0 1": true, LineSamples + " 0": false, LineSamples + " 0 x": false, LineRank + " 0 1 -2:3 4": true,
		LineCount + " 0 1": true, LineProgress + " 1 2 x": true, LineProgress + " 1 2": false, LineProgress + " x": false,
		LineFirst: true, LineFirst + " MPI_Bcast at 8": true, LineFirst + " " + MockupFault + " x": true, LineFirst + " come": false,
	} {
		should.Equal(t, FromRank0([]byte(line)), want, "%q", line)
		if err := Malformed([]byte(line)); line != LineHello && line != LineHello+" anything" && line != LineAck {
			should.Equal(t, err == nil, want, "%q: %v", line, err)
		}
	}
	should.Fail(t, Malformed([]byte("case 1")), `unexpected line "case 1"`)
	for _, word := range []string{LineProgress, LineFirst, LineCase, LineSamples, LineRank, LineCount, LineNodes, LineSync, LineExit, LineSoFar, LineEnd} {
		should.Hold(t, IsOutput([]byte(word+" x")) && !IsOutput([]byte("x"+word)), "%s", word)
	}
}

func TestRidersAreJobsOfTheSameRanks(t *testing.T) {
	rider := func(seed uint64) *CallsJob { return &CallsJob{Measure: &MeasureJob{}, Seed: seed} }
	j := &Job{NP: 4, Place: "2x2", Nodes: 2, StallNS: 5, CallsJob: rider(1), Riders: []*CallsJob{rider(2), rider(3)}}
	must.Do(t, j.check())
	all := j.Each()
	must.Hold(t, len(all) == 3 && len(j.Riders) == 2, "%d jobs", len(all))
	for i, one := range all {
		should.Equal(t, *one, Job{NP: 4, Place: "2x2", Nodes: 2, StallNS: 5, CallsJob: rider(uint64(i + 1))})
	}
	for name, wrong := range map[string]*Job{
		"after clocks":   {Clocks: &ClocksJob{}, Riders: j.Riders},
		"none":           {CallsJob: rider(1), Riders: []*CallsJob{nil}},
		"not measured":   {CallsJob: rider(1), Riders: []*CallsJob{{}}},
		"predicted, too": {CallsJob: rider(1), Riders: []*CallsJob{{Measure: &MeasureJob{}, Predict: &PredictJob{}}}},
		"counted, too":   {CallsJob: rider(1), Riders: []*CallsJob{{Measure: &MeasureJob{}, Messages: &MessagesJob{}}}},
		"of no measure":  {CallsJob: rider(1), Riders: []*CallsJob{{Predict: &PredictJob{}}}},
	} {
		should.Fail(t, wrong.check(), "riders must come after calls", name)
	}
}

func TestModesAreOfStagesOfFollowUpsOrOfOtherWork(t *testing.T) {
	for mode, want := range map[Mode][2]bool{ModeNREP: {false, false}, ModeMeasure: {false, false}, ModeSplit: {true, false}, "overlap": {false, true}} {
		should.Equal(t, [2]bool{mode.FollowsUp(), mode.OfWork()}, want, "%s", mode)
	}
}

func TestAlgorithmsAreUnknownWhereAVariableHasNoNames(t *testing.T) {
	names := []Algorithm{{Name: "a"}}
	for _, c := range []struct {
		of   Algorithms
		want bool
	}{{Algorithms{Variable: "v"}, true}, {Algorithms{Variable: "v", Names: names}, false}, {Algorithms{}, false}, {Algorithms{Names: names}, false}} {
		should.Equal(t, c.of.Unknown(), c.want, "%+v", c.of)
	}
}
