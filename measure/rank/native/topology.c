#define _GNU_SOURCE
#include "rank.h"

#include <sched.h>

int pg_topology(pg_ctx *x, int *nodes, int *crowded)
{
    MPI_Comm node;
    int ranks, at, rc = MPI_Comm_split_type(x->own, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &node);
    if (rc != MPI_SUCCESS)
        return rc;
    MPI_Comm_size(node, &ranks);
    MPI_Comm_rank(node, &at);
    union { /* the cores, as words */
        cpu_set_t set;
        int64_t words[sizeof(cpu_set_t) / sizeof(int64_t)];
    } all;
    CPU_ZERO(&all.set);
    sched_getaffinity(0, sizeof all.set, &all.set);
    pg_ctx among = {.own = node, .rank = at, .size = ranks};
    rc = pg_combine(&among, all.words, all.words, sizeof all.words / sizeof *all.words, pg_union_of);
    if (rc == MPI_SUCCESS)
        rc = pg_share(&among, &all, sizeof all, 0);
    int freed = MPI_Comm_free(&node);
    if (rc != MPI_SUCCESS || freed != MPI_SUCCESS)
        return rc != MPI_SUCCESS ? rc : freed;
    int64_t sum[2] = {at == 0, ranks > CPU_COUNT(&all.set)};
    rc = pg_combine(x, sum, sum, 2, pg_sum_of);
    if (rc == MPI_SUCCESS)
        rc = pg_share(x, sum, sizeof sum, 0);
    *nodes = (int)sum[0];
    *crowded = (int)sum[1];
    return rc;
}
