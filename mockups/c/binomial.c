/* Binomial trees: a process whose number, counted from the root, ends with k zeros serves 2^k processes.
 * Thakur 2005. */
#include "textbook.h"

static int rank_at(const pg_ctx *x, int place) { return (place + x->root) % x->size; }

/* In the round of a bit, places with no lower bit meet in pairs. The upper one stands for all up to the next pair. */
void pg_walk(const pg_ctx *x, void *data, pg_cut cut, int down, int *err)
{
    int me = pg_from_root(x), rounds = 0;
    while (1 << rounds < x->size)
        rounds++;
    for (int i = 0; i < rounds; i++) {
        int bit = 1 << (down ? rounds - 1 - i : i), peer = me ^ bit, upper = me | bit;
        if (me % bit != 0 || upper >= x->size)
            continue;
        pg_range part = cut.each > 0 ? pg_parts(cut, upper, upper + bit) : (pg_range){0, cut.all};
        if ((me == upper) == down)
            pg_get(x, data, part, rank_at(x, peer), err);
        else
            pg_give(x, data, part, rank_at(x, peer), err);
    }
}

static int bcast(pg_ctx *x)
{
    int err = MPI_SUCCESS;
    pg_walk(x, x->recv, (pg_cut){0, x->count}, 1, &err);
    return err;
}

static int reduce(pg_ctx *x)
{
    int me = pg_from_root(x), err = MPI_SUCCESS;
    pg_sum s = {x->send, x->rank == x->root ? x->recv : x->temp[0], x->temp[1]};
    pg_range all = pg_block(x, 0);
    for (int bit = 1; bit < x->size && me % bit == 0; bit *= 2) {
        if (me & bit)
            pg_give(x, s.mine, all, rank_at(x, me - bit), &err);
        else if (me + bit < x->size)
            pg_reduce_with(x, &s, all, MPI_PROC_NULL, all, rank_at(x, me + bit), &err);
    }
    if (x->rank == x->root)
        pg_result(x, s.mine);
    return err;
}

/* Blocks are in the order of places, which is the order of the ranks if the root is rank 0. Odd places serve no other:
 * theirs are not copied. */
static int gather(pg_ctx *x)
{
    int me = pg_from_root(x), in_place = x->rank == 0 && x->root == 0, err = MPI_SUCCESS;
    void *all = in_place ? x->recv : x->temp[0];
    if (me % 2 == 1) {
        pg_give(x, x->send, pg_block(x, 0), rank_at(x, me - 1), &err);
        return err;
    }
    pg_copy(x, pg_at(x, all, me * x->count), x->send, x->count);
    pg_walk(x, all, (pg_cut){x->count, x->size * x->count}, 0, &err);
    if (x->rank == x->root && !in_place)
        pg_rotate(x, x->recv, all, x->root);
    return err;
}

static int scatter(pg_ctx *x)
{
    int me = pg_from_root(x), in_place = x->rank == 0 && x->root == 0, err = MPI_SUCCESS;
    void *all = in_place ? x->send : x->temp[0];
    if (me % 2 == 1) {
        pg_get(x, x->recv, pg_block(x, 0), rank_at(x, me - 1), &err);
        return err;
    }
    if (x->rank == x->root && !in_place)
        pg_rotate(x, all, x->send, x->size - x->root);
    pg_walk(x, all, (pg_cut){x->count, x->size * x->count}, 1, &err);
    pg_result(x, pg_at(x, all, me * x->count));
    return err;
}

const pg_function pg_binomial[] = {
    {"bcast_as_textbook@binomial", pg_prepare_nothing, bcast, pg_release},
    {"gather_as_textbook@binomial", pg_need_vector, gather, pg_release},
    {"reduce_as_textbook@binomial", pg_need_two, reduce, pg_release},
    {"scatter_as_textbook@binomial", pg_need_vector, scatter, pg_release},
    {NULL},
};
