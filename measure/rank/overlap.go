//go:build cgo

package rank

import (
	"fmt"
	"math"
	"time"

	"pgmpi/internal/stats"
	"pgmpi/measure/protocol"
	"pgmpi/measure/rank/loop"
)

const (
	overlapSearch = 10          // repetitions of each number of tests in the search
	overlapTime   = time.Second // that repetitions with computation may take together, but for the fewest
	overlapTurns  = 5           // in which these are made
	overlapFewest = overlapTurns
)

type overlapping struct {
	*bench
	*loop.Overlap
}

// overlap measures what a nonblocking call leaves for computing (S-NETGAUGE §4.1, 4.2). Its
// samples, at rank 0, are its post and Wait; rank 0 gets the result. fault says what is wrong at
// any rank with the data of a call in one of the ways that were measured.
func (v *visit) overlap() (fault string, err error) {
	blocking := 0.0
	if valid := protocol.Valid(v.out.samples[v.i]); len(valid) > 0 {
		blocking = stats.MedianFinite(valid)
	}
	ns, err := v.FromRoot(int64(blocking + .5))
	if err != nil || ns <= 0 {
		return "", err // no repetition was valid
	}
	beside, err := v.NewOverlap(v.f.ID, ns)
	if err != nil {
		return "", err
	}
	defer beside.Free()
	o, r := &overlapping{v.bench, beside}, &protocol.Overlap{ComputeNS: ns}
	if v.job.Overlap.Method == protocol.OverlapWork {
		if r.Steps, r.AloneNS, err = beside.Work(); err != nil {
			return "", err
		}
	}
	valid, err := o.measure(r, v.c.Msize, max(overlapFewest, min(v.c.NRep, int(int64(overlapTime)/(2*ns)))))
	if err != nil {
		return "", err
	}
	if valid {
		v.r.Overlap = r
	}
	v.Home()
	return v.verifyOverlap(beside)
}

// verifyOverlap makes one call more, on other data, in each way in which it was measured.
func (v *visit) verifyOverlap(o *loop.Overlap) (fault string, err error) {
	check := func(beside loop.Beside, tests int64, when string) {
		if err != nil || fault != "" {
			return
		}
		o.Do(beside, tests)
		v.poisoned++
		fault, err = v.Once(v.verifier, v.f, v.count, v.poisoned, when, func() (string, error) { return "", o.Once() })
	}
	check(loop.Waiting, 0, "waited for after the timed calls ")
	check(loop.Testing, 0, "tested until it was done after the timed calls ")
	for _, try := range v.job.Overlap.Tests(v.c.Msize) {
		check(loop.Computing, try.Tests, fmt.Sprintf("with %d tests beside computation after the timed calls ", try.Tests))
	}
	return fault, err
}

// measure searches the best number of tests, and measures the call alone, without tests, with
// these, and until tests in a row find it done: n times each, alternating, so that what changes
// meanwhile is in all of them. valid tells at rank 0 whether each has a valid repetition.
func (o *overlapping) measure(r *protocol.Overlap, msize int64, n int) (valid bool, err error) {
	tries, best, least := o.job.Overlap.Tests(msize), int64(0), math.Inf(1)
	for i := range tries {
		var parts loop.OverlapParts
		if err := o.with(&parts, loop.Computing, tries[i].Tests, overlapSearch); err != nil {
			return false, err
		}
		found := parts.Medians(tries[i])
		if tries[i].OverheadNS = found.ExcessNS; found.N > 0 && found.ExcessNS < least {
			best, least = int64(i), found.ExcessNS
		}
	}
	best, err = o.FromRoot(best)
	if err != nil {
		return false, err
	}
	kinds := []struct {
		beside loop.Beside
		try    protocol.OverlapTry
		parts  loop.OverlapParts
	}{{beside: loop.Waiting}, {beside: loop.Computing, try: tries[0]}, {beside: loop.Computing, try: tries[best]}, {beside: loop.Testing}}
	for turn := range overlapTurns {
		for i := range kinds {
			k := &kinds[(turn+i)%len(kinds)]
			if err := o.with(&k.parts, k.beside, k.try.Tests, n*(turn+1)/overlapTurns-n*turn/overlapTurns); err != nil {
				return false, err
			}
		}
	}
	of := func(i int) protocol.Overlapped { return kinds[i].parts.Medians(kinds[i].try) }
	alone, done := of(0), of(3)
	r.Search, r.BlockingNS, r.None, r.Best, r.DoneNS = tries, alone.OverallNS, of(1), of(2), done.OverallNS
	return min(alone.N, r.None.N, r.Best.N, done.N) > 0, nil
}

// with makes repetitions until n are valid, or twice as many.
func (o *overlapping) with(parts *loop.OverlapParts, beside loop.Beside, tests int64, n int) error {
	o.alive()
	o.Do(beside, tests)
	for left, most := n, 2*n; left > 0 && most > 0; {
		done, invalid, err := o.next(parts, min(most, o.batchSize(), o.Room), left)
		if err != nil {
			return err
		}
		most -= max(1, done)
		left -= done - invalid
	}
	return nil
}

// next makes at most n repetitions, which end when `want` are valid if the
// synchronisation looks at that.
func (o *overlapping) next(parts *loop.OverlapParts, n, want int) (done, invalid int, err error) {
	if err := o.resync(); err != nil {
		return 0, 0, err
	}
	start, slice := time.Now(), overlapTime
	if o.NeedsClock() {
		slice = min(slice, time.Until(o.due))
	}
	o.Set(0, max(1, slice), want)
	if !o.Slices {
		n = min(n, want)
	}
	done, invalid, err = o.Overlap.Batch(parts, n)
	o.batchTook = time.Since(start)
	return done, invalid, err
}
