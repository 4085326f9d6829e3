/* Calls each of the 17 nonblocking collectives, the first once, the next one twice and so on, and what else of MPI takes
 * time. Wrong data of collectives and messages end it. */
#include <mpi.h>
#include <stdio.h>

enum { MOST = 16, BLOCK = 4, MESSAGES = 3, PAIRS = 5, PROBES = 6 };

static double a[MOST * BLOCK], b[MOST * BLOCK];
static int counts[MOST], places[MOST], bytes[MOST], times, rank, other;
static MPI_Datatype types[MOST];

#define CALL(name, ...)                        \
    for (int i = 0, n = ++times; i < n; i++) { \
        MPI_Request r;                         \
        name(__VA_ARGS__, &r);                 \
        MPI_Wait(&r, MPI_STATUS_IGNORE);       \
    }

static void expect(double is, double wanted)
{
    if (is != wanted)
        fprintf(stderr, "%g instead of %g\n", is, wanted), MPI_Abort(MPI_COMM_WORLD, 1);
}

static void collectives(void)
{
    MPI_Comm c = MPI_COMM_WORLD;
    CALL(MPI_Iallgather, a, 4, MPI_DOUBLE, b, 4, MPI_DOUBLE, c)
    CALL(MPI_Iallgatherv, a, 4, MPI_DOUBLE, b, counts, places, MPI_DOUBLE, c)
    CALL(MPI_Iallreduce, a, b, 4, MPI_DOUBLE, MPI_SUM, c)
    expect(b[0], 3);
    CALL(MPI_Ialltoall, a, 4, MPI_DOUBLE, b, 4, MPI_DOUBLE, c)
    CALL(MPI_Ialltoallv, a, counts, places, MPI_DOUBLE, b, counts, places, MPI_DOUBLE, c)
    CALL(MPI_Ialltoallw, a, counts, bytes, types, b, counts, bytes, types, c)
    expect(b[4 * other], other + 1);
    CALL(MPI_Ibarrier, c)
    CALL(MPI_Ibcast, b, 4, MPI_DOUBLE, 0, c)
    CALL(MPI_Iexscan, a, b, 4, MPI_DOUBLE, MPI_SUM, c)
    CALL(MPI_Igather, a, 4, MPI_DOUBLE, b, 4, MPI_DOUBLE, 0, c)
    CALL(MPI_Igatherv, a, 4, MPI_DOUBLE, b, counts, places, MPI_DOUBLE, 0, c)
    CALL(MPI_Ireduce, a, b, 4, MPI_DOUBLE, MPI_SUM, 0, c)
    CALL(MPI_Ireduce_scatter, a, b, counts, MPI_DOUBLE, MPI_SUM, c)
    CALL(MPI_Ireduce_scatter_block, a, b, 4, MPI_DOUBLE, MPI_SUM, c)
    CALL(MPI_Iscan, a, b, 4, MPI_DOUBLE, MPI_SUM, c)
    CALL(MPI_Iscatter, a, 4, MPI_DOUBLE, b, 4, MPI_DOUBLE, 0, c)
    CALL(MPI_Iscatterv, a, counts, places, MPI_DOUBLE, b, 4, MPI_DOUBLE, 0, c)
}

static void messages(void)
{
    MPI_Request r[2];
    MPI_Status done[2];
    int there;
    for (int i = 0; i < MESSAGES; i++)
        for (int turn = 0; turn < 2; turn++) {
            b[0] = 0;
            if (rank == turn) {
                MPI_Send(a, 4, MPI_DOUBLE, other, 3, MPI_COMM_WORLD);
            } else {
                MPI_Recv(b, 4, MPI_DOUBLE, other, 3, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
                expect(b[0], other + 1);
            }
        }
    for (int i = 0; i < 2; i++)
        MPI_Sendrecv(a, 4, MPI_DOUBLE, other, i, b, 4, MPI_DOUBLE, other, i, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    expect(b[3], other + 1);
    for (int i = 0; i < PAIRS; i++) {
        MPI_Irecv(b, 4, MPI_DOUBLE, other, i, MPI_COMM_WORLD, &r[0]);
        MPI_Isend(a, 4, MPI_DOUBLE, other, i, MPI_COMM_WORLD, &r[1]);
        MPI_Waitall(2, r, done);
    }
    for (int i = 0; i < PROBES; i++)
        MPI_Iprobe(MPI_ANY_SOURCE, 99, MPI_COMM_WORLD, &there, MPI_STATUS_IGNORE);
}

static void others(const char *path)
{
    MPI_Comm dup, ring;
    MPI_Win win;
    MPI_File file;
    double *memory;
    int size = 2, round = 1;
    MPI_Comm_dup(MPI_COMM_WORLD, &dup);
    MPI_Win_allocate(sizeof *memory, sizeof *memory, MPI_INFO_NULL, dup, &memory, &win);
    MPI_Win_fence(0, win);
    MPI_Put(a, 1, MPI_DOUBLE, other, 0, 1, MPI_DOUBLE, win);
    MPI_Win_fence(0, win);
    MPI_Win_free(&win);
    MPI_Comm_free(&dup);
    MPI_Cart_create(MPI_COMM_WORLD, 1, &size, &round, 0, &ring);
    MPI_Neighbor_alltoall(a, 2, MPI_DOUBLE, b, 2, MPI_DOUBLE, ring);
    MPI_File_open(MPI_COMM_SELF, path, MPI_MODE_CREATE | MPI_MODE_WRONLY | MPI_MODE_DELETE_ON_CLOSE, MPI_INFO_NULL, &file);
    MPI_File_write_at(file, 8, a, 4, MPI_DOUBLE, MPI_STATUS_IGNORE);
    MPI_File_close(&file);
}

int main(int argc, char **argv)
{
    char path[4096];
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    other = 1 - rank;
    for (int i = 0; i < MOST; i++) {
        counts[i] = BLOCK;
        places[i] = i * BLOCK;
        bytes[i] = i * BLOCK * (int)sizeof *a;
        types[i] = MPI_DOUBLE;
    }
    for (int i = 0; i < MOST * BLOCK; i++)
        a[i] = rank + 1;
    snprintf(path, sizeof path, "%s.%d", argv[0], rank);
    collectives();
    messages();
    others(path);
    return MPI_Finalize();
}
