/* The library's own barrier, once or twice (S-REVISITED §4.6). */
#include "loop.h"

static int barrier(pg_loop *l) { return MPI_Barrier(l->x->own); }

/* The second barrier starts with ranks that differ by no more than the exit
 * skew of the first. */
static int double_barrier(pg_loop *l)
{
    int rc = MPI_Barrier(l->x->own);
    return rc == MPI_SUCCESS ? MPI_Barrier(l->x->own) : rc;
}

static int meet_once(pg_ctx *x) { return MPI_Barrier(x->own); }
static const pg_function meet = {.id = "MPI_Barrier", .run = meet_once};

const pg_sync pg_sync_barrier = {.name = "barrier", .meet = &meet, .enter = barrier};
const pg_sync pg_sync_double_barrier = {.name = "double_barrier", .meet = &meet, .enter = double_barrier};
