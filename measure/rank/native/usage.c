#define _GNU_SOURCE
#include "usage.h"

#include <sys/resource.h>

/* Of this thread only: Go has others, whose memory is no matter of the library's. */
pg_usage pg_usage_now(void)
{
    struct rusage now;
    if (getrusage(RUSAGE_THREAD, &now) != 0)
        return (pg_usage){0, 0};
    return (pg_usage){now.ru_minflt + now.ru_majflt, now.ru_nivcsw};
}

pg_usage pg_usage_since(pg_usage before)
{
    pg_usage now = pg_usage_now();
    return (pg_usage){now.faults - before.faults, now.switches - before.switches};
}

int pg_usage_most(pg_ctx *x, pg_usage mine, pg_most *out)
{
    struct { long count; int rank; } own[2] = {{(long)mine.faults, x->rank}, {(long)mine.switches, x->rank}}, all[2] = {{0, 0}, {0, 0}};
    int rc = MPI_Reduce(own, all, 2, MPI_LONG_INT, MPI_MAXLOC, 0, x->own);
    *out = (pg_most){{all[0].count, all[1].count}, all[0].rank, all[1].rank};
    return rc;
}
