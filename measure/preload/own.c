/* Gives us a communicator and names in a process that is another program's. */
#define _GNU_SOURCE
#include "preload.h"

#include <dlfcn.h>
#include <stdio.h>

MPI_Comm own_comm(MPI_Comm comm)
{
    MPI_Comm own = MPI_COMM_NULL;
    MPI_Errhandler theirs;
    MPI_Group all;
    if (PMPI_Comm_get_errhandler(comm, &theirs) != MPI_SUCCESS || PMPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN) != MPI_SUCCESS)
        return MPI_COMM_NULL;
    /* A library may have no more of them: the program must not hear of it. */
    int rc = PMPI_Comm_group(comm, &all);
    if (rc == MPI_SUCCESS) {
        rc = PMPI_Comm_create(comm, all, &own);
        PMPI_Group_free(&all);
    }
    if (rc == MPI_SUCCESS && own != MPI_COMM_NULL)
        rc = PMPI_Comm_set_errhandler(own, MPI_ERRORS_RETURN);
    PMPI_Comm_set_errhandler(comm, theirs);
    if (theirs != MPI_ERRORS_ARE_FATAL && theirs != MPI_ERRORS_RETURN)
        PMPI_Errhandler_free(&theirs);
    return rc == MPI_SUCCESS ? own : MPI_COMM_NULL;
}

enum { LONGEST = 40, NAMES = 1 + OTHERS + FUNCTIONS };
char hidden_names[LONGEST * NAMES];
const char *hidden_by;

/* Whether a name leads to another file than this one. */
static int leads_elsewhere(const char *name)
{
    static const char here;
    Dl_info there, ours;
    void *found = dlsym(RTLD_DEFAULT, name);
    if (found == NULL || !dladdr(&here, &ours) || !dladdr(found, &there) || there.dli_fbase == ours.dli_fbase)
        return 0;
    if (hidden_by == NULL)
        hidden_by = there.dli_fname;
    return 1;
}

/* Where a program begins and ends, the collectives, and all others. */
static const char *name_at(int i)
{
    enum { STARTS = 2 };
    if (i < STARTS)
        return other_names[i];
    if (i == STARTS)
        return "MPI_Finalize";
    i -= STARTS + 1;
    return i < FUNCTIONS ? function_names[i] : other_names[i - FUNCTIONS + STARTS];
}

void find_hidden(void)
{
    size_t n = 0;
    for (int i = 0; i < NAMES; i++) {
        const char *name = name_at(i);
        if (leads_elsewhere(name))
            n += (size_t)snprintf(hidden_names + n, sizeof hidden_names - n, "%s%s", n > 0 ? " " : "", name);
    }
}
