//go:build cgo

package rank

/*
#include "rank.h"
*/
import "C"

import (
	"bytes"
	"cmp"
	"fmt"
	"math"
	"slices"
	"time"
	"unsafe"

	"pgmpi/mockups"
)

// poisons fill the receive buffer before each of the two verified calls, so
// that an element left unwritten cannot pass twice. guardByte is behind
// every buffer.
var poisons = [2]byte{0x5a, 0xa5}

const guardByte = 0xc3

// period is after how many elements the data of a block repeat. Most of the time
// of a verification would else go into hashing. It is a prime: a shift by a
// power of two, or by a usual part of a block, still gives other data.
const period = 8191

// lateBy is how long a Barrier is held up by one rank when it is verified: much
// longer than a message takes, even where processes share a core.
const lateBy = 20 * time.Millisecond

// verifier fills buffers with data that differ by rank, block and index, and
// compares results with what the collective's definition says, without MPI.
type verifier interface {
	// fill sets the send buffer, and of the receive buffer what is input (Bcast at the root).
	fill(c vcase)
	// check compares both buffers; "" when they are right.
	check(c vcase) string
}

// vcase is what a verifier looks at: one rank's buffers of one case. send and
// recv exclude the guards.
type vcase struct {
	f          mockups.Function
	rank, size int
	root       int
	count      int64
	send, recv []byte
}

type number interface {
	~uint8 | ~int32 | ~float32 | ~float64
}

// elementsOf is the generic verifier for one datatype and operator.
type elementsOf[T number] struct {
	value   func(h uint32, rank int) T
	combine func(a, b T) T
	eps     float64 // relative error of an operation; 0: exact
}

// testOps are operators on int that only rank programs built for tests know.
var testOps = map[string]verifier{}

func newVerifier(datatype, op string) (verifier, error) {
	if v, ok := testOps[op]; ok && datatype == "int" {
		return v, nil
	}
	switch datatype {
	case "byte":
		return integers[uint8](op)
	case "int":
		return integers[int32](op)
	case "float":
		return floats[float32](op, 0x1p-23)
	case "double":
		return floats[float64](op, 0x1p-52)
	}
	return nil, fmt.Errorf("no verification for datatype %q", datatype)
}

func integers[T ~uint8 | ~int32](op string) (verifier, error) {
	e := elementsOf[T]{value: func(h uint32, _ int) T { return T(h >> 12) }}
	truth := func(b bool) T {
		if b {
			return 1
		}
		return 0
	}
	switch op {
	case "bor":
		e.combine = func(a, b T) T { return a | b }
	case "band":
		// Few zero bits, so that the result is not all zero.
		e.value = func(h uint32, _ int) T { return ^(T(1) << (h % uint32(8*unsafe.Sizeof(T(0))))) }
		e.combine = func(a, b T) T { return a & b }
	case "bxor":
		e.combine = func(a, b T) T { return a ^ b }
	case "lor":
		e.value = func(h uint32, _ int) T { return T(h % 3 / 2) }
		e.combine = func(a, b T) T { return truth(a != 0 || b != 0) }
	case "land":
		e.value = func(h uint32, _ int) T { return T(h % 7) }
		e.combine = func(a, b T) T { return truth(a != 0 && b != 0) }
	case "lxor":
		e.value = func(h uint32, _ int) T { return T(h % 2) }
		e.combine = func(a, b T) T { return truth((a != 0) != (b != 0)) }
	default:
		if err := arithmetic(&e, op); err != nil {
			return nil, err
		}
	}
	return e, nil
}

func floats[T ~float32 | ~float64](op string, eps float64) (verifier, error) {
	e := elementsOf[T]{value: func(h uint32, _ int) T { return T(int32(h>>20) - 2048) }, eps: eps}
	err := arithmetic(&e, op)
	return e, err
}

func arithmetic[T number](e *elementsOf[T], op string) error {
	switch op {
	case "sum":
		e.combine = func(a, b T) T { return a + b }
	case "prod":
		// ±1, and ±2 at the first ranks only: no overflow at any p.
		e.value = func(h uint32, rank int) T {
			v := T(1 + h>>30&1)
			if rank > 16 {
				v = 1
			}
			if h>>29&1 == 1 {
				v = -v
			}
			return v
		}
		e.combine = func(a, b T) T { return a * b }
	case "min":
		e.combine = func(a, b T) T { return min(a, b) }
	case "max":
		e.combine = func(a, b T) T { return max(a, b) }
	default:
		return fmt.Errorf("no verification for op %q on this datatype", op)
	}
	return nil
}

// hash mixes rank, block and index.
func hash(rank, block int, i int64) uint32 {
	h := uint32(rank+1)*0x9e3779b1 ^ uint32(block+1)*0x85ebca6b ^ uint32(i)*0xc2b2ae35
	h ^= h >> 15
	h *= 0x2c1b3c6d
	return h ^ h>>12
}

func (e elementsOf[T]) at(rank, block int, i int64) T { return e.value(hash(rank, block, i), rank) }

func view[T number](b []byte) []T {
	if len(b) == 0 {
		return nil
	}
	var t T
	return unsafe.Slice((*T)(unsafe.Pointer(&b[0])), len(b)/int(unsafe.Sizeof(t)))
}

// raw is the opposite of view.
func raw[T number](of []T) []byte {
	var t T
	return unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(of))), len(of)*int(unsafe.Sizeof(t)))
}

