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

/* Who takes part in this rank's pair, and who is served there; some members serve nobody. */
static int server(const pg_ctx *x) { return x->rank % members(x); }
static int served(const pg_ctx *x)
{
    return server(x) + members(x) < x->size ? server(x) + members(x) : MPI_PROC_NULL;
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

/* For messages of all blocks. */
static int make_vector(pg_ctx *x, int q)
{
    int err = pg_check_count(x->size * x->count);
    return err == MPI_SUCCESS ? make(x, q) : err;
}

/* For a root that is no member, the member that stands for it has blocks of all members. */
static int make_rooted(pg_ctx *x, int q)
{
    int err = make_vector(x, q);
    return err == MPI_SUCCESS && x->rank == top(x) && x->root >= q ? pg_temp(x, 0, q * x->count) : err;
}

static int make_sum(pg_ctx *x, int q)
{
    int err = pg_need_nothing(x);
    if (err == MPI_SUCCESS)
        err = make(x, q);
    return err == MPI_SUCCESS ? pg_need_two(x) : err;
}

static void release(pg_ctx *x)
{
    if (!STAYS && x->ring != MPI_COMM_NULL)
        MPI_Comm_free(&x->ring);
    pg_release(x);
}

static int bcast(pg_ctx *x)
{
    int err = MPI_SUCCESS;
    pg_range all = pg_block(x, 0);
    pg_move(x, x->root, x->recv, all, top(x), x->recv, all, &err);
    if (takes_part(x))
        err = pg_first(err, MPI_Bcast(x->recv, (int)x->count, x->type, top(x), x->ring));
    if (served(x) != x->root)
        pg_move(x, server(x), x->recv, all, served(x), x->recv, all, &err);
    return err;
}

/* Returns what a member gives for itself and for its partner, who gives its data away. */
static void *fold(const pg_ctx *x, int *err)
{
    pg_sum s = {x->send, x->temp[0], NULL};
    pg_range all = pg_block(x, 0);
    int gives = !takes_part(x);
    pg_reduce_with(x, &s, all, gives ? server(x) : MPI_PROC_NULL, all, gives ? MPI_PROC_NULL : served(x), err);
    return s.mine;
}

static int allreduce(pg_ctx *x)
{
    int err = MPI_SUCCESS;
    void *mine = fold(x, &err);
    if (takes_part(x))
        err = pg_first(err, MPI_Allreduce(mine, x->recv, (int)x->count, x->type, x->op, x->ring));
    pg_move(x, server(x), x->recv, pg_block(x, 0), served(x), x->recv, pg_block(x, 0), &err);
    return err;
}

static int reduce(pg_ctx *x)
{
    int err = MPI_SUCCESS;
    void *mine = fold(x, &err), *out = x->rank == x->root ? x->recv : x->rank == top(x) ? x->temp[1] : NULL;
    if (takes_part(x))
        err = pg_first(err, MPI_Reduce(mine, out, (int)x->count, x->type, x->op, top(x), x->ring));
    pg_move(x, top(x), out, pg_block(x, 0), x->root, x->recv, pg_block(x, 0), &err);
    return err;
}

static int barrier(pg_ctx *x)
{
    int partner = takes_part(x) ? served(x) : server(x), err;
    if (!takes_part(x))
        return MPI_Sendrecv(NULL, 0, MPI_BYTE, partner, PG_TEXTBOOK, NULL, 0, MPI_BYTE, partner, PG_TEXTBOOK, x->comm,
                            MPI_STATUS_IGNORE);
    err = MPI_Recv(NULL, 0, MPI_BYTE, partner, PG_TEXTBOOK, x->comm, MPI_STATUS_IGNORE);
    err = pg_first(err, MPI_Barrier(x->ring));
    return pg_first(err, MPI_Send(NULL, 0, MPI_BYTE, partner, PG_TEXTBOOK, x->comm));
}

static int gather(pg_ctx *x)
{
    int n = (int)x->count, err = MPI_SUCCESS;
    void *all = x->rank == x->root ? x->recv : x->temp[0];
    if (takes_part(x))
        err = MPI_Gather(x->send, n, x->type, x->rank == top(x) ? all : NULL, n, x->type, top(x), x->ring);
    pg_move(x, top(x), all, pg_blocks(x, 0, members(x)), x->root, x->recv, pg_blocks(x, 0, members(x)), &err);
    return pg_first(err, pg_gather_from(x, members(x)));
}

static int scatter(pg_ctx *x)
{
    int n = (int)x->count, err = MPI_SUCCESS;
    void *all = x->rank == x->root ? x->send : x->temp[0];
    pg_move(x, x->root, x->send, pg_blocks(x, 0, members(x)), top(x), all, pg_blocks(x, 0, members(x)), &err);
    if (takes_part(x))
        err = pg_first(err, MPI_Scatter(x->rank == top(x) ? all : NULL, n, x->type, x->recv, n, x->type, top(x),
                                        x->ring));
    return pg_first(err, pg_scatter_from(x, members(x)));
}

/* The blocks of who is served come to all members from the first one. */
static int allgather(pg_ctx *x)
{
    int n = (int)x->count, q = members(x), err = MPI_SUCCESS;
    pg_range rest = pg_blocks(x, q, x->size - q), all = pg_blocks(x, 0, x->size);
    if (takes_part(x))
        err = MPI_Allgather(x->send, n, x->type, x->recv, n, x->type, x->ring);
    for (int i = q; i < x->size; i++)
        pg_move(x, i, x->send, pg_block(x, 0), 0, x->recv, pg_block(x, i), &err);
    if (takes_part(x))
        err = pg_first(err, MPI_Bcast(pg_place(x, x->recv, rest), (int)rest.n, x->type, 0, x->ring));
    pg_move(x, server(x), x->recv, all, served(x), x->recv, all, &err);
    return err;
}

/* Each way to prepare, for either number of processes. */
static int less(pg_ctx *x) { return make(x, all_but_one(x)); }
static int power(pg_ctx *x) { return make(x, power_of_two(x)); }
static int less_vector(pg_ctx *x) { return make_vector(x, all_but_one(x)); }
static int power_vector(pg_ctx *x) { return make_vector(x, power_of_two(x)); }
static int less_rooted(pg_ctx *x) { return make_rooted(x, all_but_one(x)); }
static int power_rooted(pg_ctx *x) { return make_rooted(x, power_of_two(x)); }
static int less_sum(pg_ctx *x) { return make_sum(x, all_but_one(x)); }
static int power_sum(pg_ctx *x) { return make_sum(x, power_of_two(x)); }

const pg_function pg_fewer[] = {
    {"allgather_as_fewer@p-1", less_vector, allgather, release},
    {"allgather_as_fewer@power_of_two", power_vector, allgather, release},
    {"allreduce_as_fewer@p-1", less_sum, allreduce, release},
    {"allreduce_as_fewer@power_of_two", power_sum, allreduce, release},
    {"barrier_as_fewer@p-1", less, barrier, release},
    {"barrier_as_fewer@power_of_two", power, barrier, release},
    {"bcast_as_fewer@p-1", less, bcast, release},
    {"bcast_as_fewer@power_of_two", power, bcast, release},
    {"gather_as_fewer@p-1", less_rooted, gather, release},
    {"gather_as_fewer@power_of_two", power_rooted, gather, release},
    {"reduce_as_fewer@p-1", less_sum, reduce, release},
    {"reduce_as_fewer@power_of_two", power_sum, reduce, release},
    {"scatter_as_fewer@p-1", less_rooted, scatter, release},
    {"scatter_as_fewer@power_of_two", power_rooted, scatter, release},
    {NULL},
};
