/* The collectives on datatypes with gaps, each followed by the call that it is to beat: the data
 * packed, the call on that, and the data unpacked. A block is one item of the datatype;
 * mockups/derived.go describes it. */
#include "variants.h"

#include <stdlib.h>

enum { LONGEST = 16 }; /* piece of data, in elements */

/* Makes, of pieces with gaps, the datatype of a block, whose last gap counts. */
static int finish(pg_ctx *x, int err, MPI_Datatype pieces)
{
    if (err == MPI_SUCCESS)
        err = MPI_Type_create_resized(pieces, 0, (MPI_Aint)2 * x->count * x->extent, &x->made);
    if (err == MPI_SUCCESS)
        err = MPI_Type_commit(&x->made);
    return err == MPI_SUCCESS ? MPI_Type_free(&pieces) : err;
}

static int prepare_vector(pg_ctx *x)
{
    MPI_Datatype pieces;
    int err = MPI_Type_vector((int)x->count, 1, 2, x->type, &pieces);
    return finish(x, err, pieces);
}

/* Pieces of 1, 2, 3, … elements; returns how many, and stores them unless lengths is NULL. */
static int rising(const pg_ctx *x, int *lengths, int *displs)
{
    int pieces = 0;
    for (int64_t at = 0; at < x->count; pieces++) {
        int64_t next = pieces % LONGEST + 1, of = x->count - at < next ? x->count - at : next;
        if (lengths != NULL) {
            lengths[pieces] = (int)of;
            displs[pieces] = (int)(2 * at);
        }
        at += of;
    }
    return pieces;
}

static int prepare_indexed(pg_ctx *x)
{
    int err = pg_check_count(2 * x->count), n = rising(x, NULL, NULL);
    int *lengths = err == MPI_SUCCESS ? malloc(2 * sizeof *lengths * (size_t)(n + 1)) : NULL;
    if (lengths == NULL)
        return err == MPI_SUCCESS ? MPI_ERR_NO_MEM : err;
    rising(x, lengths, lengths + n);
    MPI_Datatype pieces;
    err = MPI_Type_indexed(n, lengths, lengths + n, x->type, &pieces);
    free(lengths);
    return finish(x, err, pieces);
}

/* Without gaps. */
static int prepare_contiguous(pg_ctx *x)
{
    int err = MPI_Type_contiguous((int)x->count, x->type, &x->made);
    return err == MPI_SUCCESS ? MPI_Type_commit(&x->made) : err;
}

static void release(pg_ctx *x)
{
    MPI_Type_free(&x->made);
    pg_release(x);
}

static int is_root(const pg_ctx *x) { return x->rank == x->root; }

static int allgather(pg_ctx *x) { return MPI_Allgather(x->send, 1, x->made, x->recv, 1, x->made, x->comm); }
static int alltoall(pg_ctx *x) { return MPI_Alltoall(x->send, 1, x->made, x->recv, 1, x->made, x->comm); }
static int bcast(pg_ctx *x) { return MPI_Bcast(x->recv, 1, x->made, x->root, x->comm); }
static int gather(pg_ctx *x) { return MPI_Gather(x->send, 1, x->made, x->recv, 1, x->made, x->root, x->comm); }
static int scatter(pg_ctx *x) { return MPI_Scatter(x->send, 1, x->made, x->recv, 1, x->made, x->root, x->comm); }

/* The bytes of a block without its gaps. Packed data are as long: all processes represent
 * them in the same way. */
static int bytes(const pg_ctx *x) { return (int)(x->count * x->extent); }

static int pack(const pg_ctx *x, const void *from, int blocks, void *to)
{
    int at = 0;
    return MPI_Pack(from, blocks, x->made, to, blocks * bytes(x), &at, x->comm);
}

/* Unpacks data, unless the call that should have brought them failed. */
static int unpack(const pg_ctx *x, int err, const void *from, void *to, int blocks)
{
    int at = 0;
    return err == MPI_SUCCESS ? MPI_Unpack(from, blocks * bytes(x), &at, to, blocks, x->made, x->comm) : err;
}

