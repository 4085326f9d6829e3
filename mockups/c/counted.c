/* Collectives with counts by a rule are compared with these calls: other collectives with the same
 * counts, regular ones on parts padded to the largest, and messages. The rank program sets counts
 * and displacements (irregular.c). */
#include "variants.h"

#include <stdlib.h>

static int is_root(const pg_ctx *x) { return x->rank == x->root; }
static int prepare_all(pg_ctx *x) { return pg_prepare_vector(x); }
static int prepare_all_at_0(pg_ctx *x) { return x->rank == 0 ? pg_prepare_vector(x) : MPI_SUCCESS; }

static int allgatherv_by_gatherv(pg_ctx *x)
{
    int err = MPI_Gatherv(x->send, x->counts[x->rank], x->type, x->recv, x->counts, x->displs, x->type, 0, x->comm);
    return err == MPI_SUCCESS ? MPI_Bcast(x->recv, x->size * (int)x->count, x->type, 0, x->comm) : err;
}

/* Each rank's part is all that it sends, to every rank. */
static int prepare_alltoallv(pg_ctx *x)
{
    for (int i = 0; i < x->size; i++) {
        x->lists->from_counts[i] = x->counts[x->rank];
        x->lists->from_displs[i] = 0;
    }
    return MPI_SUCCESS;
}

static int allgatherv_by_alltoallv(pg_ctx *x)
{
    const pg_lists *l = x->lists;
    return MPI_Alltoallv(x->send, l->from_counts, l->from_displs, x->type, x->recv, x->counts, x->displs, x->type,
                         x->comm);
}

/* In Gatherv and Scatterv the root alone knows the counts. All are told a copy, and use what the rank
 * program has set: a Bcast that is wrong spoils no memory. */
static int prepare_telling(pg_ctx *x)
{
    memcpy(x->lists->from_counts, x->counts, sizeof *x->counts * (size_t)x->size);
    return is_root(x) ? MPI_SUCCESS : pg_prepare_vector(x);
}

static int tell_counts(pg_ctx *x)
{
    return MPI_Bcast(x->lists->from_counts, x->size, MPI_INT, x->root, x->comm);
}

static int gatherv_by_allgatherv(pg_ctx *x)
{
    int err = tell_counts(x);
    if (err != MPI_SUCCESS)
        return err;
    return MPI_Allgatherv(x->send, x->counts[x->rank], x->type, is_root(x) ? x->recv : x->temp[0], x->counts, x->displs,
                          x->type, x->comm);
}

static void take_own_part(const pg_ctx *x, const void *all)
{
    pg_copy(x, x->recv, pg_at(x, all, x->displs[x->rank]), x->counts[x->rank]);
}

static int scatterv_by_bcast(pg_ctx *x)
{
    void *all = is_root(x) ? x->send : x->temp[0];
    int err = tell_counts(x);
    if (err == MPI_SUCCESS)
        err = MPI_Bcast(all, x->size * (int)x->count, x->type, x->root, x->comm);
    take_own_part(x, all);
    return err;
}

static int reduce_scatter_by_allreduce(pg_ctx *x)
{
    int err = MPI_Allreduce(x->send, x->temp[0], x->size * (int)x->count, x->type, x->op, x->comm);
    take_own_part(x, x->temp[0]);
    return err;
}

static int reduce_scatter_by_reduce(pg_ctx *x)
{
    int err = MPI_Reduce(x->send, x->temp[0], x->size * (int)x->count, x->type, x->op, 0, x->comm);
    if (err != MPI_SUCCESS)
        return err;
    return MPI_Scatterv(x->temp[0], x->counts, x->displs, x->type, x->recv, x->counts[x->rank], x->type, 0, x->comm);
}

/* Padded: every part has as many elements as the largest. Equal parts need no padding. */

static int largest(const pg_ctx *x, const int *counts)
{
    int most = 0;
    for (int i = 0; i < x->size; i++)
        most = counts[i] > most ? counts[i] : most;
    return most;
}

static int is_even(const pg_ctx *x, const int *counts, int most)
{
    for (int i = 0; i < x->size; i++)
        if (counts[i] != most)
            return 0;
    return 1;
}

/* Each rank knows some parts, and all are told the largest; used is what prepare has found, as in
 * tell_counts. */
