package main

import (
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"

	"pgmpi/measure/protocol"
	"pgmpi/testkit/mpirun"
	"pgmpi/testkit/must"
	"pgmpi/testkit/should"
)

func (b *fixture) clocks(np int, j protocol.ClocksJob) []protocol.ClockSync {
	b.T.Helper()
	j.Clock = "monotonic"
	out := must.Get(b.RunJob(np, &protocol.Job{NP: np,
		StallNS: int64(mpirun.Stall), Clocks: &j}))(b.T)
	if len(out.Syncs) != len(j.Methods) {
		b.T.Fatalf("%d methods reported, want %d", len(out.Syncs), len(j.Methods))
	}
	return out.Syncs
}

// Tests in measure/clocks/methods show what the methods make of clocks that are known. Each method runs with one
// library, in `make test-all` with both.
func TestEveryMethodSynchronisesClocksThatAreSecondsApart(t *testing.T) {
	t.Parallel()
	all := []string{"skampi", "netgauge", "jk", "hca", "hca2", "hca3"}
	eachInjected(t, func(t *testing.T, b *fixture) {
		var methods []string
		for i, m := range all {
			if b.has(i) || mpirun.Everything {
				methods = append(methods, m)
			}
		}
		np := 3
		if b.Lib.Name == "openmpi" && mpirun.Everything {
			np = 4
		}
		for _, s := range b.clocks(np, protocol.ClocksJob{Methods: methods, Seconds: []float64{0.2}, Compute: true}) {
			must.Hold(t, s.Failed == "" && len(s.Checks) == 2 && s.Rounds > 0 && s.Messages > 0, "p = %d: %+v", np, s)
			should.Hold(t, protocol.Worst(s.Checks[0].TrueNS) < 1e9, "p = %d, %s: off by %v ns", np, s.Method, s.Checks[0].TrueNS)
		}
	})
}

// Tests in measure/clocks show how long a synchronisation lasts.
func TestClocksAreSynchronisedForAWindow(t *testing.T) {
	t.Parallel()
	eachInjected(t, func(t *testing.T, b *fixture) {
		for i, method := range []string{"skampi", "hca3"} {
			if !b.has(i) && !mpirun.Everything {
				continue
			}
			j := syncJob(2, 100)
			j.Sync, j.ClockSync, j.WindowNS, j.MaxDriftNS = "window", method, int64(time.Millisecond)/2, 20000
			out := must.Get(b.RunJob(2, j))(t)
			should.Hold(t, out.End.Timing.ClockSyncs > 0, "%s: %+v", method, out.End.Timing)
		}
	})
}

// The ranks measure the true error to within its bound, as `pgmpi clocks` shows it.
func TestPingPongsFindTheTrueErrorAfterASecond(t *testing.T) {
	t.Parallel()
	eachInjected(t, func(t *testing.T, b *fixture) {
		method := map[string]string{"openmpi": "netgauge", "mpich": "hca3"}[b.Lib.Name]
		for _, s := range b.clocks(3, protocol.ClocksJob{Methods: []string{method}, Seconds: []float64{1}}) {
			if s.Failed != "" || len(s.Checks) != 2 {
				t.Errorf("%s failed with %d checks: %s", s.Method, len(s.Checks), s.Failed)
				continue
			}
			for _, c := range s.Checks {
				for r := range c.ErrorNS {
					// The true error is taken a little later; a rank that is held up drifts on meanwhile.
					const later = 5e8
					if d := protocol.Worst([]int64{c.ErrorNS[r] - c.TrueNS[r]}); d > c.BoundNS[r]+later {
						t.Errorf("%s, rank %d after %v s: measured %d ns ± %d, truly %d", s.Method, r, c.Seconds, c.ErrorNS[r], c.BoundNS[r], c.TrueNS[r])
					}
				}
			}
		}
	})
}

