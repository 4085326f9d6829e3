/* Linear algorithms: the root has a message from or to each other process, in the order of the ranks. Chan 2007;
 * for large blocks the root's messages alone take as long as any tree. */
#include "textbook.h"

static int gather(pg_ctx *x)
{
    int err = MPI_SUCCESS;
    if (x->rank != x->root)
        return pg_give(x, x->send, x->count, x->root);
    pg_copy(x, pg_at(x, x->recv, x->rank * x->count), x->send, x->count);
    for (int i = 0; i < x->size && err == MPI_SUCCESS; i++)
        if (i != x->root)
            err = pg_get(x, pg_at(x, x->recv, i * x->count), x->count, i);
    return err;
}

static int scatter(pg_ctx *x)
{
    int err = MPI_SUCCESS;
    if (x->rank != x->root)
        return pg_get(x, x->recv, x->count, x->root);
    for (int i = 0; i < x->size && err == MPI_SUCCESS; i++)
        if (i != x->root)
            err = pg_give(x, pg_at(x, x->send, i * x->count), x->count, i);
    pg_copy(x, x->recv, pg_at(x, x->send, x->rank * x->count), x->count);
    return err;
}

const pg_function pg_linear[] = {
    {"gather_as_textbook@linear", pg_prepare_nothing, gather, pg_release},
    {"scatter_as_textbook@linear", pg_prepare_nothing, scatter, pg_release},
    {NULL},
};
