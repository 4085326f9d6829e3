/* Rings: in each round every process sends one part to the next and gets one from the one before.
 * Thakur 2005 (Allgather, Allreduce); van de Geijn 1994 (Bcast by Scatter and Allgather). */
#include "textbook.h"

/* Hands parts around until each process has all; a process begins with part `own`, which is also at `first`. Of the
 * parts counts and displs say where they are. */
static int hand_around(const pg_ctx *x, void *all, int own, const void *first)
{
    int next = (x->rank + 1) % x->size, before = (x->rank + x->size - 1) % x->size, err = MPI_SUCCESS;
    for (int k = 1; k < x->size && err == MPI_SUCCESS; k++) {
        int out = own, n = x->counts[out];
        own = (own + x->size - 1) % x->size;
        void *in = pg_piece(x, all, x->displs[own], x->counts[own]);
        const void *piece = k == 1 ? first : pg_piece(x, all, x->displs[out], n);
        err = pg_exchange(x, piece, n, next, in, x->counts[own], before);
    }
    return err;
}

static void *own_part(const pg_ctx *x, int part) { return pg_piece(x, x->recv, x->displs[part], x->counts[part]); }

static int allgather(pg_ctx *x)
{
    pg_copy(x, pg_at(x, x->recv, x->rank * x->count), x->send, x->count);
    return hand_around(x, x->recv, x->rank, x->send); /* what was just written is slow to read for others */
}

static int prepare_allreduce(pg_ctx *x)
{
    int err = pg_prepare_no_order(x);
    return err == MPI_SUCCESS ? pg_unequal_parts(x) : err;
}

/* A part is reduced on its way, and is whole at the process before the one where it began. */
static int allreduce(pg_ctx *x)
{
    int next = (x->rank + 1) % x->size, before = (x->rank + x->size - 1) % x->size, part = x->rank, err = MPI_SUCCESS;
    const void *from = x->send;
    for (int k = 1; k < x->size && err == MPI_SUCCESS; k++, from = x->recv) {
        int out = part, n = x->counts[out];
        part = (part + x->size - 1) % x->size;
        int64_t at = x->displs[part], n_in = x->counts[part];
        void *in = pg_piece(x, x->recv, at, n_in);
        err = pg_exchange(x, pg_piece(x, from, x->displs[out], n), n, next, in, n_in, before);
        if (err == MPI_SUCCESS)
            err = pg_local(x, pg_piece(x, x->send, at, n_in), in, n_in);
    }
    if (x->size == 1)
        pg_copy(x, x->recv, x->send, x->count);
    return err == MPI_SUCCESS ? hand_around(x, x->recv, part, own_part(x, part)) : err;
}

/* The parts of a place and those after it, of which there may be fewer. */
static void *parts(const pg_ctx *x, int place, int places, int64_t *n)
{
    int64_t begin = x->displs[place], end = place + places < x->size ? x->displs[place + places] : x->count;
    *n = end - begin;
    return pg_piece(x, x->recv, begin, *n);
}

/* A binomial tree: each place gets the parts of all that it serves. */
static int scatter_parts(const pg_ctx *x, int me)
{
    int bit = 1, err = MPI_SUCCESS;
    int64_t n;
    while (bit < x->size && (me & bit) == 0)
        bit <<= 1;
    if (me > 0) {
        void *in = parts(x, me, bit, &n);
        err = pg_get(x, in, n, (me - bit + x->root) % x->size);
    }
    for (bit >>= 1; bit > 0 && err == MPI_SUCCESS; bit >>= 1) {
        if (me + bit >= x->size)
            continue;
        void *out = parts(x, me + bit, bit, &n);
        err = pg_give(x, out, n, (me + bit + x->root) % x->size);
    }
    return err;
}

static int bcast(pg_ctx *x)
{
    int me = (x->rank - x->root + x->size) % x->size;
    int err = scatter_parts(x, me);
    return err == MPI_SUCCESS ? hand_around(x, x->recv, me, own_part(x, me)) : err;
}

const pg_function pg_ring[] = {
    {"allgather_as_textbook@ring", pg_equal_parts, allgather, pg_release},
    {"allreduce_as_textbook@ring", prepare_allreduce, allreduce, pg_release},
    {"bcast_as_textbook@scatter+ring", pg_unequal_parts, bcast, pg_release},
    {NULL},
};
