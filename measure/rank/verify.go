//go:build cgo

package rank

/*
#include <string.h>
#include "rank.h"
*/
import "C"

import (
	"bytes"
	"cmp"
	"fmt"
	"iter"
	"math"
	"slices"
	"strings"
	"time"
	"unsafe"

	"pgmpi/mockups"
)

// poisons fill the receive buffer before each of the two verified calls, so
// that an element left unwritten cannot pass twice. guardByte is behind
// every buffer.
var poisons = [2]byte{0x5a, 0xa5}

const guardByte = 0xc3

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
	layout     mockups.Layout
	count      int64 // elements that a block takes
	moved      int64 // the element of a rank's data that its buffers begin with
	gap        byte  // what the gaps of the receive buffer hold
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
	// What several ranks give combined is kept: it takes as long as there are ranks.
	tables map[ranks][]T
	one    []T // the last part of a table that one rank gives alone
}

// ranks are those from first to last.
type ranks struct{ first, last int }

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
	e := &elementsOf[T]{value: func(h uint32, _ int) T { return T(h >> 12) }}
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
		if err := arithmetic(e, op); err != nil {
			return nil, err
		}
	}
	return e, nil
}

func floats[T ~float32 | ~float64](op string, eps float64) (verifier, error) {
	e := &elementsOf[T]{value: func(h uint32, _ int) T { return T(int32(h>>20) - 2048) }, eps: eps}
	err := arithmetic(e, op)
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

// hash mixes a rank and the place of an element.
func hash(rank int, i int64) uint32 {
	h := uint32(rank+1)*0x9e3779b1 ^ uint32(i)*0xc2b2ae35
	h ^= h >> 15
	h *= 0x2c1b3c6d
	return h ^ h>>12
}

// period is how much of a rank's data is computed. What lies behind is made of the
// same elements, a period at a time, each beginning at another place: two parts that
// change places are seen at whatever distance, but by a chance of one in a period.
const period = mockups.Period

// place is where in the table of a rank's data element i of them comes from.
func place(i int64) int64 {
	if i < period {
		return i
	}
	return (i + int64(hash(-1, i/period))) % period
}

// table returns n elements from a place on, of what ranks give together.
func (e *elementsOf[T]) table(of ranks, from, n int64) []T {
	if of.first == of.last {
		e.one = slices.Grow(e.one[:0], int(n))[:n]
		for i := range e.one {
			e.one[i] = e.value(hash(of.first, from+int64(i)), of.first)
		}
		return e.one
	}
	t := e.tables[of]
	for i := int64(len(t)); i < from+n; i++ {
		v := e.value(hash(of.first, i), of.first)
		for r := of.first + 1; r <= of.last; r++ {
			v = e.combine(v, e.value(hash(r, i), r))
		}
		t = append(t, v)
	}
	if e.tables == nil {
		e.tables = map[ranks][]T{}
	}
	e.tables[of] = t
	return t[from : from+n]
}

// along calls do for the parts of a stretch of data, which begins with element i
// of what ranks give together, with what each part is to hold.
func (e *elementsOf[T]) along(data []T, of ranks, i int64, do func(have, want []T)) {
	// A part ends where a period does, or the table.
	part := func() int64 { return min(int64(len(data)), period-i%period, period-place(i)) }
	if n := part(); n == int64(len(data)) {
		do(data, e.table(of, place(i), n))
		return
	}
	table := e.table(of, 0, period)
	for len(data) > 0 {
		n := part()
		do(data[:n], table[place(i):][:n])
		data, i = data[n:], i+n
	}
}

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

// input are the blocks of a rank's receive buffer that hold data before the call: each
// with its place there, and the block of the rank's data that it is.
func (c vcase) input() (blocks [][2]int64) {
	if c.f.Input == nil || c.count == 0 {
		return nil
	}
	for b := range c.f.Recv.Elements(c.count, c.size, c.rank == c.root) / c.count {
		if from := c.f.Input(c.rank, c.size, c.root, int(b)); from.Last >= from.First {
			blocks = append(blocks, [2]int64{b, int64(from.Block)})
		}
	}
	return blocks
}

// sent says where element i of the send buffer is.
func (c vcase) sent(i int64) string {
	if c.f.Rule != "" {
		return fmt.Sprintf("element %d", i)
	}
	return fmt.Sprintf("element %d of block %d", i%c.count, i/c.count)
}

// piece is a part of a block that holds data, and how many elements of gap are behind it.
type piece struct {
	mockups.Stretch
	gap int64
}

// pieces are those of block b of the receive buffer, which takes n elements. Where a block is
// input all of it holds data, the gaps too.
func (c vcase) pieces(b int, n int64) iter.Seq[piece] {
	whole := c.f.Derived == "" || slices.ContainsFunc(c.input(), func(in [2]int64) bool { return in[0] == int64(b) })
	return func(yield func(piece) bool) {
		if whole {
			yield(piece{mockups.Stretch{N: n}, 0})
			return
		}
		for at := range c.f.Derived.Pieces(n / 2) {
			if !yield(piece{at, at.N}) {
				return
			}
		}
	}
}

// gapFault says where the gap behind a piece of block b was written to.
func (c vcase) gapFault(gap []byte, b int, of piece) string {
	i := slices.IndexFunc(gap, func(g byte) bool { return g != c.gap })
	if i < 0 {
		return ""
	}
	return fmt.Sprintf("byte %d of the gap behind element %d of block %d of the receive buffer was overwritten", i, of.At+of.N-1, b)
}

// A rank's data are the same in every case, so that its send buffer stays as it is
// while cases take turns.
func (e *elementsOf[T]) fill(c vcase) {
	give := func(have, want []T) { copy(have, want) }
	own := ranks{c.rank, c.rank}
	e.along(view[T](c.send), own, c.moved, give)
	recv := view[T](c.recv)
	for _, b := range c.input() {
		e.along(recv[b[0]*c.count:][:c.count], own, c.moved+b[1]*c.count, give)
	}
}

func (e *elementsOf[T]) check(c vcase) string {
	fault := e.differs(view[T](c.send), ranks{c.rank, c.rank}, c.moved, 0, func(i int64, have, want T) string {
		return fmt.Sprintf("the send buffer was changed at %s: %v, was %v", c.sent(i), have, want)
	})
	switch {
	case fault != "" || !c.f.HasData():
		return fault
	case c.f.Result == nil:
		return "its result is not known: the table in mockups.go gives it none"
	}
	// p−1 operations, each off by at most eps/2, in any order; doubled.
	bound := float64(c.size) * e.eps
	for b, all := 0, view[T](c.recv); b < c.layout.RecvBlocks(c.rank) && fault == ""; b++ {
		from := c.f.Result(c.rank, c.size, c.root, b)
		if from.Last < from.First {
			return "" // what MPI leaves undefined is so in all blocks behind
		}
		at := c.layout.Received(c.rank, b)
		source := c.moved + c.layout.Sent(from.First, from.Block).At
		for piece := range c.pieces(b, at.N) {
			if fault = c.gapFault(raw(all[at.At+piece.At+piece.N:][:piece.gap]), b, piece); fault != "" {
				break
			}
			have := all[at.At+piece.At:][:piece.N]
			fault = e.differs(have, ranks{from.First, from.Last}, source+piece.At, bound, func(i int64, have, want T) string {
				return fmt.Sprintf("the receive buffer is wrong at element %d of block %d: %v, expected %v", piece.At+i, b, have, want)
			})
			if fault != "" {
				break
			}
		}
	}
	return fault
}

// differs compares a stretch of data, which begins with element i of what ranks
// give together, within a relative bound, and says where it differs first; ""
// nowhere.
func (e *elementsOf[T]) differs(data []T, of ranks, i int64, bound float64, says func(i int64, have, want T) string) (fault string) {
	at := int64(0)
	e.along(data, of, i, func(have, want []T) {
		if fault == "" && !bytes.Equal(raw(have), raw(want)) {
			for k, v := range have {
				if v != want[k] && !(math.Abs(float64(v)-float64(want[k])) <= bound*math.Abs(float64(want[k]))) {
					fault = says(at+int64(k), v, want[k])
					break
				}
			}
		}
		at += int64(len(have))
	})
	return fault
}

// restarts are the verified calls of a persistent request: a library may give what an
// earlier start has left.
const restarts = 4

// verify runs one prepared case twice, each time on other data, and returns what is
// wrong at any rank; "" when nothing is.
func (w *world) verify(v verifier, f mockups.Function, row *function, count, extent int64) (string, error) {
	c := w.caseFor(f, count, extent)
	send, recv := c.send[:cap(c.send)], c.recv[:cap(c.recv)]
	found, calls := "", len(poisons)
	if f.Call == mockups.Persistent {
		calls = restarts
	}
	for i := range calls {
		c.moved = int64(i)
		fill(send, guardByte)
		c.gap = poisons[i%len(poisons)]
		fill(recv, c.gap)
		fill(recv[len(c.recv):], guardByte)
		v.fill(c)
		early, err := w.callOnce(f, row, i)
		if err != nil && f.Call != mockups.Persistent {
			return "", err
		}
		if found == "" {
			found = cmp.Or(early, failedStart(i, err), v.check(c), guardFault("send", send[len(c.send):]),
				guardFault("receive", recv[len(c.recv):]), w.tempFault())
		}
		if f.Call != mockups.Persistent {
			continue
		}
		// A request that went wrong at any rank is not started again.
		if found, err = w.firstOf(found); err != nil || found != "" {
			c.send, c.moved = send, 0
			v.fill(c)
			return found, err
		}
	}
	// Larger cases that have taken a turn send what was where the guard is.
	c.send, c.moved = send, 0
	v.fill(c)
	return w.firstOf(found)
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
func (w *world) callOnce(f mockups.Function, row *function, i int) (fault string, err error) {
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
	l := f.Layout(count, w.size, root, w.seed)
	s, r := l.SendElements(w.rank)*extent, l.RecvElements(w.rank)*extent
	return vcase{f: f, rank: w.rank, size: w.size, root: root, layout: l, count: f.Span(count),
		send: unsafe.Slice((*byte)(w.x.send), s+C.PG_GUARD_BYTES)[:s],
		recv: unsafe.Slice((*byte)(w.x.recv), r+C.PG_GUARD_BYTES)[:r]}
}

func fill(b []byte, with byte) {
	if len(b) > 0 {
		C.memset(unsafe.Pointer(&b[0]), C.int(with), C.size_t(len(b)))
	}
}

// beforeLast makes the buffers of a case ready for its last visit: until a call
// has made it right, the receive buffer is wrong, apart from input. Other cases
// that have taken turns may have left their data there.
func (b *bench) beforeLast(f mockups.Function, count int64, turns bool) {
	if !f.HasData() {
		return
	}
	c, need := b.caseFor(f, count, b.extent), f.Memory(count, b.extent, b.size)
	b.poisoned++ // which poison a case meets differs between mpiruns, as their order does
	isInput := c.input() != nil
	if turns && (isInput || b.loop.cache.rotates != 0) {
		b.verifier.fill(c)
	}
	if !isInput {
		fill(c.recv, b.poison())
	}
	fill(c.recv[len(c.recv):cap(c.recv)], guardByte)
	if !turns {
		need.Send = 0 // is where it is to be
	}
	b.spread(need.Send, need.Recv)
	b.loop.called = false
}

// poison is what the receive buffer of the case in hand was filled with last.
func (b *bench) poison() byte { return poisons[b.poisoned%len(poisons)] }

// afterLast says what is wrong after the last timed call of a case, at any rank;
// "" when nothing is. Each function gives the same however often it is called, but for
// those that consume their input: of these it is a call more, on fresh data.
func (b *bench) afterLast(f mockups.Function, row *function, count int64) (string, error) {
	if !f.HasData() {
		return "", nil
	}
	if !b.loop.called || f.Consumes { // its time was over
		b.home()
		if row = b.single(f, row); f.Consumes {
			b.verifier.fill(b.caseFor(f, count, b.extent))
		}
		if err := b.call(row, 1); err != nil {
			return "", err
		}
	}
	c := b.caseFor(f, count, b.extent)
	c.gap = b.poison()
	found := cmp.Or(b.verifier.check(c), guardFault("receive", c.recv[len(c.recv):cap(c.recv)]), b.tempFault())
	if found != "" {
		found = "after the timed calls " + found
	}
	return b.firstOf(found)
}

// single is the row of one call, where several in a row would consume their input.
func (b *bench) single(f mockups.Function, row *function) *function {
	if f.Consumes {
		return b.rows[f.ID]
	}
	return row
}

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
