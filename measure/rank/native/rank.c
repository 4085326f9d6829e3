#define _POSIX_C_SOURCE 200809L
#include "rank.h"

#include "algorithms.h"
#include "lanes.h"

#include <stdlib.h>
#include <string.h>

#define TEXT_(x) #x
#define TEXT(x) TEXT_(x)
#if defined(OPEN_MPI)
#define BUILT_FOR "Open MPI " TEXT(OMPI_MAJOR_VERSION) "." TEXT(OMPI_MINOR_VERSION) "." TEXT(OMPI_RELEASE_VERSION)
#elif defined(I_MPI_VERSION)
#define BUILT_FOR "Intel MPI " I_MPI_VERSION
#elif defined(MVAPICH2_VERSION)
#define BUILT_FOR "MVAPICH2 " MVAPICH2_VERSION
#elif defined(MVAPICH_VERSION)
#define BUILT_FOR "MVAPICH " MVAPICH_VERSION
#elif defined(MPICH_VERSION)
#define BUILT_FOR "MPICH " MPICH_VERSION
#elif defined(MPI_ABI_VERSION)
#define BUILT_FOR "MPI's standard ABI " TEXT(MPI_ABI_VERSION) "." TEXT(MPI_ABI_SUBVERSION)
#else
#define BUILT_FOR "an unknown MPI library"
#endif

#if defined(__clang__)
#define COMPILER "clang " __clang_version__
#elif defined(__GNUC__)
#define COMPILER "gcc " __VERSION__
#else
#define COMPILER ""
#endif

const char *pg_built_family(void) { return PG_LIBRARY; }
const char *pg_built_for(void) { return BUILT_FOR; }
const char *pg_compiler(void) { return COMPILER; }

static int communicator(MPI_Comm *comm)
{
    int rc = MPI_Comm_dup(MPI_COMM_WORLD, comm);
    return rc == MPI_SUCCESS ? MPI_Comm_set_errhandler(*comm, MPI_ERRORS_RETURN) : rc;
}

int pg_start(pg_ctx *x, int level, int *provided)
{
    const int levels[] = {MPI_THREAD_SINGLE, MPI_THREAD_FUNNELED, MPI_THREAD_SERIALIZED, MPI_THREAD_MULTIPLE};
    int has;
    int rc = level == 0 ? MPI_Init(NULL, NULL) : MPI_Init_thread(NULL, NULL, levels[level], &has);
    if (rc == MPI_SUCCESS)
        rc = MPI_Query_thread(&has);
    *provided = -1;
    for (int i = 0; rc == MPI_SUCCESS && i < (int)(sizeof levels / sizeof *levels); i++)
        if (levels[i] == has)
            *provided = i;
    if (rc == MPI_SUCCESS)
        rc = communicator(&x->own);
    if (rc == MPI_SUCCESS)
        rc = communicator(&x->comm);
    pg_calls_on(x->comm);
    if (rc == MPI_SUCCESS)
        rc = MPI_Comm_rank(x->own, &x->rank);
    if (rc == MPI_SUCCESS)
        rc = MPI_Comm_size(x->own, &x->size);
    return rc;
}

int pg_stop(pg_ctx *x)
{
    int rc = pg_algorithms_done();
    if (rc == MPI_SUCCESS && x->lanes != NULL)
        rc = pg_free_lanes(x->lanes);
    if (rc == MPI_SUCCESS)
        rc = MPI_Comm_free(&x->own);
    pg_choose_forced(x, NULL);
    if (rc == MPI_SUCCESS)
        rc = MPI_Comm_free(&x->comm);
    return rc == MPI_SUCCESS ? MPI_Finalize() : rc;
}

void pg_abort(int code) { MPI_Abort(MPI_COMM_WORLD, code); }

#ifdef PGMPI_MATMUL2
MPI_Op pg_matmul2(void);
#endif

int pg_choose(pg_ctx *x, const char *type, const char *op)
{
    const struct {
        const char *name;
        MPI_Datatype type;
        int64_t extent;
    } types[] = {
        {"byte", MPI_BYTE, 1},
        {"int", MPI_INT, sizeof(int)},
        {"unsigned", MPI_UNSIGNED, sizeof(unsigned)},
        {"int64", MPI_INT64_T, sizeof(int64_t)},
        {"uint64", MPI_UINT64_T, sizeof(uint64_t)},
        {"2int", MPI_2INT, 2 * sizeof(int)},
        {"float", MPI_FLOAT, sizeof(float)},
        {"double", MPI_DOUBLE, sizeof(double)},
        {"double_complex", MPI_C_DOUBLE_COMPLEX, 2 * sizeof(double)},
    };
    const struct {
        const char *name;
        MPI_Op op;
    } ops[] = {
        {"sum", MPI_SUM},   {"prod", MPI_PROD}, {"min", MPI_MIN},   {"max", MPI_MAX},   {"bor", MPI_BOR},
        {"band", MPI_BAND}, {"bxor", MPI_BXOR}, {"lor", MPI_LOR},   {"land", MPI_LAND}, {"lxor", MPI_LXOR},
        {"minloc", MPI_MINLOC}, {"maxloc", MPI_MAXLOC},
    };
    int found = 0;
    for (size_t i = 0; i < sizeof types / sizeof *types; i++) {
        if (strcmp(types[i].name, type) == 0) {
            x->type = types[i].type;
            x->extent = types[i].extent;
            found++;
        }
    }
    for (size_t i = 0; i < sizeof ops / sizeof *ops; i++) {
        if (strcmp(ops[i].name, op) == 0) {
            x->op = ops[i].op;
            found++;
        }
    }
#ifdef PGMPI_MATMUL2
    if (strcmp(op, "matmul2") == 0 && x->type == MPI_INT) {
        x->op = pg_matmul2();
        found++;
    }
#endif
    return found == 2;
}

