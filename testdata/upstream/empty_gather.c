/* MPI_Gather into one item of an empty datatype does not return.
 *
 *     mpicc empty_gather.c && mpirun -n 2 ./a.out
 *
 * The root sends and receives one item of a datatype without elements, the others send no MPI_INT.
 * All type signatures are empty, so that they match (MPI 4.0, 6.5). With MPICH 4.0.2 and with
 * Open MPI 4.1.4 the root waits for messages that nobody sends. */
#include <mpi.h>
#include <signal.h>
#include <unistd.h>

static void too_long(int signal)
{
    static const char text[] = "MPI_Gather has not returned for 10 seconds\n";
    (void)signal;
    _exit(write(STDOUT_FILENO, text, sizeof text - 1) < 0 ? 2 : 1);
}

int main(int argc, char **argv)
{
    int rank, data[64] = {0}, got[64];
    MPI_Datatype empty;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Type_contiguous(0, MPI_INT, &empty);
    MPI_Type_commit(&empty);
    signal(SIGALRM, too_long);
    alarm(10);

    if (rank == 0)
        MPI_Gather(data, 1, empty, got, 1, empty, 0, MPI_COMM_WORLD);
    else
        MPI_Gather(data, 0, MPI_INT, NULL, 0, MPI_INT, 0, MPI_COMM_WORLD);

    MPI_Barrier(MPI_COMM_WORLD);
    alarm(0);
    if (rank == 0 && write(STDOUT_FILENO, "right\n", 6) < 0)
        MPI_Abort(MPI_COMM_WORLD, 2);
    MPI_Type_free(&empty);
    MPI_Finalize();
    return 0;
}
