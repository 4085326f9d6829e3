package main

import (
	"fmt"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"pgmpi/internal/conf"
	"pgmpi/measure/protocol"
	"pgmpi/nrep"
	"pgmpi/testkit/mpirun"
	"pgmpi/testkit/must"
	"pgmpi/testkit/should"
)

// Only the C side can show this: see testdata/sync.
func TestSynchronisationsFromInside(t *testing.T) {
	t.Parallel()
	eachLibrary(t, func(t *testing.T, b *fixture) {
		for _, np := range [][]int{{1, 3}, {2, mostRanks(5)}}[b.LibraryIndex()] {
			argv, env := b.Launch(np)
			cmd := exec.Command(argv[0], append(argv[1:], filepath.Join(b.Bin, "sync-"+b.Lib.Name))...)
			cmd.Env, cmd.WaitDelay = env, 5*time.Second
			out, err := cmd.CombinedOutput()
			should.Hold(t, err == nil && strings.Contains(string(out), "all right"), "p = %d: %v\n%s", np, err, out)
		}
	})
}

// timed says how one mpirun of the test below times.
type timed struct {
	np                  int
	sync, sample, cache string
}

// allTimings lists every synchronisation at p = 3 or 4 (in `make test-all` 5), over both libraries. At p = 2 it pairs every
// synchronisation, sample and cache: our code pairs them, not the library's.
func (b *fixture) allTimings() []timed {
	var all []timed
	for i, sync := range append([]string{protocol.Auto}, protocol.Syncs...) {
		for k, cache := range protocol.Caches {
			if b.has(i/2 + k) {
				all = append(all, timed{2, sync, protocol.Samples[(i+k)%len(protocol.Samples)], cache})
			}
		}
		if !b.has(i / 2) {
			continue
		}
		all = append(all, timed{[]int{3, mostRanks(5)}[i%2], sync, protocol.Samples[(i+1)%len(protocol.Samples)], protocol.Caches[i%len(protocol.Caches)]})
	}
	return all
}

func TestEverySynchronisationSampleAndCacheGivesItsSamples(t *testing.T) {
	t.Parallel()
	const repetitions = 20
	eitherLibrary(t, func(t *testing.T, b *fixture) {
		for _, how := range b.allTimings() {
			j := syncJob(how.np, repetitions)
			j.Sync, j.Sample, j.Cache = how.sync, how.sample, how.cache
			out, err := b.RunJob(how.np, j)
			if err != nil {
				t.Errorf("%+v: %v", how, err)
				continue
			}
			checkTiming(t, how, out.End.Timing)
			for i, c := range out.Cases {
				what := fmt.Sprintf("%+v: %s", how, j.Cases[i].Function)
				checkSamples(t, what, out.End.Timing.Sync, repetitions, c, out.Samples[i])
			}
		}
	})
}

func syncJob(np, repetitions int) *protocol.Job {
	j := measureJob(np, "double", "sum")
	j.Verify, j.FirstCalls, j.Warmup, j.WindowNS, j.SliceNS, j.MaxDriftNS, j.TempMemory = true, 2, 1, 1e6, 5e8, 1e4, 256<<20
	for i, c := range []protocol.JobCase{{Function: "MPI_Allreduce", Msize: 8}, {Function: "bcast_as_scatter+allgather", Msize: 1 << 10}} {
		c.NRep = repetitions
		j.Cases, j.Order = append(j.Cases, c), append(j.Order, i)
	}
	return j
}

func checkTiming(t *testing.T, how timed, got protocol.Timing) {
	t.Helper()
	auto := how.sync == protocol.Auto
	needsClock := how.sample == "global" || slices.Contains([]string{"window", "window_auto", "round_time"}, got.Sync)
	should.Hold(t, got.Sample == how.sample && got.Cache == how.cache && (auto || got.Sync == how.sync) && auto == (got.Why != "") && needsClock == (got.ClockSyncs > 0) && (how.cache == "warm") == (got.CacheBytes == 0),
		"%+v was timed as %+v", how, got)
}

func checkSamples(t *testing.T, what, sync string, repetitions int, c protocol.CaseResult, samples []protocol.Sample) {
	t.Helper()
	c.Count(samples)
	want := c.NRep == repetitions && c.Invalid == 0
	switch sync {
	case "window", "window_auto":
		want = c.NRep == repetitions && c.WindowNS > 0
	case "round_time":
		// The case has enough valid samples, or twice as many in all, or its slice was over.
		want = c.NRep >= 1 && c.NRep <= 2*repetitions && c.NRep-c.Invalid <= repetitions && c.Long == 0
	}
	should.Hold(t, c.Status == protocol.StatusOK && len(samples) == c.NRep && want, "%s: %d samples, %+v", what, len(samples), c)
	for i, s := range samples {
		should.Hold(t, s.NS > 0, "%s: sample %d is %d ns", what, i, s.NS)
	}
}

// A batch in a window of a nanosecond has no valid sample. It would have no end if the predictor waited for one.
func TestPredictionCountsOnlyValidSamples(t *testing.T) {
	t.Parallel()
	eitherLibrary(t, func(t *testing.T, b *fixture) {
		cfg := nrep.Default()
		cfg.Max = 37 // twice as many are no full batches
		cfg.MaxTime = conf.Duration(time.Minute)
		for _, sync := range []string{"barrier", "window_auto", "round_time", "window"} {
			j := syncJob(2, 0)
			j.Sync, j.WindowNS, j.Measure, j.Predict = sync, 1, nil, &protocol.PredictJob{NREP: cfg}
			out, err := b.RunJob(2, j)
			if err != nil {
				t.Errorf("%s: %v", sync, err)
				continue
			}
			for i, c := range out.Cases {
				c.Count(out.Samples[i])
				switch valid := c.NRep - c.Invalid; {
				case sync == "window" && (valid > 0 || c.Converged || !strings.Contains(c.Reason, "out of sync") || c.NRep < 2*cfg.Max):
					t.Errorf("nothing is valid in a window of 1 ns, but: %+v", c)
				case sync == "barrier" && (valid != c.NRep || !slices.Contains([]int{10, 20, cfg.Max}, valid)):
					t.Errorf("barrier: %+v", c)
				case sync != "window" && c.Converged && !strings.HasPrefix(c.Reason, "spent nrep.budget") && !slices.Contains([]int{10, 20, cfg.Max}, min(valid, cfg.Max)):
					t.Errorf("%s: converged with %d valid samples, which is no check point: %+v", sync, valid, c)
				}
			}
		}
	})
}

// With a cache that is larger than the cap there is nothing left to measure.
func TestMemoryCapCountsTheCaches(t *testing.T) {
	t.Parallel()
	b := newFixture(t, mpirun.Libraries[1])
	for _, cache := range []string{"cold", "rotate"} {
		j := syncJob(2, 5)
		j.Cache, j.TempMemory = cache, 4096
		out := must.Get(b.RunJob(2, j))(t)
		for _, c := range out.Cases {
			should.Hold(t, c.Status == protocol.StatusNotMeasured && strings.Contains(c.Message, "the cap is 4 KiB"), "%s: %+v", cache, c)
		}
	}
}
