//go:build ignore

/* What the library of measure/preload costs, with which this program is preloaded.
 *
 *   mpirun -np 2 layer BATCHES NREP [BYTES…]
 *
 * Rank 0 prints by how many nanoseconds a call by its MPI_ name takes longer than by its PMPI_ name,
 * then for each size the median time of MPI_Scan, for which there is to be a rule, as a multiple of the
 * mock-up's own, in samples as a check's, alternately. */
#define _POSIX_C_SOURCE 200809L
#include "mockups.h"

#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum { BATCH = 1000 };

static int64_t now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

static void *pages(int64_t bytes)
{
    void *at = aligned_alloc(PG_ALIGN, (size_t)((bytes + PG_ALIGN - 1) / PG_ALIGN * PG_ALIGN));
    if (at == NULL)
        MPI_Abort(MPI_COMM_WORLD, 1);
    memset(at, 0, (size_t)bytes);
    return at;
}

/* On a communicator of one process, which waits for nobody; the shortest batches count. */
static double longer(int batches)
{
    int (*const ways[])(const void *, void *, int, MPI_Datatype, MPI_Op, MPI_Comm) = {MPI_Allreduce, PMPI_Allreduce};
    int64_t least[2] = {INT64_MAX, INT64_MAX};
    int one = 1, sum;
    for (int i = 0; i < 2 * batches; i++) {
        int64_t begin = now();
        for (int k = 0; k < BATCH; k++)
            ways[i % 2](&one, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_SELF);
        int64_t took = now() - begin;
        least[i % 2] = took < least[i % 2] ? took : least[i % 2];
    }
    return (double)(least[0] - least[1]) / BATCH;
}

static int by_size(const void *a, const void *b)
{
    int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
    return (x > y) - (x < y);
}

static const pg_function *row_of(const char *id)
{
    int n;
    const pg_function *row = pg_table(&n);
    while (n > 1 && strcmp(row->id, id) != 0)
        row++, n--;
    return row;
}

/* The median of samples as a check's: the maxima over the ranks. */
static double median(int64_t *ns, int64_t *all, int nrep)
{
    PMPI_Reduce(ns, all, nrep, MPI_INT64_T, MPI_MAX, 0, MPI_COMM_WORLD);
    qsort(all, (size_t)nrep, sizeof *all, by_size);
    return (double)all[nrep / 2];
}

static double replaced(int64_t bytes, int nrep)
{
    enum { UNTIMED = 20 };
    const pg_function *row = row_of("scan_as_exscan+reduce_local");
    int64_t room = bytes + 2 * (PG_ALIGN + PG_GUARD_BYTES);
    pg_ctx x = {.comm = MPI_COMM_WORLD, .count = bytes / 8, .type = MPI_DOUBLE, .extent = 8, .op = MPI_SUM, .send = pages(bytes),
                .recv = pages(bytes), .arena = pages(room), .arena_bytes = room, .temp_elements = INT64_MAX};
    MPI_Comm_rank(x.comm, &x.rank);
    MPI_Comm_size(x.comm, &x.size);
    if (row->prepare(&x) != MPI_SUCCESS)
        MPI_Abort(x.comm, 1);
    int64_t *ns[] = {pages(nrep * 8), pages(nrep * 8)}, *all = pages(nrep * 8);
    for (int i = -UNTIMED; i < 2 * nrep; i++) {
        int way = (i + i / 2) & 1; /* 0 1 1 0: each is first as often */
        PMPI_Barrier(x.comm);
        int64_t begin = now();
        if (way == 0)
            MPI_Scan(x.send, x.recv, (int)x.count, x.type, x.op, x.comm);
        else
            row->run(&x);
        if (i >= 0)
            ns[way][i / 2] = now() - begin;
    }
    row->release(&x);
    double through = median(ns[0], all, nrep);
    return through / median(ns[1], all, nrep);
}

int main(int argc, char **argv)
{
    int rank;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    double costs = argc > 2 ? longer(atoi(argv[1])) : 0;
    if (rank == 0)
        printf("%.2f\n", costs);
    for (int i = 3; i < argc; i++) {
        double ratio = replaced(atoi(argv[i]), atoi(argv[2]));
        if (rank == 0)
            printf("%.4f\n", ratio);
    }
    MPI_Finalize();
    return 0;
}
