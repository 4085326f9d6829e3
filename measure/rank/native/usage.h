/* Counts of the kernel for the thread that calls MPI: causes of slow calls that no clock is needed
 * to see. Read outside of every timed region. */
#ifndef PGMPI_USAGE_H
#define PGMPI_USAGE_H

#include "mockups.h"

typedef struct pg_usage {
    int64_t faults;   /* pages that it touched and that were not mapped */
    int64_t switches; /* times that it lost its core against its will */
} pg_usage;

pg_usage pg_usage_now(void);
pg_usage pg_usage_since(pg_usage before);

/* The most of any rank, and the lowest rank that has it, of each of the two. */
typedef struct pg_most {
    pg_usage most;
    int faults_rank, switches_rank;
} pg_most;

/* All ranks together: *out is valid at rank 0. Returns an MPI error code. */
int pg_usage_most(pg_ctx *x, pg_usage mine, pg_most *out);

#endif
