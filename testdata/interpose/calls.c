/* A program that makes each collective in ways that a mock-up can do and in ways
 * that it cannot, and looks at what comes out. Run with interpose.c it tests that
 * library. Prints "No Errors", or what is wrong. */
#include <mpi.h>
#include <stdio.h>
#include <string.h>

enum { N = 5, MOST = 16 };

static int rank, size, errors;

static void expect(const char *call, int got, int want)
{
    if (got != want && errors++ == 0)
        printf("%s: rank %d got %d, not %d\n", call, rank, got, want);
}

/* Element i of what a rank sends to a place. */
static int element(int from, int to, int i) { return 1000 * from + 50 * to + i; }

/* What comes of the first ranks' elements: their sum, or of the other operator the first one. */
static int combined(MPI_Op op, int ranks, int to, int i)
{
    int s = 0;
    for (int r = 0; r < (op == MPI_SUM ? ranks : 1); r++)
        s += element(r, to, i);
    return s;
}

static int sum(int to, int i) { return combined(MPI_SUM, size, to, i); }

/* The order of the operands shows: the result is the left one. */
static void left(void *in, void *inout, int *n, MPI_Datatype *type)
{
    (void)type;
    memcpy(inout, in, (size_t)*n * sizeof(int));
}

static int mine[MOST * N], got[MOST * N], counts[MOST];

static void fill(void)
{
    for (int to = 0; to < size; to++)
        for (int i = 0; i < N; i++)
            mine[to * N + i] = element(rank, to, i);
    memset(got, 0x5a, sizeof got);
}

static void data_moves(int root)
{
    fill();
    MPI_Allgather(mine, N, MPI_INT, got, N, MPI_INT, MPI_COMM_WORLD);
    for (int i = 0; i < size * N; i++)
        expect("Allgather", got[i], element(i / N, 0, i % N));
    fill();
    MPI_Alltoall(mine, N, MPI_INT, got, N, MPI_INT, MPI_COMM_WORLD);
    for (int i = 0; i < size * N; i++)
        expect("Alltoall", got[i], element(i / N, rank, i % N));
    fill();
    MPI_Bcast(rank == root ? mine : got, N, MPI_INT, root, MPI_COMM_WORLD);
    for (int i = 0; i < N; i++)
        expect("Bcast", (rank == root ? mine : got)[i], element(root, 0, i));
    fill();
    MPI_Gather(mine, N, MPI_INT, rank == root ? got : NULL, N, MPI_INT, root, MPI_COMM_WORLD);
    for (int i = 0; rank == root && i < size * N; i++)
        expect("Gather", got[i], element(i / N, 0, i % N));
    fill();
    MPI_Scatter(rank == root ? mine : NULL, N, MPI_INT, got, N, MPI_INT, root, MPI_COMM_WORLD);
    for (int i = 0; i < N; i++)
        expect("Scatter", got[i], element(root, rank, i));
}

