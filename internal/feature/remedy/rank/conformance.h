/* Calls that MPI allows and that are easy to get wrong, with their results compared byte
 * by byte: what a setting of a library must not break. */
#ifndef PGMPI_CONFORMANCE_H
#define PGMPI_CONFORMANCE_H

#include <mpi.h>

enum { PG_CONFORMANCE_TEXT = 200 };

typedef struct pg_conformance pg_conformance;

/* Makes the communicators to call on: the world, and parts of it; all ranks together.
 * Buffers hold vectors of `bytes` bytes for each process. Returns an MPI error code. */
int pg_conformance_open(MPI_Comm world, long bytes, pg_conformance **out);
void pg_conformance_close(pg_conformance *l);

/* How many communicators and how many calls there are, and what they are called. text has
 * PG_CONFORMANCE_TEXT bytes. */
int pg_conformance_comms(const pg_conformance *l);
int pg_conformance_calls(void);
const char *pg_conformance_comm(const pg_conformance *l, int comm);
int pg_conformance_size(const pg_conformance *l, int comm);
const char *pg_conformance_function(int call);
void pg_conformance_name(int call, char *text);
int pg_conformance_sized(int call); /* the size of the message makes a difference */

/* Makes a call with blocks of `ints` ints, a multiple of 4, then waits until all ranks of
 * the world have made theirs. text says which of this rank's data are wrong, or is "".
 * Returns the error code of the call. */
int pg_conformance_make(pg_conformance *l, int comm, int call, int ints, char *text);

#endif
