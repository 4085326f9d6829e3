/* The collectives with counts that are MPI_Count (new in MPI 4.0). Open MPI 4 and 5 lack them. */
#include "later.h"

#include <limits.h>

#define CALL(Name, ...) PG_CALL_LATER(MPI_##Name##_c, MPI_##Name##_c, __VA_ARGS__)

static int prepare_lists(pg_ctx *x)
{
    for (int i = 0; i < x->size; i++) {
        x->lists->long_counts[i] = x->count;
        x->lists->long_displs[i] = i * x->count;
    }
    return MPI_SUCCESS;
}

static int allgather(pg_ctx *x)
{
    return CALL(Allgather, x->send, x->count, x->type, x->recv, x->count, x->type, x->comm);
}

static int allgatherv(pg_ctx *x)
{
    const pg_lists *l = x->lists;
    return CALL(Allgatherv, x->send, x->count, x->type, x->recv, l->long_counts, l->long_displs, x->type, x->comm);
}

static int allreduce(pg_ctx *x)
{
    return CALL(Allreduce, x->send, x->recv, x->count, x->type, x->op, x->comm);
}

static int alltoall(pg_ctx *x)
{
    return CALL(Alltoall, x->send, x->count, x->type, x->recv, x->count, x->type, x->comm);
}

static int alltoallv(pg_ctx *x)
{
    const pg_lists *l = x->lists;
    return CALL(Alltoallv, x->send, l->long_counts, l->long_displs, x->type, x->recv, l->long_counts, l->long_displs,
                x->type, x->comm);
}

static int bcast(pg_ctx *x)
{
    return CALL(Bcast, x->recv, x->count, x->type, x->root, x->comm);
}

static int exscan(pg_ctx *x)
{
    return CALL(Exscan, x->send, x->recv, x->count, x->type, x->op, x->comm);
}

static int gather(pg_ctx *x)
{
    return CALL(Gather, x->send, x->count, x->type, x->recv, x->count, x->type, x->root, x->comm);
}

static int gatherv(pg_ctx *x)
{
    const pg_lists *l = x->lists;
    return CALL(Gatherv, x->send, x->count, x->type, x->recv, l->long_counts, l->long_displs, x->type, x->root,
                x->comm);
}

static int reduce(pg_ctx *x)
{
    return CALL(Reduce, x->send, x->recv, x->count, x->type, x->op, x->root, x->comm);
}

static int reduce_scatter(pg_ctx *x)
{
    const pg_lists *l = x->lists;
    return CALL(Reduce_scatter, x->send, x->recv, l->long_counts, x->type, x->op, x->comm);
}

static int reduce_scatter_block(pg_ctx *x)
{
    return CALL(Reduce_scatter_block, x->send, x->recv, x->count, x->type, x->op, x->comm);
}

static int scan(pg_ctx *x)
{
    return CALL(Scan, x->send, x->recv, x->count, x->type, x->op, x->comm);
}

static int scatter(pg_ctx *x)
{
    return CALL(Scatter, x->send, x->count, x->type, x->recv, x->count, x->type, x->root, x->comm);
}

static int scatterv(pg_ctx *x)
{
    const pg_lists *l = x->lists;
    return CALL(Scatterv, x->send, l->long_counts, l->long_displs, x->type, x->recv, x->count, x->type, x->root,
                x->comm);
}

/* Says in time where the library lacks the call. */
#define TRY(call, prepare, run)                                         \
    static int try_##run(pg_ctx *x)                                     \
    {                                                                   \
        int lacks = PG_HAS(call);                                       \
        return lacks != MPI_SUCCESS ? lacks : prepare(x);               \
    }
TRY(MPI_Allgather_c, pg_prepare_nothing, allgather)
TRY(MPI_Allgatherv_c, prepare_lists, allgatherv)
TRY(MPI_Allreduce_c, pg_prepare_nothing, allreduce)
TRY(MPI_Alltoall_c, pg_prepare_nothing, alltoall)
TRY(MPI_Alltoallv_c, prepare_lists, alltoallv)
TRY(MPI_Bcast_c, pg_prepare_nothing, bcast)
TRY(MPI_Exscan_c, pg_prepare_nothing, exscan)
TRY(MPI_Gather_c, pg_prepare_nothing, gather)
TRY(MPI_Gatherv_c, prepare_lists, gatherv)
TRY(MPI_Reduce_c, pg_prepare_nothing, reduce)
TRY(MPI_Reduce_scatter_c, prepare_lists, reduce_scatter)
TRY(MPI_Reduce_scatter_block_c, pg_prepare_nothing, reduce_scatter_block)
TRY(MPI_Scan_c, pg_prepare_nothing, scan)
TRY(MPI_Scatter_c, pg_prepare_nothing, scatter)
TRY(MPI_Scatterv_c, prepare_lists, scatterv)

/* Calls on slices need no such counts. Test builds of wrong mock-ups have several in small blocks. */
#ifdef PGMPI_WRONG_MOCKUPS
enum { SLICE = 8 };
#else
enum { SLICE = INT_MAX };
#endif

/* As many elements in each slice, or nearly. */
static int slice(const pg_ctx *x)
{
    int64_t slices = (x->count - 1) / SLICE + 1;
    return (int)((x->count + slices - 1) / slices);
}

static int in_slices(pg_ctx *x, int (*call)(pg_ctx *, void *send, void *recv, int n))
{
    int64_t n = slice(x), at = 0;
    int err;
    do {
        if (at + n > x->count)
            at = x->count - n; /* some elements are moved again */
        err = call(x, pg_at(x, x->send, at), pg_at(x, x->recv, at), (int)n);
        at += n;
    } while (err == MPI_SUCCESS && at < x->count);
    return err;
}

