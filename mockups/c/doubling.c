/* Recursive doubling: in each round the partner is twice as far away, and what a process knows is of twice as many.
 * Thakur 2005 (Allreduce); Hillis 1986 (Scan). */
#include "textbook.h"

pg_folded pg_fold(const pg_ctx *x, void *acc, void *spare, pg_range all, int *err)
{
    pg_folded f = {.places = 1, .sum = {x->send, acc, spare}};
    while (2 * f.places <= x->size)
        f.places *= 2;
    f.folded = x->size - f.places;
    int gives = x->rank < 2 * f.folded && x->rank % 2 == 0, gets = x->rank < 2 * f.folded && !gives;
    f.place = gives ? -1 : gets ? x->rank / 2 : x->rank - f.folded;
    pg_reduce_with(x, &f.sum, all, gives ? x->rank + 1 : MPI_PROC_NULL, all, gets ? x->rank - 1 : MPI_PROC_NULL, err);
    return f;
}

void pg_unfold(const pg_ctx *x, const pg_folded *f, int *err)
{
    if (f->place < 0)
        pg_get(x, x->recv, pg_block(x, 0), x->rank + 1, err);
    else if (f->place < f->folded)
        pg_give(x, x->recv, pg_block(x, 0), x->rank - 1, err);
    else
        pg_result(x, f->sum.mine); /* of one process alone */
}

static int allreduce(pg_ctx *x)
{
    int err = MPI_SUCCESS;
    pg_range all = pg_block(x, 0);
    pg_folded f = pg_fold(x, x->recv, x->temp[0], all, &err);
    for (int bit = 1; bit < f.places && f.place >= 0; bit *= 2)
        pg_reduce_with(x, &f.sum, all, pg_partner(&f, bit), all, pg_partner(&f, bit), &err);
    pg_unfold(x, &f, &err);
    return err;
}

static int up(const pg_ctx *x, int d) { return x->rank + d < x->size ? x->rank + d : MPI_PROC_NULL; }
static int down(const pg_ctx *x, int d) { return x->rank >= d ? x->rank - d : MPI_PROC_NULL; }

/* After the round with distance d the last 2·d ranks up to this one are in the result. */
static int scan(pg_ctx *x)
{
    int err = MPI_SUCCESS;
    pg_range all = pg_block(x, 0);
    pg_sum s = {x->send, x->recv, x->temp[0]};
    for (int d = 1; d < x->size; d *= 2)
        pg_reduce_with(x, &s, all, up(x, d), all, down(x, d), &err);
    pg_result(x, s.mine);
    return err;
}

/* As scan, with the own data in what is handed on, but not in the result. They are copied only if it is handed on. */
static int exscan(pg_ctx *x)
{
    int err = MPI_SUCCESS;
    pg_range all = pg_block(x, 0);
    void *mine = x->send, *sum = x->temp[0];
    for (int d = 1; d < x->size; d *= 2) {
        void *in = d == 1 ? x->recv : x->temp[1];
        pg_exchange(x, mine, all, up(x, d), in, all, down(x, d), &err);
        if (x->rank >= d && in != x->recv)
            pg_add(x, in, x->recv, x->count, &err);
        if (x->rank < d || up(x, 2 * d) == MPI_PROC_NULL)
            continue;
        if (mine != sum)
            pg_copy(x, sum, mine, x->count);
        pg_add(x, in, sum, x->count, &err);
        mine = sum;
    }
    return err;
}

const pg_function pg_doubling[] = {
    {"allreduce_as_textbook@doubling", pg_need_block, allreduce, pg_release},
    {"exscan_as_textbook@doubling", pg_need_two, exscan, pg_release},
    {"scan_as_textbook@doubling", pg_need_block, scan, pg_release},
    {NULL},
};
