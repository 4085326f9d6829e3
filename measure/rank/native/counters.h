/* Counters of the machine and of the library around each repetition: events of the kernel and of the
 * processor, and performance variables of MPI_T. Read outside of the timed region, before the
 * synchronisation and after the end stamp. */
#ifndef PGMPI_COUNTERS_H
#define PGMPI_COUNTERS_H

#include "mockups.h"

enum { PG_COUNTERS = 16, PG_COUNTER_WHY = 256 };

/* Stands for a number where a counter could not be read. */
#define PG_COUNTER_LOST INT64_MAX

typedef struct pg_counters pg_counters;

/* The name of event i, or NULL after the last. */
const char *pg_counter_name(int i);

/* Room for the counters of `repetitions`, or NULL without memory. */
pg_counters *pg_counters_new(int64_t repetitions);

/* Opens a counter of the calling thread after those that are open, by its name in protocol.Counters,
 * or "mpi_t:" and the name of a performance variable. Returns 1, and `text` says what it is read
 * from; or 0, and it says why there is none. */
int pg_counters_open(pg_counters *c, pg_ctx *x, const char *name, char text[PG_COUNTER_WHY]);

/* Closes the one that was opened last. */
void pg_counters_close_last(pg_counters *c);

/* Read each counter before repetition i, and its count after that has ended. */
void pg_counters_before(pg_counters *c);
void pg_counters_after(pg_counters *c, int64_t i);

/* The most of any rank by repetition and counter, at rank 0, of n repetitions: all has room
 * for n times the number of counters; PG_COUNTER_LOST where any rank has. Returns an MPI error code. */
int pg_counters_most(pg_counters *c, pg_ctx *x, int64_t n, int64_t *all);

#endif
