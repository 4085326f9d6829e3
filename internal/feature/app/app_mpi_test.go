package app

import (
	"cmp"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"pgmpi/internal/feature/app/profile"
	"pgmpi/internal/lists"
	"pgmpi/mockups"
	"pgmpi/testkit/mpirun"
	"pgmpi/testkit/must"
	"pgmpi/testkit/should"
)

// applied lists the collectives that the preloaded library can replace.
var applied = []string{"MPI_Allgather", "MPI_Allreduce", "MPI_Alltoall", "MPI_Bcast", "MPI_Exscan", "MPI_Gather", "MPI_Reduce", "MPI_Reduce_scatter_block", "MPI_Scan", "MPI_Scatter"}

// mostMockups returns the largest number of one collective. On two and three processes both calls on fewer are the
// same.
func mostMockups() int {
	if mpirun.Everything {
		return 8
	}
	return 7
}

// isTurn gives each mock-up on 2 processes to one library, and on 3 to the other; in `make test-all` to both.
func isTurn(b *mpirun.Fixture, np, turn int) bool {
	return mpirun.Everything || (np+turn+b.LibraryIndex())%2 == 0
}

// rules sends every call on 2 to np processes through the turn-th mock-up of its collective.
func rules(b *mpirun.Fixture, np, turn int) (path string, ids []string) {
	var text strings.Builder
	for _, of := range applied {
		var its []string
		for _, f := range mockups.All() {
			if f.IsMockup() && f.Of == of && f.Call == "" && !f.Identity && f.Over == "" && (mpirun.Everything || !strings.HasSuffix(f.ID, "@power_of_two")) {
				its = append(its, f.ID)
			}
		}
		id, types := its[turn%len(its)], "-"
		if f, _ := mockups.Get(of); f.Reduces {
			types = "all"
		}
		ids = append(ids, id)
		for p := 2; p <= np; p++ {
			fmt.Fprintln(&text, AppliedRule{Function: of, Processes: p, From: 1, To: 4 << 20, Mockup: id, Types: types}.Line())
		}
	}
	path = filepath.Join(b.Dir, fmt.Sprintf("rules-%d-%d", np, turn))
	must.Do(b.T, os.WriteFile(path, []byte(text.String()), 0o666))
	return path, ids
}

// preloaded runs a built program with the library between it and MPI.
func preloaded(b *mpirun.Fixture, np int, set []string, program string, args ...string) string {
	b.T.Helper()
	out, err := throughLibrary(b, np, set, append([]string{program}, args...)...)
	must.Hold(b.T, err == nil, "%s %v, %v: %v\n%s", program, args, set, err, out)
	return out
}

func throughLibrary(b *mpirun.Fixture, np int, set []string, argv ...string) (string, error) {
	library := filepath.Join(b.Bin, b.Lib.Rank+"-preload.so")
	if b.Lib.Yield {
		library += ":" + filepath.Join(b.Bin, "yield.so")
	}
	return b.Ranks(np, slices.Concat([]string{"timeout", "3000", "env", "LD_PRELOAD=" + library}, set, argv)...)
}

func built(b *mpirun.Fixture, program string) string {
	return filepath.Join(b.Bin, program+"-"+b.Lib.Name)
}

// Each mock-up meets all legal calls with two ranks, all datatypes and operators with two and three, and in
// `make test-all` all of it with both libraries.
func TestEveryLegalCallIsRightThroughThePreloadedMockups(t *testing.T) {
	mpirun.BothAtOnce(t, func(t *testing.T, b *mpirun.Fixture) {
		for _, np := range []int{2, 3} {
			for turn := range mostMockups() {
				if !isTurn(b, np, turn) {
					continue
				}
				rules, ids := rules(b, np, turn)
				hits := filepath.Join(b.Dir, fmt.Sprintf("hits-%d-%d", np, turn))
				set := []string{"PGMPI_APPLY=" + rules, "PGMPI_APPLIED=" + hits}
				programs := []string{"calls", "messages", "buffers"}
				if turn > 1 && !mpirun.Everything { // one turn shows what is between program and library
					programs = programs[:3-np]
				}
				for _, what := range programs {
					should.Contain(t, preloaded(b, np, set, built(b, "preload"), what), "No Errors")
				}
				should.Contain(t, preloaded(b, np, set, built(b, "calls")), "No Errors")
				should.Contain(t, preloaded(b, np, set, built(b, "exhaustive"), fmt.Sprint(1200*np*np)), " 0 failures")
				should.Equal(t, unmet(t, hits, ids), nil, "mock-ups through which no call went, p = %d", np)
			}
		}
	})
}