char *pg_alloc(int64_t bytes)
{
    void *at;
    size_t whole = (size_t)bytes + PG_GUARD_BYTES;
    if (posix_memalign(&at, PG_ALIGN, whole) != 0)
        return NULL;
    memset(at, 0, whole);
    return at;
}

pg_lists *pg_make_lists(int size)
{
    size_t n = (size_t)size;
    pg_lists *l = calloc(1, sizeof *l);
    if (l == NULL)
        return NULL;
    l->from_counts = calloc(n, sizeof *l->from_counts);
    l->from_displs = calloc(n, sizeof *l->from_displs);
    l->types = calloc(n, sizeof *l->types);
    l->long_counts = calloc(n, sizeof *l->long_counts);
    l->long_displs = calloc(n, sizeof *l->long_displs);
    int whole = l->from_counts && l->from_displs && l->types && l->long_counts && l->long_displs;
    return whole ? l : NULL;
}

void pg_free_lists(pg_lists *l)
{
    if (l == NULL)
        return;
    free(l->from_counts);
    free(l->from_displs);
    free(l->types);
    free(l->long_counts);
    free(l->long_displs);
    free(l);
}

static int run_in_a_row(pg_ctx *x)
{
    int rc = MPI_SUCCESS;
    for (int64_t i = 0; i < x->calls && rc == MPI_SUCCESS; i++)
        rc = x->one(x);
    return rc;
}

const pg_function *pg_in_a_row(pg_function *many, const pg_function *f, pg_ctx *x, int64_t calls)
{
    if (calls <= 1)
        return f;
    *many = *f;
    many->run = run_in_a_row;
    x->one = f->run;
    x->calls = calls;
    return many;
}

int pg_call(const pg_function *f, pg_ctx *x, int64_t n)
{
    int rc = pg_force(x);
    for (int64_t i = 0; i < n && rc == MPI_SUCCESS; i++)
        rc = f->run(x);
    return pg_first(rc, pg_unforce(x));
}

/* A rank that has left tells the late one, which looks before it enters. No clock is compared, and a
 * process that is itself slow to enter is no false alarm. */
int pg_call_late(const pg_function *f, pg_ctx *x, int late, int *early)
{
    enum { TAG = 1, LOOKS = 100 };
    int rc, seen = 0;
    MPI_Status from;

    *early = -1;
    if (x->rank != late) {
        rc = pg_call(f, x, 1);
        return rc == MPI_SUCCESS ? MPI_Send(NULL, 0, MPI_BYTE, late, TAG, x->own) : rc;
    }
    for (int i = 0; i < LOOKS && !seen; i++) {
        rc = MPI_Iprobe(MPI_ANY_SOURCE, TAG, x->own, &seen, &from);
        if (rc != MPI_SUCCESS)
            return rc;
    }
    if (seen)
        *early = from.MPI_SOURCE;
    rc = pg_call(f, x, 1);
    for (int i = 1; i < x->size && rc == MPI_SUCCESS; i++)
        rc = MPI_Recv(NULL, 0, MPI_BYTE, MPI_ANY_SOURCE, TAG, x->own, MPI_STATUS_IGNORE);
    return rc;
}

static int start(pg_ctx *x) { return MPI_Start(&x->request); }

int pg_post_late(const char *id, pg_ctx *x, int late, double limit, int *stuck)
{
    enum { TAG = 1 };
    const pg_function *row = pg_post_of(id);
    int (*post)(pg_ctx *) = row != NULL ? row->run : start, rc = MPI_SUCCESS;

    *stuck = -1;
    if (x->rank != late) {
        rc = post(x);
        if (rc == MPI_SUCCESS)
            rc = MPI_Send(NULL, 0, MPI_BYTE, late, TAG, x->own);
        return rc == MPI_SUCCESS ? MPI_Wait(&x->request, MPI_STATUS_IGNORE) : rc;
    }
    double until = MPI_Wtime() + limit;
    for (int i = 0; i < x->size && *stuck < 0; i++) {
        int seen = i == late;
        while (!seen && rc == MPI_SUCCESS && MPI_Wtime() < until)
            rc = MPI_Iprobe(i, TAG, x->own, &seen, MPI_STATUS_IGNORE);
        if (!seen)
            *stuck = i;
    }
    rc = pg_first(rc, post(x));
    for (int i = 1; i < x->size && rc == MPI_SUCCESS; i++)
        rc = MPI_Recv(NULL, 0, MPI_BYTE, MPI_ANY_SOURCE, TAG, x->own, MPI_STATUS_IGNORE);
    return rc == MPI_SUCCESS ? MPI_Wait(&x->request, MPI_STATUS_IGNORE) : rc;
}

void pg_library_version(char *text, int *length) { MPI_Get_library_version(text, length); }

void pg_error_text(int code, char *text)
{
    int length;
    MPI_Error_string(code, text, &length);
}
