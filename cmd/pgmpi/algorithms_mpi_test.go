package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"pgmpi/analyze/report"
	"pgmpi/measure/launch"
	"pgmpi/measure/protocol"
	"pgmpi/mockups"
	"pgmpi/testkit/mpirun"
	"pgmpi/testkit/must"
	"pgmpi/testkit/should"
)

// Open MPI's own tool lists its algorithms; MPICH takes names from the environment, and its variable then has their
// value.
func TestAlgorithmsAreThoseOfTheLibrarysOwnTools(t *testing.T) {
	bothAtOnce(t, func(t *testing.T, b *fixture) {
		found := b.Algorithms()
		if b.Lib.Name == "openmpi" {
			sameAsOmpiInfo(t, found)
			return
		}
		last := map[string]protocol.Algorithm{} // a value of each variable at once
		for _, c := range found.Collectives {
			if len(c.Names) == 0 {
				t.Errorf("%s has no algorithms", c.Collective)
				continue
			}
			a := c.Names[len(c.Names)-1]
			last[c.Collective] = a
			b.Env = append(b.Env, c.Variable+"="+a.Name)
		}
		for _, c := range b.Algorithms().Collectives {
			if want := last[c.Collective]; c.Now != want.Value {
				t.Errorf("%s: %s is %d under the name %s, the list says %d", c.Collective, c.Variable, c.Now, want.Name, want.Value)
			}
		}
	})
}

func sameAsOmpiInfo(t *testing.T, found report.Algorithms) {
	path, err := exec.LookPath("ompi_info")
	if err != nil {
		t.Skip("there is no ompi_info")
	}
	text := must.Get(exec.Command(path, "--param", "coll", "tuned", "--level", "9", "--parsable").Output())(t)
	var want, have []string
	for _, m := range regexp.MustCompile(`param:(coll_tuned_\w+_algorithm):enumerator:value:(\d+):([\w-]+)`).FindAllStringSubmatch(string(text), -1) {
		if m[2] != "0" {
			want = append(want, m[1]+" "+m[2]+" "+m[3])
		}
	}
	for _, c := range found.Collectives {
		for _, a := range c.Names {
			have = append(have, fmt.Sprintf("%s %d %s", c.Variable, a.Value, a.Name))
		}
	}
	slices.Sort(want)
	slices.Sort(have)
	if len(want) == 0 || !slices.Equal(have, want) {
		t.Errorf("found %v\nompi_info says %v", have, want)
	}
}

// algorithmJob calls functions, each verified, at two sizes.
func algorithmJob(np, nrep int, functions ...string) *protocol.Job {
	d, _ := mockups.GetDatatype("int")
	j := verifyJob(np, d, "sum", 0, true)
	j.Cases, j.Order = nil, nil
	for _, f := range functions {
		for _, size := range []int64{12, 4096} {
			if strings.HasPrefix(f, "MPI_Barrier") {
				size = 0
			}
			j.Order = append(j.Order, len(j.Cases))
			j.Cases = append(j.Cases, protocol.JobCase{Function: f, Msize: size, NRep: nrep})
		}
	}
	return j
}

func TestAllOwnAlgorithmsGiveRightDataOrAnMPIError(t *testing.T) {
	bothAtOnce(t, func(t *testing.T, b *fixture) {
		for name, value := range launch.AlgorithmEnv(b.Lib.Name) {
			b.Env = append(b.Env, name+"="+value)
		}
		var ids []string
		fixed := map[string]bool{}
		for _, c := range b.Algorithms().Collectives {
			fixed[c.Collective] = c.Fixed
			ids = append(ids, mockups.AlgorithmID(c.Collective, mockups.DefaultAlgorithm))
			for _, a := range c.Names {
				ids = append(ids, mockups.AlgorithmID(c.Collective, a.Name))
			}
		}
		for _, np := range []int{2, 3} {
			j := algorithmJob(np, 2, ids...)
			if np > 2 && !mpirun.Everything { // ranks that share cores take ten times as long
				j.Cases = slices.DeleteFunc(j.Cases, func(c protocol.JobCase) bool { return c.Msize == 12 })
				j.Order = j.Order[:len(j.Cases)]
			}
			out := must.Get(b.RunJob(np, j))(t)
			for _, c := range out.Cases {
				id, want := j.Cases[c.Case].Function, protocol.StatusOK
				if fixed[mockups.Collective(id)] && mockups.Variant(id) != "@"+mockups.DefaultAlgorithm || unfit(b.Lib.Name, id, np) {
					want = protocol.StatusUnavailable
				}
				if c.Status != want {
					t.Errorf("p = %d: %s at %d bytes is %s (%s), want %s", np, id, j.Cases[c.Case].Msize, c.Status, c.Message, want)
				}
			}
		}
	})
}

