//go:build cgo && matmul2

/* The operator matmul2: an int is a 2×2 matrix of bytes, row by row from the
 * lowest byte, and the operator is the matrix product mod 256. It is
 * associative and does not commute, so that a result tells in which order the
 * ranks were combined. Only tests build it, with the tag matmul2. */
#include "rank.h"

MPI_Op pg_matmul2(void);

static unsigned product(unsigned a, unsigned b)
{
    unsigned a11 = a & 0xff, a12 = a >> 8 & 0xff, a21 = a >> 16 & 0xff, a22 = a >> 24;
    unsigned b11 = b & 0xff, b12 = b >> 8 & 0xff, b21 = b >> 16 & 0xff, b22 = b >> 24;

    return (a11 * b11 + a12 * b21) % 256 | (a11 * b12 + a12 * b22) % 256 << 8 |
           (a21 * b11 + a22 * b21) % 256 << 16 | (a21 * b12 + a22 * b22) % 256 << 24;
}

static void multiply(void *in, void *inout, int *n, MPI_Datatype *type)
{
    const unsigned *left = in;
    unsigned *right = inout;

    (void)type;
    for (int i = 0; i < *n; i++)
        right[i] = product(left[i], right[i]);
}

MPI_Op pg_matmul2(void)
{
    static MPI_Op op = MPI_OP_NULL;

    if (op == MPI_OP_NULL)
        MPI_Op_create(multiply, 0, &op);
    return op;
}
