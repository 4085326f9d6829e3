//go:build cgo

package rank

import (
	"errors"
	"time"

	"pgmpi/measure/protocol"
)

// rounds tells how far the rounds of a job are. All ranks agree on it but for the times.
type rounds struct {
	finished int
	closing  bool // what there is at the end of this round is sent then
	begun    time.Time
	sent     time.Time // or the start
}

// early sends, before a visit, results that may not wait for the end. It is so seldom that most mpiruns
// never do, since sending disturbs what is measured next. In stage 1 cases finish one by one; else only
// rounds do, in which both sides of every guideline have made the same part of their repetitions.
func (b *bench) early(done int) error {
	r := &b.rounds
	switch {
	case b.job.SendNS == 0:
		return nil
	case b.job.Predict != nil:
		if b.Rank == 0 && time.Since(r.sent) > time.Duration(b.job.SendNS) {
			return b.send()
		}
		return nil
	case r.finished < len(b.job.Rounds) && done == b.job.Rounds[r.finished]:
		r.finished++
	case done > 0:
		return nil
	}
	if r.closing && b.Rank == 0 {
		if err := b.send(); err != nil {
			return err
		}
	}
	return b.beginRound()
}

// beginRound decides whether a round ends with sending. That is decided before its
// first visit, since the last call of what is sent is verified.
func (b *bench) beginRound() (err error) {
	r, now, took := &b.rounds, time.Now(), time.Duration(0)
	if r.finished > 0 {
		took = now.Sub(r.begun) // the one before
	}
	r.begun = now
	if r.closing = false; r.finished < len(b.job.Rounds) { // the last one is sent at the end
		r.closing, err = b.Decided(now.Sub(r.sent)+took > time.Duration(b.job.SendNS))
	}
	return err
}

// send writes finished results that the driver does not have.
func (b *bench) send() error {
	b.mu.Lock()
	defer b.mu.Unlock()
	for i := range b.state {
		c, samples, whole := b.soFar(i)
		if had := &b.out.sent[i]; !had.whole && (whole || len(samples) > had.samples) {
			b.w.Case(c, samples, had.samples)
			*had = sent{len(samples), whole}
		}
	}
	b.rounds.sent = time.Now()
	return errors.Join(b.w.SoFar(b.rounds.finished), b.session.out.Flush())
}

func (b *bench) soFar(i int) (c protocol.CaseResult, samples []protocol.Sample, whole bool) {
	s, c := &b.state[i], b.out.cases[i]
	switch {
	case b.job.Cases[i].Filler:
		return c, nil, false
	case c.Status != protocol.StatusOK || s.begun == s.visits && s.visits > 0:
		return c, b.out.samples[i], true
	case b.rounds.finished == 0 || s.measured == nil: // stage 1
		return c, nil, false
	}
	c.NRep = len(s.measured.samples)
	return c, s.measured.samples, false
}
