/* MPI_Alltoall and its mock-up GL21. */
#include "rows.h"

static int alltoall(pg_ctx *x)
{
    int n = (int)x->count;
    return MPI_Alltoall(x->send, n, x->type, x->recv, n, x->type, x->comm);
}

static int as_alltoallv(pg_ctx *x)
{
    return MPI_Alltoallv(x->send, x->counts, x->displs, x->type, x->recv, x->counts, x->displs, x->type, x->comm);
}

const pg_function pg_alltoall[] = {
    {"MPI_Alltoall", pg_prepare_nothing, alltoall, pg_release},
    {"alltoall_as_alltoallv", pg_equal_parts, as_alltoallv, pg_release},
    {NULL},
};
