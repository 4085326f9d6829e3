/* MPI_Allreduce and its mock-ups GL12, GL13 and GL26. */
#include "rows.h"

static int allreduce(pg_ctx *x)
{
    return MPI_Allreduce(x->send, x->recv, (int)x->count, x->type, x->op, x->comm);
}

static int as_reduce_bcast(pg_ctx *x)
{
    int n = (int)x->count;
    int err = MPI_Reduce(x->send, x->recv, n, x->type, x->op, 0, x->comm);
    return pg_first(err, MPI_Bcast(x->recv, n, x->type, 0, x->comm));
}

/* Padded copies of the send buffer (its padding stays zero) and of the result. */
static int prepare_padded(pg_ctx *x)
{
    if (pg_divides(x))
        return MPI_SUCCESS;
    int64_t padded = pg_part(x) * x->size;
    int err = pg_check_count(padded);
    if (err == MPI_SUCCESS)
        err = pg_temp(x, 0, padded);
    if (err == MPI_SUCCESS)
        err = pg_temp(x, 1, padded);
    if (err == MPI_SUCCESS)
        pg_zero(x, pg_at(x, x->temp[0], x->count), padded - x->count);
    return err;
}

/* The two calls over vectors of size parts. */
static int reduce_parts(pg_ctx *x, const void *in, void *out)
{
    int part = (int)pg_part(x);
    void *own = pg_at(x, out, (int64_t)x->rank * part);
    int err = MPI_Reduce_scatter_block(in, own, part, x->type, x->op, x->comm);
    return pg_first(err, MPI_Allgather(MPI_IN_PLACE, part, x->type, out, part, x->type, x->comm));
}

static int as_reduce_scatter_block_allgather(pg_ctx *x)
{
    if (pg_divides(x))
        return reduce_parts(x, x->send, x->recv);
    pg_copy(x, x->temp[0], x->send, x->count);
    int err = reduce_parts(x, x->temp[0], x->temp[1]);
    pg_copy(x, x->recv, x->temp[1], x->count);
    return err;
}

/* Unequal parts need no padding: each is reduced into its place. */
static int as_reduce_scatter_allgatherv(pg_ctx *x)
{
    void *own = pg_own_part(x, x->recv);
    int err = MPI_Reduce_scatter(x->send, own, x->counts, x->type, x->op, x->comm);
    return pg_first(err, MPI_Allgatherv(MPI_IN_PLACE, 0, x->type, x->recv, x->counts, x->displs, x->type, x->comm));
}

const pg_function pg_allreduce[] = {
    {"MPI_Allreduce", pg_prepare_nothing, allreduce, pg_release},
    {"allreduce_as_reduce+bcast", pg_prepare_nothing, as_reduce_bcast, pg_release},
    {"allreduce_as_reduce_scatter_block+allgather", prepare_padded, as_reduce_scatter_block_allgather, pg_release},
    {"allreduce_as_reduce_scatter+allgatherv", pg_unequal_parts, as_reduce_scatter_allgatherv, pg_release},
    {NULL},
};
