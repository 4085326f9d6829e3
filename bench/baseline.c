//go:build ignore

/* The plain C program that pgmpi-rank is compared with: what one would write by
 * hand to time a collective or a message, with the same loop, clock, communicator, buffers
 * and untimed calls, and no Go.
 *
 *   mpirun -np 2 baseline NREP FIRST_CALLS WARMUP FUNCTION:BYTES…
 *
 * Rank 0 prints a line per case: FUNCTION:BYTES and the samples, the maxima
 * over the ranks, in nanoseconds. */
#define _POSIX_C_SOURCE 200809L
#include <mpi.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { PAGE = 4096, MAX_BYTES = 1 << 20 };

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

static MPI_Comm comm;
static void *send_buffer, *recv_buffer;

/* The first `untimed` repetitions are not kept and not synchronised. */
static void time_allreduce(int n, int untimed, int nrep, int64_t *ns)
{
    for (int i = 0; i < untimed; i++)
        MPI_Allreduce(send_buffer, recv_buffer, n, MPI_BYTE, MPI_BOR, comm);
    for (int i = 0; i < nrep; i++) {
        MPI_Barrier(comm);
        int64_t start = now();
        MPI_Allreduce(send_buffer, recv_buffer, n, MPI_BYTE, MPI_BOR, comm);
        ns[i] = now() - start;
    }
}

static void time_bcast(int n, int untimed, int nrep, int64_t *ns)
{
    for (int i = 0; i < untimed; i++)
        MPI_Bcast(recv_buffer, n, MPI_BYTE, 0, comm);
    for (int i = 0; i < nrep; i++) {
        MPI_Barrier(comm);
        int64_t start = now();
        MPI_Bcast(recv_buffer, n, MPI_BYTE, 0, comm);
        ns[i] = now() - start;
    }
}

/* Half a ping-pong, and both ranks at once. */
static void time_send(int n, int untimed, int nrep, int64_t *ns)
{
    int rank;
    MPI_Comm_rank(comm, &rank);
    for (int i = -untimed; i < nrep; i++) {
        if (i >= 0)
            MPI_Barrier(comm);
        int64_t start = now();
        if (rank == 0)
            MPI_Send(send_buffer, n, MPI_BYTE, 1, 1, comm);
        MPI_Recv(recv_buffer, n, MPI_BYTE, 1 - rank, 1, comm, MPI_STATUS_IGNORE);
        if (rank == 1)
            MPI_Send(send_buffer, n, MPI_BYTE, 0, 1, comm);
        if (i >= 0)
            ns[i] = (now() - start) / 2;
    }
}

static void time_sendrecv(int n, int untimed, int nrep, int64_t *ns)
{
    int rank;
    MPI_Comm_rank(comm, &rank);
    for (int i = -untimed; i < nrep; i++) {
        if (i >= 0)
            MPI_Barrier(comm);
        int64_t start = now();
        MPI_Sendrecv(send_buffer, n, MPI_BYTE, 1 - rank, 1, recv_buffer, n, MPI_BYTE, 1 - rank, 1, comm,
                     MPI_STATUS_IGNORE);
        if (i >= 0)
            ns[i] = now() - start;
    }
}

static const struct {
    const char *name;
    void (*time)(int n, int untimed, int nrep, int64_t *ns);
} functions[] = {{"MPI_Allreduce", time_allreduce}, {"MPI_Bcast", time_bcast},
               {"MPI_Send", time_send}, {"MPI_Sendrecv", time_sendrecv}};

enum { FUNCTIONS = sizeof functions / sizeof *functions };

/* Returns the number of the function that a case names, and its bytes; -1 if the text is no case. */
static int parse(const char *text, int *bytes)
{
    for (int f = 0; f < FUNCTIONS; f++) {
        size_t n = strlen(functions[f].name);
        if (strncmp(text, functions[f].name, n) == 0 && text[n] == ':') {
            *bytes = atoi(text + n + 1);
            return *bytes >= 1 && *bytes <= MAX_BYTES ? f : -1;
        }
    }
    return -1;
}

static void print(const char *name, const int64_t *ns, int nrep)
{
    fputs(name, stdout);
    for (int i = 0; i < nrep; i++)
        printf(" %lld", (long long)ns[i]);
    putchar('\n');
}

int main(int argc, char **argv)
{
    int rank, called[FUNCTIONS] = {0};
    MPI_Init(&argc, &argv);
    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    MPI_Comm_rank(comm, &rank);
    int cases = argc - 4;
    int nrep = argc > 4 ? atoi(argv[1]) : 0;
    if (nrep < 1) {
        fprintf(stderr, "usage: baseline NREP FIRST_CALLS WARMUP FUNCTION:BYTES...\n");
        MPI_Abort(MPI_COMM_WORLD, 2);
    }
    int first_calls = atoi(argv[2]), warmup = atoi(argv[3]);
    send_buffer = pages(MAX_BYTES);
    recv_buffer = pages(MAX_BYTES);
    int64_t *local = pages(sizeof *local * (size_t)nrep);
    int64_t *all = pages(sizeof *all * (size_t)nrep * (size_t)cases);
    for (int c = 0; c < cases; c++) {
        int bytes = 0, f = parse(argv[4 + c], &bytes);
        if (f < 0) {
            fprintf(stderr, "unknown case %s\n", argv[4 + c]);
            MPI_Abort(MPI_COMM_WORLD, 2);
        }
        functions[f].time(bytes, warmup + (called[f]++ ? 0 : first_calls), nrep, local);
        MPI_Reduce(local, all + (size_t)c * (size_t)nrep, nrep, MPI_INT64_T, MPI_MAX, 0, comm);
    }
    for (int c = 0; rank == 0 && c < cases; c++)
        print(argv[4 + c], all + (size_t)c * (size_t)nrep, nrep);
    MPI_Comm_free(&comm);
    MPI_Finalize();
    return 0;
}
