/* MPI_Gatherv, measured with equal counts. counted.c has the calls that it is compared with. */
#include "rows.h"

static int gatherv(pg_ctx *x)
{
    return MPI_Gatherv(x->send, (int)x->count, x->type, x->recv, x->counts, x->displs, x->type, x->root, x->comm);
}

const pg_function pg_gatherv[] = {
    {"MPI_Gatherv", pg_equal_parts, gatherv, pg_release},
    {NULL},
};
