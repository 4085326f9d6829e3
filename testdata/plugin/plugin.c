/* Mock-ups of MPI_Scan that tests load: right, and wrong in every way. */
#include "mockups.h"

#include <stddef.h>

static int right(pg_ctx *x)
{
    return MPI_Scan(x->send, x->recv, (int)x->count, x->type, x->op, x->comm);
}

static int wrong(pg_ctx *x)
{
    int rc = right(x);
    if (x->rank == x->size - 1)
        ++*(unsigned char *)x->recv;
    return rc;
}

static int crash(pg_ctx *x)
{
    if (x->rank == x->size - 1)
        *(volatile int *)NULL = 1;
    return right(x);
}

/* Right for 149 calls. */
static int crash_later(pg_ctx *x)
{
    static int calls;
    return ++calls == 150 ? crash(x) : right(x);
}

static int aborts(pg_ctx *x)
{
    if (x->rank == x->size - 1)
        MPI_Abort(x->comm, 3);
    return right(x);
}

static int fails(pg_ctx *x)
{
    (void)x;
    return MPI_ERR_OTHER;
}

static int takes_too_much(pg_ctx *x) { return pg_temp(x, 0, x->count + (x->rank == x->size - 1)); }

static int refuses(pg_ctx *x)
{
    (void)x;
    return MPI_ERR_COUNT;
}

#ifdef CONSTRUCTOR
#include <unistd.h>
enum { WAITS, CRASHES };
__attribute__((constructor)) static void construct(void)
{
    if (CONSTRUCTOR == CRASHES)
        *(volatile int *)NULL = 1;
    pause();
}
#endif

#ifndef VERSION
#define VERSION PG_PLUGIN_VERSION
#endif
#ifndef NAME
#define NAME pgmpi_plugin
#endif

#define ROW(name, prepare, run) {{"scan_as_" name, prepare, run, pg_release}, {.one = 1}}
static const pg_mockup rows[] = {
    ROW("right", pg_prepare_nothing, right), ROW("wrong", pg_prepare_nothing, wrong),
    ROW("crash", pg_prepare_nothing, crash), ROW("abort", pg_prepare_nothing, aborts),
    ROW("error", pg_prepare_nothing, fails), ROW("greedy", takes_too_much, right),
    ROW("refuse", refuses, right), ROW("later", pg_prepare_nothing, crash_later),
};

extern const pg_plugin NAME;
const pg_plugin NAME = {VERSION, PG_LIBRARY, rows, sizeof rows / sizeof *rows};
