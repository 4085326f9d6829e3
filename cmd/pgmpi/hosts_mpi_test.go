package main

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"
	"unsafe"

	"pgmpi/analyze/chosen"
	"pgmpi/internal/exitcode"
	"pgmpi/measure/host"
	"pgmpi/measure/protocol"
	"pgmpi/measure/results"
	"pgmpi/mockups"
	"pgmpi/testkit/mpirun"
	"pgmpi/testkit/must"
	"pgmpi/testkit/should"
)

// acrossHosts checks a few cases with few calls: ranks that wait for the network take turns on the cores with
// whatever else is running. Method paper is content with three mpiruns.
const acrossHosts = `
[check]
guidelines = ["GL8", "GL1:MPI_Bcast"]
[job]
np = [%d]
mpiruns = 3
msizes = ["8", "64"]
[nrep]
fixed = 3
[measure]
sync = "barrier"
first_calls = 1
warmup = 0
[analyze]
method = "paper"
`

func monotonic() time.Duration {
	var t syscall.Timespec
	const clockMonotonic = 1
	_, _, _ = syscall.RawSyscall(syscall.SYS_CLOCK_GETTIME, clockMonotonic, uintptr(unsafe.Pointer(&t)), 0)
	return time.Duration(t.Nano())
}

// TestPrintClock runs on the hosts of the next test.
func TestPrintClock(t *testing.T) {
	file := os.Getenv("PGMPI_PRINT_CLOCK")
	if file == "" {
		return
	}
	name, _ := os.Hostname()
	must.Do(t, os.WriteFile(file, fmt.Appendf(nil, "%s %d", name, monotonic()), 0o666))
}

func TestHostsHaveNamesAndClocksOfTheirOwn(t *testing.T) {
	t.Parallel()
	c := newCluster(t, 3, "")
	self := must.Get(os.Executable())(t)
	for i := 1; i <= c.size; i++ {
		file := filepath.Join(t.TempDir(), "clock")
		before := monotonic()
		out, err := c.command(i, "PGMPI_PRINT_CLOCK="+file+" "+self+" -test.run=^TestPrintClock$").CombinedOutput()
		must.Hold(t, err == nil, "%v: %s", err, out)
		after := monotonic()
		text := must.Get(os.ReadFile(file))(t)
		name, number, _ := strings.Cut(string(text), " ")
		ns, _ := strconv.ParseInt(number, 10, 64)
		should.Equal(t, name, hostName(i), "host %d calls itself", i)
		if ours := time.Duration(ns) - ahead(i); ours < before || ours > after {
			t.Errorf("host %d is %v to %v ahead, not %v", i, time.Duration(ns)-after, time.Duration(ns)-before, ahead(i))
		}
		out, err = c.command(i, fmt.Sprintf("exec 3<>/dev/tcp/%s/9 || true", c.address(i%c.size+1))).CombinedOutput()
		should.Hold(t, err == nil && strings.Contains(string(out), "refused"), "host %d does not reach the next one: %v: %s", i, err, out)
	}
}

// hostsFor returns fewer hosts where ranks that wait do not yield their core.
func (b *fixture) hostsFor(n int) int {
	if b.Lib.Yield {
		return 2
	}
	return n
}

