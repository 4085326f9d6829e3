/* MPI_Exscan, which has no mock-up. */
#include "rows.h"

static int exscan(pg_ctx *x)
{
    return MPI_Exscan(x->send, x->recv, (int)x->count, x->type, x->op, x->comm);
}

const pg_function pg_exscan[] = {
    {"MPI_Exscan", pg_prepare_nothing, exscan, pg_release},
    {NULL},
};
