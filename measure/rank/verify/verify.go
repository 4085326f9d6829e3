package verify

import (
	"bytes"
	"fmt"
	"iter"
	"math/bits"
	"slices"
	"unsafe"

	"pgmpi/mockups"
)

const Guard = 0xc3

// Verifier fills buffers with data that differ by rank, block and index. It compares results with what
// the collective's definition says, without MPI.
type Verifier interface {
	// Fill sets the send buffer, and of the receive buffer what is input (Bcast at the root).
	Fill(c Case)
	// Check compares both buffers. It returns "" when they are right.
	Check(c Case) string
}

// Case is one rank's buffers of one case. Their guards are between their length and their capacity.
type Case struct {
	Function   mockups.Function
	Rank, Size int
	Root       int
	Layout     mockups.Layout
	Count      int64 // elements that a block takes
	Moved      int64 // the element of a rank's data that its buffers begin with
	Gap        byte  // what the gaps of the receive buffer hold
	Send, Recv []byte
}

// Overrun says which byte of the guard after a buffer was overwritten. It returns "" where none was.
func Overrun(name string, buffer []byte) string {
	guard := buffer[len(buffer):cap(buffer)]
	i := slices.IndexFunc(guard, func(g byte) bool { return g != Guard })
	if i < 0 {
		return ""
	}
	return fmt.Sprintf("byte %d behind the %s buffer was overwritten", i, name)
}

func Fill(b []byte, with byte) {
	if len(b) == 0 {
		return
	}
	b[0] = with
	for n := 1; n < len(b); n *= 2 {
		copy(b[n:], b[:n])
	}
}

type integer interface {
	~uint8 | ~int32 | ~uint32 | ~int64 | ~uint64
}

type number interface {
	integer | ~float32 | ~float64
}

// element is what buffers hold.
type element interface {
	number | ~complex128
}

type elementsOf[T element] struct {
	value   func(h uint32, rank int) T
	combine func(a, b T) T
	// Tables are kept of what several ranks give combined, and of what the first ranks give alone.
	tables map[ranks][]T
	one    []T // the last part of a table that one of the other ranks gives alone
}

type ranks struct{ first, last int }

// testOps are operators on int that only rank programs built for tests know.
var testOps = map[string]Verifier{}

func New(datatype, op string, p int) (Verifier, error) {
	if v, ok := testOps[op]; ok && datatype == "int" {
		return v, nil
	}
	spare := bits.Len(uint(p - 1)) // bits that a sum has more than its summands
	switch datatype {
	case "byte":
		return integers[uint8](op, 8)
	case "int":
		return integers[int32](op, 32-spare)
	case "unsigned":
		return integers[uint32](op, 32)
	case "int64":
		return integers[int64](op, 64-spare)
	case "uint64":
		return integers[uint64](op, 64)
	case "float":
		return floats[float32](op, 25-spare)
	case "double":
		return floats[float64](op, 54-spare)
	case "2int":
		return pairs(op)
	case "double_complex":
		return complexes(op, 54-spare)
	}
	return nil, fmt.Errorf("no verification for datatype %q", datatype)
}

// whole spreads a hash over whole numbers of these bits, one of which is the sign.
func whole[T number](bits int) func(h uint32, _ int) T {
	shift := 64 - max(2, bits)
	return func(h uint32, _ int) T { return T(int64(uint64(h)*0x9e3779b97f4a7c15) >> shift) }
}

