//go:build ignore

/* The loop of mppTest, OSU's pipelined and IMB's benchmarks in plain C: calls in a row
 * behind one barrier, and their time over their number.
 *
 *   mpirun -np 2 pipelined WARMUP BLOCKS FUNCTION:BYTES:CALLS…
 *
 * A case is BLOCKS times CALLS calls; between two blocks nothing is done but that the
 * clock is read. Rank 0 prints a line per case: FUNCTION:BYTES:CALLS and the blocks, the
 * maxima over the ranks, in nanoseconds. */
#define _POSIX_C_SOURCE 200809L
#include <mpi.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { PAGE = 4096, MAX_BYTES = 1 << 20, MAX_BLOCKS = 1000 };

static MPI_Comm comm;
static void *send_buffer, *recv_buffer;

static int64_t now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

static void *pages(size_t bytes)
{
    void *at;
    if (posix_memalign(&at, PAGE, bytes) != 0) {
        fprintf(stderr, "no memory for %zu bytes\n", bytes);
        MPI_Abort(MPI_COMM_WORLD, 1);
    }
    memset(at, 0, bytes);
    return at;
}

static void allreduce(int n) { MPI_Allreduce(send_buffer, recv_buffer, n, MPI_BYTE, MPI_BOR, comm); }
static void bcast(int n) { MPI_Bcast(recv_buffer, n, MPI_BYTE, 0, comm); }
static void alltoall(int n) { MPI_Alltoall(send_buffer, n, MPI_BYTE, recv_buffer, n, MPI_BYTE, comm); }
static void allgather(int n) { MPI_Allgather(send_buffer, n, MPI_BYTE, recv_buffer, n, MPI_BYTE, comm); }
static void reduce(int n) { MPI_Reduce(send_buffer, recv_buffer, n, MPI_BYTE, MPI_BOR, 0, comm); }

static const struct {
    const char *name;
    void (*call)(int n);
} functions[] = {{"MPI_Allreduce", allreduce}, {"MPI_Bcast", bcast}, {"MPI_Alltoall", alltoall}, {"MPI_Allgather", allgather}, {"MPI_Reduce", reduce}};

enum { FUNCTIONS = sizeof functions / sizeof *functions };

/* Returns the number of the function that a case names, its bytes and calls; -1 if the text is no case. */
static int parse(const char *text, int *bytes, int *calls)
{
    for (int f = 0; f < FUNCTIONS; f++) {
        size_t n = strlen(functions[f].name);
        if (strncmp(text, functions[f].name, n) == 0 && text[n] == ':')
            return sscanf(text + n, ":%d:%d", bytes, calls) == 2 && *bytes >= 1 && *bytes <= MAX_BYTES && *calls >= 1 ? f : -1;
    }
    return -1;
}

static void measure(void (*call)(int n), int bytes, int calls, int blocks, int warmup, int64_t *ns)
{
    for (int i = 0; i < warmup; i++)
        call(bytes);
    MPI_Barrier(comm);
    int64_t before = now();
    for (int b = 0; b < blocks; b++) {
        for (int i = 0; i < calls; i++)
            call(bytes);
        int64_t after = now();
        ns[b] = after - before;
        before = after;
    }
}

int main(int argc, char **argv)
{
    int rank, size;
    int64_t local[MAX_BLOCKS], all[MAX_BLOCKS];
    MPI_Init(&argc, &argv);
    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    MPI_Comm_rank(comm, &rank);
    MPI_Comm_size(comm, &size);
    int blocks = argc > 3 ? atoi(argv[2]) : 0;
    if (blocks < 1 || blocks > MAX_BLOCKS) {
        fprintf(stderr, "usage: pipelined WARMUP BLOCKS FUNCTION:BYTES:CALLS...\n");
        MPI_Abort(MPI_COMM_WORLD, 2);
    }
    send_buffer = pages((size_t)size * MAX_BYTES);
    recv_buffer = pages((size_t)size * MAX_BYTES);
    for (int c = 3; c < argc; c++) {
        int bytes = 0, calls = 0, f = parse(argv[c], &bytes, &calls);
        if (f < 0) {
            fprintf(stderr, "unknown case %s\n", argv[c]);
            MPI_Abort(MPI_COMM_WORLD, 2);
        }
        measure(functions[f].call, bytes, calls, blocks, atoi(argv[1]), local);
        MPI_Reduce(local, all, blocks, MPI_INT64_T, MPI_MAX, 0, comm);
        if (rank != 0)
            continue;
        fputs(argv[c], stdout);
        for (int b = 0; b < blocks; b++)
            printf(" %lld", (long long)all[b]);
        putchar('\n');
    }
    MPI_Comm_free(&comm);
    MPI_Finalize();
    return 0;
}
