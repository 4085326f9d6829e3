/* Dissemination: in each round a process tells the one that is twice as far above as in the round before.
 * Hensgen 1988. */
#include "textbook.h"

static int barrier(pg_ctx *x)
{
    int err = MPI_SUCCESS;
    for (int d = 1; d < x->size; d *= 2)
        err = pg_first(err, MPI_Sendrecv(NULL, 0, MPI_BYTE, pg_above(x, d), PG_TEXTBOOK, NULL, 0, MPI_BYTE,
                                         pg_above(x, -d), PG_TEXTBOOK, x->comm, MPI_STATUS_IGNORE));
    return err;
}

const pg_function pg_dissemination[] = {
    {"barrier_as_textbook@dissemination", pg_prepare_nothing, barrier, pg_release},
    {NULL},
};
