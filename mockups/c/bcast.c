/* MPI_Bcast and its mock-ups GL10, GL24 and GL28. Its one buffer is recv, in and out. */
#include "rows.h"

static int bcast(pg_ctx *x)
{
    return MPI_Bcast(x->recv, (int)x->count, x->type, x->root, x->comm);
}

static int prepare_padded(pg_ctx *x)
{
    if (pg_divides(x))
        return MPI_SUCCESS;
    int64_t padded = pg_part(x) * x->size;
    int err = pg_check_count(padded);
    if (err != MPI_SUCCESS)
        return err;
    return pg_temp(x, 0, padded);
}

/* The two calls over a vector of size parts, each rank's part in its place. */
static int spread_parts(pg_ctx *x, void *vector)
{
    int part = (int)pg_part(x), err;
    if (x->rank == x->root)
        err = MPI_Scatter(vector, part, x->type, MPI_IN_PLACE, part, x->type, x->root, x->comm);
    else
        err = MPI_Scatter(NULL, part, x->type, pg_at(x, vector, (int64_t)x->rank * part), part, x->type,
                          x->root, x->comm);
    return pg_first(err, MPI_Allgather(MPI_IN_PLACE, part, x->type, vector, part, x->type, x->comm));
}

static int as_scatter_allgather(pg_ctx *x)
{
    if (pg_divides(x))
        return spread_parts(x, x->recv);
    if (x->rank == x->root)
        pg_copy(x, x->temp[0], x->recv, x->count);
    int err = spread_parts(x, x->temp[0]);
    if (x->rank != x->root)
        pg_copy(x, x->recv, x->temp[0], x->count);
    return err;
}

/* In place at every rank, as the standard asks: the root's part is where
 * the others receive it. */
static int as_allgatherv(pg_ctx *x)
{
    return MPI_Allgatherv(MPI_IN_PLACE, 0, x->type, x->recv, x->counts, x->displs, x->type, x->comm);
}

static int prepare_bytes(pg_ctx *x)
{
    return pg_check_count(x->count * x->extent);
}

static int as_allreduce(pg_ctx *x)
{
    if (x->rank != x->root)
        pg_zero(x, x->recv, x->count);
    return MPI_Allreduce(MPI_IN_PLACE, x->recv, (int)(x->count * x->extent), MPI_BYTE, MPI_BOR, x->comm);
}

const pg_function pg_bcast[] = {
    {"MPI_Bcast", pg_prepare_nothing, bcast, pg_release},
    {"bcast_as_scatter+allgather", prepare_padded, as_scatter_allgather, pg_release},
    {"bcast_as_allgatherv", pg_all_to_root, as_allgatherv, pg_release},
    {"bcast_as_allreduce", prepare_bytes, as_allreduce, pg_release},
    {NULL},
};