static int agree(const pg_ctx *x, int known, int *most)
{
    int told;
    *most = (int)x->lists->long_counts[0];
    return MPI_Allreduce(&known, &told, 1, MPI_INT, MPI_MAX, x->comm);
}

static void pad(const pg_ctx *x, void *padded, const void *from, const int *counts, const int *displs, int most)
{
    for (int i = 0; i < x->size; i++)
        pg_copy(x, pg_at(x, padded, (int64_t)i * most), pg_at(x, from, displs[i]), counts[i]);
}

static void unpad(const pg_ctx *x, void *to, const void *padded, const int *counts, const int *displs, int most)
{
    for (int i = 0; i < x->size; i++)
        pg_copy(x, pg_at(x, to, displs[i]), pg_at(x, padded, (int64_t)i * most), counts[i]);
}

/* Room for one padded part, and for a vector of them where `vectors` is 1, or 2 of these. */
static int room(pg_ctx *x, int part, int vectors)
{
    int64_t most = x->lists->long_counts[0] = largest(x, x->counts);
    if (is_even(x, x->counts, (int)most))
        return MPI_SUCCESS;
    int err = part ? pg_temp(x, 0, most) : MPI_SUCCESS;
    for (int i = 1; i <= vectors && err == MPI_SUCCESS; i++)
        err = pg_temp(x, i, x->size * most);
    return err;
}

static int room_at_root(pg_ctx *x) { return room(x, 1, is_root(x)); }
static int room_everywhere(pg_ctx *x) { return room(x, 1, 1); }

/* Alltoallv's largest part is another at each rank. */
static int room_alltoallv(pg_ctx *x)
{
    pg_lists *l = x->lists;
    int least[3] = {-largest(x, x->counts), 0, 0}; /* the largest that is sent is received */
    int err = pg_least(x->comm, x->rank, x->size, least), most = -least[0];
    l->long_counts[0] = most;
    for (int i = 1; i <= 2 && err == MPI_SUCCESS; i++)
        if (!is_even(x, i == 1 ? x->counts : l->from_counts, most))
            err = pg_temp(x, i, (int64_t)x->size * most);
    return err;
}

/* This rank's part, padded if it is shorter. */
static const void *padded_part(const pg_ctx *x, int most)
{
    int own = x->counts[x->rank];
    if (own == most)
        return x->send;
    pg_copy(x, x->temp[0], x->send, own);
    return x->temp[0];
}

static int padded_gatherv(pg_ctx *x)
{
    int most, err = agree(x, x->counts[x->rank], &most);
    if (err != MPI_SUCCESS)
        return err;
    int direct = !is_root(x) || is_even(x, x->counts, most);
    void *all = direct ? x->recv : x->temp[1];
    err = MPI_Gather(padded_part(x, most), most, x->type, all, most, x->type, x->root, x->comm);
    if (!direct)
        unpad(x, x->recv, all, x->counts, x->displs, most);
    return err;
}

static int padded_scatterv(pg_ctx *x)
{
    int own = x->counts[x->rank], most, err = agree(x, own, &most);
    if (err != MPI_SUCCESS)
        return err;
    void *all = x->send, *mine = own == most ? x->recv : x->temp[0];
    if (is_root(x) && !is_even(x, x->counts, most)) {
        all = x->temp[1];
        pad(x, all, x->send, x->counts, x->displs, most);
    }
    err = MPI_Scatter(all, most, x->type, mine, most, x->type, x->root, x->comm);
    if (own != most)
        pg_copy(x, x->recv, mine, own);
    return err;
}

/* Every rank knows all counts. */
static int padded_allgatherv(pg_ctx *x)
{
    int most = largest(x, x->counts), direct = is_even(x, x->counts, most);
    void *all = direct ? x->recv : x->temp[1];
    int err = MPI_Allgather(padded_part(x, most), most, x->type, all, most, x->type, x->comm);
    if (!direct)
        unpad(x, x->recv, all, x->counts, x->displs, most);
    return err;
}

