/* Clocks, and the model that turns a rank's clock into the global one. */
#ifndef PGMPI_CLOCK_H
#define PGMPI_CLOCK_H

#include <stdint.h>

/* Reads a clock: nanoseconds since an origin of the rank's own. */
typedef int64_t pg_clock(void);

/* The clock with this index in results.Clocks; NULL when this machine has none. */
pg_clock *pg_clock_get(int index);

/* How far a rank's clock is ahead of the reference's, by the rank's own clock
 * (STATISTICS: the models of S-REVISITED, Algorithm 4 and 16):
 * ahead(t) = intercept + slope·(t − origin), in ns. */
typedef struct pg_model {
    int64_t origin;
    double intercept, slope;
} pg_model;

/* What the timing loop needs of time. */
typedef struct pg_timing {
    pg_clock *now;
    pg_model model; /* all zero: the rank's clock is the global clock */
} pg_timing;

/* The global time of a reading t of the rank's clock, ns. */
static inline int64_t pg_global(const pg_model *m, int64_t t)
{
    return t - (int64_t)(m->intercept + m->slope * (double)(t - m->origin));
}

/* The reading of the rank's clock at global time g, ns: the inverse, to the
 * nanosecond for slopes of clocks. */
static inline int64_t pg_local(const pg_model *m, int64_t g)
{
    double ahead = (m->intercept + m->slope * (double)(g - m->origin)) / (1 - m->slope);
    return g + (int64_t)ahead;
}

/* The smallest step seen between different readings, ns. */
int64_t pg_clock_tick(pg_clock *now);

#endif
