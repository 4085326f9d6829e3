/* The ways to call a collective: what their files share. */
#ifndef PGMPI_VARIANTS_H
#define PGMPI_VARIANTS_H

#include "rows.h"

/* The calls of a row whose id ends with "/10". */
enum { PG_TIMES = 10 };

/* Waits for the request of the context, unless posting or starting it failed. */
static inline int pg_wait_for(pg_ctx *x, int err)
{
    return err == MPI_SUCCESS ? MPI_Wait(&x->request, MPI_STATUS_IGNORE) : err;
}

/* gcc warns of MPICH's MPI_STATUSES_IGNORE, unless it cannot know the value. */
static inline int pg_wait_all(int n, MPI_Request *requests)
{
    MPI_Status *volatile ignored = MPI_STATUSES_IGNORE;
    return MPI_Waitall(n, requests, ignored);
}

/* The rows of a call by every rule that makes unequal counts (mockups/irregular.go), and by the
 * rules that leave the largest part at most four blocks. */
#define MILD_RULES(id, behind, prepare, run, release) \
    {id "/linear" behind, prepare, run, release},     \
    {id "/lopsided" behind, prepare, run, release},   \
    {id "/one_empty" behind, prepare, run, release}
#define RULES(id, behind, prepare, run, release)         \
    MILD_RULES(id, behind, prepare, run, release),       \
    {id "/one_large" behind, prepare, run, release},     \
    {id "/sparse" behind, prepare, run, release},        \
    {id "/random" behind, prepare, run, release}

/* Likewise, with equal counts. */
#define ALL_RULES(id, behind, prepare, run, release) \
    {id behind, prepare, run, release}, RULES(id, behind, prepare, run, release)

#endif