func TestExactRulesKeepEveryBit(t *testing.T) {
	mpirun.EitherAtOnce(t, func(t *testing.T, b *mpirun.Fixture) {
		for turn := range mostMockups() {
			if !isTurn(b, 2, turn) {
				continue
			}
			rules, _ := rules(b, 2, turn)
			text := string(must.Get(os.ReadFile(rules))(t))
			must.Do(t, os.WriteFile(rules, []byte(strings.ReplaceAll(text, " all\n", " exact\n")), 0o666))
			should.Contain(t, preloaded(b, 2, []string{"PGMPI_APPLY=" + rules}, built(b, "preload"), "bits"), "No Errors")
			if turn > 1 && !mpirun.Everything { // the program calls one collective
				continue
			}
			hits := filepath.Join(b.Dir, fmt.Sprint("exact-", turn))
			should.Contain(t, preloaded(b, 2, []string{"PGMPI_APPLY=" + rules, "PGMPI_APPLIED=" + hits}, built(b, "preload"), "many", "5"), "No Errors")
			should.Contain(t, string(must.Get(os.ReadFile(hits))(t)), "10 MPI_Allreduce 2 ")
		}
	})
}

// Functions that a tool in the program hides are named; the rest is replaced and counted all the same.
func TestFunctionsThatAToolHidesAreNamed(t *testing.T) {
	mpirun.EitherAtOnce(t, func(t *testing.T, b *mpirun.Fixture) {
		rules, _ := rules(b, 2, 0)
		hits := filepath.Join(b.Dir, "hits")
		out := preloaded(b, 2, []string{"PGMPI_APPLY=" + rules, "PGMPI_APPLIED=" + hits}, built(b, "tool"), "calls")
		should.Contain(t, out, "No Errors")
		should.Equal(t, strings.Count(out, "neither counted nor replaced: MPI_Init_thread MPI_Finalize MPI_Allreduce"), 1, "how often the functions are named")
		should.Equal(t, unmet(t, hits, []string{"scan_as_exscan+reduce_local", "allgather_as_alltoall"}), nil, "mock-ups through which no call went")
		p := profileOf(b, 0, built(b, "tool"), "calls")
		should.Hold(t, p.Finished && p.Hidden == "MPI_Init_thread MPI_Finalize MPI_Allreduce", "%v, hidden: %s", p.Finished, p.Hidden)
		p = profileOf(b, 0, built(b, "preload"), "calls")
		should.Hold(t, p.Finished && p.Hidden == "", "%v, hidden: %s", p.Finished, p.Hidden)
	})
}

// unmet returns the mock-ups that no call went through.
func unmet(t *testing.T, hits string, ids []string) []string {
	text := string(must.Get(os.ReadFile(hits))(t))
	return slices.DeleteFunc(slices.Clone(ids), func(id string) bool {
		return slices.ContainsFunc(strings.Split(text, "\n"), func(line string) bool {
			return strings.HasSuffix(line, " "+id) && !strings.HasPrefix(line, "0 ")
		})
	})
}

// PGMPI_SUITE=DIR means the same as in TestProgramsOfATestSuiteRunThroughEachMockup; `sh bench/mpich.sh tests DIR`
// makes it.
func TestProgramsOfATestSuiteAreRightThroughThePreloadedMockups(t *testing.T) {
	suite := os.Getenv("PGMPI_SUITE")
	if suite == "" {
		t.Skip("PGMPI_SUITE names no folder of built test programs")
	}
	mpirun.BothAtOnce(t, func(t *testing.T, b *mpirun.Fixture) {
		var right, alone int
		hits := filepath.Join(b.Dir, "hits-")
		for _, p := range mpirun.Testlist(t, filepath.Join(suite, b.Lib.Name)) {
			if out, err := b.Ranks(p.NP, append([]string{"timeout", "60"}, p.Argv...)...); err != nil || !strings.Contains(out, "No Errors") {
				alone++
				t.Logf("left out, as it is not right alone: %v on %d: %v: %.300s", p.Argv, p.NP, err, out)
				continue
			}
			for turn := range mostMockups() {
				rules, _ := rules(b, p.NP, turn)
				set := []string{"PGMPI_APPLY=" + rules, "PGMPI_APPLIED=" + hits + fmt.Sprint(turn), "PGMPI_PROFILE=" + filepath.Join(b.Dir, "prof")}
				out, err := throughLibrary(b, p.NP, set, p.Argv...)
				should.Hold(t, err == nil && strings.Contains(out, "No Errors"), "%v on %d, turn %d: %v\n%.2000s", p.Argv, p.NP, turn, err, out)
			}
			right++
		}
		for turn := range mostMockups() {
			_, ids := rules(b, 2, turn)
			should.Equal(t, unmet(t, hits+fmt.Sprint(turn), ids), nil, "mock-ups through which no call went, turn %d", turn)
		}
		t.Logf("%d programs ran through all mock-ups, %d are not right alone", right, alone)
	})
}

