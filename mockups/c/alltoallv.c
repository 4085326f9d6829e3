/* MPI_Alltoallv, measured with equal counts. counted.c has the calls that it is compared with. */
#include "rows.h"

static int alltoallv(pg_ctx *x)
{
    return MPI_Alltoallv(x->send, x->counts, x->displs, x->type, x->recv, x->counts, x->displs, x->type, x->comm);
}

const pg_function pg_alltoallv[] = {
    {"MPI_Alltoallv", pg_equal_parts, alltoallv, pg_release},
    {NULL},
};
