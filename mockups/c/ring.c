/* Rings: in each round every process sends one part to the next and gets one from the one before.
 * Thakur 2005 (Allgather); Chan 2007 (Allreduce; Bcast by Scatter and Allgather). */
#include "textbook.h"

/* Hands parts of the receive buffer around; a process begins with part `own`. */
static void hand_around(const pg_ctx *x, pg_cut c, int own, int rounds, int *err)
{
    for (int k = 0; k < rounds; k++) {
        int in = (own + x->size - 1) % x->size;
        pg_exchange(x, x->recv, pg_nth(c, own), pg_above(x, 1), x->recv, pg_nth(c, in), pg_above(x, -1), err);
        own = in;
    }
}

/* The own block goes out of the send buffer: what was just written is slow to read for others. */
static int allgather(pg_ctx *x)
{
    int err = MPI_SUCCESS, before = pg_above(x, -1);
    pg_copy(x, pg_at(x, x->recv, x->rank * x->count), x->send, x->count);
    if (x->size > 1)
        pg_exchange(x, x->send, pg_block(x, 0), pg_above(x, 1), x->recv, pg_block(x, before), before, &err);
    hand_around(x, (pg_cut){x->count, x->size * x->count}, before, x->size - 2, &err);
    return err;
}

static pg_cut in_parts(const pg_ctx *x) { return (pg_cut){pg_part(x), x->count}; }

/* A part is reduced on its way, and is whole at the process before the one where it began. */
static int allreduce(pg_ctx *x)
{
    int err = MPI_SUCCESS;
    pg_cut c = in_parts(x);
    if (x->size == 1)
        pg_result(x, x->send);
    for (int k = 1; k < x->size; k++) {
        pg_range out = pg_nth(c, pg_above(x, 1 - k)), in = pg_nth(c, pg_above(x, -k));
        pg_exchange(x, k == 1 ? x->send : x->recv, out, pg_above(x, 1), x->recv, in, pg_above(x, -1), &err);
        pg_add(x, pg_place(x, x->send, in), pg_place(x, x->recv, in), in.n, &err);
    }
    hand_around(x, c, pg_above(x, 1), x->size - 1, &err);
    return err;
}

static int bcast(pg_ctx *x)
{
    int err = MPI_SUCCESS;
    pg_walk(x, x->recv, in_parts(x), 1, &err);
    hand_around(x, in_parts(x), pg_from_root(x), x->size - 1, &err);
    return err;
}

const pg_function pg_ring[] = {
    {"allgather_as_textbook@ring", pg_prepare_nothing, allgather, pg_release},
    {"allreduce_as_textbook@ring", pg_need_nothing, allreduce, pg_release},
    {"bcast_as_textbook@scatter+ring", pg_prepare_nothing, bcast, pg_release},
    {NULL},
};
