/* What the files of this folder share with each other: the rows that table.c
 * joins, each defined in the file of its collective, and a few helpers. */
#ifndef PGMPI_ROWS_H
#define PGMPI_ROWS_H

#include "mockups.h"

#include <stddef.h>

extern const pg_function pg_allgather, pg_allgather_as_alltoall, pg_allgather_as_allreduce,
    pg_allgather_as_gather_bcast;
extern const pg_function pg_allreduce, pg_allreduce_as_reduce_bcast,
    pg_allreduce_as_reduce_scatter_block_allgather;
extern const pg_function pg_alltoall;
extern const pg_function pg_bcast, pg_bcast_as_scatter_allgather;
extern const pg_function pg_exscan;
extern const pg_function pg_gather, pg_gather_as_allgather, pg_gather_as_reduce;
extern const pg_function pg_reduce, pg_reduce_as_allreduce, pg_reduce_as_reduce_scatter_block_gather;
extern const pg_function pg_reduce_scatter, pg_reduce_scatter_as_allreduce,
    pg_reduce_scatter_as_reduce_scatterv;
extern const pg_function pg_reduce_scatter_block, pg_reduce_scatter_block_as_reduce_scatter,
    pg_reduce_scatter_block_as_reduce_then_scatter;
extern const pg_function pg_scan, pg_scan_as_exscan_reduce_local;
extern const pg_function pg_scatter, pg_scatter_as_bcast;

/* MPI_ERR_COUNT if n is more than an MPI count can hold. */
int pg_check_count(int64_t n);

/* Fills counts and displs with size parts of count elements. */
int pg_equal_parts(pg_ctx *x);

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