func TestCheckAcrossHostsOverTCP(t *testing.T) {
	bothAtOnce(t, func(t *testing.T, b *fixture) {
		n := b.hostsFor(4)
		c := newCluster(t, n, "")
		b.Check("--guidelines", b.TOML(fmt.Sprintf(acrossHosts, n)+b.preloads()), "--launch", c.launch(b.Lib)).Exits(t, 0, 1)
		for _, v := range b.Report().Verdicts {
			should.Hold(t, v.NP == n && v.MedianS != nil && *v.MedianS > 0 && v.OtherMedianS != nil && v.PValue != nil, "a verdict lacks numbers: %+v", v)
		}
		e := b.environment(b.Out)
		if len(e.Factors.Layouts) != 1 {
			t.Fatalf("%d layouts", len(e.Factors.Layouts))
		}
		for i, node := range e.Factors.Layouts[0].Nodes {
			should.Hold(t, node.Host == hostName(i+1) && slices.Equal(node.Ranks, host.Ranges{i}), "node %d is %s with ranks %s", i, node.Host, node.Ranks)
		}
		should.Equal(t, len(e.Factors.Layouts[0].Nodes), n, "nodes")
		// Over TCP a rank of MPICH 4.0 may wait in MPI_Finalize for one that has left: 1 of 400 runs without pgmpi did.
		if b.Lib.Name != "mpich" {
			b.profilesMessagesBetween(c)
		}
		b.NoneLeft(10 * time.Second)
	})
}

// profilesMessagesBetween profiles testdata/preload/sizes.c: its messages go to the other of two hosts, but for one to
// itself.
func (b *fixture) profilesMessagesBetween(c *cluster) {
	b.T.Helper()
	program, path := filepath.Join(b.Dir, "sizes"), filepath.Join(b.Dir, "app.prof")
	out, err := exec.Command("mpicc."+b.Lib.Name, "-o", program, "../../testdata/preload/sizes.c").CombinedOutput()
	must.Hold(b.T, err == nil, "%v\n%s", err, out)
	launcher := strings.Fields(strings.ReplaceAll(c.launch(b.Lib), "{np}", "2"))
	b.Pgmpi(slices.Concat([]string{"profile", "--rank", b.Rank, "--out", path, "--"}, launcher, []string{program})...).Exits(b.T, 0)
	var p struct {
		Messages []struct {
			Function, Pair string
			Calls          int
		}
	}
	must.Do(b.T, json.Unmarshal(must.Get(os.ReadFile(path))(b.T), &p))
	calls := map[string]int{}
	for _, m := range p.Messages {
		should.Equal(b.T, m.Pair, map[bool]string{true: "node", false: "nodes"}[m.Function == "MPI_Sendrecv_replace"], m.Function)
		calls[m.Function] += m.Calls
	}
	should.Hold(b.T, calls["MPI_Send"] == 10 && calls["MPI_Recv"] == 11 && calls["MPI_Waitall"] == 6, "%v", calls)
}

// One check has two shapes: two ranks on two hosts, and two on one. Ranks that lie otherwise are refused.
func TestTwoShapesInOneCheck(t *testing.T) {
	shapes := strings.Replace(fewer(fmt.Sprintf(acrossHosts, 2), 1), "np = [2]", `shapes = ["2x1", "1x2"]`, 1)
	shapes = strings.Replace(shapes, "[measure]", "[measure]\ntemp_memory = \"4Ti\"", 1)
	bothAtOnce(t, func(t *testing.T, b *fixture) {
		c := newCluster(t, 2, "")
		toml := b.TOML(shapes + b.preloads())
		should.Contain(t, b.Check("--guidelines", toml, "--launch", c.placing(b.Lib)).Exits(t, 0, 1).Stdout, "2 (2x1) and 2 (1x2) processes")
		medians := map[string]float64{}
		for _, v := range b.Report().Verdicts {
			if v.MedianS == nil || v.OtherMedianS == nil {
				t.Errorf("a verdict lacks numbers: %+v", v)
			} else if v.Guideline == "GL8" && v.Msize == 8 {
				medians[v.Shape] = *v.MedianS
			}
		}
		should.Equal(t, len(medians), 2, "medians of %v", medians)
		for _, l := range b.environment(b.Out).Factors.Layouts {
			if l.Place() != l.Shape {
				t.Errorf("%s is placed as %s", l.Shape, l.Place())
			}
		}
		files, _ := filepath.Glob(filepath.Join(b.Out, "raw", "run-2x1-*"))
		should.Hold(t, len(files) == 1, "raw files of 2x1: %v", files)
		_, m := must.Two(results.Open(b.Out))(t)
		// The cap is half of what is free, for one rank and for two; memory comes and goes.
		one, two := float64(m.MemoryCap["2x1"]), float64(m.MemoryCap["1x2"])
		should.Hold(t, one >= 1.5*two && one <= 2.7*two, "the cap of a rank is %.3g bytes alone on its node and %.3g beside another", one, two)
		b.Out = filepath.Join(b.Dir, "misplaced")
		b.Check("--guidelines", toml, "--launch", c.launch(b.Lib)).Exits(t, exitcode.Failed).Says(t, "placed as 2x1", "1x2 is wanted", "{ppn}")
	})
}

