package main

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"pgmpi/guidelines"
	"pgmpi/measure/protocol"
	"pgmpi/measure/results"
	"pgmpi/mockups"
	"pgmpi/nrep"
	"pgmpi/testkit/mpirun"
	"pgmpi/testkit/must"
)

// The data of a case that has taken turns are compared after its last visit. Turns are ours, not the library's: each
// library has one number of processes, on three of them half of the functions, in `make test-all` both and all.
func TestEveryFunctionGivesTheRightDataWhenItTakesTurns(t *testing.T) {
	bothAtOnce(t, func(t *testing.T, b *fixture) {
		for i, d := range mockups.Datatypes()[:2] {
			if !b.has(i) && !mpirun.Everything {
				continue
			}
			np := 2 + i
			j := verifyJob(np, d, d.Ops[0], np-1, true, []int64{841, 1}[:4-np]...)
			if np > 2 && !mpirun.Everything {
				keep(j, everySecond(0))
			}
			for k := range j.Cases {
				j.Cases[k].NRep = 4
			}
			once := slices.Clone(j.Order)
			for range 2 {
				slices.Reverse(once)
				j.Order = append(j.Order, once...)
			}
			out := must.Get(b.RunJob(np, j))(t)
			for _, c := range out.Cases {
				if f, _ := mockups.Get(j.Cases[c.Case].Function); f.Over != "" { // there is one node
					continue
				}
				if c.Status != protocol.StatusOK || len(out.Samples[c.Case]) != 4 {
					t.Errorf("p = %d, %s: %s at %d bytes is %s with %d samples: %s", np, d.Name, j.Cases[c.Case].Function, j.Cases[c.Case].Msize,
						c.Status, len(out.Samples[c.Case]), c.Message)
				}
			}
		}
	})
}

// alternating counts the repetitions of a case in a pair.
const alternating = 12

// inPairs lets each two cases of a job take turns call by call.
func inPairs(j *protocol.Job) {
	j.Cases, j.Order, j.Measure.PairNS = j.Cases[:len(j.Cases)/2*2], nil, int64(time.Minute)
	for i := range j.Cases {
		j.Cases[i].NRep, j.Cases[i].Turns = alternating, i%2 == 1
		if i%2 == 0 {
			j.Order = append(j.Order, i)
		}
	}
}

// Both sides are verified after their calls, whatever the other one has left in the buffers.
func TestPairsThatAlternateGiveTheRightDataAndEverySample(t *testing.T) {
	eitherAtOnce(t, func(t *testing.T, b *fixture) {
		d := mockups.Datatypes()[0]
		all := verifyJob(2, d, d.Ops[0], 1, true, 1, 841)
		slices.Reverse(all.Cases)
		all.Cases = slices.DeleteFunc(all.Cases, func(c protocol.JobCase) bool { f, _ := mockups.Get(c.Function); return f.Over != "" })
		jobs := []*protocol.Job{all}
		for _, sync := range protocol.Syncs {
			j := syncJob(2, 0)
			j.Sync = sync
			jobs = append(jobs, j)
		}
		for _, j := range jobs {
			inPairs(j)
			out, err := b.RunJob(2, j)
			must.Hold(t, err == nil, "%s: %v", j.Sync, err)
			for _, c := range out.Cases {
				n := len(out.Samples[c.Case]) // fewer where the time slice ends first
				if c.Status != protocol.StatusOK || n != len(out.Samples[c.Case&^1]) || n != alternating && j.Sync != protocol.SyncRoundTime {
					t.Errorf("%s: %s at %d bytes is %s with %d samples: %s", j.Sync, j.Cases[c.Case].Function, j.Cases[c.Case].Msize,
						c.Status, n, c.Message)
				}
			}
		}
	})
}

func TestTurnsGiveEverySample(t *testing.T) {
	const repetitions = 10 // nrep.fixed of quick
	eitherAtOnce(t, func(t *testing.T, b *fixture) {
		for _, turns := range []int{3, repetitions} {
			b.Out = fmt.Sprintf("%s/turns-%d", b.Dir, turns)
			b.Check("--guidelines", b.TOML(twice), "--turns", fmt.Sprint(turns)).Exits(t, 0, 1, 4)
			folder, m := must.Two(results.Open(b.Out))(t)
			for run := 1; run <= m.R; run++ {
				r := must.Get(folder.ReadRun(protocol.ModeMeasure, guidelines.Shape{NP: 2}, run, &m.Plan))(t)
				for i, c := range r.Cases {
					visits := 0
					for _, k := range r.Order {
						if k == i {
							visits++
						}
					}
					if c.Status != protocol.StatusOK || len(r.Samples[i]) != repetitions || visits != turns {
						t.Errorf("%d turns: %s at %d bytes is %s with %d samples of %d visits", turns, c.Function, c.Msize, c.Status, len(r.Samples[i]), visits)
					}
				}
			}
		}
		b.Out += "-refused"
		b.Check("--guidelines", b.TOML(quick), "--turns", "11").Exits(t, 2).Says(t, "--turns: 11 is more than the repetitions of any case, 10")
	})
}

// A missing mpirun is repeated in the same order.
func TestResumedTurnsHaveTheirOrder(t *testing.T) {
	t.Parallel()
	b := newFixture(t, mpirun.Libraries[1])
	args := []string{"--guidelines", b.TOML(twice), "--turns", "3"}
	b.Check(args...).Exits(t, 0, 1, 4)
	second := func() (order []int) {
		folder, m := must.Two(results.Open(b.Out))(t)
		r := must.Get(folder.ReadRun(protocol.ModeMeasure, guidelines.Shape{NP: 2}, 2, &m.Plan))(t)
		return r.Order
	}
	before := second()
	must.Do(t, os.Remove(filepath.Join(b.Out, "raw", "run-p2-02.tsv.gz")))
	b.Check(append(args, "--resume")...).Exits(t, 0, 1, 4)
	if after := second(); !slices.Equal(before, after) {
		t.Errorf("order %v, then %v", before, after)
	}
}