// PGMPI_COMMUNICATORS=1000000 makes as many, in some minutes.
func TestThreadsAndManyCommunicatorsAreServedWithoutGrowth(t *testing.T) {
	mpirun.EitherAtOnce(t, func(t *testing.T, b *mpirun.Fixture) {
		rules, _ := rules(b, 2, 0)
		for _, set := range [][]string{{"PGMPI_APPLY=" + rules}, {"PGMPI_PROFILE=" + filepath.Join(b.Dir, "prof")}} {
			should.Contain(t, preloaded(b, 2, set, built(b, "preload"), "threads"), "No Errors")
			out := preloaded(b, 2, set, built(b, "preload"), "many", cmp.Or(os.Getenv("PGMPI_COMMUNICATORS"), "2000"))
			should.Contain(t, out, "No Errors")
			t.Logf("%s:\n%s", set, out)
		}
	})
}

func TestRulesThatAreNotUnderstoodEndTheProgram(t *testing.T) {
	t.Parallel()
	b := mpirun.New(t, mpirun.Libraries[0])
	rules := filepath.Join(b.Dir, "rules")
	for _, line := range []string{"MPI_Scan 2 1 8 scan_as_nothing all", "MPI_Scan 2 9 8 scan_as_exscan+reduce_local all", "MPI_Bcast 2 1 8 scan_as_exscan+reduce_local -",
		"MPI_Scan 2 1 8 scan_as_exscan+reduce_local -", "MPI_Scan 2 1 8"} {
		must.Do(t, os.WriteFile(rules, []byte("# rules\n"+line+"\n"), 0o666))
		out, err := b.Ranks(2, "env", "LD_PRELOAD="+filepath.Join(b.Bin, b.Lib.Rank+"-preload.so"), "PGMPI_APPLY="+rules, built(b, "calls"))
		should.Hold(t, err != nil && strings.Contains(out, "rules:2: not a rule"), "%s: %v\n%s", line, err, out)
	}
	for _, path := range []string{"/dev/zero", t.TempDir()} {
		out, err := throughLibrary(b, 2, []string{"PGMPI_APPLY=" + path}, built(b, "calls"))
		should.Hold(t, err != nil && strings.Contains(out, "PGMPI_APPLY="+path+": is no regular file"), "%s: %v\n%s", path, err, out)
	}
}

// profileOf runs a program under `pgmpi profile`.
func profileOf(b *mpirun.Fixture, code int, program ...string) *profile.Profile {
	b.T.Helper()
	launcher := b.Lib.Launcher()
	path := filepath.Join(b.Dir, "app.prof")
	args := []string{"profile", "--rank", b.Rank, "--out", path, "--"}
	if program[0] != "sh" {
		args = append(args, launcher, "-np", "2")
	}
	b.Pgmpi(append(args, program...)...).Exits(b.T, code).Says(b.T, fmt.Sprintf("Exit %d", code))
	return must.Get(profile.Read(path))(b.T)
}

func TestAProfileHasEveryCall(t *testing.T) {
	mpirun.BothAtOnce(t, func(t *testing.T, b *mpirun.Fixture) {
		python := filepath.Join(b.Dir, "python3") // any program of that name
		must.Do(t, os.Symlink(must.Get(filepath.Abs(built(b, "preload")))(t), python))
		p := profileOf(b, 0, python, "many", "50")
		should.Equal(t, p.Program, "many", "what Python runs")
		c := p.Calls[slices.IndexFunc(p.Calls, func(c profile.Call) bool { return c.Function == "MPI_Allreduce" })]
		should.Hold(t, p.Finished && p.Ranks == 2 && p.Processes == 2, "%+v", p)
		should.Equal(t, p.Launch[1:], []string{"-np", "{np}"})
		should.Hold(t, c.Calls == 100 && c.Bytes == 400 && c.Processes == 2 && c.Communicator == "part" && c.Datatype == "MPI_INT" && c.Op == "MPI_SUM" && c.Ranks == 2, "%+v", c)
		should.Hold(t, c.LeastCallNS > 0 && c.LeastCallNS*c.Calls <= c.SumNS && c.SumNS < 2*p.WallNS, "%+v", c)
	})
}

func TestABarrierBeforeEachCallTakesTheWaiting(t *testing.T) {
	mpirun.EitherAtOnce(t, func(t *testing.T, b *mpirun.Fixture) {
		path := filepath.Join(b.Dir, "sync.prof")
		b.Pgmpi("profile", "--sync", "--rank", b.Rank, "--out", path, "--", b.Lib.Launcher(), "-np", "2", built(b, "preload"), "calls").Exits(t, 0).
			Shows(t, "(--sync)")
		p := must.Get(profile.Read(path))(t)
		should.Hold(t, p.Sync && p.Finished && len(p.Calls) > 20, "%+v", p)
		for _, c := range p.Calls {
			should.Hold(t, c.WaitingNS > 0 || c.Processes == 1, "%+v", c)
		}
	})
}

