/* The collectives and their mock-ups as rows of {prepare, run, release}.
 *
 * One file per collective holds its row and the rows of its mock-ups, table.c
 * joins the files, and the Go table says by id what each row is. A row never names
 * MPI_COMM_WORLD, and run neither allocates nor prints: what it needs comes from the context.
 *
 * Mock-ups of your own are rows in a shared library, see the end of this file. It needs
 * nothing else of pgmpi: what rows are written with is inline here, so that the
 * library can be linked, and be tried by any program, without the rank program. */
#ifndef PGMPI_MOCKUPS_H
#define PGMPI_MOCKUPS_H

#include <mpi.h>
#include <stdint.h>
#include <string.h>

/* The version of this file for shared libraries: a new one whenever a struct changes. */
enum { PG_PLUGIN_VERSION = 2 };

/* The family of the MPI library that the headers belong to. */
#if defined(I_MPI_NUMVERSION)
#define PG_LIBRARY "intel"
#elif defined(MVAPICH2_VERSION) || defined(MVAPICH_VERSION) || defined(MVAPICH_NUMVERSION)
#define PG_LIBRARY "mvapich"
#elif defined(MPICH_VERSION)
#define PG_LIBRARY "mpich"
#elif defined(OPEN_MPI)
#define PG_LIBRARY "openmpi"
#elif defined(MPI_ABI_VERSION)
#define PG_LIBRARY "abi" /* MPI's standard ABI, of any library */
#else
#define PG_LIBRARY "unknown"
#endif

enum { PG_TEMPS = 4, PG_GUARD_BYTES = 64, PG_GUARD = 0xa5, PG_ALIGN = 4096 };

/* Lists for calls with counts for every process, besides counts and displs: size entries each. */
typedef struct pg_lists {
    int *from_counts, *from_displs; /* of what is received, where that differs from what is sent */
    MPI_Datatype *types;
    MPI_Count *long_counts;
    MPI_Aint *long_displs;
} pg_lists;

/* The context of one case. All of it is set before prepare; only prepare may change temp, counts and
 * displs. */
typedef struct pg_ctx {
    MPI_Comm comm; /* that functions are called on */
    int rank, size, root;
    int64_t count;     /* elements in one block (the msize divided by extent) */
    MPI_Datatype type; /* contiguous and predefined */
    int64_t extent;    /* bytes of one element */
    MPI_Op op;
    void *send;           /* the caller's send buffer; it must not be changed */
    void *recv;           /* the caller's receive buffer; in and out for Bcast */
    void *temp[PG_TEMPS]; /* what prepare took with pg_temp */
    int *counts, *displs; /* size entries each, for prepare to fill */
    MPI_Datatype made;     /* a datatype that prepare made and release frees */
    MPI_Request request;   /* of a call that is nonblocking or persistent */

    /* The memory of pg_temp: one arena for all cases of a run, of which a case gets what the Go
     * table gives it. */
    char *arena;
    int64_t arena_bytes, arena_used;
    int64_t temp_elements; /* that pg_temp may still give */
    char *guard[PG_TEMPS]; /* PG_GUARD_BYTES after every temporary */

    /* Of a sample that is several calls in a row: the call, and how many. */
    int (*one)(struct pg_ctx *);
    int64_t calls;

    /* The rank program's: its own messages have a communicator with the same
     * processes, and forced is the algorithm that the library is told to use
     * during the calls; NULL if none. */
    MPI_Comm own;
    const struct pg_forced *forced;

    /* Of its rows alone: the nodes that the processes are on; NULL if not looked for. */
    struct pg_lanes *lanes;

    /* Of its rows alone: where counts are by a rule they are set before prepare, like the
     * first two of lists, which others have not. */
    pg_lists *lists;
    MPI_Comm ring; /* that prepare made and release frees */
} pg_ctx;

/* A measurable function. All three return an MPI error code. */
typedef struct pg_function {
    const char *id; /* as in the Go table */
    int (*prepare)(pg_ctx *);
    int (*run)(pg_ctx *);
    void (*release)(pg_ctx *);
} pg_function;

/* The collectives and their mock-ups, in no order; *n gets the number of rows. */
const pg_function *pg_table(int *n);

