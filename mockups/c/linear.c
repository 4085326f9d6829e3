/* Linear algorithms: the root has a message from or to each other process, in the order of the ranks. For large blocks
 * the root's messages alone take as long as any tree. Pješivac-Grbović 2007. */
#include "textbook.h"

int pg_gather_from(const pg_ctx *x, int first)
{
    int err = MPI_SUCCESS;
    for (int i = first; i < x->size; i++)
        pg_move(x, i, x->send, pg_block(x, 0), x->root, x->recv, pg_block(x, i), &err);
    return err;
}

int pg_scatter_from(const pg_ctx *x, int first)
{
    int err = MPI_SUCCESS;
    for (int i = first; i < x->size; i++)
        pg_move(x, x->root, x->send, pg_block(x, i), i, x->recv, pg_block(x, 0), &err);
    return err;
}

static int gather(pg_ctx *x) { return pg_gather_from(x, 0); }
static int scatter(pg_ctx *x) { return pg_scatter_from(x, 0); }

const pg_function pg_linear[] = {
    {"gather_as_textbook@linear", pg_prepare_nothing, gather, pg_release},
    {"scatter_as_textbook@linear", pg_prepare_nothing, scatter, pg_release},
    {NULL},
};
