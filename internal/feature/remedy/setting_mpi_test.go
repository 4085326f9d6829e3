package remedy

import (
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"pgmpi/internal/conf"
	"pgmpi/internal/conf/glfile"
	"pgmpi/internal/feature/remedy/conformance"
	"pgmpi/internal/feature/remedy/effect"
	"pgmpi/internal/lists"
	"pgmpi/internal/tuning"
	"pgmpi/internal/untimed"
	"pgmpi/measure"
	"pgmpi/mockups"
	"pgmpi/testkit/mpirun"
	"pgmpi/testkit/must"
	"pgmpi/testkit/should"
)

// allowRoot is what the environment of a fixture has, for campaigns of this process itself.
var allowRoot = sync.OnceFunc(func() {
	if os.Geteuid() == 0 {
		os.Setenv("OMPI_ALLOW_RUN_AS_ROOT", "1")
		os.Setenv("OMPI_ALLOW_RUN_AS_ROOT_CONFIRM", "1")
	}
})

// onProcesses is a configuration of a fixture's library, for calls of a campaign itself.
func onProcesses(b *mpirun.Fixture, np ...int) *glfile.File {
	b.T.Helper()
	allowRoot()
	f := glfile.Default()
	f.MPI.Rank, f.Job.NP, f.Measure.Stall = b.Rank, np, conf.Duration(time.Minute) // ends what hangs, not what is late
	if b.Lib.Yield {                                                               // more ranks than cores would spin
		f.MPI.Env["LD_PRELOAD"] = filepath.Join(b.Bin, "yield.so")
	}
	return &f
}

// bad are the outcomes that are not right.
func bad(all []conformance.Outcome) (out []conformance.Outcome) {
	for _, o := range all {
		if o.State != conformance.Right {
			out = append(out, o)
		}
	}
	return out
}

func TestUntouchedLibrariesMakeConformanceCallsRight(t *testing.T) {
	mpirun.BothAtOnce(t, func(t *testing.T, b *mpirun.Fixture) {
		f := onProcesses(b, 3) // others: with a setting, below
		all := conforming(t, f, nil, returning(b)...)
		for _, o := range bad(all) {
			if !knownWrong(b, o) {
				t.Errorf("%s: %s: %s: %s", o.Shape, o.Call, o.State, o.Message)
			}
		}
		t.Logf("%d calls", len(all))
	})
}

// returning are the functions whose conformance calls return. In Open MPI 4.1.4 MPI_Allgatherv
// takes its size from sendtype and recvcounts: ranks that describe the same data differently
// take different algorithms, and hang.
func returning(b *mpirun.Fixture) []string {
	return slices.DeleteFunc(mockups.Functions(), func(f string) bool { return b.Lib.Name == "openmpi" && f == "MPI_Allgatherv" })
}

var tuned = []int64{1 << 10, 64 << 10, 256 << 10}

// ownAlgorithm is a choice that a library's list has.
func ownAlgorithm(function string, np int, name string, value int, sizes ...int64) tuning.Choice {
	return tuning.Choice{Function: function, NP: np, Kind: tuning.OwnAlgorithm, Algorithm: name, Value: value, Sizes: sizes, Measured: tuned, Extend: len(sizes) == len(tuned)}
}

// inRules are choices that a file of rules of Open MPI has.
var inRules = []tuning.Choice{
	ownAlgorithm("MPI_Reduce_scatter_block", 4, "basic_linear", 1, 256<<10),
	ownAlgorithm("MPI_Bcast", 4, "scatter_allgather", 8, 64<<10),
	ownAlgorithm("MPI_Bcast", 4, "pipeline+4Ki", 3, 256<<10),
	ownAlgorithm("MPI_Bcast", 4, "chain+fan1", 2, 1<<10), // as many messages as by default, from other ranks
	ownAlgorithm("MPI_Allreduce", 4, "nonoverlapping", 2, 1<<10, 64<<10),
	ownAlgorithm("MPI_Alltoall", 4, "linear", 1, 64<<10),
	ownAlgorithm("MPI_Reduce", 4, "in-order_binary", 6, 64<<10),
	ownAlgorithm("MPI_Scatter", 4, "linear_nb", 3, tuned...),
	ownAlgorithm("MPI_Allgather", 4, "linear", 1, tuned...),
}

