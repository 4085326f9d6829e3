//go:build cgo

package rank

import (
	"fmt"
	"math"
	"time"

	"pgmpi/internal/feature/overlap/work"
	"pgmpi/internal/stats"
	"pgmpi/measure/protocol"
	"pgmpi/measure/rank"
)

const (
	searched = 10          // repetitions of each number of tests in the search
	limit    = time.Second // that repetitions with computation may take together, but for the fewest
	turns    = 5           // in which these are made
	fewest   = turns
)

// Work does work.Work at the ranks.
var Work = rank.OnCases(work.Work, overlap)

type overlapping struct {
	*overlapped
	v   *rank.Visit
	job *work.Job
}

// overlap measures what a nonblocking call leaves for computing (S-NETGAUGE §4.1, 4.2). Its
// samples, at rank 0, are its post and Wait; rank 0 gets the result. fault says what is wrong at
// any rank with the data of a call in one of the ways that were measured.
func overlap(v *rank.Visit, job *work.Job) (found *work.Answer, fault string, err error) {
	blocking := 0.0
	if valid := protocol.Valid(v.Samples()); len(valid) > 0 {
		blocking = stats.MedianFinite(valid)
	}
	ns, err := v.FromRoot(int64(blocking + .5))
	if err != nil || ns <= 0 {
		return nil, "", err // no repetition was valid
	}
	beside, err := newOverlapped(v.Loop, v.Case().Function, ns)
	if err != nil {
		return nil, "", err
	}
	defer beside.free()
	o, r := &overlapping{beside, v, job}, &work.Answer{ComputeNS: ns}
	if job.Method == work.ByWork {
		if r.Steps, r.AloneNS, err = beside.steps(); err != nil {
			return nil, "", err
		}
	}
	valid, err := o.measure(r, max(fewest, min(v.Case().NRep, int(int64(limit)/(2*ns)))))
	if err != nil {
		return nil, "", err
	}
	if valid {
		found = r
	}
	v.Home()
	fault, err = o.verify()
	return found, fault, err
}

// verify makes one call more, on other data, in each way in which it was measured.
func (o *overlapping) verify() (fault string, err error) {
	check := func(what beside, tests int64, when string) {
		if err != nil || fault != "" {
			return
		}
		o.do(what, tests)
		fault, err = o.v.Verify(when, o.once)
	}
	check(waiting, 0, "waited for after the timed calls ")
	check(testing, 0, "tested until it was done after the timed calls ")
	for _, try := range o.job.Tests(o.v.Case().Msize) {
		check(computing, try.Tests, fmt.Sprintf("with %d tests beside computation after the timed calls ", try.Tests))
	}
	return fault, err
}

// measure searches the best number of tests, and then times the call. It does so alone, without tests,
// with these, and until tests in a row find it done: n times each, alternating, so that what changes
// meanwhile is in all of them. valid tells at rank 0 whether each has a valid repetition.
func (o *overlapping) measure(r *work.Answer, n int) (valid bool, err error) {
	tries, best, least := o.job.Tests(o.v.Case().Msize), int64(0), math.Inf(1)
	for i := range tries {
		var p parts
		if err := o.with(&p, computing, tries[i].Tests, searched); err != nil {
			return false, err
		}
		found := p.medians(tries[i])
		if tries[i].OverheadNS = found.ExcessNS; found.N > 0 && found.ExcessNS < least {
			best, least = int64(i), found.ExcessNS
		}
	}
	best, err = o.FromRoot(best)
	if err != nil {
		return false, err
	}
	kinds := []struct {
		beside beside
		try    work.Try
		parts  parts
	}{{beside: waiting}, {beside: computing, try: tries[0]}, {beside: computing, try: tries[best]}, {beside: testing}}
	for turn := range turns {
		for i := range kinds {
			k := &kinds[(turn+i)%len(kinds)]
			if err := o.with(&k.parts, k.beside, k.try.Tests, n*(turn+1)/turns-n*turn/turns); err != nil {
				return false, err
			}
		}
	}
	of := func(i int) work.Side { return kinds[i].parts.medians(kinds[i].try) }
	alone, done := of(0), of(3)
	r.Search, r.BlockingNS, r.None, r.Best, r.DoneNS = tries, alone.OverallNS, of(1), of(2), done.OverallNS
	return min(alone.N, r.None.N, r.Best.N, done.N) > 0, nil
}

// with makes repetitions until n are valid, or twice as many.
func (o *overlapping) with(p *parts, what beside, tests int64, n int) error {
	o.do(what, tests)
	return o.v.Repeat(n, limit, func(most int) (done, invalid int, err error) { return o.batch(p, most) })
}
