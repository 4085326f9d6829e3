package untimed

import (
	"os"
	"path/filepath"
	"testing"

	"pgmpi/measure/host"
	"pgmpi/measure/protocol"
	"pgmpi/testkit/must"
	"pgmpi/testkit/should"
)

func TestVariablesThatDoNothingSayWhy(t *testing.T) {
	const bcast, rules = "OMPI_MCA_coll_tuned_bcast_algorithm", "OMPI_MCA_coll_tuned_dynamic_rules_filename"
	bad := filepath.Join(t.TempDir(), "rules")
	must.Do(t, os.WriteFile(bad, []byte("x\n"), 0o666))
	switched := protocol.Variable{Name: Name(host.DynamicRules), Value: "1", Known: true}
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
		{bcast, "6", []protocol.Variable{{Name: switched.Name, Value: "0", Known: true}, known}, host.DynamicRules + " is not 1"},
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
