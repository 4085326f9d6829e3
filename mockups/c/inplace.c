/* The collectives in place, where MPI has that, each followed by the call that it is to beat: a copy
 * of the input to a temporary, and the call from there (MPI 4.0, 6.2.4). A repetition has its input
 * from the one before, so that it is not the same in all. */
#include "variants.h"

static void *own_block(const pg_ctx *x) { return pg_at(x, x->recv, x->rank * x->count); }

static int is_root(const pg_ctx *x) { return x->rank == x->root; }

static int prepare_block(pg_ctx *x) { return pg_temp(x, 0, x->count); }

static int prepare_block_at_root(pg_ctx *x) { return is_root(x) ? prepare_block(x) : MPI_SUCCESS; }

static int allgather(pg_ctx *x)
{
    int n = (int)x->count;
    return MPI_Allgather(MPI_IN_PLACE, n, x->type, x->recv, n, x->type, x->comm);
}

static int copied_allgather(pg_ctx *x)
{
    int n = (int)x->count;
    pg_copy(x, x->temp[0], own_block(x), n);
    return MPI_Allgather(x->temp[0], n, x->type, x->recv, n, x->type, x->comm);
}

static int allgatherv(pg_ctx *x)
{
    return MPI_Allgatherv(MPI_IN_PLACE, 0, x->type, x->recv, x->counts, x->displs, x->type, x->comm);
}

static int copied_allgatherv(pg_ctx *x)
{
    pg_copy(x, x->temp[0], own_block(x), x->count);
    return MPI_Allgatherv(x->temp[0], (int)x->count, x->type, x->recv, x->counts, x->displs, x->type, x->comm);
}

static int allreduce(pg_ctx *x)
{
    return MPI_Allreduce(MPI_IN_PLACE, x->recv, (int)x->count, x->type, x->op, x->comm);
}

static int copied_allreduce(pg_ctx *x)
{
    pg_copy(x, x->temp[0], x->recv, x->count);
    return MPI_Allreduce(x->temp[0], x->recv, (int)x->count, x->type, x->op, x->comm);
}

static int alltoall(pg_ctx *x)
{
    int n = (int)x->count;
    return MPI_Alltoall(MPI_IN_PLACE, n, x->type, x->recv, n, x->type, x->comm);
}

static int copied_alltoall(pg_ctx *x)
{
    int n = (int)x->count;
    pg_copy(x, x->temp[0], x->recv, x->size * x->count);
    return MPI_Alltoall(x->temp[0], n, x->type, x->recv, n, x->type, x->comm);
}

static int alltoallv(pg_ctx *x)
{
    return MPI_Alltoallv(MPI_IN_PLACE, NULL, NULL, x->type, x->recv, x->counts, x->displs, x->type, x->comm);
}

static int copied_alltoallv(pg_ctx *x)
{
    pg_copy(x, x->temp[0], x->recv, x->size * x->count);
    return MPI_Alltoallv(x->temp[0], x->counts, x->displs, x->type, x->recv, x->counts, x->displs, x->type, x->comm);
}

static int exscan(pg_ctx *x)
{
    return MPI_Exscan(MPI_IN_PLACE, x->recv, (int)x->count, x->type, x->op, x->comm);
}

static int copied_exscan(pg_ctx *x)
{
    pg_copy(x, x->temp[0], x->recv, x->count);
    return MPI_Exscan(x->temp[0], x->recv, (int)x->count, x->type, x->op, x->comm);
}

static int gather(pg_ctx *x)
{
    int n = (int)x->count;
    const void *own = is_root(x) ? MPI_IN_PLACE : x->send;
    return MPI_Gather(own, n, x->type, x->recv, n, x->type, x->root, x->comm);
}

static int copied_gather(pg_ctx *x)
{
    int n = (int)x->count;
    if (!is_root(x))
        return MPI_Gather(x->send, n, x->type, NULL, n, x->type, x->root, x->comm);
    pg_copy(x, x->temp[0], own_block(x), n);
    return MPI_Gather(x->temp[0], n, x->type, x->recv, n, x->type, x->root, x->comm);
}

static int gatherv(pg_ctx *x)
{
    const void *own = is_root(x) ? MPI_IN_PLACE : x->send;
    return MPI_Gatherv(own, (int)x->count, x->type, x->recv, x->counts, x->displs, x->type, x->root, x->comm);
}

static int copied_gatherv(pg_ctx *x)
{
    if (is_root(x))
        pg_copy(x, x->temp[0], own_block(x), x->count);
    return MPI_Gatherv(is_root(x) ? x->temp[0] : x->send, (int)x->count, x->type, x->recv, x->counts, x->displs, x->type,
                       x->root, x->comm);
}

static int prepare_reduce(pg_ctx *x)
{
    return x->root != 0 && PG_REDUCES_IN_PLACE_AT_0_ONLY ? PG_LACKS : MPI_SUCCESS;
}

static int reduce(pg_ctx *x)
{
    const void *own = is_root(x) ? MPI_IN_PLACE : x->send;
    return MPI_Reduce(own, x->recv, (int)x->count, x->type, x->op, x->root, x->comm);
}

static int copied_reduce(pg_ctx *x)
{
    int n = (int)x->count;
    if (!is_root(x))
        return MPI_Reduce(x->send, NULL, n, x->type, x->op, x->root, x->comm);
    pg_copy(x, x->temp[0], x->recv, n);
    return MPI_Reduce(x->temp[0], x->recv, n, x->type, x->op, x->root, x->comm);
}