// The pairs are in testdata/preload/made.c, and nothing else there is one.
func TestTwoCallsThatAreOneAreCounted(t *testing.T) {
	mpirun.EitherAtOnce(t, func(t *testing.T, b *mpirun.Fixture) {
		program := filepath.Join(b.Dir, "made")
		out, err := exec.Command("mpicc."+b.Lib.Name, "-o", program, "../../../testdata/preload/made.c").CombinedOutput()
		must.Hold(t, err == nil, "%v\n%s", err, out)
		p := profileOf(b, 0, program)
		got := map[string]int64{}
		for _, m := range p.Made {
			got[fmt.Sprintf("%s %d B %s by %s", m.Function, m.Bytes, m.Op, m.By)] = m.Calls
			should.Hold(t, m.Processes == 2 && m.Ranks == 2 && m.SumNS > 0 && m.Datatype == "MPI_DOUBLE", "%+v", m)
		}
		should.Equal(t, got, map[string]int64{"MPI_Allreduce 32 B MPI_MAX by MPI_Reduce + MPI_Bcast": 20, "MPI_Allgather 32 B  by MPI_Gather + MPI_Bcast": 20,
			"MPI_Bcast 64 B  by MPI_Scatter + MPI_Allgather": 20, "MPI_Reduce_scatter_block 32 B MPI_SUM by MPI_Reduce + MPI_Scatter": 20})
		should.Equal(t, p.MadeCalls(), int64(2*10*16))
		for _, c := range p.Calls {
			should.Equal(t, c.Root == 1, c.Function == "MPI_Gather" || c.Function == "MPI_Bcast" && c.OtherRoot == c.Calls, "%+v", c)
		}
	})
}

// testdata/preload/roots.c writes the roots of what the ranks of a check call.
func TestACheckCallsWithTheRootThatACallHasOfItsOwn(t *testing.T) {
	mpirun.EitherAtOnce(t, func(t *testing.T, b *mpirun.Fixture) {
		library := filepath.Join(b.Dir, "roots.so")
		out, err := exec.Command("mpicc."+b.Lib.Name, "-shared", "-fPIC", "-o", library, "../../../testdata/preload/roots.c").CombinedOutput()
		must.Hold(t, err == nil, "%v\n%s", err, out)
		for call, want := range map[string]string{"Bcast:64:2": "0", "Bcast:64:2:root=1": "1"} {
			roots := filepath.Join(b.Dir, "roots-"+want)
			gl := b.TOML(fmt.Sprintf("[check]\nguidelines = [\"GL10\"]\ncalls = [%q]\n[job]\nnp = [2]\nmpiruns = 3\n[nrep]\nfixed = 99\n[mpi]\nenv = { LD_PRELOAD = %q, PGMPI_ROOTS = %q }\n",
				call, library, roots))
			b.Pgmpi("check", "--guidelines", gl, "--rank", b.Rank, "--out", b.Out+want, "--quiet").Exits(t, 0, 1)
			called := string(must.Get(os.ReadFile(roots))(t))
			should.Hold(t, strings.Count(called, want) > 99 && strings.Count(called, "1") == map[string]int{"1": strings.Count(called, want)}[want], "%s: %s", call, called)
		}
	})
}

// testdata/preload/sizes.c sends these messages. A wait is for the largest that was sent before it.
func TestMessagesAreCountedBySize(t *testing.T) {
	mpirun.BothAtOnce(t, func(t *testing.T, b *mpirun.Fixture) {
		program := filepath.Join(b.Dir, "sizes")
		out, err := exec.Command("mpicc."+b.Lib.Name, "-o", program, "../../../testdata/preload/sizes.c").CombinedOutput()
		must.Hold(t, err == nil, "%v\n%s", err, out)
		got := map[string]int64{}
		for _, m := range profileOf(b, 0, program).Messages {
			got[fmt.Sprintf("%s %d %s", m.Function, m.Bytes, m.Pair)] = m.Calls
		}
		should.Equal(t, got, map[string]int64{
			"MPI_Send 2048 node": 10, "MPI_Recv 2048 node": 10, "MPI_Ssend 0 node": 1, "MPI_Recv 0 node": 1,
			"MPI_Sendrecv 64 node": 10, "MPI_Sendrecv 16 node": 2, "MPI_Sendrecv_replace 1 node": 2,
			"MPI_Isend 65536 node": 6, "MPI_Irecv 1048576 node": 6, "MPI_Waitall 65536 node": 6,
			"MPI_Isend 8 node": 4, "MPI_Irecv 16 node": 6, "MPI_Isend 16 node": 2, "MPI_Wait 8 node": 8,
		})
	})
}

