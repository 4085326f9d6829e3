/* MPI_Scatterv, measured with equal counts. counted.c has the calls that it is compared with. */
#include "rows.h"

static int scatterv(pg_ctx *x)
{
    return MPI_Scatterv(x->send, x->counts, x->displs, x->type, x->recv, (int)x->count, x->type, x->root, x->comm);
}

const pg_function pg_scatterv[] = {
    {"MPI_Scatterv", pg_equal_parts, scatterv, pg_release},
    {NULL},
};
