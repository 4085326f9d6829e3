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

static int post_barrier(pg_ctx *x)
{
    return MPI_Ibarrier(x->comm, &x->request);
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

/* One after the other, as long as they succeed. */
static int times(pg_ctx *x, int (*post)(pg_ctx *))
{
    int err = MPI_SUCCESS;
    for (int i = 0; i < PG_TIMES && err == MPI_SUCCESS; i++)
        err = pg_wait_for(x, post(x));
    return err;
}

/* A call is posted and waited for, once and ten times. */
#define CALLS(name)                                                             \
    static int name(pg_ctx *x) { return pg_wait_for(x, post_##name(x)); }       \
    static int name##_times(pg_ctx *x) { return times(x, post_##name); }
CALLS(allgather)
CALLS(allgatherv)
CALLS(allreduce)
CALLS(alltoall)
CALLS(alltoallv)
CALLS(bcast)
CALLS(exscan)
CALLS(gather)
CALLS(gatherv)
CALLS(reduce)
CALLS(reduce_scatter)
CALLS(reduce_scatter_block)
CALLS(scan)
CALLS(scatter)
CALLS(scatterv)

/* MPI_Barrier moves no data, and is not called ten times. */
static int barrier(pg_ctx *x) { return pg_wait_for(x, post_barrier(x)); }

#define ROWS(id, prepare, name) {id, prepare, name, pg_release}, {id "/10", prepare, name##_times, pg_release}
const pg_function pg_nonblocking[] = {
    {"MPI_Ibarrier", pg_prepare_nothing, barrier, pg_release},
    ROWS("MPI_Iallgather", pg_prepare_nothing, allgather),
    ROWS("MPI_Iallgatherv", pg_equal_parts, allgatherv),
    ROWS("MPI_Iallreduce", pg_prepare_nothing, allreduce),
    ROWS("MPI_Ialltoall", pg_prepare_nothing, alltoall),
    ROWS("MPI_Ialltoallv", pg_equal_parts, alltoallv),
    ROWS("MPI_Ibcast", pg_prepare_nothing, bcast),
    ROWS("MPI_Iexscan", pg_prepare_nothing, exscan),
    ROWS("MPI_Igather", pg_prepare_nothing, gather),
    ROWS("MPI_Igatherv", pg_equal_parts, gatherv),
    ROWS("MPI_Ireduce", pg_prepare_nothing, reduce),
    ROWS("MPI_Ireduce_scatter", pg_equal_parts, reduce_scatter),
    ROWS("MPI_Ireduce_scatter_block", pg_prepare_nothing, reduce_scatter_block),
    ROWS("MPI_Iscan", pg_prepare_nothing, scan),
    ROWS("MPI_Iscatter", pg_prepare_nothing, scatter),
    ROWS("MPI_Iscatterv", pg_equal_parts, scatterv),
    {NULL}};

static const pg_function posts[] = {
    {"MPI_Ibarrier", pg_prepare_nothing, post_barrier, pg_release},
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
    {NULL}};

const pg_function *pg_post_of(const char *id)
{
    for (const pg_function *f = posts; f->id != NULL; f++)
        if (strcmp(f->id, id) == 0)
            return f;
    return NULL;
}
