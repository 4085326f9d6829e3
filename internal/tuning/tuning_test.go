package tuning

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"pgmpi/mockups"
	"pgmpi/testkit/must"
	"pgmpi/testkit/should"
)

var plan = []int64{8, 1024, 16384, 65536, 262144, 1048576}

func own(function string, np int, algorithm string, value int, sizes ...int64) Choice {
	return Choice{Function: function, NP: np, Kind: OwnAlgorithm, Algorithm: algorithm, Value: value, Sizes: sizes, Measured: plan, Extend: len(sizes) == len(plan)}
}

var openMPI4 = Target{Library: LibraryOf("openmpi", "Open MPI v4.1.4, package: Debian"), Folder: "/r"}

func mustWrite(t *testing.T, w Writer, to Target, choices ...Choice) *Setting {
	t.Helper()
	s := must.Get(w.Write(to, choices))(t)
	return s
}

// chosenBy is what rules say for a function on np processes at a size as the format counts it.
func chosenBy(rules []Rule, function string, np int, bytes int64) string {
	for _, r := range rules {
		if r.Function == function && np >= r.MinNP && (r.MaxNP == 0 || np <= r.MaxNP) && bytes >= r.From && (r.To == 0 || bytes < r.To) {
			return r.Algorithm
		}
	}
	return "0"
}

// The table of Open MPI's documentation ("The tuned Component", Collectives and their
// Algorithms) and, where that differs, coll_tuned_decision_dynamic.c of 4.1.
func TestRuleSizesAreWhatOpenMPICounts(t *testing.T) {
	for function, want := range map[string]int64{
		"MPI_Allgather": 400, "MPI_Allgatherv": 100, "MPI_Allreduce": 100, "MPI_Alltoall": 400, "MPI_Bcast": 100,
		"MPI_Reduce": 100, "MPI_Reduce_scatter": 400, "MPI_Reduce_scatter_block": 400, "MPI_Scatter": 400, "MPI_Gather": 400,
		// No size of the message at all.
		"MPI_Scan": -1, "MPI_Exscan": -1, "MPI_Barrier": -1, "MPI_Alltoallv": -1, "MPI_Gatherv": -1, "MPI_Scatterv": -1,
	} {
		got, ok := ruleSize(function, 100, 4)
		if !ok {
			got = -1
		}
		should.Equal(t, got, want, "100 B of %s on 4 processes are", function)
	}
	for _, f := range mockups.Collectives() {
		should.Hold(t, rowOf(f).id >= 0, "%s has no number", f)
	}
}

func TestRulesHoldWhereTheChoiceDoesAndNowhereElse(t *testing.T) {
	choices := []Choice{
		own("MPI_Bcast", 4, "chain", 2, 16384, 65536),
		own("MPI_Bcast", 4, "binomial", 6, 1048576),
		own("MPI_Bcast", 5, "pipeline", 3, 8),
		own("MPI_Reduce_scatter_block", 2, "butterfly", 4, 262144),
		own("MPI_Scan", 4, "linear", 1, plan...),
		own("MPI_Barrier", 4, "bruck", 4, plan...),
		own("MPI_Scatter", 4, "binomial", 2, plan...),
	}
	for _, version := range []string{"Open MPI v4.1.4", "Open MPI v5.0.7"} {
		to := Target{Library: LibraryOf("openmpi", version), Folder: "/r"}
		s := mustWrite(t, openMPIRules, to, choices...)
		must.Hold(t, len(s.Rejected) == 0 && s.Env[rulesFilename] == "/r/"+RulesFile && s.Env[useDynamicRules] == "1", "%+v", s)
		text := s.Files[0].Content
		should.Equal(t, strings.HasPrefix(string(text), "rule-file-version-2\n"), version == "Open MPI v5.0.7", "%s: version line", version)
		rules, err := readRules(RulesFile, text)
		must.Hold(t, err == nil, "%v\n%s", err, text)
		sameAsChosen(t, rules, choices, ruleSize)
		for _, e := range s.Entries {
			i := slices.IndexFunc(rules, func(r Rule) bool { return fmt.Sprintf("%s:%d", RulesFile, r.Line) == e.Where })
			should.Hold(t, i >= 0 && rules[i].Function == e.Choice.Function && rules[i].Algorithm == fmt.Sprint(e.Choice.Value),
				"%s is not where %s is", e.Where, e.Choice)
		}
	}
}

