/* MPI_Scatter and its mock-ups GL7 and GL19. */
#include "rows.h"

static int scatter(pg_ctx *x)
{
    int n = (int)x->count;
    return MPI_Scatter(x->send, n, x->type, x->recv, n, x->type, x->root, x->comm);
}

/* All but the root lack a vector of size blocks. */
static int prepare_vector(pg_ctx *x)
{
    if (x->rank == x->root)
        return MPI_SUCCESS;
    return pg_temp(x, 0, x->size * x->count);
}

/* Bcast only reads at the root, so it can send from the caller's buffer. */
static int as_bcast(pg_ctx *x)
{
    void *all = x->rank == x->root ? x->send : x->temp[0];
    int err = MPI_Bcast(all, x->size * (int)x->count, x->type, x->root, x->comm);
    pg_copy(x, x->recv, pg_at(x, all, x->rank * x->count), x->count);
    return err;
}

static int as_scatterv(pg_ctx *x)
{
    return MPI_Scatterv(x->send, x->counts, x->displs, x->type, x->recv, (int)x->count, x->type, x->root, x->comm);
}

const pg_function pg_scatter[] = {
    {"MPI_Scatter", pg_prepare_nothing, scatter, pg_release},
    {"scatter_as_bcast", prepare_vector, as_bcast, pg_release},
    {"scatter_as_scatterv", pg_equal_parts, as_scatterv, pg_release},
    {NULL},
};
