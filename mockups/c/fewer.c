/* The call on q of p processes, the first ones: all but one, or the largest power of two below p. Messages serve each
 * other process from the one q below. They find calls that are slow on p processes alone. */
#include "textbook.h"

static int all_but_one(const pg_ctx *x) { return x->size - 1; }

static int power_of_two(const pg_ctx *x)
{
    int q = 1;
    while (2 * q < x->size)
        q *= 2;
    return q < x->size ? q : 0;
}

static int members(const pg_ctx *x) { return x->displs[0]; }
static int takes_part(const pg_ctx *x) { return x->rank < members(x); }

/* The member that stands for the root. */
static int top(const pg_ctx *x) { return x->root % members(x); }
static int is_served(const pg_ctx *x, int rank) { return rank >= members(x); }

/* The process that serves this one or is served by it; none of most members. */
static int partner(const pg_ctx *x)
{
    if (!takes_part(x))
        return x->rank - members(x);
    return x->rank + members(x) < x->size ? x->rank + members(x) : MPI_PROC_NULL;
}

/* In other people's programs the communicator stays for the next call. */
#ifdef PGMPI_APPLIED
enum { STAYS = 1 };
#else
enum { STAYS = 0 };
#endif

/* Every process comes here, so that none waits for one that has no memory. */
static int make(pg_ctx *x, int q)
{
    x->displs[0] = q;
    if (STAYS && x->ring != MPI_COMM_NULL)
        return MPI_SUCCESS;
    x->ring = MPI_COMM_NULL;
    if (q == 0)
        return PG_LACKS;
    int err = MPI_Comm_split(x->comm, takes_part(x) ? 0 : MPI_UNDEFINED, x->rank, &x->ring);
    if (x->ring != MPI_COMM_NULL)
        return pg_first(err, MPI_Comm_set_errhandler(x->ring, MPI_ERRORS_RETURN));
    if (STAYS)
        x->ring = x->comm; /* which is not called on */
    return err;
}

static int make_blocks(pg_ctx *x, int q, int blocks)
{
    int err = pg_prepare_no_order(x);
    if (err == MPI_SUCCESS)
        err = make(x, q);
    for (int i = 0; i < blocks && err == MPI_SUCCESS; i++)
        err = pg_temp(x, i, x->count);
    return err;
}

/* For a root that is no member, the member that stands for it has blocks of all members. */
static int make_vector(pg_ctx *x, int q, int rooted)
{
    int err = pg_check_count(x->size * x->count);
    if (err == MPI_SUCCESS)
        err = make(x, q);
    if (err == MPI_SUCCESS && rooted && is_served(x, x->root) && x->rank == top(x))
        err = pg_temp(x, 0, q * x->count);
    return err;
}

static int less(pg_ctx *x) { return make(x, all_but_one(x)); }
static int power(pg_ctx *x) { return make(x, power_of_two(x)); }
static int less_block(pg_ctx *x) { return make_blocks(x, all_but_one(x), 1); }
static int power_block(pg_ctx *x) { return make_blocks(x, power_of_two(x), 1); }
static int less_blocks(pg_ctx *x) { return make_blocks(x, all_but_one(x), 2); }
static int power_blocks(pg_ctx *x) { return make_blocks(x, power_of_two(x), 2); }
static int less_all(pg_ctx *x) { return make_vector(x, all_but_one(x), 0); }
static int power_all(pg_ctx *x) { return make_vector(x, power_of_two(x), 0); }
static int less_vector(pg_ctx *x) { return make_vector(x, all_but_one(x), 1); }
static int power_vector(pg_ctx *x) { return make_vector(x, power_of_two(x), 1); }

static void release(pg_ctx *x)
{
    if (!STAYS && x->ring != MPI_COMM_NULL)
        MPI_Comm_free(&x->ring);
    pg_release(x);
}

/* From who serves to who is served. */
static int pass_on(const pg_ctx *x, void *data, int64_t n)
{
    return takes_part(x) ? pg_give(x, data, n, partner(x)) : pg_get(x, data, n, partner(x));
}

/* From a root that is no member to the member that stands for it, or back. */
static int with_root(const pg_ctx *x, void *at_root, void *at_top, int64_t n, int from_root)
{
    if (!is_served(x, x->root))
        return MPI_SUCCESS;
    if (x->rank == x->root)
        return from_root ? pg_give(x, at_root, n, top(x)) : pg_get(x, at_root, n, top(x));
    if (x->rank == top(x))
        return from_root ? pg_get(x, at_top, n, x->root) : pg_give(x, at_top, n, x->root);
    return MPI_SUCCESS;
}

static int bcast(pg_ctx *x)
{
    int err = with_root(x, x->recv, x->recv, x->count, 1);
    if (err == MPI_SUCCESS && takes_part(x))
        err = MPI_Bcast(x->recv, (int)x->count, x->type, top(x), x->ring);
    int has = is_served(x, x->root) && x->rank % members(x) == top(x); /* who is served is the root */
    return err == MPI_SUCCESS && !has ? pass_on(x, x->recv, x->count) : err;
}

/* What a member gives for itself and for who is served. Others give theirs away. */
static int fold(pg_ctx *x, const void **mine)
{
    int64_t n = x->count;
    *mine = x->send;
    if (!takes_part(x))
        return pg_give(x, x->send, n, partner(x));
    if (partner(x) == MPI_PROC_NULL)
        return MPI_SUCCESS;
    *mine = x->temp[0];
    int err = pg_get(x, x->temp[0], n, partner(x));
    return err == MPI_SUCCESS ? pg_local(x, x->send, x->temp[0], n) : err;
}

