/* The collectives with neighbors, on a periodic ring (MPI 4.0, 8.6), each followed by the call that
 * it is to beat: the same messages, one by one. Blocks are first of the rank below, then of the rank
 * above. */
#include "variants.h"

static int make_ring(pg_ctx *x)
{
    return MPI_Cart_create(x->comm, 1, (int[]){x->size}, (int[]){1}, 0, &x->ring);
}

static void release(pg_ctx *x)
{
    MPI_Comm_free(&x->ring);
    pg_release(x);
}

static int allgather(pg_ctx *x)
{
    int n = (int)x->count;
    return MPI_Neighbor_allgather(x->send, n, x->type, x->recv, n, x->type, x->ring);
}

static int alltoall(pg_ctx *x)
{
    int n = (int)x->count;
    return MPI_Neighbor_alltoall(x->send, n, x->type, x->recv, n, x->type, x->ring);
}

/* The tag says in which direction a message goes: both neighbors may be the same rank. */
static int exchange(pg_ctx *x, const void *down, const void *up)
{
    enum { DOWN = 2, UP = 3 };
    int n = (int)x->count, below = (x->rank + x->size - 1) % x->size, above = (x->rank + 1) % x->size;
    MPI_Request r[4];
    int err = MPI_Irecv(x->recv, n, x->type, below, UP, x->comm, &r[0]);
    if (err == MPI_SUCCESS)
        err = MPI_Irecv(pg_at(x, x->recv, n), n, x->type, above, DOWN, x->comm, &r[1]);
    if (err == MPI_SUCCESS)
        err = MPI_Isend(down, n, x->type, below, DOWN, x->comm, &r[2]);
    if (err == MPI_SUCCESS)
        err = MPI_Isend(up, n, x->type, above, UP, x->comm, &r[3]);
    return err == MPI_SUCCESS ? pg_wait_all(4, r) : err;
}

static int allgather_by_messages(pg_ctx *x) { return exchange(x, x->send, x->send); }
static int alltoall_by_messages(pg_ctx *x) { return exchange(x, x->send, pg_at(x, x->send, x->count)); }

const pg_function pg_neighbors[] = {
    {"MPI_Neighbor_allgather", make_ring, allgather, release},
    {"MPI_Neighbor_alltoall", make_ring, alltoall, release},
    {"MPI_Neighbor_allgather/isend+irecv", pg_prepare_nothing, allgather_by_messages, pg_release},
    {"MPI_Neighbor_alltoall/isend+irecv", pg_prepare_nothing, alltoall_by_messages, pg_release},
    {NULL},
};
