/* Open MPI's Fortran calls PMPI_, past every library that is preloaded for C: these
 * names come before its own. mpi_NAME_ is what gfortran and most compilers call for
 * mpif.h and "use mpi"; "use mpi_f08" goes through ompi_NAME_f. */
#include "preload.h"

#include <stdlib.h>

#ifdef OPEN_MPI

/* MPI_IN_PLACE and MPI_BOTTOM are variables of Open MPI's Fortran, under the names that compilers may give them. */
extern int mpi_fortran_in_place_ __attribute__((weak)), mpi_fortran_in_place__ __attribute__((weak)),
    mpi_fortran_in_place __attribute__((weak)), MPI_FORTRAN_IN_PLACE __attribute__((weak));
extern int mpi_fortran_bottom_ __attribute__((weak)), mpi_fortran_bottom__ __attribute__((weak)), mpi_fortran_bottom __attribute__((weak)),
    MPI_FORTRAN_BOTTOM __attribute__((weak));

static void *at(void *buffer)
{
    if (buffer == NULL)
        return NULL;
    if (buffer == &mpi_fortran_in_place_ || buffer == &mpi_fortran_in_place__ || buffer == &mpi_fortran_in_place ||
        buffer == &MPI_FORTRAN_IN_PLACE)
        return MPI_IN_PLACE;
    if (buffer == &mpi_fortran_bottom_ || buffer == &mpi_fortran_bottom__ || buffer == &mpi_fortran_bottom || buffer == &MPI_FORTRAN_BOTTOM)
        return MPI_BOTTOM;
    return buffer;
}

typedef MPI_Fint fint;

/* Both names of one function. */
#define SAME(name) __attribute__((alias(#name)))

static void set(fint *error, int rc)
{
    if (error != NULL)
        *error = rc;
}

#define COMM MPI_Comm_f2c(*comm)
#define TYPE MPI_Type_f2c(*t)
#define RTYPE MPI_Type_f2c(*rt)
#define OP MPI_Op_f2c(*op)

void ompi_init_f(fint *e) { set(e, MPI_Init(NULL, NULL)); }
void mpi_init_(fint *e) SAME(ompi_init_f);

void ompi_init_thread_f(fint *required, fint *provided, fint *e)
{
    int got = 0;
    set(e, MPI_Init_thread(NULL, NULL, *required, &got));
    *provided = got;
}
void mpi_init_thread_(fint *required, fint *provided, fint *e) SAME(ompi_init_thread_f);

void ompi_finalize_f(fint *e) { set(e, MPI_Finalize()); }
void mpi_finalize_(fint *e) SAME(ompi_finalize_f);

void ompi_abort_f(fint *comm, fint *code, fint *e) { set(e, MPI_Abort(COMM, *code)); }
void mpi_abort_(fint *comm, fint *code, fint *e) SAME(ompi_abort_f);

void ompi_allgather_f(void *s, fint *n, fint *t, void *r, fint *rn, fint *rt, fint *comm, fint *e)
{
    set(e, MPI_Allgather(at(s), *n, TYPE, at(r), *rn, RTYPE, COMM));
}
void mpi_allgather_(void *s, fint *n, fint *t, void *r, fint *rn, fint *rt, fint *comm, fint *e) SAME(ompi_allgather_f);

void ompi_allgatherv_f(void *s, fint *n, fint *t, void *r, fint *counts, fint *displs, fint *rt, fint *comm, fint *e)
{
    set(e, MPI_Allgatherv(at(s), *n, TYPE, at(r), counts, displs, RTYPE, COMM));
}
void mpi_allgatherv_(void *s, fint *n, fint *t, void *r, fint *counts, fint *displs, fint *rt, fint *comm, fint *e) SAME(ompi_allgatherv_f);

void ompi_allreduce_f(void *s, void *r, fint *n, fint *t, fint *op, fint *comm, fint *e)
{
    set(e, MPI_Allreduce(at(s), at(r), *n, TYPE, OP, COMM));
}
void mpi_allreduce_(void *s, void *r, fint *n, fint *t, fint *op, fint *comm, fint *e) SAME(ompi_allreduce_f);

void ompi_alltoall_f(void *s, fint *n, fint *t, void *r, fint *rn, fint *rt, fint *comm, fint *e)
{
    set(e, MPI_Alltoall(at(s), *n, TYPE, at(r), *rn, RTYPE, COMM));
}
void mpi_alltoall_(void *s, fint *n, fint *t, void *r, fint *rn, fint *rt, fint *comm, fint *e) SAME(ompi_alltoall_f);

void ompi_alltoallv_f(void *s, fint *n, fint *sd, fint *t, void *r, fint *rn, fint *rd, fint *rt, fint *comm, fint *e)
{
    set(e, MPI_Alltoallv(at(s), n, sd, TYPE, at(r), rn, rd, RTYPE, COMM));
}
void mpi_alltoallv_(void *s, fint *n, fint *sd, fint *t, void *r, fint *rn, fint *rd, fint *rt, fint *comm, fint *e) SAME(ompi_alltoallv_f);

/* The datatypes for all processes; NULL where they do not count. */
static MPI_Datatype *types_of(const fint *t, MPI_Comm comm)
{
    int p, inter;
    if (PMPI_Comm_test_inter(comm, &inter) != MPI_SUCCESS || (inter ? PMPI_Comm_remote_size : PMPI_Comm_size)(comm, &p) != MPI_SUCCESS)
        return NULL;
    MPI_Datatype *types = malloc((size_t)p * sizeof *types);
    if (types == NULL)
        PMPI_Abort(comm, 1); /* some hundred bytes, which the library's own code asks for */
    for (int i = 0; i < p; i++)
        types[i] = MPI_Type_f2c(t[i]);
    return types;
}

