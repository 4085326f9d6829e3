/* MPI_Exscan, which has no mock-up. */
#include "rows.h"

static int exscan(pg_ctx *x)
{
    return MPI_Exscan(x->send, x->recv, (int)x->count, x->type, x->op, x->comm);
}

const pg_function pg_exscan = {
    .id = "MPI_Exscan", .of = "",
    .prepare = pg_prepare_nothing, .run = exscan, .release = pg_release,
};
