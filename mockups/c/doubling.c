/* Recursive doubling: in each round the partner is twice as far away, and what a process knows is of twice as many.
 * Thakur 2005 (Allreduce); Hillis 1986 (Scan). */
#include "textbook.h"

int pg_fold(pg_ctx *x, pg_folded *f, void *acc, int64_t n)
{
    int err = MPI_SUCCESS;
    for (f->places = 1; 2 * f->places <= x->size; f->places *= 2)
        ;
    f->folded = x->size - f->places;
    f->mine = x->send;
    f->place = x->rank - f->folded;
    if (x->rank >= 2 * f->folded)
        return err;
    if (x->rank % 2 == 0) {
        f->place = -1;
        return pg_give(x, x->send, n, x->rank + 1);
    }
    f->place = x->rank / 2;
    f->mine = acc;
    err = pg_get(x, acc, n, x->rank - 1);
    return err == MPI_SUCCESS ? pg_add_own(x, acc, x->send, n, 1, x->temp[0]) : err;
}

int pg_swap(pg_ctx *x, pg_folded *f, void *acc, void *temp, int peer, int64_t give, int64_t n_give, int64_t keep,
            int64_t n)
{
    int first = f->mine != acc, lower = peer < x->rank;
    void *kept = pg_piece(x, acc, keep, n), *in = first ? kept : temp;
    int err = pg_exchange(x, pg_piece(x, f->mine, give, n_give), n_give, peer, in, n, peer);
    f->mine = acc;
    if (err != MPI_SUCCESS)
        return err;
    if (!first)
        return pg_combine(x, kept, in, n, lower);
    return pg_add_own(x, kept, pg_piece(x, x->send, keep, n), n, lower, temp);
}

int pg_unfold(const pg_ctx *x, const pg_folded *f, void *acc, int64_t n)
{
    if (x->rank >= 2 * f->folded)
        return MPI_SUCCESS;
    return f->place < 0 ? pg_get(x, acc, n, x->rank + 1) : pg_give(x, acc, n, x->rank - 1);
}

static int allreduce(pg_ctx *x)
{
    pg_folded f;
    void *acc = x->recv;
    int64_t n = x->count;
    int err = pg_fold(x, &f, acc, n);
    for (int bit = 1; bit < f.places && f.place >= 0 && err == MPI_SUCCESS; bit <<= 1) {
        err = pg_swap(x, &f, acc, x->temp[0], pg_rank_at(&f, f.place ^ bit), 0, n, 0, n);
    }
    if (x->size == 1)
        pg_copy(x, acc, x->send, n);
    return err == MPI_SUCCESS ? pg_unfold(x, &f, acc, n) : err;
}

/* After the round with distance d the last 2·d ranks up to this one are in the result. */
static int scan(pg_ctx *x)
{
    const void *mine = x->send;
    int64_t n = x->count;
    int err = MPI_SUCCESS;
    for (int d = 1; d < x->size && err == MPI_SUCCESS; d *= 2) {
        int to = x->rank + d < x->size ? x->rank + d : MPI_PROC_NULL, gets = x->rank >= d, first = mine != x->recv;
        void *in = first ? x->recv : x->temp[0];
        err = pg_exchange(x, mine, n, to, in, n, gets ? x->rank - d : MPI_PROC_NULL);
        if (err != MPI_SUCCESS || !gets)
            continue;
        err = first ? pg_add_own(x, x->recv, x->send, n, 1, x->temp[0]) : pg_combine(x, x->recv, in, n, 1);
        mine = x->recv;
    }
    if (mine != x->recv)
        pg_copy(x, x->recv, x->send, n);
    return err;
}

static int prepare_two_blocks(pg_ctx *x)
{
    int err = pg_prepare_block(x);
    return err == MPI_SUCCESS ? pg_temp(x, 1, x->count) : err;
}

/* As scan, with the own data in temp[1] alone, and only as long as another rank waits for them. */
static int exscan(pg_ctx *x)
{
    const void *mine = x->send;
    int64_t n = x->count;
    int err = MPI_SUCCESS, seen = 0;
    for (int d = 1; d < x->size && err == MPI_SUCCESS; d *= 2) {
        int to = x->rank + d < x->size ? x->rank + d : MPI_PROC_NULL, gets = x->rank >= d;
        void *in = seen ? x->temp[0] : x->recv;
        err = pg_exchange(x, mine, n, to, in, n, gets ? x->rank - d : MPI_PROC_NULL);
        if (err != MPI_SUCCESS || !gets)
            continue;
        if (seen)
            err = pg_local(x, in, x->recv, n);
        if (x->rank + 2 * d < x->size) {
            if (!seen)
                pg_copy(x, x->temp[1], x->send, n);
            err = pg_first(err, pg_local(x, in, x->temp[1], n));
            mine = x->temp[1];
        }
        seen = 1;
    }
    return err;
}

const pg_function pg_doubling[] = {
    {"allreduce_as_textbook@doubling", pg_prepare_block, allreduce, pg_release},
    {"exscan_as_textbook@doubling", prepare_two_blocks, exscan, pg_release},
    {"scan_as_textbook@doubling", pg_prepare_block, scan, pg_release},
    {NULL},
};
