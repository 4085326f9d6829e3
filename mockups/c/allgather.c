/* MPI_Allgather and its mock-ups GL5, GL6, GL11 and GL20. */
#include "rows.h"

static int allgather(pg_ctx *x)
{
    int n = (int)x->count;
    return MPI_Allgather(x->send, n, x->type, x->recv, n, x->type, x->comm);
}

/* Alltoall wants the own block p times. Small vectors are copied; for large
 * ones a datatype of one block whose extent is 0 lets all p parts of the send
 * buffer be the same memory, which costs some 0.5 us a call and no copy. Not
 * MPI_IN_PLACE: libraries then exchange block after block. */
enum { COPIED_BYTES = 16 << 10 };

static int is_copied(const pg_ctx *x)
{
    return pg_vector_bytes(x) <= COPIED_BYTES;
}

static int prepare_alltoall(pg_ctx *x)
{
    if (is_copied(x))
        return pg_temp(x, 0, x->size * x->count);
    MPI_Datatype block;
    int err = MPI_Type_contiguous((int)x->count, x->type, &block);
    if (err != MPI_SUCCESS)
        return err;
    err = MPI_Type_create_resized(block, 0, 0, &x->made);
    if (err == MPI_SUCCESS)
        err = MPI_Type_commit(&x->made);
    return pg_first(err, MPI_Type_free(&block));
}

static int as_alltoall(pg_ctx *x)
{
    int n = (int)x->count;
    if (!is_copied(x))
        return MPI_Alltoall(x->send, 1, x->made, x->recv, n, x->type, x->comm);
    for (int i = 0; i < x->size; i++)
        pg_copy(x, pg_at(x, x->temp[0], i * x->count), x->send, x->count);
    return MPI_Alltoall(x->temp[0], n, x->type, x->recv, n, x->type, x->comm);
}

static void release_alltoall(pg_ctx *x)
{
    if (!is_copied(x))
        MPI_Type_free(&x->made);
    pg_release(x);
}

static int prepare_allreduce(pg_ctx *x)
{
    return pg_check_count(pg_vector_bytes(x));
}

static int as_allreduce(pg_ctx *x)
{
    pg_own_block_in_zeros(x, x->recv);
    return MPI_Allreduce(MPI_IN_PLACE, x->recv, (int)pg_vector_bytes(x), MPI_BYTE, MPI_BOR, x->comm);
}

static int as_gather_bcast(pg_ctx *x)
{
    int n = (int)x->count;
    int err = MPI_Gather(x->send, n, x->type, x->recv, n, x->type, 0, x->comm);
    return pg_first(err, MPI_Bcast(x->recv, x->size * n, x->type, 0, x->comm));
}

static int as_allgatherv(pg_ctx *x)
{
    return MPI_Allgatherv(x->send, (int)x->count, x->type, x->recv, x->counts, x->displs, x->type, x->comm);
}

const pg_function pg_allgather[] = {
    {"MPI_Allgather", pg_prepare_nothing, allgather, pg_release},
    {"allgather_as_alltoall", prepare_alltoall, as_alltoall, release_alltoall},
    {"allgather_as_allreduce", prepare_allreduce, as_allreduce, pg_release},
    {"allgather_as_gather+bcast", pg_prepare_nothing, as_gather_bcast, pg_release},
    {"allgather_as_allgatherv", pg_equal_parts, as_allgatherv, pg_release},
    {NULL},
};
