/* The collectives with a count for every process, where the counts differ. The rank program
 * sets counts and displacements by the rule that the id names (mockups/irregular.go): of
 * MPI_Alltoall, MPI_Alltoallv and MPI_Alltoallw the first two are what is sent, and lists has what is
 * received. */
#include "variants.h"

static int allgatherv(pg_ctx *x)
{
    return MPI_Allgatherv(x->send, x->counts[x->rank], x->type, x->recv, x->counts, x->displs, x->type, x->comm);
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

const pg_function pg_irregular[] = {
    RULES("MPI_Allgatherv", "", pg_prepare_nothing, allgatherv, pg_release),
    RULES("MPI_Alltoallv", "", pg_prepare_nothing, alltoallv, pg_release),
    RULES("MPI_Gatherv", "", pg_prepare_nothing, gatherv, pg_release),
    RULES("MPI_Reduce_scatter", "", pg_prepare_nothing, pg_run_reduce_scatter, pg_release),
    RULES("MPI_Scatterv", "", pg_prepare_nothing, scatterv, pg_release),
    ALL_RULES("MPI_Alltoallw", "", prepare_alltoallw, alltoallw, pg_release),
    {NULL},
};