// theirs are choices for each library, by the writer of the setting: a file has them by size, variables have not.
var theirs = map[string]map[string][]tuning.Choice{
	"openmpi": {
		"openmpi-rules": inRules, "openmpi-json": inRules,
		"mca": {ownAlgorithm("MPI_Allreduce", 4, "basic_linear", 1, tuned...)},
	},
	"mpich": {
		"mpich-json": {
			ownAlgorithm("MPI_Reduce_scatter_block", 4, "pairwise", 3, 64<<10),
			ownAlgorithm("MPI_Alltoall", 4, "brucks", 1, 64<<10),
			ownAlgorithm("MPI_Allreduce", 4, "reduce_scatter_allgather", 4, 1<<10),
			ownAlgorithm("MPI_Reduce", 4, "reduce_scatter_gather", 4, 1<<10),
			ownAlgorithm("MPI_Bcast", 4, "scatter_ring_allgather", 5, 1<<10, 64<<10),
			ownAlgorithm("MPI_Scan", 4, "recursive_doubling", 3, tuned...),
			ownAlgorithm("MPI_Allgather", 4, "ring", 4, 1<<10),
		},
		"cvar": {ownAlgorithm("MPI_Bcast", 4, "binomial", 1, tuned...)},
	},
}

// writes tells whether a writer is for the version of a fixture's library.
func writes(b *mpirun.Fixture, f *glfile.File, writer string) bool {
	b.T.Helper()
	info := must.Get(untimed.NewOnce(f, nil))(b.T).Rank()
	w, _ := tuning.Get(writer)
	return w.For(tuning.LibraryOf(info.Library, info.LibVersion))
}

// written lets a writer make the setting of a library's choices, in a folder of its own.
func written(b *mpirun.Fixture, f *glfile.File, writer string) (*tuning.Setting, string) {
	b.T.Helper()
	folder := filepath.Join(b.Dir, writer)
	target, err := must.Get(untimed.NewOnce(f, nil))(b.T).Target(b.T.Context(), folder)
	if err != nil {
		b.T.Fatal(err)
	}
	w, _ := tuning.Get(writer)
	s, err := w.Write(target, theirs[b.Lib.Name][writer])
	if err != nil || len(s.Rejected) > 0 {
		b.T.Fatalf("%v, refused %+v", err, s)
	}
	must.Do(b.T, os.MkdirAll(folder, 0o777))
	for _, file := range s.Files {
		must.Do(b.T, os.WriteFile(filepath.Join(folder, file.Name), file.Content, 0o666))
		_, err := w.Read(file.Name, file.Content)
		should.Hold(b.T, err == nil, "%s writes what it refuses: %v", writer, err)
	}
	return s, folder
}

func force(b *mpirun.Fixture, f *glfile.File, env map[string]string, entries []tuning.Entry) []effect.Effect {
	b.T.Helper()
	out := must.Get(effect.Of(b.T.Context(), must.Get(untimed.NewOnce(f, nil))(b.T), env, entries))(b.T)
	return out
}

func TestWrittenSettingsAreInForceAndLetConformanceCallsPass(t *testing.T) {
	mpirun.BothAtOnce(t, func(t *testing.T, b *mpirun.Fixture) {
		f := onProcesses(b, 4)
		for writer := range theirs[b.Lib.Name] {
			if !writes(b, f, writer) {
				continue
			}
			s, _ := written(b, f, writer)
			told, byMessages := 0, 0
			for _, x := range force(b, f, s.Env, s.Entries) {
				switch x.State {
				case effect.InEffect:
					if told++; strings.HasPrefix(x.Text, "by messages") {
						byMessages++
					}
					t.Logf("%s: %s", x.Entry.Choice, x.Text)
				case effect.CannotTell:
					should.Hold(t, !strings.Contains(x.Entry.Choice.Algorithm, "+fan"), "%s: %s", x.Entry.Choice, x.Text)
					t.Logf("%s: %s", x.Entry.Choice, x.Text)
				case effect.NotInEffect:
					t.Errorf("%s: %s: %s", writer, x.Entry.Choice, x.Text)
				}
			}
			if told < (len(s.Entries)+1)/2 {
				t.Errorf("%s: %d of %d entries are seen to be in force", writer, told, len(s.Entries))
			}
			should.Hold(t, len(s.Files) == 0 || byMessages >= len(s.Entries)/2, "%s: %d of %d by messages", writer, byMessages, len(s.Entries))
			all := conforming(t, f, s.Env, functionsOf(s)...)
			for _, o := range bad(all) {
				if !knownWrong(b, o) {
					t.Errorf("%s: %s: %s: %s", writer, o.Call, o.State, o.Message)
				}
			}
		}
	})
}

