/* MPI_Alltoall, which has no mock-up among GL3 to GL17. */
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