// blocks calls do for every block of a buffer, with what its elements are to be, as
// many as repeat.
func (e elementsOf[T]) blocks(buffer []byte, count int64, element func(block int, i int64) T, do func(block int, have, want []T)) {
	all := view[T](buffer)
	for b := 0; len(all) > 0; b++ {
		n := min(count, int64(len(all)))
		want := make([]T, min(n, period))
		for i := range want {
			want[i] = element(b, int64(i))
		}
		do(b, all[:n], want)
		all = all[n:]
	}
}

// repeat fills a block with what repeats in it.
func repeat[T number](_ int, block, with []T) {
	for len(block) > 0 {
		block = block[copy(block, with):]
	}
}

// sent is what a rank's send buffer holds in a block.
func (e elementsOf[T]) sent(rank int) func(block int, i int64) T {
	return func(block int, i int64) T { return e.at(rank, block, i) }
}

func (e elementsOf[T]) fill(c vcase) {
	e.blocks(c.send, c.count, e.sent(c.rank), repeat)
	if c.f.InPlace && c.rank == c.root {
		e.blocks(c.recv, c.count, e.sent(c.rank), repeat)
	}
}

// expected is element i of the block that the source describes.
func (e elementsOf[T]) expected(from mockups.Source, i int64) T {
	v := e.at(from.First, from.Block, i)
	for r := from.First + 1; r <= from.Last; r++ {
		v = e.combine(v, e.at(r, from.Block, i))
	}
	return v
}

func (e elementsOf[T]) check(c vcase) string {
	fault := e.differs(c.send, c.count, e.sent(c.rank), 0, "the send buffer was changed at element %d of block %d: %v, was %v")
	switch {
	case fault != "" || !c.f.HasData():
		return fault
	case c.f.Result == nil:
		return "its result is not known: the table in mockups.go gives it none"
	}
	// What MPI leaves undefined is so in all blocks of a rank.
	if first := c.f.Result(c.rank, c.size, c.root, 0); first.Last < first.First {
		return ""
	}
	// p−1 operations, each off by at most eps/2, in any order; doubled.
	return e.differs(c.recv, c.count,
		func(block int, i int64) T { return e.expected(c.f.Result(c.rank, c.size, c.root, block), i) }, float64(c.size)*e.eps,
		"the receive buffer is wrong at element %d of block %d: %v, expected %v")
}

// differs compares a buffer with what its elements should be, within a relative
// bound, and says where it differs first; "" nowhere.
func (e elementsOf[T]) differs(buffer []byte, count int64, element func(block int, i int64) T, bound float64, says string) (fault string) {
	e.blocks(buffer, count, element, func(block int, have, want []T) {
		for start := 0; start < len(have) && fault == ""; start += len(want) {
			part := have[start:min(len(have), start+len(want))]
			if bytes.Equal(raw(part), raw(want[:len(part)])) {
				continue
			}
			for i, v := range part {
				if v != want[i] && !(math.Abs(float64(v)-float64(want[i])) <= bound*math.Abs(float64(want[i]))) {
					fault = fmt.Sprintf(says, start+i, block, v, want[i])
					break
				}
			}
		}
	})
	return fault
}

// verify runs one prepared case twice and returns what is wrong at any rank;
// "" when nothing is.
func (w *world) verify(v verifier, f mockups.Function, count, extent int64) (string, error) {
	c := w.caseFor(f, count, extent)
	send, recv := c.send[:cap(c.send)], c.recv[:cap(c.recv)]
	found := ""
	for i, poison := range poisons {
		fill(send, guardByte)
		fill(recv, poison)
		fill(recv[len(c.recv):], guardByte)
		v.fill(c)
		early, err := w.callOnce(f, i)
		if err != nil {
			return "", err
		}
		if found == "" {
			found = cmp.Or(early, v.check(c), guardFault("send", send[len(c.send):]),
				guardFault("receive", recv[len(c.recv):]), w.tempFault())
		}
	}
	return w.firstOf(found)
}

// callOnce is verified call i of a function. One that moves no data, a Barrier, has
// one rank enter late, the first in call 0 and the last in call 1: the fault is that
// another left before.
func (w *world) callOnce(f mockups.Function, i int) (fault string, err error) {
	row := w.rows[f.ID]
	if f.HasData() {
		return "", w.call(row, 1)
	}
	late := []int{0, w.size - 1}[i]
	early, err := w.callLate(row, late)
	if err != nil || early < 0 {
		return "", err
	}
	return fmt.Sprintf("rank %d left before this rank had entered", early), nil
}

// caseFor gives the verifier's view of the buffers, whose guards are between their
// length and their capacity.
func (w *world) caseFor(f mockups.Function, count, extent int64) vcase {
	root := int(w.x.root)
	s := f.Send.Elements(count, w.size, w.rank == root) * extent
	r := f.Recv.Elements(count, w.size, w.rank == root) * extent
	return vcase{f: f, rank: w.rank, size: w.size, root: root, count: count,
		send: unsafe.Slice((*byte)(w.x.send), s+C.PG_GUARD_BYTES)[:s],
		recv: unsafe.Slice((*byte)(w.x.recv), r+C.PG_GUARD_BYTES)[:r]}
}

func fill(b []byte, with byte) { repeat(0, b, bytes.Repeat([]byte{with}, 1<<12)) }

func guardFault(name string, guard []byte) string {
	i := slices.IndexFunc(guard, func(g byte) bool { return g != guardByte })
	if i < 0 {
		return ""
	}
	return fmt.Sprintf("byte %d behind the %s buffer was overwritten", i, name)
}

func (w *world) tempFault() string {
	if C.pg_temps_intact(w.x) == 1 {
		return ""
	}
	return "memory behind a temporary was overwritten"
}
