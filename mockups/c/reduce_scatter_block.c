/* MPI_Reduce_scatter_block and its mock-ups GL15, GL22 and GL23. */
#include "rows.h"

static int reduce_scatter_block(pg_ctx *x)
{
    return MPI_Reduce_scatter_block(x->send, x->recv, (int)x->count, x->type, x->op, x->comm);
}

static int prepare_vector_at_0(pg_ctx *x)
{
    if (x->rank != 0)
        return MPI_SUCCESS;
    return pg_temp(x, 0, x->size * x->count);
}

static int as_reduce_then_scatter(pg_ctx *x)
{
    int n = (int)x->count;
    int err = MPI_Reduce(x->send, x->temp[0], x->size * n, x->type, x->op, 0, x->comm);
    return pg_first(err, MPI_Scatter(x->temp[0], n, x->type, x->recv, n, x->type, 0, x->comm));
}

const pg_function pg_reduce_scatter_block[] = {
    {"MPI_Reduce_scatter_block", pg_prepare_nothing, reduce_scatter_block, pg_release},
    {"reduce_scatter_block_as_reduce+scatter", prepare_vector_at_0, as_reduce_then_scatter, pg_release},
    {"reduce_scatter_block_as_reduce_scatter", pg_equal_parts, pg_run_reduce_scatter, pg_release},
    {"reduce_scatter_block_as_allreduce", pg_prepare_vector, pg_run_reduce_scatter_as_allreduce, pg_release},
    {NULL},
};
