package untimed

import (
	"os"
	"path/filepath"
	"testing"

	"pgmpi/internal/fixture"
	"pgmpi/internal/fixture/must"
	"pgmpi/internal/fixture/should"
	"pgmpi/measure"
	"pgmpi/measure/protocol"
)

// What became of a call that ended its mpirun is read from what the mpirun said.
func TestHowAConformanceCallEndedItsMpirunIsTold(t *testing.T) {
	call := protocol.ConformanceCall{Function: "MPI_Bcast", Comm: "world", What: "in place", NP: 2, Msize: 64}
	for _, c := range []struct {
		failed  measure.Error
		state   OutcomeState
		message string
	}{
		{measure.Error{What: protocol.ConformanceError + call.Name() + ": MPI_ERR_COUNT"}, CallError, "MPI_ERR_COUNT"},
		{measure.Error{What: "nothing within measure.stall; the one running is MPI_Bcast"}, CallHangs, "nothing within measure.stall"},
		{measure.Error{What: "killed; the last case that was reported finished: x", Stderr: "a\nlast"}, CallAborted, "killed: last"},
		{measure.Error{What: "killed"}, CallAborted, "killed"},
	} {
		x := ended(fixture.P2, call, &c.failed)
		want := Outcome{Call: call.Name(), Function: "MPI_Bcast", Shape: "p2", NP: 2, Msize: 64, State: c.state, Message: c.message}
		should.Equal(t, x, want)
	}
}

func TestDataThatDifferMakeACallWrong(t *testing.T) {
	out := outcomes(fixture.P2, []protocol.ConformanceCall{{Function: "MPI_Bcast"}, {Function: "MPI_Scan", Wrong: "at 3"}})
	must.Hold(t, len(out) == 2, "%+v", out)
	should.Equal(t, out[0].State, CallRight)
	should.Hold(t, out[1].State == CallWrong && out[1].Message == "at 3", "%+v", out[1])
}

// A setting is not blamed for what the library does without it.
func TestOnlyWhatWasRightIsNewlyBad(t *testing.T) {
	of := func(call, shape string, state OutcomeState) Outcome {
		return Outcome{Call: call, Shape: shape, State: state}
	}
	before := []Outcome{of("a", "p2", CallRight), of("b", "p2", CallWrong), of("c", "p2", CallRight), of("a", "p4", CallHangs)}
	bad := []Outcome{of("a", "p2", CallHangs), of("d", "p2", CallError)}
	after := append([]Outcome{of("b", "p2", CallHangs), of("c", "p2", CallRight), of("a", "p4", CallHangs)}, bad...)
	should.Equal(t, NewlyBad(before, after), bad)
}

func TestVariablesThatDoNothingSayWhy(t *testing.T) {
	const bcast, rules = "OMPI_MCA_coll_tuned_bcast_algorithm", "OMPI_MCA_coll_tuned_dynamic_rules_filename"
	bad := filepath.Join(t.TempDir(), "rules")
	must.Do(t, os.WriteFile(bad, []byte("x\n"), 0o666))
	switched := protocol.Variable{Name: Name(DynamicRules), Value: "1", Known: true}
	known := protocol.Variable{Name: Name(bcast), Value: "0", Known: true}
	own := []protocol.Algorithms{{Collective: "MPI_Bcast", Variable: known.Name, Names: []protocol.Algorithm{{Name: "binomial", Value: 6}}}}
	for _, c := range []struct {
		name, value string
		seen        []protocol.Variable
		want        string // "": it is in force
	}{
		{bcast, "6", []protocol.Variable{switched, known}, ""},
		{bcast, "binomial", []protocol.Variable{switched, known}, ""},
		{bcast, "0", []protocol.Variable{switched, known}, ""},
		{bcast, "binomail", []protocol.Variable{switched, known}, "did you mean binomial?"},
		{bcast, "6", []protocol.Variable{{Name: switched.Name, Value: "0", Known: true}, known}, DynamicRules + " is not 1"},
		{bcast, "6", []protocol.Variable{switched}, "the library has no such variable"},
		{bcast, "6", []protocol.Variable{switched, {Name: known.Name, Known: true, Unread: "it is read too early"}}, "it is read too early"},
		{rules, bad, []protocol.Variable{switched, {Name: Name(rules), Known: true}}, "it is not in the library's format: "},
		{rules, bad + "x", []protocol.Variable{switched, {Name: Name(rules), Known: true}}, "no such file"},
	} {
		read := Readings{&protocol.AlgorithmsEnd{Variables: c.seen, Collectives: own}}
		why := read.ignores(c.name, map[string]string{c.name: c.value})
		if c.want == "" {
			should.Equal(t, why, "", c.name, c.value)
		} else {
			should.Contain(t, why, c.want)
		}
	}
}