// A limit acts on messages of all sizes: those around it are of both kinds, sent at once and not.
func TestMessagesStayInOrderUnderAnEagerLimit(t *testing.T) {
	mpirun.BothAtOnce(t, func(t *testing.T, b *mpirun.Fixture) {
		variable := map[string]string{"openmpi": vader, "mpich": "UCX_RNDV_THRESH"}[b.Lib.Name]
		limit := tuning.Choice{Kind: tuning.ByComponent, Component: "larger eager limit", Env: map[string]string{variable: "8192"}}
		o := must.Get(untimed.NewOnce(onProcesses(b, 3), nil))(t)
		all := must.Get(conformance.Make(t.Context(), o, limit.Env, []tuning.Entry{{Choice: limit}}, "MPI_Send"))(t)
		should.Equal(t, bad(all), []conformance.Outcome(nil), "messages under %s", variable)
		for _, size := range []int64{8 << 10, 16 << 10} {
			should.Equal(t, lists.Count(all, func(o conformance.Outcome) bool { return o.Msize == size && o.NP == 3 }), 4, "calls of %d B", size)
		}
	})
}

// functionsOf are the collectives that a setting is about.
func functionsOf(s *tuning.Setting) (out []string) {
	for _, e := range s.Entries {
		if !slices.Contains(out, e.Choice.Function) {
			out = append(out, e.Choice.Function)
		}
	}
	return out
}

// knownWrong: MPICH 4.0.2 crashes in MPI_Reduce in place at a root other than 0
// (pmodels/mpich#6540).
func knownWrong(b *mpirun.Fixture, o conformance.Outcome) bool {
	return b.Lib.Name == "mpich" && o.Function == "MPI_Reduce" && strings.Contains(o.Call, "MPI_IN_PLACE") && o.State == conformance.Aborted
}

// A file as the generators of others write it.
const byHand = `# Gather and Scatter by size, on 4 processes
2
9 # Gather
1
4
2
0 1 0 0
4096 2 0 0
15 # Scatter
1
4
2
0 1 0 0
4096 2 0 0
`

// The two calls that abort under such a file: what sendcount is does not count on the ranks
// that give 0.
func TestRulesBySizeForScatterAndGatherAreNamedAsTheCause(t *testing.T) {
	t.Parallel()
	b := mpirun.New(t, mpirun.Libraries[0])
	f := onProcesses(b, 4)
	f.Measure.Stall = conf.Duration(5 * time.Second) // two calls hang
	path := filepath.Join(b.Dir, "by-hand.rules")
	must.Do(t, os.WriteFile(path, []byte(byHand), 0o666))
	all := conforming(t, f, map[string]string{"OMPI_MCA_coll_tuned_use_dynamic_rules": "1", "OMPI_MCA_coll_tuned_dynamic_rules_filename": path}, "MPI_Gather", "MPI_Scatter")
	for function, c := range map[string]struct{ what, line string }{
		"MPI_Gather":  {"MPI_IN_PLACE, with 0 and MPI_DATATYPE_NULL", path + ":8: "},
		"MPI_Scatter": {"0, NULL and MPI_DATATYPE_NULL where arguments do not count", path + ":14: "},
	} {
		if !slices.ContainsFunc(bad(all), func(o conformance.Outcome) bool {
			return o.Function == function && strings.HasSuffix(o.Call, c.what) && strings.HasPrefix(o.Cause, c.line)
		}) {
			t.Errorf("no call of %s is named with %s\n%+v", function, c.line, bad(all))
		}
	}
	for _, o := range bad(all) {
		if o.Cause == "" && (o.NP == 4 || o.State != conformance.Hangs) { // on parts a call may be late
			t.Errorf("%s: %s, without a cause", o.Call, o.State)
		}
	}
}

