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

/* The post of each, and its prepare; MPI_Barrier moves no data, and is not called ten times. */
#define WITH_DATA(X)                              \
    X(allgather, pg_prepare_nothing)              \
    X(allgatherv, pg_equal_parts)                 \
    X(allreduce, pg_prepare_nothing)              \
    X(alltoall, pg_prepare_nothing)               \
    X(alltoallv, pg_equal_parts)                  \
    X(bcast, pg_prepare_nothing)                  \
    X(exscan, pg_prepare_nothing)                 \
    X(gather, pg_prepare_nothing)                 \
    X(gatherv, pg_equal_parts)                    \
    X(reduce, pg_prepare_nothing)                 \
    X(reduce_scatter, pg_equal_parts)             \
    X(reduce_scatter_block, pg_prepare_nothing)   \
    X(scan, pg_prepare_nothing)                   \
    X(scatter, pg_prepare_nothing)                \
    X(scatterv, pg_equal_parts)
#define ALL(X) X(barrier, pg_prepare_nothing) WITH_DATA(X)

#define ONCE(name, prepare) \
    static int name(pg_ctx *x) { return pg_wait_for(x, post_##name(x)); }
#define TEN_TIMES(name, prepare) \
    static int name##_times(pg_ctx *x) { return times(x, post_##name); }
ALL(ONCE)
WITH_DATA(TEN_TIMES)

#define ROW(name, prepare) {"MPI_I" #name, prepare, name, pg_release},
#define ROW_OF_TEN(name, prepare) {"MPI_I" #name "/10", prepare, name##_times, pg_release},
const pg_function pg_nonblocking[] = {ALL(ROW) WITH_DATA(ROW_OF_TEN){NULL}};

#define POST(name, prepare) {"MPI_I" #name, prepare, post_##name, pg_release},
static const pg_function posts[] = {ALL(POST){NULL}};

const pg_function *pg_post_of(const char *id)
{
    for (const pg_function *f = posts; f->id != NULL; f++)
        if (strcmp(f->id, id) == 0)
            return f;
    return NULL;
}
