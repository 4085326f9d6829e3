//go:build cgo

package call

/*
#include <stdlib.h>
#include "rank.h"
*/
import "C"

import (
	"cmp"
	"fmt"
	"strings"
	"time"
	"unsafe"

	"pgmpi/measure/rank/mpi"
	"pgmpi/measure/rank/native"
	"pgmpi/measure/rank/verify"
	"pgmpi/mockups"
)

// Poisons fill the receive buffer before each of the two verified calls: an element left unwritten
// cannot pass twice.
var Poisons = [2]byte{0x5a, 0xa5}

const (
	// One rank holds up a Barrier that is verified for this many times as long as it takes: much longer
	// than a message. Where processes share a core, one may wait so long for its turn that only
	// mostLate shows anything.
	lateTimes = 100
	leastLate = time.Millisecond
	mostLate  = 20 * time.Millisecond
	// ownCalls are timed to know how long a Barrier takes.
	ownCalls = 10
	// lateMost limits the wait of one rank before its post: the others must return from theirs
	// meanwhile.
	lateMost = 2 * time.Second
	// lateCalls have one rank enter late, the first in call 0 and the last in call 1.
	lateCalls = 2
	// restarts are the verified starts of a persistent request, as many as there are in a row:
	// a library may give what an earlier start has left.
	restarts = mockups.Times
)

// Verify calls one prepared case, each time on other data, until something is wrong at any rank. It
// returns that, or "" when nothing is.
func (c *Caller) Verify(v verify.Verifier, f mockups.Function, row *native.Function, count int64) (string, error) {
	calls := len(Poisons)
	switch f.Call {
	case mockups.Nonblocking:
		calls += lateCalls
	case mockups.Persistent:
		calls = restarts
	default:
	}
	for i := range calls {
		found, err := c.Once(v, f, count, i, "", func() (string, error) { return c.callOnce(f, row, i) })
		if err != nil || found != "" {
			return found, err
		}
	}
	return "", nil
}

// VerifyAgain verifies a case after its timed calls, on data that it has not had.
func (c *Caller) VerifyAgain(v verify.Verifier, f mockups.Function, row *native.Function, count int64, again int) (string, error) {
	i := restarts + again
	return c.Once(v, f, count, i, "in a call on other data after the timed ones ", func() (string, error) { return c.callOnce(f, row, i) })
}

// Once verifies one call, on data that are moved by as many elements. It leaves the buffers as they are
// for timed calls. What is wrong begins with `when`.
func (c *Caller) Once(v verify.Verifier, f mockups.Function, count int64, moved int, when string, call func() (string, error)) (string, error) {
	of := c.Case(f, count)
	send, recv := of.Send[:cap(of.Send)], of.Recv[:cap(of.Recv)]
	of.Moved, of.Gap = int64(moved), Poisons[moved%len(Poisons)]
	verify.Fill(send, verify.Guard)
	verify.Fill(recv, of.Gap)
	verify.Fill(recv[len(of.Recv):], verify.Guard)
	v.Fill(of)
	fault, err := call()
	if err != nil && f.Call != mockups.Persistent {
		return "", err
	}
	found := cmp.Or(fault, failedStart(moved, err), v.Check(of), verify.Overrun("send", of.Send), verify.Overrun("receive", of.Recv), c.TempFault())
	if found != "" {
		found = when + found
	}
	// Larger cases that have taken a turn send what was where the guard is.
	of.Send, of.Moved = send, 0
	v.Fill(of)
	return c.FirstOf(found) // a request that went wrong at any rank is not started again
}

// failedStart says that start i of a persistent request gave an error: MPICH 4.0.2 does
// so where it has lost what the request was made for.
func failedStart(i int, err error) string {
	if err == nil {
		return ""
	}
	return fmt.Sprintf("start %d of the request failed: %s", i+1, strings.ReplaceAll(strings.TrimSpace(err.Error()), "\n", "; "))
}

// callOnce is verified call i of a function. One that moves no data, a Barrier, has one rank
// enter late: the fault is that another left before. Of one that is posted the first calls do:
// the fault is that another waits for it in its post.
func (c *Caller) callOnce(f mockups.Function, row *native.Function, i int) (fault string, err error) {
	late := []int{0, c.Size - 1}[i%lateCalls]
	switch {
	case !f.HasData():
		return c.Late(row, late)
	case i < lateCalls && (f.Call == mockups.Nonblocking || f.Call == mockups.Persistent):
		return c.postLate(f, late)
	}
	return "", c.Call(row, 1)
}

// Late calls a function in which all ranks wait for each other, with one rank late. It says there which
// rank did not wait.
func (c *Caller) Late(row *native.Function, late int) (fault string, err error) {
	by, err := c.lateBy(row)
	if err != nil {
		return "", err
	}
	if c.Rank == late && c.Size > 1 {
		time.Sleep(by)
	}
	var early C.int
	err = mpi.Error(Name(row), C.pg_call_late(own(row), c.x, C.int(late), &early))
	if err != nil || early < 0 {
		return "", err
	}
	return fmt.Sprintf("rank %d left before this rank had entered", early), nil
}

// lateBy returns the time for which a rank is late.
func (c *Caller) lateBy(row *native.Function) (time.Duration, error) {
	_, crowded, err := c.Topology()
	if err != nil || crowded > 0 {
		return mostLate, err
	}
	start := time.Now()
	err = c.Call(row, ownCalls)
	return lateAfter(time.Since(start) / ownCalls), err
}

// lateAfter returns the time to hold up a Barrier that takes each.
func lateAfter(each time.Duration) time.Duration {
	return min(max(lateTimes*each, leastLate), mostLate)
}

func (c *Caller) postLate(f mockups.Function, late int) (fault string, err error) {
	id := C.CString(f.ID)
	defer C.free(unsafe.Pointer(id))
	var stuck C.int
	err = mpi.Error(f.ID, C.pg_post_late(id, c.x, C.int(late), C.double(lateMost.Seconds()), &stuck))
	if err != nil || stuck < 0 {
		return "", err
	}
	return fmt.Sprintf("rank %d did not return from its post within %v, before this rank had posted: the call blocks", stuck, lateMost), nil
}

func (c *Caller) Case(f mockups.Function, count int64) verify.Case {
	root := int(c.x.root)
	l := f.Layout(count, c.Size, root, c.seed)
	s, r := l.SendElements(c.Rank)*c.extent(), l.RecvElements(c.Rank)*c.extent()
	return verify.Case{Function: f, Rank: c.Rank, Size: c.Size, Root: root, Layout: l, Count: f.Span(count),
		Send: unsafe.Slice((*byte)(c.x.send), s+C.PG_GUARD_BYTES)[:s],
		Recv: unsafe.Slice((*byte)(c.x.recv), r+C.PG_GUARD_BYTES)[:r]}
}

// TempFault says that memory after a temporary was overwritten, or returns "" where none was.
func (c *Caller) TempFault() string {
	if C.pg_temps_intact(c.x) == 1 {
		return ""
	}
	return "memory behind a temporary was overwritten"
}
