package verify

import (
	"math"
	"math/big"
	"slices"
	"testing"

	"pgmpi/mockups"
	"pgmpi/testkit/must"
	"pgmpi/testkit/should"
)

func TestFunctionWithoutAResultIsNotTakenForAnother(t *testing.T) {
	v := must.Get(New("byte", "bor", 2))(t)
	f, _ := mockups.Get("MPI_Exscan")
	c := Case{Function: f, Size: 2, Layout: f.Layout(1, 2, 0, 0), Count: 1, Send: make([]byte, 1), Recv: make([]byte, 1)}
	v.Fill(c)
	should.Equal(t, v.Check(c), "", "the undefined result of rank 0")
	c.Function.ID, c.Function.Result = "MPI_New", nil
	should.Contain(t, v.Check(c), "its result is not known")
}

// Element by element, what along gives a part at a time.
func TestPartsOfAStretchAreItsElements(t *testing.T) {
	v := must.Get(New("int", "sum", 3))(t)
	e := v.(*elementsOf[int32])
	for _, of := range []ranks{{2, 2}, {0, 2}} {
		for _, first := range []int64{0, 5, period - 1, period, 3*period + 17} {
			for _, n := range []int64{0, 1, 7, period, 2*period + 3} {
				var got []int32
				e.along(make([]int32, n), of, first, func(have, want []int32) { got = append(got, want[:len(have)]...) })
				var want []int32
				for i := first; i < first+n; i++ {
					sum := int32(0)
					for r := of.first; r <= of.last; r++ {
						sum += e.value(hash(r, place(i)), r)
					}
					want = append(want, sum)
				}
				should.Equal(t, got, want, "ranks %v, %d elements from %d differ", of, n, first)
			}
		}
	}
}

// Two parts of a block that have changed places are seen wherever they lie.
func TestPartsThatChangePlacesAreSeen(t *testing.T) {
	const count = 100 * period
	for _, d := range mockups.Datatypes()[1:] { // auto is one of the others
		for _, op := range d.Ops {
			v := must.Get(New(d.Name, op, 1))(t)
			f, _ := mockups.Get("MPI_Allreduce")
			c := Case{Function: f, Size: 1, Layout: f.Layout(count, 1, 0, 0), Count: count, Send: make([]byte, count*d.Bytes)}
			v.Fill(c)
			for _, apart := range []int64{1, 2, 64, 4096, period - 1, period, period + 1, 2 * period, 8 * period, 64 << 10, 50 * period} {
				c.Recv = slices.Clone(c.Send)
				const length = 100 // a lone pair of small values may be equal
				for i := length*d.Bytes - 1; i >= 0; i-- {
					k := i + apart*d.Bytes
					c.Recv[i], c.Recv[k] = c.Recv[k], c.Recv[i]
				}
				should.Hold(t, v.Check(c) != "", "%s, %s: parts %d elements apart have changed places", d.Name, op, apart)
			}
		}
	}
}

