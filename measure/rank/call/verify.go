//go:build cgo

package call

/*
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

// Poisons fill the receive buffer before each of the two verified calls, so
// that an element left unwritten cannot pass twice.
var Poisons = [2]byte{0x5a, 0xa5}

// lateBy is how long a Barrier is held up by one rank when it is verified: much
// longer than a message takes, even where processes share a core.
const lateBy = 20 * time.Millisecond

// restarts are the verified calls of a persistent request: a library may give what an
// earlier start has left.
const restarts = 4

// Verify runs one prepared case twice, each time on other data, and returns what is
// wrong at any rank; "" when nothing is.
func (c *Caller) Verify(v verify.Verifier, f mockups.Function, row *native.Function, count int64) (string, error) {
	of := c.Case(f, count)
	send, recv := of.Send[:cap(of.Send)], of.Recv[:cap(of.Recv)]
	found, calls := "", len(Poisons)
	if f.Call == mockups.Persistent {
		calls = restarts
	}
	for i := range calls {
		of.Moved = int64(i)
		verify.Fill(send, verify.Guard)
		of.Gap = Poisons[i%len(Poisons)]
		verify.Fill(recv, of.Gap)
		verify.Fill(recv[len(of.Recv):], verify.Guard)
		v.Fill(of)
		early, err := c.callOnce(f, row, i)
		if err != nil && f.Call != mockups.Persistent {
			return "", err
		}
		if found == "" {
			found = cmp.Or(early, failedStart(i, err), v.Check(of), verify.Overrun("send", of.Send), verify.Overrun("receive", of.Recv), c.TempFault())
		}
		if f.Call != mockups.Persistent {
			continue
		}
		// A request that went wrong at any rank is not started again.
		if found, err = c.FirstOf(found); err != nil || found != "" {
			of.Send, of.Moved = send, 0
			v.Fill(of)
			return found, err
		}
	}
	// Larger cases that have taken a turn send what was where the guard is.
	of.Send, of.Moved = send, 0
	v.Fill(of)
	return c.FirstOf(found)
}

// failedStart says that start i of a persistent request gave an error: MPICH 4.0.2 does
// so where it has lost what the request was made for.
func failedStart(i int, err error) string {
	if err == nil {
		return ""
	}
	return fmt.Sprintf("start %d of the request failed: %s", i+1, strings.ReplaceAll(strings.TrimSpace(err.Error()), "\n", "; "))
}

// callOnce is verified call i of a function. One that moves no data, a Barrier, has
// one rank enter late, the first in call 0 and the last in call 1: the fault is that
// another left before.
func (c *Caller) callOnce(f mockups.Function, row *native.Function, i int) (fault string, err error) {
	if f.HasData() {
		return "", c.Call(row, 1)
	}
	late := []int{0, c.Size - 1}[i]
	if c.Rank == late && c.Size > 1 {
		time.Sleep(lateBy)
	}
	var early C.int
	err = mpi.Error(f.ID, C.pg_call_late(own(row), c.x, C.int(late), &early))
	if err != nil || early < 0 {
		return "", err
	}
	return fmt.Sprintf("rank %d left before this rank had entered", early), nil
}

func (c *Caller) Case(f mockups.Function, count int64) verify.Case {
	root := int(c.x.root)
	l := f.Layout(count, c.Size, root, c.seed)
	s, r := l.SendElements(c.Rank)*c.extent(), l.RecvElements(c.Rank)*c.extent()
	return verify.Case{Function: f, Rank: c.Rank, Size: c.Size, Root: root, Layout: l, Count: f.Span(count),
		Send: unsafe.Slice((*byte)(c.x.send), s+C.PG_GUARD_BYTES)[:s],
		Recv: unsafe.Slice((*byte)(c.x.recv), r+C.PG_GUARD_BYTES)[:r]}
}

// TempFault says that memory behind a temporary was overwritten; "" where none was.
func (c *Caller) TempFault() string {
	if C.pg_temps_intact(c.x) == 1 {
		return ""
	}
	return "memory behind a temporary was overwritten"
}
