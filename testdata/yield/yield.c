/* For tests with more ranks than cores: MPICH (UCX) spins without giving its
 * core away, so that an 8-byte collective of 4 ranks on 2 cores takes
 * milliseconds. Preloaded (LD_PRELOAD), this wraps ucp_worker_progress and
 * yields whenever there was nothing to do. Never for measurements. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <sched.h>
#include <stdlib.h>

typedef unsigned (*progress_fn)(void *worker);

unsigned ucp_worker_progress(void *worker)
{
    static progress_fn real;
    if (!real) {
        /* The standard's own cast from an object to a function pointer. */
        *(void **)&real = dlsym(RTLD_NEXT, "ucp_worker_progress");
        if (!real)
            abort();
    }
    unsigned events = real(worker);
    if (events == 0)
        sched_yield();
    return events;
}
