/* Plants a slowdown of known size: preloaded into the ranks (LD_PRELOAD), it
 * sits between them and the MPI library, calls the real collective by its
 * PMPI_ name, and then keeps the processor busy for a while.
 *
 *     PGMPI_DELAY=MPI_Allgather:1Ki..64Ki:25%,MPI_Bcast:8:500ns,MPI_Bcast:8Ki:20000000ns@4
 *
 * names collectives, sizes in bytes of pgmpi's msize (one, or a range with its ends), and the delay:
 * nanoseconds, or a percentage of the real call's own duration at this rank. After an @ it is for
 * communicators of as many processes alone, which sleep. `pgmpi selftest` and tests use it.
 *
 * The library is not linked with MPI and refers to no MPI data, so that a
 * launcher that it is preloaded into does not mind. */
#define _POSIX_C_SOURCE 200809L
#include "../../mockups/c/regular.h"

#include <mpi.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define COUNTED(name, prepare) name,
enum { PG_REGULAR(COUNTED) Iallreduce, FUNCTIONS };

#define NAMED(name, prepare) "MPI_" #name,
static const char *const names[FUNCTIONS] = {PG_REGULAR(NAMED) "MPI_Iallreduce"};

typedef struct {
    int64_t least, most; /* bytes */
    int64_t ns;
    double share; /* of the real call's duration */
    int processes; /* of the communicator, or 0 for any */
} plant;

enum { MOST_PLANTS = 64 };

static plant plants[FUNCTIONS][MOST_PLANTS];
static int n_plants[FUNCTIONS];

static int64_t now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

/* Reads "64", "64Ki" or "1Mi"; returns what follows, NULL if there is no size. */
static const char *read_size(const char *text, int64_t *bytes)
{
    char *end;
    *bytes = strtoll(text, &end, 10);
    if (end == text || *bytes < 0)
        return NULL;
    if (strncmp(end, "Ki", 2) == 0 || strncmp(end, "Mi", 2) == 0) {
        *bytes *= end[0] == 'K' ? 1 << 10 : 1 << 20;
        end += 2;
    }
    return end;
}

/* Reads "25%", "500ns" or "500ns@4"; returns what follows, or NULL. */
static const char *read_amount(const char *text, plant *p)
{
    char *end;
    double amount = strtod(text, &end);
    if (end == text || amount < 0)
        return NULL;
    if (*end == '%') {
        p->share = amount / 100;
        end += 1;
    } else if (strncmp(end, "ns", 2) == 0) {
        p->ns = (int64_t)amount;
        end += 2;
    } else {
        return NULL;
    }
    if (*end == '@')
        p->processes = (int)strtol(end + 1, &end, 10);
    return end;
}

/* Reads one plant; returns what follows, or NULL if the text begins with no plant. */
static const char *read_plant(const char *text)
{
    plant *p = NULL;
    for (int f = 0; f < FUNCTIONS && p == NULL; f++) {
        size_t length = strlen(names[f]);
        if (strncmp(text, names[f], length) == 0 && text[length] == ':' && n_plants[f] < MOST_PLANTS) {
            p = &plants[f][n_plants[f]++];
            text += length + 1;
        }
    }
    if (p == NULL || (text = read_size(text, &p->least)) == NULL)
        return NULL;
    p->most = p->least;
    if (strncmp(text, "..", 2) == 0 && (text = read_size(text + 2, &p->most)) == NULL)
        return NULL;
    if (*text != ':')
        return NULL;
    return read_amount(text + 1, p);
}

static void read_environment(void)
{
    const char *text = getenv("PGMPI_DELAY");
    while (text != NULL && *text != '\0') {
        const char *rest = read_plant(text);
        if (rest == NULL || (*rest != ',' && *rest != '\0')) {
            fprintf(stderr, "PGMPI_DELAY: \"%s\" is no MPI_Name:SIZE..SIZE:AMOUNT with an amount such as 500ns or 25%%\n", text);
            exit(86);
        }
        text = *rest == ',' ? rest + 1 : rest;
    }
}

int MPI_Init(int *argc, char ***argv)
{
    read_environment();
    return PMPI_Init(argc, argv);
}

int MPI_Init_thread(int *argc, char ***argv, int required, int *provided)
{
    read_environment();
    return PMPI_Init_thread(argc, argv, required, provided);
}

/* The plant of a call, or NULL. */
static const plant *planted(int function, int64_t count, MPI_Datatype type)
{
    int extent;
    if (n_plants[function] == 0 || PMPI_Type_size(type, &extent) != MPI_SUCCESS)
        return NULL;
    for (const plant *p = plants[function]; p < plants[function] + n_plants[function]; p++)
        if (count * extent >= p->least && count * extent <= p->most)
            return p;
    return NULL;
}

/* Delays the end of a call that began at start. Processes that share cores sleep, so that none waits for a core. */
static void delay(const plant *p, int64_t start, MPI_Comm comm)
{
    int processes = 0;
    if (p == NULL)
        return;
    if (p->processes > 0) {
        if (PMPI_Comm_size(comm, &processes) == MPI_SUCCESS && processes == p->processes)
            nanosleep(&(struct timespec){p->ns / 1000000000, p->ns % 1000000000}, NULL);
        return;
    }
    int64_t end = now();
    int64_t until = end + p->ns + (int64_t)(p->share * (double)(end - start));
    while (now() < until)
        ;
}

