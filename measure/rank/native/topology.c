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
    cpu_set_t own, all;
    CPU_ZERO(&own);
    CPU_ZERO(&all);
    sched_getaffinity(0, sizeof own, &own);
    rc = MPI_Allreduce(&own, &all, (int)sizeof own, MPI_BYTE, MPI_BOR, node);
    int freed = MPI_Comm_free(&node);
    if (rc != MPI_SUCCESS || freed != MPI_SUCCESS)
        return rc != MPI_SUCCESS ? rc : freed;
    int mine[2] = {at == 0, ranks > CPU_COUNT(&all)}, sum[2];
    rc = MPI_Allreduce(mine, sum, 2, MPI_INT, MPI_SUM, x->own);
    *nodes = sum[0];
    *crowded = sum[1];
    return rc;
}
