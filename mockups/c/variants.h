/* The ways to call a collective: what their files share. */
#ifndef PGMPI_VARIANTS_H
#define PGMPI_VARIANTS_H

#include "rows.h"

/* How often the rows behind "/10" call. */
enum { PG_TIMES = 10 };

/* Waits for the request of the context, unless posting or starting it failed. */
static inline int pg_wait_for(pg_ctx *x, int err)
{
    return err == MPI_SUCCESS ? MPI_Wait(&x->request, MPI_STATUS_IGNORE) : err;
}

#endif