func TestSegmentAndFanOutOfAnAlgorithmAreWrittenIntoItsRule(t *testing.T) {
	for name, rule := range map[string]string{"chain+32Ki": "2 4 32768", "chain+32Ki+fan2": "2 2 32768", "chain+fan8": "2 8 0", "chain": "2 4 0"} {
		s := mustWrite(t, openMPIRules, openMPI4, own("MPI_Bcast", 4, name, 2, 65536))
		should.Hold(t, len(s.Files) == 1 && strings.Contains(string(s.Files[0].Content), "\n65536 "+rule+" # "+name+"\n"), "%s", s.Files[0].Content)
	}
	choice := own("MPI_Bcast", 4, "chain+32Ki", 2, plan...)
	s := mustWrite(t, mcaVariables, openMPI4, choice)
	should.Hold(t, len(s.Rejected) == 1 && strings.Contains(s.Rejected[0].Reason, "segments"), "%+v", s)
	s = mustWrite(t, openMPIRules, openMPI4, own("MPI_Reduce", 4, "pipeline+4Ki", 3, 65536))
	should.Hold(t, len(s.Rejected) == 1 && strings.Contains(s.Rejected[0].Reason, "do not commute"), "%+v", s)
	for np, want := range map[int]int{2: 4, 3: 9, 4: 14, 5: 14, 10: 19} {
		got := Parameters(openMPI4.Library, "MPI_Bcast", chain, np)
		should.Hold(t, len(got) == want && !slices.Contains(got, chain), "on %d processes: %q", np, got)
	}
	should.Hold(t, len(Parameters(openMPI4.Library, "MPI_Bcast", "pipeline", 10)) == 4 && Parameters(Library{Family: "mpich"}, "MPI_Bcast", "binomial", 2) == nil, "only chains have a fan-out")
}

// sameAsChosen compares what rules say for all numbers of processes and sizes with choices.
func sameAsChosen(t *testing.T, rules []Rule, choices []Choice, sizeOf func(string, int64, int) (int64, bool)) {
	t.Helper()
	for _, c := range choices {
		for np := 1; np < 8; np++ {
			for _, block := range append([]int64{0, 1, 1 << 23}, plan...) {
				want := "0"
				bytes, sized := sizeOf(c.Function, block, np)
				sized = sized && rowOf(c.Function).bySizeSafely()
				for _, o := range choices {
					if o.Function == c.Function && o.NP == np && (!sized || slices.Contains(o.Sizes, block) || o.Extend && block < 8) {
						want = fmt.Sprint(o.Value)
					}
				}
				should.Equal(t, chosenBy(rules, c.Function, np, bytes), want, "%s on %d processes, %d B: algorithm", c.Function, np, block)
			}
		}
	}
}

// Nothing is guessed between measured sizes: a choice holds there where its ranges say so.
func TestAChoiceHoldsWhereItWasMeasured(t *testing.T) {
	measured := []int64{512, 1024, 65536, 262144}
	for name, c := range map[string]struct {
		choice Choice
		want   []interval
	}{
		"at its sizes":           {Choice{Sizes: []int64{1024, 65536}}, []interval{{1024, 1025}, {65536, 65537}}},
		"and within a range":     {Choice{Sizes: []int64{1024}, Ranges: []Range{{1024, 8193}}}, []interval{{1024, 8193}}},
		"to both sides":          {Choice{Sizes: []int64{1024}, Ranges: []Range{{600, 1025}, {1024, 8193}}}, []interval{{600, 8193}}},
		"from one size to one":   {Choice{Sizes: []int64{1024, 65536}, Ranges: []Range{{1024, 65537}}}, []interval{{1024, 65537}}},
		"extended":               {Choice{Sizes: []int64{512, 262144}, Extend: true}, []interval{{0, 513}, {262144, 524289}}},
		"extended at neighbours": {Choice{Sizes: []int64{512, 1024}, Extend: true}, []interval{{0, 1025}}},
		"extended at all":        {Choice{Sizes: measured, Extend: true}, []interval{{0, 524289}}},
		"by a variable":          {Choice{Sizes: measured, Way: mcaName}, []interval{{0, 0}}},
	} {
		c.choice.Measured = measured
		should.Equal(t, c.choice.intervals(), c.want, name)
		should.Equal(t, c.choice.Everywhere(), name == "extended at all" || name == "by a variable", name)
	}
	should.Equal(t, Between(64<<10, 256<<10), 128<<10)
	should.Equal(t, Between(512, 1024), 725)
	bad := Choice{Kind: OwnAlgorithm, NP: 2, Sizes: []int64{512}, Measured: measured, Ranges: []Range{{8, 8}}}
	should.Contain(t, bad.check(), "no range")
}

