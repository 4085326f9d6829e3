#define _POSIX_C_SOURCE 200809L
#include "clock.h"

#include <stddef.h>
#include <time.h>

static int64_t monotonic(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

static pg_clock *const clocks[] = {monotonic};

pg_clock *pg_clock_get(int index)
{
    return index >= 0 && (size_t)index < sizeof clocks / sizeof *clocks ? clocks[index] : NULL;
}

int64_t pg_clock_tick(pg_clock *now)
{
    int64_t tick = INT64_MAX, last = now();
    for (int i = 0; i < 2000; i++) {
        int64_t t = now();
        if (t > last && t - last < tick)
            tick = t - last;
        last = t;
    }
    return tick;
}
