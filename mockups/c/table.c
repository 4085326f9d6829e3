/* The table of all rows, and the helpers that rows are written with. */
#include "rows.h"

#include <limits.h>
#include <string.h>

enum { GUARD = 0xa5 };

/* In the order of the Go table: the collectives, the mock-ups; behind them the identities. */
static const pg_function *const rows[] = {
    &pg_allgather,
    &pg_allgatherv,
    &pg_allreduce,
    &pg_alltoall,
    &pg_alltoallv,
    &pg_barrier,
    &pg_bcast,
    &pg_exscan,
    &pg_gather,
    &pg_gatherv,
    &pg_reduce,
    &pg_reduce_scatter,
    &pg_reduce_scatter_block,
    &pg_scan,
    &pg_scatter,
    &pg_scatterv,

    &pg_gather_as_allgather,
    &pg_gather_as_reduce,
    &pg_allgather_as_alltoall,
    &pg_allgather_as_allreduce,
    &pg_scatter_as_bcast,
    &pg_reduce_as_allreduce,
    &pg_reduce_scatter_as_allreduce,
    &pg_bcast_as_scatter_allgather,
    &pg_allgather_as_gather_bcast,
    &pg_allreduce_as_reduce_bcast,
    &pg_allreduce_as_reduce_scatter_block_allgather,
    &pg_reduce_as_reduce_scatter_block_gather,
    &pg_reduce_scatter_block_as_reduce_then_scatter,
    &pg_scan_as_exscan_reduce_local,
    &pg_reduce_scatter_as_reduce_scatterv,
    &pg_gather_as_gatherv,
    &pg_scatter_as_scatterv,
    &pg_allgather_as_allgatherv,
    &pg_alltoall_as_alltoallv,
    &pg_reduce_scatter_block_as_reduce_scatter,
    &pg_reduce_scatter_block_as_allreduce,
    &pg_bcast_as_allgatherv,
    &pg_reduce_as_reduce_scatter,
    &pg_allreduce_as_reduce_scatter_allgatherv,
    &pg_reduce_as_reduce_scatter_gatherv,
    &pg_bcast_as_allreduce,
    &pg_barrier_as_allreduce,
};

enum { LISTED = sizeof rows / sizeof rows[0], ROWS = LISTED + PG_IDENTITIES };

#ifdef PGMPI_WRONG_MOCKUPS
void pg_make_wrong(pg_function *table, int n);
#endif

const pg_function *pg_table(int *n)
{
    static pg_function table[ROWS];

    for (int i = 0; i < LISTED; i++)
        table[i] = *rows[i];
    for (int i = 0; i < PG_IDENTITIES; i++)
        table[LISTED + i] = pg_identities[i];
#ifdef PGMPI_WRONG_MOCKUPS
    pg_make_wrong(table, ROWS);
#endif
    *n = ROWS;
    return table;
}

int pg_temp(pg_ctx *x, int slot, int64_t elements)
{
    if (slot < 0 || slot >= PG_TEMPS || elements < 0)
        return MPI_ERR_ARG;

    int64_t bytes = elements * x->extent;
    uintptr_t next = (uintptr_t)x->arena + (uintptr_t)x->arena_used;
    int64_t start = x->arena_used + (int64_t)(-next % PG_ALIGN);
    if (bytes + PG_GUARD_BYTES > x->arena_bytes - start)
        return MPI_ERR_NO_MEM;

    x->temp[slot] = x->arena + start;
    x->guard[slot] = x->arena + start + bytes;
    x->arena_used = start + bytes + PG_GUARD_BYTES;
    memset(x->temp[slot], 0, (size_t)bytes);
    memset(x->guard[slot], GUARD, PG_GUARD_BYTES);
    return MPI_SUCCESS;
}

void pg_release(pg_ctx *x)
{
    for (int i = 0; i < PG_TEMPS; i++) {
        x->temp[i] = NULL;
        x->guard[i] = NULL;
    }
    x->arena_used = 0;
}

int pg_prepare_nothing(pg_ctx *x)
{
    (void)x;
    return MPI_SUCCESS;
}

int pg_temps_intact(const pg_ctx *x)
{
    for (int i = 0; i < PG_TEMPS; i++) {
        const unsigned char *g = (const unsigned char *)x->guard[i];
        for (int k = 0; g != NULL && k < PG_GUARD_BYTES; k++)
            if (g[k] != GUARD)
                return 0;
    }
    return 1;
}

void pg_copy(const pg_ctx *x, void *to, const void *from, int64_t elements)
{
    if (elements > 0)
        memcpy(to, from, (size_t)(elements * x->extent));
}

void pg_zero(const pg_ctx *x, void *at, int64_t elements)
{
    if (elements > 0)
        memset(at, 0, (size_t)(elements * x->extent));
}

int pg_check_count(int64_t n)
{
    return n > INT_MAX ? MPI_ERR_COUNT : MPI_SUCCESS;
}

int pg_equal_parts(pg_ctx *x)
{
    int err = pg_check_count(x->size * x->count);
    if (err != MPI_SUCCESS)
        return err;
    for (int i = 0; i < x->size; i++) {
        x->counts[i] = (int)x->count;
        x->displs[i] = (int)(i * x->count);
    }
    return MPI_SUCCESS;
}

int pg_unequal_parts(pg_ctx *x)
{
    int err = pg_check_count(x->count);
    if (err != MPI_SUCCESS)
        return err;
    int small = (int)(x->count / x->size), larger = (int)(x->count % x->size);
    for (int i = 0; i < x->size; i++) {
        x->counts[i] = small + (i < larger);
        x->displs[i] = i == 0 ? 0 : x->displs[i - 1] + x->counts[i - 1];
    }
    return MPI_SUCCESS;
}

int pg_all_to_root(pg_ctx *x)
{
    int err = pg_check_count(x->count);
    if (err != MPI_SUCCESS)
        return err;
    for (int i = 0; i < x->size; i++) {
        x->counts[i] = i == x->root ? (int)x->count : 0;
        x->displs[i] = 0;
    }
    return MPI_SUCCESS;
}

void pg_own_block_in_zeros(const pg_ctx *x, void *vector)
{
    int64_t before = x->rank * x->count;
    int64_t after = before + x->count;

    pg_zero(x, vector, before);
    pg_copy(x, pg_at(x, vector, before), x->send, x->count);
    pg_zero(x, pg_at(x, vector, after), x->size * x->count - after);
}
