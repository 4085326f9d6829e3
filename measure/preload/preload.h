/* A library that is preloaded into the ranks of any MPI program (LD_PRELOAD). It
 * stands between the program and its MPI library, by the profiling interface:
 *
 *     PGMPI_PROFILE=FILE   what the program calls is counted and timed (profile.c, others.c, messages.c)
 *     PGMPI_SYNC=1         and a barrier before each blocking collective tells the waiting for late ranks from it
 *     PGMPI_SITES=1        and the places that it is called from (sites.c)
 *     PGMPI_APPLY=FILE     calls that the rules in FILE name go through a mock-up (apply.c)
 *     PGMPI_APPLIED=FILE   rank 0 writes there how many calls went through each rule
 *     PGMPI_CALLED=FILE    rank 0 writes there how many calls the ranks made, untimed
 *
 * Collectives are seen by the names that C programs call and by those that the library's
 * Fortran calls (entries.c). It is compiled with the wrapper
 * of the program's MPI library, together with mockups/c, whose calls of MPI_ are
 * renamed to PMPI_: nothing that it does itself comes back here.
 *
 * Of two tools with the profiling interface the one that is preloaded first sees the
 * calls of the program. */
#ifndef PGMPI_PRELOAD_H
#define PGMPI_PRELOAD_H

#include <mpi.h>
#include <stdint.h>

#include "others.h"

typedef enum {
    ALLGATHER, ALLGATHERV, ALLREDUCE, ALLTOALL, ALLTOALLV, ALLTOALLW, BARRIER, BCAST, EXSCAN, GATHER, GATHERV, REDUCE,
    REDUCE_SCATTER, REDUCE_SCATTER_BLOCK, SCAN, SCATTER, SCATTERV,
    IALLGATHER, IALLGATHERV, IALLREDUCE, IALLTOALL, IALLTOALLV, IALLTOALLW, IBARRIER, IBCAST, IEXSCAN, IGATHER, IGATHERV,
    IREDUCE, IREDUCE_SCATTER, IREDUCE_SCATTER_BLOCK, ISCAN, ISCATTER, ISCATTERV, FUNCTIONS
} function;

extern const char *const function_names[FUNCTIONS];

/* Calls that a program makes by two others, one after the other: each is counted besides these. */
typedef enum { MADE_ALLREDUCE, MADE_ALLGATHER, MADE_BCAST, MADE_REDUCE_SCATTER, MADES } made;
extern const char *const other_names[OTHERS];

/* Classes of datatypes, known without looking into them. */
typedef enum { TYPE_NONE, INTEGERS, FLOATS, COMPLEXES, LOGICALS, BYTES, PAIRS, DERIVED, SPARSE } type_class;

/* A predefined datatype, or one place for all others of a class. */
typedef struct {
    MPI_Datatype type;
    const char *name;
    type_class class;
} known_type;

typedef struct {
    MPI_Op op;
    const char *name;
} known_op;

/* Indices into the tables; an operator of the program's own is the last one. */
int type_of(MPI_Datatype type);
int size_of_type(MPI_Datatype type, int *size); /* an MPI error code */
int op_of(MPI_Op op);
const known_type *type_at(int index);
const char *op_name(int index);

/* One call of a collective, as this rank makes it. */
typedef struct {
    function f;
    MPI_Comm comm;
    MPI_Datatype type;
    MPI_Op op;
    int64_t bytes; /* of one block, a mean one where they differ, or -1 if an argument is wrong */
    int root, in_place, uneven;
    int64_t waited; /* counts of the clock in a barrier before it */
    uint64_t begin; /* a count of the clock, or 0 if nothing is timed */
    int64_t faults; /* page faults of this thread before it, or -1 if not asked for */
} call;

/* The processes of a communicator: a question that libraries may take a lock for, and most
 * calls are on one. */