void ompi_alltoallw_f(void *s, fint *n, fint *sd, fint *t, void *r, fint *rn, fint *rd, fint *rt, fint *comm, fint *e)
{
    MPI_Datatype *types = at(s) == MPI_IN_PLACE ? NULL : types_of(t, COMM), *rtypes = types_of(rt, COMM);
    set(e, MPI_Alltoallw(at(s), n, sd, types, at(r), rn, rd, rtypes, COMM));
    free(types), free(rtypes);
}
void mpi_alltoallw_(void *s, fint *n, fint *sd, fint *t, void *r, fint *rn, fint *rd, fint *rt, fint *comm, fint *e) SAME(ompi_alltoallw_f);

void ompi_barrier_f(fint *comm, fint *e) { set(e, MPI_Barrier(COMM)); }
void mpi_barrier_(fint *comm, fint *e) SAME(ompi_barrier_f);

void ompi_bcast_f(void *data, fint *n, fint *t, fint *root, fint *comm, fint *e) { set(e, MPI_Bcast(at(data), *n, TYPE, *root, COMM)); }
void mpi_bcast_(void *data, fint *n, fint *t, fint *root, fint *comm, fint *e) SAME(ompi_bcast_f);

void ompi_exscan_f(void *s, void *r, fint *n, fint *t, fint *op, fint *comm, fint *e)
{
    set(e, MPI_Exscan(at(s), at(r), *n, TYPE, OP, COMM));
}
void mpi_exscan_(void *s, void *r, fint *n, fint *t, fint *op, fint *comm, fint *e) SAME(ompi_exscan_f);

void ompi_gather_f(void *s, fint *n, fint *t, void *r, fint *rn, fint *rt, fint *root, fint *comm, fint *e)
{
    set(e, MPI_Gather(at(s), *n, TYPE, at(r), *rn, RTYPE, *root, COMM));
}
void mpi_gather_(void *s, fint *n, fint *t, void *r, fint *rn, fint *rt, fint *root, fint *comm, fint *e) SAME(ompi_gather_f);

void ompi_gatherv_f(void *s, fint *n, fint *t, void *r, fint *counts, fint *displs, fint *rt, fint *root, fint *comm, fint *e)
{
    set(e, MPI_Gatherv(at(s), *n, TYPE, at(r), counts, displs, RTYPE, *root, COMM));
}
void mpi_gatherv_(void *s, fint *n, fint *t, void *r, fint *counts, fint *displs, fint *rt, fint *root, fint *comm, fint *e)
    SAME(ompi_gatherv_f);

void ompi_reduce_f(void *s, void *r, fint *n, fint *t, fint *op, fint *root, fint *comm, fint *e)
{
    set(e, MPI_Reduce(at(s), at(r), *n, TYPE, OP, *root, COMM));
}
void mpi_reduce_(void *s, void *r, fint *n, fint *t, fint *op, fint *root, fint *comm, fint *e) SAME(ompi_reduce_f);

void ompi_reduce_scatter_f(void *s, void *r, fint *counts, fint *t, fint *op, fint *comm, fint *e)
{
    set(e, MPI_Reduce_scatter(at(s), at(r), counts, TYPE, OP, COMM));
}
void mpi_reduce_scatter_(void *s, void *r, fint *counts, fint *t, fint *op, fint *comm, fint *e) SAME(ompi_reduce_scatter_f);

void ompi_reduce_scatter_block_f(void *s, void *r, fint *n, fint *t, fint *op, fint *comm, fint *e)
{
    set(e, MPI_Reduce_scatter_block(at(s), at(r), *n, TYPE, OP, COMM));
}
void mpi_reduce_scatter_block_(void *s, void *r, fint *n, fint *t, fint *op, fint *comm, fint *e) SAME(ompi_reduce_scatter_block_f);

void ompi_scan_f(void *s, void *r, fint *n, fint *t, fint *op, fint *comm, fint *e)
{
    set(e, MPI_Scan(at(s), at(r), *n, TYPE, OP, COMM));
}
void mpi_scan_(void *s, void *r, fint *n, fint *t, fint *op, fint *comm, fint *e) SAME(ompi_scan_f);

void ompi_scatter_f(void *s, fint *n, fint *t, void *r, fint *rn, fint *rt, fint *root, fint *comm, fint *e)
{
    set(e, MPI_Scatter(at(s), *n, TYPE, at(r), *rn, RTYPE, *root, COMM));
}
void mpi_scatter_(void *s, fint *n, fint *t, void *r, fint *rn, fint *rt, fint *root, fint *comm, fint *e) SAME(ompi_scatter_f);

void ompi_scatterv_f(void *s, fint *counts, fint *displs, fint *t, void *r, fint *rn, fint *rt, fint *root, fint *comm, fint *e)
{
    set(e, MPI_Scatterv(at(s), counts, displs, TYPE, at(r), *rn, RTYPE, *root, COMM));
}
void mpi_scatterv_(void *s, fint *counts, fint *displs, fint *t, void *r, fint *rn, fint *rt, fint *root, fint *comm, fint *e)
    SAME(ompi_scatterv_f);

#endif
