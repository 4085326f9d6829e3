/* MPI_Scan and its mock-up GL16. */
#include "rows.h"

static int scan(pg_ctx *x)
{
    return MPI_Scan(x->send, x->recv, (int)x->count, x->type, x->op, x->comm);
}

/* Rank 0 has no prefix: the receive buffer can take what Exscan leaves there. */
static int prepare_prefix(pg_ctx *x)
{
    if (x->rank == 0)
        return MPI_SUCCESS;
    return pg_temp(x, 0, x->count);
}

/* Reduce_local computes in op inout, so the prefix must be `in`: operators that
 * do not commute keep the rank order. */
static int as_exscan_reduce_local(pg_ctx *x)
{
    int n = (int)x->count;
    void *prefix = x->rank == 0 ? x->recv : x->temp[0];
    int err = MPI_Exscan(x->send, prefix, n, x->type, x->op, x->comm);
    if (err != MPI_SUCCESS)
        return err;
    pg_copy(x, x->recv, x->send, x->count);
    if (x->rank == 0)
        return err;
    return MPI_Reduce_local(prefix, x->recv, n, x->type, x->op);
}

const pg_function pg_scan[] = {
    {"MPI_Scan", pg_prepare_nothing, scan, pg_release},
    {"scan_as_exscan+reduce_local", prepare_prefix, as_exscan_reduce_local, pg_release},
    {NULL},
};