/* The clock costs as much as a small part of a call: it is read where there is a plant only. */
static int64_t begin(const plant *p) { return p == NULL ? 0 : now(); }

int MPI_Allgather(const void *send, int n, MPI_Datatype type, void *recv, int rn, MPI_Datatype rtype, MPI_Comm comm)
{
    const plant *p = send == MPI_IN_PLACE ? planted(Allgather, rn, rtype) : planted(Allgather, n, type);
    int64_t start = begin(p);
    int rc = PMPI_Allgather(send, n, type, recv, rn, rtype, comm);
    delay(p, start, comm);
    return rc;
}

int MPI_Allreduce(const void *send, void *recv, int n, MPI_Datatype type, MPI_Op op, MPI_Comm comm)
{
    const plant *p = planted(Allreduce, n, type);
    int64_t start = begin(p);
    int rc = PMPI_Allreduce(send, recv, n, type, op, comm);
    delay(p, start, comm);
    return rc;
}

int MPI_Alltoall(const void *send, int n, MPI_Datatype type, void *recv, int rn, MPI_Datatype rtype, MPI_Comm comm)
{
    const plant *p = send == MPI_IN_PLACE ? planted(Alltoall, rn, rtype) : planted(Alltoall, n, type);
    int64_t start = begin(p);
    int rc = PMPI_Alltoall(send, n, type, recv, rn, rtype, comm);
    delay(p, start, comm);
    return rc;
}

int MPI_Bcast(void *data, int n, MPI_Datatype type, int root, MPI_Comm comm)
{
    const plant *p = planted(Bcast, n, type);
    int64_t start = begin(p);
    int rc = PMPI_Bcast(data, n, type, root, comm);
    delay(p, start, comm);
    return rc;
}

int MPI_Exscan(const void *send, void *recv, int n, MPI_Datatype type, MPI_Op op, MPI_Comm comm)
{
    const plant *p = planted(Exscan, n, type);
    int64_t start = begin(p);
    int rc = PMPI_Exscan(send, recv, n, type, op, comm);
    delay(p, start, comm);
    return rc;
}

int MPI_Gather(const void *send, int n, MPI_Datatype type, void *recv, int rn, MPI_Datatype rtype, int root, MPI_Comm comm)
{
    const plant *p = send == MPI_IN_PLACE ? planted(Gather, rn, rtype) : planted(Gather, n, type);
    int64_t start = begin(p);
    int rc = PMPI_Gather(send, n, type, recv, rn, rtype, root, comm);
    delay(p, start, comm);
    return rc;
}

/* One nonblocking call, for a known answer about these: its posting is late. */
int MPI_Iallreduce(const void *send, void *recv, int n, MPI_Datatype type, MPI_Op op, MPI_Comm comm, MPI_Request *request)
{
    const plant *p = planted(Iallreduce, n, type);
    int64_t start = begin(p);
    int rc = PMPI_Iallreduce(send, recv, n, type, op, comm, request);
    delay(p, start, comm);
    return rc;
}

int MPI_Reduce(const void *send, void *recv, int n, MPI_Datatype type, MPI_Op op, int root, MPI_Comm comm)
{
    const plant *p = planted(Reduce, n, type);
    int64_t start = begin(p);
    int rc = PMPI_Reduce(send, recv, n, type, op, root, comm);
    delay(p, start, comm);
    return rc;
}

int MPI_Reduce_scatter(const void *send, void *recv, const int counts[], MPI_Datatype type, MPI_Op op, MPI_Comm comm)
{
    const plant *p = planted(Reduce_scatter, counts[0], type);
    int64_t start = begin(p);
    int rc = PMPI_Reduce_scatter(send, recv, counts, type, op, comm);
    delay(p, start, comm);
    return rc;
}

int MPI_Reduce_scatter_block(const void *send, void *recv, int n, MPI_Datatype type, MPI_Op op, MPI_Comm comm)
{
    const plant *p = planted(Reduce_scatter_block, n, type);
    int64_t start = begin(p);
    int rc = PMPI_Reduce_scatter_block(send, recv, n, type, op, comm);
    delay(p, start, comm);
    return rc;
}

int MPI_Scan(const void *send, void *recv, int n, MPI_Datatype type, MPI_Op op, MPI_Comm comm)
{
    const plant *p = planted(Scan, n, type);
    int64_t start = begin(p);
    int rc = PMPI_Scan(send, recv, n, type, op, comm);
    delay(p, start, comm);
    return rc;
}

int MPI_Scatter(const void *send, int n, MPI_Datatype type, void *recv, int rn, MPI_Datatype rtype, int root, MPI_Comm comm)
{
    const plant *p = recv == MPI_IN_PLACE ? planted(Scatter, n, type) : planted(Scatter, rn, rtype);
    int64_t start = begin(p);
    int rc = PMPI_Scatter(send, n, type, recv, rn, rtype, root, comm);
    delay(p, start, comm);
    return rc;
}
