/* The collectives as nonblocking calls: posted, then waited for (MPI 4.0, 6.12). */
#include "variants.h"

static int post_allgather(pg_ctx *x)
{
    int n = (int)x->count;
    return MPI_Iallgather(x->send, n, x->type, x->recv, n, x->type, x->comm, &x->request);
}

static int post_allgatherv(pg_ctx *x)
{
    return MPI_Iallgatherv(x->send, (int)x->count, x->type, x->recv, x->counts, x->displs, x->type, x->comm,
                           &x->request);
}

static int post_allreduce(pg_ctx *x)
{
    return MPI_Iallreduce(x->send, x->recv, (int)x->count, x->type, x->op, x->comm, &x->request);
}

static int post_alltoall(pg_ctx *x)
{
    int n = (int)x->count;
    return MPI_Ialltoall(x->send, n, x->type, x->recv, n, x->type, x->comm, &x->request);
}

static int post_alltoallv(pg_ctx *x)
{
    return MPI_Ialltoallv(x->send, x->counts, x->displs, x->type, x->recv, x->counts, x->displs, x->type,
                          x->comm, &x->request);
}

static int post_bcast(pg_ctx *x)
{
    return MPI_Ibcast(x->recv, (int)x->count, x->type, x->root, x->comm, &x->request);
}

static int post_exscan(pg_ctx *x)
{
    return MPI_Iexscan(x->send, x->recv, (int)x->count, x->type, x->op, x->comm, &x->request);
}

static int post_gather(pg_ctx *x)
{
    int n = (int)x->count;
    return MPI_Igather(x->send, n, x->type, x->recv, n, x->type, x->root, x->comm, &x->request);
}

static int post_gatherv(pg_ctx *x)
{
    return MPI_Igatherv(x->send, (int)x->count, x->type, x->recv, x->counts, x->displs, x->type, x->root,
                        x->comm, &x->request);
}

static int post_reduce(pg_ctx *x)
{
    return MPI_Ireduce(x->send, x->recv, (int)x->count, x->type, x->op, x->root, x->comm, &x->request);
}

static int post_reduce_scatter(pg_ctx *x)
{
    return MPI_Ireduce_scatter(x->send, x->recv, x->counts, x->type, x->op, x->comm, &x->request);
}

static int post_reduce_scatter_block(pg_ctx *x)
{
    return MPI_Ireduce_scatter_block(x->send, x->recv, (int)x->count, x->type, x->op, x->comm, &x->request);
}

static int post_scan(pg_ctx *x)
{
    return MPI_Iscan(x->send, x->recv, (int)x->count, x->type, x->op, x->comm, &x->request);
}

static int post_scatter(pg_ctx *x)
{
    int n = (int)x->count;
    return MPI_Iscatter(x->send, n, x->type, x->recv, n, x->type, x->root, x->comm, &x->request);
}

static int post_scatterv(pg_ctx *x)
{
    return MPI_Iscatterv(x->send, x->counts, x->displs, x->type, x->recv, (int)x->count, x->type, x->root,
                         x->comm, &x->request);
}

static int allgather(pg_ctx *x) { return pg_wait_for(x, post_allgather(x)); }
static int allgatherv(pg_ctx *x) { return pg_wait_for(x, post_allgatherv(x)); }
static int allreduce(pg_ctx *x) { return pg_wait_for(x, post_allreduce(x)); }
static int alltoall(pg_ctx *x) { return pg_wait_for(x, post_alltoall(x)); }
static int alltoallv(pg_ctx *x) { return pg_wait_for(x, post_alltoallv(x)); }
static int bcast(pg_ctx *x) { return pg_wait_for(x, post_bcast(x)); }
static int exscan(pg_ctx *x) { return pg_wait_for(x, post_exscan(x)); }
static int gather(pg_ctx *x) { return pg_wait_for(x, post_gather(x)); }
static int gatherv(pg_ctx *x) { return pg_wait_for(x, post_gatherv(x)); }
static int reduce(pg_ctx *x) { return pg_wait_for(x, post_reduce(x)); }
static int reduce_scatter(pg_ctx *x) { return pg_wait_for(x, post_reduce_scatter(x)); }
static int reduce_scatter_block(pg_ctx *x) { return pg_wait_for(x, post_reduce_scatter_block(x)); }
static int scan(pg_ctx *x) { return pg_wait_for(x, post_scan(x)); }
static int scatter(pg_ctx *x) { return pg_wait_for(x, post_scatter(x)); }
static int scatterv(pg_ctx *x) { return pg_wait_for(x, post_scatterv(x)); }

/* One after the other, as long as they succeed. */
static inline int times(pg_ctx *x, int (*call)(pg_ctx *))
{
    int err = MPI_SUCCESS;
    for (int i = 0; i < PG_TIMES && err == MPI_SUCCESS; i++)
        err = call(x);
    return err;
}

