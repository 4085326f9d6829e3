//go:build cgo

package rank

import (
	"time"

	"pgmpi/measure/protocol"
)

// pair does all of two cases that take turns, call by call. Nothing of other cases comes in between.
func (b *bench) pair(i int) error {
	defer b.ways.Leave()
	first, err := b.takeUp(i)
	if err != nil || first == nil {
		return err
	}
	first.s.prepared = first.PutAway()
	second, err := b.takeUp(i + 1)
	if err == nil && second != nil {
		second.s.prepared = second.PutAway()
		err = first.withName(first.inTurns(second))
	}
	for _, v := range []*visit{first, second} {
		if err != nil || v == nil {
			break
		}
		v.TakeUp(v.s.prepared)
		if v.s.measured != nil {
			err = v.withName(v.verified())
		}
		v.Release(v.row)
	}
	return err
}

// takeUp prepares a case; it returns nil where that is not to be measured.
func (b *bench) takeUp(i int) (*visit, error) {
	v := b.visitOf(i)
	if v.r.Status != protocol.StatusOK {
		return nil, nil
	}
	v.s.begun++
	ok, err := v.begin()
	if err != nil || !ok {
		return nil, v.withName(err)
	}
	return v, nil
}

// inTurns calls both cases one after the other, until each has its repetitions.
func (v *visit) inTurns(other *visit) error {
	v.TakeUp(v.s.prepared)
	v.Half = v.f.Half
	v.Rotate(v.need.Send, v.need.Recv)
	if err := v.first(); err != nil {
		return err
	}
	v.With(other.s.prepared, other.row, other.f.Half)
	defer func() { other.s.prepared = v.Without() }()
	m, limit := v.s.measured, time.Duration(v.job.Measure.PairNS)
	if v.Slices {
		limit = min(limit, m.limit)
	}
	m.start = time.Now()
	for m.done < 2*v.c.NRep && !m.over {
		size := min(2*v.c.NRep-m.done, 2*protocol.PairBatch, v.batchSize()&^1)
		done, invalid, err := v.next(m, v.row, size, size)
		if err != nil {
			return err
		}
		if done%2 == 1 { // the other side of the last one was not begun
			m.done--
			m.samples = m.samples[:max(0, len(m.samples)-1)]
		}
		if m.over, err = v.Decided(time.Since(m.start) >= limit); err != nil {
			return err
		}
		if v.Grows {
			m.adjust(done, invalid)
		}
	}
	v.Home()
	v.s.prepared = v.PutAway()
	all, n, its := m.samples, m.done/2, &measured{window: m.window}
	m.samples, m.done, its.done = nil, n, n
	for i, s := range all {
		side := []*measured{m, its}[i%2]
		side.samples = append(side.samples, s)
	}
	other.s.measured = its
	v.keep(m)
	other.keep(its)
	return nil
}

// verified calls a case once more, on data that it has not had.
func (v *visit) verified() error {
	v.poisoned++
	fault, err := v.VerifyAgain(v.verifier, v.f, v.single(), v.count, v.poisoned)
	if err == nil && fault != "" {
		v.wrong(fault)
	}
	return err
}
