package tuning

import (
	"strings"
	"testing"

	"pgmpi/testkit/must"
	"pgmpi/testkit/should"
)

func TestARuleNamesItsAlgorithmByNumberOrByName(t *testing.T) {
	names := []string{"first", "second"}
	for algorithm, want := range map[string]struct {
		name  string
		known bool
	}{
		"": {"", true}, "0": {"", true}, "1": {"first", true}, "2": {"second", true},
		"3": {"", false}, "-1": {"", false},
		"second": {"second", true}, "third": {"third", false},
	} {
		name, known := (&Rule{Algorithm: algorithm}).Named(names)
		should.Hold(t, name == want.name && known == want.known, "%q: %q, %v", algorithm, name, known)
	}
}

// Each bound of a rule has here the last call that it holds for, and the first that it does not.
func TestTheFirstRuleThatHoldsForACallIsFound(t *testing.T) {
	rules := []Rule{
		{Line: 1, Function: "MPI_Bcast", MinNP: 4, MaxNP: 8, From: 100, To: 200},
		{Line: 2, Function: "MPI_Bcast", MinNP: 6, From: 150},
		{Line: 3, Function: "MPI_Allgather", MinNP: 2, From: 400, To: 500}, // of all processes together
	}
	for _, c := range []struct {
		function string
		block    int64
		np, want int
	}{
		{"MPI_Bcast", 100, 4, 1}, {"MPI_Bcast", 199, 8, 1}, {"MPI_Bcast", 99, 4, 0},
		{"MPI_Bcast", 100, 3, 0}, {"MPI_Bcast", 200, 5, 0},
		{"MPI_Bcast", 199, 9, 2}, {"MPI_Bcast", 150, 9, 2}, {"MPI_Bcast", 149, 9, 0},
		{"MPI_Bcast", 200, 6, 2}, {"MPI_Bcast", 1 << 30, 1000, 2},
		{"MPI_Allgather", 100, 4, 3}, {"MPI_Allgather", 99, 4, 0}, {"MPI_Allgather", 125, 4, 0},
		{"MPI_Reduce", 150, 6, 0},
	} {
		r, line := RuleFor(rules, c.function, c.block, c.np), 0
		if r != nil {
			line = r.Line
		}
		should.Equal(t, line, c.want, "%s, %d B on %d", c.function, c.block, c.np)
	}
}

func TestOnlyRulesThatChooseSomethingCanBeIdle(t *testing.T) {
	unknown := func(string) []string { return nil }
	for name, c := range map[string]struct {
		rule  Rule
		names func(string) []string
		idle  bool
	}{
		"the library's own choice":        {Rule{Function: "MPI_Gatherv", Algorithm: "0"}, OpenMPINames, false},
		"no choice":                       {Rule{Function: "MPI_Gatherv"}, OpenMPINames, false},
		"a collective without rules":      {Rule{Function: "MPI_Gatherv", Algorithm: "1"}, OpenMPINames, true},
		"one without sizes, at all":       {Rule{Function: "MPI_Alltoallv", Algorithm: "1"}, OpenMPINames, false},
		"one without sizes, from one on":  {Rule{Function: "MPI_Alltoallv", Algorithm: "1", From: 1}, OpenMPINames, true},
		"one with sizes":                  {Rule{Function: "MPI_Bcast", Algorithm: "1", From: 1}, OpenMPINames, false},
		"a number that is too large":      {Rule{Function: "MPI_Bcast", Algorithm: "10"}, OpenMPINames, true},
		"the same of an unknown library":  {Rule{Function: "MPI_Bcast", Algorithm: "10"}, unknown, false},
		"a name that the library has not": {Rule{Function: "MPI_Bcast", Algorithm: "ring"}, OpenMPINames, true},
	} {
		got := Idle(Library{}, "r", []byte("1\n"), []Rule{c.rule}, c.names)
		should.Equal(t, len(got) == 1, c.idle, "%s: %q", name, got)
	}
	for i, text := range []string{"1\n", "rule-file-version-2\n", jsonRulesText} {
		should.Equal(t, RulesVersion([]byte(text)), i+1)
	}
}