static int allgather_times(pg_ctx *x) { return times(x, allgather); }
static int allreduce_times(pg_ctx *x) { return times(x, allreduce); }
static int alltoall_times(pg_ctx *x) { return times(x, alltoall); }
static int bcast_times(pg_ctx *x) { return times(x, bcast); }
static int exscan_times(pg_ctx *x) { return times(x, exscan); }
static int gather_times(pg_ctx *x) { return times(x, gather); }
static int reduce_times(pg_ctx *x) { return times(x, reduce); }
static int reduce_scatter_times(pg_ctx *x) { return times(x, reduce_scatter); }
static int reduce_scatter_block_times(pg_ctx *x) { return times(x, reduce_scatter_block); }
static int scan_times(pg_ctx *x) { return times(x, scan); }
static int scatter_times(pg_ctx *x) { return times(x, scatter); }

const pg_function pg_nonblocking[] = {
    {"MPI_Iallgather", pg_prepare_nothing, allgather, pg_release},
    {"MPI_Iallgatherv", pg_equal_parts, allgatherv, pg_release},
    {"MPI_Iallreduce", pg_prepare_nothing, allreduce, pg_release},
    {"MPI_Ialltoall", pg_prepare_nothing, alltoall, pg_release},
    {"MPI_Ialltoallv", pg_equal_parts, alltoallv, pg_release},
    {"MPI_Ibcast", pg_prepare_nothing, bcast, pg_release},
    {"MPI_Iexscan", pg_prepare_nothing, exscan, pg_release},
    {"MPI_Igather", pg_prepare_nothing, gather, pg_release},
    {"MPI_Igatherv", pg_equal_parts, gatherv, pg_release},
    {"MPI_Ireduce", pg_prepare_nothing, reduce, pg_release},
    {"MPI_Ireduce_scatter", pg_equal_parts, reduce_scatter, pg_release},
    {"MPI_Ireduce_scatter_block", pg_prepare_nothing, reduce_scatter_block, pg_release},
    {"MPI_Iscan", pg_prepare_nothing, scan, pg_release},
    {"MPI_Iscatter", pg_prepare_nothing, scatter, pg_release},
    {"MPI_Iscatterv", pg_equal_parts, scatterv, pg_release},
    {"MPI_Iallgather/10", pg_prepare_nothing, allgather_times, pg_release},
    {"MPI_Iallreduce/10", pg_prepare_nothing, allreduce_times, pg_release},
    {"MPI_Ialltoall/10", pg_prepare_nothing, alltoall_times, pg_release},
    {"MPI_Ibcast/10", pg_prepare_nothing, bcast_times, pg_release},
    {"MPI_Iexscan/10", pg_prepare_nothing, exscan_times, pg_release},
    {"MPI_Igather/10", pg_prepare_nothing, gather_times, pg_release},
    {"MPI_Ireduce/10", pg_prepare_nothing, reduce_times, pg_release},
    {"MPI_Ireduce_scatter/10", pg_equal_parts, reduce_scatter_times, pg_release},
    {"MPI_Ireduce_scatter_block/10", pg_prepare_nothing, reduce_scatter_block_times, pg_release},
    {"MPI_Iscan/10", pg_prepare_nothing, scan_times, pg_release},
    {"MPI_Iscatter/10", pg_prepare_nothing, scatter_times, pg_release},
    {NULL},
};

/* What only posts. */
static const pg_function posts[] = {
    {"MPI_Iallgather", pg_prepare_nothing, post_allgather, pg_release},
    {"MPI_Iallgatherv", pg_equal_parts, post_allgatherv, pg_release},
    {"MPI_Iallreduce", pg_prepare_nothing, post_allreduce, pg_release},
    {"MPI_Ialltoall", pg_prepare_nothing, post_alltoall, pg_release},
    {"MPI_Ialltoallv", pg_equal_parts, post_alltoallv, pg_release},
    {"MPI_Ibcast", pg_prepare_nothing, post_bcast, pg_release},
    {"MPI_Iexscan", pg_prepare_nothing, post_exscan, pg_release},
    {"MPI_Igather", pg_prepare_nothing, post_gather, pg_release},
    {"MPI_Igatherv", pg_equal_parts, post_gatherv, pg_release},
    {"MPI_Ireduce", pg_prepare_nothing, post_reduce, pg_release},
    {"MPI_Ireduce_scatter", pg_equal_parts, post_reduce_scatter, pg_release},
    {"MPI_Ireduce_scatter_block", pg_prepare_nothing, post_reduce_scatter_block, pg_release},
    {"MPI_Iscan", pg_prepare_nothing, post_scan, pg_release},
    {"MPI_Iscatter", pg_prepare_nothing, post_scatter, pg_release},
    {"MPI_Iscatterv", pg_equal_parts, post_scatterv, pg_release},
};

const pg_function *pg_post_of(const char *id)
{
    for (size_t i = 0; i < sizeof posts / sizeof *posts; i++)
        if (strcmp(posts[i].id, id) == 0)
            return &posts[i];
    return NULL;
}
