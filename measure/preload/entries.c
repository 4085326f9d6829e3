/* The blocking collectives by their C names, and where a program begins and ends. */
#include "preload.h"

#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>

const char *const function_names[FUNCTIONS] = {
    "MPI_Allgather", "MPI_Allgatherv", "MPI_Allreduce", "MPI_Alltoall", "MPI_Alltoallv", "MPI_Alltoallw", "MPI_Barrier",
    "MPI_Bcast", "MPI_Exscan", "MPI_Gather", "MPI_Gatherv", "MPI_Reduce", "MPI_Reduce_scatter", "MPI_Reduce_scatter_block",
    "MPI_Scan", "MPI_Scatter", "MPI_Scatterv",
};

static int begun, ended_once;

static void finish(void)
{
    if (ended_once++)
        return;
    apply_finish();
    calls_finish();
    profile_finish();
}

static int at_end(MPI_Comm comm, int key, void *value, void *extra)
{
    (void)comm, (void)key, (void)value, (void)extra;
    finish();
    return MPI_SUCCESS;
}

static void tell_hidden(void)
{
    if (*hidden_names != '\0')
        fprintf(stderr, "pgmpi: %s has functions of its own for MPI: what it does not pass on is neither counted nor replaced: %s\n",
                hidden_by, hidden_names);
}

/* In MPI_Init, or at the first call where that is not seen. The end is met in MPI_COMM_SELF's attributes, which
 * MPI_Finalize deletes before all else, whoever calls it. */
static void begin(void)
{
    int there, rank, key;
    begun = 1;
    find_hidden();
    if (PMPI_Initialized(&there) != MPI_SUCCESS || !there) /* a session has no MPI_COMM_SELF */
        return;
    profile_init();
    if (PMPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, at_end, &key, NULL) == MPI_SUCCESS)
        PMPI_Comm_set_attr(MPI_COMM_SELF, key, NULL);
    if (PMPI_Comm_rank(MPI_COMM_WORLD, &rank) == MPI_SUCCESS && rank == 0)
        tell_hidden();
}

/* A program of which nothing was seen: all of its calls may be a tool's. */
__attribute__((destructor)) static void unseen(void)
{
    static const char *const ranks[] = {"OMPI_COMM_WORLD_RANK", "PMI_RANK", "SLURM_PROCID"};
    int there;
    for (int i = 0; i < 3; i++) {
        const char *rank = getenv(ranks[i]);
        if (rank != NULL && atoi(rank) > 0)
            return;
    }
    if (begun || (!profiling && getenv("PGMPI_APPLY") == NULL) || PMPI_Initialized(&there) != MPI_SUCCESS || !there)
        return;
    find_hidden();
    tell_hidden();
}

int MPI_Init(int *argc, char ***argv)
{
    int rc = PMPI_Init(argc, argv);
    begin();
    apply_start();
    return rc;
}

int MPI_Init_thread(int *argc, char ***argv, int required, int *provided)
{
    int rc = PMPI_Init_thread(argc, argv, required, provided);
    begin();
    apply_start();
    return rc;
}

int MPI_Finalize(void)
{
    finish();
    return PMPI_Finalize();
}

int MPI_Abort(MPI_Comm comm, int code)
{
    profile_part();
    return PMPI_Abort(comm, code);
}

/* Arguments that do not count at this rank have any value, so that only the others are looked at. */
static int64_t bytes_of(int64_t n, MPI_Datatype type)
{
    int size;
    if (n < 0 || type == MPI_DATATYPE_NULL || size_of_type(type, &size) != MPI_SUCCESS)
        return -1;
    return n * size;
}

/* Two threads at once may count one call: a locked addition would cost as much as a small call. */
static inline int is_seen(function f, MPI_Comm comm)
{
    atomic_store_explicit(&calls_made, atomic_load_explicit(&calls_made, memory_order_relaxed) + 1, memory_order_relaxed);
    return (profiling || ruled[f]) && comm != MPI_COMM_NULL;
}

