/* Sends messages of known sizes between two ranks, and waits for them and for something else. */
#include <mpi.h>

enum { SMALL = 16, LARGE = 100000, ROOM = 1 << 20 };

static char a[ROOM], b[ROOM];

static void blocking(int rank, MPI_Comm copy)
{
    MPI_Comm world = MPI_COMM_WORLD;
    MPI_Status status;
    int other = 1 - rank, to = rank == 0 ? other : MPI_PROC_NULL, from = rank == 0 ? MPI_PROC_NULL : other;
    for (int i = 0; i < 10; i++) { /* with more room than it takes, and nobody who asks how much that was */
        if (rank == 0)
            MPI_Send(a, 500, MPI_DOUBLE, other, 0, i % 2 ? world : copy);
        else
            MPI_Recv(b, ROOM, MPI_BYTE, i % 2 ? other : MPI_ANY_SOURCE, 0, i % 2 ? world : copy, MPI_STATUS_IGNORE);
    }
    if (rank == 0)
        MPI_Ssend(a, 0, MPI_BYTE, other, 0, world);
    else
        MPI_Recv(b, ROOM, MPI_BYTE, MPI_ANY_SOURCE, 0, world, &status);
    for (int i = 0; i < 5; i++)
        MPI_Sendrecv(a, SMALL, MPI_INT, other, 0, b, SMALL, MPI_INT, other, 0, world, &status);
    MPI_Sendrecv(a, SMALL, MPI_BYTE, to, 0, b, SMALL, MPI_BYTE, from, 0, world, MPI_STATUS_IGNORE);
    MPI_Sendrecv_replace(a, 1, MPI_BYTE, 0, 0, 0, 0, MPI_COMM_SELF, MPI_STATUS_IGNORE);
    MPI_Send(a, SMALL, MPI_BYTE, MPI_PROC_NULL, 0, world);
    MPI_Recv(a, SMALL, MPI_BYTE, MPI_PROC_NULL, 0, world, MPI_STATUS_IGNORE);
}

static void nonblocking(int other)
{
    MPI_Request r[3];
    for (int i = 0; i < 3; i++) {
        MPI_Irecv(b, ROOM, MPI_BYTE, other, 1, MPI_COMM_WORLD, &r[0]);
        MPI_Isend(a, LARGE, MPI_BYTE, other, 1, MPI_COMM_WORLD, &r[1]);
        MPI_Waitall(2, r, MPI_STATUSES_IGNORE);
    }
    for (int i = 0; i < 2; i++) { /* each of two waits is for what is sent */
        MPI_Irecv(b, SMALL, MPI_BYTE, other, 2, MPI_COMM_WORLD, &r[0]);
        MPI_Isend(a, SMALL / 2, MPI_BYTE, other, 2, MPI_COMM_WORLD, &r[1]);
        MPI_Wait(&r[1], MPI_STATUS_IGNORE);
        MPI_Wait(&r[0], MPI_STATUS_IGNORE);
    }
    MPI_Irecv(b, SMALL, MPI_BYTE, other, 3, MPI_COMM_WORLD, &r[0]);
    MPI_Ibarrier(MPI_COMM_WORLD, &r[1]);
    MPI_Isend(a, SMALL, MPI_BYTE, other, 3, MPI_COMM_WORLD, &r[2]);
    MPI_Waitall(3, r, MPI_STATUSES_IGNORE); /* not only for messages */
}

int main(int argc, char **argv)
{
    MPI_Comm copy;
    int rank;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_dup(MPI_COMM_WORLD, &copy);
    blocking(rank, copy);
    MPI_Comm_free(&copy);
    nonblocking(1 - rank);
    return MPI_Finalize();
}
