/* What the files of this folder share with each other: the rows that table.c
 * joins, each defined in the file of its collective, and a few helpers. */
#ifndef PGMPI_ROWS_H
#define PGMPI_ROWS_H

#include "mockups.h"

#include <stddef.h>

extern const pg_function pg_allgather, pg_allgather_as_alltoall, pg_allgather_as_allreduce,
    pg_allgather_as_gather_bcast, pg_allgather_as_allgatherv;
extern const pg_function pg_allgatherv;
extern const pg_function pg_allreduce, pg_allreduce_as_reduce_bcast,
    pg_allreduce_as_reduce_scatter_block_allgather, pg_allreduce_as_reduce_scatter_allgatherv;
extern const pg_function pg_alltoall, pg_alltoall_as_alltoallv;
extern const pg_function pg_alltoallv;
extern const pg_function pg_barrier, pg_barrier_as_allreduce;
extern const pg_function pg_bcast, pg_bcast_as_scatter_allgather, pg_bcast_as_allgatherv, pg_bcast_as_allreduce;
extern const pg_function pg_exscan;
extern const pg_function pg_gather, pg_gather_as_allgather, pg_gather_as_reduce, pg_gather_as_gatherv;
extern const pg_function pg_gatherv;
extern const pg_function pg_reduce, pg_reduce_as_allreduce, pg_reduce_as_reduce_scatter_block_gather,
    pg_reduce_as_reduce_scatter, pg_reduce_as_reduce_scatter_gatherv;
extern const pg_function pg_reduce_scatter, pg_reduce_scatter_as_allreduce,
    pg_reduce_scatter_as_reduce_scatterv;
extern const pg_function pg_reduce_scatter_block, pg_reduce_scatter_block_as_reduce_scatter,
    pg_reduce_scatter_block_as_reduce_then_scatter, pg_reduce_scatter_block_as_allreduce;
extern const pg_function pg_scan, pg_scan_as_exscan_reduce_local;
extern const pg_function pg_scatter, pg_scatter_as_bcast, pg_scatter_as_scatterv;
extern const pg_function pg_scatterv;

/* The identities of the eleven regular collectives, in alphabetical order. */
enum { PG_IDENTITIES = 11 };
extern const pg_function pg_identities[PG_IDENTITIES];

/* Takes a vector of size blocks as temp[0]. */
int pg_prepare_vector(pg_ctx *x);

/* With equal parts MPI_Reduce_scatter and MPI_Reduce_scatter_block have the same
 * arguments but for the counts, so that these serve rows of both. */
int pg_run_reduce_scatter(pg_ctx *x);
int pg_run_reduce_scatter_as_allreduce(pg_ctx *x);

/* MPI_ERR_COUNT if n is more than an MPI count can hold. */
int pg_check_count(int64_t n);

/* Fills counts and displs with size parts of count elements. */
int pg_equal_parts(pg_ctx *x);

/* Fills counts and displs with the size parts of one block of count elements.
 * The first count mod size parts have one element more than the others. */
int pg_unequal_parts(pg_ctx *x);

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
