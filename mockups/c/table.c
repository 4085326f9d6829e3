/* The table of all rows, and the helpers that rows are written with (rows.h). */
#include "rows.h"

#include <limits.h>

/* The rows of each file. */
extern const pg_function pg_allgather[], pg_allgatherv[], pg_allreduce[], pg_alltoall[], pg_alltoallv[], pg_barrier[],
    pg_bcast[], pg_exscan[], pg_gather[], pg_gatherv[], pg_reduce[], pg_reduce_scatter[], pg_reduce_scatter_block[],
    pg_scan[], pg_scatter[], pg_scatterv[], pg_lane[], pg_hier[], pg_identity[], pg_nonblocking[], pg_persistent[],
    pg_in_place[], pg_irregular[], pg_counted[], pg_derived[], pg_neighbors[], pg_large_counts[], pg_messages[],
    pg_binomial[], pg_bruck[], pg_chain[], pg_dissemination[], pg_doubling[], pg_fewer[], pg_halving[], pg_linear[],
    pg_pairwise[], pg_ring[];

static const pg_function *const files[] = {
    pg_allgather, pg_allgatherv, pg_allreduce, pg_alltoall, pg_alltoallv, pg_barrier,
    pg_bcast, pg_exscan, pg_gather, pg_gatherv, pg_reduce, pg_reduce_scatter, pg_reduce_scatter_block,
    pg_scan, pg_scatter, pg_scatterv, pg_lane, pg_hier, pg_identity,
    pg_binomial, pg_bruck, pg_chain, pg_dissemination, pg_doubling, pg_fewer, pg_halving, pg_linear, pg_pairwise,
    pg_ring,
};

static const pg_function *const ways[] = {pg_nonblocking, pg_persistent, pg_in_place, pg_irregular, pg_counted,
                                         pg_derived, pg_neighbors, pg_large_counts, pg_messages};

#ifdef PGMPI_WRONG_MOCKUPS
void pg_make_wrong(pg_function *table, int n);
#endif

enum { ROOM = 512 }; /* the Go side misses the rows beyond it */

static int join(pg_function *table, const pg_function *const *of, size_t many)
{
    int n = 0;
    for (size_t i = 0; i < many; i++)
        for (const pg_function *f = of[i]; f->id != NULL && n < ROOM; f++)
            table[n++] = *f;
#ifdef PGMPI_WRONG_MOCKUPS
    pg_make_wrong(table, n);
#endif
    return n;
}

const pg_function *pg_table(int *n)
{
    static pg_function table[ROOM];
    *n = join(table, files, sizeof files / sizeof *files);
    return table;
}

const pg_function *pg_variants(int *n)
{
    static pg_function table[ROOM];
    *n = join(table, ways, sizeof ways / sizeof *ways);
    return table;
}

int pg_temps_intact(const pg_ctx *x)
{
    for (int i = 0; i < PG_TEMPS; i++) {
        const unsigned char *g = (const unsigned char *)x->guard[i];
        for (int k = 0; g != NULL && k < PG_GUARD_BYTES; k++)
            if (g[k] != PG_GUARD)
                return 0;
    }
    return 1;
}

int pg_least(MPI_Comm comm, int rank, int size, int numbers[3])
{
    enum { TAG = 6 };
    int others[3], err = MPI_SUCCESS;
    for (int step = 1; step < size && err == MPI_SUCCESS; step *= 2) {
        err = MPI_Sendrecv(numbers, 3, MPI_INT, (rank + step) % size, TAG, others, 3, MPI_INT,
                           (rank + size - step) % size, TAG, comm, MPI_STATUS_IGNORE);
        for (int i = 0; i < 3 && err == MPI_SUCCESS; i++)
            numbers[i] = others[i] < numbers[i] ? others[i] : numbers[i];
    }
    return err;
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

int pg_cut_block(pg_ctx *x, int parts)
{
    int err = pg_check_count(x->count);
    if (err != MPI_SUCCESS)
        return err;
    int small = (int)(x->count / parts), larger = (int)(x->count % parts);
    for (int i = 0; i < parts; i++) {
        x->counts[i] = small + (i < larger);
        x->displs[i] = i == 0 ? 0 : x->displs[i - 1] + x->counts[i - 1];
    }
    return MPI_SUCCESS;
}

int pg_unequal_parts(pg_ctx *x) { return pg_cut_block(x, x->size); }

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
