//go:build cgo

package rank

/*
#include <stdlib.h>
#include "overlap.h"
#include "rank.h"
*/
import "C"

import (
	"fmt"
	"math"
	"time"
	"unsafe"

	"pgmpi/internal/stats"
	"pgmpi/measure/protocol"
	"pgmpi/mockups"
)

const (
	overlapSearch = 10          // repetitions of each number of tests in the search
	overlapTime   = time.Second // that repetitions with computation may take together, but for the fewest
	overlapFewest = 5
	workProbe     = time.Millisecond // of the loop, by which its steps are calibrated
	workMost      = 100              // times that the steps grow by a hundredth
	workRepeats   = 7                // of which the least is taken: nothing else was done meanwhile
)

// overlapping is a nonblocking call of a case, with computation beside it.
type overlapping struct {
	*bench
	c      *C.pg_overlap
	name   string
	result *protocol.Overlap // at rank 0; elsewhere only what all ranks know
}

// overlapOf fills in the result of a case what its call leaves for computing, and says what is
// wrong with the data of the last call that was overlapped; "" when nothing is.
func (b *bench) overlapOf(i int, f mockups.Function, row *function, count int64) (fault string, err error) {
	c := b.job.Cases[i]
	b.beforeLast(f, count, false)
	if b.out.cases[i].Overlap, err = b.overlap(f, c.Msize, c.NRep, b.out.samples[i]); err != nil {
		return "", err
	}
	return b.afterLast(f, row, count)
}

// overlap measures what a nonblocking call leaves for computing (S-NETGAUGE §4.1, 4.2).
// samples are its post and Wait, at rank 0, which gets the result.
func (b *bench) overlap(f mockups.Function, msize int64, n int, samples []protocol.Sample) (*protocol.Overlap, error) {
	id := C.CString(f.ID)
	defer C.free(unsafe.Pointer(id))
	post := C.pg_post_of(id)
	if post == nil {
		return nil, fmt.Errorf("%s cannot be posted alone", f.ID)
	}
	blocking := 0.0
	if b.rank == 0 {
		blocking = medianOf(samples)
	}
	ns, err := b.fromRoot(int64(blocking + .5))
	if err != nil || ns <= 0 {
		return nil, err // no repetition was valid
	}
	o := &overlapping{bench: b, name: f.ID, c: (*C.pg_overlap)(C.calloc(1, C.sizeof_pg_overlap)),
		result: &protocol.Overlap{BlockingNS: blocking, ComputeNS: ns}}
	defer o.free()
	o.c.post, o.c.ns = post.run, C.int64_t(ns)
	if err := o.allocate(); err != nil {
		return nil, err
	}
	if b.job.Overlap.Method == protocol.OverlapWork {
		if err := o.calibrate(ns); err != nil {
			return nil, err
		}
	}
	valid, err := o.measure(msize, max(overlapFewest, min(n, int(int64(overlapTime)/(2*ns)))))
	if err != nil || !valid {
		return nil, err
	}
	return o.result, nil
}

// medianOf is the median of the valid samples, ns; 0: there are none.
func medianOf(samples []protocol.Sample) float64 {
	var valid []float64
	for _, s := range samples {
		if s.Flags == 0 {
			valid = append(valid, float64(s.NS))
		}
	}
	if len(valid) == 0 {
		return 0
	}
	return stats.MedianFinite(valid)
}

func (o *overlapping) allocate() error {
	for i := range o.c.part {
		if o.c.part[i] = (*C.int64_t)(C.calloc(C.size_t(o.loop.room), 8)); o.c.part[i] == nil {
			return fmt.Errorf("no memory for %d repetitions", o.loop.room)
		}
	}
	return nil
}

func (o *overlapping) free() {
	for _, p := range o.c.part {
		C.free(unsafe.Pointer(p))
	}
	C.free(unsafe.Pointer(o.c))
}

// calibrate finds the steps that take ns at the slowest rank: the most of any rank, as
// S-NETGAUGE §4.1 has it, so that all do the same work.
func (o *overlapping) calibrate(ns int64) error {
	steps := int64(1000)
	for o.work(steps) < int64(workProbe) && steps < 1<<40 {
		steps *= 2
	}
	steps = max(1, int64(float64(steps)*float64(ns)/float64(max(1, o.work(steps)))))
	for i := 0; i < workMost && o.work(steps) < ns; i++ {
		steps += max(1, steps/100)
	}
	least, err := o.allMin(-steps)
	if err != nil {
		return err
	}
	o.c.steps = C.int64_t(-least)
	o.c.alone = C.int64_t(o.work(-least))
	o.result.Steps, o.result.AloneNS = -least, int64(o.c.alone)
	return nil
}