// Open MPI 4's Alltoall by Bruck copies the blocks to send as if each had a place of its own.
func TestOneBlockForAllRanksFindsAnAlgorithmThatCopies(t *testing.T) {
	t.Parallel()
	b := mpirun.New(t, mpirun.Libraries[0])
	f := onProcesses(b, 2)
	info := must.Get(untimed.NewOnce(f, nil))(t).Rank()
	if tuning.LibraryOf(info.Library, info.LibVersion).Major != 4 {
		t.Skip("not known for this version of Open MPI")
	}
	all := conforming(t, f, map[string]string{"OMPI_MCA_coll_tuned_use_dynamic_rules": "1", "OMPI_MCA_coll_tuned_alltoall_algorithm": "3"}, "MPI_Alltoall")
	should.Hold(t, slices.ContainsFunc(bad(all), func(o conformance.Outcome) bool { return strings.HasSuffix(o.Call, "of extent 0") }), "%+v", bad(all))
}

// Allreduce by ring is wrong with operators that do not commute. The usual sizes of conformance
// calls do not meet this rule.
func TestRuleIsCalledAtTheSizesThatItReaches(t *testing.T) {
	t.Parallel()
	b := mpirun.New(t, mpirun.Libraries[0])
	path := filepath.Join(b.Dir, "ring.rules")
	must.Do(t, os.WriteFile(path, []byte("1\n2\n1\n2\n3\n0 0 0 0\n8192 4 0 0\n32768 0 0 0\n"), 0o666))
	env := map[string]string{"OMPI_MCA_coll_tuned_use_dynamic_rules": "1", "OMPI_MCA_coll_tuned_dynamic_rules_filename": path}
	o := must.Get(untimed.NewOnce(onProcesses(b, 2), nil))(t)
	reached := tuning.Entry{Choice: ownAlgorithm("MPI_Allreduce", 2, "ring", 4, 16<<10), From: 8 << 10, To: 32 << 10}
	for _, entries := range [][]tuning.Entry{nil, {reached}} {
		wrong := slices.DeleteFunc(bad(must.Get(conformance.Make(t.Context(), o, env, entries, "MPI_Allreduce"))(t)), func(o conformance.Outcome) bool {
			return !reached.Covers(o.Msize) || o.State != conformance.Wrong
		})
		if (len(wrong) > 0) != (len(entries) > 0) {
			t.Errorf("%d entries: %+v", len(entries), wrong)
		}
	}
}

func TestMissingAndWrongSettingsAreNotInForce(t *testing.T) {
	mpirun.BothAtOnce(t, func(t *testing.T, b *mpirun.Fixture) {
		f := onProcesses(b, 4)
		file, variable := "openmpi-rules", "mca"
		if !writes(b, f, file) {
			file = "openmpi-json"
		}
		if b.Lib.Name == "mpich" {
			file, variable = "mpich-json", "cvar"
		}
		s, folder := written(b, f, file)
		v, _ := written(b, f, variable)
		says := func(env map[string]string, entries []tuning.Entry, text string) {
			t.Helper()
			for _, x := range force(b, f, env, entries[:1]) {
				if x.State != effect.NotInEffect || !strings.Contains(x.Text, text) {
					t.Errorf("%s: %s, want %q", x.State, x.Text, text)
				}
			}
		}
		if b.Lib.Name == "openmpi" {
			off := maps.Clone(s.Env)
			delete(off, "OMPI_MCA_coll_tuned_use_dynamic_rules")
			says(off, s.Entries, "use_dynamic_rules is not 1")
			says(nil, v.Entries, "use_dynamic_rules is not 1")
			must.Do(t, os.WriteFile(filepath.Join(folder, s.Files[0].Name), []byte("nonsense\n"), 0o666))
			says(s.Env, s.Entries, "messages")
			two := tuning.Entry{Choice: ownAlgorithm("MPI_Alltoall", 4, "two_proc", 5, tuned...), Proof: tuning.ByMessages, Variable: "OMPI_MCA_coll_tuned_alltoall_algorithm", Value: "5"}
			says(map[string]string{"OMPI_MCA_coll_tuned_use_dynamic_rules": "1", two.Variable: two.Value}, []tuning.Entry{two}, "a plain call ends the mpirun under it")
		} else {
			says(nil, v.Entries, "is 0, and binomial is 1")
			says(map[string]string{"MPIR_CVAR_BCAST_INTRA_ALGORITHM": "binomail"}, v.Entries, "no MPI program starts")
			says(nil, s.Entries, "is empty")
			other := s.Entries[slices.IndexFunc(s.Entries, func(e tuning.Entry) bool { return e.Choice.Function == "MPI_Bcast" })]
			other.Choice.Algorithm, other.Choice.Value = "binomial", 1
			says(s.Env, []tuning.Entry{other}, "and with binomial")
		}
		must.Do(t, os.RemoveAll(folder))
		says(s.Env, s.Entries, map[string]string{"openmpi": "no such file", "mpich": "no MPI program starts"}[b.Lib.Name])
	})
}

