/* Pairwise exchange: in round k each process sends to the one k ranks above and receives from the one k below.
 * Thakur 2005. */
#include "textbook.h"

static int alltoall(pg_ctx *x)
{
    int err = MPI_SUCCESS;
    pg_copy(x, pg_at(x, x->recv, x->rank * x->count), pg_at(x, x->send, x->rank * x->count), x->count);
    for (int k = 1; k < x->size && err == MPI_SUCCESS; k++) {
        int to = (x->rank + k) % x->size, from = (x->rank + x->size - k) % x->size;
        void *in = pg_at(x, x->recv, from * x->count);
        err = pg_exchange(x, pg_at(x, x->send, to * x->count), x->count, to, in, x->count, from);
    }
    return err;
}

static int prepare_reduce_scatter(pg_ctx *x)
{
    int err = pg_prepare_no_order(x);
    return err == MPI_SUCCESS ? pg_temp(x, 0, x->count) : err;
}

static int reduce_scatter(pg_ctx *x)
{
    int err = MPI_SUCCESS;
    const void *own = pg_at(x, x->send, x->rank * x->count);
    if (x->size == 1)
        pg_copy(x, x->recv, own, x->count);
    for (int k = 1; k < x->size && err == MPI_SUCCESS; k++) {
        int to = (x->rank + k) % x->size, from = (x->rank + x->size - k) % x->size;
        void *in = k == 1 ? x->recv : x->temp[0];
        err = pg_exchange(x, pg_at(x, x->send, to * x->count), x->count, to, in, x->count, from);
        if (err == MPI_SUCCESS)
            err = pg_local(x, k == 1 ? own : in, x->recv, x->count);
    }
    return err;
}

const pg_function pg_pairwise[] = {
    {"alltoall_as_textbook@pairwise", pg_prepare_nothing, alltoall, pg_release},
    {"reduce_scatter_as_textbook@pairwise", prepare_reduce_scatter, reduce_scatter, pg_release},
    {"reduce_scatter_block_as_textbook@pairwise", prepare_reduce_scatter, reduce_scatter, pg_release},
    {NULL},
};
