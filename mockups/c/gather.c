/* MPI_Gather and its mock-ups GL3, GL4 and GL18. */
#include "rows.h"

static int gather(pg_ctx *x)
{
    int n = (int)x->count;
    return MPI_Gather(x->send, n, x->type, x->recv, n, x->type, x->root, x->comm);
}

/* All but the root lack a receive buffer of their own. */
static int prepare_vector(pg_ctx *x)
{
    if (x->rank == x->root)
        return MPI_SUCCESS;
    return pg_temp(x, 0, x->size * x->count);
}

static int as_allgather(pg_ctx *x)
{
    int n = (int)x->count;
    void *all = x->rank == x->root ? x->recv : x->temp[0];
    return MPI_Allgather(x->send, n, x->type, all, n, x->type, x->comm);
}

/* The root reduces in its receive buffer, where that works. */
static int in_place(const pg_ctx *x)
{
    return x->rank == x->root && (x->root == 0 || !PG_REDUCES_IN_PLACE_AT_0_ONLY);
}

static int prepare_reduce(pg_ctx *x)
{
    int err = pg_check_count(pg_vector_bytes(x));
    if (err != MPI_SUCCESS || in_place(x))
        return err;
    return pg_temp(x, 0, x->size * x->count);
}

static int as_reduce(pg_ctx *x)
{
    int bytes = (int)pg_vector_bytes(x);
    if (in_place(x)) {
        pg_own_block_in_zeros(x, x->recv);
        return MPI_Reduce(MPI_IN_PLACE, x->recv, bytes, MPI_BYTE, MPI_BOR, x->root, x->comm);
    }
    void *result = x->rank == x->root ? x->recv : NULL;
    pg_own_block_in_zeros(x, x->temp[0]);
    return MPI_Reduce(x->temp[0], result, bytes, MPI_BYTE, MPI_BOR, x->root, x->comm);
}

static int as_gatherv(pg_ctx *x)
{
    return MPI_Gatherv(x->send, (int)x->count, x->type, x->recv, x->counts, x->displs, x->type, x->root, x->comm);
}

const pg_function pg_gather[] = {
    {"MPI_Gather", pg_prepare_nothing, gather, pg_release},
    {"gather_as_allgather", prepare_vector, as_allgather, pg_release},
    {"gather_as_reduce", prepare_reduce, as_reduce, pg_release},
    {"gather_as_gatherv", pg_equal_parts, as_gatherv, pg_release},
    {NULL},
};
