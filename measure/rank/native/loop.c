#include "algorithms.h"
#include "exchange.h"
#include "loop.h"

#include <string.h>

const pg_sync *pg_sync_at(int i)
{
    static const pg_sync *const syncs[] = {&pg_sync_barrier, &pg_sync_double_barrier, &pg_sync_dissemination,
                                           &pg_sync_window, &pg_sync_window_auto, &pg_sync_round_time};
    return (size_t)i < sizeof syncs / sizeof *syncs ? syncs[i] : NULL;
}

int pg_measure(const pg_function *f, const pg_sync *s, pg_loop *l, int64_t most)
{
    pg_clock *now = l->time->now;
    int (*enter)(pg_loop *) = s->enter;
    void (*touch)(pg_loop *) = l->touch;
    const pg_function *g = l->other != NULL ? l->other : f;
    int (*const runs[])(pg_ctx *) = {f->run, g->run};
    pg_ctx *const of[] = {l->x, l->other != NULL ? l->other_x : l->x};
    int64_t *starts = l->start, *ends = l->end;
    pg_counters *counters = l->counters;

    l->flags = 0;
    int failed = MPI_SUCCESS;
    if (l->other == NULL)
        failed = pg_force(l->x);
    if (s->begin)
        failed = pg_first(failed, s->begin(l));
    pg_usage before = pg_usage_now();
    for (l->n = 0; l->n < most; l->n++) {
        int (*run)(pg_ctx *) = runs[l->n & 1];
        pg_ctx *x = of[l->n & 1];
        if (l->other != NULL)
            failed = pg_first(failed, pg_force(x));
        touch(l);
        if (counters != NULL)
            pg_counters_before(counters);
        int entered = enter(l);
        if (entered == PG_STOP)
            break;
        int64_t start = now();
        int rc = run(x);
        int64_t end = now();
        if (counters != NULL)
            pg_counters_after(counters, l->n);
        if (l->other != NULL)
            failed = pg_first(failed, pg_unforce(x));
        starts[l->n] = start;
        ends[l->n] = end;
        l->flags_of[l->n] = (unsigned char)l->flags;
        failed = pg_first(failed, pg_first(rc, entered));
    }
    l->usage = pg_usage_since(before);
    if (l->other == NULL)
        failed = pg_first(failed, pg_unforce(l->x));
    if (s->judge)
        s->judge(l);
    return failed;
}

/* The flags of a repetition are a byte; after the last ones comes a guard. */
int pg_reduce_flags(pg_loop *l, unsigned char *flags)
{
    return pg_combine(l->x, (int64_t *)l->flags_of, (int64_t *)flags, (l->n + 7) / 8, pg_union_of);
}

int pg_collect(pg_loop *l, const pg_sync *s, int global, int64_t *ns, unsigned char *flags)
{
    const pg_model *m = &l->time->model;
    int n = (int)l->n, root = l->x->rank == 0, rc;

    for (int i = 0; i < n; i++) {
        l->end[i] = global ? pg_global(m, l->end[i]) : l->end[i] - l->start[i];
        l->start[i] = global ? pg_global(m, l->start[i]) : 0;
    }
    rc = pg_combine(l->x, l->end, ns, n, pg_most_of);
    if (rc == MPI_SUCCESS && global) {
        rc = pg_combine(l->x, l->start, l->start, n, pg_least_of);
        for (int i = 0; root && i < n; i++)
            ns[i] -= l->start[i];
    }
    if (root)
        memset(flags, 0, (size_t)n);
    if (rc == MPI_SUCCESS && s->global)
        rc = pg_reduce_flags(l, flags);
    return rc;
}

int pg_gather_durations(pg_ctx *x, const int64_t *mine, int n, int64_t *all)
{
    return pg_bring(x, mine, n * (int64_t)sizeof *mine, all);
}

int pg_provable(const pg_function *f, pg_loop *l, int64_t n, int64_t *ns)
{
    pg_clock *now = l->time->now;
    int failed = pg_force(l->x);
    for (int64_t i = 0; i < n && failed == MPI_SUCCESS; i++) {
        l->touch(l);
        int64_t start = now();
        int before = MPI_Barrier(l->x->own);
        int rc = f->run(l->x);
        int after = MPI_Barrier(l->x->own);
        l->end[i] = now() - start;
        failed = pg_first(rc, pg_first(before, after));
    }
    failed = pg_first(failed, pg_unforce(l->x));
    if (failed != MPI_SUCCESS)
        return failed;
    return pg_combine(l->x, l->end, ns, n, pg_least_of);
}
