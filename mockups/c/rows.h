/* The helpers that rows are written with. */
#ifndef PGMPI_ROWS_H
#define PGMPI_ROWS_H

#include "mockups.h"

#include <stddef.h>

/* A prepare returns this where a call cannot be made: the library has none or crashes in it, or the
 * processes are not where it needs them. */
enum { PG_LACKS = MPI_ERR_UNSUPPORTED_OPERATION };

/* MPI_Reduce with MPI_IN_PLACE at another root than rank 0 crashes in MPICH 4.0 and 4.1
 * (pmodels/mpich, issue 6540, mended by 6543). */
#if defined(MPICH_NUMVERSION) && MPICH_NUMVERSION >= 40000000 && MPICH_NUMVERSION < 40200000
enum { PG_REDUCES_IN_PLACE_AT_0_ONLY = 1 };
#else
enum { PG_REDUCES_IN_PLACE_AT_0_ONLY = 0 };
#endif

/* The first of two error codes that is one. A row makes its second call after an error in the first, too: the
 * other ranks are in it. */
static inline int pg_first(int rc, int next) { return rc != MPI_SUCCESS ? rc : next; }

/* Takes a vector of size blocks as temp[0]. */
int pg_prepare_vector(pg_ctx *x);

/* With equal parts MPI_Reduce_scatter and MPI_Reduce_scatter_block have the same
 * arguments but for the counts, so that these serve rows of both. */
int pg_run_reduce_scatter(pg_ctx *x);
int pg_run_reduce_scatter_as_allreduce(pg_ctx *x);

/* Makes each of three numbers the least that a process has, by messages: what is called next must
 * not depend on a collective that may be wrong. */
int pg_least(MPI_Comm comm, int rank, int size, int numbers[3]);

/* MPI_ERR_COUNT if n is more than an MPI count can hold. */
int pg_check_count(int64_t n);

/* Fills counts and displs with size parts of count elements. */
int pg_equal_parts(pg_ctx *x);

/* Fills counts and displs with parts of one block of count elements, at most size
 * of them. The first count mod parts ones have one element more than the others. */
int pg_cut_block(pg_ctx *x, int parts);

/* Likewise, with a part for every process. */
int pg_unequal_parts(pg_ctx *x);

/* The place of this rank's part in a block, after pg_unequal_parts. After the last element may come
 * memory of the caller, such as its send buffer: a part that is empty is at the beginning. */
static inline void *pg_own_part(const pg_ctx *x, void *block)
{
    return x->counts[x->rank] > 0 ? pg_at(x, block, x->displs[x->rank]) : block;
}

/* Fills counts and displs so that the root's part is the whole block and the
 * others' are empty. */
int pg_all_to_root(pg_ctx *x);

/* Makes `vector` (size blocks) zero but for this rank's block, its send buffer. */
void pg_own_block_in_zeros(const pg_ctx *x, void *vector);

/* The bytes of size blocks: the count of the reductions with BOR on MPI_BYTE. */
static inline int64_t pg_vector_bytes(const pg_ctx *x)
{
    return x->size * x->count * x->extent;
}

/* 1 if the parts of a block need no padding. */
static inline int pg_divides(const pg_ctx *x)
{
    return x->count % x->size == 0;
}

#endif
