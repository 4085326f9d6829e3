/* MPI_Reduce for large vectors, after the case study of the PGMPI paper (section 5.3): a
 * ring of processes reduces the parts of the vector, and each sends its part to the root.
 * What it needs beside the caller's buffers is taken before the calls, not in them. */
#include "mockups.h"

#include <stdlib.h>

enum { TAG = 53 };

/* Enough for the root's receives in every case. */
static MPI_Request *requests;

/* Cuts the block into a part for each process, and takes room for what is reduced so far. A
 * ring does not keep the order of the ranks, so that the operator must commute. */
static int prepare(pg_ctx *x)
{
    int commutes, rc = MPI_Op_commutative(x->op, &commutes);
    if (rc != MPI_SUCCESS || !commutes)
        return rc != MPI_SUCCESS ? rc : MPI_ERR_OP;
    if (requests == NULL && (requests = malloc((size_t)x->size * sizeof *requests)) == NULL)
        return MPI_ERR_NO_MEM;
    int small = (int)(x->count / x->size), larger = (int)(x->count % x->size);
    for (int i = 0; i < x->size; i++) {
        x->counts[i] = small + (i < larger);
        x->displs[i] = i == 0 ? 0 : x->displs[i - 1] + x->counts[i - 1];
    }
    return pg_temp(x, 0, x->count);
}

static void *part(const pg_ctx *x, const void *block, int i) { return pg_at(x, block, x->displs[i]); }

/* Leaves the rank's own part of the result in temp[0]. */
static int reduce_on_ring(pg_ctx *x)
{
    int p = x->size, right = (x->rank + 1) % p, left = (x->rank + p - 1) % p;

    for (int step = 0; step < p - 1; step++) {
        int out = (x->rank + 2 * p - step - 1) % p, in = (out + p - 1) % p;
        int rc = MPI_Sendrecv(part(x, step == 0 ? x->send : x->temp[0], out), x->counts[out], x->type, right, TAG,
                              part(x, x->temp[0], in), x->counts[in], x->type, left, TAG, x->comm, MPI_STATUS_IGNORE);
        if (rc == MPI_SUCCESS)
            rc = MPI_Reduce_local(part(x, x->send, in), part(x, x->temp[0], in), x->counts[in], x->type, x->op);
        if (rc != MPI_SUCCESS)
            return rc;
    }
    return MPI_SUCCESS;
}

static int run(pg_ctx *x)
{
    const void *own = x->size > 1 ? x->temp[0] : x->send;
    int n = 0, rc = reduce_on_ring(x);

    if (rc != MPI_SUCCESS)
        return rc;
    if (x->rank != x->root)
        return MPI_Send(part(x, own, x->rank), x->counts[x->rank], x->type, x->root, TAG, x->comm);
    for (int i = 0; i < x->size && rc == MPI_SUCCESS; i++)
        if (i != x->root)
            rc = MPI_Irecv(part(x, x->recv, i), x->counts[i], x->type, i, TAG, x->comm, &requests[n++]);
    pg_copy(x, part(x, x->recv, x->root), part(x, own, x->root), x->counts[x->root]);
    return rc == MPI_SUCCESS ? MPI_Waitall(n, requests, MPI_STATUSES_IGNORE) : rc;
}

static const pg_mockup rows[] = {
    {{"reduce_as_ring", prepare, run, pg_release}, {.one = 1}},
};
PGMPI_PLUGIN(rows);
