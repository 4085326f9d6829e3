/* MPI_Allgatherv, measured with equal counts. counted.c has the calls that it is compared with. */
#include "rows.h"

static int allgatherv(pg_ctx *x)
{
    return MPI_Allgatherv(x->send, (int)x->count, x->type, x->recv, x->counts, x->displs, x->type, x->comm);
}

const pg_function pg_allgatherv[] = {
    {"MPI_Allgatherv", pg_equal_parts, allgatherv, pg_release},
    {NULL},
};
