/* The rank program's own collective messages, of Send and Recv alone: a collective that is wrong
 * is to be found by its own cases, and not to spoil what the ranks say to each other. Trees are
 * binomial, with rank 0 at their root. */
#include "exchange.h"

#include <stdlib.h>
#include <string.h>

enum { TAG = 5 };

static int send_to(pg_ctx *x, int to, const void *data, int64_t bytes)
{
    return MPI_Send(data, (int)bytes, MPI_BYTE, to, TAG, x->own);
}

static int take_from(pg_ctx *x, int from, void *data, int64_t bytes)
{
    return MPI_Recv(data, (int)bytes, MPI_BYTE, from, TAG, x->own, MPI_STATUS_IGNORE);
}

int pg_share(pg_ctx *x, void *data, int bytes, int root)
{
    int at = (x->rank - root + x->size) % x->size, step = 1, rc = MPI_SUCCESS;
    while (step < x->size && (at & step) == 0)
        step *= 2;
    if (at != 0)
        rc = take_from(x, (at - step + root) % x->size, data, bytes);
    while ((step /= 2) > 0 && rc == MPI_SUCCESS)
        if (at + step < x->size)
            rc = send_to(x, (at + step + root) % x->size, data, bytes);
    return rc;
}

/* Ranks of a part of the tree that begins with one of them. */
static int64_t below(const pg_ctx *x, int first, int most) { return first + most < x->size ? most : x->size - first; }

/* The blocks of this rank and of those below it in the tree. */
static int gather(pg_ctx *x, int64_t bytes, char *all)
{
    int rc = MPI_SUCCESS, step = 1;
    for (; step < x->size && (x->rank & step) == 0 && rc == MPI_SUCCESS; step *= 2) {
        int from = x->rank + step;
        if (from < x->size)
            rc = take_from(x, from, all + step * bytes, below(x, from, step) * bytes);
    }
    return x->rank == 0 || rc != MPI_SUCCESS ? rc : send_to(x, x->rank - step, all, below(x, x->rank, step) * bytes);
}

int pg_bring(pg_ctx *x, const void *mine, int64_t bytes, void *all)
{
    char *room = x->rank == 0 ? all : malloc((size_t)(bytes * (x->rank & -x->rank)));
    if (room == NULL)
        return MPI_ERR_NO_MEM;
    memcpy(room, mine, (size_t)bytes);
    int rc = gather(x, bytes, room);
    if (room != all)
        free(room);
    return rc;
}

int pg_combine(pg_ctx *x, const int64_t *mine, int64_t *all, int64_t n, int64_t (*combine)(int64_t, int64_t))
{
    int64_t *sum = malloc((size_t)(2 * n) * sizeof *sum), *more = sum + n;
    if (sum == NULL)
        return MPI_ERR_NO_MEM;
    memcpy(sum, mine, (size_t)n * sizeof *sum);
    int rc = MPI_SUCCESS, step = 1;
    for (; step < x->size && (x->rank & step) == 0 && rc == MPI_SUCCESS; step *= 2) {
        if (x->rank + step >= x->size)
            continue;
        rc = take_from(x, x->rank + step, more, n * (int64_t)sizeof *more);
        for (int64_t i = 0; i < n; i++)
            sum[i] = combine(sum[i], more[i]);
    }
    if (x->rank == 0)
        memcpy(all, sum, (size_t)n * sizeof *all);
    else if (rc == MPI_SUCCESS)
        rc = send_to(x, x->rank - step, sum, n * (int64_t)sizeof *sum);
    free(sum);
    return rc;
}

int pg_all_gather(pg_ctx *x, const void *mine, int bytes, void *all)
{
    int rc = pg_bring(x, mine, bytes, all);
    return rc == MPI_SUCCESS ? pg_share(x, all, bytes * x->size, 0) : rc;
}

int pg_texts(pg_ctx *x, const void *mine, int length, void *all, const int *lengths, const int *displs)
{
    if (x->rank != 0)
        return send_to(x, 0, mine, length);
    memcpy((char *)all + displs[0], mine, (size_t)length);
    int rc = MPI_SUCCESS;
    for (int i = 1; i < x->size && rc == MPI_SUCCESS; i++)
        rc = take_from(x, i, (char *)all + displs[i], lengths[i]);
    return rc;
}

int64_t pg_most_of(int64_t a, int64_t b) { return a > b ? a : b; }
int64_t pg_least_of(int64_t a, int64_t b) { return a < b ? a : b; }
int64_t pg_sum_of(int64_t a, int64_t b) { return (int64_t)((uint64_t)a + (uint64_t)b); } /* patterns overflow */
int64_t pg_union_of(int64_t a, int64_t b) { return a | b; }
