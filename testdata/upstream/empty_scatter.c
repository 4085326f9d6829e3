/* MPI_Scatter of one item of an empty datatype leaves a message behind.
 *
 *     mpicc empty_scatter.c && mpirun -n 2 ./a.out
 *
 * The root scatters one item of a datatype without elements, the others receive no MPI_INT. Both
 * type signatures are empty, so that they match (MPI 4.0, 6.6). With MPICH 4.0.2 the next
 * MPI_Scatter receives that message: its data are wrong. With Open MPI 4.1.4 they are right. */
#include <mpi.h>
#include <stdio.h>

int main(int argc, char **argv)
{
    int rank, size, data[64], got = -1, wrong, any;
    MPI_Datatype empty;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    if (size < 2 || size > 64)
        MPI_Abort(MPI_COMM_WORLD, 2);
    for (int i = 0; i < 64; i++)
        data[i] = 100 + i;
    MPI_Type_contiguous(0, MPI_INT, &empty);
    MPI_Type_commit(&empty);

    if (rank == 0)
        MPI_Scatter(data, 1, empty, &got, 0, MPI_INT, 0, MPI_COMM_WORLD);
    else
        MPI_Scatter(NULL, 0, MPI_INT, &got, 0, MPI_INT, 0, MPI_COMM_WORLD);

    MPI_Scatter(data, 1, MPI_INT, &got, 1, MPI_INT, 0, MPI_COMM_WORLD);
    wrong = got != 100 + rank;
    if (wrong)
        printf("rank %d got %d, expected %d\n", rank, got, 100 + rank);
    MPI_Allreduce(&wrong, &any, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
    if (rank == 0 && !any)
        printf("right\n");
    MPI_Type_free(&empty);
    MPI_Finalize();
    return any;
}