static void data_are_reduced(int root, MPI_Op op)
{
    fill();
    MPI_Allreduce(mine, got, N, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    for (int i = 0; i < N; i++)
        expect("Allreduce", got[i], sum(0, i));
    fill();
    MPI_Reduce(mine, rank == root ? got : NULL, N, MPI_INT, op, root, MPI_COMM_WORLD);
    for (int i = 0; rank == root && i < N; i++)
        expect("Reduce", got[i], combined(op, size, 0, i));
    fill();
    MPI_Scan(mine, got, N, MPI_INT, op, MPI_COMM_WORLD);
    for (int i = 0; i < N; i++)
        expect("Scan", got[i], combined(op, rank + 1, 0, i));
    fill();
    MPI_Exscan(mine, got, N, MPI_INT, op, MPI_COMM_WORLD);
    for (int i = 0; rank > 0 && i < N; i++)
        expect("Exscan", got[i], combined(op, rank, 0, i));
    fill();
    MPI_Reduce_scatter_block(mine, got, N, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    for (int i = 0; i < N; i++)
        expect("Reduce_scatter_block", got[i], sum(rank, i));
    fill();
    for (int i = 0; i < size; i++)
        counts[i] = N;
    MPI_Reduce_scatter(mine, got, counts, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    for (int i = 0; i < N; i++)
        expect("Reduce_scatter", got[i], sum(rank, i));
}

/* The send buffer begins where the receive buffer ends, and one element makes
 * fewer parts than there are ranks: the part of a rank without one must not be
 * taken for the send buffer. */
static void buffers_are_neighbours(int root)
{
    int pair[2] = {-1, element(rank, 0, 0)};
    MPI_Allreduce(&pair[1], &pair[0], 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    expect("Allreduce of one element", pair[0], sum(0, 0));
    pair[0] = -1;
    MPI_Reduce(&pair[1], &pair[0], 1, MPI_INT, MPI_SUM, root, MPI_COMM_WORLD);
    if (rank == root)
        expect("Reduce of one element", pair[0], sum(0, 0));
}

/* All of these must fall back, on every rank. */
static void what_no_mockup_does(void)
{
    MPI_Datatype every_other;
    MPI_Comm inter, half;

    fill();
    MPI_Allreduce(MPI_IN_PLACE, mine, N, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    for (int i = 0; i < N; i++)
        expect("Allreduce in place", mine[i], sum(0, i));
    fill();
    memcpy(got, mine, N * sizeof(int));
    MPI_Gather(rank == 0 ? MPI_IN_PLACE : mine, N, MPI_INT, got, N, MPI_INT, 0, MPI_COMM_WORLD);
    for (int i = 0; rank == 0 && i < size * N; i++)
        expect("Gather in place", got[i], element(i / N, 0, i % N));
    fill();
    for (int i = 0; i < size; i++)
        counts[i] = i == 0 ? N : 0;
    MPI_Reduce_scatter(mine, got, counts, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    for (int i = 0; rank == 0 && i < N; i++)
        expect("Reduce_scatter of unequal parts", got[i], sum(0, i));
    MPI_Type_vector(2, 1, 2, MPI_INT, &every_other);
    MPI_Type_commit(&every_other);
    fill();
    /* The root alone has it: the others must not go through either. */
    MPI_Bcast(rank == 0 ? mine : got, rank == 0 ? 1 : 2, rank == 0 ? every_other : MPI_INT, 0, MPI_COMM_WORLD);
    if (rank != 0) {
        expect("Bcast of every other", got[0], element(0, 0, 0));
        expect("Bcast of every other", got[1], element(0, 0, 2));
    }
    MPI_Type_free(&every_other);
    if (size > 1) {
        MPI_Comm_split(MPI_COMM_WORLD, rank == 0, rank, &half);
        MPI_Intercomm_create(half, 0, MPI_COMM_WORLD, rank == 0 ? 1 : 0, 1, &inter);
        MPI_Barrier(inter);
        MPI_Comm_free(&inter);
        MPI_Comm_free(&half);
    }
}

int main(int argc, char **argv)
{
    enum { ROUNDS = 12 }; /* as many as a collective has mock-ups */
    MPI_Op op;
    int all;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    MPI_Op_create(left, 0, &op);
    for (int round = 0; round < ROUNDS && size <= MOST; round++) {
        data_moves(round % size);
        data_are_reduced(size - 1 - round % size, op);
        what_no_mockup_does();
        for (int root = 0; root < size; root++)
            buffers_are_neighbours(root);
        MPI_Barrier(MPI_COMM_WORLD);
    }
    for (int round = 0; round < ROUNDS && size <= MOST; round++) /* in which all mock-ups have their turn */
        data_are_reduced(round % size, MPI_SUM);
    MPI_Op_free(&op);
    PMPI_Allreduce(&errors, &all, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    if (rank == 0 && all == 0)
        puts(" No Errors");
    MPI_Finalize();
    return all > 0;
}