/* Where a rooted call is made by MPI_PROC_NULL, none of its other arguments counts. */
static inline int is_seen_rooted(function f, int root, MPI_Comm comm) { return root != MPI_PROC_NULL && is_seen(f, comm); }

static call block(function f, int64_t n, MPI_Datatype type, MPI_Op op, int root, int in_place, MPI_Comm comm)
{
    call c = {.f = f, .comm = comm, .type = type, .op = op, .root = root, .in_place = in_place};
    c.bytes = f == BARRIER ? 0 : bytes_of(n, type);
    if (!begun)
        begin();
    if (profiling)
        profile_begin(&c);
    return c;
}

/* A call with counts for every process: the mean block. */
static call blocks(function f, const int counts[], MPI_Datatype type, MPI_Op op, int root, int in_place, MPI_Comm comm)
{
    int p, inter;
    int64_t sum = 0;
    int uneven = 0;
    PMPI_Comm_test_inter(comm, &inter);
    if (inter && f != REDUCE_SCATTER)
        PMPI_Comm_remote_size(comm, &p);
    else
        PMPI_Comm_size(comm, &p);
    for (int i = 0; i < p; i++) {
        sum += counts[i];
        uneven |= counts[i] ^ counts[0];
    }
    call c = block(f, sum / p, type, op, root, in_place, comm);
    c.uneven = uneven != 0;
    return c;
}

static inline int ended(const call *c, int rc)
{
    if (c->begin != 0)
        profile_end(c);
    return rc;
}

static int is_at(int root, MPI_Comm comm)
{
    int rank, inter;
    PMPI_Comm_test_inter(comm, &inter);
    PMPI_Comm_rank(comm, &rank);
    return inter ? root == MPI_ROOT : root == rank;
}

int MPI_Allgather(const void *s, int n, MPI_Datatype t, void *r, int rn, MPI_Datatype rt, MPI_Comm comm)
{
    int rc;
    if (!is_seen(ALLGATHER, comm))
        return PMPI_Allgather(s, n, t, r, rn, rt, comm);
    call c = block(ALLGATHER, rn, rt, MPI_OP_NULL, 0, s == MPI_IN_PLACE, comm);
    if (!ruled[ALLGATHER] || !apply_movement(&c, s, n, t, r, rn, rt, &rc))
        rc = PMPI_Allgather(s, n, t, r, rn, rt, comm);
    return ended(&c, rc);
}

int MPI_Allgatherv(const void *s, int n, MPI_Datatype t, void *r, const int counts[], const int displs[], MPI_Datatype rt, MPI_Comm comm)
{
    if (!is_seen(ALLGATHERV, comm))
        return PMPI_Allgatherv(s, n, t, r, counts, displs, rt, comm);
    call c = blocks(ALLGATHERV, counts, rt, MPI_OP_NULL, 0, s == MPI_IN_PLACE, comm);
    return ended(&c, PMPI_Allgatherv(s, n, t, r, counts, displs, rt, comm));
}

int MPI_Allreduce(const void *s, void *r, int n, MPI_Datatype t, MPI_Op op, MPI_Comm comm)
{
    int rc;
    if (!is_seen(ALLREDUCE, comm))
        return PMPI_Allreduce(s, r, n, t, op, comm);
    call c = block(ALLREDUCE, n, t, op, 0, s == MPI_IN_PLACE, comm);
    if (!ruled[ALLREDUCE] || !apply_reduction(&c, s, r, n, &rc))
        rc = PMPI_Allreduce(s, r, n, t, op, comm);
    return ended(&c, rc);
}

int MPI_Alltoall(const void *s, int n, MPI_Datatype t, void *r, int rn, MPI_Datatype rt, MPI_Comm comm)
{
    int rc;
    if (!is_seen(ALLTOALL, comm))
        return PMPI_Alltoall(s, n, t, r, rn, rt, comm);
    call c = block(ALLTOALL, rn, rt, MPI_OP_NULL, 0, s == MPI_IN_PLACE, comm);
    if (!ruled[ALLTOALL] || !apply_movement(&c, s, n, t, r, rn, rt, &rc))
        rc = PMPI_Alltoall(s, n, t, r, rn, rt, comm);
    return ended(&c, rc);
}