// Ranks on one host with different clocks are detected, and told what to do.
func TestSharedClocksAreVerified(t *testing.T) {
	t.Parallel()
	eachInjected(t, func(t *testing.T, b *fixture) {
		for _, s := range b.clocks(3, protocol.ClocksJob{Methods: []string{"shared", "hca3+shared"}, Compute: true}) {
			if !strings.Contains(s.Failed, "though both are on one host") || !strings.Contains(s.Failed, `clock_sync = "hca3"`) {
				t.Errorf("%s with clocks seconds apart: %q, want the difference and the remedy", s.Method, s.Failed)
			}
		}
	})
	eitherLibrary(t, func(t *testing.T, b *fixture) {
		for _, np := range []int{1, 2, fewRanks()} {
			for _, s := range b.clocks(np, protocol.ClocksJob{Methods: []string{"shared"}}) {
				if s.Failed != "" {
					t.Errorf("p = %d on one host: %s", np, s.Failed)
				} else if want := (np - 1) * (1 + 1 + 40); s.Messages != want { // a model, a turn and 20 exchanges for each
					t.Errorf("p = %d: %d messages, want %d", np, s.Messages, want)
				} else if c := s.Checks[0]; protocol.Worst(c.ErrorNS) > protocol.Worst(c.BoundNS) {
					t.Errorf("p = %d: one clock is off by %v ns from itself, more than the bounds %v", np, c.ErrorNS, c.BoundNS)
				}
			}
		}
	})
}

// A time namespace shifts the clock of the odd ranks by 100,000 s. The ranks are like two hosts with a known
// offset.
func TestTimeNamespacesAreLikeHosts(t *testing.T) {
	t.Parallel()
	const shift = "100000"
	eitherLibrary(t, func(t *testing.T, b *fixture) {
		program := b.Rank + "-shifted"
		script := "#!/bin/sh\nif [ $((${OMPI_COMM_WORLD_RANK:-$PMI_RANK} % 2)) = 1 ]; then\n" +
			"\texec unshare --time --monotonic " + shift + " " + b.Rank + " \"$@\"\nfi\nexec " + b.Rank + " \"$@\"\n"
		must.Do(t, os.WriteFile(program, []byte(script), 0o777))
		if err := exec.Command("unshare", "--time", "--monotonic", shift, "true").Run(); err != nil {
			t.Skipf("no time namespaces here (they need root and Linux 5.6): %v", err)
		}
		b.Rank = program
		syncs := b.clocks(fewRanks(), protocol.ClocksJob{Methods: []string{"shared", "hca3+shared", "netgauge+shared"}})
		if s := syncs[0]; !strings.Contains(s.Failed, "another time namespace") || !strings.Contains(s.Failed, "hca3+shared") {
			t.Errorf("shared: %q, want the two namespaces and the remedy", s.Failed)
		}
		for _, s := range syncs[1:] {
			if s.Failed != "" {
				t.Errorf("%s: %s", s.Method, s.Failed)
			} else if worst := protocol.Worst(s.Checks[0].ErrorNS); worst > 1e9 {
				t.Errorf("%s: off by %d ns, want less than 1 s of clocks 100,000 s apart", s.Method, worst)
			}
		}
	})
}

func TestRDTSCPIsRefusedForRanksThatMayMove(t *testing.T) {
	t.Parallel()
	eitherLibrary(t, func(t *testing.T, b *fixture) {
		out := must.Get(b.RunJob(3, &protocol.Job{NP: 3, StallNS: int64(mpirun.Stall), Clocks: &protocol.ClocksJob{Clock: "monotonic"}}))(t)
		if len(out.End.Clocks) != len(protocol.Clocks) {
			t.Fatalf("%d clocks listed, want %d", len(out.End.Clocks), len(protocol.Clocks))
		}
		for i, c := range out.End.Clocks {
			switch {
			case c.Name != protocol.Clocks[i]:
				t.Errorf("clock %d is %q, want %q", i, c.Name, protocol.Clocks[i])
			case c.Name == "rdtscp":
				if !strings.Contains(c.Refused, "rdtscp refused") {
					t.Errorf("rdtscp of unbound ranks: %+v, want a refusal", c)
				}
			case c.Refused != "" || c.TickNS < 1 || c.CostNS <= 0:
				t.Errorf("%+v, want a resolution and a cost", c)
			}
		}
	})
}
