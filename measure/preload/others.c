/* All calls of MPI but collectives of one communicator's processes: how often, and how long, each by its name. Their
 * arguments are passed on as they came, in registers and words of the stack: each takes one of either. */
#define _GNU_SOURCE
#include "preload.h"

#include <dlfcn.h>
#include <stddef.h>

typedef long word;
#define UP_TO_8 (word a, word b, word c, word d, word e, word f, word g, word h)
#define THESE_8 (a, b, c, d, e, f, g, h)
#define UP_TO_13 (word a, word b, word c, word d, word e, word f, word g, word h, word i, word j, word k, word l, word m)
#define THESE_13 (a, b, c, d, e, f, g, h, i, j, k, l, m)

#define FIRST __attribute__((constructor(101)))

/* The linker's names are others than C's, so that mpi.h may declare them otherwise. */
#define COUNTED(Name, TAKES, THESE)                                                                                    \
    static int(*real_##Name) TAKES;                                                                                    \
    static int see_##Name TAKES                                                                                        \
    {                                                                                                                  \
        if (real_##Name == NULL)                                                                                       \
            return MPI_ERR_UNSUPPORTED_OPERATION;                                                                      \
        if (!watching || inside)                                                                                       \
            return real_##Name THESE;                                                                                  \
        uint64_t begun = other_begin();                                                                                \
        int rc = real_##Name THESE;                                                                                    \
        other_end(OTHER_##Name, begun);                                                                                \
        return rc;                                                                                                     \
    }                                                                                                                  \
    int mpi_##Name TAKES __asm__("MPI_" #Name);                                                                        \
    int pmpi_##Name TAKES __asm__("PMPI_" #Name);                                                                      \
    int mpi_##Name TAKES { return see_##Name THESE; }                                                                  \
    int pmpi_##Name TAKES                                                                                              \
    {                                                                                                                  \
        return is_fortran(__builtin_return_address(0)) ? see_##Name THESE : real_##Name THESE;                         \
    }                                                                                                                  \
    FIRST static void find_##Name(void) { *(void **)&real_##Name = dlsym(RTLD_NEXT, "PMPI_" #Name); }
#define COUNTED_8(Name) COUNTED(Name, UP_TO_8, THESE_8)
#define COUNTED_13(Name) COUNTED(Name, UP_TO_13, THESE_13)
OTHER_CALLS(COUNTED_8, COUNTED_13)

#define NAMED(Name) "MPI_" #Name,
const char *const other_names[OTHERS] = {NAMED(Init) NAMED(Init_thread) OTHER_CALLS(NAMED, NAMED)};