// Line numbers are where the sources say MPI_Ssend, and MPI_SCAN.
func TestPlacesOfCallsAreNamed(t *testing.T) {
	if _, err := exec.LookPath("addr2line"); err != nil {
		t.Skip("there is no addr2line")
	}
	mpirun.BothAtOnce(t, func(t *testing.T, b *mpirun.Fixture) {
		for source, call := range map[string][2]string{"sizes.c": {"MPI_Ssend", "MPI_Ssend("}, "fortran.f90": {"MPI_Scan", "MPI_Scan("}} {
			compiler := map[bool]string{true: "mpicc.", false: "mpif90."}[source == "sizes.c"] + b.Lib.Name
			if _, err := exec.LookPath(compiler); err != nil {
				continue
			}
			path, program, text := "../../../testdata/preload/"+source, filepath.Join(b.Dir, "placed-"+source), filepath.Join(b.Dir, source+".prof")
			args := []string{"-g", "-O1", "-o", program, path}
			if source != "sizes.c" {
				args = append([]string{"-cpp", "-DMODULE=mpi"}, args...)
			}
			out, err := exec.Command(compiler, args...).CombinedOutput()
			must.Hold(t, err == nil, "%v\n%s", err, out)
			b.Pgmpi("profile", "--sites", "--rank", b.Rank, "--out", text, "--", b.Lib.Launcher(), "-np", "2", program).Exits(t, 0).Shows(t, "Where it calls them")
			before, _, found := strings.Cut(strings.ToLower(string(must.Get(os.ReadFile(path))(t))), strings.ToLower(call[1]))
			must.Hold(t, found, "%s has no %s", source, call[1])
			line := fmt.Sprintf("%s:%d", source, 1+strings.Count(before, "\n"))
			p := must.Get(profile.Read(text))(t)
			should.Hold(t, slices.ContainsFunc(p.Sites, func(s profile.Site) bool {
				return s.Function == call[0] && strings.HasSuffix(s.Where, " at "+line) && s.Calls > 0
			}), "%s: %+v", line, p.Sites)
		}
	})
}

func TestAFortranProgramIsSeen(t *testing.T) {
	mpirun.BothAtOnce(t, func(t *testing.T, b *mpirun.Fixture) {
		compiler, err := exec.LookPath("mpif90." + b.Lib.Name)
		if err != nil {
			t.Skip("there is no Fortran compiler of this library")
		}
		rules, _ := rules(b, 2, 0)
		for _, module := range []string{"mpi", "mpi_f08"} {
			program := filepath.Join(b.Dir, "fortran-"+module)
			out, err := exec.Command(compiler, "-cpp", "-DMODULE="+module, "-o", program, "../../../testdata/preload/fortran.f90").CombinedOutput()
			must.Hold(t, err == nil, "%v\n%s", err, out)
			p := profileOf(b, 0, program)
			should.Hold(t, p.Finished, "the end of %s was not seen", module)
			for _, name := range []string{"MPI_Scan", "MPI_Allreduce", "MPI_Bcast", "MPI_Alltoallw"} {
				var calls int64
				for _, c := range p.Calls {
					if c.Function == name {
						calls += c.Calls
					}
				}
				should.Equal(t, calls, map[bool]int64{true: 40, false: 20}[name == "MPI_Bcast"], "%s of %s: %+v", name, module, p.Calls)
			}
			hits := filepath.Join(b.Dir, "hits-"+module)
			should.Contain(t, preloaded(b, 2, []string{"PGMPI_APPLY=" + rules, "PGMPI_APPLIED=" + hits}, program), "No Errors")
			should.Contain(t, string(must.Get(os.ReadFile(hits))(t)), "20 MPI_Scan 2 ", "20 MPI_Allreduce 2 ", "40 MPI_Bcast 2 ")
		}
	})
}

// Each collective is called once more often than the one before it, in the order of the names.
func TestCallsAreCountedByAllTheNamesThatAProgramMayUse(t *testing.T) {
	functions := strings.Fields(`MPI_Allgather MPI_Allgatherv MPI_Allreduce MPI_Alltoall MPI_Alltoallv MPI_Alltoallw
		MPI_Barrier MPI_Bcast MPI_Exscan MPI_Gather MPI_Gatherv MPI_Reduce MPI_Reduce_scatter MPI_Reduce_scatter_block
		MPI_Scan MPI_Scatter MPI_Scatterv`)
	mpirun.BothAtOnce(t, func(t *testing.T, b *mpirun.Fixture) {
		for name, words := range map[string]string{
			"c": "mpicc all.c", "large": "mpicc all.c -DLARGE",
			"f08": "mpif90 all.f90 -cpp -DMODULE=1", "mpi": "mpif90 all.f90 -cpp -DMODULE=2", "mpif": "mpif90 all.f90 -cpp -DMODULE=3",
		} {
			words := strings.Fields(words)
			compiler, err := exec.LookPath(words[0] + "." + b.Lib.Name)
			if err != nil {
				t.Logf("%s is not tried: there is no %s of this library", name, words[0])
				continue
			}
			program := filepath.Join(b.Dir, "all-"+name)
			args := append([]string{"-o", program, "../../../testdata/preload/" + words[1]}, words[2:]...)
			if out, err := exec.Command(compiler, args...).CombinedOutput(); name == "large" && err != nil {
				t.Logf("%s is not tried: this library has no such calls", name)
				continue
			} else {
				must.Hold(t, err == nil, "%v\n%s", err, out)
			}
			p, counts := profileOf(b, 0, program), map[string]int64{}
			for _, c := range p.Calls {
				counts[c.Function] += c.Calls
			}
			should.Hold(t, p.Finished && len(counts) == len(functions), "%s: finished: %v, %v", name, p.Finished, counts)
			for i, f := range functions {
				should.Equal(t, counts[f], int64(2*(i+1)), "%s: calls of %s on 2 ranks", name, f)
			}
		}
	})
}

