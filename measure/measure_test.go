package measure

import (
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"pgmpi/guidelines"
	"pgmpi/internal/conf"
	"pgmpi/measure/launch"
	"pgmpi/measure/protocol"
	"pgmpi/measure/results"
	"pgmpi/nrep"
	"pgmpi/testkit/must"
	"pgmpi/testkit/should"
)

func session(plan guidelines.Plan) *Session {
	return &Session{Manifest: &results.Manifest{Plan: plan, Seed: 1}, Measure: Default(), NREP: nrep.Default()}
}

func (s *Session) task(mode protocol.Mode, shape guidelines.Shape, run int) Task {
	return Task{Mode: mode, Shape: shape, Run: run, Cases: Cases(s.Manifest, mode, shape)}
}

func somePlan() guidelines.Plan {
	p := guidelines.Plan{Datatype: "byte", Op: "bor"}
	for _, s := range []guidelines.Shape{{NP: 2}, {NP: 4}} {
		p.Shapes = append(p.Shapes, s)
		for m := int64(1); m <= 32; m *= 2 {
			p.Cases = append(p.Cases, guidelines.Case{Function: "MPI_Bcast", Msize: m, Shape: s})
		}
	}
	return p
}

func TestEveryMpirunHasItsOwnOrderThatTheSeedDetermines(t *testing.T) {
	s := session(somePlan())
	s.Manifest.Seed = 5
	shape := guidelines.Shape{NP: 4}
	orders := map[string]bool{}
	for run := 1; run <= 8; run++ {
		a, seed := must.Two(s.job(s.task(protocol.ModeMeasure, shape, run)))(t)
		b, again, _ := s.job(s.task(protocol.ModeMeasure, shape, run))
		should.Hold(t, seed == again && slices.Equal(a.Order, b.Order), "run %d: two orders from one seed", run)
		should.Hold(t, a.Seed == 5, "run %d: counts are drawn by seed %d, not by the folder's", run, a.Seed)
		sorted := slices.Sorted(slices.Values(a.Order))
		for i, v := range sorted {
			must.Hold(t, i == v, "run %d: order %v does not hold every case once", run, a.Order)
		}
		text := make([]string, len(a.Order))
		for i, v := range a.Order {
			text[i] = string(rune('a' + v))
		}
		orders[strings.Join(text, "")] = true
	}
	should.Hold(t, len(orders) >= 7, "8 mpiruns have only %d orders", len(orders))
}

func TestFirstMpirunOfAShapeVerifiesAndLaterOnesDoNot(t *testing.T) {
	s := session(somePlan())
	shape := guidelines.Shape{NP: 2}
	first, _ := must.Two(s.job(s.task(protocol.ModeNREP, shape, 1)))(t)
	s.Manifest.Learned(&results.Run{Header: results.Header{Mode: protocol.ModeNREP, Shape: shape, MemoryCap: 1 << 20}}, s.NREP)
	second, _, _ := s.job(s.task(protocol.ModeNREP, shape, 2))
	other, _, _ := s.job(s.task(protocol.ModeNREP, guidelines.Shape{NP: 4}, 1))
	should.Hold(t, first.Verify && !second.Verify && other.Verify, "verify: first %v, second %v, other shape %v", first.Verify, second.Verify, other.Verify)
}

func TestMpirunsTakeTheWindowsByTurns(t *testing.T) {
	s := session(somePlan())
	s.Measure.Windows = []conf.Duration{7, 8}
	for run, want := range []int64{7, 8, 7} {
		j, _ := must.Two(s.job(s.task(protocol.ModeMeasure, guidelines.Shape{NP: 2}, run+1)))(t)
		should.Equal(t, j.WindowNS, want, "mpirun %d", run+1)
	}
}

func TestMessagesAreCountedInTheLayerThatCanDoIt(t *testing.T) {
	s := session(somePlan())
	s.Manifest.Rank.Library = "openmpi"
	shape := guidelines.Shape{NP: 2}
	should.Equal(t, s.envOf(shape)["OMPI_MCA_pml_monitoring_enable"], "", "nobody asks")
	s.Measure.Counters = []string{protocol.CounterBytes}
	should.Equal(t, s.envOf(shape)["OMPI_MCA_pml_monitoring_enable"], "1", "with a counter of them")
	s.Manifest.Rank.LibVersion = "Open MPI v6.0.0rc2"
	should.Equal(t, s.envOf(shape)["OMPI_MCA_pml_monitoring_enable"], "", "Open MPI 6 crashes under it")
}

