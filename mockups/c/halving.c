/* Recursive halving: in each round partners exchange half of what is left, and reduce the half that they keep.
 * Thakur 2005 (Reduce_scatter; Allreduce, by Rabenseifner: the parts come back by doubling). */
#include "textbook.h"

/* The parts of some places. The first `doubled` ones have two. */
static pg_range parts_of(pg_cut c, int doubled, int from, int to)
{
    return pg_parts(c, from + (from < doubled ? from : doubled), to + (to < doubled ? to : doubled));
}

/* Returns the part that is left: the place's own, unless neighbors come first. */
static int halve(const pg_ctx *x, pg_folded *f, pg_cut c, int doubled, int neighbors_first, int *err)
{
    int first = 0;
    for (int half = f->places / 2; half > 0 && f->place >= 0; half /= 2) {
        int bit = neighbors_first ? f->places / 2 / half : half, middle = first + half, upper = f->place & bit;
        pg_range low = parts_of(c, doubled, first, middle), high = parts_of(c, doubled, middle, middle + half);
        pg_reduce_with(x, &f->sum, upper ? low : high, pg_partner(f, bit), upper ? high : low, pg_partner(f, bit), err);
        first = upper ? middle : first;
    }
    return first;
}

/* Most data go to neighbors, which may be on the same node. */
static int allreduce(pg_ctx *x)
{
    int err = MPI_SUCCESS;
    pg_folded f = pg_fold(x, x->recv, x->temp[0], pg_block(x, 0), &err);
    pg_cut c = {(x->count + f.places - 1) / f.places, x->count};
    int first = halve(x, &f, c, 0, 1, &err);
    for (int half = 1; half < f.places && f.place >= 0; first &= ~half, half *= 2) {
        int peer = pg_partner(&f, f.places / 2 / half), other = first ^ half;
        pg_range out = pg_parts(c, first, first + half), in = pg_parts(c, other, other + half);
        pg_exchange(x, x->recv, out, peer, x->recv, in, peer, &err);
    }
    pg_unfold(x, &f, &err);
    return err;
}

static int prepare_reduce_scatter(pg_ctx *x)
{
    int err = pg_check_count(x->size * x->count);
    return err == MPI_SUCCESS ? pg_to_reduce(x, 2, x->size * x->count) : err;
}

static int reduce_scatter(pg_ctx *x)
{
    int err = MPI_SUCCESS;
    pg_folded f = pg_fold(x, x->temp[0], x->temp[1], pg_blocks(x, 0, x->size), &err);
    halve(x, &f, (pg_cut){x->count, x->size * x->count}, f.folded, 0, &err);
    if (f.place < 0)
        pg_get(x, x->recv, pg_block(x, 0), x->rank + 1, &err);
    else
        pg_result(x, pg_at(x, f.sum.mine, x->rank * x->count));
    if (f.place >= 0 && f.place < f.folded)
        pg_give(x, f.sum.mine, pg_block(x, x->rank - 1), x->rank - 1, &err);
    return err;
}

const pg_function pg_halving[] = {
    {"allreduce_as_textbook@halving+doubling", pg_need_block, allreduce, pg_release},
    {"reduce_scatter_as_textbook@halving", prepare_reduce_scatter, reduce_scatter, pg_release},
    {"reduce_scatter_block_as_textbook@halving", prepare_reduce_scatter, reduce_scatter, pg_release},
    {NULL},
};