// MPICH's reduce_scatter_allgather refuses one element for two processes with an error: its untimed calls at the
// smallest size, before its first case, would end the mpirun. Open MPI refuses nothing here: `make test-all`.
func TestAlgorithmIsTriedAtASizeBeforeItIsCalledThere(t *testing.T) {
	bothAtOnce(t, func(t *testing.T, b *fixture) {
		if b.Lib.Name == "openmpi" && !mpirun.Everything {
			return
		}
		for name, value := range launch.AlgorithmEnv(b.Lib.Name) {
			b.Env = append(b.Env, name+"="+value)
		}
		algorithm, small := "MPI_Allreduce@recursive_doubling", protocol.StatusOK
		if b.Lib.Name == "mpich" {
			algorithm, small = "MPI_Allreduce@reduce_scatter_allgather", protocol.StatusUnavailable
		}
		for _, order := range [][]int{{1, 2, 0}, {0, 1, 2}, {2, 1, 0, 0, 1, 2}} {
			d, _ := mockups.GetDatatype("int")
			j := verifyJob(2, d, "sum", 0, true)
			j.FirstCalls, j.Order, j.Cases = 3, order, nil
			for _, size := range []int64{4, 64 << 10, 4096} {
				j.Cases = append(j.Cases, protocol.JobCase{Function: algorithm, Msize: size, NRep: 2})
			}
			out := must.Get(b.RunJob(2, j))(t)
			for i, want := range []protocol.Status{small, protocol.StatusOK, protocol.StatusOK} {
				should.Hold(t, out.Cases[i].Case == i && out.Cases[i].Status == want, "order %v: %+v", order, out.Cases[i])
			}
		}
	})
}

// unfit tells whether an algorithm cannot do a plain call on one node. MPICH would run another one instead, without
// a word.
func unfit(library, id string, np int) bool {
	_, name, _ := strings.Cut(id, "@")
	switch {
	case library == "openmpi":
		return np == 3 && name == "two_proc"
	case name == "smp", name == "pairwise_sendrecv_replace": // for several nodes; for MPI_IN_PLACE
		return true
	}
	return np == 3 && (name == "noncommutative" || name == "recursive_doubling" && strings.HasPrefix(id, "MPI_Allgather"))
}

func TestLibraryThatMayRunAnotherAlgorithmIsRefused(t *testing.T) {
	bothAtOnce(t, func(t *testing.T, b *fixture) {
		may, why := "MPIR_CVAR_COLLECTIVE_FALLBACK=print", "MPIR_CVAR_COLLECTIVE_FALLBACK is not error"
		if b.Lib.Name == "openmpi" {
			may, why = "OMPI_MCA_coll_tuned_dynamic_rules_filename=/dev/null", "rules of a file come before"
		}
		b.Env = append(b.Env, may)
		for name, value := range launch.AlgorithmEnv(b.Lib.Name) {
			if !strings.HasPrefix(may, name+"=") {
				b.Env = append(b.Env, name+"="+value)
			}
		}
		if _, err := b.RunJob(2, algorithmJob(2, 1, "MPI_Bcast@binomial")); err == nil || !strings.Contains(err.Error(), why) {
			t.Errorf("%v", err)
		}
	})
}

// Else the default's times would get another name.
func TestForcedAlgorithmThatIsNotInForceIsNotTimed(t *testing.T) {
	bothAtOnce(t, func(t *testing.T, b *fixture) {
		for name, value := range launch.AlgorithmEnv(b.Lib.Name) {
			b.Env = append(b.Env, name+"="+value)
		}
		if _, err := b.with("cvar-lost").RunJob(2, algorithmJob(2, 1, "MPI_Bcast@binomial")); err == nil || !strings.Contains(err.Error(), "to force MPI_Bcast@binomial") {
			t.Errorf("%v", err)
		}
	})
}

// perCall counts Open MPI's internal messages for a repetition of each function. It includes the synchronisation
// before it, without a clock. Other messages, some hundreds more or fewer, do not depend on
// how many repetitions there are.
func (b *fixture) perCall(env []string, functions ...string) int {
	b.T.Helper()
	var sent [2]int
	const few, many = 5, 805
	for i, nrep := range []int{few, many} {
		name := filepath.Join(b.T.TempDir(), "sent")
		x := *b
		x.Env = append(append(slices.Clone(b.Env), env...), "OMPI_MCA_pml_monitoring_enable=1", "OMPI_MCA_pml_monitoring_enable_output=3", "OMPI_MCA_pml_monitoring_filename="+name)
		j := algorithmJob(4, nrep, functions...)
		j.Sync = "dissemination"
		if len(functions) > 1 { // by turns
			j.Order = append(j.Order, j.Order...)
		}
		if _, err := x.RunJob(4, j); err != nil {
			b.T.Fatal(err)
		}
		files, _ := filepath.Glob(name + "*.prof")
		if len(files) != 4 {
			b.T.Skip("this Open MPI has no monitoring layer")
		}
		for _, f := range files {
			text := must.Get(os.ReadFile(f))(b.T)
			for _, m := range regexp.MustCompile(`(?m)^[EI]\s+\d+\s+\d+\s+\d+ bytes\s+(\d+) msgs`).FindAllStringSubmatch(string(text), -1) {
				var n int
				_, _ = fmt.Sscan(m[1], &n)
				sent[i] += n
			}
		}
	}
	const calls = 2 * (many - few) // at two sizes
	return (sent[1] - sent[0] + calls/2) / calls
}

