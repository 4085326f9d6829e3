//go:build cgo && wrongmockups

/* Mock-ups made wrong on purpose, one for each way that must be
 * caught. Only tests build them, with the tag wrongmockups. */
#include "rows.h"

#include <string.h>

void pg_make_wrong(pg_function *table, int n);

/* Right ones that some of the wrong ones spoil. */
static int (*right_reduce)(pg_ctx *), (*right_scatter)(pg_ctx *), (*right_reduce_scatter)(pg_ctx *), (*right_start)(pg_ctx *),
    (*right_gatherv)(pg_ctx *), (*right_bcast)(pg_ctx *);

/* Every block one place too far. With one process that is the right place, so
 * the first byte is made wrong as well. */
static int wrong_block(pg_ctx *x)
{
    int n = (int)x->count;
    int err = MPI_Allgather(x->send, n, x->type, x->temp[0], n, x->type, x->comm);
    if (err != MPI_SUCCESS || x->rank != x->root || n == 0)
        return err;
    for (int i = 0; i < x->size; i++)
        pg_copy(x, pg_at(x, x->recv, (i + 1) % x->size * x->count), pg_at(x, x->temp[0], i * x->count),
                x->count);
    *(unsigned char *)x->recv ^= 0xff;
    return MPI_SUCCESS;
}

/* For a Barrier: it waits for nobody. */
static int nothing_written(pg_ctx *x)
{
    (void)x;
    return MPI_SUCCESS;
}

/* Counting up instead of setting the byte: it changes whatever it was. */
static int byte_behind_recv(pg_ctx *x)
{
    int err = right_reduce(x);
    if (x->rank == x->root)
        ++*(unsigned char *)pg_at(x, x->recv, x->count);
    return err;
}

static int send_spoiled(pg_ctx *x)
{
    int err = right_scatter(x);
    if (x->rank == x->root && x->count > 0)
        ++*(unsigned char *)x->send;
    return err;
}

static int byte_behind_temp(pg_ctx *x)
{
    int err = right_reduce_scatter(x);
    *(unsigned char *)pg_at(x, x->temp[0], x->size * x->count) = 0;
    return err;
}

/* Own block op prefix: right for every operator that commutes. */
static int wrong_order(pg_ctx *x)
{
    int n = (int)x->count;
    void *prefix = x->rank == 0 ? x->recv : x->temp[0];
    int err = MPI_Exscan(x->send, prefix, n, x->type, x->op, x->comm);
    if (err != MPI_SUCCESS || x->rank == 0) {
        pg_copy(x, x->recv, x->send, x->count);
        return err;
    }
    err = MPI_Reduce_local(x->send, prefix, n, x->type, x->op);
    pg_copy(x, x->recv, prefix, x->count);
    return err;
}

/* Gives what its first start has given, whatever the data are now. */
static int stale_start(pg_ctx *x)
{
    enum { MOST = 1024 };
    static char first[MOST];
    static MPI_Request of;
    int64_t bytes = x->count * x->extent;
    if (bytes > MOST)
        return right_start(x);
    if (of == x->request) {
        memcpy(x->recv, first, (size_t)bytes);
        return MPI_SUCCESS;
    }
    of = x->request;
    int err = right_start(x);
    memcpy(first, x->recv, (size_t)bytes);
    return err;
}

/* The last part begins where it would with equal counts, or, if it does not fit there, at the start. */
static int last_part_moved(pg_ctx *x)
{
    int *last = &x->displs[x->size - 1], right = *last;
    *last = (x->size - 1) * (int)x->count;
    if (*last + x->counts[x->size - 1] > x->size * x->count)
        *last = 0;
    int err = right_gatherv(x);
    *last = right;
    return err;
}

/* In a datatype of vectors the last element of a block is one of a gap. */
static int byte_in_gap(pg_ctx *x)
{
    int err = right_bcast(x);
    if (x->rank != x->root)
        ++*(unsigned char *)pg_at(x, x->recv, 2 * x->count - 1);
    return err;
}

/* Swaps what comes from above and from below. */
static int neighbors_swapped(pg_ctx *x)
{
    int n = (int)x->count, below = (x->rank + x->size - 1) % x->size, above = (x->rank + 1) % x->size;
    void *first = x->recv, *second = pg_at(x, x->recv, n);
    int err = MPI_Sendrecv(x->send, n, x->type, below, 0, first, n, x->type, above, 0, x->comm, MPI_STATUS_IGNORE);
    if (err != MPI_SUCCESS)
        return err;
    return MPI_Sendrecv(pg_at(x, x->send, n), n, x->type, above, 0, second, n, x->type, below, 0, x->comm,
                        MPI_STATUS_IGNORE);
}

/* The last rank takes an element more than the Go table gives. */
static int prepare_too_much(pg_ctx *x)
{
    return pg_temp(x, 0, pg_part(x) * x->size + (x->rank == x->size - 1));
}

static void replace(pg_function *f)
{
    if (strcmp(f->id, "gather_as_allgather") == 0) {
        f->prepare = pg_prepare_vector;
        f->run = wrong_block;
    } else if (strcmp(f->id, "allgather_as_alltoall") == 0) {
        f->run = nothing_written;
    } else if (strcmp(f->id, "barrier_as_allreduce") == 0 || strcmp(f->id, "MPI_Scatterv/lopsided/padded") == 0) {
        f->run = nothing_written;
    } else if (strcmp(f->id, "reduce_as_allreduce") == 0) {
        right_reduce = f->run;
        f->run = byte_behind_recv;
    } else if (strcmp(f->id, "scatter_as_bcast") == 0) {
        right_scatter = f->run;
        f->run = send_spoiled;
    } else if (strcmp(f->id, "reduce_scatter_as_allreduce") == 0) {
        right_reduce_scatter = f->run;
        f->run = byte_behind_temp;
    } else if (strcmp(f->id, "scan_as_exscan+reduce_local") == 0) {
        f->run = wrong_order;
    } else if (strcmp(f->id, "bcast_as_scatter+allgather") == 0) {
        f->prepare = prepare_too_much;
    } else if (strcmp(f->id, "MPI_Iallgather") == 0 || strcmp(f->id, "MPI_Scan/in_place") == 0) {
        f->run = nothing_written;
    } else if (strcmp(f->id, "MPI_Gatherv/linear") == 0) {
        right_gatherv = f->run;
        f->run = last_part_moved;
    } else if (strcmp(f->id, "MPI_Bcast/vector") == 0) {
        right_bcast = f->run;
        f->run = byte_in_gap;
    } else if (strcmp(f->id, "MPI_Neighbor_alltoall") == 0) {
        f->run = neighbors_swapped;
    } else if (strcmp(f->id, "MPI_Allreduce_init") == 0) {
        right_start = f->run;
        f->run = stale_start;
    }
}

void pg_make_wrong(pg_function *table, int n)
{
    for (int i = 0; i < n; i++)
        replace(&table[i]);
}
