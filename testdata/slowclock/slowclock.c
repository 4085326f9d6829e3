/* A machine on which everything takes longer: the clocks of a program into which this is
 * loaded run faster by the factor PGMPI_FASTER, from its first reading on. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdint.h>
#include <stdlib.h>
#include <time.h>

enum { CLOCKS = 16 };

static const int64_t second = 1000000000;

typedef int read_clock(clockid_t, struct timespec *);

int clock_gettime(clockid_t id, struct timespec *t)
{
    static read_clock *real;
    static double factor;
    static int64_t begun[CLOCKS];
    if (real == NULL) {
        const char *text = getenv("PGMPI_FASTER");
        factor = text != NULL ? atof(text) : 1;
        *(void **)&real = dlsym(RTLD_NEXT, "clock_gettime");
    }
    int rc = real(id, t);
    if (rc != 0 || id < 0 || id >= CLOCKS || id == CLOCK_REALTIME)
        return rc;
    int64_t now = (int64_t)t->tv_sec * second + t->tv_nsec;
    if (begun[id] == 0)
        begun[id] = now;
    now = begun[id] + (int64_t)((double)(now - begun[id]) * factor);
    t->tv_sec = (time_t)(now / second);
    t->tv_nsec = (long)(now % second);
    return 0;
}