// The reason of a format that cannot say this kind of choice is the last that is given.
func TestAChoiceThatNoFormatTakesSaysWhy(t *testing.T) {
	const nothing = "no format that other 1.2.3 takes can say it"
	nobody := Target{Library: Library{Family: "other", Major: 1, Minor: 2, Patch: 3}}
	ways, why := Ways(nobody, own("MPI_Bcast", 4, "chain", 2, 1024))
	should.Hold(t, len(ways) == 0 && why == nothing, "%+v, %q", ways, why)
	ways, why = Ways(openMPI4, own("MPI_Gatherv", 4, "linear", 2, 1024))
	should.Hold(t, len(ways) == 0 && strings.Contains(why, "MPI_Gatherv"), "%+v, %q", ways, why)
	damaged := Target{Library: Library{Family: "mpich", Major: 4}, Tree: smallTree()}
	damaged.Tree.Text = []byte("{")
	ways, why = Ways(damaged, own("MPI_Bcast", 4, "new", 1, 1024))
	should.Hold(t, len(ways) == 0 && strings.Contains(why, "the library's tree"), "%+v, %q", ways, why)
	_, _, err := Write(damaged, []Choice{own("MPI_Bcast", 4, "new", 1, 1024)})
	should.Fail(t, err, "selection tree of MPICH (JSON): the library's tree")
	_, refused, err := Write(nobody, []Choice{own("MPI_Bcast", 4, "chain", 2, 1024)})
	should.Hold(t, err == nil && len(refused) == 1 && refused[0].Reason == nothing, "%+v, %v", refused, err)
}

func TestAChoiceOfOneWayIsLeftToItsWriter(t *testing.T) {
	choice := own("MPI_Bcast", 4, "binomial", 6, plan...)
	for way, writer := range map[string]string{"": "openmpi-rules", "openmpi-rules": "openmpi-rules", "mca": "mca"} {
		choice.Way = way
		settings, refused, err := Write(openMPI4, []Choice{choice})
		must.Hold(t, err == nil && len(refused) == 0 && len(settings) == 1, "%q: %+v, %+v, %v", way, settings, refused, err)
		should.Hold(t, settings[0].Writer == writer && settings[0].Rejected == nil, "%q: %+v", way, settings[0])
	}
}

func TestSettingsThatContradictEachOtherAreNotJoined(t *testing.T) {
	a := Setting{Env: map[string]string{"A": "1"}, Files: []File{{"f", nil}}, Notes: []string{"first"}}
	b := Setting{Env: map[string]string{"A": "1", "B": "2"}, Files: []File{{"g", nil}}, Notes: []string{"second"}}
	env, files, err := Join([]Setting{a, b})
	must.Hold(t, err == nil && len(files) == 3 && files[2].Name == EnvFile, "%+v, %v", files, err)
	should.Equal(t, env, map[string]string{"A": "1", "B": "2"})
	should.Contain(t, string(files[2].Content), "# first\n# second\nexport A='1'\nexport B='2'\n")
	for says, other := range map[string]Setting{
		"two settings want another value of A: 1 and 2": {Env: map[string]string{"A": "2"}},
		"two settings have a file f":                    {Files: []File{{"f", nil}}},
		"is no name of a variable":                      {Env: map[string]string{"A-B": "1"}},
	} {
		env, files, err := Join([]Setting{a, other})
		should.Fail(t, err, says)
		should.Hold(t, env == nil && files == nil, "%s: %v, %v", says, env, files)
	}
}

func TestOnlyVariablesThatSettingsHaveSteer(t *testing.T) {
	for name, want := range map[string]bool{
		"OMPI_MCA_coll_tuned_use_dynamic_rules": true, "MPIR_CVAR_SCAN_INTRA_ALGORITHM": true,
		"MALLOC_TRIM_THRESHOLD_": true, "PGMPI_PARAMS": true,
		"OMPI_MCA_btl_vader_eager_limit": true, "UCX_RNDV_THRESH": true,
		"OMPI_MCA_btl": false, "LD_PRELOAD": false, "PATH": false, "": false,
	} {
		should.Equal(t, Steers(name, "1"), want, "%s", name)
	}
	for value, want := range map[string]bool{
		"MALLOC_A_": true, "MALLOC_A_;MALLOC_B_": true, "MALLOC_A_;PATH": false, "MALLOC_A_=1": false, "": false,
	} {
		should.Equal(t, Steers(handedOn, value), want, "%q", value)
	}
}

func TestVariablesAreReadFromLinesThatAShellWouldTake(t *testing.T) {
	const text = " # a comment\n\n  export A='x'\nB=plain\nC=\n" +
		"export LD_PRELOAD='/lib.so'\"${LD_PRELOAD:+:$LD_PRELOAD}\"\nD='it'\\''s'\n"
	env := must.Get(ReadEnv("f", []byte(text)))(t)
	should.Equal(t, env, map[string]string{"A": "x", "B": "plain", "C": "", Preload: "/lib.so", "D": "it's"})
	for text, says := range map[string]string{
		"# a\n\nA": `f:3: "A" is not NAME=VALUE`,
		"A='x":     "f:1: the value of \"A\"", "A='": "f:1: the value", "A=x y": "f:1: the value",
		"A=x'":     "f:1: the value",
		"A=~":      "f:1: the value",
		"A='\x01'": "has a character that no variable should have", "=1": "a variable has no name",
		"A=1\nB=1\nA=1": "f:3: A is set above already",
	} {
		env, err := ReadEnv("f", []byte(text))
		should.Fail(t, err, says, "%q", text)
		should.Hold(t, env == nil, "%q: %v", text, env)
	}
}
