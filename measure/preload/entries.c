/* The collectives by all their names, and where a program begins and ends. */
#define _GNU_SOURCE
#include "preload.h"

#include <dlfcn.h>
#include <limits.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const char *const function_names[FUNCTIONS] = {
    "MPI_Allgather", "MPI_Allgatherv", "MPI_Allreduce", "MPI_Alltoall", "MPI_Alltoallv", "MPI_Alltoallw", "MPI_Barrier",
    "MPI_Bcast", "MPI_Exscan", "MPI_Gather", "MPI_Gatherv", "MPI_Reduce", "MPI_Reduce_scatter", "MPI_Reduce_scatter_block",
    "MPI_Scan", "MPI_Scatter", "MPI_Scatterv",
    "MPI_Iallgather", "MPI_Iallgatherv", "MPI_Iallreduce", "MPI_Ialltoall", "MPI_Ialltoallv", "MPI_Ialltoallw", "MPI_Ibarrier",
    "MPI_Ibcast", "MPI_Iexscan", "MPI_Igather", "MPI_Igatherv", "MPI_Ireduce", "MPI_Ireduce_scatter",
    "MPI_Ireduce_scatter_block", "MPI_Iscan", "MPI_Iscatter", "MPI_Iscatterv",
};

_Static_assert(FUNCTIONS + MADES <= 64, "a cell has six bits for them");
static int begun, ended_once;

