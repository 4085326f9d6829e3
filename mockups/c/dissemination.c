/* Dissemination: in each round a process tells the one that is twice as far above as in the round before.
 * Hensgen 1988. */
#include "textbook.h"

static int barrier(pg_ctx *x)
{
    int err = MPI_SUCCESS;
    for (int64_t d = 1; d < x->size && err == MPI_SUCCESS; d *= 2)
        err = MPI_Sendrecv(NULL, 0, MPI_BYTE, (int)((x->rank + d) % x->size), PG_TEXTBOOK, NULL, 0, MPI_BYTE,
                           (int)((x->rank + x->size - d) % x->size), PG_TEXTBOOK, x->comm, MPI_STATUS_IGNORE);
    return err;
}

const pg_function pg_dissemination[] = {
    {"barrier_as_textbook@dissemination", pg_prepare_nothing, barrier, pg_release},
    {NULL},
};