/* Likewise, the other ways to call a collective. */
const pg_function *pg_variants(int *n);

/* The row of a nonblocking collective whose run only posts, into the request of the
 * context; NULL if there is none. */
const pg_function *pg_post_of(const char *id);

/* Takes `elements` elements as temp[slot] from the arena, zeroed and guarded; with
 * PGMPI_APPLIED, in other people's programs, neither: a program pays for prepare too.
 * Returns MPI_ERR_NO_MEM when that is more than the table gives the row. */
static inline int pg_temp(pg_ctx *x, int slot, int64_t elements)
{
    if (slot < 0 || slot >= PG_TEMPS || elements < 0)
        return MPI_ERR_ARG;

    if (elements > x->temp_elements)
        return MPI_ERR_NO_MEM;
    int64_t bytes = elements * x->extent;
    uintptr_t next = (uintptr_t)x->arena + (uintptr_t)x->arena_used;
    int64_t start = x->arena_used + (int64_t)(-next % PG_ALIGN);
    if (bytes + PG_GUARD_BYTES > x->arena_bytes - start)
        return MPI_ERR_NO_MEM;

    x->temp_elements -= elements;
    x->temp[slot] = x->arena + start;
    x->guard[slot] = x->arena + start + bytes;
    x->arena_used = start + bytes + PG_GUARD_BYTES;
#ifndef PGMPI_APPLIED
    memset(x->temp[slot], 0, (size_t)bytes);
    memset(x->guard[slot], PG_GUARD, PG_GUARD_BYTES);
#endif
    return MPI_SUCCESS;
}

/* Gives all temporaries back. The release of a row that has nothing else. */
static inline void pg_release(pg_ctx *x)
{
    for (int i = 0; i < PG_TEMPS; i++) {
        x->temp[i] = NULL;
        x->guard[i] = NULL;
    }
    x->arena_used = 0;
}

/* The prepare of a row that needs nothing. */
static inline int pg_prepare_nothing(pg_ctx *x)
{
    (void)x;
    return MPI_SUCCESS;
}

/* 1 if nothing was written after a temporary, else 0. */
int pg_temps_intact(const pg_ctx *x);

/* The only ways in which a row copies and zeroes: n in elements, offsets are
 * the caller's through pg_at. Buffers do not overlap. */
static inline void pg_copy(const pg_ctx *x, void *to, const void *from, int64_t elements)
{
    if (elements > 0)
        memcpy(to, from, (size_t)(elements * x->extent));
}

static inline void pg_zero(const pg_ctx *x, void *at, int64_t elements)
{
    if (elements > 0)
        memset(at, 0, (size_t)(elements * x->extent));
}

/* The address of element i of a buffer. */
static inline void *pg_at(const pg_ctx *x, const void *base, int64_t i)
{
    return (char *)base + i * x->extent;
}

/* count rounded up to a multiple of the communicator's size, and its p-th part. */
static inline int64_t pg_part(const pg_ctx *x)
{
    return (x->count + x->size - 1) / x->size;
}

/* A mock-up of your own. Its id says which collective it stands for: "scan_as_mine".
 * The most temporaries that any rank takes are counted by their size: one block of
 * count elements, one block per process, and one block rounded up to a multiple of the
 * processes. */
typedef struct pg_mockup {
    pg_function call;
    struct {
        int one, per_rank, padded;
    } temps;
} pg_mockup;

/* The rank program looks for this in a shared library, by the name pgmpi_plugin. The first two stay
 * where they are in every version. */
typedef struct pg_plugin {
    int version;      /* PG_PLUGIN_VERSION */
    char library[28]; /* PG_LIBRARY */
    const pg_mockup *rows;
    int n;
} pg_plugin;

/* The last line of the shared library's source: PGMPI_PLUGIN(rows), with the array. */
#define PGMPI_PLUGIN(rows)                                                           \
    __attribute__((visibility("default"))) extern const pg_plugin pgmpi_plugin;      \
    const pg_plugin pgmpi_plugin = {PG_PLUGIN_VERSION, PG_LIBRARY, rows, (int)(sizeof(rows) / sizeof *(rows))}

#endif
