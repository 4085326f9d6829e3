/* Clocks, and the model that turns a rank's clock into the global one. */
#ifndef PGMPI_CLOCK_H
#define PGMPI_CLOCK_H

#include <stdint.h>

#include "mockups.h"

/* Reads a clock: nanoseconds since an origin of the rank's own. */
typedef int64_t pg_clock(void);

/* A clock by its name in gl.toml; get returns NULL when this machine has none. */
typedef struct pg_named_clock {
    const char *name;
    pg_clock *(*get)(void);
} pg_named_clock;

/* Row i of the table of clocks, or NULL after the last. */
const pg_named_clock *pg_clock_at(int i);

/* How far a rank's clock is ahead of the reference's, by the rank's own clock
 * (clocks.Model; S-REVISITED, Algorithms 4 and 16):
 * ahead(t) = offset + intercept + slope·(t − origin), in ns. */
typedef struct pg_model {
    int64_t origin, offset;
    double intercept, slope;
} pg_model;

/* The clock of the timing loop, and its model. */
typedef struct pg_timing {
    pg_clock *now;
    pg_model model; /* all zero: the rank's clock is the global clock */
} pg_timing;

/* The global time of a reading t of the rank's clock, ns. */
static inline int64_t pg_global(const pg_model *m, int64_t t)
{
    return t - m->offset - (int64_t)(m->intercept + m->slope * (double)(t - m->origin));
}

/* The reading of the rank's clock at global time g, ns: the inverse, to the
 * nanosecond for slopes of clocks. */
static inline int64_t pg_local(const pg_model *m, int64_t g)
{
    int64_t t = g + m->offset;
    return t + (int64_t)((m->intercept + m->slope * (double)(t - m->origin)) / (1 - m->slope));
}

/* Differences of successive readings, ns, without zeros: up to n, and at
 * least one, unless the clock stands still. Returns how many. */
int64_t pg_clock_differences(pg_clock *now, int64_t *differences, int64_t n);

/* The cost of one reading, ns: the best of several thousand. */
double pg_clock_cost(pg_clock *now);

/* The frequency of the time-stamp counter, Hz. pg_tsc_stated has it from CPUID, or 0 if CPUID does
 * not state it; pg_tsc_measured measures it against CLOCK_MONOTONIC_RAW within `ns`, or returns 0 if
 * there is no such counter. pg_tsc_set makes rdtscp ready: before, it is no clock. */
int64_t pg_tsc_stated(void);
int64_t pg_tsc_measured(int64_t ns);
void pg_tsc_set(int64_t hz);

/* One exchange with a reference: the own clock before and after, and the
 * reference's in between, ns. The layout of clocks.Ping. */
typedef struct pg_ping {
    int64_t sent, remote, back;
} pg_ping;

/* The asking side of exchanges with rank `ref`: n of them into out. With
 * patience > 0 it ends earlier, when the shortest round trip is that many
 * exchanges old (S-NETGAUGE §3.1). *done gets how many there were. MPI error codes. */
int pg_ask(pg_ctx *x, pg_clock *now, int ref, int n, int patience, pg_ping *out, int *done);

/* The other side: answers with the global time of the model until the asking
 * rank has its last answer. */
int pg_answer(pg_ctx *x, pg_clock *now, const pg_model *m, int client);

/* Bytes from rank to rank. A rank that takes sleeps while nothing is there: ranks that wait for
 * their turn must not disturb those that exchange. */
int pg_give(pg_ctx *x, int to, const void *data, int bytes);
int pg_take(pg_ctx *x, int from, void *data, int bytes);

/* Clocks with a known error, for tests (tag injectedclocks). pg_inject sets
 * this rank's; pg_injected gives, for this instant plus `later` ns, what the
 * clocks of this rank and of the reference (rank 0) show, without their jitter.
 * Both return 0 in every other build. */
int pg_inject(int rank);
int pg_injected(int64_t later, int64_t *mine, int64_t *reference);
pg_clock *pg_injected_clock(void);

#endif