int MPI_Alltoallv(const void *s, const int n[], const int sd[], MPI_Datatype t, void *r, const int rn[], const int rd[], MPI_Datatype rt,
                  MPI_Comm comm)
{
    if (!is_seen(ALLTOALLV, comm))
        return PMPI_Alltoallv(s, n, sd, t, r, rn, rd, rt, comm);
    call c = blocks(ALLTOALLV, rn, rt, MPI_OP_NULL, 0, s == MPI_IN_PLACE, comm);
    return ended(&c, PMPI_Alltoallv(s, n, sd, t, r, rn, rd, rt, comm));
}

/* Each process has a datatype of its own: the bytes are those for the first one. */
int MPI_Alltoallw(const void *s, const int n[], const int sd[], const MPI_Datatype t[], void *r, const int rn[], const int rd[],
                  const MPI_Datatype rt[], MPI_Comm comm)
{
    if (!is_seen(ALLTOALLW, comm))
        return PMPI_Alltoallw(s, n, sd, t, r, rn, rd, rt, comm);
    call c = block(ALLTOALLW, rn[0], rt[0], MPI_OP_NULL, 0, s == MPI_IN_PLACE, comm);
    c.uneven = 1;
    return ended(&c, PMPI_Alltoallw(s, n, sd, t, r, rn, rd, rt, comm));
}

int MPI_Barrier(MPI_Comm comm)
{
    if (!is_seen(BARRIER, comm))
        return PMPI_Barrier(comm);
    call c = block(BARRIER, 0, MPI_DATATYPE_NULL, MPI_OP_NULL, 0, 0, comm);
    return ended(&c, PMPI_Barrier(comm));
}

int MPI_Bcast(void *data, int n, MPI_Datatype t, int root, MPI_Comm comm)
{
    int rc;
    if (!is_seen_rooted(BCAST, root, comm))
        return PMPI_Bcast(data, n, t, root, comm);
    call c = block(BCAST, n, t, MPI_OP_NULL, root, 0, comm);
    if (!ruled[BCAST] || !apply_movement(&c, NULL, 0, MPI_DATATYPE_NULL, data, n, t, &rc))
        rc = PMPI_Bcast(data, n, t, root, comm);
    return ended(&c, rc);
}

int MPI_Exscan(const void *s, void *r, int n, MPI_Datatype t, MPI_Op op, MPI_Comm comm)
{
    int rc;
    if (!is_seen(EXSCAN, comm))
        return PMPI_Exscan(s, r, n, t, op, comm);
    call c = block(EXSCAN, n, t, op, 0, s == MPI_IN_PLACE, comm);
    if (!ruled[EXSCAN] || !apply_reduction(&c, s, r, n, &rc))
        rc = PMPI_Exscan(s, r, n, t, op, comm);
    return ended(&c, rc);
}

int MPI_Gather(const void *s, int n, MPI_Datatype t, void *r, int rn, MPI_Datatype rt, int root, MPI_Comm comm)
{
    int rc;
    if (!is_seen_rooted(GATHER, root, comm))
        return PMPI_Gather(s, n, t, r, rn, rt, root, comm);
    call c = is_at(root, comm) ? block(GATHER, rn, rt, MPI_OP_NULL, root, s == MPI_IN_PLACE, comm)
                               : block(GATHER, n, t, MPI_OP_NULL, root, 0, comm);
    if (!ruled[GATHER] || !apply_movement(&c, s, n, t, r, rn, rt, &rc))
        rc = PMPI_Gather(s, n, t, r, rn, rt, root, comm);
    return ended(&c, rc);
}

int MPI_Gatherv(const void *s, int n, MPI_Datatype t, void *r, const int counts[], const int displs[], MPI_Datatype rt, int root,
                MPI_Comm comm)
{
    if (!is_seen_rooted(GATHERV, root, comm))
        return PMPI_Gatherv(s, n, t, r, counts, displs, rt, root, comm);
    call c = is_at(root, comm) ? blocks(GATHERV, counts, rt, MPI_OP_NULL, root, s == MPI_IN_PLACE, comm)
                               : block(GATHERV, n, t, MPI_OP_NULL, root, 0, comm);
    return ended(&c, PMPI_Gatherv(s, n, t, r, counts, displs, rt, root, comm));
}

