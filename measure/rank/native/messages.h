/* The messages of a library inside its calls: those that Open MPI sends by its table of functions, and MPICH by UCX. */
#ifndef PGMPI_MESSAGES_H
#define PGMPI_MESSAGES_H

#include "mockups.h"

/* Messages, their bytes, and a number that is the same for the same set of (from, to, bytes), in
 * whatever order they were sent. */
typedef struct pg_sent {
    int64_t messages, bytes;
    uint64_t pattern;
} pg_sent;

/* Tells whether they are known: each rank sends a message to the next. Counting costs time in every
 * call: only for mpiruns that are not timed. */
int pg_messages_open(pg_ctx *x);

/* Returns what this rank has sent since the start of MPI. */
pg_sent pg_messages_now(void);

/* The sum over all ranks, at rank 0. Returns an MPI error code. */
int pg_messages_sum(pg_ctx *x, pg_sent mine, pg_sent *all);

#endif