static inline int size_of(MPI_Comm comm)
{
    static int world;
    int p;
    if (comm == MPI_COMM_WORLD && world > 0)
        return world;
    if (PMPI_Comm_size(comm, &p) != MPI_SUCCESS)
        return -1;
    if (comm == MPI_COMM_WORLD)
        world = p;
    return p;
}

/* A communicator of the same processes in the same order, or MPI_COMM_NULL: no message, probe or collective of the
 * program's meets what is sent there. None of its attributes is copied, so that no callback of the program's runs, and
 * errors are returned. All processes call it together. */
MPI_Comm own_comm(MPI_Comm comm);

/* Names of MPI functions that come before ours in this process, such as "MPI_Init MPI_Allreduce", and the file that
 * has the first of them: calls of them are not seen, unless they are passed on. A handler of signals reads them. */
extern char hidden_names[];
extern const char *hidden_by;
void find_hidden(void);

/* Whether anything looks at a function: the least that a call pays. */
extern int profiling;
extern int watching; /* profiling, or calls are counted without being timed */
/* In a call that is counted: what the library calls itself by then is part of it. */
extern _Thread_local int inside __attribute__((tls_model("initial-exec")));
extern int ruled[FUNCTIONS];

void profile_begin(call *c);
void profile_end(const call *c);
void profile_finish(void);
uint64_t other_begin(void);
int64_t other_end(other what, uint64_t begun); /* the time in between */
int is_fortran(const void *caller);
extern _Atomic int64_t calls_made;

void calls_finish(void);
void profile_init(void);
int profile_part(void); /* what this rank has, where no other may be asked; 1 if it was written */

/* ---- messages: by function, size and kind of pair ---- */

typedef long word; /* an argument, in a register or on the stack */

/* Processes of one node, of two, or of which that is not known. */
typedef enum { ON_NODE, BETWEEN_NODES, SOME_PAIR, PAIRS_KINDS } pair_kind;

/* Sizes of 0, 1, 2 to 3, 4 to 7 bytes and so on; the last one has all above, too. */
enum { SIZES = 48, FIRST_MESSAGE = OTHER_Send, MESSAGES = OTHER_Waitsome - OTHER_Send + 1 };

/* What a call does with messages, and which of its words say of what size they are, and with whom. */
typedef enum { UNSIZED, BLOCKS, RECEIVES, EXCHANGES, STARTS, EXPECTS, WAITS, MIXES, FREES, MEETS } sized_call;
typedef struct {
    short of; /* the function that it is counted as */
    unsigned char what, comm, source, large;
} sized;

void messages_start(void);
void messages_finish(void);
void messages_mixed(void);
void message_end(const sized *as, const word *words, int64_t spent);
void profile_message(int function, int size, pair_kind pair, int64_t spent);

/* ---- where the program calls from ---- */

enum { SITES = 1024 };

/* Calls of one function from one place. */
typedef struct {
    int what; /* a function, or -1 less any other one */
    int64_t bytes, calls, spent;
    uint64_t at; /* an address in this process, or in the file that is the module */
    char module[256];
} site;

extern int siting;
extern _Thread_local const void *call_site __attribute__((tls_model("initial-exec"))); /* of the call that is made */

/* In the function that the program calls. */
#define CALLED_FROM(where)                                                                                             \
    do {                                                                                                               \
        if (siting && !inside)                                                                                         \
            find_site(where);                                                                                          \
    } while (0)

void sites_start(void);
void find_site(const void *caller);
void site_end(int what, int64_t bytes, int64_t spent);
void sites_settle(double each);
const site *sites_all(void);
void sites_merge(const site *from);

/* Both return 1 and *rc where the call went through a mock-up, else 0. */
int apply_reduction(const call *c, const void *send, void *recv, int count, int *rc);
int apply_movement(const call *c, const void *send, int n, MPI_Datatype type, void *recv, int rn, MPI_Datatype rtype, int *rc);
void apply_start(void);
void apply_finish(void);

#endif
