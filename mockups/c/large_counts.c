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

/* The calls, each tried before it is called. */
#define ALL(X)                                                          \
    X(Allgather, pg_prepare_nothing, allgather)                         \
    X(Allgatherv, prepare_lists, allgatherv)                            \
    X(Allreduce, pg_prepare_nothing, allreduce)                         \
    X(Alltoall, pg_prepare_nothing, alltoall)                           \
    X(Alltoallv, prepare_lists, alltoallv)                              \
    X(Bcast, pg_prepare_nothing, bcast)                                 \
    X(Exscan, pg_prepare_nothing, exscan)                               \
    X(Gather, pg_prepare_nothing, gather)                               \
    X(Gatherv, prepare_lists, gatherv)                                  \
    X(Reduce, pg_prepare_nothing, reduce)                               \
    X(Reduce_scatter, prepare_lists, reduce_scatter)                    \
    X(Reduce_scatter_block, pg_prepare_nothing, reduce_scatter_block)   \
    X(Scan, pg_prepare_nothing, scan)                                   \
    X(Scatter, pg_prepare_nothing, scatter)                             \
    X(Scatterv, prepare_lists, scatterv)

#define PREPARE(Name, prepare, run)                                     \
    static int try_##run(pg_ctx *x)                                     \
    {                                                                   \
        int lacks = PG_HAS(MPI_##Name##_c);                             \
        return lacks != MPI_SUCCESS ? lacks : prepare(x);               \
    }
ALL(PREPARE)

#define ROW(Name, prepare, run) {"MPI_" #Name "_c", try_##run, run, pg_release},

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
    ALL(ROW)
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
