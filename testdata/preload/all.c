/* Calls each of the 17 blocking collectives, the first once, the next one twice and so on; with -DLARGE by the names
 * with large counts. */
#include <mpi.h>

enum { MOST = 16, BLOCK = 4 };

#ifdef LARGE
#define NAME(name) name##_c
typedef MPI_Count count;
typedef MPI_Aint place;
#else
#define NAME(name) name
typedef int count;
typedef int place;
#endif

static double a[MOST * BLOCK], b[MOST * BLOCK];
static count counts[MOST];
static place places[MOST], bytes[MOST];
static MPI_Datatype types[MOST];
static int times;

#define CALL(name, ...)                         \
    for (int i = 0, n = ++times; i < n; i++)    \
    name(__VA_ARGS__)

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    for (int i = 0; i < MOST; i++) {
        counts[i] = BLOCK;
        places[i] = i * BLOCK;
        bytes[i] = i * BLOCK * (int)sizeof *a;
        types[i] = MPI_DOUBLE;
    }
    CALL(NAME(MPI_Allgather), a, 4, MPI_DOUBLE, b, 4, MPI_DOUBLE, MPI_COMM_WORLD);
    CALL(NAME(MPI_Allgatherv), a, 4, MPI_DOUBLE, b, counts, places, MPI_DOUBLE, MPI_COMM_WORLD);
    CALL(NAME(MPI_Allreduce), a, b, 4, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    CALL(NAME(MPI_Alltoall), a, 4, MPI_DOUBLE, b, 4, MPI_DOUBLE, MPI_COMM_WORLD);
    CALL(NAME(MPI_Alltoallv), a, counts, places, MPI_DOUBLE, b, counts, places, MPI_DOUBLE, MPI_COMM_WORLD);
    CALL(NAME(MPI_Alltoallw), a, counts, bytes, types, b, counts, bytes, types, MPI_COMM_WORLD);
    CALL(MPI_Barrier, MPI_COMM_WORLD);
    CALL(NAME(MPI_Bcast), a, 4, MPI_DOUBLE, 0, MPI_COMM_WORLD);
    CALL(NAME(MPI_Exscan), a, b, 4, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    CALL(NAME(MPI_Gather), a, 4, MPI_DOUBLE, b, 4, MPI_DOUBLE, 0, MPI_COMM_WORLD);
    CALL(NAME(MPI_Gatherv), a, 4, MPI_DOUBLE, b, counts, places, MPI_DOUBLE, 0, MPI_COMM_WORLD);
    CALL(NAME(MPI_Reduce), a, b, 4, MPI_DOUBLE, MPI_SUM, 0, MPI_COMM_WORLD);
    CALL(NAME(MPI_Reduce_scatter), a, b, counts, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    CALL(NAME(MPI_Reduce_scatter_block), a, b, 4, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    CALL(NAME(MPI_Scan), a, b, 4, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    CALL(NAME(MPI_Scatter), a, 4, MPI_DOUBLE, b, 4, MPI_DOUBLE, 0, MPI_COMM_WORLD);
    CALL(NAME(MPI_Scatterv), a, counts, places, MPI_DOUBLE, b, 4, MPI_DOUBLE, 0, MPI_COMM_WORLD);
    return MPI_Finalize();
}
