#define _POSIX_C_SOURCE 200809L
#include "clock.h"

#include <stddef.h>
#include <time.h>

#if defined(__x86_64__)
#include <cpuid.h>
#include <x86intrin.h>
#endif

static int64_t read_clock(clockid_t id)
{
    struct timespec t;
    clock_gettime(id, &t);
    return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

static int64_t monotonic(void) { return read_clock(CLOCK_MONOTONIC); }

/* MPI_Wtime has the resolution of a double: 2 ns a hundred days after its origin. */
static int64_t wtime(void) { return (int64_t)(MPI_Wtime() * 1e9); }

#if defined(CLOCK_MONOTONIC_RAW)
static int64_t monotonic_raw(void) { return read_clock(CLOCK_MONOTONIC_RAW); }
#else
#define monotonic_raw NULL
#endif

#if defined(__x86_64__)

/* Nanoseconds of one count, times 2^32. */
static uint64_t tsc_scale;

/* RDTSCP waits for the instructions before it (S-REVISITED §3.4). */
static uint64_t counter(void)
{
    unsigned cpu;
    return __rdtscp(&cpu);
}

static int64_t rdtscp(void) { return (int64_t)(((unsigned __int128)counter() * tsc_scale) >> 32); }

int64_t pg_tsc_stated(void)
{
    unsigned top, a, b, c, d;
    __cpuid(0, top, b, c, d);
    if (top < 0x15)
        return 0;
    __cpuid_count(0x15, 0, a, b, c, d);
    return a == 0 ? 0 : (int64_t)((uint64_t)c * b / a);
}

/* A pair of readings taken together: of a few, the one with the least between
 * the clock's reading before and the one after. */
static void both(int64_t *ns, uint64_t *count)
{
    int64_t least = INT64_MAX;
    for (int i = 0; i < 50; i++) {
        int64_t before = monotonic_raw();
        uint64_t now = counter();
        int64_t after = monotonic_raw();
        if (after - before < least) {
            least = after - before;
            *ns = before + least / 2;
            *count = now;
        }
    }
}

int64_t pg_tsc_measured(int64_t ns)
{
    struct timespec pause = {ns / 1000000000, ns % 1000000000};
    int64_t start, end;
    uint64_t from, to;
    both(&start, &from);
    nanosleep(&pause, NULL);
    both(&end, &to);
    return end > start ? (int64_t)((double)(to - from) * 1e9 / (double)(end - start)) : 0;
}

void pg_tsc_set(int64_t hz) { tsc_scale = (uint64_t)(1e9 * 4294967296.0 / (double)hz); }

static pg_clock *get_rdtscp(void) { return tsc_scale != 0 ? rdtscp : NULL; }

#else

int64_t pg_tsc_stated(void) { return 0; }
int64_t pg_tsc_measured(int64_t ns)
{
    (void)ns;
    return 0;
}
void pg_tsc_set(int64_t hz) { (void)hz; }
static pg_clock *get_rdtscp(void) { return NULL; }

#endif

static pg_clock *get_monotonic(void)
{
    pg_clock *injected = pg_injected_clock();
    return injected != NULL ? injected : monotonic;
}

static pg_clock *get_monotonic_raw(void) { return monotonic_raw; }

static pg_clock *get_wtime(void) { return wtime; }

const pg_named_clock *pg_clock_at(int i)
{
    static const pg_named_clock clocks[] = {
        {"monotonic", get_monotonic},
        {"monotonic_raw", get_monotonic_raw},
        {"wtime", get_wtime},
        {"rdtscp", get_rdtscp},
    };
    return (size_t)i < sizeof clocks / sizeof *clocks ? &clocks[i] : NULL;
}

int64_t pg_clock_differences(pg_clock *now, int64_t *differences, int64_t n)
{
    enum { MOST = 20000000 };
    int64_t found = 0, last = now();
    for (int64_t i = 0; i < n || (found == 0 && i < MOST); i++) {
        /* Readings at equal distances would show few of the clock's steps. */
        for (volatile int64_t wait = i % 32; wait > 0; wait--)
            ;
        int64_t t = now();
        if (t > last)
            differences[found++] = t - last;
        last = t;
    }
    return found;
}

double pg_clock_cost(pg_clock *now)
{
    enum { BATCHES = 50, READINGS = 200 };
    int64_t least = INT64_MAX;
    for (int b = 0; b < BATCHES; b++) {
        int64_t start = monotonic();
        for (int i = 0; i < READINGS; i++)
            now();
        int64_t took = monotonic() - start;
        if (took < least)
            least = took;
    }
    return (double)least / READINGS;
}
