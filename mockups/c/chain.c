/* Chains: each process gets segments from the one before, and hands them on to the next. All are busy once the first
 * segment is at the end. Pješivac-Grbović 2007 (pipeline); Träff 2008. */
#include "textbook.h"

enum { SEGMENT_BYTES = 64 << 10 };

static pg_cut segments(const pg_ctx *x)
{
    return (pg_cut){x->extent < SEGMENT_BYTES ? SEGMENT_BYTES / x->extent : 1, x->count};
}

static int before(const pg_ctx *x) { return x->rank > 0 ? x->rank - 1 : MPI_PROC_NULL; }
static int next(const pg_ctx *x) { return x->rank + 1 < x->size ? x->rank + 1 : MPI_PROC_NULL; }

/* While segment k comes, the one before it is handed on. */
static int bcast(pg_ctx *x)
{
    int me = pg_from_root(x), err = MPI_SUCCESS;
    int from = me == 0 ? MPI_PROC_NULL : pg_above(x, -1), to = me == x->size - 1 ? MPI_PROC_NULL : pg_above(x, 1);
    pg_cut c = segments(x);
    for (int64_t k = 0; (k - 1) * c.each < c.all; k++)
        pg_exchange(x, x->recv, pg_nth(c, k - 1), k > 0 ? to : MPI_PROC_NULL, x->recv, pg_nth(c, k), from, &err);
    return err;
}

static int scan(pg_ctx *x)
{
    int err = MPI_SUCCESS;
    pg_cut c = segments(x);
    for (int64_t k = 0; k * c.each < c.all; k++) {
        pg_sum s = {x->send, x->recv, NULL};
        pg_reduce_with(x, &s, pg_nth(c, k), MPI_PROC_NULL, pg_nth(c, k), before(x), &err);
        pg_give(x, s.mine, pg_nth(c, k), next(x), &err);
    }
    if (x->rank == 0)
        pg_result(x, x->send);
    return err;
}

static int prepare_exscan(pg_ctx *x) { return pg_to_reduce(x, 1, pg_nth(segments(x), 0).n); }

static int exscan(pg_ctx *x)
{
    int err = MPI_SUCCESS, between = x->rank > 0 && x->rank + 1 < x->size;
    pg_cut c = segments(x);
    for (int64_t k = 0; k * c.each < c.all; k++) {
        pg_range segment = pg_nth(c, k);
        void *own = pg_place(x, x->send, segment);
        pg_get(x, x->recv, segment, before(x), &err);
        if (between) {
            pg_copy(x, x->temp[0], own, segment.n);
            own = x->temp[0];
            pg_add(x, pg_place(x, x->recv, segment), own, segment.n, &err);
        }
        pg_give(x, own, (pg_range){0, segment.n}, next(x), &err);
    }
    return err;
}

const pg_function pg_chain[] = {
    {"bcast_as_textbook@chain", pg_prepare_nothing, bcast, pg_release},
    {"exscan_as_textbook@chain", prepare_exscan, exscan, pg_release},
    {"scan_as_textbook@chain", pg_need_nothing, scan, pg_release},
    {NULL},
};
