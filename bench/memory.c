//go:build ignore

/* A plain C program with the buffers and the calls of `bench memory`'s job: what
 * it takes is the MPI library's and the buffers' own.
 *
 *   mpirun -np P memory BYTES NREP */
#define _POSIX_C_SOURCE 200809L
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void *pages(size_t bytes)
{
    void *at;
    if (posix_memalign(&at, 4096, bytes) != 0) {
        fprintf(stderr, "no memory for %zu bytes\n", bytes);
        MPI_Abort(MPI_COMM_WORLD, 1);
    }
    memset(at, 0, bytes);
    return at;
}

int main(int argc, char **argv)
{
    MPI_Comm comm;
    int size;
    if (argc != 3) {
        fprintf(stderr, "usage: memory BYTES NREP\n");
        return 2;
    }
    int bytes = atoi(argv[1]), nrep = atoi(argv[2]);

    MPI_Init(&argc, &argv);
    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    MPI_Comm_size(comm, &size);
    void *send = pages((size_t)size * (size_t)bytes), *recv = pages((size_t)size * (size_t)bytes);
    for (int i = 0; i < nrep; i++) {
        MPI_Barrier(comm);
        MPI_Allreduce(send, recv, 8, MPI_BYTE, MPI_BOR, comm);
        MPI_Allreduce(send, recv, bytes, MPI_BYTE, MPI_BOR, comm);
        MPI_Alltoall(send, bytes, MPI_BYTE, recv, bytes, MPI_BYTE, comm);
    }
    MPI_Comm_free(&comm);
    MPI_Finalize();
    free(send);
    free(recv);
    return 0;
}