// A forced algorithm sends the same messages as one that is set by hand. The default stays the default between
// calls of other algorithms.
func TestForcedAlgorithmSendsTheMessagesOfTheSetting(t *testing.T) {
	t.Parallel()
	b := newFixture(t, mpirun.Libraries[0])
	const f, own = "MPI_Reduce_scatter_block", "MPI_Reduce_scatter_block@basic_linear"
	plain := b.perCall(nil, f)
	byHand := b.perCall([]string{mpirun.DynamicRules, "OMPI_MCA_coll_tuned_reduce_scatter_block_algorithm=1"}, f)
	if byHand == plain {
		t.Fatalf("the algorithm and the default both send %d messages: they cannot be told apart", plain)
	}
	if n := b.perCall([]string{mpirun.DynamicRules}, own); n != byHand {
		t.Errorf("%s sends %d messages, by hand the setting sends %d, the default %d", own, n, byHand, plain)
	}
	if n := b.perCall([]string{mpirun.DynamicRules}, f, own); n != plain+byHand {
		t.Errorf("together they send %d messages, one by one %d and %d", n, plain, byHand)
	}
}

// The build for tests adds three algorithms: one moves nothing, one never returns, one ends the program. Where a call that
// is right takes longer than a stall, the stall is made longer.
func TestAlgorithmThatIsWrongOrHangsOrCrashesIsNamedAndLeftOut(t *testing.T) {
	t.Parallel()
	b := newFixture(t, mpirun.Libraries[0])
	b.useRank("pgmpi-rank-wrong-openmpi")
	file := b.TOML(onlyUsers + `
[[guideline]]
id = "wrong"
pattern = { function = "MPI_Alltoall", mockup = "MPI_Alltoall@test_wrong" }
[[guideline]]
id = "hangs"
pattern = { function = "MPI_Alltoall", mockup = "MPI_Alltoall@test_hangs" }
[[guideline]]
id = "crashes"
pattern = { function = "MPI_Alltoall", mockup = "MPI_Alltoall@test_crashes" }
[[guideline]]
id = "right"
pattern = { function = "MPI_Alltoall", mockup = "MPI_Alltoall@linear" }
`)
	var s mpirun.Said
	for stall := 2 * time.Second; stall <= time.Minute; stall *= 4 {
		b.Out = filepath.Join(b.Dir, "stall-"+stall.String())
		s = b.Check("--guidelines", file, "--stall", stall.String())
		if s.Code == 3 && strings.Count(s.Stderr, " hangs: ") == 1 && strings.Contains(s.Stderr, "test_crashes crashes: ") &&
			!strings.Contains(s.Stderr, "failed twice") {
			break
		}
	}
	s.Exits(t, 3).Says(t, "MPI_Alltoall@test_hangs hangs: the mpirun is repeated without it",
		"MPI_Alltoall@test_crashes crashes: the mpirun is repeated without it")
	for _, v := range b.Report().Verdicts {
		wrong, missing := v.Verdict == "wrong", v.Verdict == "not_measured"
		if wrong != (v.Guideline == "wrong") || missing != (v.Guideline == "hangs" || v.Guideline == "crashes") {
			t.Errorf("%s is %s: %s", v.Guideline, v.Verdict, v.Reason)
		}
	}
}

func TestAlgorithmThatIsForcedAlreadyIsNotForced(t *testing.T) {
	t.Parallel()
	b := newFixture(t, mpirun.Libraries[0])
	b.Env = append(b.Env, "OMPI_MCA_coll_tuned_scan_algorithm=1")
	file := b.TOML(onlyUsers + "[[guideline]]\nid = \"a\"\npattern = { function = \"MPI_Scan\", mockup = \"MPI_Scan@linear\" }\n")
	if s := b.Check("--guidelines", file); s.Code == 0 || !strings.Contains(s.Stderr, "coll_tuned_scan_algorithm is 1") {
		t.Errorf("exit status %d: %s", s.Code, s.Stderr)
	}
}
