/* Calls that MPI allows and that are easy to get wrong, with their results compared byte
 * by byte: what a setting of a library must not break. */
#ifndef PGMPI_LEGAL_H
#define PGMPI_LEGAL_H

#include <mpi.h>

enum { PG_LEGAL_TEXT = 200 };

typedef struct pg_legal pg_legal;

/* Makes the communicators to call on: the world, and parts of it; all ranks together.
 * Buffers hold vectors of so many bytes for each process. Returns an MPI error code. */
int pg_legal_open(MPI_Comm world, long bytes, pg_legal **out);
void pg_legal_close(pg_legal *l);

/* How many communicators and how many calls there are, and what they are called. text has
 * PG_LEGAL_TEXT bytes. */
int pg_legal_comms(const pg_legal *l);
int pg_legal_calls(void);
const char *pg_legal_comm(const pg_legal *l, int comm);
int pg_legal_size(const pg_legal *l, int comm);
const char *pg_legal_function(int call);
void pg_legal_name(int call, char *text);
int pg_legal_sized(int call); /* the size of the message makes a difference */

/* Makes a call with blocks of so many ints, a multiple of 4, then waits until all ranks of
 * the world have made theirs. text says which of this rank's data are wrong, or is "".
 * Returns the error code of the call. */
int pg_legal_make(pg_legal *l, int comm, int call, int ints, char *text);

#endif
