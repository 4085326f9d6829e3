/* Clocks that are wrong by a known amount: each rank has an offset, a drift and
 * jitter of its own upon CLOCK_MONOTONIC. Only tests build them, with the tag
 * injectedclocks. */
#define _POSIX_C_SOURCE 200809L
#include "clock.h"

#include <stddef.h>

#ifdef PGMPI_INJECTED_CLOCKS

#include <time.h>

enum { JITTER = 200 }; /* ns; a reading is late by up to that much */

static int my_rank = -1;

static int64_t base(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

/* What the clock of a rank shows at an instant. Neighbours are 2 s and 100 ppm
 * apart; rank 0 does not drift. */
static int64_t shown(int rank, int64_t t)
{
    int64_t offset = (rank % 2 == 0 ? -1000000000 : 1000000000) + (int64_t)rank * 1000003;
    double drift = rank == 0 ? 0 : rank % 2 == 0 ? -50e-6 : 50e-6;
    return t + offset + (int64_t)(drift * (double)t);
}

static int64_t injected(void)
{
    static uint64_t state;
    static int64_t last = INT64_MIN;
    if (state == 0)
        state = 0x9e3779b97f4a7c15u * (uint64_t)(my_rank + 1);
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    int64_t t = shown(my_rank, base()) + (int64_t)(state % JITTER);
    if (t < last)
        t = last;
    last = t;
    return t;
}

int pg_inject(int rank)
{
    my_rank = rank;
    return 1;
}

int pg_injected(int64_t later, int64_t *mine, int64_t *reference)
{
    int64_t t = base() + later;
    *mine = shown(my_rank, t);
    *reference = shown(0, t);
    return 1;
}

pg_clock *pg_injected_clock(void) { return my_rank < 0 ? NULL : injected; }

#else

int pg_inject(int rank)
{
    (void)rank;
    return 0;
}

int pg_injected(int64_t later, int64_t *mine, int64_t *reference)
{
    (void)later;
    *mine = *reference = 0;
    return 0;
}

pg_clock *pg_injected_clock(void) { return NULL; }

#endif
