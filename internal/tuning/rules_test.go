package tuning

import (
	"fmt"
	"strings"
	"testing"

	"pgmpi/testkit/must"
	"pgmpi/testkit/should"
)

const jsonRulesText = `{
  "$schema": "tuned_schema.json",
  "rule_file_version" : 3,
  "module" : "tuned",
  "collectives" : {
    "allreduce" : [
      { "comm_size_min" : 64, "comm_size_max" : 128,
        "rules" : [
          { "msg_size_min" : 512, "msg_size_max" : 511999, "alg" : 2, },
          { "msg_size_min" : 512000, "msg_size_max" : "inf", "alg" : "recursive_doubling", "reqs" : 8 }
        ] },
      { "comm_size_min" : 64, "rules" : [ { "alg" : "ring", "seg_size": 4096 } ] }
    ],
    "reducescatterblock" : [ { "comm_rank_distribution": "single-node", "rules" : [ { "alg" : 3 } ] } ]
  }
}
`

// The first entry that fits the processes holds, also for sizes of which it has no rule.
func TestRulesInJSONHoldAsOpenMPI6ReadsThem(t *testing.T) {
	rules := must.Get(readRules("r.json", []byte(jsonRulesText)))(t)
	for _, c := range []struct {
		function string
		block    int64
		np, line int
		want     string
	}{
		{"MPI_Allreduce", 8, 64, 7, "0"},
		{"MPI_Allreduce", 512, 64, 9, "2"},
		{"MPI_Allreduce", 511999, 128, 9, "2"},
		{"MPI_Allreduce", 512000, 100, 10, "recursive_doubling"},
		{"MPI_Allreduce", 8, 129, 12, "ring"},
		{"MPI_Reduce_scatter_block", 8, 2, 14, "3"},
	} {
		r := RuleFor(rules, c.function, c.block, c.np)
		must.Hold(t, r != nil, "%+v has no rule", c)
		should.Hold(t, r.Algorithm == c.want && r.Line == c.line, "%+v: %+v", c, r)
	}
	should.Hold(t, RuleFor(rules, "MPI_Allreduce", 8, 63) == nil && RuleFor(rules, "MPI_Bcast", 8, 64) == nil, "a rule holds where there is none")
	should.Hold(t, RuleFor(rules, "MPI_Allreduce", 8, 200).Segment == 4096 && RuleFor(rules, "MPI_Reduce_scatter_block", 8, 2).Placed == "single-node", "%+v", rules)
}

func TestWrongRulesInJSONAreRefusedWithTheirLine(t *testing.T) {
	for old, c := range map[string][2]string{
		`: 3,`:                  {`: 4,`, `r.json:1: "rule_file_version" has to be 3`},
		`"module" : "tuned"`:    {`"module" : "han"`, `"module" has to be`},
		`"allreduce"`:           {`"allsum"`, `r.json:6: "allsum" is no collective`},
		`: 64, "comm_size_max"`: {`: "few", "comm_size_max"`, `r.json:7: "few" is no comm_size`},
		`"alg" : 2, `:           {`"ulg" : 2 `, `r.json:9: MPI_Allreduce: a rule has no "alg"`},
		"\n}\n":                 {"\n", "no JSON"},
		`"seg_size": 4096`:      {`"seg_size": -1`, "r.json:12:"},
	} {
		_, err := readRules("r.json", []byte(strings.Replace(jsonRulesText, old, c[0], 1)))
		should.Fail(t, err, c[1], "%s", old)
	}
}