// A tree or rules take a size, a variable all of them; what a tree cannot say is left to the variable.
func TestAChoiceHasTheWaysThatTheLibraryTakes(t *testing.T) {
	mpich := Target{Library: Library{Family: "mpich", Major: 4}, Tree: smallTree()}
	for _, c := range []struct {
		to     Target
		choice Choice
		want   []string
	}{
		{openMPI4, own("MPI_Bcast", 4, "chain", 2, 1024), []string{"openmpi-rules", "mca"}},
		{openMPI4, own("MPI_Bcast", 4, "chain+32Ki", 2, 65536), []string{"openmpi-rules"}},
		{openMPI4, own("MPI_Gather", 4, "binomial", 2, 1024), []string{"mca"}},
		{openMPI4, own("MPI_Gatherv", 4, "linear", 2, 1024), nil},
		{mpich, own("MPI_Allreduce", 4, "new", 2, 1024), []string{"mpich-json", "cvar"}},
		{mpich, own("MPI_Scatter", 4, "binomial", 2, 1024), []string{"cvar"}},
	} {
		ways, why := Ways(c.to, c.choice)
		var got []string
		for _, w := range ways {
			got = append(got, w.Way)
			should.Equal(t, slices.Equal(w.Sizes, c.choice.Sizes), !w.Always(), "%s: its sizes", w)
			settings, refused, err := Write(c.to, []Choice{w})
			should.Hold(t, err == nil && len(refused) == 0 && settings[0].Writer == w.Way, "%s: %+v, %+v, %v", w, settings, refused, err)
		}
		should.Equal(t, got, c.want, "%s", c.choice)
		should.Hold(t, why != "", "%s: no reason", c.choice)
	}
}

func TestEntryIsTestedAtTheEndsAndInTheMiddleOfItsInterval(t *testing.T) {
	e := Entry{Choice: own("MPI_Bcast", 4, "chain", 2, 16384), From: 4096, To: 32768}
	for unit, want := range map[int64][2][]int64{
		1:  {{4096, 11585, 16384, 32767}, {8, 1024, 4095, 32768, 65536, 262144, 1048576}},
		16: {{4096, 11600, 16384, 32752}, {8, 1024, 4080, 32768, 65536, 262144, 1048576}},
	} {
		inside, outside := e.Probes(unit)
		should.Hold(t, slices.Equal(inside, want[0]) && slices.Equal(outside, want[1]), "multiples of %d: %v, %v", unit, inside, outside)
	}
	inside, outside := Entry{Choice: own("MPI_Bcast", 4, "chain", 2, plan...)}.Probes(1)
	should.Hold(t, slices.Equal(inside, plan) && len(outside) == 0, "%v, %v", inside, outside)
}

