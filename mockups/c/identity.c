/* The regular collectives once more, as mock-ups of themselves: what pgmpi
 * selftest compares a call with. They, and Send and Sendrecv in messages.c, alone
 * call MPI by its PMPI_ names, which are the same code under another name. So
 * whatever slows the MPI_ names down (measure/delay) leaves them alone, and a
 * planted slowdown of 10 % is a ratio of 1.10 of the call to its identity. */
#include "regular.h"
#include "rows.h"

static int Allgather(pg_ctx *x)
{
    int n = (int)x->count;
    return PMPI_Allgather(x->send, n, x->type, x->recv, n, x->type, x->comm);
}

static int Allreduce(pg_ctx *x)
{
    return PMPI_Allreduce(x->send, x->recv, (int)x->count, x->type, x->op, x->comm);
}

static int Alltoall(pg_ctx *x)
{
    int n = (int)x->count;
    return PMPI_Alltoall(x->send, n, x->type, x->recv, n, x->type, x->comm);
}

static int Bcast(pg_ctx *x)
{
    return PMPI_Bcast(x->recv, (int)x->count, x->type, x->root, x->comm);
}

static int Exscan(pg_ctx *x)
{
    return PMPI_Exscan(x->send, x->recv, (int)x->count, x->type, x->op, x->comm);
}

static int Gather(pg_ctx *x)
{
    int n = (int)x->count;
    return PMPI_Gather(x->send, n, x->type, x->recv, n, x->type, x->root, x->comm);
}

static int Reduce(pg_ctx *x)
{
    return PMPI_Reduce(x->send, x->recv, (int)x->count, x->type, x->op, x->root, x->comm);
}

static int Reduce_scatter(pg_ctx *x)
{
    return PMPI_Reduce_scatter(x->send, x->recv, x->counts, x->type, x->op, x->comm);
}

static int Reduce_scatter_block(pg_ctx *x)
{
    return PMPI_Reduce_scatter_block(x->send, x->recv, (int)x->count, x->type, x->op, x->comm);
}

static int Scan(pg_ctx *x)
{
    return PMPI_Scan(x->send, x->recv, (int)x->count, x->type, x->op, x->comm);
}

static int Scatter(pg_ctx *x)
{
    int n = (int)x->count;
    return PMPI_Scatter(x->send, n, x->type, x->recv, n, x->type, x->root, x->comm);
}

#define ROW(name, prepare) {"identity:MPI_" #name, prepare, name, pg_release},
const pg_function pg_identity[] = {PG_REGULAR(ROW){NULL}};
