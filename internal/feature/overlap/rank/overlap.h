/* Nonblocking calls with something to do between post and Wait (S-NETGAUGE §4.1, 4.2). */
#ifndef PGMPI_OVERLAP_H
#define PGMPI_OVERLAP_H

#include "loop.h"

/* What is measured of each repetition, in ns at this rank. */
enum { PG_POST, PG_TESTS, PG_WAIT, PG_OVERHEAD, PG_OVERALL, PG_EXCESS, PG_PARTS };

enum { PG_COMPUTING, PG_WAITING, PG_TESTING };

/* What is done between post and Wait. The caller sets the first group. */
typedef struct pg_overlap {
    int (*post)(pg_ctx *);
    int64_t ns;     /* to compute for, by the clock */
    int64_t steps;  /* of a loop to compute, in place of that; 0: none */
    int64_t alone;  /* what these steps take where nothing else is done, ns */
    int64_t tests;  /* calls of MPI_Test, spread over the computation */
    int beside;     /* PG_COMPUTING, or nothing: PG_WAITING, or PG_TESTING until the call is done;
                       then PG_OVERALL alone is meant */

    int64_t *part[PG_PARTS]; /* by repetition */
} pg_overlap;

/* One repetition that is not measured. */
int pg_overlap_once(const pg_overlap *o, const pg_loop *l);

/* As pg_measure. A repetition is post, computation with tests, Wait: PG_POST, PG_TESTS
 * and PG_WAIT are what MPI took of it, PG_OVERHEAD their sum, PG_OVERALL the time from
 * first to last, and PG_EXCESS what is left of that without the computation. Measured in
 * time the computation is what is not in MPI; measured in work, it is `alone`. */
int pg_measure_overlap(const pg_overlap *o, const pg_sync *s, pg_loop *l, int64_t most);

/* The largest parts of all ranks, at rank 0, in place of its own, and in `flags` the flags
 * of any rank. */
int pg_collect_overlap(const pg_overlap *o, pg_loop *l, const pg_sync *s, unsigned char *flags);

/* The time that these steps take, ns. */
int64_t pg_work(const pg_loop *l, int64_t steps);

#endif