static void finish(void)
{
    if (ended_once++)
        return;
    apply_finish();
    calls_finish();
    profile_finish();
    messages_finish();
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

/* A call by the name PMPI_ is the program's own where the library's Fortran makes it, for mpif.h, "use mpi" or
 * "use mpi_f08"; others are a tool's, our own or the library's. A few callers are asked about once. */
int is_fortran(const void *caller)
{
    enum { CALLERS = 256 };
    static _Atomic uintptr_t known[CALLERS]; /* an address, and in its lowest bit whether it is Fortran's */
    uintptr_t at = (uintptr_t)caller << 1;
    _Atomic uintptr_t *slot = &known[(at >> 1 ^ at >> 9) % CALLERS];
    uintptr_t has = atomic_load_explicit(slot, memory_order_relaxed);
    if ((has & ~(uintptr_t)1) == at)
        return has & 1;
    Dl_info in;
    const char *name = dladdr(caller, &in) && in.dli_fname != NULL ? strrchr(in.dli_fname, '/') : NULL;
    int is = name != NULL && strncmp(name, "/libmpi", 7) == 0 &&
             (strstr(name, "fort") != NULL || strstr(name, "mpifh") != NULL || strstr(name, "usempi") != NULL);
    atomic_store_explicit(slot, at | (uintptr_t)is, memory_order_relaxed);
    return is;
}

/* For each function: how it is defined, how it is called again, what the program's call of it does, and how the
 * library's own is found behind all that come before it. */
#define NAMES(Name, SIG, ARGS, SEES)                                                                                   \
    static int (*real_##Name) SIG;                                                                                     \
    static int see_##Name SIG SEES                                                                                     \
    int MPI_##Name SIG                                                                                                 \
    {                                                                                                                  \
        CALLED_FROM(__builtin_return_address(0));                                                                      \
        return see_##Name ARGS;                                                                                        \
    }                                                                                                                  \
    int PMPI_##Name SIG                                                                                                \
    {                                                                                                                  \
        if (!is_fortran(__builtin_return_address(0)))                                                                  \
            return real_##Name ARGS;                                                                                   \
        CALLED_FROM(__builtin_return_address(0));                                                                      \
        return see_##Name ARGS;                                                                                        \
    }                                                                                                                  \
    FIRST static void find_##Name(void) { *(void **)&real_##Name = dlsym(RTLD_NEXT, "PMPI_" #Name); }
#define FIRST __attribute__((constructor(101)))

NAMES(Init, (int *argc, char ***argv), (argc, argv), {
    uint64_t begun = other_begin();
    int rc = real_Init(argc, argv);
    other_end(OTHER_Init, begun);
    begin();
    messages_start();
    apply_start();
    return rc;
})

NAMES(Init_thread, (int *argc, char ***argv, int required, int *provided), (argc, argv, required, provided), {
    uint64_t begun = other_begin();
    int rc = real_Init_thread(argc, argv, required, provided);
    other_end(OTHER_Init_thread, begun);
    begin();
    messages_start();
    apply_start();
    return rc;
})

NAMES(Finalize, (void), (), {
    finish();
    return real_Finalize();
})

NAMES(Abort, (MPI_Comm comm, int code), (comm, code), {
    profile_part();
    return real_Abort(comm, code);
})

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
    if (inside)
        return 0;
    atomic_store_explicit(&calls_made, atomic_load_explicit(&calls_made, memory_order_relaxed) + 1, memory_order_relaxed);
    return (profiling || ruled[f]) && comm != MPI_COMM_NULL;
}

/* Where a rooted call is made by MPI_PROC_NULL, none of its other arguments counts. */
static inline int is_seen_rooted(function f, int root, MPI_Comm comm) { return root != MPI_PROC_NULL && is_seen(f, comm); }

static call block(function f, int64_t n, MPI_Datatype type, MPI_Op op, int root, int in_place, MPI_Comm comm)
{
    call c = {.f = f, .comm = comm, .type = type, .op = op, .root = root, .in_place = in_place};
    c.bytes = f == BARRIER || f == IBARRIER ? 0 : bytes_of(n, type);
    if (!begun)
        begin();
    if (profiling)
        profile_begin(&c);
    return c;
}

static int64_t count_at(const void *counts, size_t width, int i)
{
    return width == sizeof(int) ? ((const int *)counts)[i] : ((const MPI_Count *)counts)[i];
}

/* A call with counts for every process, each of that size: the mean block. */
static call blocks(function f, const void *counts, size_t width, MPI_Datatype type, MPI_Op op, int root, int in_place,
                   MPI_Comm comm)
{
    int p, inter;
    int64_t sum = 0;
    int uneven = 0;
    PMPI_Comm_test_inter(comm, &inter);
    if (inter && f != REDUCE_SCATTER && f != IREDUCE_SCATTER)
        PMPI_Comm_remote_size(comm, &p);
    else
        PMPI_Comm_size(comm, &p);
    for (int i = 0; i < p; i++) {
        sum += count_at(counts, width, i);
        uneven |= count_at(counts, width, i) != count_at(counts, width, 0);
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

/* ---- The table of the collectives: each by its name, and by that with counts of type MPI_Count ---- */

#define IN_PLACE(buffer) ((buffer) == MPI_IN_PLACE)
#define FITS(n) ((n) <= INT_MAX)
#define MOVED(n, rn) (FITS(n) && FITS(rn) && apply_movement(&c, s, (int)(n), t, r, (int)(rn), rt, &rc))
#define REDUCED (FITS(n) && apply_reduction(&c, s, r, (int)n, &rc))

/* N is the type of counts, D the one of displacements, C what the name ends with. SEEN tells whether the call counts,
 * WHAT describes it, and APPLIED makes it in another way where a rule wants it. A library may lack the second name. */
#define COLLECTIVE(Name, C, SIG, ARGS, SEEN, WHAT, APPLIED) COLLECTIVE_NAMED(Name, C, SIG, ARGS, SEEN, WHAT, APPLIED)
#define COLLECTIVE_NAMED(Name, C, SIG, ARGS, SEEN, WHAT, APPLIED) \
    NAMES(Name##C, SIG, ARGS, {                              \
        int rc;                                              \
        if (real_##Name##C == NULL)                          \
            return MPI_ERR_UNSUPPORTED_OPERATION;            \
        if (!SEEN)                                           \
            return real_##Name##C ARGS;                      \
        call c = WHAT;                                       \
        if (!ruled[c.f] || !APPLIED)                         \
            rc = real_##Name##C ARGS;                        \
        return ended(&c, rc);                                \
    })

/* Each is there blocking and nonblocking: by its NAME, as KIND, and with a request that it takes (T) and passes on (P). */
#define NAME(Blocking, nonblocking) Blocking
#define KIND(F) F
#define ALONE(comm) comm
#define I_NAME(Blocking, nonblocking) I##nonblocking
#define I_KIND(F) I##F
#define TAKE_REQUEST(comm) comm, MPI_Request *request
#define PASS_REQUEST(comm) comm, request

#define MOVEMENT(Name, F, N, C, T, P)                                                                                  \
    COLLECTIVE(Name, C, (const void *s, N n, MPI_Datatype t, void *r, N rn, MPI_Datatype rt, T(MPI_Comm comm)),        \
               (s, n, t, r, rn, rt, P(comm)), is_seen(F, comm), block(F, rn, rt, MPI_OP_NULL, 0, IN_PLACE(s), comm),   \
               MOVED(n, rn))

#define ROOTED_MOVEMENT(Name, F, N, C, T, P, AT_ROOT, ELSEWHERE)                                                       \
    COLLECTIVE(Name, C,                                                                                                \
               (const void *s, N n, MPI_Datatype t, void *r, N rn, MPI_Datatype rt, int root, T(MPI_Comm comm)),       \
               (s, n, t, r, rn, rt, root, P(comm)), is_seen_rooted(F, root, comm),                                     \
               (is_at(root, comm) ? AT_ROOT : ELSEWHERE), MOVED(n, rn))

#define REDUCTION(Name, F, N, C, T, P)                                                                                 \
    COLLECTIVE(Name, C, (const void *s, void *r, N n, MPI_Datatype t, MPI_Op op, T(MPI_Comm comm)),                    \
               (s, r, n, t, op, P(comm)), is_seen(F, comm), block(F, n, t, op, 0, IN_PLACE(s), comm), REDUCED)

#define SENT(F) block(F, n, t, MPI_OP_NULL, root, IN_PLACE(r), comm)
#define SENT_ELSEWHERE(F) block(F, n, t, MPI_OP_NULL, root, 0, comm)
#define RECEIVED(F) block(F, rn, rt, MPI_OP_NULL, root, IN_PLACE(s), comm)
#define RECEIVED_ELSEWHERE(F) block(F, rn, rt, MPI_OP_NULL, root, 0, comm)
#define ALL_SENT(F) blocks(F, n, sizeof *n, t, MPI_OP_NULL, root, IN_PLACE(r), comm)
#define ALL_RECEIVED(F) blocks(F, rn, sizeof *rn, rt, MPI_OP_NULL, root, IN_PLACE(s), comm)

/* The bytes of an Alltoallw are those for the first process: each has a datatype of its own. */
static call of_types(function f, int64_t n, MPI_Datatype type, MPI_Comm comm)
{
    call c = block(f, n, type, MPI_OP_NULL, 0, 0, comm);
    c.uneven = 1;
    return c;
}

#define COLLECTIVES(NAME, KIND, N, D, C, T, P)                                                                         \
    MOVEMENT(NAME(Allgather, allgather), KIND(ALLGATHER), N, C, T, P)                                                  \
    MOVEMENT(NAME(Alltoall, alltoall), KIND(ALLTOALL), N, C, T, P)                                                     \
    ROOTED_MOVEMENT(NAME(Gather, gather), KIND(GATHER), N, C, T, P, RECEIVED(KIND(GATHER)),                            \
                    SENT_ELSEWHERE(KIND(GATHER)))                                                                      \
    ROOTED_MOVEMENT(NAME(Scatter, scatter), KIND(SCATTER), N, C, T, P, SENT(KIND(SCATTER)),                            \
                    RECEIVED_ELSEWHERE(KIND(SCATTER)))                                                                 \
    REDUCTION(NAME(Allreduce, allreduce), KIND(ALLREDUCE), N, C, T, P)                                                 \
    REDUCTION(NAME(Exscan, exscan), KIND(EXSCAN), N, C, T, P)                                                          \
    REDUCTION(NAME(Reduce_scatter_block, reduce_scatter_block), KIND(REDUCE_SCATTER_BLOCK), N, C, T, P)                \
    REDUCTION(NAME(Scan, scan), KIND(SCAN), N, C, T, P)                                                                \
    COLLECTIVE(NAME(Reduce, reduce), C,                                                                                \
               (const void *s, void *r, N n, MPI_Datatype t, MPI_Op op, int root, T(MPI_Comm comm)),                   \
               (s, r, n, t, op, root, P(comm)), is_seen_rooted(KIND(REDUCE), root, comm),                              \
               block(KIND(REDUCE), n, t, op, root, IN_PLACE(s), comm), REDUCED)                                        \
    COLLECTIVE(NAME(Bcast, bcast), C, (void *data, N n, MPI_Datatype t, int root, T(MPI_Comm comm)),                   \
               (data, n, t, root, P(comm)), is_seen_rooted(KIND(BCAST), root, comm),                                   \
               block(KIND(BCAST), n, t, MPI_OP_NULL, root, 0, comm),                                                   \
               (FITS(n) && apply_movement(&c, NULL, 0, MPI_DATATYPE_NULL, data, (int)n, t, &rc)))                      \
    COLLECTIVE(NAME(Allgatherv, allgatherv), C,                                                                        \
               (const void *s, N n, MPI_Datatype t, void *r, const N rn[], const D rd[], MPI_Datatype rt,              \
                T(MPI_Comm comm)),                                                                                     \
               (s, n, t, r, rn, rd, rt, P(comm)), is_seen(KIND(ALLGATHERV), comm),                                     \
               blocks(KIND(ALLGATHERV), rn, sizeof *rn, rt, MPI_OP_NULL, 0, IN_PLACE(s), comm), 0)                     \
    COLLECTIVE(NAME(Alltoallv, alltoallv), C,                                                                          \
               (const void *s, const N n[], const D sd[], MPI_Datatype t, void *r, const N rn[], const D rd[],         \
                MPI_Datatype rt, T(MPI_Comm comm)),                                                                    \
               (s, n, sd, t, r, rn, rd, rt, P(comm)), is_seen(KIND(ALLTOALLV), comm),                                  \
               blocks(KIND(ALLTOALLV), rn, sizeof *rn, rt, MPI_OP_NULL, 0, IN_PLACE(s), comm), 0)                      \
    COLLECTIVE(NAME(Alltoallw, alltoallw), C,                                                                          \
               (const void *s, const N n[], const D sd[], const MPI_Datatype t[], void *r, const N rn[],               \
                const D rd[], const MPI_Datatype rt[], T(MPI_Comm comm)),                                              \
               (s, n, sd, t, r, rn, rd, rt, P(comm)), is_seen(KIND(ALLTOALLW), comm),                                  \
               of_types(KIND(ALLTOALLW), rn[0], rt[0], comm), 0)                                                       \
    COLLECTIVE(NAME(Gatherv, gatherv), C,                                                                              \
               (const void *s, N n, MPI_Datatype t, void *r, const N rn[], const D rd[], MPI_Datatype rt, int root,    \
                T(MPI_Comm comm)),                                                                                     \
               (s, n, t, r, rn, rd, rt, root, P(comm)), is_seen_rooted(KIND(GATHERV), root, comm),                     \
               (is_at(root, comm) ? ALL_RECEIVED(KIND(GATHERV)) : SENT_ELSEWHERE(KIND(GATHERV))), 0)                   \
    COLLECTIVE(NAME(Scatterv, scatterv), C,                                                                            \
               (const void *s, const N n[], const D sd[], MPI_Datatype t, void *r, N rn, MPI_Datatype rt, int root,    \
                T(MPI_Comm comm)),                                                                                     \
               (s, n, sd, t, r, rn, rt, root, P(comm)), is_seen_rooted(KIND(SCATTERV), root, comm),                    \
               (is_at(root, comm) ? ALL_SENT(KIND(SCATTERV)) : RECEIVED_ELSEWHERE(KIND(SCATTERV))), 0)                 \
    COLLECTIVE(NAME(Reduce_scatter, reduce_scatter), C,                                                                \
               (const void *s, void *r, const N n[], MPI_Datatype t, MPI_Op op, T(MPI_Comm comm)),                     \
               (s, r, n, t, op, P(comm)), is_seen(KIND(REDUCE_SCATTER), comm),                                         \
               blocks(KIND(REDUCE_SCATTER), n, sizeof *n, t, op, 0, IN_PLACE(s), comm), 0)

#define BARRIER_OF(Name, F, T, P)                                                                                      \
    COLLECTIVE(Name, , (T(MPI_Comm comm)), (P(comm)), is_seen(F, comm),                                                \
               block(F, 0, MPI_DATATYPE_NULL, MPI_OP_NULL, 0, 0, comm), 0)

COLLECTIVES(NAME, KIND, int, int, , ALONE, ALONE)
COLLECTIVES(NAME, KIND, MPI_Count, MPI_Aint, _c, ALONE, ALONE)
BARRIER_OF(Barrier, BARRIER, ALONE, ALONE)
COLLECTIVES(I_NAME, I_KIND, int, int, , TAKE_REQUEST, PASS_REQUEST)
COLLECTIVES(I_NAME, I_KIND, MPI_Count, MPI_Aint, _c, TAKE_REQUEST, PASS_REQUEST)
BARRIER_OF(Ibarrier, IBARRIER, TAKE_REQUEST, PASS_REQUEST)
