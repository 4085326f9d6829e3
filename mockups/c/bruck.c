/* Bruck 1997, the index operation (Alltoall) and concatenation (Allgather): as many rounds as p − 1 has bits, whatever
 * p is. */
#include "textbook.h"

/* Block i is of the rank i above. */
static int allgather(pg_ctx *x)
{
    void *all = x->temp[0];
    int err = MPI_SUCCESS;
    pg_copy(x, all, x->send, x->count);
    for (int have = 1; have < x->size; have *= 2) {
        int n = have < x->size - have ? have : x->size - have;
        pg_range out = pg_blocks(x, 0, n), in = pg_blocks(x, have, n);
        pg_exchange(x, all, out, pg_above(x, -have), all, in, pg_above(x, have), &err);
    }
    pg_rotate(x, x->recv, all, x->rank);
    return err;
}

/* Copies the blocks whose number has a bit between their places and a row of them; returns how many. */
static int pack(const pg_ctx *x, int bit, void *blocks, void *row, int back)
{
    int n = 0;
    for (int i = bit; i < x->size; i++) {
        if ((i & bit) == 0)
            continue;
        void *place = pg_at(x, blocks, i * x->count), *packed = pg_at(x, row, n++ * x->count);
        pg_copy(x, back ? place : packed, back ? packed : place, x->count);
    }
    return n;
}

/* Block i is for the rank i above, then of the rank i below. At most half of the blocks have a bit, so that the receive
 * buffer can take what is sent, and what comes. */
static int alltoall(pg_ctx *x)
{
    void *blocks = x->temp[0];
    int err = MPI_SUCCESS;
    pg_rotate(x, blocks, x->send, x->size - x->rank);
    for (int bit = 1; bit < x->size; bit *= 2) {
        int n = pack(x, bit, blocks, x->recv, 0);
        pg_range out = pg_blocks(x, 0, n), in = pg_blocks(x, n, n);
        pg_exchange(x, x->recv, out, pg_above(x, bit), x->recv, in, pg_above(x, -bit), &err);
        pack(x, bit, blocks, pg_place(x, x->recv, in), 1);
    }
    for (int i = 0; i < x->size; i++)
        pg_copy(x, pg_at(x, x->recv, pg_above(x, -i) * x->count), pg_at(x, blocks, i * x->count), x->count);
    return err;
}

const pg_function pg_bruck[] = {
    {"allgather_as_textbook@bruck", pg_need_vector, allgather, pg_release},
    {"alltoall_as_textbook@bruck", pg_need_vector, alltoall, pg_release},
    {NULL},
};