// integers have values of `bits` bits, so that signed sums do not overflow; unsigned ones may.
func integers[T integer](op string, bits int) (Verifier, error) {
	e := &elementsOf[T]{value: whole[T](bits)}
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

// floats have whole numbers whose sum over the ranks takes the whole mantissa: it is exact in any
// order, and one that is off by its last bit, or was made in less precision, is wrong.
func floats[T ~float32 | ~float64](op string, bits int) (Verifier, error) {
	e := &elementsOf[T]{value: whole[T](bits)}
	err := arithmetic(e, op)
	return e, err
}

// complexes have the numbers of floats in both parts.
func complexes(op string, bits int) (Verifier, error) {
	if op != "sum" {
		return nil, fmt.Errorf("no verification for op %q on this datatype", op)
	}
	of := whole[float64](bits)
	return &elementsOf[complex128]{
		value:   func(h uint32, rank int) complex128 { return complex(of(h, rank), of(^h, rank)) },
		combine: func(a, b complex128) complex128 { return a + b },
	}, nil
}

// pair is a value and where it is from, as in MPI_2INT.
type pair int64

func (p *pair) ints() *[2]int32 { return (*[2]int32)(unsafe.Pointer(p)) }

func (p pair) String() string { return fmt.Sprint(*p.ints()) }

// pairs have few values, so that many ranks have the same: then the lowest counts.
func pairs(op string) (Verifier, error) {
	sign := map[string]int32{"minloc": 1, "maxloc": -1}[op]
	if sign == 0 {
		return nil, fmt.Errorf("no verification for op %q on this datatype", op)
	}
	return &elementsOf[pair]{
		value: func(h uint32, rank int) (p pair) {
			*p.ints() = [2]int32{int32(h) >> 28, int32(rank)}
			return p
		},
		combine: func(a, b pair) pair {
			if sign*b.ints()[0] < sign*a.ints()[0] { // b is of a higher rank
				return b
			}
			return a
		},
	}, nil
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

// period is the number of elements of a rank's data that are computed. The data after them are made of
// the same elements, a period at a time, each beginning at another place: two parts that change places
// are seen at whatever distance, but by a chance of one in a period.
const period = mockups.Period

// place returns the index, in the table of a rank's data, of element i of the data.
func place(i int64) int64 {
	if i < period {
		return i
	}
	return (i + int64(hash(-1, i/period))) % period
}

// keptRanks limits the ranks whose own data are kept: the memory of a rank does not grow with their
// number.
const keptRanks = 64

// table returns n elements from a place on, of what ranks give together.
func (e *elementsOf[T]) table(of ranks, from, n int64) []T {
	if of.first == of.last && of.first >= keptRanks {
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

// along calls do for each part of a stretch of data, with its expected data. The data begin with
// element i of what ranks give together.
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

func view[T element](b []byte) []T {
	if len(b) == 0 {
		return nil
	}
	var t T
	return unsafe.Slice((*T)(unsafe.Pointer(&b[0])), len(b)/int(unsafe.Sizeof(t)))
}

func raw[T element](of []T) []byte {
	var t T
	return unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(of))), len(of)*int(unsafe.Sizeof(t)))
}

// Input returns the blocks of a rank's receive buffer that hold data before the call: each with its
// place there, and the block of the rank's data that it is.
func (c Case) Input() (blocks [][2]int64) {
	if c.Function.Input == nil || c.Count == 0 {
		return nil
	}
	for b := range c.Function.Recv.Elements(c.Count, c.Size, c.Rank == c.Root) / c.Count {
		if from := c.Function.Input(c.Rank, c.Size, c.Root, int(b)); from.Last >= from.First {
			blocks = append(blocks, [2]int64{b, int64(from.Block)})
		}
	}
	return blocks
}

func (c Case) sent(i int64) string {
	if c.Function.Rule != "" {
		return fmt.Sprintf("element %d", i)
	}
	return fmt.Sprintf("element %d of block %d", i%c.Count, i/c.Count)
}

// piece is a part of a block that holds data, with the length of the gap after it in elements.
type piece struct {
	mockups.Stretch
	gap int64
}

// pieces lists the pieces of block b of the receive buffer, which takes n elements. Where a block is
// input all of it holds data, the gaps too.
func (c Case) pieces(b int, n int64) iter.Seq[piece] {
	whole := c.Function.Derived == "" || slices.ContainsFunc(c.Input(), func(in [2]int64) bool { return in[0] == int64(b) })
	return func(yield func(piece) bool) {
		if whole {
			yield(piece{mockups.Stretch{N: n}, 0})
			return
		}
		for at := range c.Function.Derived.Pieces(n / 2) {
			if !yield(piece{at, at.N}) {
				return
			}
		}
	}
}

func (c Case) gapFault(gap []byte, b int, of piece) string {
	i := slices.IndexFunc(gap, func(g byte) bool { return g != c.Gap })
	if i < 0 {
		return ""
	}
	return fmt.Sprintf("byte %d of the gap behind element %d of block %d of the receive buffer was overwritten", i, of.At+of.N-1, b)
}

// Fill gives a rank the same data in every case: its send buffer stays as it is while cases take turns.
func (e *elementsOf[T]) Fill(c Case) {
	give := func(have, want []T) { copy(have, want) }
	own := ranks{c.Rank, c.Rank}
	e.along(view[T](c.Send), own, c.Moved, give)
	recv := view[T](c.Recv)
	for _, b := range c.Input() {
		e.along(recv[b[0]*c.Count:][:c.Count], own, c.Moved+b[1]*c.Count, give)
	}
}

func (e *elementsOf[T]) Check(c Case) string {
	fault := e.differs(view[T](c.Send), ranks{c.Rank, c.Rank}, c.Moved, func(i int64, have, want T) string {
		return fmt.Sprintf("the send buffer was changed at %s: %v, was %v", c.sent(i), have, want)
	})
	switch {
	case fault != "" || !c.Function.HasData():
		return fault
	case c.Function.Result == nil:
		return "its result is not known: the table in mockups.go gives it none"
	}
	for b, all := 0, view[T](c.Recv); b < c.Layout.RecvBlocks(c.Rank) && fault == ""; b++ {
		from := c.Function.Result(c.Rank, c.Size, c.Root, b)
		if from.Last < from.First {
			return "" // what MPI leaves undefined is so in all blocks after it
		}
		at := c.Layout.Received(c.Rank, b)
		source := c.Moved + c.Layout.Sent(from.First, from.Block).At
		for piece := range c.pieces(b, at.N) {
			if fault = c.gapFault(raw(all[at.At+piece.At+piece.N:][:piece.gap]), b, piece); fault != "" {
				break
			}
			have := all[at.At+piece.At:][:piece.N]
			fault = e.differs(have, ranks{from.First, from.Last}, source+piece.At, func(i int64, have, want T) string {
				return fmt.Sprintf("the receive buffer is wrong at element %d of block %d: %v, expected %v", piece.At+i, b, have, want)
			})
			if fault != "" {
				break
			}
		}
	}
	return fault
}

// differs compares a stretch of data, which begins with element i of what ranks give together. It says
// where they differ first, or returns "".
func (e *elementsOf[T]) differs(data []T, of ranks, i int64, says func(i int64, have, want T) string) (fault string) {
	at := int64(0)
	e.along(data, of, i, func(have, want []T) {
		if fault == "" && !bytes.Equal(raw(have), raw(want)) {
			for k, v := range have {
				if !bytes.Equal(raw(have[k:k+1]), raw(want[k:k+1])) {
					fault = says(at+int64(k), v, want[k])
					break
				}
			}
		}
		at += int64(len(have))
	})
	return fault
}
