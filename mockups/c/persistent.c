/* The collectives as persistent calls: initialised once, then started and waited for
 * (MPI 4.0, 6.13). Open MPI 4 has them by other names, MPIX_Bcast_init. */
#include "later.h"

#define INIT(Name, ...) PG_CALL_LATER(MPI_##Name##_init, MPIX_##Name##_init, __VA_ARGS__)

static int init_allgather(pg_ctx *x)
{
    int n = (int)x->count;
    return INIT(Allgather, x->send, n, x->type, x->recv, n, x->type, x->comm, MPI_INFO_NULL, &x->request);
}

static int init_allgatherv(pg_ctx *x)
{
    return INIT(Allgatherv, x->send, (int)x->count, x->type, x->recv, x->counts, x->displs, x->type,
                x->comm, MPI_INFO_NULL, &x->request);
}

static int init_allreduce(pg_ctx *x)
{
    return INIT(Allreduce, x->send, x->recv, (int)x->count, x->type, x->op, x->comm, MPI_INFO_NULL, &x->request);
}

static int init_alltoall(pg_ctx *x)
{
    int n = (int)x->count;
    return INIT(Alltoall, x->send, n, x->type, x->recv, n, x->type, x->comm, MPI_INFO_NULL, &x->request);
}

static int init_alltoallv(pg_ctx *x)
{
    return INIT(Alltoallv, x->send, x->counts, x->displs, x->type, x->recv, x->counts, x->displs, x->type,
                x->comm, MPI_INFO_NULL, &x->request);
}

static int init_bcast(pg_ctx *x)
{
    return INIT(Bcast, x->recv, (int)x->count, x->type, x->root, x->comm, MPI_INFO_NULL, &x->request);
}

static int init_exscan(pg_ctx *x)
{
    return INIT(Exscan, x->send, x->recv, (int)x->count, x->type, x->op, x->comm, MPI_INFO_NULL, &x->request);
}

static int init_gather(pg_ctx *x)
{
    int n = (int)x->count;
    return INIT(Gather, x->send, n, x->type, x->recv, n, x->type, x->root, x->comm, MPI_INFO_NULL, &x->request);
}

static int init_gatherv(pg_ctx *x)
{
    return INIT(Gatherv, x->send, (int)x->count, x->type, x->recv, x->counts, x->displs, x->type, x->root,
                x->comm, MPI_INFO_NULL, &x->request);
}

static int init_reduce(pg_ctx *x)
{
    return INIT(Reduce, x->send, x->recv, (int)x->count, x->type, x->op, x->root, x->comm, MPI_INFO_NULL,
                &x->request);
}

static int init_reduce_scatter(pg_ctx *x)
{
    return INIT(Reduce_scatter, x->send, x->recv, x->counts, x->type, x->op, x->comm, MPI_INFO_NULL,
                &x->request);
}

static int init_reduce_scatter_block(pg_ctx *x)
{
    return INIT(Reduce_scatter_block, x->send, x->recv, (int)x->count, x->type, x->op, x->comm,
                MPI_INFO_NULL, &x->request);
}

static int init_scan(pg_ctx *x)
{
    return INIT(Scan, x->send, x->recv, (int)x->count, x->type, x->op, x->comm, MPI_INFO_NULL, &x->request);
}

static int init_scatter(pg_ctx *x)
{
    int n = (int)x->count;
    return INIT(Scatter, x->send, n, x->type, x->recv, n, x->type, x->root, x->comm, MPI_INFO_NULL, &x->request);
}

static int init_scatterv(pg_ctx *x)
{
    return INIT(Scatterv, x->send, x->counts, x->displs, x->type, x->recv, (int)x->count, x->type, x->root,
                x->comm, MPI_INFO_NULL, &x->request);
}

static int start(pg_ctx *x) { return pg_wait_for(x, MPI_Start(&x->request)); }

static void free_request(pg_ctx *x)
{
    MPI_Request_free(&x->request);
    pg_release(x);
}

/* The prepare of a call with counts. */
static int with_parts(pg_ctx *x, int (*init)(pg_ctx *))
{
    int err = pg_equal_parts(x);
    return err == MPI_SUCCESS ? init(x) : err;
}

static int without_parts(pg_ctx *x, int (*init)(pg_ctx *)) { return init(x); }

/* The whole life of a request, after its initialisation. */
static int uses(pg_ctx *x, int err, int times)
{
    if (err != MPI_SUCCESS)
        return err;
    for (int i = 0; i < times && err == MPI_SUCCESS; i++)
        err = start(x);
    int freed = MPI_Request_free(&x->request);
    return err != MPI_SUCCESS ? err : freed;
}

/* Says in time where the library lacks the call. */
static int try_init(pg_ctx *x, int err) { return err == MPI_SUCCESS ? MPI_Request_free(&x->request) : err; }

/* The calls of each: its request made and kept, tried, used ten times and once. */
#define CALLS(name, parts)                                                                    \
    static int prepare_##name(pg_ctx *x) { return parts(x, init_##name); }                    \
    static int try_##name(pg_ctx *x) { return try_init(x, prepare_##name(x)); }               \
    static int name##_times(pg_ctx *x) { return uses(x, init_##name(x), PG_TIMES); }          \
    static int name##_once(pg_ctx *x) { return uses(x, init_##name(x), 1); }
CALLS(allgather, without_parts)
CALLS(allgatherv, with_parts)
CALLS(allreduce, without_parts)
CALLS(alltoall, without_parts)
CALLS(alltoallv, with_parts)
CALLS(bcast, without_parts)
CALLS(exscan, without_parts)
CALLS(gather, without_parts)
CALLS(gatherv, with_parts)
CALLS(reduce, without_parts)
CALLS(reduce_scatter, with_parts)
CALLS(reduce_scatter_block, without_parts)
CALLS(scan, without_parts)
CALLS(scatter, without_parts)
CALLS(scatterv, with_parts)

#define ROWS(id, name)                                         \
    {id, prepare_##name, start, free_request},                 \
    {id "/10", try_##name, name##_times, pg_release},          \
    {id "/1", try_##name, name##_once, pg_release}
const pg_function pg_persistent[] = {
    ROWS("MPI_Allgather_init", allgather),
    ROWS("MPI_Allgatherv_init", allgatherv),
    ROWS("MPI_Allreduce_init", allreduce),
    ROWS("MPI_Alltoall_init", alltoall),
    ROWS("MPI_Alltoallv_init", alltoallv),
    ROWS("MPI_Bcast_init", bcast),
    ROWS("MPI_Exscan_init", exscan),
    ROWS("MPI_Gather_init", gather),
    ROWS("MPI_Gatherv_init", gatherv),
    ROWS("MPI_Reduce_init", reduce),
    ROWS("MPI_Reduce_scatter_init", reduce_scatter),
    ROWS("MPI_Reduce_scatter_block_init", reduce_scatter_block),
    ROWS("MPI_Scan_init", scan),
    ROWS("MPI_Scatter_init", scatter),
    ROWS("MPI_Scatterv_init", scatterv),
    {NULL}};
