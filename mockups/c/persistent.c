/* The collectives as persistent calls: initialised once, then started and waited for
 * (MPI 4.0, 6.13). Open MPI 4 has them by other names, in mpi-ext.h. */
#include "variants.h"

#if MPI_VERSION >= 4 || (defined(OMPI_MAJOR_VERSION) && OMPI_MAJOR_VERSION >= 5)
#define HAS_MPI
#elif defined(OPEN_MPI)
#include <mpi-ext.h>
#ifdef OMPI_HAVE_MPI_EXT_PCOLLREQ
#define HAS_MPIX
#endif
#endif

#ifdef HAS_MPIX
#define MPI_Allgather_init MPIX_Allgather_init
#define MPI_Allgatherv_init MPIX_Allgatherv_init
#define MPI_Allreduce_init MPIX_Allreduce_init
#define MPI_Alltoall_init MPIX_Alltoall_init
#define MPI_Alltoallv_init MPIX_Alltoallv_init
#define MPI_Bcast_init MPIX_Bcast_init
#define MPI_Exscan_init MPIX_Exscan_init
#define MPI_Gather_init MPIX_Gather_init
#define MPI_Gatherv_init MPIX_Gatherv_init
#define MPI_Reduce_init MPIX_Reduce_init
#define MPI_Reduce_scatter_init MPIX_Reduce_scatter_init
#define MPI_Reduce_scatter_block_init MPIX_Reduce_scatter_block_init
#define MPI_Scan_init MPIX_Scan_init
#define MPI_Scatter_init MPIX_Scatter_init
#define MPI_Scatterv_init MPIX_Scatterv_init
#elif !defined(HAS_MPI)
/* In place of all of them. */
static int lacks(const void *send, ...)
{
    (void)send;
    return PG_LACKS;
}
#define MPI_Allgather_init lacks
#define MPI_Allgatherv_init lacks
#define MPI_Allreduce_init lacks
#define MPI_Alltoall_init lacks
#define MPI_Alltoallv_init lacks
#define MPI_Bcast_init lacks
#define MPI_Exscan_init lacks
#define MPI_Gather_init lacks
#define MPI_Gatherv_init lacks
#define MPI_Reduce_init lacks
#define MPI_Reduce_scatter_init lacks
#define MPI_Reduce_scatter_block_init lacks
#define MPI_Scan_init lacks
#define MPI_Scatter_init lacks
#define MPI_Scatterv_init lacks
#endif

static int init_allgather(pg_ctx *x)
{
    int n = (int)x->count;
    return MPI_Allgather_init(x->send, n, x->type, x->recv, n, x->type, x->comm, MPI_INFO_NULL, &x->request);
}

static int init_allgatherv(pg_ctx *x)
{
    return MPI_Allgatherv_init(x->send, (int)x->count, x->type, x->recv, x->counts, x->displs, x->type,
                               x->comm, MPI_INFO_NULL, &x->request);
}

static int init_allreduce(pg_ctx *x)
{
    return MPI_Allreduce_init(x->send, x->recv, (int)x->count, x->type, x->op, x->comm, MPI_INFO_NULL, &x->request);
}

static int init_alltoall(pg_ctx *x)
{
    int n = (int)x->count;
    return MPI_Alltoall_init(x->send, n, x->type, x->recv, n, x->type, x->comm, MPI_INFO_NULL, &x->request);
}

static int init_alltoallv(pg_ctx *x)
{
    return MPI_Alltoallv_init(x->send, x->counts, x->displs, x->type, x->recv, x->counts, x->displs, x->type,
                              x->comm, MPI_INFO_NULL, &x->request);
}

static int init_bcast(pg_ctx *x)
{
    return MPI_Bcast_init(x->recv, (int)x->count, x->type, x->root, x->comm, MPI_INFO_NULL, &x->request);
}

static int init_exscan(pg_ctx *x)
{
    return MPI_Exscan_init(x->send, x->recv, (int)x->count, x->type, x->op, x->comm, MPI_INFO_NULL, &x->request);
}

static int init_gather(pg_ctx *x)
{
    int n = (int)x->count;
    return MPI_Gather_init(x->send, n, x->type, x->recv, n, x->type, x->root, x->comm, MPI_INFO_NULL, &x->request);
}

