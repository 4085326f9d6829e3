/* Binomial trees: a process whose number, counted from the root, ends with k zeros serves 2^k processes.
 * Thakur 2005. */
#include "textbook.h"

static int from_root(const pg_ctx *x) { return (x->rank - x->root + x->size) % x->size; }
static int rank_at(const pg_ctx *x, int place) { return (place + x->root) % x->size; }

/* The lowest bit of a place, or for the root the first power of two that is no place. */
static int lowest_bit(const pg_ctx *x, int place)
{
    int bit = 1;
    while (bit < x->size && (place & bit) == 0)
        bit <<= 1;
    return bit;
}

/* The places that a child serves, or this rank. */
static int serves(const pg_ctx *x, int place, int bit) { return bit < x->size - place ? bit : x->size - place; }

static int bcast(pg_ctx *x)
{
    int me = from_root(x), bit = lowest_bit(x, me), err = MPI_SUCCESS;
    if (me > 0)
        err = pg_get(x, x->recv, x->count, rank_at(x, me - bit));
    for (bit >>= 1; bit > 0 && err == MPI_SUCCESS; bit >>= 1)
        if (me + bit < x->size)
            err = pg_give(x, x->recv, x->count, rank_at(x, me + bit));
    return err;
}

static int prepare_reduce(pg_ctx *x)
{
    int err = pg_prepare_order(x);
    for (int i = 0; i < 2 && err == MPI_SUCCESS; i++)
        err = pg_temp(x, i, x->count);
    return err;
}

/* Where order counts the tree ends at rank 0: from another root, counting would begin in the middle. */
static int reduce(pg_ctx *x)
{
    int top = x->temp[PG_ORDERED] == NULL ? x->root : 0, me = (x->rank - top + x->size) % x->size, err = MPI_SUCCESS;
    void *acc = x->rank == x->root ? x->recv : x->temp[0];
    const void *mine = x->send;
    for (int bit = 1; bit < x->size && err == MPI_SUCCESS; bit <<= 1) {
        int peer = ((me ^ bit) + top) % x->size;
        if (me & bit) {
            err = pg_give(x, mine, x->count, peer);
            break;
        }
        if (me + bit >= x->size)
            continue;
        err = pg_get(x, mine == acc ? x->temp[1] : acc, x->count, peer);
        if (err == MPI_SUCCESS)
            err = mine == acc ? pg_combine(x, acc, x->temp[1], x->count, 0) : pg_local(x, mine, acc, x->count);
        mine = acc;
    }
    if (me == 0 && mine != acc)
        pg_copy(x, acc, mine, x->count);
    if (err != MPI_SUCCESS || top == x->root)
        return err;
    if (x->rank == top)
        return pg_give(x, acc, x->count, x->root);
    return x->rank == x->root ? pg_get(x, x->recv, x->count, top) : err;
}

/* Blocks in the order of places, at ranks that serve others; rank 0 has them in place as the root. */
static int prepare_blocks(pg_ctx *x)
{
    int me = from_root(x), blocks = serves(x, me, lowest_bit(x, me)), err = pg_check_count(x->size * x->count);
    if (err != MPI_SUCCESS || blocks == 1 || (me == 0 && x->root == 0))
        return err;
    return pg_temp(x, 0, blocks * x->count);
}

/* Puts blocks that begin with the root's into the order of the ranks, or back. */
static void rotate(const pg_ctx *x, void *to, const void *from, int first)
{
    pg_copy(x, pg_at(x, to, first * x->count), from, (x->size - first) * x->count);
    pg_copy(x, to, pg_at(x, from, (x->size - first) * x->count), first * x->count);
}

static int gather(pg_ctx *x)
{
    int me = from_root(x), own = lowest_bit(x, me), blocks = serves(x, me, own), err = MPI_SUCCESS;
    int in_place = me == 0 && x->root == 0;
    void *all = in_place ? x->recv : x->temp[0];
    if (blocks > 1 || in_place)
        pg_copy(x, all, x->send, x->count);
    else
        all = me == 0 ? x->recv : x->send;
    for (int bit = 1; bit < own && me + bit < x->size && err == MPI_SUCCESS; bit <<= 1)
        err = pg_get(x, pg_at(x, all, bit * x->count), serves(x, me + bit, bit) * x->count, rank_at(x, me + bit));
    if (err == MPI_SUCCESS && me > 0)
        return pg_give(x, all, blocks * x->count, rank_at(x, me - own));
    if (err == MPI_SUCCESS && !in_place)
        rotate(x, x->recv, all, x->root);
    return err;
}

static int scatter(pg_ctx *x)
{
    int me = from_root(x), bit = lowest_bit(x, me), blocks = serves(x, me, bit), err = MPI_SUCCESS;
    void *all = x->temp[0];
    if (me == 0 && x->root == 0)
        all = x->send;
    else if (me == 0)
        rotate(x, all, x->send, x->size - x->root);
    else if (blocks == 1)
        all = x->recv;
    if (me > 0)
        err = pg_get(x, all, blocks * x->count, rank_at(x, me - bit));
    for (bit >>= 1; bit > 0 && err == MPI_SUCCESS; bit >>= 1)
        if (me + bit < x->size)
            err = pg_give(x, pg_at(x, all, bit * x->count), serves(x, me + bit, bit) * x->count, rank_at(x, me + bit));
    if (all != x->recv)
        pg_copy(x, x->recv, all, x->count);
    return err;
}

const pg_function pg_binomial[] = {
    {"bcast_as_textbook@binomial", pg_prepare_nothing, bcast, pg_release},
    {"gather_as_textbook@binomial", prepare_blocks, gather, pg_release},
    {"reduce_as_textbook@binomial", prepare_reduce, reduce, pg_release},
    {"scatter_as_textbook@binomial", prepare_blocks, scatter, pg_release},
    {NULL},
};
