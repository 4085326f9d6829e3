/* The collectives with a count for every process, where the counts differ. The rank program
 * sets counts and displacements by the rule that the id names (mockups/irregular.go): of
 * MPI_Alltoallv and MPI_Alltoallw the first two are what is sent, and lists has what is received. */
#include "variants.h"

static int allgatherv(pg_ctx *x)
{
    return MPI_Allgatherv(x->send, x->counts[x->rank], x->type, x->recv, x->counts, x->displs, x->type, x->comm);
}

/* What it is compared with. */
static int allgatherv_by_gatherv(pg_ctx *x)
{
    int err = MPI_Gatherv(x->send, x->counts[x->rank], x->type, x->recv, x->counts, x->displs, x->type, 0, x->comm);
    return err == MPI_SUCCESS ? MPI_Bcast(x->recv, x->size * (int)x->count, x->type, 0, x->comm) : err;
}

static int alltoallv(pg_ctx *x)
{
    const pg_lists *l = x->lists;
    return MPI_Alltoallv(x->send, x->counts, x->displs, x->type, x->recv, l->from_counts, l->from_displs, x->type,
                         x->comm);
}

/* Its displacements are in bytes. */
static int prepare_alltoallw(pg_ctx *x)
{
    pg_lists *l = x->lists;
    int err = pg_check_count(pg_vector_bytes(x));
    for (int i = 0; i < x->size && err == MPI_SUCCESS; i++) {
        x->displs[i] *= (int)x->extent;
        l->from_displs[i] *= (int)x->extent;
        l->types[i] = x->type;
    }
    return err;
}

static int alltoallw(pg_ctx *x)
{
    const pg_lists *l = x->lists;
    return MPI_Alltoallw(x->send, x->counts, x->displs, l->types, x->recv, l->from_counts, l->from_displs, l->types,
                         x->comm);
}

static int gatherv(pg_ctx *x)
{
    return MPI_Gatherv(x->send, x->counts[x->rank], x->type, x->recv, x->counts, x->displs, x->type, x->root,
                       x->comm);
}

static int scatterv(pg_ctx *x)
{
    return MPI_Scatterv(x->send, x->counts, x->displs, x->type, x->recv, x->counts[x->rank], x->type, x->root,
                        x->comm);
}

/* The rows of a call by every rule. */
#define RULES(id, behind, prepare, run)                   \
    {id "/linear" behind, prepare, run, pg_release},      \
    {id "/one_large" behind, prepare, run, pg_release},   \
    {id "/one_empty" behind, prepare, run, pg_release},   \
    {id "/random" behind, prepare, run, pg_release}

const pg_function pg_irregular[] = {
    RULES("MPI_Allgatherv", "", pg_prepare_nothing, allgatherv),
    RULES("MPI_Alltoallv", "", pg_prepare_nothing, alltoallv),
    RULES("MPI_Gatherv", "", pg_prepare_nothing, gatherv),
    RULES("MPI_Reduce_scatter", "", pg_prepare_nothing, pg_run_reduce_scatter),
    RULES("MPI_Scatterv", "", pg_prepare_nothing, scatterv),
    {"MPI_Alltoallw", prepare_alltoallw, alltoallw, pg_release},
    RULES("MPI_Alltoallw", "", prepare_alltoallw, alltoallw),
    {"MPI_Allgatherv/gatherv+bcast", pg_prepare_nothing, allgatherv_by_gatherv, pg_release},
    RULES("MPI_Allgatherv", "/gatherv+bcast", pg_prepare_nothing, allgatherv_by_gatherv),
    {NULL},
};
