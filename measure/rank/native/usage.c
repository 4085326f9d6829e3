#define _GNU_SOURCE
#include "usage.h"
#include "exchange.h"

#include <stdlib.h>
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
    pg_usage *all = x->rank == 0 ? malloc((size_t)x->size * sizeof *all) : NULL;
    if (x->rank == 0 && all == NULL)
        return MPI_ERR_NO_MEM;
    int rc = pg_bring(x, &mine, sizeof mine, all);
    *out = (pg_most){mine, 0, 0};
    for (int i = 0; x->rank == 0 && rc == MPI_SUCCESS && i < x->size; i++) {
        if (all[i].faults > out->most.faults)
            out->most.faults = all[out->faults_rank = i].faults;
        if (all[i].switches > out->most.switches)
            out->most.switches = all[out->switches_rank = i].switches;
    }
    free(all);
    return rc;
}