/* The temporaries: of what is sent, and of what is received, in blocks. */
static int room(pg_ctx *x, int send, int recv)
{
    int err = send > 0 ? pg_temp(x, 0, send * x->count) : MPI_SUCCESS;
    return err == MPI_SUCCESS && recv > 0 ? pg_temp(x, 1, recv * x->count) : err;
}

static int room_allgather(pg_ctx *x) { return room(x, 1, x->size); }
static int room_alltoall(pg_ctx *x) { return room(x, x->size, x->size); }
static int room_bcast(pg_ctx *x) { return room(x, 1, 0); }
static int room_gather(pg_ctx *x) { return room(x, 1, is_root(x) ? x->size : 0); }
static int room_scatter(pg_ctx *x) { return room(x, is_root(x) ? x->size : 0, 1); }

static int packed_allgather(pg_ctx *x)
{
    int n = bytes(x), err = pack(x, x->send, 1, x->temp[0]);
    if (err == MPI_SUCCESS)
        err = MPI_Allgather(x->temp[0], n, MPI_PACKED, x->temp[1], n, MPI_PACKED, x->comm);
    return unpack(x, err, x->temp[1], x->recv, x->size);
}

static int packed_alltoall(pg_ctx *x)
{
    int n = bytes(x), err = pack(x, x->send, x->size, x->temp[0]);
    if (err == MPI_SUCCESS)
        err = MPI_Alltoall(x->temp[0], n, MPI_PACKED, x->temp[1], n, MPI_PACKED, x->comm);
    return unpack(x, err, x->temp[1], x->recv, x->size);
}

static int packed_bcast(pg_ctx *x)
{
    int err = is_root(x) ? pack(x, x->recv, 1, x->temp[0]) : MPI_SUCCESS;
    if (err == MPI_SUCCESS)
        err = MPI_Bcast(x->temp[0], bytes(x), MPI_PACKED, x->root, x->comm);
    return is_root(x) ? err : unpack(x, err, x->temp[0], x->recv, 1);
}

static int packed_gather(pg_ctx *x)
{
    int n = bytes(x), err = pack(x, x->send, 1, x->temp[0]);
    if (err == MPI_SUCCESS)
        err = MPI_Gather(x->temp[0], n, MPI_PACKED, x->temp[1], n, MPI_PACKED, x->root, x->comm);
    return is_root(x) ? unpack(x, err, x->temp[1], x->recv, x->size) : err;
}

static int packed_scatter(pg_ctx *x)
{
    int n = bytes(x), err = is_root(x) ? pack(x, x->send, x->size, x->temp[0]) : MPI_SUCCESS;
    if (err == MPI_SUCCESS)
        err = MPI_Scatter(x->temp[0], n, MPI_PACKED, x->temp[1], n, MPI_PACKED, x->root, x->comm);
    return unpack(x, err, x->temp[1], x->recv, 1);
}

/* Of a call on packed data: its room, then the datatype. */
static int with(pg_ctx *x, int (*room_of)(pg_ctx *), int (*prepare)(pg_ctx *))
{
    int err = room_of(x);
    return err == MPI_SUCCESS ? prepare(x) : err;
}

/* The rows of a collective with every datatype, and what prepares the packed ones. */
#define PREPARES(name)                                                                   \
    static int vector_##name(pg_ctx *x) { return with(x, room_##name, prepare_vector); } \
    static int indexed_##name(pg_ctx *x) { return with(x, room_##name, prepare_indexed); }
#define ROWS(id, name)                                            \
    {id "/contiguous", prepare_contiguous, name, release},        \
    {id "/vector", prepare_vector, name, release},                \
    {id "/indexed", prepare_indexed, name, release},              \
    {id "/vector/packed", vector_##name, packed_##name, release}, \
    {id "/indexed/packed", indexed_##name, packed_##name, release}

PREPARES(allgather)
PREPARES(alltoall)
PREPARES(bcast)
PREPARES(gather)
PREPARES(scatter)

const pg_function pg_derived[] = {
    ROWS("MPI_Allgather", allgather),
    ROWS("MPI_Alltoall", alltoall),
    ROWS("MPI_Bcast", bcast),
    ROWS("MPI_Gather", gather),
    ROWS("MPI_Scatter", scatter),
    {NULL},
};