// Sums of floating-point numbers are exact in any order, so that the last bit of each must be right.
func TestTheLastBitOfEveryElementIsSeen(t *testing.T) {
	for _, p := range []int{1, 2, 3, 64, 1 << 17} {
		single, double := must.Get(New("float", "sum", p))(t).(*elementsOf[float32]), must.Get(New("double", "sum", p))(t).(*elementsOf[float64])
		up, down, wide, narrow := float32(0), float32(0), 0.0, float32(0)
		exact := new(big.Int)
		for r := range p {
			up, down = up+single.value(hash(r, 0), r), down+single.value(hash(p-1-r, 0), p-1-r)
			v := double.value(hash(r, 0), r)
			wide, narrow = wide+v, narrow+float32(v)
			exact.Add(exact, big.NewInt(int64(v)))
		}
		should.Hold(t, up == down && exact.IsInt64() && float64(exact.Int64()) == wide && int64(wide) == exact.Int64(), "sums of %d ranks: %g, %g; %g, %d", p, up, down, wide, exact)
		should.Hold(t, float64(narrow) != wide, "the sum of %d ranks is %g in single precision too", p, wide)
		n := 0.0
		for h := range uint32(1000) {
			n = max(n, math.Abs(double.value(h*0x01000193, 0)))
		}
		should.Hold(t, n*float64(p) <= 1<<53 && n*float64(p) > 1<<51, "the largest value of %d ranks is %g", p, n)
	}

	for _, d := range mockups.Datatypes()[1:] {
		v := must.Get(New(d.Name, d.Ops[0], 1))(t)
		f, _ := mockups.Get("MPI_Allreduce")
		c := Case{Function: f, Size: 1, Layout: f.Layout(3, 1, 0, 0), Count: 3, Send: make([]byte, 3*d.Bytes), Recv: make([]byte, 3*d.Bytes)}
		v.Fill(c)
		copy(c.Recv, c.Send)
		should.Equal(t, v.Check(c), "", d.Name)
		c.Recv[d.Bytes] ^= 1
		should.Contain(t, v.Check(c), "wrong at element 1 of block 0")
	}
}

func TestBothPartsOfAComplexNumberAreSeen(t *testing.T) {
	v := must.Get(New("double_complex", "sum", 2))(t).(*elementsOf[complex128])
	a, b := v.value(hash(0, 1), 0), v.value(hash(1, 1), 1)
	should.Hold(t, real(a) != imag(a) && real(a) != real(b), "%v, %v", a, b)
	should.Equal(t, v.combine(a, b), complex(real(a)+real(b), imag(a)+imag(b)))
	f, _ := mockups.Get("MPI_Allreduce")
	c := Case{Function: f, Size: 1, Layout: f.Layout(3, 1, 0, 0), Count: 3, Send: make([]byte, 48), Recv: make([]byte, 48)}
	v.Fill(c)
	copy(c.Recv, c.Send)
	c.Recv[16+8] ^= 1
	should.Contain(t, v.Check(c), "wrong at element 1 of block 0")
	_, err := New("double_complex", "prod", 2)
	should.Fail(t, err, `op "prod"`)
}

// A library that takes unsigned numbers for signed ones is seen by both operators.
func TestUnsignedValuesHaveTheHighestBit(t *testing.T) {
	for _, op := range []string{"min", "max"} {
		e := must.Get(New("unsigned", op, 2))(t).(*elementsOf[uint32])
		differ := 0
		for i := range int64(100) {
			a, b := e.value(hash(0, i), 0), e.value(hash(1, i), 1)
			if (int32(a) < int32(b)) != (a < b) {
				differ++
			}
		}
		should.Hold(t, differ > 20, "%s: %d of 100 pairs have another order with a sign", op, differ)
	}
}

func TestOfEqualValuesTheLowestRankIsTheOneThatCounts(t *testing.T) {
	of := func(value, rank int32) (p pair) { *p.ints() = [2]int32{value, rank}; return p }
	for op, want := range map[string]pair{"minloc": of(-3, 0), "maxloc": of(5, 1)} {
		e := must.Get(New("2int", op, 4))(t).(*elementsOf[pair])
		got := of(-3, 0)
		for _, next := range []pair{of(5, 1), of(5, 2), of(-3, 3)} {
			got = e.combine(got, next)
		}
		should.Equal(t, got, want, op)
	}
}

// Every case is filled and compared with the same elements.
func TestElementsOfTheFirstRanksAreMadeOnce(t *testing.T) {
	made := 0
	e := &elementsOf[int32]{value: func(h uint32, _ int) int32 { made++; return int32(h) }}
	first := slices.Clone(e.table(ranks{3, 3}, 0, 100))
	for range 2 {
		should.Equal(t, e.table(ranks{3, 3}, 40, 60), first[40:], "elements from 40 on")
		e.table(ranks{keptRanks, keptRanks}, 0, 10)
	}
	should.Equal(t, [2]int{made, len(e.tables)}, [2]int{100 + 2*10, 1}, "elements made, and tables kept")
}
