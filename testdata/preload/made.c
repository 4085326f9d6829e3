/* Makes what MPI has in one call by two others, and pairs that only look like it. */
#include <mpi.h>

enum { TIMES = 10, N = 4, MOST = 64 };

int main(int argc, char **argv)
{
    static double a[N * MOST], b[N * MOST], all[N * MOST];
    MPI_Comm world = MPI_COMM_WORLD, copy;
    int p, there;
    MPI_Init(&argc, &argv);
    MPI_Comm_size(world, &p);
    MPI_Comm_dup(world, &copy);
    for (int i = 0; p <= MOST && i < TIMES; i++) {
        MPI_Reduce(a, b, N, MPI_DOUBLE, MPI_MAX, 0, world);
        MPI_Bcast(b, N, MPI_DOUBLE, 0, world);
        MPI_Gather(a, N, MPI_DOUBLE, all, N, MPI_DOUBLE, 1, copy);
        MPI_Bcast(all, N * p, MPI_DOUBLE, 1, copy);
        MPI_Scatter(all, N, MPI_DOUBLE, a, N, MPI_DOUBLE, 0, world);
        MPI_Allgather(a, N, MPI_DOUBLE, all, N, MPI_DOUBLE, world);
        MPI_Reduce(all, b, N * p, MPI_DOUBLE, MPI_SUM, 0, world);
        MPI_Scatter(b, N, MPI_DOUBLE, a, N, MPI_DOUBLE, 0, world);
        /* another size, root and communicator, and something between them */
        MPI_Reduce(a, b, N, MPI_DOUBLE, MPI_MIN, 0, world);
        MPI_Bcast(b, N + 1, MPI_DOUBLE, 0, world);
        MPI_Reduce(a, b, N, MPI_DOUBLE, MPI_MIN, 0, world);
        MPI_Bcast(b, N, MPI_DOUBLE, 1, world);
        MPI_Reduce(a, b, N, MPI_DOUBLE, MPI_MIN, 0, world);
        MPI_Bcast(b, N, MPI_DOUBLE, 0, copy);
        MPI_Reduce(a, b, N, MPI_DOUBLE, MPI_MIN, 0, world);
        MPI_Iprobe(MPI_ANY_SOURCE, 0, world, &there, MPI_STATUS_IGNORE);
        MPI_Bcast(b, N, MPI_DOUBLE, 0, world);
    }
    MPI_Comm_free(&copy);
    return MPI_Finalize();
}