/* Of a vector a slice has a part of each block: the parts are as far apart as the blocks. */
static int is_cut(const pg_ctx *x) { return x->count > SLICE; }
static int parts(const pg_ctx *x, int n) { return is_cut(x) ? 1 : n; }
static MPI_Datatype part(const pg_ctx *x) { return is_cut(x) ? x->made : x->type; }

static int prepare_parts(pg_ctx *x)
{
    if (!is_cut(x))
        return MPI_SUCCESS;
    MPI_Datatype row;
    int err = MPI_Type_contiguous(slice(x), x->type, &row);
    if (err != MPI_SUCCESS)
        return err;
    err = MPI_Type_create_resized(row, 0, x->count * x->extent, &x->made);
    if (err == MPI_SUCCESS)
        err = MPI_Type_commit(&x->made);
    MPI_Type_free(&row);
    return err;
}

static void release_parts(pg_ctx *x)
{
    if (is_cut(x))
        MPI_Type_free(&x->made);
    pg_release(x);
}

static int slice_of_allgather(pg_ctx *x, void *send, void *recv, int n)
{
    return MPI_Allgather(send, n, x->type, recv, parts(x, n), part(x), x->comm);
}

static int slice_of_alltoall(pg_ctx *x, void *send, void *recv, int n)
{
    return MPI_Alltoall(send, parts(x, n), part(x), recv, parts(x, n), part(x), x->comm);
}

static int slice_of_gather(pg_ctx *x, void *send, void *recv, int n)
{
    return MPI_Gather(send, n, x->type, recv, parts(x, n), part(x), x->root, x->comm);
}

static int slice_of_scatter(pg_ctx *x, void *send, void *recv, int n)
{
    return MPI_Scatter(send, parts(x, n), part(x), recv, n, x->type, x->root, x->comm);
}

static int slice_of_allreduce(pg_ctx *x, void *send, void *recv, int n)
{
    return MPI_Allreduce(send, recv, n, x->type, x->op, x->comm);
}

static int slice_of_bcast(pg_ctx *x, void *send, void *recv, int n)
{
    (void)send;
    return MPI_Bcast(recv, n, x->type, x->root, x->comm);
}

static int slice_of_exscan(pg_ctx *x, void *send, void *recv, int n)
{
    return MPI_Exscan(send, recv, n, x->type, x->op, x->comm);
}

static int slice_of_reduce(pg_ctx *x, void *send, void *recv, int n)
{
    return MPI_Reduce(send, recv, n, x->type, x->op, x->root, x->comm);
}

static int slice_of_scan(pg_ctx *x, void *send, void *recv, int n)
{
    return MPI_Scan(send, recv, n, x->type, x->op, x->comm);
}

static int sliced_allgather(pg_ctx *x) { return in_slices(x, slice_of_allgather); }
static int sliced_allreduce(pg_ctx *x) { return in_slices(x, slice_of_allreduce); }
static int sliced_alltoall(pg_ctx *x) { return in_slices(x, slice_of_alltoall); }
static int sliced_bcast(pg_ctx *x) { return in_slices(x, slice_of_bcast); }
static int sliced_exscan(pg_ctx *x) { return in_slices(x, slice_of_exscan); }
static int sliced_gather(pg_ctx *x) { return in_slices(x, slice_of_gather); }
static int sliced_reduce(pg_ctx *x) { return in_slices(x, slice_of_reduce); }
static int sliced_scan(pg_ctx *x) { return in_slices(x, slice_of_scan); }
static int sliced_scatter(pg_ctx *x) { return in_slices(x, slice_of_scatter); }

const pg_function pg_large_counts[] = {
    {"MPI_Allgather_c", try_allgather, allgather, pg_release},
    {"MPI_Allgatherv_c", try_allgatherv, allgatherv, pg_release},
    {"MPI_Allreduce_c", try_allreduce, allreduce, pg_release},
    {"MPI_Alltoall_c", try_alltoall, alltoall, pg_release},
    {"MPI_Alltoallv_c", try_alltoallv, alltoallv, pg_release},
    {"MPI_Bcast_c", try_bcast, bcast, pg_release},
    {"MPI_Exscan_c", try_exscan, exscan, pg_release},
    {"MPI_Gather_c", try_gather, gather, pg_release},
    {"MPI_Gatherv_c", try_gatherv, gatherv, pg_release},
    {"MPI_Reduce_c", try_reduce, reduce, pg_release},
    {"MPI_Reduce_scatter_c", try_reduce_scatter, reduce_scatter, pg_release},
    {"MPI_Reduce_scatter_block_c", try_reduce_scatter_block, reduce_scatter_block, pg_release},
    {"MPI_Scan_c", try_scan, scan, pg_release},
    {"MPI_Scatter_c", try_scatter, scatter, pg_release},
    {"MPI_Scatterv_c", try_scatterv, scatterv, pg_release},
    {"MPI_Allgather/sliced", prepare_parts, sliced_allgather, release_parts},
    {"MPI_Allreduce/sliced", pg_prepare_nothing, sliced_allreduce, pg_release},
    {"MPI_Alltoall/sliced", prepare_parts, sliced_alltoall, release_parts},
    {"MPI_Bcast/sliced", pg_prepare_nothing, sliced_bcast, pg_release},
    {"MPI_Exscan/sliced", pg_prepare_nothing, sliced_exscan, pg_release},
    {"MPI_Gather/sliced", prepare_parts, sliced_gather, release_parts},
    {"MPI_Reduce/sliced", pg_prepare_nothing, sliced_reduce, pg_release},
    {"MPI_Scan/sliced", pg_prepare_nothing, sliced_scan, pg_release},
    {"MPI_Scatter/sliced", prepare_parts, sliced_scatter, release_parts},
    {NULL},
};