func TestWrongCaseIsNotTimedInLaterMpiruns(t *testing.T) {
	s := session(somePlan())
	shape := guidelines.Shape{NP: 2}
	s.Manifest.Learned(&results.Run{Header: results.Header{Mode: protocol.ModeNREP, Shape: shape, MemoryCap: 1,
		Cases: []results.CaseInfo{{Plan: 2, CaseResult: protocol.CaseResult{Status: protocol.StatusWrong, Message: "rank 0"}}}}}, s.NREP)
	j, _ := must.Two(s.job(s.task(protocol.ModeMeasure, shape, 1)))(t)
	should.Hold(t, j.Cases[2].Skip == protocol.StatusWrong && j.Cases[1].Skip == "", "skip: %q, %q", j.Cases[2].Skip, j.Cases[1].Skip)
}

func TestLauncherThatCannotSayTheNumberOfProcessesIsRefused(t *testing.T) {
	for _, c := range []struct {
		argv []string
		says string
	}{
		{[]string{"sh", "-np", "2"}, "{np}"},
		{[]string{"no-such-launcher", "{np}"}, "--launch"},
	} {
		_, err := launch.Launch(launch.Config{Words: c.argv}, protocol.RankInfo{}, guidelines.Shape{NP: 2})
		should.Fail(t, err, c.says, "%v", c.argv)
	}
	got := launch.Placed([]string{"mpirun", "-np", "{np}", "--map-by=ppr:{np}"}, guidelines.Shape{NP: 4})
	should.Hold(t, got[2] == "4" && got[3] == "--map-by=ppr:4", "got %v", got)
}

func TestUnknownLibraryNeedsALauncher(t *testing.T) {
	_, err := launch.Launch(launch.Config{}, protocol.RankInfo{Library: "unknown", BuiltFor: "an unknown MPI library"}, guidelines.Shape{NP: 2})
	should.Fail(t, err, "--launch")
}

func TestLabelsOfLaunchersAreSwitchedOff(t *testing.T) {
	for _, name := range chatty {
		t.Setenv(name, "1")
	}
	env := environment(map[string]string{"B": "2", "A": "1"})
	for _, name := range []string{"SLURM_LABELIO", "OMPI_MCA_orte_tag_output", "HYDRA_DEBUG"} {
		should.Hold(t, !slices.Contains(env, name+"=1"), "%s is still set", name)
	}
	n := len(env)
	should.Hold(t, env[n-2] == "A=1" && env[n-1] == "B=2", "the configured variables do not come last: %v", env[n-2:])
}

func TestStepsInsideOfAStepDoNotWaitForItsCPUs(t *testing.T) {
	for step, want := range map[string]bool{"0": true, "": false} {
		t.Setenv("SLURM_STEP_ID", step)
		should.Equal(t, slices.Contains(environment(nil), "SLURM_OVERLAP=1"), want, "SLURM_STEP_ID=%q", step)
	}
}

func TestFailureShowsCommandLastLinesAndRemedy(t *testing.T) {
	m := &mpirun{argv: []string{"mpirun", "-np", "9"}}
	_, _ = m.stderr.Write([]byte("-----\nsomething is wrong\nin the system\nMPI_ABORT was invoked\n"))
	got := m.explain(errEnded).Error()
	should.Contain(t, got, "mpirun -np 9", "  it said:\n    something is wrong\n    in the system\n", "--version", "silently", "MPI_Init")
	_, _ = m.stderr.Write([]byte("There are not enough slots available\n"))
	slots := m.explain(errEnded)
	_, _ = m.stderr.Write([]byte(strings.Repeat("x\n", tailBytes)))
	should.Equal(t, m.explain(errEnded).What, slots.What, "a cause in the first lines is lost")
	should.Hold(t, slots.What == "the launcher has fewer slots than processes" && strings.Contains(slots.Remedy, "--np"), "got %+v", slots)
	said := m.explain(rankError("no case finished for 2m0s (measure.stall)"))
	should.Hold(t, said.Stderr == "" && strings.Contains(said.Remedy, "--stall"), "got %+v", said)
	should.Hold(t, !errors.Is(said, errEnded), "a rank's own words are no silent end")
}

