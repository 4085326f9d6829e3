/* Preloaded into ranks: appends to the file of PGMPI_ROOTS the roots of all MPI_Bcast of rank 0, one character each. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

enum { MOST = 1 << 16 };
static char roots[MOST];
static int calls;

int MPI_Bcast(void *data, int n, MPI_Datatype type, int root, MPI_Comm comm)
{
    if (calls < MOST)
        roots[calls++] = (char)('0' + root);
    return PMPI_Bcast(data, n, type, root, comm);
}

int MPI_Finalize(void)
{
    int rank;
    const char *path = getenv("PGMPI_ROOTS");
    PMPI_Comm_rank(MPI_COMM_WORLD, &rank);
    FILE *to = rank == 0 && path ? fopen(path, "a") : NULL;
    if (to) {
        fwrite(roots, 1, (size_t)calls, to);
        fclose(to);
    }
    return PMPI_Finalize();
}