int MPI_Reduce(const void *s, void *r, int n, MPI_Datatype t, MPI_Op op, int root, MPI_Comm comm)
{
    int rc;
    if (!is_seen_rooted(REDUCE, root, comm))
        return PMPI_Reduce(s, r, n, t, op, root, comm);
    call c = block(REDUCE, n, t, op, root, s == MPI_IN_PLACE, comm);
    if (!ruled[REDUCE] || !apply_reduction(&c, s, r, n, &rc))
        rc = PMPI_Reduce(s, r, n, t, op, root, comm);
    return ended(&c, rc);
}

int MPI_Reduce_scatter(const void *s, void *r, const int counts[], MPI_Datatype t, MPI_Op op, MPI_Comm comm)
{
    if (!is_seen(REDUCE_SCATTER, comm))
        return PMPI_Reduce_scatter(s, r, counts, t, op, comm);
    call c = blocks(REDUCE_SCATTER, counts, t, op, 0, s == MPI_IN_PLACE, comm);
    return ended(&c, PMPI_Reduce_scatter(s, r, counts, t, op, comm));
}

int MPI_Reduce_scatter_block(const void *s, void *r, int n, MPI_Datatype t, MPI_Op op, MPI_Comm comm)
{
    int rc;
    if (!is_seen(REDUCE_SCATTER_BLOCK, comm))
        return PMPI_Reduce_scatter_block(s, r, n, t, op, comm);
    call c = block(REDUCE_SCATTER_BLOCK, n, t, op, 0, s == MPI_IN_PLACE, comm);
    if (!ruled[REDUCE_SCATTER_BLOCK] || !apply_reduction(&c, s, r, n, &rc))
        rc = PMPI_Reduce_scatter_block(s, r, n, t, op, comm);
    return ended(&c, rc);
}

int MPI_Scan(const void *s, void *r, int n, MPI_Datatype t, MPI_Op op, MPI_Comm comm)
{
    int rc;
    if (!is_seen(SCAN, comm))
        return PMPI_Scan(s, r, n, t, op, comm);
    call c = block(SCAN, n, t, op, 0, s == MPI_IN_PLACE, comm);
    if (!ruled[SCAN] || !apply_reduction(&c, s, r, n, &rc))
        rc = PMPI_Scan(s, r, n, t, op, comm);
    return ended(&c, rc);
}

int MPI_Scatter(const void *s, int n, MPI_Datatype t, void *r, int rn, MPI_Datatype rt, int root, MPI_Comm comm)
{
    int rc;
    if (!is_seen_rooted(SCATTER, root, comm))
        return PMPI_Scatter(s, n, t, r, rn, rt, root, comm);
    call c = is_at(root, comm) ? block(SCATTER, n, t, MPI_OP_NULL, root, r == MPI_IN_PLACE, comm)
                               : block(SCATTER, rn, rt, MPI_OP_NULL, root, 0, comm);
    if (!ruled[SCATTER] || !apply_movement(&c, s, n, t, r, rn, rt, &rc))
        rc = PMPI_Scatter(s, n, t, r, rn, rt, root, comm);
    return ended(&c, rc);
}

int MPI_Scatterv(const void *s, const int counts[], const int displs[], MPI_Datatype t, void *r, int rn, MPI_Datatype rt, int root,
                 MPI_Comm comm)
{
    if (!is_seen_rooted(SCATTERV, root, comm))
        return PMPI_Scatterv(s, counts, displs, t, r, rn, rt, root, comm);
    call c = is_at(root, comm) ? blocks(SCATTERV, counts, t, MPI_OP_NULL, root, r == MPI_IN_PLACE, comm)
                               : block(SCATTERV, rn, rt, MPI_OP_NULL, root, 0, comm);
    return ended(&c, PMPI_Scatterv(s, counts, displs, t, r, rn, rt, root, comm));
}
