/* The collectives on datatypes with gaps, and behind each what it is to beat: the data packed,
 * the call on that, and the data unpacked. A block is one item of the datatype; what it looks
 * like mockups/derived.go says. */
#include "variants.h"

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
    int64_t n = x->count, rest = LONGEST;
    while (rest != 0) { /* their greatest common divisor */
        int64_t last = n % rest;
        n = rest;
        rest = last;
    }
    MPI_Datatype pieces;
    int err = MPI_Type_vector((int)(x->count / n), (int)n, (int)(2 * n), x->type, &pieces);
    return finish(x, err, pieces);
}

/* Pieces of 1, 2, 3, … elements that have n together; *type is as long as they and their gaps. */
static int rising(const pg_ctx *x, int n, MPI_Datatype *type)
{
    int lengths[LONGEST], displs[LONGEST], pieces = 0;
    for (int at = 0, left = n; left > 0; pieces++) {
        int next = pieces + 1;
        lengths[pieces] = left < next ? left : next;
        displs[pieces] = at;
        at += 2 * lengths[pieces];
        left -= lengths[pieces];
    }
    MPI_Datatype raw;
    int err = MPI_Type_indexed(pieces, lengths, displs, x->type, &raw);
    if (err == MPI_SUCCESS)
        err = MPI_Type_create_resized(raw, 0, (MPI_Aint)2 * n * x->extent, type);
    return err == MPI_SUCCESS ? MPI_Type_free(&raw) : err;
}

/* The pieces up to the longest as often as they fit, then the pieces of the rest: a list of all of
 * them would be as long as the data. */
static int prepare_indexed(pg_ctx *x)
{
    enum { TURN = LONGEST * (LONGEST + 1) / 2 };
    int turns = (int)(x->count / TURN), rest = (int)(x->count % TURN);
    MPI_Datatype types[2], pieces;
    int err = rising(x, TURN, &types[0]);
    if (err == MPI_SUCCESS)
        err = rising(x, rest, &types[1]);
    if (err != MPI_SUCCESS)
        return err;
    err = MPI_Type_create_struct(2, (int[]){turns, rest > 0}, (MPI_Aint[]){0, (MPI_Aint)2 * turns * TURN * x->extent}, types,
                                 &pieces);
    err = finish(x, err, pieces);
    MPI_Type_free(&types[0]);
    MPI_Type_free(&types[1]);
    return err;
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

/* Unless what should have brought the data failed. */
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

/* The rows of a collective with both datatypes, and what prepares the packed ones. */
#define PREPARES(name)                                                                   \
    static int vector_##name(pg_ctx *x) { return with(x, room_##name, prepare_vector); } \
    static int indexed_##name(pg_ctx *x) { return with(x, room_##name, prepare_indexed); }
#define ROWS(id, name)                                            \
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