// Each nonblocking collective is called once more often than the one before it, and all else a number of times that is
// in the program.
func TestAllOfMPIIsCounted(t *testing.T) {
	mpirun.BothAtOnce(t, func(t *testing.T, b *mpirun.Fixture) {
		compiler, err := exec.LookPath("mpicc." + b.Lib.Name)
		if err != nil {
			t.Skip("there is no C compiler of this library")
		}
		program := filepath.Join(b.Dir, "others")
		out, err := exec.Command(compiler, "-o", program, "../../../testdata/preload/others.c").CombinedOutput()
		must.Hold(t, err == nil, "%v\n%s", err, out)
		p, counts := profileOf(b, 0, program), map[string]int64{}
		for _, f := range p.Functions {
			should.Hold(t, f.SumNS >= 0, "%+v", f)
			counts[f.Name] += f.Calls
		}
		should.Equal(t, counts, map[string]int64{"MPI_Init": 2, "MPI_Send": 6, "MPI_Recv": 6, "MPI_Sendrecv": 4, "MPI_Isend": 10, "MPI_Irecv": 10,
			"MPI_Waitall": 10, "MPI_Wait": 2 * 17 * 18 / 2, "MPI_Iprobe": 12, "MPI_Comm_dup": 2, "MPI_Comm_free": 2, "MPI_Win_allocate": 2,
			"MPI_Win_fence": 4, "MPI_Put": 2, "MPI_Win_free": 2, "MPI_File_open": 2, "MPI_File_write_at": 2, "MPI_File_close": 2,
			"MPI_Neighbor_alltoall": 2, "MPI_Cart_create": 2})
		for i, name := range strings.Fields("Iallgather Iallgatherv Iallreduce Ialltoall Ialltoallv Ialltoallw Ibarrier Ibcast Iexscan Igather " +
			"Igatherv Ireduce Ireduce_scatter Ireduce_scatter_block Iscan Iscatter Iscatterv") {
			c := lists.First(p.Calls, func(c profile.Call) bool { return c.Function == "MPI_"+name })
			should.Hold(t, c != nil && c.Calls == int64(2*(i+1)) && c.Bytes == map[bool]int64{false: 32}[name == "Ibarrier"], "%s: %+v", name, c)
		}
		should.Equal(t, len(p.Calls), 17)
	})
}

// odd builds testdata/preload/odd.c.
func odd(b *mpirun.Fixture) string {
	b.T.Helper()
	compiler, err := exec.LookPath("mpicc." + b.Lib.Name)
	if err != nil {
		b.T.Skip("there is no C compiler of this library")
	}
	program := filepath.Join(b.Dir, "odd")
	out, err := exec.Command(compiler, "-o", program, "../../../testdata/preload/odd.c", "-lpthread").CombinedOutput()
	must.Hold(b.T, err == nil, "%v\n%s", err, out)
	return program
}

func TestAProgramThatIsCountedGoesOnAsWithout(t *testing.T) {
	mpirun.BothAtOnce(t, func(t *testing.T, b *mpirun.Fixture) {
		program := odd(b)
		for _, way := range []string{"covered", "stack", "fork"} {
			p := profileOf(b, 0, program, way) // exit code 0 covers the child, too
			should.Hold(t, p.Finished && p.Program == "odd" && len(p.Calls) == 1 && p.Calls[0].Calls == 2, "%s: %+v", way, p)
		}
	})
}

func TestMoreKindsOfCallsThanThereIsRoomForAreRounded(t *testing.T) {
	mpirun.EitherAtOnce(t, func(t *testing.T, b *mpirun.Fixture) {
		p := profileOf(b, 0, odd(b), "kinds", "9000")
		should.Equal(t, p.MadeCalls(), 2*9001)
		should.Hold(t, p.Rounded > 0 && p.LostCalls == 0, "%d rounded, %d lost", p.Rounded, p.LostCalls)
	})
}

// Open MPI's mpirun turns this end into one by SIGTERM, and MPICH's does not notice it.
func TestAProgramThatEndsBySystemCallIsSaidToHaveDoneSo(t *testing.T) {
	t.Parallel()
	b := mpirun.New(t, mpirun.Libraries[1])
	b.Pgmpi("profile", "--rank", b.Rank, "--", "mpirun.mpich", "-np", "2", odd(b), "_exit").Exits(t, 3).Says(t, "called MPI_Init, but no rank has left", "_exit")
	should.Equal(t, append(b.Found("app.prof*"), b.Found(".tmp-*")...), nil, "what is left")
}

