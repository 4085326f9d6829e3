/* Pairwise exchange: in round k each process sends to the one k ranks above and receives from the one k below.
 * Thakur 2005. */
#include "textbook.h"

static int alltoall(pg_ctx *x)
{
    int err = MPI_SUCCESS;
    int64_t own = x->rank * x->count;
    pg_copy(x, pg_at(x, x->recv, own), pg_at(x, x->send, own), x->count);
    for (int k = 1; k < x->size; k++) {
        int to = pg_above(x, k), from = pg_above(x, -k);
        pg_exchange(x, x->send, pg_block(x, to), to, x->recv, pg_block(x, from), from, &err);
    }
    return err;
}

static int reduce_scatter(pg_ctx *x)
{
    int err = MPI_SUCCESS;
    const void *own = pg_at(x, x->send, x->rank * x->count);
    if (x->size == 1)
        pg_result(x, own);
    for (int k = 1; k < x->size; k++) {
        void *in = k == 1 ? x->recv : x->temp[0];
        pg_exchange(x, x->send, pg_block(x, pg_above(x, k)), pg_above(x, k), in, pg_block(x, 0), pg_above(x, -k), &err);
        pg_add(x, k == 1 ? own : in, x->recv, x->count, &err);
    }
    return err;
}

const pg_function pg_pairwise[] = {
    {"alltoall_as_textbook@pairwise", pg_prepare_nothing, alltoall, pg_release},
    {"reduce_scatter_as_textbook@pairwise", pg_need_block, reduce_scatter, pg_release},
    {"reduce_scatter_block_as_textbook@pairwise", pg_need_block, reduce_scatter, pg_release},
    {NULL},
};
