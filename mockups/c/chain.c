/* Chains: each process gets segments from the one before, and hands them on to the next. All are busy once the first
 * segment is at the end. Pješivac-Grbović 2007 (pipeline); Träff 2008. */
#include "textbook.h"

enum { SEGMENT_BYTES = 64 << 10 };

static int64_t segment(const pg_ctx *x) { return x->extent < SEGMENT_BYTES ? SEGMENT_BYTES / x->extent : 1; }

/* The elements of the segment that begins at an element, or none. */
static int64_t length(const pg_ctx *x, int64_t at)
{
    int64_t left = at < 0 ? 0 : x->count - at;
    return left < 0 ? 0 : left < segment(x) ? left : segment(x);
}

static int bcast(pg_ctx *x)
{
    int me = (x->rank - x->root + x->size) % x->size, err = MPI_SUCCESS;
    int before = me == 0 ? MPI_PROC_NULL : (x->rank + x->size - 1) % x->size;
    int next = me == x->size - 1 ? MPI_PROC_NULL : (x->rank + 1) % x->size;
    for (int64_t in = 0, out = -segment(x); out < x->count && err == MPI_SUCCESS; out = in, in += segment(x)) {
        int64_t n_in = length(x, in), n_out = length(x, out);
        void *to = pg_piece(x, x->recv, in, n_in);
        err = pg_exchange(x, pg_piece(x, x->recv, out, n_out), n_out, next, to, n_in, before);
    }
    return err;
}

static int prepare_segment(pg_ctx *x)
{
    int err = pg_prepare_order(x);
    return err == MPI_SUCCESS ? pg_temp(x, 0, length(x, 0)) : err;
}

static int scan(pg_ctx *x)
{
    int err = MPI_SUCCESS;
    for (int64_t at = 0; at < x->count && err == MPI_SUCCESS; at += segment(x)) {
        int64_t n = length(x, at);
        void *result = pg_at(x, x->recv, at), *own = pg_at(x, x->send, at);
        if (x->rank == 0)
            pg_copy(x, result, own, n);
        else if ((err = pg_get(x, result, n, x->rank - 1)) == MPI_SUCCESS)
            err = pg_add_own(x, result, own, n, 1, x->temp[0]);
        if (err == MPI_SUCCESS && x->rank + 1 < x->size)
            err = pg_give(x, result, n, x->rank + 1);
    }
    return err;
}

static int exscan(pg_ctx *x)
{
    int err = MPI_SUCCESS;
    for (int64_t at = 0; at < x->count && err == MPI_SUCCESS; at += segment(x)) {
        int64_t n = length(x, at);
        void *own = pg_at(x, x->send, at), *result = pg_at(x, x->recv, at);
        if (x->rank > 0)
            err = pg_get(x, result, n, x->rank - 1);
        if (err != MPI_SUCCESS || x->rank + 1 == x->size)
            continue;
        if (x->rank > 0) {
            pg_copy(x, x->temp[0], own, n);
            err = pg_local(x, result, x->temp[0], n);
            own = x->temp[0];
        }
        if (err == MPI_SUCCESS)
            err = pg_give(x, own, n, x->rank + 1);
    }
    return err;
}

const pg_function pg_chain[] = {
    {"bcast_as_textbook@chain", pg_prepare_nothing, bcast, pg_release},
    {"exscan_as_textbook@chain", prepare_segment, exscan, pg_release},
    {"scan_as_textbook@chain", prepare_segment, scan, pg_release},
    {NULL},
};