// work is how long so many steps take here, ns.
func (o *overlapping) work(steps int64) int64 {
	least := int64(math.MaxInt64)
	for range workRepeats {
		least = min(least, int64(C.pg_work(o.time.now, C.int64_t(steps))))
	}
	return least
}

// measure searches the best number of tests, and measures the call without tests, with
// these, and until tests in a row find it done, n times each. valid tells at rank 0 whether
// each has a valid repetition.
func (o *overlapping) measure(msize int64, n int) (valid bool, err error) {
	r := o.result
	tries, best, least := o.job.Overlap.Tests(msize), int64(0), math.Inf(1)
	for i := range tries {
		found, err := o.with(tries[i], overlapSearch)
		if err != nil {
			return false, err
		}
		if tries[i].OverheadNS = found.ExcessNS; found.N > 0 && found.ExcessNS < least {
			best, least = int64(i), found.ExcessNS
		}
	}
	best, err = o.fromRoot(best)
	if err != nil {
		return false, err
	}
	r.Search = tries
	if r.None, err = o.with(tries[0], n); err != nil {
		return false, err
	}
	if r.Best = r.None; best > 0 {
		if r.Best, err = o.with(tries[best], n); err != nil {
			return false, err
		}
	}
	o.c.at_once = 1
	done, err := o.with(protocol.OverlapTry{}, n)
	r.DoneNS = done.OverallNS
	return min(r.None.N, r.Best.N, done.N) > 0, err
}

// with makes repetitions until n are valid, or twice as many. Rank 0 gets the medians.
func (o *overlapping) with(t protocol.OverlapTry, n int) (protocol.Overlapped, error) {
	o.watchdog.Reset(o.stall)
	o.c.tests = C.int64_t(t.Tests)
	var parts [C.PG_PARTS][]float64
	for left, most := n, 2*n; left > 0 && most > 0; {
		done, invalid, err := o.batch(&parts, min(most, o.batchSize(), o.loop.room), left)
		if err != nil {
			return protocol.Overlapped{}, err
		}
		most -= max(1, done)
		left -= done - invalid
	}
	median := func(i int) float64 {
		if len(parts[i]) == 0 {
			return 0
		}
		return stats.MedianFinite(parts[i])
	}
	return protocol.Overlapped{Interval: t.Interval, Tests: t.Tests, N: len(parts[0]), PostNS: median(C.PG_POST), TestsNS: median(C.PG_TESTS),
		WaitNS: median(C.PG_WAIT), OverheadNS: median(C.PG_OVERHEAD), OverallNS: median(C.PG_OVERALL), ExcessNS: median(C.PG_EXCESS)}, nil
}

// batch makes at most n repetitions, which end when `want` are valid if the
// synchronisation looks at that, and adds the parts of the valid ones at rank 0.
func (o *overlapping) batch(parts *[C.PG_PARTS][]float64, n, want int) (done, invalid int, err error) {
	if err := o.resync(); err != nil {
		return 0, 0, err
	}
	start, first := time.Now(), o.loop.c.turn
	slice := overlapTime
	if o.loop.needsClock() {
		slice = min(slice, time.Until(o.due))
	}
	o.loop.set(0, max(1, slice), want)
	if o.loop.sync.slices == 0 {
		n = min(n, want)
	}
	rc := C.pg_measure_overlap(o.c, o.loop.sync, o.loop.c, C.int64_t(n))
	o.batchTook = time.Since(start)
	o.loop.took += o.batchTook
	if err := mpiError(o.name, rc); err != nil {
		return 0, 0, err
	}
	if done = int(o.loop.c.n); done > 0 {
		o.loop.called = true
		o.stay(first + o.loop.c.n - 1)
	}
	rc = C.pg_collect_overlap(o.c, o.loop.c, o.loop.sync, o.loop.flags)
	if err := mpiError("MPI_Reduce of what was overlapped", rc); err != nil {
		return 0, 0, err
	}
	for i := range done {
		if o.rank != 0 {
			break
		}
		if unsafe.Slice(o.loop.flags, done)[i] != 0 {
			invalid++
			continue
		}
		for k := range parts {
			parts[k] = append(parts[k], float64(unsafe.Slice(o.c.part[k], done)[i]))
		}
	}
	flagged, err := o.fromRoot(int64(invalid))
	return done, int(flagged), err
}
