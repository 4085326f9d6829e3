//go:build ignore

/* A plain C program that knows nothing of pgmpi: what a setting does for it is what the setting is worth.
 *
 *   mpirun -np 2 collectives FUNCTION:BYTES…
 *
 * BYTES is one block; collectives that reduce add doubles, all others move bytes. Rank 0 prints a line
 * for each case: FUNCTION:BYTES and the median over its calls, in nanoseconds, of the slowest rank. */
#define _POSIX_C_SOURCE 200809L
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { UNTIMED = 20, LARGE = 64 << 10, MANY = 300, FEW = 40, MAX_BYTES = 64 << 20, PAGE = 4096 };

static int ranks;
static char *out, *in;
static int *each, *at;

static void allgather(int n) { MPI_Allgather(out, n, MPI_BYTE, in, n, MPI_BYTE, MPI_COMM_WORLD); }
static void allgatherv(int n) { MPI_Allgatherv(out, n, MPI_BYTE, in, each, at, MPI_BYTE, MPI_COMM_WORLD); }
static void allreduce(int n) { MPI_Allreduce(out, in, n, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD); }
static void alltoall(int n) { MPI_Alltoall(out, n, MPI_BYTE, in, n, MPI_BYTE, MPI_COMM_WORLD); }
static void alltoallv(int n) { (void)n; MPI_Alltoallv(out, each, at, MPI_BYTE, in, each, at, MPI_BYTE, MPI_COMM_WORLD); }
static void bcast(int n) { MPI_Bcast(in, n, MPI_BYTE, 0, MPI_COMM_WORLD); }
static void exscan(int n) { MPI_Exscan(out, in, n, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD); }
static void gather(int n) { MPI_Gather(out, n, MPI_BYTE, in, n, MPI_BYTE, 0, MPI_COMM_WORLD); }
static void gatherv(int n) { MPI_Gatherv(out, n, MPI_BYTE, in, each, at, MPI_BYTE, 0, MPI_COMM_WORLD); }
static void reduce(int n) { MPI_Reduce(out, in, n, MPI_DOUBLE, MPI_SUM, 0, MPI_COMM_WORLD); }
static void reduce_scatter(int n) { (void)n; MPI_Reduce_scatter(out, in, each, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD); }
static void reduce_scatter_block(int n) { MPI_Reduce_scatter_block(out, in, n, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD); }
static void scan(int n) { MPI_Scan(out, in, n, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD); }
static void scatter(int n) { MPI_Scatter(out, n, MPI_BYTE, in, n, MPI_BYTE, 0, MPI_COMM_WORLD); }
static void scatterv(int n) { MPI_Scatterv(out, each, at, MPI_BYTE, in, n, MPI_BYTE, 0, MPI_COMM_WORLD); }

static const struct {
    const char *name;
    int element; /* bytes */
    void (*call)(int n);
} functions[] = {
    {"MPI_Allgather", 1, allgather},
    {"MPI_Allgatherv", 1, allgatherv},
    {"MPI_Allreduce", 8, allreduce},
    {"MPI_Alltoall", 1, alltoall},
    {"MPI_Alltoallv", 1, alltoallv},
    {"MPI_Bcast", 1, bcast},
    {"MPI_Exscan", 8, exscan},
    {"MPI_Gather", 1, gather},
    {"MPI_Gatherv", 1, gatherv},
    {"MPI_Reduce", 8, reduce},
    {"MPI_Reduce_scatter", 8, reduce_scatter},
    {"MPI_Reduce_scatter_block", 8, reduce_scatter_block},
    {"MPI_Scan", 8, scan},
    {"MPI_Scatter", 1, scatter},
    {"MPI_Scatterv", 1, scatterv},
};

enum { FUNCTIONS = sizeof functions / sizeof *functions };

static void stop(const char *why, const char *what)
{
    fprintf(stderr, "collectives: %s: %s\n", why, what);
    MPI_Abort(MPI_COMM_WORLD, 2);
}

/* Returns the number of the function that a case names, and its bytes. */
static int parse(const char *text, long *bytes)
{
    for (int f = 0; f < FUNCTIONS; f++) {
        size_t n = strlen(functions[f].name);
        if (strncmp(text, functions[f].name, n) == 0 && text[n] == ':') {
            *bytes = strtol(text + n + 1, NULL, 10);
            if (*bytes >= 1 && *bytes <= MAX_BYTES && *bytes % functions[f].element == 0)
                return f;
        }
    }
    stop("no case", text);
    return -1;
}

static char *pages(size_t bytes)
{
    void *p;
    if (posix_memalign(&p, PAGE, bytes) != 0)
        stop("no memory", "for the buffers");
    memset(p, 0, bytes);
    return p;
}

static int ascending(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static double median_of(int f, int n, double *ns)
{
    int calls = (long)n * functions[f].element < LARGE ? MANY : FEW;
    for (int r = 0; r < ranks; r++) {
        each[r] = n;
        at[r] = r * n;
    }
    for (int i = -UNTIMED; i < calls; i++) {
        struct timespec from, to;
        MPI_Barrier(MPI_COMM_WORLD);
        clock_gettime(CLOCK_MONOTONIC, &from);
        functions[f].call(n);
        clock_gettime(CLOCK_MONOTONIC, &to);
        if (i >= 0)
            ns[i] = (double)(to.tv_sec - from.tv_sec) * 1e9 + (double)(to.tv_nsec - from.tv_nsec);
    }
    double slowest[MANY];
    MPI_Allreduce(ns, slowest, calls, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
    qsort(slowest, (size_t)calls, sizeof *slowest, ascending);
    return slowest[calls / 2];
}

int main(int argc, char **argv)
{
    static double ns[MANY];
    int rank;
    long bytes, most = 1;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    for (int i = 1; i < argc; i++) {
        parse(argv[i], &bytes);
        most = bytes > most ? bytes : most;
    }
    out = pages((size_t)ranks * (size_t)most);
    in = pages((size_t)ranks * (size_t)most);
    each = (int *)(void *)pages(sizeof *each * (size_t)ranks);
    at = (int *)(void *)pages(sizeof *at * (size_t)ranks);
    for (int i = 1; i < argc; i++) {
        int f = parse(argv[i], &bytes);
        double median = median_of(f, (int)(bytes / functions[f].element), ns);
        if (rank == 0)
            printf("%s %.0f\n", argv[i], median);
    }
    MPI_Finalize();
    return 0;
}
