/* MPI_Exscan and its mock-up GL32. */
#include "rows.h"

static int exscan(pg_ctx *x)
{
    return MPI_Exscan(x->send, x->recv, (int)x->count, x->type, x->op, x->comm);
}

static int prepare_block(pg_ctx *x) { return pg_temp(x, 0, x->count); }

/* The result of a Scan goes to the rank above. */
static int as_scan_sendrecv(pg_ctx *x)
{
    enum { UP = 6 };
    int n = (int)x->count, below = x->rank == 0 ? MPI_PROC_NULL : x->rank - 1,
        above = x->rank == x->size - 1 ? MPI_PROC_NULL : x->rank + 1;
    void *result = x->rank == 0 ? NULL : x->recv; /* it does not count there */
    int err = MPI_Scan(x->send, x->temp[0], n, x->type, x->op, x->comm);
    return pg_first(err, MPI_Sendrecv(x->temp[0], n, x->type, above, UP, result, x->rank == 0 ? 0 : n, x->type, below, UP,
                                      x->comm, MPI_STATUS_IGNORE));
}

const pg_function pg_exscan[] = {
    {"MPI_Exscan", pg_prepare_nothing, exscan, pg_release},
    {"exscan_as_scan+sendrecv", prepare_block, as_scan_sendrecv, pg_release},
    {NULL},
};