func TestWhatCannotBeWrittenIsRefusedWithTheReason(t *testing.T) {
	for _, c := range []struct {
		w      Writer
		to     Target
		choice Choice
		why    string
	}{
		{openMPIRules, openMPI4, own("MPI_Scatter", 4, "binomial", 2, 65536), "legal calls abort"},
		{openMPIRules, openMPI4, own("MPI_Gather", 4, "binomial", 2, 65536), "legal calls abort"},
		{openMPIRules, openMPI4, own("MPI_Allgather", 4, "ring", 4, 65536), "legal calls abort"},
		{openMPIRules, openMPI4, own("MPI_Allgatherv", 4, "ring", 3, 65536), "legal calls abort"},
		{openMPIRules, openMPI4, own("MPI_Scan", 4, "linear", 1, 65536), "does not grow with the message"},
		{openMPIRules, openMPI4, own("MPI_Exscan", 4, "linear", 1, 65536), "does not grow with the message"},
		{openMPIRules, openMPI4, own("MPI_Gatherv", 4, "linear", 1, plan...), "no rules for MPI_Gatherv"},
		{openMPIRules, openMPI4, own("MPI_Bcast", 4, "ignore", 0, plan...), "no number of an algorithm"},
		{openMPIRules, openMPI4, own("MPI_Bcast", 4, "chain", 2, 7), "not measured"},
		{openMPIRules, openMPI4, own("MPI_Bcast", 4, "chain", 2), "no size"},
		{mcaVariables, openMPI4, own("MPI_Bcast", 4, "chain", 2, 8), "all message sizes"},
		{openMPIRules, openMPI4, own("MPI_Reduce", 4, "chain", 2, 8), "do not commute"},
		{mcaVariables, openMPI4, own("MPI_Allreduce", 4, "ring", 4, plan...), "do not commute"},
		{mpichVariables, Target{}, own("MPI_Bcast", 4, "binomial", 1, 8), "all message sizes"},
		{mpichJSON, Target{}, own("MPI_Bcast", 4, "binomial", 1, 8), "was not found"},
		{environment, Target{}, own("MPI_Bcast", 4, "binomial", 1, 8), "chooses no algorithm"},
		{environment, Target{}, Choice{Kind: ByEnv, Env: map[string]string{"A B": "1"}}, "no name of a variable"},
		{environment, Target{}, Choice{Kind: ByEnv, Env: map[string]string{"A": "1\n2"}}, "character"},
	} {
		s := mustWrite(t, c.w, c.to, c.choice)
		should.Hold(t, len(s.Entries) == 0 && len(s.Files) == 0 && len(s.Rejected) == 1 && strings.Contains(s.Rejected[0].Reason, c.why),
			"%s: %s: %+v, want %q", c.w.Name, c.choice, s.Rejected, c.why)
	}
}

func TestChoicesThatOverlapAreRefused(t *testing.T) {
	s := mustWrite(t, openMPIRules, openMPI4, own("MPI_Bcast", 4, "chain", 2, 1024), own("MPI_Bcast", 4, "binomial", 6, 1024, 16384))
	should.Hold(t, len(s.Entries) == 1 && len(s.Rejected) == 1 && s.Rejected[0].Choice.Value == 6, "%+v", s)
}

func TestHostileRulesAreRefusedWithTheirLine(t *testing.T) {
	for text, where := range map[string]string{
		"":                                "f:1: the file ends",
		"1\n7\n1\n4\n1\n1 2 0 0\n":        "f:6: 1 cannot be the message size",
		"1\n7\n1\n4\n2\n0 2 0 0\n0 3 0 0": "f:7: 0 cannot be the message size",
		"1\n99\n":                         "f:2: 99 cannot be the number of a collective",
		"1\n7\n1\n4\n1\n0 x 0 0\n":        "f:6: \"x\" is not an algorithm",
		"1\n7\n1\n4\n1\n0 2 0\n":          "f:6: the file ends",
		"1\n7\n1\n4\n1\n0 2 0 0\n5\n":     "f:7: \"5\" is behind the last rule",
		"2\n7\n1\n4\n1\n0 2 0 0\n7\n":     "f:7: MPI_Bcast has rules above already",
		"1\n7\n2\n4\n1\n0 2 0 0\n4\n":     "f:7: 4 cannot be a number of processes",
		"rule-file-version-9\n":           "f:1: unknown version",
		"999999999999999999999999\n":      "f:1: \"999999999999999999999999\" is not",
		"-1\n":                            "f:1: -1 cannot be",
	} {
		_, err := readRules("f", []byte(text))
		should.Fail(t, err, where, "%q", text)
	}
}

