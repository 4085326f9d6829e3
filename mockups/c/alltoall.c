/* MPI_Alltoall and its mock-up GL21. */
#include "rows.h"

static int alltoall(pg_ctx *x)
{
    int n = (int)x->count;
    return MPI_Alltoall(x->send, n, x->type, x->recv, n, x->type, x->comm);
}

const pg_function pg_alltoall = {
    .id = "MPI_Alltoall", .of = "",
    .prepare = pg_prepare_nothing, .run = alltoall, .release = pg_release,
};

static int as_alltoallv(pg_ctx *x)
{
    return MPI_Alltoallv(x->send, x->counts, x->displs, x->type, x->recv, x->counts, x->displs, x->type, x->comm);
}

const pg_function pg_alltoall_as_alltoallv = {
    .id = "alltoall_as_alltoallv", .of = "MPI_Alltoall",
    .prepare = pg_equal_parts, .run = as_alltoallv, .release = pg_release,
};
