/* Round-Time (S. Hunold, A. Carpen-Amarie: Hierarchical Clock Synchronization in
 * MPI, CLUSTER 2018): rank 0 gives every repetition a start of its own, a little
 * ahead of now, until enough were valid or the time slice is over. One that was
 * late spoils no other, unlike in a window scheme.
 *
 * How far ahead follows what happens: twice as far after a late repetition, a
 * sixteenth less after one in time. It has an upper bound, as a rank that has
 * lost its core is late however long the others wait, and waiting ranks are the
 * next to lose theirs. */
#include "loop.h"

enum { PROBES = 10, LEAST_EXCHANGES = 2, MOST_EXCHANGES = 32 };

static const int64_t over = INT64_MAX;

static int begin(pg_loop *l)
{
    int rc = MPI_SUCCESS;
    int64_t nothing = 0, least = INT64_MAX;
    for (int i = 0; i < PROBES && rc == MPI_SUCCESS; i++) {
        int64_t before = l->time->now();
        rc = pg_all_max(l->x, &nothing);
        int64_t took = l->time->now() - before;
        if (took < least)
            least = took;
    }
    /* To read the clock and to set off takes time even where nothing is exchanged. */
    l->least = LEAST_EXCHANGES * least + 200;
    l->most = MOST_EXCHANGES * least + 200;
    l->ahead = 2 * l->least;
    l->valid = 0;
    l->deadline = pg_global_now(l) + l->slice;
    return rc;
}

static void adapt(pg_loop *l, int late)
{
    l->valid += !late;
    l->ahead = late ? 2 * l->ahead : l->ahead - l->ahead / 16;
    if (l->ahead < l->least)
        l->ahead = l->least;
    if (l->ahead > l->most)
        l->ahead = l->most;
}

static int enter(pg_loop *l)
{
    /* What rank 0 must know of the repetition before; no rank is still in it. */
    int64_t late = l->flags;
    int rc = pg_all_max(l->x, &late);
    if (l->n > 0)
        adapt(l, late != 0);
    l->at = INT64_MIN;
    if (l->x->rank == 0) {
        int64_t now = pg_global_now(l);
        int done = l->n > 0 && (l->valid >= l->want || now >= l->deadline);
        l->at = done ? over : now + l->ahead;
    }
    if (rc == MPI_SUCCESS)
        rc = pg_all_max(l->x, &l->at);
    if (l->at == over)
        return PG_STOP;
    pg_wait(l);
    return rc;
}

const pg_sync pg_sync_round_time = {.name = "round_time", .global = 1, .slices = 1, .begin = begin, .enter = enter};
