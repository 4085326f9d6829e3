/* MPI_Reduce_scatter, measured with equal parts, and its mock-ups GL9 and GL17. */
#include "rows.h"

int pg_run_reduce_scatter(pg_ctx *x)
{
    return MPI_Reduce_scatter(x->send, x->recv, x->counts, x->type, x->op, x->comm);
}

int pg_prepare_vector(pg_ctx *x)
{
    return pg_temp(x, 0, x->size * x->count);
}

int pg_run_reduce_scatter_as_allreduce(pg_ctx *x)
{
    int all = x->size * (int)x->count;
    int err = MPI_Allreduce(x->send, x->temp[0], all, x->type, x->op, x->comm);
    pg_copy(x, x->recv, pg_at(x, x->temp[0], x->rank * x->count), x->count);
    return err;
}

static int prepare_scatterv(pg_ctx *x)
{
    if (x->rank != 0)
        return MPI_SUCCESS;
    int err = pg_equal_parts(x);
    if (err != MPI_SUCCESS)
        return err;
    return pg_prepare_vector(x);
}

/* temp, counts and displs count at rank 0 alone. */
static int as_reduce_scatterv(pg_ctx *x)
{
    int n = (int)x->count;
    int err = MPI_Reduce(x->send, x->temp[0], x->size * n, x->type, x->op, 0, x->comm);
    return pg_first(err, MPI_Scatterv(x->temp[0], x->counts, x->displs, x->type, x->recv, n, x->type, 0, x->comm));
}

const pg_function pg_reduce_scatter[] = {
    {"MPI_Reduce_scatter", pg_equal_parts, pg_run_reduce_scatter, pg_release},
    {"reduce_scatter_as_allreduce", pg_prepare_vector, pg_run_reduce_scatter_as_allreduce, pg_release},
    {"reduce_scatter_as_reduce+scatterv", prepare_scatterv, as_reduce_scatterv, pg_release},
    {NULL},
};
