//go:build cgo

package loop

/*
#include <stdlib.h>
#include "rank.h"
*/
import "C"

import (
	"errors"
	"unsafe"

	"pgmpi/internal/stats"
	"pgmpi/measure/protocol"
	"pgmpi/measure/rank/mpi"
	"pgmpi/measure/rank/native"
)

type counters struct {
	c     *C.pg_counters
	named []protocol.Counter
	open  []int // indices into named
}

// mostCounted limits the repetitions of a batch with counters. As many without them come before or
// after it, and show what reading them costs.
const mostCounted = 25

func eventNames() (names []string) {
	for i := C.int(0); C.pg_counter_name(i) != nil; i++ {
		names = append(names, C.GoString(C.pg_counter_name(i)))
	}
	return names
}

// OpenCounters opens those that every rank has, and notes why the others are not. Room is
// made for as many repetitions as the loop has.
func (l *Loop) OpenCounters(names []string) error {
	if len(names) == 0 {
		return nil
	}
	l.counters = &counters{c: C.pg_counters_new(C.int64_t(l.Room))}
	if l.counters.c == nil {
		return errors.New("no memory for counters")
	}
	for i, name := range names {
		from, why := l.openCounter(name)
		found := protocol.Counter{Name: name}
		var err error
		if found.Why, err = l.FirstOf(why); err != nil {
			return err
		}
		switch {
		case found.Why == "":
			found.From = from
			l.counters.open = append(l.counters.open, i)
		case why == "": // another rank has not
			C.pg_counters_close_last(l.counters.c)
		}
		l.counters.named = append(l.counters.named, found)
	}
	return nil
}

func (l *Loop) openCounter(name string) (from, why string) {
	its := C.CString(name)
	defer C.free(unsafe.Pointer(its))
	var text [C.PG_COUNTER_WHY]C.char
	if C.pg_counters_open(l.counters.c, l.x, its, &text[0]) == 1 {
		return C.GoString(&text[0]), ""
	}
	return "", C.GoString(&text[0])
}

func (l *Loop) Counters() []protocol.Counter {
	if l.counters == nil {
		return nil
	}
	return l.counters.named
}

func (l *Loop) Most() int {
	if l.counters != nil {
		return min(mostCounted, l.Room)
	}
	return l.Room
}

// Counted holds the counts of a case, at rank 0.
type Counted struct {
	by         [][]int64 // by counter that is open, and repetition
	plain      []float64 // of repetitions without counters next to the samples, ns
	plainFirst bool      // the next of these come before the next samples
}

// Batch times a function at most n times. Where there are counters it reads them, and makes a batch
// without them as well, alternately before and after.
func (l *Loop) Batch(f *native.Function, n int, to *Counted) (Batch, error) {
	if l.counters == nil {
		return l.Plain(f, n)
	}
	if l.Alone {
		return l.counted(f, n, to)
	}
	first := to.plainFirst
	to.plainFirst = !first
	if first {
		if err := l.plain(f, n, to); err != nil {
			return Batch{}, err
		}
	}
	b, err := l.counted(f, n, to)
	if err == nil && !first {
		err = l.plain(f, n, to)
	}
	return b, err
}

func (l *Loop) counted(f *native.Function, n int, to *Counted) (Batch, error) {
	l.c.counters = l.counters.c
	b, err := l.Plain(f, n)
	l.c.counters = nil
	if err != nil {
		return b, err
	}
	return b, l.takeCounts(to, b.N)
}

// plain makes repetitions that are not samples, without counters.
func (l *Loop) plain(f *native.Function, n int, to *Counted) error {
	b, err := l.Plain(f, n)
	to.plain = append(to.plain, protocol.Valid(b.Samples)...)
	return err
}

func (l *Loop) takeCounts(to *Counted, n int) error {
	k := len(l.counters.open)
	if n == 0 || k == 0 {
		return nil
	}
	all := make([]int64, n*k)
	err := mpi.Error("MPI_Reduce of counters", C.pg_counters_most(l.counters.c, l.x, C.int64_t(n), (*C.int64_t)(unsafe.Pointer(&all[0]))))
	if err != nil || l.Rank != 0 {
		return err
	}
	if to.by == nil {
		to.by = make([][]int64, k)
	}
	for i, v := range all {
		if v == C.PG_COUNTER_LOST {
			l.counters.named[l.counters.open[i%k]].Why, v = "it could not be read in every repetition", 0
		}
		to.by[i%k] = append(to.by[i%k], v)
	}
	return nil
}

// Send calls send with the counts of each counter of the job. It returns what reading them has cost, or
// nil where that is not known.
func (l *Loop) Send(of *Counted, samples []protocol.Sample, send func(counter int, counts []int64)) *protocol.Counting {
	for k, counts := range of.by {
		send(l.counters.open[k], counts)
	}
	with := protocol.Valid(samples)
	if len(of.by) == 0 || len(with) == 0 || len(of.plain) == 0 {
		return nil
	}
	return &protocol.Counting{N: len(of.plain), WithNS: stats.MedianFinite(with), WithoutNS: stats.MedianFinite(of.plain)}
}
