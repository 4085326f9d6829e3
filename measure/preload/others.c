/* All calls of MPI but collectives of one communicator's processes: how often, and how long, each by its name. Their
 * arguments are passed on as they came, in registers and words of the stack: each takes one of either. */
#define _GNU_SOURCE
#include "preload.h"

#include <dlfcn.h>
#include <stddef.h>

#define UP_TO_8 (word a, word b, word c, word d, word e, word f, word g, word h)
#define THESE_8 (a, b, c, d, e, f, g, h)
#define UP_TO_13 (word a, word b, word c, word d, word e, word f, word g, word h, word i, word j, word k, word l, word m)
#define THESE_13 (a, b, c, d, e, f, g, h, i, j, k, l, m)
#define LIST(...) __VA_ARGS__

#define FIRST __attribute__((constructor(101)))

/* What is counted by size, too: what it does, where its communicator is among its words, and a second peer. */
#define AS(Name, does, at, other) [OTHER_##Name] = {.of = OTHER_##Name, .what = does, .comm = at, .source = other},
#if MPI_VERSION >= 4
#define LARGE(Name, does, at, other) \
    [OTHER_##Name##_c] = {.of = OTHER_##Name, .what = does, .comm = at, .source = other, .large = 1},
#else
#define LARGE(Name, does, at, other)
#endif
#define MESSAGE(Name, does, at, other) AS(Name, does, at, other) LARGE(Name, does, at, other)
#define MIXING(Name) MESSAGE(Name, MIXES, 0, 0)
#define FILES(How)                                                                         \
    MIXING(File_i##How##_at) MIXING(File_i##How##_at_all) MIXING(File_i##How) MIXING(File_i##How##_all) \
    MIXING(File_i##How##_shared)

static const sized sized_as[OTHERS] = {
    MESSAGE(Send, BLOCKS, 5, 0) MESSAGE(Bsend, BLOCKS, 5, 0) MESSAGE(Ssend, BLOCKS, 5, 0) MESSAGE(Rsend, BLOCKS, 5, 0)
    MESSAGE(Recv, RECEIVES, 5, 0) MESSAGE(Mrecv, BLOCKS, 0, 0)
    MESSAGE(Sendrecv, EXCHANGES, 10, 8) MESSAGE(Sendrecv_replace, EXCHANGES, 7, 5)
    MESSAGE(Isend, STARTS, 5, 0) MESSAGE(Ibsend, STARTS, 5, 0) MESSAGE(Issend, STARTS, 5, 0)
    MESSAGE(Irsend, STARTS, 5, 0)
    MESSAGE(Irecv, EXPECTS, 5, 0) MESSAGE(Imrecv, EXPECTS, 0, 0)
    AS(Wait, WAITS, 0, 0) AS(Waitall, WAITS, 0, 0) AS(Waitany, WAITS, 0, 0) AS(Waitsome, WAITS, 0, 0)
    AS(Start, MIXES, 0, 0) AS(Startall, MIXES, 0, 0) AS(Comm_idup, MIXES, 0, 0)
    MIXING(Ineighbor_allgather) MIXING(Ineighbor_allgatherv) MIXING(Ineighbor_alltoall) MIXING(Ineighbor_alltoallv)
    MIXING(Ineighbor_alltoallw) MIXING(Rput) MIXING(Rget) MIXING(Raccumulate) MIXING(Rget_accumulate)
    FILES(read) FILES(write)
#if MPI_VERSION >= 4
    MIXING(Isendrecv) MIXING(Isendrecv_replace) AS(Comm_idup_with_info, MIXES, 0, 0)
#endif
    AS(Comm_free, FREES, 0, 0) AS(Comm_disconnect, FREES, 0, 0)
    AS(Comm_spawn, MEETS, 0, 0) AS(Comm_spawn_multiple, MEETS, 0, 0) AS(Comm_accept, MEETS, 0, 0)
    AS(Comm_connect, MEETS, 0, 0) AS(Comm_join, MEETS, 0, 0)
};

/* The linker's names are others than C's, so that mpi.h may declare them otherwise. */
#define COUNTED(Name, TAKES, THESE)                                                                                    \
    static int(*real_##Name) TAKES;                                                                                    \
    static int see_##Name TAKES                                                                                        \
    {                                                                                                                  \
        const sized *as = &sized_as[OTHER_##Name];                                                                     \
        MPI_Status own;                                                                                                \
        if (real_##Name == NULL)                                                                                       \
            return MPI_ERR_UNSUPPORTED_OPERATION;                                                                      \
        if (!watching || inside)                                                                                       \
            return real_##Name THESE;                                                                                  \
        if (as->what == RECEIVES && g == (word)MPI_STATUS_IGNORE)                                                      \
            g = (word)&own;                                                                                            \
        uint64_t begun = other_begin();                                                                                \
        int rc = real_##Name THESE;                                                                                    \
        int64_t spent = other_end(OTHER_##Name, begun);                                                                \
        if (as->what != UNSIZED && rc == MPI_SUCCESS)                                                                  \
            message_end(as, (const word[]){LIST THESE}, spent);                                                        \
        return rc;                                                                                                     \
    }                                                                                                                  \
    int mpi_##Name TAKES __asm__("MPI_" #Name);                                                                        \
    int pmpi_##Name TAKES __asm__("PMPI_" #Name);                                                                      \
    int mpi_##Name TAKES                                                                                               \
    {                                                                                                                  \
        CALLED_FROM(__builtin_return_address(0));                                                                      \
        return see_##Name THESE;                                                                                       \
    }                                                                                                                  \
    int pmpi_##Name TAKES                                                                                              \
    {                                                                                                                  \
        if (!is_fortran(__builtin_return_address(0)))                                                                  \
            return real_##Name THESE;                                                                                  \
        CALLED_FROM(__builtin_return_address(0));                                                                      \
        return see_##Name THESE;                                                                                       \
    }                                                                                                                  \
    FIRST static void find_##Name(void) { *(void **)&real_##Name = dlsym(RTLD_NEXT, "PMPI_" #Name); }
#define COUNTED_8(Name) COUNTED(Name, UP_TO_8, THESE_8)
#define COUNTED_13(Name) COUNTED(Name, UP_TO_13, THESE_13)
OTHER_CALLS(COUNTED_8, COUNTED_13)

#define NAMED(Name) "MPI_" #Name,
const char *const other_names[OTHERS] = {NAMED(Init) NAMED(Init_thread) OTHER_CALLS(NAMED, NAMED)};
