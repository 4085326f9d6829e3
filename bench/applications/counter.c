/* Preloaded into a program, this counts each call of MPI that it makes, by C's and Fortran's names, and writes the
 * counts to a file when the process ends: COUNTED, a dot, and the number of the process. counts.go generates CALLS
 * from mpi.h. Every argument of MPI is an integer or a pointer, which this passes on without knowing which. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#ifndef CALLS
#define CALLS(CALL) CALL(MPI_Waitall, mpi_waitall_, mpi_waitall_f08_)
#endif

#define TAKES                                                                                                          \
    long a, long b, long c, long d, long e, long f, long g, long h, long i, long j, long k, long l, long m, long n
#define GIVES a, b, c, d, e, f, g, h, i, j, k, l, m, n

#define INDEX(C, fortran, f08) OF_##C,
enum { CALLS(INDEX) OF };
#define NAME(C, fortran, f08) #C,
static const char *const names[OF] = {CALLS(NAME)};

static long counts[OF];
static __thread int inside; /* what MPI calls of itself, and the C that Fortran's calls come to, does not count */
static pid_t own;

/* Open MPI's Fortran returns from MPI_Waitall without requests itself: that comes to no call of the library. */
static int is_none(int of, int is_fortran, const int *n)
{
#ifdef FOR_openmpi
    return of == OF_MPI_Waitall && is_fortran && *n == 0;
#else
    (void)of, (void)is_fortran, (void)n;
    return 0;
#endif
}

static long made(int of, int is_fortran, void **real, const char *name, TAKES)
{
    if (*real == NULL)
        *real = dlsym(RTLD_NEXT, name);
    if (*real == NULL) {
        fprintf(stderr, "counter: there is no %s\n", name);
        _exit(77);
    }
    if (inside++ == 0 && !is_none(of, is_fortran, (const int *)a))
        __atomic_add_fetch(&counts[of], 1, __ATOMIC_RELAXED);
    long (*call)(TAKES);
    *(void **)&call = *real;
    long result = call(GIVES);
    inside--;
    return result;
}

#define WRAP(of, is_fortran, name)                                                                                     \
    long name(TAKES)                                                                                                   \
    {                                                                                                                  \
        static void *real;                                                                                             \
        return made(of, is_fortran, &real, #name, GIVES);                                                              \
    }
#define COUNT(C, fortran, f08) WRAP(OF_##C, 0, C) WRAP(OF_##C, 1, fortran) WRAP(OF_##C, 1, f08)
CALLS(COUNT)

__attribute__((constructor)) static void begin(void) { own = getpid(); }

__attribute__((destructor)) static void end(void)
{
    const char *to = getenv("COUNTED");
    long all = 0;
    for (int i = 0; i < OF; i++)
        all += counts[i];
    if (to == NULL || all == 0 || getpid() != own) /* a child has its parent's */
        return;
    char path[4096];
    snprintf(path, sizeof path, "%s.%d", to, (int)own);
    FILE *file = fopen(path, "w");
    for (int i = 0; file && i < OF; i++)
        if (counts[i] > 0)
            fprintf(file, "%s %ld\n", names[i], counts[i]);
    if (file)
        fclose(file);
}
