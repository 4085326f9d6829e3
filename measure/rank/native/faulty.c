//go:build cgo && wrongmockups

#define _POSIX_C_SOURCE 200809L
#include "faulty.h"

#include <unistd.h>

/* Moves nothing. */
static int run_nothing(pg_ctx *x)
{
    (void)x;
    return MPI_SUCCESS;
}

static int run_for_ever(pg_ctx *x)
{
    (void)x;
    while (pause() != 0) /* it never returns 0 */
        ;
    return MPI_SUCCESS;
}

/* As a failed assertion of a library does. */
static int run_to_the_end(pg_ctx *x)
{
    if (x->rank == x->size - 1)
        MPI_Abort(x->comm, 1);
    return MPI_SUCCESS;
}

const pg_function *pg_crashing_algorithm(void)
{
    static const pg_function row = {"test_crashes", pg_prepare_nothing, run_to_the_end, pg_release};
    return &row;
}

const pg_function *pg_wrong_algorithm(void)
{
    static const pg_function row = {"test_wrong", pg_prepare_nothing, run_nothing, pg_release};
    return &row;
}

const pg_function *pg_hanging_algorithm(void)
{
    static const pg_function row = {"test_hangs", pg_prepare_nothing, run_for_ever, pg_release};
    return &row;
}
