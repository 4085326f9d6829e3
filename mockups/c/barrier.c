/* MPI_Barrier and its mock-up GL29. They have no buffers: count is ignored. */
#include "rows.h"

static int barrier(pg_ctx *x)
{
    return MPI_Barrier(x->comm);
}

const pg_function pg_barrier = {
    .id = "MPI_Barrier", .of = "",
    .prepare = pg_prepare_nothing, .run = barrier, .release = pg_release,
};

/* One byte, because a library may skip an Allreduce of none. */
static int as_allreduce(pg_ctx *x)
{
    char mine = 0, all;
    return MPI_Allreduce(&mine, &all, 1, MPI_BYTE, MPI_BOR, x->comm);
}

const pg_function pg_barrier_as_allreduce = {
    .id = "barrier_as_allreduce", .of = "MPI_Barrier",
    .prepare = pg_prepare_nothing, .run = as_allreduce, .release = pg_release,
};