static int allreduce(pg_ctx *x)
{
    const void *mine;
    int err = fold(x, &mine);
    if (err == MPI_SUCCESS && takes_part(x))
        err = MPI_Allreduce(mine, x->recv, (int)x->count, x->type, x->op, x->ring);
    return err == MPI_SUCCESS ? pass_on(x, x->recv, x->count) : err;
}

static int reduce(pg_ctx *x)
{
    const void *mine;
    void *out = x->rank == x->root ? x->recv : x->rank == top(x) ? x->temp[1] : NULL;
    int err = fold(x, &mine);
    if (err == MPI_SUCCESS && takes_part(x))
        err = MPI_Reduce(mine, out, (int)x->count, x->type, x->op, top(x), x->ring);
    return err == MPI_SUCCESS ? with_root(x, x->recv, out, x->count, 0) : err;
}

static int barrier(pg_ctx *x)
{
    int err = MPI_SUCCESS;
    if (!takes_part(x))
        return MPI_Sendrecv(NULL, 0, MPI_BYTE, partner(x), PG_TEXTBOOK, NULL, 0, MPI_BYTE, partner(x), PG_TEXTBOOK,
                            x->comm, MPI_STATUS_IGNORE);
    err = MPI_Recv(NULL, 0, MPI_BYTE, partner(x), PG_TEXTBOOK, x->comm, MPI_STATUS_IGNORE);
    if (err == MPI_SUCCESS)
        err = MPI_Barrier(x->ring);
    return err == MPI_SUCCESS ? MPI_Send(NULL, 0, MPI_BYTE, partner(x), PG_TEXTBOOK, x->comm) : err;
}

/* Blocks of who is served, straight from or to the root; its own one is copied. */
static int serve_root(pg_ctx *x, int gathers)
{
    int err = MPI_SUCCESS;
    int64_t n = x->count;
    if (x->rank != x->root && !is_served(x, x->rank))
        return err;
    if (x->rank != x->root)
        return gathers ? pg_give(x, x->send, n, x->root) : pg_get(x, x->recv, n, x->root);
    for (int i = members(x); i < x->size && err == MPI_SUCCESS; i++) {
        int64_t at = i * n;
        if (i != x->root)
            err = gathers ? pg_get(x, pg_at(x, x->recv, at), n, i) : pg_give(x, pg_at(x, x->send, at), n, i);
        else if (gathers)
            pg_copy(x, pg_at(x, x->recv, at), x->send, n);
        else
            pg_copy(x, x->recv, pg_at(x, x->send, at), n);
    }
    return err;
}

static int gather(pg_ctx *x)
{
    int n = (int)x->count, err = MPI_SUCCESS;
    void *all = x->rank == x->root ? x->recv : x->temp[0];
    if (takes_part(x))
        err = MPI_Gather(x->send, n, x->type, x->rank == top(x) ? all : NULL, n, x->type, top(x), x->ring);
    if (err == MPI_SUCCESS)
        err = with_root(x, x->recv, all, (int64_t)members(x) * n, 0);
    return err == MPI_SUCCESS ? serve_root(x, 1) : err;
}

static int scatter(pg_ctx *x)
{
    int n = (int)x->count;
    void *all = x->rank == x->root ? x->send : x->temp[0];
    int err = with_root(x, x->send, all, (int64_t)members(x) * n, 1);
    if (err == MPI_SUCCESS && takes_part(x))
        err = MPI_Scatter(x->rank == top(x) ? all : NULL, n, x->type, x->recv, n, x->type, top(x), x->ring);
    return err == MPI_SUCCESS ? serve_root(x, 0) : err;
}

/* The blocks of who is served come to all members from the first one. */
static int allgather(pg_ctx *x)
{
    int n = (int)x->count, q = members(x), err = MPI_SUCCESS;
    void *rest = pg_at(x, x->recv, (int64_t)q * n);
    if (!takes_part(x))
        err = pg_give(x, x->send, n, 0);
    else
        err = MPI_Allgather(x->send, n, x->type, x->recv, n, x->type, x->ring);
    for (int i = q; x->rank == 0 && i < x->size && err == MPI_SUCCESS; i++)
        err = pg_get(x, pg_at(x, x->recv, (int64_t)i * n), n, i);
    if (err == MPI_SUCCESS && takes_part(x))
        err = MPI_Bcast(rest, (x->size - q) * n, x->type, 0, x->ring);
    return err == MPI_SUCCESS ? pass_on(x, x->recv, (int64_t)x->size * n) : err;
}

const pg_function pg_fewer[] = {
    {"allgather_as_fewer@p-1", less_all, allgather, release},
    {"allgather_as_fewer@power_of_two", power_all, allgather, release},
    {"allreduce_as_fewer@p-1", less_block, allreduce, release},
    {"allreduce_as_fewer@power_of_two", power_block, allreduce, release},
    {"barrier_as_fewer@p-1", less, barrier, release},
    {"barrier_as_fewer@power_of_two", power, barrier, release},
    {"bcast_as_fewer@p-1", less, bcast, release},
    {"bcast_as_fewer@power_of_two", power, bcast, release},
    {"gather_as_fewer@p-1", less_vector, gather, release},
    {"gather_as_fewer@power_of_two", power_vector, gather, release},
    {"reduce_as_fewer@p-1", less_blocks, reduce, release},
    {"reduce_as_fewer@power_of_two", power_blocks, reduce, release},
    {"scatter_as_fewer@p-1", less_vector, scatter, release},
    {"scatter_as_fewer@power_of_two", power_vector, scatter, release},
    {NULL},
};
