/* Collectives that are simulated: included before every other line of mockups/c, this file
 * has their calls go to the textbook algorithms of alg.c instead of SMPI's own ones. */
#ifndef SIM_ALG_H
#define SIM_ALG_H

#include <mpi.h>
#include <stdint.h>
#include <stdlib.h>

/* What the processor takes for a byte that it copies or reduces, ns: in pieces of at most
 * `cache` bytes, and in larger ones. SMPI counts neither. */
typedef struct sim_costs {
    double near, far;
    int64_t cache;
} sim_costs;

/* To be called first: reads which algorithm serves on a communicator of that size, from a file
 * such as internal/feature/lint/table/openmpi.txt. */
void sim_begin(sim_costs costs, const char *decisions, int size);

/* Whether the buffers of a case are folded: all ranks' are the same memory, nothing is copied or
 * reduced, and only times are right. */
void sim_fold(int folded);

/* Has one algorithm serve a collective ("MPI_Bcast", "binomial"), or with NULL the decisions again.
 * Returns 0 if there is no such algorithm. */
int sim_force(const char *collective, const char *algorithm);

/* The name of algorithm i, and its collective; NULL behind the last. */
const char *sim_algorithm(int i, const char **collective);

/* Memory of a case: shared by all ranks where it is folded. */
void *sim_take(int64_t bytes);
void sim_give(void *memory);

int sim_Allgather(const void *in, int n, MPI_Datatype type, void *out, int m, MPI_Datatype to, MPI_Comm comm);
int sim_Allreduce(const void *in, void *out, int n, MPI_Datatype type, MPI_Op op, MPI_Comm comm);
int sim_Alltoall(const void *in, int n, MPI_Datatype type, void *out, int m, MPI_Datatype to, MPI_Comm comm);
int sim_Bcast(void *data, int n, MPI_Datatype type, int root, MPI_Comm comm);
int sim_Exscan(const void *in, void *out, int n, MPI_Datatype type, MPI_Op op, MPI_Comm comm);
int sim_Gather(const void *in, int n, MPI_Datatype type, void *out, int m, MPI_Datatype to, int root, MPI_Comm comm);
int sim_Reduce(const void *in, void *out, int n, MPI_Datatype type, MPI_Op op, int root, MPI_Comm comm);
int sim_Reduce_local(const void *in, void *inout, int n, MPI_Datatype type, MPI_Op op);
int sim_Reduce_scatter(const void *in, void *out, const int *n, MPI_Datatype type, MPI_Op op, MPI_Comm comm);
int sim_Reduce_scatter_block(const void *in, void *out, int n, MPI_Datatype type, MPI_Op op, MPI_Comm comm);
int sim_Scan(const void *in, void *out, int n, MPI_Datatype type, MPI_Op op, MPI_Comm comm);
int sim_Scatter(const void *in, int n, MPI_Datatype type, void *out, int m, MPI_Datatype to, int root, MPI_Comm comm);
int sim_Scatterv(const void *in, const int *n, const int *displs, MPI_Datatype type, void *out, int m, MPI_Datatype to,
                 int root, MPI_Comm comm);

#define MPI_Allgather sim_Allgather
#define MPI_Allreduce sim_Allreduce
#define MPI_Alltoall sim_Alltoall
#define MPI_Bcast sim_Bcast
#define MPI_Exscan sim_Exscan
#define MPI_Gather sim_Gather
#define MPI_Reduce sim_Reduce
#define MPI_Reduce_local sim_Reduce_local
#define MPI_Reduce_scatter sim_Reduce_scatter
#define MPI_Reduce_scatter_block sim_Reduce_scatter_block
#define MPI_Scan sim_Scan
#define MPI_Scatter sim_Scatter
#define MPI_Scatterv sim_Scatterv

#endif
