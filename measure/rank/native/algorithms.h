/* The library's own algorithms of its collectives, which MPI_T names and chooses
 * (MPI 4.0, 15.3). */
#ifndef PGMPI_ALGORITHMS_H
#define PGMPI_ALGORITHMS_H

#include "rows.h"

enum { PG_ALGORITHMS = 64, PG_NAME = 128, PG_TEXT = 1 << 14 };

typedef struct pg_algorithm {
    char name[PG_NAME];
    int value; /* of the library's control variable */
} pg_algorithm;

/* The algorithms of one collective. */
typedef struct pg_algorithms {
    char variable[PG_NAME]; /* the control variable, or "" if the library has none that we know */
    int now;                /* its value; PG_DEFAULT unless somebody has forced one */
    int fixed;              /* it cannot be written */
    int n;
    pg_algorithm of[PG_ALGORITHMS];
    char text[PG_TEXT]; /* that describes the variable, where MPI_T does not name its values */
} pg_algorithms;

/* The value with which the library chooses by itself, in Open MPI and MPICH. */
enum { PG_DEFAULT = 0 };

/* Reads a control variable, a number or a text, as text. Returns 0 if the library has none of that
 * name, or one of another type. */
int pg_read_variable(const char *name, char *text, int bytes);

/* How a function's calls come to one of them. */
typedef struct pg_forced pg_forced;

/* Lists the algorithms of a collective: "reduce_scatter" of MPI_Reduce_scatter. Nothing is
 * communicated. Returns an MPI error code. */
int pg_list_algorithms(const char *collective, pg_algorithms *out);

/* Makes *out, which forces an algorithm of a collective by its value. All ranks
 * call it together: Open MPI reads its variable when a communicator is made. */
int pg_make_forced(pg_ctx *x, const char *collective, int value, int segment, int fanout, pg_forced **out);

/* Sets the communicator of functions that no algorithm is forced in. */
void pg_calls_on(MPI_Comm comm);

/* From here on the functions of a context are called with it, or with NULL as by default. */
void pg_choose_forced(pg_ctx *x, const pg_forced *forced);

/* For before and after calls, outside of the timed region: MPICH reads its variable in every call, so
 * that it has the value during these only. They return an MPI error code: where one fails the calls may
 * have been the default's. */
int pg_force(const pg_ctx *x);
int pg_unforce(const pg_ctx *x);

/* Frees all that was made. */
int pg_algorithms_done(void);

#endif