func TestATrapIsFoundByItsLine(t *testing.T) {
	text := "1\n15 # Scatter\n2\n0\n1\n0 0 0 0\n4\n2\n0 1 0 0\n4096 2 0 0\n"
	rules := must.Get(readRules("f", []byte(text)))(t)
	trap, ok := FindTrap(rules, "MPI_Scatter", 4)
	should.Hold(t, ok && trap.Line == 10, "%v %v", trap, ok)
	for _, np := range []int{2, 3} {
		trap, ok := FindTrap(rules, "MPI_Scatter", np)
		should.Hold(t, !ok, "on %d processes: %v", np, trap)
	}
}

func TestVariablesAreReadBack(t *testing.T) {
	for _, c := range []struct {
		s              *Setting
		variable, want string
	}{
		{mustWrite(t, mcaVariables, openMPI4, own("MPI_Reduce_scatter_block", 2, "recursive_doubling", 2, plan...)), "OMPI_MCA_coll_tuned_reduce_scatter_block_algorithm", "2"},
		{mustWrite(t, mpichVariables, Target{}, own("MPI_Bcast", 2, "binomial", 1, plan...)), "MPIR_CVAR_BCAST_INTRA_ALGORITHM", "binomial"},
	} {
		text, err := EnvSh(c.s.Env, []string{"why\nand how"})
		must.Do(t, err)
		should.Hold(t, Steers(c.variable, ""), "%s, which a writer sets, is refused when it is read", c.variable)
		back, err := ReadEnv("env.sh", text)
		should.Hold(t, err == nil && reflect.DeepEqual(back, c.s.Env) && back[c.variable] == c.want, "%v %v", back, err)
	}
}

func TestEnvShSurvivesAnyValue(t *testing.T) {
	env := map[string]string{"A": `it's $HOME "and" \more`, "B": ""}
	text := must.Get(EnvSh(env, nil))(t)
	back, err := ReadEnv("f", text)
	should.Hold(t, err == nil && reflect.DeepEqual(back, env), "%v %v\n%s", back, err, text)
	for text, where := range map[string]string{"A=1\nA=2\n": "f:2: A is set", "\nA\n": "f:2: \"A\" is not NAME=VALUE", "A=$(x)": "f:1: the value", "A='x'y'": "f:1: the value", "1A=2": "f:1: \"1A\" is no name"} {
		_, err := ReadEnv("f", []byte(text))
		should.Fail(t, err, where, "%q", text)
	}
}

func TestLibrariesThatAreLoadedStayBehindThoseOfASetting(t *testing.T) {
	text := must.Get(EnvSh(map[string]string{Preload: "/our lib.so"}, nil))(t)
	path := filepath.Join(t.TempDir(), EnvFile)
	must.Do(t, os.WriteFile(path, text, 0o666))
	for before, want := range map[string]string{"": "/our lib.so", "/their.so:/other.so": "/our lib.so:/their.so:/other.so"} {
		t.Setenv(Preload, before)
		should.Equal(t, Loading("/our lib.so"), want, "in the pairs")
		sh := exec.Command("sh", "-c", `LD_PRELOAD=$1; . "$2"; echo "$LD_PRELOAD"`, "sh", before, path)
		sh.Env = []string{"PATH=" + os.Getenv("PATH")}
		should.Equal(t, strings.TrimSpace(string(must.Get(sh.Output())(t))), want, "in a shell")
	}
	back, err := ReadEnv("f", text)
	should.Hold(t, err == nil && back[Preload] == "/our lib.so", "%v %v\n%s", back, err, text)
}

func TestWriteTakesTheFirstWriterThatCan(t *testing.T) {
	settings, refused, err := Write(openMPI4, []Choice{
		own("MPI_Bcast", 4, "chain", 2, 1024),
		own("MPI_Scatter", 4, "binomial", 2, 65536),
		{Kind: ByEnv, Env: map[string]string{"MALLOC_TRIM_THRESHOLD_": "1000000000"}},
	})
	must.Do(t, err)
	var names []string
	for _, s := range settings {
		names = append(names, s.Writer)
	}
	should.Hold(t, slices.Equal(names, []string{"openmpi-rules", "env"}) && len(refused) == 1 && strings.Contains(refused[0].Reason, "legal calls abort"),
		"%v, refused %+v", names, refused)
	env, files, err := Join(settings)
	for name, value := range env {
		should.Hold(t, Steers(name, value), "%s, which a writer sets, is refused when it is read", name)
	}
	should.Hold(t, err == nil && env["MALLOC_TRIM_THRESHOLD_"] != "" && files[len(files)-1].Name == EnvFile, "%v %v %v", env, files, err)
}

