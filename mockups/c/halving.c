/* Recursive halving: in each round partners exchange half of what is left, and reduce the half that they keep.
 * Thakur 2005 (Reduce_scatter; Allreduce, by Rabenseifner: the parts come back by doubling). */
#include "textbook.h"

enum { MOST_ROUNDS = 31 };

typedef struct { int64_t from, to; } stretch;

static int64_t length(stretch s) { return s.to - s.from; }
static void *piece(const pg_ctx *x, const void *base, stretch s) { return pg_piece(x, base, s.from, length(s)); }

static int halve(pg_ctx *x, pg_folded *f, void *acc, void *temp, int bit, stretch give, stretch keep)
{
    int peer = pg_rank_at(f, f->place ^ bit);
    return pg_swap(x, f, acc, temp, peer, give.from, length(give), keep.from, length(keep));
}

/* Neighbors come first, so that data of ranks in a row are combined: their order is kept. */
static int allreduce(pg_ctx *x)
{
    pg_folded f;
    stretch kept[MOST_ROUNDS], given[MOST_ROUNDS], all = {0, x->count};
    void *acc = x->recv;
    int round = 0, err = pg_fold(x, &f, acc, x->count);
    for (int bit = 1; bit < f.places && f.place >= 0 && err == MPI_SUCCESS; bit <<= 1, round++) {
        int64_t middle = all.from + length(all) / 2;
        stretch low = {all.from, middle}, high = {middle, all.to};
        all = kept[round] = f.place & bit ? high : low;
        given[round] = f.place & bit ? low : high;
        err = halve(x, &f, acc, x->temp[0], bit, given[round], all);
    }
    for (int bit = f.places / 2; bit > 0 && f.place >= 0 && err == MPI_SUCCESS; bit >>= 1) {
        int peer = pg_rank_at(&f, f.place ^ bit);
        stretch out = kept[--round], in = given[round];
        err = pg_exchange(x, piece(x, acc, out), length(out), peer, piece(x, acc, in), length(in), peer);
    }
    if (x->size == 1)
        pg_copy(x, acc, x->send, x->count);
    return err == MPI_SUCCESS ? pg_unfold(x, &f, acc, x->count) : err;
}

static int prepare_vectors(pg_ctx *x)
{
    int err = pg_prepare_no_order(x);
    if (err == MPI_SUCCESS)
        err = pg_check_count(x->size * x->count);
    for (int i = 0; i < 2 && err == MPI_SUCCESS; i++)
        err = pg_temp(x, i, x->size * x->count);
    return err;
}

/* Where the blocks of a place begin: it stands for its rank, or for two. */
static int64_t begin(const pg_ctx *x, const pg_folded *f, int place)
{
    return (place < f->folded ? 2 * place : place + f->folded) * x->count;
}

static int reduce_scatter(pg_ctx *x)
{
    pg_folded f;
    void *acc = x->temp[0];
    int first = 0, err = pg_fold(x, &f, acc, x->size * x->count);
    for (int half = f.places / 2; half > 0 && f.place >= 0 && err == MPI_SUCCESS; half /= 2) {
        int upper = f.place & half;
        int64_t middle = begin(x, &f, first + half);
        stretch low = {begin(x, &f, first), middle}, high = {middle, begin(x, &f, first + 2 * half)};
        first += upper ? half : 0;
        err = halve(x, &f, acc, x->temp[1], half, upper ? low : high, upper ? high : low);
    }
    if (err != MPI_SUCCESS)
        return err;
    if (f.place < 0)
        return pg_get(x, x->recv, x->count, x->rank + 1);
    pg_copy(x, x->recv, pg_at(x, f.mine, x->rank * x->count), x->count);
    return f.place < f.folded ? pg_give(x, pg_at(x, acc, (x->rank - 1) * x->count), x->count, x->rank - 1) : err;
}

const pg_function pg_halving[] = {
    {"allreduce_as_textbook@halving+doubling", pg_prepare_block, allreduce, pg_release},
    {"reduce_scatter_as_textbook@halving", prepare_vectors, reduce_scatter, pg_release},
    {"reduce_scatter_block_as_textbook@halving", prepare_vectors, reduce_scatter, pg_release},
    {NULL},
};