static int init_gatherv(pg_ctx *x)
{
    return MPI_Gatherv_init(x->send, (int)x->count, x->type, x->recv, x->counts, x->displs, x->type, x->root,
                            x->comm, MPI_INFO_NULL, &x->request);
}

static int init_reduce(pg_ctx *x)
{
    return MPI_Reduce_init(x->send, x->recv, (int)x->count, x->type, x->op, x->root, x->comm, MPI_INFO_NULL,
                           &x->request);
}

static int init_reduce_scatter(pg_ctx *x)
{
    return MPI_Reduce_scatter_init(x->send, x->recv, x->counts, x->type, x->op, x->comm, MPI_INFO_NULL,
                                   &x->request);
}

static int init_reduce_scatter_block(pg_ctx *x)
{
    return MPI_Reduce_scatter_block_init(x->send, x->recv, (int)x->count, x->type, x->op, x->comm,
                                         MPI_INFO_NULL, &x->request);
}

static int init_scan(pg_ctx *x)
{
    return MPI_Scan_init(x->send, x->recv, (int)x->count, x->type, x->op, x->comm, MPI_INFO_NULL, &x->request);
}

static int init_scatter(pg_ctx *x)
{
    int n = (int)x->count;
    return MPI_Scatter_init(x->send, n, x->type, x->recv, n, x->type, x->root, x->comm, MPI_INFO_NULL, &x->request);
}

