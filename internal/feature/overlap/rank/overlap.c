#include "overlap.h"
#include "algorithms.h"
#include "exchange.h"

#include <string.h>

/* A loop that no compiler shortens: each step needs the one before. */
static inline void work(int64_t steps)
{
    uint64_t v = 1;
    for (int64_t i = 0; i < steps; i++) {
        v = v * 6364136223846793005u + 1442695040888963407u;
        __asm__ volatile("" : "+r"(v));
    }
}

int64_t pg_work(const pg_loop *l, int64_t steps)
{
    pg_clock *now = l->time->now;
    int64_t start = now();
    work(steps);
    return now() - start;
}

/* Part i of n of the computation. */
static inline void compute(const pg_overlap *o, pg_clock *now, int64_t i, int64_t n)
{
    if (o->steps > 0) {
        work(o->steps * (i + 1) / n - o->steps * i / n);
        return;
    }
    int64_t until = now() + o->ns * (i + 1) / n - o->ns * i / n;
    while (now() < until)
        ;
}

static inline int test(pg_ctx *x, pg_clock *now, int *done, int64_t *took)
{
    int64_t start = now();
    int rc = MPI_Test(&x->request, done, MPI_STATUS_IGNORE);
    *took += now() - start;
    return rc;
}

/* Computes with the first test before, the last behind, and the others at equal distances
 * (S-NETGAUGE §4.2). A single one comes after half. */
static inline int compute_and_test(const pg_overlap *o, pg_ctx *x, pg_clock *now, int64_t *took)
{
    int64_t parts = o->tests > 1 ? o->tests - 1 : o->tests + 1, left = o->tests;
    int done, rc = MPI_SUCCESS;
    if (o->tests > 1) {
        rc = test(x, now, &done, took);
        left--;
    }
    for (int64_t i = 0; i < parts; i++) {
        compute(o, now, i, parts);
        if (left-- > 0)
            rc = pg_first(rc, test(x, now, &done, took));
    }
    return rc;
}

/* Repetition i with nothing beside: no time is read between post and the end of the call. */
static int alone(const pg_overlap *o, pg_ctx *x, pg_clock *now, int64_t i, int64_t *start, int64_t *end)
{
    int done = 0;
    *start = now();
    int rc = o->post(x);
    if (o->beside == PG_WAITING && rc == MPI_SUCCESS)
        rc = MPI_Wait(&x->request, MPI_STATUS_IGNORE);
    while (o->beside == PG_TESTING && !done && rc == MPI_SUCCESS)
        rc = MPI_Test(&x->request, &done, MPI_STATUS_IGNORE);
    *end = now();
    for (int k = 0; k < PG_PARTS; k++)
        o->part[k][i] = *end - *start;
    return rc;
}

/* Repetition i with computation. */
static int overlapped(const pg_overlap *o, pg_ctx *x, pg_clock *now, int64_t i, int64_t *start, int64_t *end)
{
    int64_t tests = 0;
    *start = now();
    int rc = o->post(x);
    int64_t posted = now(), computed = posted;
    if (rc == MPI_SUCCESS) {
        rc = compute_and_test(o, x, now, &tests);
        computed = now();
        rc = pg_first(rc, MPI_Wait(&x->request, MPI_STATUS_IGNORE));
    }
    *end = now();
    o->part[PG_POST][i] = posted - *start;
    o->part[PG_TESTS][i] = tests;
    o->part[PG_WAIT][i] = *end - computed;
    o->part[PG_OVERHEAD][i] = posted - *start + tests + *end - computed;
    o->part[PG_OVERALL][i] = *end - *start;
    o->part[PG_EXCESS][i] = o->steps > 0 ? *end - *start - o->alone : o->part[PG_OVERHEAD][i];
    return rc;
}

int pg_overlap_once(const pg_overlap *o, const pg_loop *l)
{
    int64_t start, end;
    return (o->beside == PG_COMPUTING ? overlapped : alone)(o, l->x, l->time->now, 0, &start, &end);
}

int pg_measure_overlap(const pg_overlap *o, const pg_sync *s, pg_loop *l, int64_t most)
{
    int (*once)(const pg_overlap *, pg_ctx *, pg_clock *, int64_t, int64_t *, int64_t *) = o->beside == PG_COMPUTING ? overlapped : alone;
    pg_clock *now = l->time->now;
    pg_ctx *x = l->x;

    l->flags = 0;
    int failed = pg_force(x);
    if (s->begin)
        failed = pg_first(failed, s->begin(l));
    for (l->n = 0; l->n < most; l->n++) {
        l->touch(l);
        int entered = s->enter(l);
        if (entered == PG_STOP)
            break;
        int rc = once(o, x, now, l->n, &l->start[l->n], &l->end[l->n]);
        l->flags_of[l->n] = (unsigned char)l->flags;
        failed = pg_first(failed, pg_first(rc, entered));
    }
    failed = pg_first(failed, pg_unforce(x));
    if (s->judge)
        s->judge(l);
    return failed;
}

int pg_collect_overlap(const pg_overlap *o, pg_loop *l, const pg_sync *s, unsigned char *flags)
{
    int rc = MPI_SUCCESS;
    for (int i = 0; i < PG_PARTS && rc == MPI_SUCCESS; i++)
        rc = pg_combine(l->x, o->part[i], o->part[i], l->n, pg_most_of);
    if (l->x->rank == 0)
        memset(flags, 0, (size_t)l->n);
    if (rc == MPI_SUCCESS && s->global)
        rc = pg_reduce_flags(l, flags);
    return rc;
}
