/* The calls of MPI 4.0 that a library may have or not, whatever release the headers belong to: they are
 * looked for where the program runs, so that one that was built with an older release measures all that
 * the library has, and one that was built with a newer release starts. */
#ifndef PGMPI_LATER_H
#define PGMPI_LATER_H

#include "variants.h"

#include <dlfcn.h>

#if MPI_VERSION < 4
int MPI_Allgather_init(const void *, int, MPI_Datatype, void *, int, MPI_Datatype, MPI_Comm, MPI_Info, MPI_Request *);
int MPI_Allgatherv_init(const void *, int, MPI_Datatype, void *, const int [], const int [], MPI_Datatype,
    MPI_Comm, MPI_Info, MPI_Request *);
int MPI_Allreduce_init(const void *, void *, int, MPI_Datatype, MPI_Op, MPI_Comm, MPI_Info, MPI_Request *);
int MPI_Alltoall_init(const void *, int, MPI_Datatype, void *, int, MPI_Datatype, MPI_Comm, MPI_Info, MPI_Request *);
int MPI_Alltoallv_init(const void *, const int [], const int [], MPI_Datatype, void *, const int [], const int [],
    MPI_Datatype, MPI_Comm, MPI_Info, MPI_Request *);
int MPI_Bcast_init(void *, int, MPI_Datatype, int, MPI_Comm, MPI_Info, MPI_Request *);
int MPI_Exscan_init(const void *, void *, int, MPI_Datatype, MPI_Op, MPI_Comm, MPI_Info, MPI_Request *);
int MPI_Gather_init(const void *, int, MPI_Datatype, void *, int, MPI_Datatype, int, MPI_Comm, MPI_Info,
    MPI_Request *);
int MPI_Gatherv_init(const void *, int, MPI_Datatype, void *, const int [], const int [], MPI_Datatype, int,
    MPI_Comm, MPI_Info, MPI_Request *);
int MPI_Reduce_init(const void *, void *, int, MPI_Datatype, MPI_Op, int, MPI_Comm, MPI_Info, MPI_Request *);
int MPI_Reduce_scatter_init(const void *, void *, const int [], MPI_Datatype, MPI_Op, MPI_Comm, MPI_Info,
    MPI_Request *);
int MPI_Reduce_scatter_block_init(const void *, void *, int, MPI_Datatype, MPI_Op, MPI_Comm, MPI_Info, MPI_Request *);
int MPI_Scan_init(const void *, void *, int, MPI_Datatype, MPI_Op, MPI_Comm, MPI_Info, MPI_Request *);
int MPI_Scatter_init(const void *, int, MPI_Datatype, void *, int, MPI_Datatype, int, MPI_Comm, MPI_Info,
    MPI_Request *);
int MPI_Scatterv_init(const void *, const int [], const int [], MPI_Datatype, void *, int, MPI_Datatype, int,
    MPI_Comm, MPI_Info, MPI_Request *);

int MPI_Allgather_c(const void *, MPI_Count, MPI_Datatype, void *, MPI_Count, MPI_Datatype, MPI_Comm);
int MPI_Allgatherv_c(const void *, MPI_Count, MPI_Datatype, void *, const MPI_Count [], const MPI_Aint [],
    MPI_Datatype, MPI_Comm);
int MPI_Allreduce_c(const void *, void *, MPI_Count, MPI_Datatype, MPI_Op, MPI_Comm);
int MPI_Alltoall_c(const void *, MPI_Count, MPI_Datatype, void *, MPI_Count, MPI_Datatype, MPI_Comm);
int MPI_Alltoallv_c(const void *, const MPI_Count [], const MPI_Aint [], MPI_Datatype, void *, const MPI_Count [],
    const MPI_Aint [], MPI_Datatype, MPI_Comm);
int MPI_Bcast_c(void *, MPI_Count, MPI_Datatype, int, MPI_Comm);
int MPI_Exscan_c(const void *, void *, MPI_Count, MPI_Datatype, MPI_Op, MPI_Comm);
int MPI_Gather_c(const void *, MPI_Count, MPI_Datatype, void *, MPI_Count, MPI_Datatype, int, MPI_Comm);
int MPI_Gatherv_c(const void *, MPI_Count, MPI_Datatype, void *, const MPI_Count [], const MPI_Aint [],
    MPI_Datatype, int, MPI_Comm);
int MPI_Reduce_c(const void *, void *, MPI_Count, MPI_Datatype, MPI_Op, int, MPI_Comm);
int MPI_Reduce_scatter_c(const void *, void *, const MPI_Count [], MPI_Datatype, MPI_Op, MPI_Comm);
int MPI_Reduce_scatter_block_c(const void *, void *, MPI_Count, MPI_Datatype, MPI_Op, MPI_Comm);
int MPI_Scan_c(const void *, void *, MPI_Count, MPI_Datatype, MPI_Op, MPI_Comm);
int MPI_Scatter_c(const void *, MPI_Count, MPI_Datatype, void *, MPI_Count, MPI_Datatype, int, MPI_Comm);
int MPI_Scatterv_c(const void *, const MPI_Count [], const MPI_Aint [], MPI_Datatype, void *, MPI_Count,
    MPI_Datatype, int, MPI_Comm);
#endif

/* In other people's programs our own calls are not to come back to us. */
#ifdef PGMPI_APPLIED
#define PG_PREFIX "P"
#else
#define PG_PREFIX ""
#endif

/* Returns the function of the first of two names that the library has, or NULL. A tool before the library may
 * have any name, but none has the name for the profiling interface. */
static inline void *pg_find(const char *inside, const char *name, const char *other_inside, const char *other)
{
    void *all = dlopen(NULL, RTLD_LAZY), *found = NULL;
    if (all == NULL)
        return NULL;
    if (dlsym(all, inside) != NULL)
        found = dlsym(all, name);
    else if (dlsym(all, other_inside) != NULL)
        found = dlsym(all, other);
    dlclose(all);
    return found;
}

#define PG_FIND(name, other) pg_find("P" #name, PG_PREFIX #name, "P" #other, PG_PREFIX #other)

/* Calls a function that is found once, by its name or another one; PG_LACKS where the library has
 * neither. What is timed was called before. */
#define PG_CALL_LATER(name, other, ...)                                         \
    ({                                                                          \
        static __typeof__(&name) found;                                         \
        if (found == NULL)                                                      \
            *(void **)&found = PG_FIND(name, other);                            \
        found != NULL ? found(__VA_ARGS__) : PG_LACKS;                          \
    })

/* Whether the library has a function. */
#define PG_HAS(name) (PG_FIND(name, name) != NULL ? MPI_SUCCESS : PG_LACKS)

#endif
