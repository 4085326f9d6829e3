/* The timed loop, and what surrounds a repetition: how the ranks are
 * synchronised before it and what is done to the caches. */
#ifndef PGMPI_LOOP_H
#define PGMPI_LOOP_H

#include "clock.h"
#include "counters.h"
#include "mockups.h"
#include "usage.h"

#include <stddef.h>

/* Flags of a repetition, as in protocol.FlagLate and protocol.FlagLong. */
enum { PG_LATE = 1, PG_LONG = 2 };

/* The enter of a synchronisation returns this when there is no further
 * repetition; MPI error codes are not negative. */
enum { PG_STOP = -1 };

/* A buffer that is at another place in every repetition (cache = "rotate"). */
typedef struct pg_rotation {
    char *base;
    int64_t stride, positions; /* bytes from one to the next; how many */
} pg_rotation;

/* A batch of repetitions. The caller sets the first three groups. */
typedef struct pg_loop {
    pg_ctx *x;
    const pg_timing *time;

    /* For a case. */
    void (*touch)(struct pg_loop *); /* the caches, before a repetition */
    pg_rotation send, recv;
    char *cold; /* cold_bytes that are overwritten */
    int64_t cold_bytes;

    /* The function that every second repetition of a batch calls, with its context, or NULL. */
    const pg_function *other;
    pg_ctx *other_x;

    /* For a batch; times are ns. */
    int64_t window; /* window: from one start to the next */
    int64_t slice;  /* round_time: no repetition starts later than this after the first */
    int64_t want;   /* round_time: valid repetitions that are enough */
    pg_counters *counters; /* that are read around each repetition, or NULL */

    /* Of the synchronisation; times are global, ns. */
    int64_t first, at;    /* the start of the first repetition, and of the one in hand */
    int64_t ahead, least, most; /* round_time: how long before its start a stamp is made */
    int64_t deadline, valid;
    int flags; /* of the repetition in hand */
    int64_t turn; /* of the caches */

    /* Measured n times: readings of the rank's own clock. */
    int64_t n;
    int64_t *start, *end;
    unsigned char *flags_of;
    pg_usage usage; /* of all n together, with what synchronises them */
} pg_loop;

/* A way to synchronise the ranks before a repetition: one file sync_*.c each. */
typedef struct pg_sync {
    const char *name; /* in gl.toml */
    int global;       /* needs a global clock, and sets flags */
    int windows;      /* repetitions start at equal distances, the length of a window */
    int grows;        /* the window is found by a pilot, and doubled when it is too short */
    int slices;       /* a batch may end early: enough is valid, or its time slice is over */
    /* The barrier that lets no rank go before all have entered; NULL where ranks wait for
     * the clock. */
    const pg_function *meet;
    /* Before the first repetition of a batch, or NULL. Returns an MPI
     * error code. */
    int (*begin)(pg_loop *);
    /* Before each repetition. Returns an MPI error code, or PG_STOP on all ranks. */
    int (*enter)(pg_loop *);
    /* After the last repetition: the flags that only its end shows; may be NULL. */
    void (*judge)(pg_loop *);
} pg_sync;

extern const pg_sync pg_sync_barrier, pg_sync_double_barrier, pg_sync_dissemination, pg_sync_window,
    pg_sync_window_auto, pg_sync_round_time;

/* A treatment of the caches before a repetition. */
typedef struct pg_cache {
    const char *name; /* in gl.toml */
    int overwrites;   /* needs cold_bytes of memory */
    int rotates;      /* needs buffers in several positions */
    void (*touch)(pg_loop *);
} pg_cache;

extern const pg_cache pg_cache_warm, pg_cache_cold, pg_cache_rotate;

/* Row i of the tables of synchronisations and of treatments of the caches, or NULL after the last. */
const pg_sync *pg_sync_at(int i);
const pg_cache *pg_cache_at(int i);

/* The timed region (S-REVISITED, Algorithm 1): at most `most` times synchronise,
 * read the clock, run, read the clock. Returns the first error code that a call
 * gave. */
int pg_measure(const pg_function *f, const pg_sync *s, pg_loop *l, int64_t most);

/* Makes samples of a batch at rank 0 (ns, flags: n values, NULL elsewhere); the
 * readings are lost. A sample is the largest local duration, or, if global, the
 * time from the earliest start to the latest end on the global clock
 * (S-REVISITED, Algorithm 1). A flag of any rank is one of the sample. */
int pg_collect(pg_loop *l, const pg_sync *s, int global, int64_t *ns, unsigned char *flags);

int pg_reduce_flags(pg_loop *l, unsigned char *flags);

/* The local durations of `n` repetitions, ns, of every rank at rank 0, rank by rank. Returns an
 * MPI error code. */
int pg_gather_durations(pg_ctx *x, const int64_t *mine, int n, int64_t *all);

/* n upper bounds of the time from the first start to the last end, at rank 0, in
 * ns: two barriers around the call, the least over the ranks of what passed from
 * before the first to after the second. They hold for any clocks (S-MCCALPIN). */
int pg_provable(const pg_function *f, pg_loop *l, int64_t n, int64_t *ns);

/* A dissemination barrier: in round k every rank signals to the one 2^k above it,
 * ceil(log2 p) rounds (Hensgen, Finkel, Manber 1988). The same messages with
 * every library. */
int pg_disseminate(pg_ctx *x);

/* The same with a value: *value becomes the largest of all ranks'. */
int pg_all_max(pg_ctx *x, int64_t *value);

/* Waits for the start of the repetition in hand, l->at on the global clock, and
 * sets l->flags: a rank that comes too late does not wait. */
static inline void pg_wait(pg_loop *l)
{
    pg_clock *now = l->time->now;
    int64_t at = pg_local(&l->time->model, l->at);
    int64_t t = now();
    l->flags = t > at ? PG_LATE : 0;
    while (t < at)
        t = now();
}

/* Now, on the global clock. */
static inline int64_t pg_global_now(const pg_loop *l)
{
    return pg_global(&l->time->model, l->time->now());
}

#endif