static int prepare_parts(pg_ctx *x)
{
    int err = pg_equal_parts(x);
    return err == MPI_SUCCESS ? pg_prepare_vector(x) : err;
}

static int reduce_scatter(pg_ctx *x)
{
    return MPI_Reduce_scatter(MPI_IN_PLACE, x->recv, x->counts, x->type, x->op, x->comm);
}

static int copied_reduce_scatter(pg_ctx *x)
{
    pg_copy(x, x->temp[0], x->recv, x->size * x->count);
    return MPI_Reduce_scatter(x->temp[0], x->recv, x->counts, x->type, x->op, x->comm);
}

static int reduce_scatter_block(pg_ctx *x)
{
    return MPI_Reduce_scatter_block(MPI_IN_PLACE, x->recv, (int)x->count, x->type, x->op, x->comm);
}

static int copied_reduce_scatter_block(pg_ctx *x)
{
    pg_copy(x, x->temp[0], x->recv, x->size * x->count);
    return MPI_Reduce_scatter_block(x->temp[0], x->recv, (int)x->count, x->type, x->op, x->comm);
}

static int scan(pg_ctx *x)
{
    return MPI_Scan(MPI_IN_PLACE, x->recv, (int)x->count, x->type, x->op, x->comm);
}

static int copied_scan(pg_ctx *x)
{
    pg_copy(x, x->temp[0], x->recv, x->count);
    return MPI_Scan(x->temp[0], x->recv, (int)x->count, x->type, x->op, x->comm);
}

/* The root keeps its block where it is. */
static int scatter(pg_ctx *x)
{
    int n = (int)x->count;
    void *own = is_root(x) ? MPI_IN_PLACE : x->recv;
    return MPI_Scatter(x->send, n, x->type, own, n, x->type, x->root, x->comm);
}

/* The library copies the root's block. */
static int copied_scatter(pg_ctx *x)
{
    int n = (int)x->count;
    return MPI_Scatter(x->send, n, x->type, x->recv, n, x->type, x->root, x->comm);
}

static int scatterv(pg_ctx *x)
{
    void *own = is_root(x) ? MPI_IN_PLACE : x->recv;
    return MPI_Scatterv(x->send, x->counts, x->displs, x->type, own, (int)x->count, x->type, x->root, x->comm);
}

static int copied_scatterv(pg_ctx *x)
{
    return MPI_Scatterv(x->send, x->counts, x->displs, x->type, x->recv, (int)x->count, x->type, x->root, x->comm);
}

/* The prepares of calls with counts. */
static int prepare_own_part(pg_ctx *x)
{
    int err = pg_equal_parts(x);
    return err == MPI_SUCCESS ? prepare_block(x) : err;
}

static int prepare_part_at_root(pg_ctx *x) { return is_root(x) ? prepare_own_part(x) : pg_equal_parts(x); }

const pg_function pg_in_place[] = {
    {"MPI_Allgather/in_place", pg_prepare_nothing, allgather, pg_release},
    {"MPI_Allgatherv/in_place", pg_equal_parts, allgatherv, pg_release},
    {"MPI_Allreduce/in_place", pg_prepare_nothing, allreduce, pg_release},
    {"MPI_Alltoall/in_place", pg_prepare_nothing, alltoall, pg_release},
    {"MPI_Alltoallv/in_place", pg_equal_parts, alltoallv, pg_release},
    {"MPI_Exscan/in_place", pg_prepare_nothing, exscan, pg_release},
    {"MPI_Gather/in_place", pg_prepare_nothing, gather, pg_release},
    {"MPI_Gatherv/in_place", pg_equal_parts, gatherv, pg_release},
    {"MPI_Reduce/in_place", prepare_reduce, reduce, pg_release},
    {"MPI_Reduce_scatter/in_place", pg_equal_parts, reduce_scatter, pg_release},
    {"MPI_Reduce_scatter_block/in_place", pg_prepare_nothing, reduce_scatter_block, pg_release},
    {"MPI_Scan/in_place", pg_prepare_nothing, scan, pg_release},
    {"MPI_Scatter/in_place", pg_prepare_nothing, scatter, pg_release},
    {"MPI_Scatterv/in_place", pg_equal_parts, scatterv, pg_release},
    {"MPI_Allgather/copied", prepare_block, copied_allgather, pg_release},
    {"MPI_Allgatherv/copied", prepare_own_part, copied_allgatherv, pg_release},
    {"MPI_Allreduce/copied", prepare_block, copied_allreduce, pg_release},
    {"MPI_Alltoall/copied", pg_prepare_vector, copied_alltoall, pg_release},
    {"MPI_Alltoallv/copied", prepare_parts, copied_alltoallv, pg_release},
    {"MPI_Exscan/copied", prepare_block, copied_exscan, pg_release},
    {"MPI_Gather/copied", prepare_block_at_root, copied_gather, pg_release},
    {"MPI_Gatherv/copied", prepare_part_at_root, copied_gatherv, pg_release},
    {"MPI_Reduce/copied", prepare_block_at_root, copied_reduce, pg_release},
    {"MPI_Reduce_scatter/copied", prepare_parts, copied_reduce_scatter, pg_release},
    {"MPI_Reduce_scatter_block/copied", pg_prepare_vector, copied_reduce_scatter_block, pg_release},
    {"MPI_Scan/copied", prepare_block, copied_scan, pg_release},
    {"MPI_Scatter/copied", pg_prepare_nothing, copied_scatter, pg_release},
    {"MPI_Scatterv/copied", pg_equal_parts, copied_scatterv, pg_release},
    {NULL},
};