// From 5.0 on, Open MPI's component han serves nodes with several processes, whatever algorithm of tuned's is forced.
func TestWhichNamesHanOnSeveralNodes(t *testing.T) {
	if !byPRRTE() {
		t.Skip("Open MPI before 5 does not take han by itself")
	}
	b := newFixture(t, mpirun.Libraries[0])
	c := newCluster(t, 2, "")
	s := b.Pgmpi("which", "--rank", b.Rank, "--shape", "2x2", "--functions", "Bcast,Allreduce", "--msizes", "1Ki", "--format", "json",
		"--launch", c.placing(b.Lib)).Exits(t, 0)
	var out chosen.Which
	must.Do(t, json.Unmarshal([]byte(s.Stdout), &out))
	should.Equal(t, len(out.Rows), 2, "rows")
	for _, r := range out.Rows {
		should.Equal(t, r.Algorithms, []string{"han"}, "%s (%s)", r.Collective, r.Why)
	}
}

// One check has the guidelines of the paper's Table 2 on four hosts. It has one rank on each, and two on each of
// two; on the two also those about lanes, and messages on a host and between them. MPICH, whose ranks wait for each
// other for long where they share cores, has its two shapes on two hosts.
func TestFourHostsInTwoShapesCheckTheTableOfThePaper(t *testing.T) {
	t.Parallel()
	b := newFixture(t, mpirun.Libraries[0])
	c := newCluster(t, 4, "")
	toml := strings.NewReplacer(`"GL8", "GL1:MPI_Bcast"`, `"GL1:MPI_Bcast", "GL2:MPI_Bcast", "GL2:MPI_Send", "GL3..GL17", "lanes"`,
		"np = [4]", `shapes = ["4x1", "2x2"]`, "fixed = 3", "fixed = 2").Replace(fewer(fmt.Sprintf(acrossHosts, 4), 1))
	args := []string{"--guidelines", b.TOML(toml + b.preloads()), "--turns", "1", "--launch", c.placing(b.Lib)}
	if byPRRTE() { // mpirun of 5.0.7 lost standard input here, each time
		args = append(args, "--job-file")
	}
	b.Check(args...).Exits(t, 0, 1)
	seen, pairs := map[string]map[string]bool{"4x1": {}, "2x2": {}}, map[string]bool{}
	for _, v := range b.Report().Verdicts {
		should.Hold(t, v.MedianS != nil && *v.MedianS > 0 && v.OtherMedianS != nil, "a verdict lacks numbers: %+v", v)
		seen[v.Shape][v.Guideline] = true
		if f, _ := mockups.Get(v.Function); f.Message {
			pairs[fmt.Sprintf("%s: %d and %d", v.Shape, f.Ranks[0]/2, f.Ranks[1]/2)] = true
		}
	}
	should.Equal(t, pairs, map[string]bool{"4x1: 0 and 0": true, "2x2: 0 and 0": true, "2x2: 0 and 1": true}, "hosts of two ranks that exchange messages")
	should.Hold(t, len(seen) == 2 && len(seen["4x1"]) == 17 && len(seen["2x2"]) == 17+2, "guidelines by shape: %v", seen)
	should.Contain(t, strings.Join(b.Report().Notes, "\n"), "GL31 is not tested on 4x1: each node has one process")
	for _, l := range b.environment(b.Out).Factors.Layouts {
		if l.Place() != l.Shape {
			t.Errorf("%s is placed as %s", l.Shape, l.Place())
		}
	}
	b.NoneLeft(10 * time.Second)
}