func TestRulesThatDoNothingAreNamedWithTheirPlace(t *testing.T) {
	const text = "4 # collectives\n3 # Alltoall\n1\n0\n1\n0 9 0 0\n4 # Alltoallv\n1\n0\n2\n0 1 0 0\n1024 2 0 0\n10 # Gatherv\n1\n0\n1\n0 1 0 0\n7 # Bcast\n1\n0\n1\n0 6 0 0\n"
	rules := must.Get(readRules("r", []byte(text)))(t)
	should.Equal(t, Idle(Library{}, "r", []byte(text), rules, OpenMPINames), []string{
		"r:6: MPI_Alltoall has no algorithm 9; it has 1 linear, 2 pairwise, 3 modified_bruck, 4 linear_sync, 5 two_proc",
		"r:12: a rule from 1024 bytes on never holds: Open MPI takes no size for MPI_Alltoallv that grows with the message",
		"r:17: Open MPI has no rules for MPI_Gatherv",
	})
	for library, says := range map[Library]string{
		{"openmpi", 4, 1, 4}: "r:1: rules of version 2, which Open MPI reads from 5.0.7 on: Open MPI 4.1.4 ignores the whole file",
		{"openmpi", 5, 0, 6}: "Open MPI 5.0.6 ignores", {"openmpi", 5, 0, 7}: "", {"openmpi", 6, 0, 0}: "", {}: "",
	} {
		const text = "rule-file-version-2\n1\n7\n1\n0\n1\n0 6 0 0 0\n"
		got := strings.Join(Idle(library, "r", []byte(text), must.Get(readRules("r", []byte(text)))(t), OpenMPINames), "\n")
		should.Hold(t, (got == "") == (says == "") && strings.Contains(got, says), "%v: %q", library, got)
	}
	got := Idle(Library{"openmpi", 5, 0, 7}, "r", []byte(jsonRulesText), must.Get(readRules("r", []byte(jsonRulesText)))(t), OpenMPINames)
	should.Hold(t, len(got) == 1 && strings.Contains(got[0], "rules of version 3"), "%q", got)
}

// What is written is what the reader of lint finds, at each size and number of processes.
func TestRulesForOpenMPI6AreReadBackAsChosen(t *testing.T) {
	openMPI6 := Target{Library: LibraryOf("openmpi", "Open MPI v6.0.0rc2"), Folder: "/r"}
	choices := []Choice{own("MPI_Bcast", 4, "chain+32Ki", 2, 1024, 65536), own("MPI_Bcast", 8, "binomial", 6, plan...), own("MPI_Alltoall", 4, "pairwise", 2, 65536),
		own("MPI_Gather", 4, "binomial", 2, plan...)}
	s := mustWrite(t, openMPIJSON, openMPI6, append(choices, own("MPI_Scatter", 4, "binomial", 2, 1024))...)
	must.Hold(t, len(s.Files) == 1 && len(s.Entries) == 5 && len(s.Rejected) == 1, "%+v", s)
	should.Equal(t, s.Env, map[string]string{useDynamicRules: "1", rulesFilename: "/r/openmpi.json"})
	rules := must.Get(readRules(RulesJSON, s.Files[0].Content))(t)
	should.Hold(t, len(Idle(openMPI6.Library, RulesJSON, s.Files[0].Content, rules, OpenMPINames)) == 0, "a rule does nothing")
	for _, e := range s.Entries {
		name, segment, fanout := parameters(e.Choice)
		inside, outside := e.Probes(1)
		for _, size := range inside {
			r := RuleFor(rules, e.Choice.Function, size, e.Choice.NP)
			should.Hold(t, r != nil && r.Algorithm == name && r.Segment == segment && int(r.Fanout) == fanout && fmt.Sprintf("%s:%d", RulesJSON, r.Line) == e.Where, "%s at %d B: %+v", e.Choice, size, r)
		}
		for _, size := range outside {
			r := RuleFor(rules, e.Choice.Function, size, e.Choice.NP)
			should.Hold(t, r != nil && (r.Algorithm == "0" || e.Choice.Covers(size)), "%s at %d B: %+v", e.Choice, size, r)
		}
		should.Hold(t, RuleFor(rules, e.Choice.Function, 65536, e.Choice.NP+1) == nil, "%s: more processes", e.Choice)
	}
	ways, _ := Ways(openMPI6, choices[2])
	should.Hold(t, len(ways) == 2 && ways[0].Way == "openmpi-json", "%+v", ways)
}

func FuzzRules(f *testing.F) {
	f.Add([]byte(jsonRulesText))
	f.Add([]byte("rule-file-version-2\n1\n7\n1\n0\n1\n0 6 0 0 0\n"))
	f.Fuzz(func(t *testing.T, text []byte) {
		rules, err := readRules("r", text)
		if err == nil {
			Idle(Library{}, "r", text, rules, OpenMPINames)
			RuleFor(rules, "MPI_Bcast", 8, 4)
		}
	})
}
