/* The regular collectives once more, as mock-ups of themselves: what pgmpi
 * selftest compares a call with. They alone call MPI by its PMPI_ names, which
 * are the same code under another name. So whatever slows the MPI_ names down
 * (measure/delay) leaves them alone, and a planted slowdown of 10 % is a ratio
 * of 1.10 of the call to its identity. */
#include "rows.h"

static int allgather(pg_ctx *x)
{
    int n = (int)x->count;
    return PMPI_Allgather(x->send, n, x->type, x->recv, n, x->type, x->comm);
}

static int allreduce(pg_ctx *x)
{
    return PMPI_Allreduce(x->send, x->recv, (int)x->count, x->type, x->op, x->comm);
}

static int alltoall(pg_ctx *x)
{
    int n = (int)x->count;
    return PMPI_Alltoall(x->send, n, x->type, x->recv, n, x->type, x->comm);
}

static int bcast(pg_ctx *x)
{
    return PMPI_Bcast(x->recv, (int)x->count, x->type, x->root, x->comm);
}

static int exscan(pg_ctx *x)
{
    return PMPI_Exscan(x->send, x->recv, (int)x->count, x->type, x->op, x->comm);
}

static int gather(pg_ctx *x)
{
    int n = (int)x->count;
    return PMPI_Gather(x->send, n, x->type, x->recv, n, x->type, x->root, x->comm);
}

static int reduce(pg_ctx *x)
{
    return PMPI_Reduce(x->send, x->recv, (int)x->count, x->type, x->op, x->root, x->comm);
}

static int reduce_scatter(pg_ctx *x)
{
    return PMPI_Reduce_scatter(x->send, x->recv, x->counts, x->type, x->op, x->comm);
}

static int reduce_scatter_block(pg_ctx *x)
{
    return PMPI_Reduce_scatter_block(x->send, x->recv, (int)x->count, x->type, x->op, x->comm);
}

static int scan(pg_ctx *x)
{
    return PMPI_Scan(x->send, x->recv, (int)x->count, x->type, x->op, x->comm);
}

static int scatter(pg_ctx *x)
{
    int n = (int)x->count;
    return PMPI_Scatter(x->send, n, x->type, x->recv, n, x->type, x->root, x->comm);
}

const pg_function pg_identities[PG_IDENTITIES] = {
    {"identity:MPI_Allgather", "MPI_Allgather", pg_prepare_nothing, allgather, pg_release},
    {"identity:MPI_Allreduce", "MPI_Allreduce", pg_prepare_nothing, allreduce, pg_release},
    {"identity:MPI_Alltoall", "MPI_Alltoall", pg_prepare_nothing, alltoall, pg_release},
    {"identity:MPI_Bcast", "MPI_Bcast", pg_prepare_nothing, bcast, pg_release},
    {"identity:MPI_Exscan", "MPI_Exscan", pg_prepare_nothing, exscan, pg_release},
    {"identity:MPI_Gather", "MPI_Gather", pg_prepare_nothing, gather, pg_release},
    {"identity:MPI_Reduce", "MPI_Reduce", pg_prepare_nothing, reduce, pg_release},
    {"identity:MPI_Reduce_scatter", "MPI_Reduce_scatter", pg_equal_parts, reduce_scatter, pg_release},
    {"identity:MPI_Reduce_scatter_block", "MPI_Reduce_scatter_block", pg_prepare_nothing, reduce_scatter_block, pg_release},
    {"identity:MPI_Scan", "MPI_Scan", pg_prepare_nothing, scan, pg_release},
    {"identity:MPI_Scatter", "MPI_Scatter", pg_prepare_nothing, scatter, pg_release},
};