// Hosts whose clocks are 1000 s apart do not share one.
func TestStartTimesAcrossHostsNeedASynchronisedClock(t *testing.T) {
	eitherAtOnce(t, func(t *testing.T, b *fixture) {
		c := newCluster(t, 2, "")
		with := func(method string) string {
			return b.TOML(strings.Replace(fmt.Sprintf(acrossHosts, 2), `sync = "barrier"`, `sync = "round_time"`+"\nclock_sync = \""+method+"\"", 1) + b.preloads())
		}
		b.Check("--guidelines", with("shared"), "--launch", c.launch(b.Lib)).Exits(t, exitcode.Setup, exitcode.Failed).
			Says(t, hostName(1), hostName(2), "hca3+shared")
		b.Out = filepath.Join(b.Dir, "two-level")
		// exit code 4: where two hosts are one machine, many starts may come too late
		b.Check("--guidelines", with("hca3+shared"), "--launch", c.launch(b.Lib)).Exits(t, 0, 1, exitcode.NoVerdict)
		run, err := results.ReadRaw(filepath.Join(b.Out, "raw", "run-p2-01.tsv.gz"), 1<<20)
		if err != nil || run.Timing.ClockSyncs == 0 || run.Timing.Sample != "global" {
			t.Fatalf("timing %+v, error %v", run.Timing, err)
		}
		for _, s := range slices.Concat(run.Samples...) {
			if took := time.Duration(s.NS); took > clockStep/10 {
				t.Errorf("a call has taken %v by clocks that are 1000 s apart", took)
			}
		}
	})
}

// Every clock synchronisation that the program has makes one clock of them: the error that is left, as the ranks
// then measure it, is far below the offsets.
func TestClockSynchronisationFindsKnownOffsets(t *testing.T) {
	var methods []string
	for _, m := range protocol.ClockSyncs {
		if !strings.Contains(m, "shared") { // with one rank on a host, HOW+shared is HOW
			methods = append(methods, m)
		}
	}
	if len(methods) == 0 {
		t.Skipf("this program has clock_sync %q only", protocol.ClockSyncs)
	}
	eitherAtOnce(t, func(t *testing.T, b *fixture) {
		hosts := b.hostsFor(3)
		c := newCluster(t, hosts, "")
		if b.Lib.Yield {
			b.Env = append(b.Env, "LD_PRELOAD="+filepath.Join(b.Bin, "yield.so"))
		}
		s := b.Pgmpi("clocks", "--rank", b.Rank, "--np", fmt.Sprint(hosts), "--launch", c.launch(b.Lib),
			"--clock-sync", strings.Join(methods, ","), "--seconds", "0.1", "--format", "json").Exits(t, 0)
		var shapes []struct {
			Syncs []struct {
				Method string
				Failed string
				Checks []struct {
					ErrorNS []int64 `json:"error_ns"`
				}
			}
		}
		err := json.Unmarshal([]byte(s.Stdout), &shapes)
		must.Hold(t, err == nil && len(shapes) == 1 && len(shapes[0].Syncs) == len(methods), "%v in\n%s", err, s.Stdout)
		for _, m := range shapes[0].Syncs {
			should.Hold(t, m.Failed == "" && len(m.Checks) != 0, "%s: %d comparisons, failed: %q", m.Method, len(m.Checks), m.Failed)
			for _, check := range m.Checks {
				for rank, ns := range check.ErrorNS {
					off := time.Duration(ns).Abs()
					// Ranks that are held up between two readings are off by that time.
					should.Hold(t, off <= clockStep/10, "%s: the clock of rank %d is off by %v", m.Method, rank, off)
				}
				should.Hold(t, len(check.ErrorNS) == hosts, "%s: errors of %d ranks", m.Method, len(check.ErrorNS))
			}
		}
	})
}
