//go:build cgo

package rank

/*
#include <stdlib.h>
#include "rank.h"
*/
import "C"

import (
	"errors"
	"slices"
	"unsafe"

	"pgmpi/internal/stats"
	"pgmpi/measure/protocol"
)

// eventNames are the counters that C has a row for.
func eventNames() (names []string) {
	for i := C.int(0); C.pg_counter_name(i) != nil; i++ {
		names = append(names, C.GoString(C.pg_counter_name(i)))
	}
	return names
}

// openCounters opens those of the job that every rank has, and notes why the others are not.
func (b *bench) openCounters() error {
	if b.job.Measure == nil || len(b.job.Measure.Counters) == 0 {
		return nil
	}
	if b.counters = C.pg_counters_new(C.int64_t(b.loop.room)); b.counters == nil {
		return errors.New("no memory for counters")
	}
	for i, name := range b.job.Measure.Counters {
		from, why := b.openCounter(name)
		found := protocol.Counter{Name: name}
		var err error
		if found.Why, err = b.firstOf(why); err != nil {
			return err
		}
		switch {
		case found.Why == "":
			found.From = from
			b.counted = append(b.counted, i)
		case why == "": // another rank has not
			C.pg_counters_close_last(b.counters)
		}
		b.out.end.Counters = append(b.out.end.Counters, found)
	}
	return nil
}

func (b *bench) openCounter(name string) (from, why string) {
	its := C.CString(name)
	defer C.free(unsafe.Pointer(its))
	text := (*C.char)(C.calloc(1, C.PG_COUNTER_WHY))
	defer C.free(unsafe.Pointer(text))
	if C.pg_counters_open(b.counters, b.x, its, text) == 1 {
		return C.GoString(text), ""
	}
	return "", C.GoString(text)
}

// mostCounted is how many repetitions a batch with counters has: so many without them
// come before or after it, which show what reading them costs.
const mostCounted = 25

// batchOf is a batch of m, with its counters where there are any.
func (b *bench) batchOf(m *measured, row *function, n int) ([]protocol.Sample, int, error) {
	if b.counters == nil {
		return b.batch(row, b.loop.sync, n)
	}
	return b.countedBatch(m, row, n)
}

// countedBatch is a batch of m whose counters are read, beside one whose are not: by turns
// before it and after it.
func (b *bench) countedBatch(m *measured, row *function, n int) ([]protocol.Sample, int, error) {
	before := m.plainFirst
	m.plainFirst = !m.plainFirst
	if before {
		if err := b.plainBatch(m, row, n); err != nil {
			return nil, 0, err
		}
	}
	b.loop.c.counters = b.counters
	samples, done, err := b.batch(row, b.loop.sync, n)
	b.loop.c.counters = nil
	if err != nil {
		return nil, 0, err
	}
	if err := b.takeCounts(m, done); err != nil {
		return nil, 0, err
	}
	if !before {
		local, usage := slices.Clone(b.loop.local), b.loop.c.usage
		if err := b.plainBatch(m, row, n); err != nil {
			return nil, 0, err
		}
		b.loop.local, b.loop.c.usage = local, usage
	}
	return samples, done, nil
}

// plainBatch makes repetitions that are not samples, without counters.
func (b *bench) plainBatch(m *measured, row *function, n int) error {
	samples, _, err := b.batch(row, b.loop.sync, n)
	for _, s := range samples {
		if s.Flags == 0 {
			m.plain = append(m.plain, float64(s.NS))
		}
	}
	return err
}

// takeCounts appends what rank 0 gets of n repetitions.
func (b *bench) takeCounts(m *measured, n int) error {
	k := len(b.counted)
	if n == 0 || k == 0 {
		return nil
	}
	all := make([]int64, n*k)
	err := mpiError("MPI_Reduce of counters", C.pg_counters_most(b.counters, b.x, C.int64_t(n), (*C.int64_t)(unsafe.Pointer(&all[0]))))
	if err != nil || b.rank != 0 {
		return err
	}
	if m.counts == nil {
		m.counts = make([][]int64, k)
	}
	for i, v := range all {
		if v == C.PG_COUNTER_LOST {
			b.out.end.Counters[b.counted[i%k]].Why, v = "it could not be read in every repetition", 0
		}
		m.counts[i%k] = append(m.counts[i%k], v)
	}
	return nil
}

// sendCounts sends the counters of case i, and notes what reading them has cost.
func (b *bench) sendCounts(i int, m *measured, r *protocol.CaseResult) {
	if b.counters == nil || b.rank != 0 || len(m.counts) == 0 {
		return
	}
	b.mu.Lock()
	for k, values := range m.counts {
		b.w.Count(i, b.counted[k], values)
	}
	b.mu.Unlock()
	var with []float64
	for _, s := range m.samples {
		if s.Flags == 0 {
			with = append(with, float64(s.NS))
		}
	}
	if len(with) > 0 && len(m.plain) > 0 {
		r.Counting = &protocol.Counting{N: len(m.plain), WithNS: stats.MedianFinite(with), WithoutNS: stats.MedianFinite(m.plain)}
	}
}