func TestAProgramThatIsEndedLeavesWhatItHadCounted(t *testing.T) {
	mpirun.EitherAtOnce(t, func(t *testing.T, b *mpirun.Fixture) {
		launcher := b.Lib.Launcher()
		b.Env = append(b.Env, "PGMPI_CALLS="+filepath.Join(b.Dir, "calls"))
		b.Put("ended", `"$@" & until [ -e "$PGMPI_CALLS" ]; do sleep .1; done; kill -TERM $!; wait $!; exit 124`)
		p := profileOf(b, 3, "sh", "ended", launcher, "-np", "2", built(b, "preload"), "wait")
		should.Hold(t, !p.Finished && p.Library != "" && p.Ranks == 2 && len(p.Calls) == 1 && p.Calls[0].Function == "MPI_Allreduce", "%+v", p)
		should.Equal(t, append(b.Found("app.prof.*"), b.Found(".tmp-*")...), nil, "parts are left")
	})
}

// startCalling starts a program that calls until a signal ends it. It is profiled and under rules, in a process
// group of its own.
func startCalling(b *mpirun.Fixture) *mpirun.Started {
	b.T.Helper()
	rules, _ := rules(b, 2, 0)
	app := *b
	app.Rank = filepath.Join(b.Dir, "app")
	must.Do(b.T, errors.Join(os.RemoveAll(app.Rank), os.RemoveAll(filepath.Join(b.Dir, "calls")), os.Symlink(built(b, "preload"), app.Rank), os.MkdirAll(filepath.Join(b.Dir, "tmp"), 0o777)))
	app.Env = append(b.Env, "TMPDIR="+filepath.Join(b.Dir, "tmp"), "PGMPI_CALLS="+filepath.Join(b.Dir, "calls"))
	launcher := b.Lib.Launcher()
	cmd, out, err := app.Command("pgmpi", "profile", "--rank", b.Rank, "--out", filepath.Join(b.Dir, "app.prof"), "--", launcher, "-np", "2", "env", "PGMPI_APPLY="+rules, app.Rank, "wait")
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	s := app.Begin(cmd, out, err)
	b.T.Cleanup(func() { _ = syscall.Kill(-cmd.Process.Pid, syscall.SIGTERM) })
	s.At = func(int) bool { return b.There("calls") }
	s.Settle()
	return s
}

// leftNothing waits for the end of the program, and claims that nothing is left: no process, shared memory, part or
// temporary file.
func leftNothing(s *mpirun.Started, code int) mpirun.Said {
	s.B.T.Helper()
	e := s.Wait(15*time.Second).Exits(s.B.T, code)
	s.Gone(3 * time.Second)
	should.Equal(s.B.T, slices.Concat(s.B.Found("app.prof.*"), s.B.Found(".tmp-*"), s.B.Found("tmp/*")), nil, "what is left")
	return e
}

func TestAKilledProgramLeavesNothingBehind(t *testing.T) {
	mpirun.EitherAtOnce(t, func(t *testing.T, b *mpirun.Fixture) {
		for _, victims := range []int{1, 2} {
			s := startCalling(b)
			if victims == 2 { // they have nothing to leave but what they write now
				must.Do(t, errors.Join(syscall.Kill(s.PIDs[0], syscall.SIGUSR2), syscall.Kill(s.PIDs[1], syscall.SIGCONT)))
				b.WaitFor("parts of two ranks", 5*time.Second, func() bool { return len(b.Found(".tmp-app.prof-*/profile.rank?")) == 2 })
			}
			for _, pid := range s.PIDs[:victims] {
				err := syscall.Kill(pid, syscall.SIGKILL)
				must.Hold(t, err == nil || err == syscall.ESRCH, "%v", err) // the launcher kills the second, too
			}
			e := leftNothing(s, 3).Says(t, "exit status")
			should.Hold(t, b.There("app.prof") || victims == 1 && strings.Contains(e.Stderr, "no rank has left"), "neither a profile nor why there is none:\n%s", e.Stderr)
		}
	})
}

// A terminal signals the launcher too. Signalled twice, Open MPI's leaves its ranks before they have written.
func TestCtrlCLeavesWhatTheProgramHadCounted(t *testing.T) {
	mpirun.EitherAtOnce(t, func(t *testing.T, b *mpirun.Fixture) {
		s := startCalling(b)
		must.Do(t, syscall.Kill(-s.Cmd.Process.Pid, syscall.SIGINT))
		leftNothing(s, 130).Says(t, "interrupted")
		p := must.Get(profile.Read(filepath.Join(b.Dir, "app.prof")))(t)
		should.Hold(t, !p.Finished && p.Ranks == 2, "%+v", p)
	})
}