func TestWordsOfARankAreTheReasonAndStacksOfACrashAreNone(t *testing.T) {
	m := &mpirun{hello: &protocol.Hello{}, taken: true, last: "MPI_Bcast at 8 bytes"}
	_, _ = m.stderr.Write([]byte("pgmpi-rank: rank 1: MPI_Scan at 8 bytes: no memory\nMPI_ABORT was invoked\n"))
	e := m.explain(errEnded)
	should.Hold(t, e.What == "rank 1: MPI_Scan at 8 bytes: no memory; the last case that was reported finished is MPI_Bcast at 8 bytes" && e.Stderr == "",
		"got %+v", e)
	crashed := &mpirun{hello: &protocol.Hello{}, taken: true}
	_, _ = crashed.stderr.Write([]byte("SIGSEGV: segmentation violation\nPC=0x42 m=0 sigcode=0\nsignal arrived during cgo execution\n\n" +
		"goroutine 1 gp=0x1 m=0 [syscall]:\nruntime.cgocall(0x4, 0x5)\n\t/usr/go/cgocall.go:167 +0x4b\nrax    0x0\nrflags 0x202\ncs     0x33\n"))
	should.Equal(t, crashed.explain(errEnded).Stderr, "SIGSEGV: segmentation violation\nsignal arrived during cgo execution")
	killed := &mpirun{hello: &protocol.Hello{}, taken: true} // outside of C code
	_, _ = killed.stderr.Write([]byte("SIGSEGV: segmentation violation\nPC=0x42 m=0 sigcode=0\n\ngoroutine 0 gp=0x1 m=0 [idle]:\nruntime.futex(0x4, 0x5)\n\t/usr/go/sys.s:167 +0x4b\nrax    0x0\n"))
	should.Equal(t, killed.explain(errEnded).Stderr, "SIGSEGV: segmentation violation")
	panicked := &mpirun{hello: &protocol.Hello{}, taken: true}
	_, _ = panicked.stderr.Write([]byte("panic: oops\n\ngoroutine 1 [running]:\nmain.main()\n\t/src/main.go:3 +0x4b\n"))
	should.Contain(t, panicked.explain(errEnded).Stderr, "main.go:3")
}

func TestLimitsGrowWithTheNumberOfProcesses(t *testing.T) {
	const stall = 2 * time.Minute
	mpi := DefaultMPI()
	for np, want := range map[int]limits{
		2:       {hello: 90 * time.Second, ack: 30 * time.Second, stall: stall, end: 10 * time.Second},
		10_000:  {hello: 190 * time.Second, ack: 30 * time.Second, stall: stall, end: 110 * time.Second},
		100_000: {hello: 1090 * time.Second, ack: 30 * time.Second, stall: stall, end: 1010 * time.Second},
	} {
		got := limitsFor(mpi, np, stall)
		should.Hold(t, got == want, "p = %d: %+v, want %+v", np, got, want)
	}
	should.Equal(t, limitsFor(mpi, 2, time.Second).hello, 5*time.Second, "a short stall leaves")
	for stall := time.Second; stall < 5*time.Minute; stall += time.Second {
		got := limitsFor(mpi, 2, stall)
		should.Hold(t, got.hello == min(StartLimit, 5*stall) && got.end >= endLimit, "measure.stall = %v: %+v", stall, got)
	}
	mpi.StartLimit = conf.Duration(10 * time.Minute)
	got := limitsFor(mpi, 2, time.Second)
	should.Hold(t, got.hello == 10*time.Minute && got.end == 520*time.Second, "as configured: %+v", got)
	mpi.StartLimit = conf.Duration(time.Second)
	got = limitsFor(mpi, 2, stall)
	should.Hold(t, got.hello == time.Second && got.end == 10*time.Second, "a short one: %+v", got)
}

