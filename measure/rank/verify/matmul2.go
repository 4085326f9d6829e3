//go:build matmul2

package verify

// With this tag a job can name the operator of native/matmul2.c, on int.

func init() {
	testOps["matmul2"] = &elementsOf[int32]{
		value:   func(h uint32, _ int) int32 { return invertible(h) },
		combine: func(a, b int32) int32 { return multiply(matrix(a), matrix(b)).packed() },
	}
}

// matrix2 is row by row, mod 256.
type matrix2 [2][2]uint8

func matrix(v int32) matrix2 {
	return matrix2{{uint8(v), uint8(v >> 8)}, {uint8(v >> 16), uint8(v >> 24)}}
}

func (m matrix2) packed() int32 {
	return int32(uint32(m[0][0]) | uint32(m[0][1])<<8 | uint32(m[1][0])<<16 | uint32(m[1][1])<<24)
}

func multiply(a, b matrix2) (c matrix2) {
	for i := range c {
		for k := range c[i] {
			c[i][k] = a[i][0]*b[0][k] + a[i][1]*b[1][k]
		}
	}
	return c
}

// invertible makes a matrix of determinant 1: a product of many never becomes
// zero, which would hide any order.
func invertible(h uint32) int32 {
	a, b := uint8(h>>8), uint8(h>>16)
	return multiply(matrix2{{1, a}, {0, 1}}, matrix2{{1, 0}, {b, 1}}).packed()
}
