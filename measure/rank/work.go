//go:build cgo

package rank

import (
	"fmt"
	"time"

	"pgmpi/measure/protocol"
	"pgmpi/measure/rank/loop"
	"pgmpi/measure/rank/mpi"
)

// Work does a protocol.Work of its name at the ranks.
type Work struct {
	name   string
	onCase func(*Visit, *protocol.Asked) (answer *protocol.Answer, fault string, err error)
	alone  func(*Mpirun, *protocol.Asked) (*protocol.Answer, error)
}

// Alone makes a Work that has an mpirun without cases for itself. do returns the answer of rank 0.
func Alone[J, A any](w *protocol.Work[J, A], do func(*Mpirun, *J) (*A, error)) Work {
	return Work{name: w.Name, alone: func(m *Mpirun, asked *protocol.Asked) (*protocol.Answer, error) {
		job, err := w.Job(asked)
		if err != nil {
			return nil, err
		}
		found, err := do(m, job)
		if err != nil {
			return nil, err
		}
		return w.Answer(found)
	}}
}

// OnCases makes a Work that goes on with each case after its timed calls. do returns what rank 0 has
// found, or nil, and what is wrong with the data at any rank.
func OnCases[J, A any](w *protocol.Work[J, A], do func(*Visit, *J) (found *A, fault string, err error)) Work {
	return Work{name: w.Name, onCase: func(v *Visit, asked *protocol.Asked) (*protocol.Answer, string, error) {
		job, err := w.Job(asked)
		if err != nil {
			return nil, "", err
		}
		found, fault, err := do(v, job)
		if found == nil || err != nil {
			return nil, fault, err
		}
		answer, err := w.Answer(found)
		return answer, fault, err
	}}
}

// workOf returns the Work that is asked for, with cases or without, or nil where none is.
func (s *session) workOf(asked *protocol.Asked, cases bool) (*Work, error) {
	if asked == nil {
		return nil, nil
	}
	for i := range s.works {
		if w := &s.works[i]; w.name == asked.Work && cases == (w.onCase != nil) {
			return w, nil
		}
	}
	return nil, fmt.Errorf("this rank program knows no work %q: take the one of the same version (--rank)", asked.Work)
}

// Visit is a case after its timed calls, prepared as it was for them.
type Visit struct {
	*loop.Loop
	visit *visit
}

func (v *Visit) Case() protocol.JobCase { return v.visit.c }

// Samples returns the samples of the timed calls, at rank 0.
func (v *Visit) Samples() []protocol.Sample { return v.visit.out.samples[v.visit.i] }

// Verify makes one call more, on other data. What is wrong with it at any rank begins with `when`.
func (v *Visit) Verify(when string, call func() error) (fault string, err error) {
	v.visit.poisoned++
	return v.Once(v.visit.verifier, v.visit.f, v.visit.count, v.visit.poisoned, when, func() (string, error) { return "", call() })
}

// Repeat makes batches until n repetitions are valid, or twice as many were made. A batch ends after
// the limit, if the synchronisation can end it.
func (v *Visit) Repeat(n int, limit time.Duration, batch func(most int) (done, invalid int, err error)) error {
	b := v.visit.bench
	b.alive()
	for left, most := n, 2*n; left > 0 && most > 0; {
		if err := b.resync(); err != nil {
			return err
		}
		start, slice, size := time.Now(), limit, min(most, b.batchSize(), b.Room)
		if b.NeedsClock() {
			slice = min(slice, time.Until(b.due))
		}
		b.Set(0, max(1, slice), left)
		if !b.Slices {
			size = min(size, left)
		}
		done, invalid, err := batch(size)
		if err != nil {
			return err
		}
		b.batchTook = time.Since(start)
		most -= max(1, done)
		left -= done - invalid
	}
	return nil
}

// Mpirun is an mpirun without cases.
type Mpirun struct {
	*mpi.World
	session *session
	stall   time.Duration
}

// Watch ends the mpirun when no step begins within the job's limit. what names what did not happen,
// with the limit in it.
func (m *Mpirun) Watch(what string) (stop func()) {
	m.session.watch(m.stall, what)
	return func() { m.session.watchdog.Stop() }
}

// Step begins step i of n of what is watched. It has rank 0 tell the driver a text.
func (m *Mpirun) Step(i, n int, name, text string) {
	m.session.alive()
	m.session.setName(name)
	if m.Rank == 0 {
		m.session.say("%s %d %d %s", protocol.LineProgress, i, n, text)
	}
}
