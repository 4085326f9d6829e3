/* A tool by the profiling interface that is linked into a program: its names come before those of every library. */
#include <mpi.h>

int MPI_Init_thread(int *argc, char ***argv, int required, int *provided) { return PMPI_Init_thread(argc, argv, required, provided); }

int MPI_Finalize(void) { return PMPI_Finalize(); }

int MPI_Allreduce(const void *s, void *r, int n, MPI_Datatype t, MPI_Op op, MPI_Comm comm) { return PMPI_Allreduce(s, r, n, t, op, comm); }