// More texts are in package trouble. These are as recorded with Open MPI 4.1.4, MPICH 4.0.2 and
// Slurm 22.05.8, shortened.
func TestTroublesOfLaunchersHaveARemedy(t *testing.T) {
	for _, c := range []struct {
		name, stderr string
		rank         string // what rank 0 said; "": nothing
		hello        bool
		remedy       string
		kept         string // of the launcher's words
		unstarted    bool
	}{
		{name: "Open MPI, no rank program on a node",
			stderr: "mpirun.openmpi was unable to launch the specified application as it could not access\nor execute an executable:\n\nExecutable: /opt/rank\nNode: node2\n\nwhile attempting to start process rank 1.\n",
			remedy: "a path that all nodes see", kept: "Node: node2"},
		{name: "MPICH, no rank program on a node",
			stderr: "[proxy:0:1@node2] HYDU_create_process (utils/launch/launch.c:73): execvp error on file /opt/rank (No such file or directory)\n",
			remedy: "a path that all nodes see", kept: "[proxy:0:1@node2]"},
		{name: "srun, no rank program on a node",
			stderr: "slurmstepd-node2: error: execve(): /opt/rank: No such file or directory\nsrun: error: node2: task 1: Exited with exit code 2\n",
			remedy: "a path that all nodes see", kept: "node2"},
		{name: "srun with PMIx for MPICH", hello: true,
			rank:   "MPI_COMM_WORLD has 1 processes, 2 were started: this program is built for MPICH 4.0.2, and was launched by srun; give the launcher of its library",
			remedy: "--mpi=pmi2"},
		{name: "a crash in MPI_Init", stderr: "SIGSEGV: segmentation violation\n", remedy: "in MPI_Init"},
		{name: "a crash in a function", stderr: "SIGSEGV: segmentation violation\n", hello: true, remedy: "check.exclude"},
		{name: "a job file that rank 0 does not see", hello: true, rank: "open /out/.tmp-job: no such file or directory", remedy: "--out", unstarted: true},
		{name: "ranks elsewhere", hello: true, rank: "the ranks are placed as 1x2 (nodes × ranks on each), and 2x1 is wanted", remedy: "{ppn}", unstarted: true},
		{name: "ranks that do not start", rank: "no word from rank 0 within 1m30s (mpi.start_limit)", remedy: "a longer mpi.start_limit"},
	} {
		t.Run(c.name, func(t *testing.T) {
			m := &mpirun{argv: []string{"mpirun"}, taken: c.hello}
			if c.hello {
				m.hello = &protocol.Hello{}
			}
			_, _ = m.stderr.Write([]byte(c.stderr))
			err := errEnded
			if c.rank != "" {
				err = rankError(c.rank)
			}
			e := m.explain(err)
			should.Contain(t, e.Remedy, c.remedy)
			should.Hold(t, c.kept == "" || strings.Contains(e.Stderr, c.kept), "%q is lost from %q", c.kept, e.Stderr)
			should.Hold(t, e.Started != c.unstarted || !c.hello, "started: %v", e.Started)
		})
	}
}

func TestALauncherThatWaitsForARankItCannotStartIsGivenUp(t *testing.T) {
	const said = "[proxy:0:1@node2] HYDU_create_process (utils/launch/launch.c:74): execvp error on file /opt/rank (No such file or directory)\n"
	synctest.Test(t, func(t *testing.T) {
		start := func(_, _ []string, stderr io.Writer) (*Ranks, error) {
			stdout, out := io.Pipe()
			stdin, _ := os.Open(os.DevNull)
			r := &Ranks{Stdin: stdin, Stdout: stdout, Exited: make(chan struct{}), Greeted: func([]string) {}, Orphans: func() {}}
			r.Kill = sync.OnceFunc(func() { out.Close(); close(r.Exited) })
			go func() {
				time.Sleep(3 * time.Second)
				fmt.Fprint(stderr, said)
			}()
			return r, nil
		}
		began := time.Now()
		_, err := newMpirun(start, []string{"mpirun"}, nil, limitsFor(DefaultMPI(), 2, 2*time.Minute)).run(t.Context(), &protocol.Job{NP: 2})
		var failed *Error
		should.Hold(t, errors.As(err, &failed) && strings.Contains(failed.Stderr, "node2") && strings.Contains(failed.Remedy, "--rank") && !failed.Started,
			"got %v", err)
		took := time.Since(began)
		should.Hold(t, took <= 5*time.Second, "given up after %v", took)
	})
}