static int padded_alltoallv(pg_ctx *x)
{
    const pg_lists *l = x->lists;
    int most, err = agree(x, largest(x, x->counts), &most);
    if (err != MPI_SUCCESS)
        return err;
    void *to = x->send, *from = x->recv;
    if (!is_even(x, x->counts, most)) {
        to = x->temp[1];
        pad(x, to, x->send, x->counts, x->displs, most);
    }
    if (!is_even(x, l->from_counts, most))
        from = x->temp[2];
    err = MPI_Alltoall(to, most, x->type, from, most, x->type, x->comm);
    if (from != x->recv)
        unpad(x, x->recv, from, l->from_counts, l->from_displs, most);
    return err;
}

/* Messages to all: the slot of the requests is not the arena's. */
enum { REQUESTS = PG_TEMPS - 1, TO_ALL = 5 };

static int prepare_messages(pg_ctx *x)
{
    x->temp[REQUESTS] = malloc(2 * sizeof(MPI_Request) * (size_t)x->size);
    return x->temp[REQUESTS] == NULL ? MPI_ERR_NO_MEM : MPI_SUCCESS;
}

static void release_messages(pg_ctx *x)
{
    free(x->temp[REQUESTS]);
    pg_release(x);
}

/* Empty parts are not sent, and the rank's own part is copied. */
static int by_messages(pg_ctx *x)
{
    const pg_lists *l = x->lists;
    MPI_Request *r = x->temp[REQUESTS];
    int n = 0, err = MPI_SUCCESS;
    for (int i = 1; i < x->size && err == MPI_SUCCESS; i++) {
        int from = (x->rank + x->size - i) % x->size;
        if (l->from_counts[from] > 0)
            err = MPI_Irecv(pg_at(x, x->recv, l->from_displs[from]), l->from_counts[from], x->type, from, TO_ALL, x->comm,
                            &r[n++]);
    }
    for (int i = 1; i < x->size && err == MPI_SUCCESS; i++) {
        int to = (x->rank + i) % x->size;
        if (x->counts[to] > 0)
            err = MPI_Isend(pg_at(x, x->send, x->displs[to]), x->counts[to], x->type, to, TO_ALL, x->comm, &r[n++]);
    }
    pg_copy(x, pg_at(x, x->recv, l->from_displs[x->rank]), pg_at(x, x->send, x->displs[x->rank]), x->counts[x->rank]);
    return err == MPI_SUCCESS ? pg_wait_all(n, r) : err;
}

const pg_function pg_counted[] = {
    ALL_RULES("MPI_Allgatherv", "/gatherv+bcast", pg_prepare_nothing, allgatherv_by_gatherv, pg_release),
    ALL_RULES("MPI_Allgatherv", "/alltoallv", prepare_alltoallv, allgatherv_by_alltoallv, pg_release),
    ALL_RULES("MPI_Gatherv", "/bcast+allgatherv", prepare_telling, gatherv_by_allgatherv, pg_release),
    ALL_RULES("MPI_Scatterv", "/bcast+bcast", prepare_telling, scatterv_by_bcast, pg_release),
    RULES("MPI_Reduce_scatter", "/allreduce", prepare_all, reduce_scatter_by_allreduce, pg_release),
    RULES("MPI_Reduce_scatter", "/reduce+scatterv", prepare_all_at_0, reduce_scatter_by_reduce, pg_release),
    {"MPI_Gatherv/padded", room_at_root, padded_gatherv, pg_release},
    MILD_RULES("MPI_Gatherv", "/padded", room_at_root, padded_gatherv, pg_release),
    {"MPI_Scatterv/padded", room_at_root, padded_scatterv, pg_release},
    MILD_RULES("MPI_Scatterv", "/padded", room_at_root, padded_scatterv, pg_release),
    {"MPI_Allgatherv/padded", room_everywhere, padded_allgatherv, pg_release},
    MILD_RULES("MPI_Allgatherv", "/padded", room_everywhere, padded_allgatherv, pg_release),
    {"MPI_Alltoallv/padded", room_alltoallv, padded_alltoallv, pg_release},
    MILD_RULES("MPI_Alltoallv", "/padded", room_alltoallv, padded_alltoallv, pg_release),
    {"MPI_Alltoall/isend+irecv", prepare_messages, by_messages, release_messages},
    ALL_RULES("MPI_Alltoallv", "/isend+irecv", prepare_messages, by_messages, release_messages),
    {NULL},
};
