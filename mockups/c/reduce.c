/* MPI_Reduce and its mock-ups GL8, GL14, GL25 and GL27. */
#include "rows.h"

static int reduce(pg_ctx *x)
{
    return MPI_Reduce(x->send, x->recv, (int)x->count, x->type, x->op, x->root, x->comm);
}

/* All but the root lack a receive buffer of their own. */
static int prepare_block(pg_ctx *x)
{
    if (x->rank == x->root)
        return MPI_SUCCESS;
    return pg_temp(x, 0, x->count);
}

static int as_allreduce(pg_ctx *x)
{
    void *result = x->rank == x->root ? x->recv : x->temp[0];
    return MPI_Allreduce(x->send, result, (int)x->count, x->type, x->op, x->comm);
}

/* temp[0] holds the reduced part (at a root that needs padding, all of them),
 * temp[1] the padded copy of the send buffer, whose padding stays zero. */
static int prepare_parts(pg_ctx *x)
{
    int is_root = x->rank == x->root;
    int64_t part = pg_part(x), padded = part * x->size;

    int err = pg_check_count(padded);
    if (err == MPI_SUCCESS && !(is_root && pg_divides(x)))
        err = pg_temp(x, 0, is_root ? padded : part);
    if (err == MPI_SUCCESS && !pg_divides(x))
        err = pg_temp(x, 1, padded);
    if (err == MPI_SUCCESS && !pg_divides(x))
        pg_zero(x, pg_at(x, x->temp[1], x->count), padded - x->count);
    return err;
}

/* The two calls: `in` has size parts; `out` has them too at the root, where the
 * own part is reduced into its place, and only the own part elsewhere. */
static int reduce_parts(pg_ctx *x, const void *in, void *out)
{
    int is_root = x->rank == x->root, part = (int)pg_part(x);
    void *own = is_root ? pg_at(x, out, (int64_t)x->rank * part) : out;
    int err = MPI_Reduce_scatter_block(in, own, part, x->type, x->op, x->comm);
    if (is_root)
        return pg_first(err, MPI_Gather(MPI_IN_PLACE, part, x->type, out, part, x->type, x->root, x->comm));
    return pg_first(err, MPI_Gather(own, part, x->type, NULL, part, x->type, x->root, x->comm));
}

static int as_reduce_scatter_block_gather(pg_ctx *x)
{
    int is_root = x->rank == x->root;
    if (pg_divides(x))
        return reduce_parts(x, x->send, is_root ? x->recv : x->temp[0]);
    pg_copy(x, x->temp[1], x->send, x->count);
    int err = reduce_parts(x, x->temp[1], x->temp[0]);
    if (is_root)
        pg_copy(x, x->recv, x->temp[0], x->count);
    return err;
}

/* A caller's receive buffer counts at the root alone. */
static int as_reduce_scatter(pg_ctx *x)
{
    void *result = x->rank == x->root ? x->recv : NULL;
    return MPI_Reduce_scatter(x->send, result, x->counts, x->type, x->op, x->comm);
}

/* Unequal parts need no padding. All but the root reduce theirs into temp[0]. */
static int prepare_unequal_parts(pg_ctx *x)
{
    int err = pg_unequal_parts(x);
    if (err != MPI_SUCCESS || x->rank == x->root)
        return err;
    return pg_temp(x, 0, x->counts[x->rank]);
}

static int as_reduce_scatter_gatherv(pg_ctx *x)
{
    int is_root = x->rank == x->root, part = x->counts[x->rank];
    void *own = is_root ? pg_own_part(x, x->recv) : x->temp[0];
    int err = MPI_Reduce_scatter(x->send, own, x->counts, x->type, x->op, x->comm);
    return pg_first(err, MPI_Gatherv(is_root ? MPI_IN_PLACE : own, part, x->type, x->recv, x->counts, x->displs, x->type,
                                     x->root, x->comm));
}

const pg_function pg_reduce[] = {
    {"MPI_Reduce", pg_prepare_nothing, reduce, pg_release},
    {"reduce_as_allreduce", prepare_block, as_allreduce, pg_release},
    {"reduce_as_reduce_scatter_block+gather", prepare_parts, as_reduce_scatter_block_gather, pg_release},
    {"reduce_as_reduce_scatter", pg_all_to_root, as_reduce_scatter, pg_release},
    {"reduce_as_reduce_scatter+gatherv", prepare_unequal_parts, as_reduce_scatter_gatherv, pg_release},
    {NULL},
};
