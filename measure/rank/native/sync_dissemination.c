/* Our own barrier: the same algorithm with every library, as S-REVISITED §4.7
 * asks of a benchmark that compares libraries. */
#include "loop.h"

enum { TAG = 4 }; /* not one of clocksync.c */

int pg_disseminate(pg_ctx *x)
{
    int rc = MPI_SUCCESS;
    for (int step = 1; step < x->size && rc == MPI_SUCCESS; step *= 2) {
        int to = (x->rank + step) % x->size, from = (x->rank - step + x->size) % x->size;
        rc = MPI_Sendrecv(NULL, 0, MPI_BYTE, to, TAG, NULL, 0, MPI_BYTE, from, TAG, x->own, MPI_STATUS_IGNORE);
    }
    return rc;
}

int pg_all_max(pg_ctx *x, int64_t *value)
{
    int rc = MPI_SUCCESS;
    for (int step = 1; step < x->size && rc == MPI_SUCCESS; step *= 2) {
        int to = (x->rank + step) % x->size, from = (x->rank - step + x->size) % x->size;
        int64_t got = *value;
        rc = MPI_Sendrecv(value, 1, MPI_INT64_T, to, TAG, &got, 1, MPI_INT64_T, from, TAG, x->own,
                          MPI_STATUS_IGNORE);
        if (got > *value)
            *value = got;
    }
    return rc;
}

static int enter(pg_loop *l) { return pg_disseminate(l->x); }

static const pg_function meet = {.id = "dissemination", .run = pg_disseminate};

const pg_sync pg_sync_dissemination = {.name = "dissemination", .meet = &meet, .enter = enter};