static int init_scatterv(pg_ctx *x)
{
    return MPI_Scatterv_init(x->send, x->counts, x->displs, x->type, x->recv, (int)x->count, x->type, x->root,
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

static int prepare_allgatherv(pg_ctx *x) { return with_parts(x, init_allgatherv); }
static int prepare_alltoallv(pg_ctx *x) { return with_parts(x, init_alltoallv); }
static int prepare_gatherv(pg_ctx *x) { return with_parts(x, init_gatherv); }
static int prepare_reduce_scatter(pg_ctx *x) { return with_parts(x, init_reduce_scatter); }
static int prepare_scatterv(pg_ctx *x) { return with_parts(x, init_scatterv); }

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

static int allgather_times(pg_ctx *x) { return uses(x, init_allgather(x), PG_TIMES); }
static int allreduce_times(pg_ctx *x) { return uses(x, init_allreduce(x), PG_TIMES); }
static int alltoall_times(pg_ctx *x) { return uses(x, init_alltoall(x), PG_TIMES); }
static int bcast_times(pg_ctx *x) { return uses(x, init_bcast(x), PG_TIMES); }
static int exscan_times(pg_ctx *x) { return uses(x, init_exscan(x), PG_TIMES); }
static int gather_times(pg_ctx *x) { return uses(x, init_gather(x), PG_TIMES); }
static int reduce_times(pg_ctx *x) { return uses(x, init_reduce(x), PG_TIMES); }
static int reduce_scatter_times(pg_ctx *x) { return uses(x, init_reduce_scatter(x), PG_TIMES); }
static int reduce_scatter_block_times(pg_ctx *x) { return uses(x, init_reduce_scatter_block(x), PG_TIMES); }
static int scan_times(pg_ctx *x) { return uses(x, init_scan(x), PG_TIMES); }
static int scatter_times(pg_ctx *x) { return uses(x, init_scatter(x), PG_TIMES); }

static int allgather_once(pg_ctx *x) { return uses(x, init_allgather(x), 1); }
static int allreduce_once(pg_ctx *x) { return uses(x, init_allreduce(x), 1); }
static int alltoall_once(pg_ctx *x) { return uses(x, init_alltoall(x), 1); }
static int bcast_once(pg_ctx *x) { return uses(x, init_bcast(x), 1); }
static int exscan_once(pg_ctx *x) { return uses(x, init_exscan(x), 1); }
static int gather_once(pg_ctx *x) { return uses(x, init_gather(x), 1); }
static int reduce_once(pg_ctx *x) { return uses(x, init_reduce(x), 1); }
static int reduce_scatter_once(pg_ctx *x) { return uses(x, init_reduce_scatter(x), 1); }
static int reduce_scatter_block_once(pg_ctx *x) { return uses(x, init_reduce_scatter_block(x), 1); }
static int scan_once(pg_ctx *x) { return uses(x, init_scan(x), 1); }
static int scatter_once(pg_ctx *x) { return uses(x, init_scatter(x), 1); }

/* Says in time where the library lacks the call. */
static int try_init(pg_ctx *x, int (*prepare)(pg_ctx *))
{
    int err = prepare(x);
    return err == MPI_SUCCESS ? MPI_Request_free(&x->request) : err;
}

static int try_allgather(pg_ctx *x) { return try_init(x, init_allgather); }
static int try_allreduce(pg_ctx *x) { return try_init(x, init_allreduce); }
static int try_alltoall(pg_ctx *x) { return try_init(x, init_alltoall); }
static int try_bcast(pg_ctx *x) { return try_init(x, init_bcast); }
static int try_exscan(pg_ctx *x) { return try_init(x, init_exscan); }
static int try_gather(pg_ctx *x) { return try_init(x, init_gather); }
static int try_reduce(pg_ctx *x) { return try_init(x, init_reduce); }
static int try_reduce_scatter(pg_ctx *x) { return try_init(x, prepare_reduce_scatter); }
static int try_reduce_scatter_block(pg_ctx *x) { return try_init(x, init_reduce_scatter_block); }
static int try_scan(pg_ctx *x) { return try_init(x, init_scan); }
static int try_scatter(pg_ctx *x) { return try_init(x, init_scatter); }

const pg_function pg_persistent[] = {
    {"MPI_Allgather_init", init_allgather, start, free_request},
    {"MPI_Allgatherv_init", prepare_allgatherv, start, free_request},
    {"MPI_Allreduce_init", init_allreduce, start, free_request},
    {"MPI_Alltoall_init", init_alltoall, start, free_request},
    {"MPI_Alltoallv_init", prepare_alltoallv, start, free_request},
    {"MPI_Bcast_init", init_bcast, start, free_request},
    {"MPI_Exscan_init", init_exscan, start, free_request},
    {"MPI_Gather_init", init_gather, start, free_request},
    {"MPI_Gatherv_init", prepare_gatherv, start, free_request},
    {"MPI_Reduce_init", init_reduce, start, free_request},
    {"MPI_Reduce_scatter_init", prepare_reduce_scatter, start, free_request},
    {"MPI_Reduce_scatter_block_init", init_reduce_scatter_block, start, free_request},
    {"MPI_Scan_init", init_scan, start, free_request},
    {"MPI_Scatter_init", init_scatter, start, free_request},
    {"MPI_Scatterv_init", prepare_scatterv, start, free_request},
    {"MPI_Allgather_init/10", try_allgather, allgather_times, pg_release},
    {"MPI_Allreduce_init/10", try_allreduce, allreduce_times, pg_release},
    {"MPI_Alltoall_init/10", try_alltoall, alltoall_times, pg_release},
    {"MPI_Bcast_init/10", try_bcast, bcast_times, pg_release},
    {"MPI_Exscan_init/10", try_exscan, exscan_times, pg_release},
    {"MPI_Gather_init/10", try_gather, gather_times, pg_release},
    {"MPI_Reduce_init/10", try_reduce, reduce_times, pg_release},
    {"MPI_Reduce_scatter_init/10", try_reduce_scatter, reduce_scatter_times, pg_release},
    {"MPI_Reduce_scatter_block_init/10", try_reduce_scatter_block, reduce_scatter_block_times, pg_release},
    {"MPI_Scan_init/10", try_scan, scan_times, pg_release},
    {"MPI_Scatter_init/10", try_scatter, scatter_times, pg_release},
    {"MPI_Allgather_init/1", try_allgather, allgather_once, pg_release},
    {"MPI_Allreduce_init/1", try_allreduce, allreduce_once, pg_release},
    {"MPI_Alltoall_init/1", try_alltoall, alltoall_once, pg_release},
    {"MPI_Bcast_init/1", try_bcast, bcast_once, pg_release},
    {"MPI_Exscan_init/1", try_exscan, exscan_once, pg_release},
    {"MPI_Gather_init/1", try_gather, gather_once, pg_release},
    {"MPI_Reduce_init/1", try_reduce, reduce_once, pg_release},
    {"MPI_Reduce_scatter_init/1", try_reduce_scatter, reduce_scatter_once, pg_release},
    {"MPI_Reduce_scatter_block_init/1", try_reduce_scatter_block, reduce_scatter_block_once, pg_release},
    {"MPI_Scan_init/1", try_scan, scan_once, pg_release},
    {"MPI_Scatter_init/1", try_scatter, scatter_once, pg_release},
    {NULL},
};
