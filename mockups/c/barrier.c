/* MPI_Barrier and its mock-up GL29. They have no buffers: count is ignored. */
#include "rows.h"

static int barrier(pg_ctx *x)
{
    return MPI_Barrier(x->comm);
}

/* One byte, because a library may skip an Allreduce of none. */
static int as_allreduce(pg_ctx *x)
{
    char mine = 0, all;
    return MPI_Allreduce(&mine, &all, 1, MPI_BYTE, MPI_BOR, x->comm);
}

const pg_function pg_barrier[] = {
    {"MPI_Barrier", pg_prepare_nothing, barrier, pg_release},
    {"barrier_as_allreduce", pg_prepare_nothing, as_allreduce, pg_release},
    {NULL},
};
