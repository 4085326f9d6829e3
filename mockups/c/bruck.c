/* Bruck 1997, the index operation (Alltoall) and concatenation (Allgather): as many rounds as p − 1 has bits, whatever
 * p is. */
#include "textbook.h"

static int below(const pg_ctx *x, int k) { return (x->rank + x->size - k) % x->size; }
static int above(const pg_ctx *x, int k) { return (x->rank + k) % x->size; }

/* Block i is of the rank i above. */
static int allgather(pg_ctx *x)
{
    char *all = x->temp[0];
    int err = MPI_SUCCESS, high = x->size - x->rank;
    pg_copy(x, all, x->send, x->count);
    for (int have = 1; have < x->size && err == MPI_SUCCESS; have *= 2) {
        int64_t n = (have < x->size - have ? have : x->size - have) * x->count;
        err = pg_exchange(x, all, n, below(x, have), pg_at(x, all, have * x->count), n, above(x, have));
    }
    pg_copy(x, pg_at(x, x->recv, x->rank * x->count), all, high * x->count);
    pg_copy(x, x->recv, pg_at(x, all, high * x->count), x->rank * x->count);
    return err;
}

/* Copies the blocks whose number has a bit between their places and a row of them; returns how many. */
static int64_t pack(const pg_ctx *x, int bit, void *blocks, void *row, int back)
{
    int64_t n = 0;
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
    int err = MPI_SUCCESS, high = x->size - x->rank;
    pg_copy(x, blocks, pg_at(x, x->send, x->rank * x->count), high * x->count);
    pg_copy(x, pg_at(x, blocks, high * x->count), x->send, x->rank * x->count);
    for (int bit = 1; bit < x->size && err == MPI_SUCCESS; bit <<= 1) {
        int64_t n = pack(x, bit, blocks, x->recv, 0) * x->count;
        void *in = pg_at(x, x->recv, n);
        err = pg_exchange(x, x->recv, n, above(x, bit), in, n, below(x, bit));
        pack(x, bit, blocks, in, 1);
    }
    for (int i = 0; i < x->size; i++)
        pg_copy(x, pg_at(x, x->recv, below(x, i) * x->count), pg_at(x, blocks, i * x->count), x->count);
    return err;
}

static int prepare_blocks(pg_ctx *x)
{
    int err = pg_check_count(x->size * x->count);
    return err == MPI_SUCCESS ? pg_prepare_vector(x) : err;
}

const pg_function pg_bruck[] = {
    {"allgather_as_textbook@bruck", prepare_blocks, allgather, pg_release},
    {"alltoall_as_textbook@bruck", prepare_blocks, alltoall, pg_release},
    {NULL},
};
