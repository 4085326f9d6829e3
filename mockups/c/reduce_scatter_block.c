/* MPI_Reduce_scatter_block and its mock-ups GL15, GL22 and GL23. */
#include "rows.h"

static int reduce_scatter_block(pg_ctx *x)
{
    return MPI_Reduce_scatter_block(x->send, x->recv, (int)x->count, x->type, x->op, x->comm);
}

const pg_function pg_reduce_scatter_block = {
    .id = "MPI_Reduce_scatter_block", .of = "",
    .prepare = pg_prepare_nothing, .run = reduce_scatter_block, .release = pg_release,
};

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
    if (err != MPI_SUCCESS)
        return err;
    return MPI_Scatter(x->temp[0], n, x->type, x->recv, n, x->type, 0, x->comm);
}

const pg_function pg_reduce_scatter_block_as_reduce_then_scatter = {
    .id = "reduce_scatter_block_as_reduce+scatter", .of = "MPI_Reduce_scatter_block",
    .prepare = prepare_vector_at_0, .run = as_reduce_then_scatter, .release = pg_release,
};

const pg_function pg_reduce_scatter_block_as_reduce_scatter = {
    .id = "reduce_scatter_block_as_reduce_scatter", .of = "MPI_Reduce_scatter_block",
    .prepare = pg_equal_parts, .run = pg_run_reduce_scatter, .release = pg_release,
};

const pg_function pg_reduce_scatter_block_as_allreduce = {
    .id = "reduce_scatter_block_as_allreduce", .of = "MPI_Reduce_scatter_block",
    .prepare = pg_prepare_vector, .run = pg_run_reduce_scatter_as_allreduce, .release = pg_release,
};