// plantedCheck checks a program that calls Allreduce of 400 B. The check finds a slowdown that the program does not
// have.
func plantedCheck(b *mpirun.Fixture, calls string) (folder, prof string, app []string) {
	b.T.Helper()
	app = []string{"--", strings.Fields(b.Lib.MPI)[0], "-np", "2", built(b, "preload"), "many", calls}
	profileOf(b, 0, app[4:]...)
	gl := b.TOML("[check]\nguidelines = [\"GL12\"]\ncalls = [\"Allreduce:400:2:int/sum\"]\n[job]\nnp = [2]\nmpiruns = 8\n[measure]\nalternate = false\nfirst_calls = 1\nwarmup = 0\n[nrep]\nfixed = 3\n" + b.Planted("MPI_Allreduce:400:100000000ns@2"))
	b.Pgmpi("check", "--guidelines", gl, "--rank", b.Rank, "--out", b.Out, "--quiet").Exits(b.T, 1)
	return b.Out, filepath.Join(b.Dir, "app.prof"), app
}

const slowAllreduce = "MPI_Allreduce:400:20000000ns"

// MPICH starts sooner than Open MPI, and there are dozens of mpiruns.
func TestNothingIsWrittenForAProgramThatDoesNotGain(t *testing.T) {
	t.Parallel()
	b := mpirun.New(t, mpirun.Libraries[1])
	folder, prof, app := plantedCheck(b, "60")
	// A start that is held up may leave so little to the calls that no setting is worth a change.
	b.Pgmpi("gain", folder, prof, "--full").Exits(t, 0).Shows(t, "would gain nothing of |Change no setting: ", "only by (a )?mock-up", "allreduce_as_reduce")
	b.Pgmpi("gain", folder, prof, "--ab", "6").Exits(t, 2).Says(t, "belong together")
	b.Pgmpi(append([]string{"gain", folder, prof, "--rank", b.Rank, "--ab", "6"}, app...)...).Exits(t, 2).Says(t, "pgmpi remedy")
	remedy := filepath.Join(folder, "remedy")
	must.Do(t, errors.Join(os.Mkdir(remedy, 0o777), os.WriteFile(filepath.Join(remedy, "env.sh"), []byte("export MALLOC_TRIM_THRESHOLD_='1000000000'\n"), 0o666)))
	fewer := append(slices.Clone(app[:len(app)-1]), "20")
	b.Pgmpi(append([]string{"gain", folder, prof, "--rank", b.Rank, "--ab", "6", "--quiet"}, fewer...)...).Exits(t, 2).Says(t, "the first run: its ranks called ", "in the profile")
	s := b.Pgmpi(append([]string{"apply", folder, prof, "--rank", b.Rank, "--ab", "6", "--quiet"}, app...)...).Exits(t, 0, 4)
	if s.Code == 4 { // on a busy machine six pairs may show anything
		s.Shows(t, "NO SETTING WRITTEN")
	}
	should.Hold(t, b.There(filepath.Join(filepath.Base(folder), "apply", "env.sh")) == (s.Code == 0), "exit code %d", s.Code)
}

// The program has the slowdown too, 25 times 20 ms. The mock-ups' calls have no part in it. Where more of twelve
// pairs than one meet something else, nothing is shown, and nothing written.
func TestMockupsAreWrittenForAProgramThatGains(t *testing.T) {
	mpirun.EitherAtOnce(t, func(t *testing.T, b *mpirun.Fixture) {
		folder, prof, app := plantedCheck(b, "25")
		b.Env = append(b.Preload(b.Lib.Rank+"-delay.so"), "PGMPI_DELAY="+slowAllreduce)
		s := b.Pgmpi(append([]string{"apply", folder, prof, "--rank", b.Rank, "--ab", "12", "--quiet"}, app...)...).Exits(t, 0, 4)
		should.Equal(t, b.There(filepath.Join(filepath.Base(folder), "apply", "mockups.txt")), s.Code == 0, "mock-ups are written")
		if s.Code != 0 {
			return
		}
		s.Shows(t, " of its run-time by 1 mock-up.", "in 12 alternating pairs", "calls were right")
		should.Contain(t, string(must.Get(os.ReadFile(filepath.Join(folder, "apply", "mockups.txt")))(t)), "MPI_Allreduce 2 400 400 allreduce_as_reduce")
		gl := b.TOML("[check]\nguidelines = [\"GL12\"]\ncalls = [\"Allreduce:400\"]\n[job]\nnp = [2]\nmpiruns = 1\ndatatype = \"int\"\n[nrep]\nfixed = 1\n")
		b.Pgmpi("check", "--guidelines", gl, "--rank", b.Rank, "--out", b.Out+"-under", "--under", filepath.Join(folder, "apply"), "--quiet").Exits(t, 4)
	})
}
