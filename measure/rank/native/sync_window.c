/* Windows on the global clock (S-REVISITED, Algorithms 8 to 10): repetition i of
 * a batch starts at first + i·window. The window is given (window), or found and
 * adjusted between batches by the Go side (window_auto). */
#include "loop.h"

/* Before the first start there is room for this many exchanges: rank 0's stamp
 * must reach all ranks in time. */
enum { ROOM = 10 };

static int begin(pg_loop *l)
{
    /* The first exchange brings the ranks together, the second is timed. */
    int64_t nothing = 0;
    int rc = pg_all_max(l->x, &nothing);
    int64_t before = pg_global_now(l);
    if (rc == MPI_SUCCESS)
        rc = pg_all_max(l->x, &nothing);
    int64_t now = pg_global_now(l), room = ROOM * (now - before);
    l->first = l->x->rank == 0 ? now + (room > l->window ? room : l->window) : INT64_MIN;
    if (rc == MPI_SUCCESS)
        rc = pg_all_max(l->x, &l->first);
    l->at = l->first - l->window;
    return rc;
}

static int enter(pg_loop *l)
{
    l->at += l->window;
    pg_wait(l);
    return MPI_SUCCESS;
}

static void judge(pg_loop *l)
{
    for (int64_t i = 0; i < l->n; i++) {
        if (pg_global(&l->time->model, l->end[i]) > l->first + (i + 1) * l->window)
            l->flags_of[i] |= PG_LONG;
    }
}

const pg_sync pg_sync_window = {
    .name = "window", .global = 1, .windows = 1, .begin = begin, .enter = enter, .judge = judge};
const pg_sync pg_sync_window_auto = {
    .name = "window_auto", .global = 1, .windows = 1, .grows = 1, .begin = begin, .enter = enter, .judge = judge};