func TestEverySynchronisationAndCacheTakesTurns(t *testing.T) {
	t.Parallel()
	const repetitions = 20
	eachLibrary(t, func(t *testing.T, b *fixture) {
		for i, sync := range append([]string{protocol.Auto}, protocol.Syncs...) {
			if !b.has(i / 2) { // turns are ours, not the library's
				continue
			}
			turns := []int{3, repetitions}[i%2]
			how := timed{2, sync, protocol.Samples[i%len(protocol.Samples)], protocol.Caches[i%len(protocol.Caches)]}
			j := syncJob(how.np, repetitions)
			j.Sync, j.Sample, j.Cache = how.sync, how.sample, how.cache
			once := slices.Clone(j.Order)
			for range turns - 1 {
				slices.Reverse(once)
				j.Order = append(j.Order, once...)
			}
			out, err := b.RunJob(how.np, j)
			if err != nil {
				t.Errorf("%+v, %d turns: %v", how, turns, err)
				continue
			}
			checkTiming(t, how, out.End.Timing)
			for i, c := range out.Cases {
				what := fmt.Sprintf("%+v, %d turns: %s", how, turns, j.Cases[i].Function)
				checkSamples(t, what, out.End.Timing.Sync, repetitions, c, out.Samples[i])
			}
		}
		// All visits of a case share its slice, which is over after the first.
		j := syncJob(2, repetitions)
		j.Sync, j.SliceNS = "round_time", 1
		j.Order = slices.Repeat(j.Order, repetitions)
		out := must.Get(b.RunJob(2, j))(t)
		for _, c := range out.Cases {
			if c.NRep != 1 {
				t.Errorf("%d repetitions in a slice of 1 ns", c.NRep)
			}
		}
	})
}

// The results of finished rounds are verified like those at an mpirun's end. The library is right in the first
// round and wrong in the last, or wrong throughout.
func TestFinishedRoundsAreSentBeforeTheEnd(t *testing.T) {
	eitherAtOnce(t, func(t *testing.T, b *fixture) {
		for _, c := range []struct {
			fault string
			wrong [4]bool // by the number of rounds
		}{{"", [4]bool{}}, {"wrong-after-170", [4]bool{3: true}}, {"wrong-every", [4]bool{1: true, 2: true, 3: true}}} {
			j := wrongJob()
			j.Warmup = 0 // at most 170 calls are made in two rounds, with those that begin a visit again
			all := len(j.Cases)
			once := slices.Clone(j.Order)
			j.Order, j.Rounds, j.SendNS = slices.Concat(once, once, once), []int{all, 2 * all}, 1
			text, err := b.with(c.fault).LinesOf(2, j)
			if err != nil {
				t.Fatalf("%s: %v", c.fault, err)
			}
			in := protocol.NewOutputReader(j)
			see := func(rounds int, cases []protocol.CaseResult, samples map[int][]protocol.Sample) {
				wrong := 0
				for _, r := range cases {
					switch got := len(samples[r.Case]); {
					case r.Status == protocol.StatusWrong && got == 0:
						wrong++
					case r.Status != protocol.StatusOK || r.NRep != rounds || got != rounds:
						t.Errorf("%s: after %d rounds %+v has %d samples", c.fault, rounds, r, got)
					}
				}
				if len(cases) != all || (wrong > 0) != c.wrong[rounds] {
					t.Errorf("%s: after %d rounds %d cases of %d, %d wrong", c.fault, rounds, len(cases), all, wrong)
				}
			}
			sent := 0
			for line := range bytes.Lines(text) {
				done, err := in.Add(bytes.TrimSuffix(line, []byte("\n")))
				if err != nil {
					t.Fatalf("%s: %v", c.fault, err)
				}
				if f := in.Finished(); f.Rounds > sent {
					sent = f.Rounds
					see(sent, f.Cases, f.Samples)
				}
				if done {
					see(3, in.Output().Cases, in.Output().Samples)
				}
			}
			if sent != 2 {
				t.Errorf("%s: %d rounds were sent before the end", c.fault, sent)
			}
		}
	})
}

// One mpirun makes several predictions of a case, and gives the largest.
func TestOneMpirunCanMakeSeveralPredictions(t *testing.T) {
	eitherAtOnce(t, func(t *testing.T, b *fixture) {
		j := wrongJob()
		predictor := nrep.Default()
		predictor.Min, predictor.Max, predictor.MaxTime = 4, 8, 1
		j.Measure, j.Predict = nil, &protocol.PredictJob{NREP: predictor, Times: 3}
		j.Verify, j.Order = true, slices.Concat(j.Order, j.Order, j.Order)
		for fault, wrong := range map[string]bool{"": false, "wrong-every": true} {
			out, err := b.with(fault).RunJob(2, j)
			if err != nil || len(out.Cases) != len(j.Cases) {
				t.Fatalf("%s: %v, %d cases", fault, err, len(out.Cases))
			}
			for _, c := range out.Cases {
				gather := j.Cases[c.Case].Function == "MPI_Allgather"
				if n := len(out.Samples[c.Case]); (c.Status == protocol.StatusWrong) != (wrong && gather) || n != c.NRep || (n == 0) != (wrong && gather) || n > 8 {
					t.Errorf("%s: %+v has %d samples", fault, c, n)
				}
			}
		}
	})
}
