package explore

import (
	"context"
	"errors"
	"slices"
	"testing"
	"time"

	"pgmpi/guidelines"
	"pgmpi/internal/conf/glfile"
	"pgmpi/internal/experiment/run"
	"pgmpi/internal/fail"
	"pgmpi/measure/protocol"
	"pgmpi/testkit/bed"
	"pgmpi/testkit/fixture"
	"pgmpi/testkit/must"
	"pgmpi/testkit/should"
)

func init() { glfile.Register(Section) }

func TestAnEstimateHasTheMpirunsThatSoManyCellsNeed(t *testing.T) {
	config := glfile.Default()
	for cells, want := range map[int]int{1: leastTesting, 91: 14} { // log2(8 * 91 / .05) = 13.8
		m := fixture.Empty(3)
		for size := range int64(cells) {
			for range 2 { // an algorithm and a mock-up of the same cell
				fixture.Test(m, fixture.GL8.Guideline(), guidelines.Shape{NP: 2}, size, fixture.Case(m, fixture.GL8.Mockup, guidelines.Shape{NP: 2}, size))
			}
		}
		should.Equal(t, testCandidates.Runs(m, &config), want)
	}
}

// Mpiruns that cannot decide anything are refused before they are made, and again when the
// number of candidates is known.
func TestMpirunsThatCannotDecideAreRefused(t *testing.T) {
	b := bed.New(t)
	for mpiruns, want := range map[string]bool{"2": true, "6": false} {
		config := b.Config("[job]\nnp = [2]\nmpiruns = " + mpiruns + "\nmsizes = [\"8\"]\n")
		_, err := run.New(t.Context(), Experiment, config, run.Options{Path: b.Out, Dry: true})
		var refused *fail.Refused
		should.Hold(t, errors.As(err, &refused) == want && (want || err == nil), "%s mpiruns, any number of candidates: %v", mpiruns, err)
	}
}

// The first call that is timed would end an mpirun where the library refuses it.
func TestFirstCallsOfAProcessAreNotExplored(t *testing.T) {
	b := bed.New(t)
	config := b.Config("[job]\nnp = [2]\n[measure]\nfresh = true\n")
	_, err := run.New(t.Context(), Experiment, config, run.Options{Path: b.Out, Dry: true})
	should.Fail(t, err, "measure.fresh")
}

// A segment that is no smaller than the message is the algorithm itself.
func TestSegmentsAreExploredAtSizesAboveThem(t *testing.T) {
	b := bed.New(t)
	config := b.Config("[job]\nnp = [2]\n[check]\nfunctions = [\"MPI_Bcast\", \"MPI_Barrier\"]\n")
	const segmented = "MPI_Bcast@pipeline+4Ki"
	x := At(map[string]guidelines.MsizeList{"MPI_Bcast": {"4096", "65536"}, "MPI_Barrier": nil}, []guidelines.UserPattern{{Function: "MPI_Bcast", Mockup: segmented}, {Function: "MPI_Reduce", Mockup: "MPI_Reduce@in-order_binary+4Ki"}})
	c := must.Get(run.New(t.Context(), x, config, run.Options{Path: b.Out, Dry: true}))(t)
	sizes := map[string][]int64{}
	for _, k := range c.Manifest.Plan.Cases {
		sizes[k.Function] = append(sizes[k.Function], k.Msize)
	}
	should.Hold(t, slices.Equal(sizes[segmented], []int64{65536}) && slices.Equal(sizes["MPI_Bcast"], []int64{4096, 65536}) && len(sizes["MPI_Barrier"]) == 1 && sizes["MPI_Reduce"] == nil, "%v", sizes)
}

func TestCandidatesAreTestedWithoutAllOthers(t *testing.T) {
	const own = "MPI_Bcast@binomial"
	bed.Bubble(t, func(t *testing.T, b *bed.Bed) {
		b.Fake.Call = func(c protocol.JobCase, _ int) time.Duration {
			if c.Function == own {
				return 5 * time.Microsecond
			}
			return 10 * time.Microsecond
		}
		config := b.Config("[job]\nnp = [2]\nmsizes = [\"1Ki\"]\n[nrep]\npredictions = 1\n[check]\nfunctions = [\"MPI_Bcast\"]\n")
		glfile.Put(config, Section, Config{Algorithms: []string{own}, Select: 3})
		x := *Experiment
		x.Prepare = func(ctx context.Context, f *glfile.File, o run.Options) (*glfile.File, error) {
			o.Dry = true // the library of a bed has no algorithms
			return prepare(ctx, f, o)
		}
		c := must.Get(b.New(&x, config, b.Out))(t)
		must.Do(t, c.Open())
		must.Get(bed.Done(t.Context(), c))(t)
		tests := 0
		for _, j := range b.Fake.Jobs() {
			if j.Mode != protocol.ModeExplore {
				continue
			}
			tests++
			var names []string
			for _, k := range j.Cases {
				names = append(names, k.Function)
			}
			slices.Sort(names)
			should.Equal(t, names, []string{"MPI_Bcast", own, "MPI_Bcast@itself"})
		}
		should.Equal(t, tests, leastTesting, "mpiruns that test")
	})
}