// A launcher may not hand the environment to all ranks.
func TestSettingThatNotAllRanksHaveIsNotInForce(t *testing.T) {
	t.Parallel()
	b := mpirun.New(t, mpirun.Libraries[1])
	const variable, malloc = "MPIR_CVAR_SCAN_INTRA_ALGORITHM", "MALLOC_TRIM_THRESHOLD_"
	b.Rank, _, _ = strings.Cut(b.Script("lost", `if [ "$PMI_RANK" = 1 ]; then unset `+variable+` `+malloc+`; fi
exec `+b.Rank+` "$@"`), " ")
	scan := ownAlgorithm("MPI_Scan", 2, "recursive_doubling", 3, tuned...)
	env := map[string]string{variable: scan.Algorithm, malloc: "1000"}
	for _, x := range force(b, onProcesses(b, 2), env, []tuning.Entry{
		{Choice: scan, Proof: tuning.ByVariable, Variable: variable, Value: scan.Algorithm},
		{Choice: tuning.Choice{Kind: tuning.ByEnv, NP: 2, Env: map[string]string{malloc: "1000"}}, Proof: tuning.ByRanks, Variable: malloc},
	}) {
		if x.State != effect.NotInEffect || !strings.Contains(x.Text, "rank 1 of 2: it is ") {
			t.Errorf("%s: %s: %s", x.Entry.Choice, x.State, x.Text)
		}
	}
}

// An algorithm for 2, 4, 8, … processes ends the program on a part of four: a variable
// chooses it there too.
func TestConformanceCallsAreMadeOnPartsThatAreNoPowerOfTwo(t *testing.T) {
	t.Parallel()
	b := mpirun.New(t, mpirun.Libraries[1])
	var all []conformance.Outcome
	for range 3 { // MPICH's launcher may lose the last words of ranks that abort: then another call is blamed
		all = conforming(t, onProcesses(b, 4), map[string]string{"MPIR_CVAR_REDUCE_SCATTER_INTRA_ALGORITHM": "noncommutative"}, "MPI_Reduce_scatter")
		if slices.ContainsFunc(bad(all), func(o conformance.Outcome) bool { return o.NP == 3 && o.State == conformance.Aborted }) {
			return
		}
	}
	t.Errorf("%+v", bad(all))
}

// A library that ends the first mpirun with conformance calls, and none after that.
func TestAConformanceCallThatEndsOneMpirunIsNotRight(t *testing.T) {
	t.Parallel()
	b := mpirun.New(t, mpirun.Libraries[1])
	ends := false
	o := must.Get(untimed.NewOnce(onProcesses(b, 3), func(argv, env []string, stderr io.Writer) (*measure.Ranks, error) {
		if ends {
			env = append(env, "MPIR_CVAR_REDUCE_SCATTER_INTRA_ALGORITHM=noncommutative")
		}
		ends = false
		return measure.Exec(argv, env, stderr)
	}))(t)
	ends = true
	all := must.Get(conformance.Make(t.Context(), o, nil, nil, "MPI_Reduce_scatter"))(t)
	ended := bad(all)
	must.Hold(t, len(ended) == 1 && ended[0].State == conformance.Aborted && strings.Contains(ended[0].Message, "made again"), "%+v", ended)
	should.Equal(t, lists.Count(all, func(o conformance.Outcome) bool { return o.Call == ended[0].Call }), 1, "outcomes of the call")
}

// conforming makes conformance calls under a configuration.
func conforming(t *testing.T, config *glfile.File, env map[string]string, functions ...string) []conformance.Outcome {
	t.Helper()
	o := must.Get(untimed.NewOnce(config, nil))(t)
	return must.Get(conformance.Make(t.Context(), o, env, nil, functions...))(t)
}