func TestOpenMPIHandsMallocsVariablesToRemoteRanks(t *testing.T) {
	choice := func(name string) Choice { return Choice{Kind: ByEnv, Env: map[string]string{name: "1"}} }
	for library, want := range map[string]string{"openmpi": "MALLOC_A_;MALLOC_B_", "mpich": ""} {
		s := mustWrite(t, environment, Target{Library: Library{Family: library}}, choice("MALLOC_B_"), choice("MALLOC_A_"))
		should.Equal(t, s.Env[handedOn], want, "%s", library)
	}
	for value, want := range map[string]bool{"MALLOC_A_;MALLOC_B_": true, "MALLOC_A_;LD_PRELOAD": false, "MALLOC_A_=1;LD_PRELOAD=/x": false, "": false} {
		should.Equal(t, Steers(handedOn, value), want, "%q", value)
	}
}

func TestComponentsAreChosenByOneVariableThatIsReadBack(t *testing.T) {
	got := Components(openMPI4.Library, []string{"MPI_Scan"})
	should.Hold(t, len(got) == 0, "no component has MPI_Scan: %+v", got)
	for l, want := range map[Library]Entry{
		{Family: "openmpi"}: {Variable: "OMPI_MCA_coll_sm_priority", Value: "100"},
		{Family: "mpich"}:   {Variable: "MPIR_CVAR_BCAST_POSIX_INTRA_ALGORITHM", Value: "1"}, // the number of release_gather
	} {
		choices := Components(l, []string{"MPI_Bcast"})
		must.Hold(t, len(choices) != 0, "%v has none", l)
		s, err := environment.Write(Target{Library: l}, choices[:1])
		should.Hold(t, err == nil && len(s.Entries) == 1 && Steers(s.Entries[0].Variable, s.Entries[0].Value) && s.Entries[0].Proof == ByValue && s.Entries[0].Variable == want.Variable && s.Entries[0].Value == want.Value,
			"%v: %+v, %v", l, s, err)
	}
	first := func(major int, f string) string {
		got := Components(Library{Family: "openmpi", Major: major}, []string{f})
		names := []string{}
		for _, c := range got {
			names = append(names, c.Component)
		}
		return strings.Join(names, ", ")
	}
	should.Equal(t, first(4, "MPI_Allreduce"), "sm, han")
	should.Equal(t, first(5, "MPI_Allreduce"), "without han, sm")
	should.Equal(t, first(6, "MPI_Allreduce"), "without han, xhc, acoll")
	parts := Components(Library{Family: "openmpi", Major: 5}, []string{"MPI_Allreduce"})
	should.Hold(t, parts[0].Part() == "leaving out han" && parts[1].Part() == "the component sm", "%q, %q", parts[0].Part(), parts[1].Part())
	two := Choice{Kind: ByComponent, Env: map[string]string{"A": "1", "B": "2"}}
	s, _ := environment.Write(Target{}, []Choice{two})
	should.Hold(t, len(s.Rejected) == 1, "%+v", s)
}

func TestVersionsAreReadFromTheLibrarysText(t *testing.T) {
	for text, want := range map[string]Library{
		"Open MPI v4.1.4, package: Debian OpenMPI, ident: 4.1.4": {"x", 4, 1, 4},
		"MPICH Version:      4.0.2":                              {"x", 4, 0, 2},
		"Intel(R) MPI Library 2021.11 for Linux* OS":             {"x", 2021, 11, 0},
		"no number at all":                                       {"x", 0, 0, 0},
	} {
		got := LibraryOf("x", text)
		should.Hold(t, got == want, "%s: %v", text, got)
	}
}
