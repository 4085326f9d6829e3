/* The calls: each collective, what it must give, and the ways to call it. */
#include "conformance_call.h"

/* --- Collectives without an operator --- */

/* n ints with an extent of 0. */
static MPI_Datatype same(int n)
{
    MPI_Datatype block, out;
    MPI_Type_contiguous(n, MPI_INT, &block);
    MPI_Type_create_resized(block, 0, 0, &out);
    MPI_Type_commit(&out);
    MPI_Type_free(&block);
    return out;
}

static int bcast(call *c)
{
    if (at_root(c))
        put(c, 0, c->n, 0);
    return MPI_Bcast(c->how == EMPTY ? NULL : c->l->recv, many(c, 0, c->n), type(c, 0), c->root, c->comm);
}
static int bcast_right(call *c)
{
    c->written = c->n;
    return has(c, 0, c->n, c->root, 0);
}

static int gather(call *c)
{
    pg_conformance *l = c->l;
    if (at_root(c) && in_place(c)) {
        put(c, (int64_t)c->rank * c->n, c->n, 0);
        return MPI_Gather(MPI_IN_PLACE, no_count(c), no_type(c), l->recv, c->n, MPI_INT, c->root, c->comm);
    }
    if (!at_root(c) && bare(c))
        return MPI_Gather(l->send, c->n, MPI_INT, no_buffer(c), no_count(c), no_type(c), c->root, c->comm);
    return MPI_Gather(l->send, many(c, 0, c->n), type(c, 0), l->recv, many(c, 1, c->n), type(c, 1), c->root, c->comm);
}
static int all_blocks(call *c)
{
    int right = 1;
    for (int i = 0; i < c->size && right; i++)
        right = has(c, (int64_t)i * c->n, c->n, i, 0);
    c->written = (int64_t)c->size * c->n;
    return right;
}
static int gather_right(call *c) { return at_root(c) ? all_blocks(c) : 1; }

static int gatherv(call *c)
{
    pg_conformance *l = c->l;
    int mine = uneven(c, c->rank);
    if (!at_root(c) && bare(c))
        return MPI_Gatherv(l->send, mine, MPI_INT, no_buffer(c), NULL, NULL, no_type(c), c->root, c->comm);
    parts(c, type(c, 1) == l->quad);
    if (at_root(c) && in_place(c)) {
        put(c, place(c, c->rank), mine, 0);
        return MPI_Gatherv(MPI_IN_PLACE, no_count(c), no_type(c), l->recv, l->counts, l->displs, MPI_INT, c->root, c->comm);
    }
    return MPI_Gatherv(l->send, many(c, 0, mine), type(c, 0), l->recv, l->counts, l->displs, type(c, 1), c->root, c->comm);
}
static int all_parts(call *c)
{
    int right = 1;
    for (int i = 0; i < c->size && right; i++)
        right = has(c, place(c, i), uneven(c, i), i, 0);
    c->written = place(c, c->size);
    return right;
}
static int gatherv_right(call *c) { return at_root(c) ? all_parts(c) : 1; }

static int scatter(call *c)
{
    pg_conformance *l = c->l;
    if (at_root(c) && in_place(c))
        return MPI_Scatter(l->send, c->n, MPI_INT, MPI_IN_PLACE, no_count(c), no_type(c), c->root, c->comm);
    if (c->how == SAME) {
        MPI_Datatype block = same(c->n);
        int err = MPI_Scatter(l->send, 1, block, l->recv, c->n, MPI_INT, c->root, c->comm);
        MPI_Type_free(&block);
        return err;
    }
    if (!at_root(c) && bare(c))
        return MPI_Scatter(c->how == GARBAGE ? l->send : NULL, no_count(c), no_type(c), l->recv, c->n, MPI_INT, c->root, c->comm);
    return MPI_Scatter(l->send, many(c, 0, c->n), type(c, 0), l->recv, many(c, 1, c->n), type(c, 1), c->root, c->comm);
}
static int scatter_right(call *c)
{
    if (at_root(c) && in_place(c))
        return 1;
    c->written = c->n;
    return has(c, 0, c->n, c->root, c->how == SAME ? 0 : (int64_t)c->rank * c->n);
}

static int scatterv(call *c)
{
    pg_conformance *l = c->l;
    int mine = uneven(c, c->rank);
    if (!at_root(c) && bare(c))
        return MPI_Scatterv(NULL, NULL, NULL, no_type(c), l->recv, mine, MPI_INT, c->root, c->comm);
    parts(c, type(c, 0) == l->quad);
    if (at_root(c) && in_place(c))
        return MPI_Scatterv(l->send, l->counts, l->displs, MPI_INT, MPI_IN_PLACE, no_count(c), no_type(c), c->root, c->comm);
    return MPI_Scatterv(l->send, l->counts, l->displs, type(c, 0), l->recv, many(c, 1, mine), type(c, 1), c->root, c->comm);
}
static int scatterv_right(call *c)
{
    if (at_root(c) && in_place(c))
        return 1;
    c->written = uneven(c, c->rank);
    return has(c, 0, c->written, c->root, place(c, c->rank));
}

static int allgather(call *c)
{
    pg_conformance *l = c->l;
    if (in_place(c)) {
        put(c, (int64_t)c->rank * c->n, c->n, 0);
        return MPI_Allgather(MPI_IN_PLACE, no_count(c), no_type(c), l->recv, c->n, MPI_INT, c->comm);
    }
    return MPI_Allgather(l->send, many(c, 0, c->n), type(c, 0), l->recv, many(c, 1, c->n), type(c, 1), c->comm);
}

static int allgatherv(call *c)
{
    pg_conformance *l = c->l;
    int mine = uneven(c, c->rank);
    parts(c, type(c, 1) == l->quad);
    if (in_place(c)) {
        put(c, place(c, c->rank), mine, 0);
        return MPI_Allgatherv(MPI_IN_PLACE, no_count(c), no_type(c), l->recv, l->counts, l->displs, MPI_INT, c->comm);
    }
    return MPI_Allgatherv(l->send, many(c, 0, mine), type(c, 0), l->recv, l->counts, l->displs, type(c, 1), c->comm);
}

static int alltoall(call *c)
{
    pg_conformance *l = c->l;
    if (in_place(c)) {
        put(c, 0, (int64_t)c->size * c->n, 0);
        return MPI_Alltoall(MPI_IN_PLACE, no_count(c), no_type(c), l->recv, c->n, MPI_INT, c->comm);
    }
    if (c->how == SAME) {
        MPI_Datatype block = same(c->n);
        int err = MPI_Alltoall(l->send, 1, block, l->recv, c->n, MPI_INT, c->comm);
        MPI_Type_free(&block);
        return err;
    }
    return MPI_Alltoall(l->send, many(c, 0, c->n), type(c, 0), l->recv, many(c, 1, c->n), type(c, 1), c->comm);
}
static int alltoall_right(call *c)
{
    int right = 1;
    for (int i = 0; i < c->size && right; i++)
        right = has(c, (int64_t)i * c->n, c->n, i, c->how == SAME ? 0 : (int64_t)c->rank * c->n);
    c->written = (int64_t)c->size * c->n;
    return right;
}

/* Equal blocks: in place the counts of any two ranks must be the same. */
static void equal(const call *c, int64_t unit)
{
    for (int i = 0; i < c->size; i++) {
        c->l->counts[i] = c->n;
        c->l->displs[i] = (int)(i * c->n * unit);
        c->l->zeros[i] = no_count(c);
    }
}
static int alltoallv(call *c)
{
    pg_conformance *l = c->l;
    equal(c, 1);
    if (in_place(c)) {
        put(c, 0, (int64_t)c->size * c->n, 0);
        int *none = c->how == IN_PLACE ? NULL : l->zeros;
        return MPI_Alltoallv(MPI_IN_PLACE, none, none, no_type(c), l->recv, l->counts, l->displs, MPI_INT, c->comm);
    }
    if (c->how != TYPES && c->how != MIXED)
        return MPI_Alltoallv(l->send, l->counts, l->displs, MPI_INT, l->recv, l->counts, l->displs, MPI_INT, c->comm);
    int *quads = l->zeros, *from = quads + c->size; /* of 4 ints */
    for (int i = 0; i < c->size; i++) {
        quads[i] = c->n / 4;
        from[i] = i * c->n / 4;
    }
    int s = type(c, 0) == l->quad, r = type(c, 1) == l->quad;
    return MPI_Alltoallv(l->send, s ? quads : l->counts, s ? from : l->displs, type(c, 0), l->recv, r ? quads : l->counts,
                         r ? from : l->displs, type(c, 1), c->comm);
}
static int alltoallw(call *c)
{
    pg_conformance *l = c->l;
    equal(c, sizeof(int));
    for (int i = 0; i < c->size; i++)
        l->types[i] = MPI_INT;
    if (in_place(c)) {
        put(c, 0, (int64_t)c->size * c->n, 0);
        return MPI_Alltoallw(MPI_IN_PLACE, NULL, NULL, NULL, l->recv, l->counts, l->displs, l->types, c->comm);
    }
    return MPI_Alltoallw(l->send, l->counts, l->displs, l->types, l->recv, l->counts, l->displs, l->types, c->comm);
}

static int barrier(call *c) { return MPI_Barrier(c->comm); }
static int nothing(call *c)
{
    (void)c;
    return 1;
}

/* --- Collectives with an operator --- */

static int ordered(const call *c) { return c->how == ORDER || c->how == ORDER_IN_PLACE; }

/* Element i of what ranks from first to last give together, each its i-th. */
static int together(const call *c, int first, int last, int64_t i)
{
    uint32_t sum = 0, a = 1, b = 0;
    for (int r = first; r <= last; r++) {
        uint32_t u = (uint32_t)value(r, i - i % 2), v = (uint32_t)value(r, i - i % 2 + 1);
        sum += (uint32_t)value(r, i);
        b += a * v;
        a *= u;
    }
    if (!ordered(c))
        return (int)sum;
    return (int)(i % 2 ? b : a);
}
static int gives(const call *c, int64_t n, int first, int last, int64_t from)
{
    for (int64_t i = 0; i < n; i++)
        if (c->l->recv[i] != together(c, first, last, from + i))
            return wrong(c, i, c->l->recv[i], together(c, first, last, from + i));
    return 1;
}

static MPI_Datatype operand(const call *c) { return ordered(c) ? c->l->pair : MPI_INT; }
static MPI_Op operator(const call *c) { return ordered(c) ? c->l->compose : MPI_SUM; }
static int operands(const call *c, int n) { return ordered(c) ? n / 2 : n; }

/* The send buffer, or MPI_IN_PLACE with n ints of it in recv. */
static const void *from(call *c, int64_t n)
{
    if (!in_place(c))
        return c->l->send;
    put(c, 0, n, 0);
    return MPI_IN_PLACE;
}

static int allreduce(call *c)
{
    const void *s = from(c, c->n);
    return MPI_Allreduce(s, c->l->recv, operands(c, c->n), operand(c), operator(c), c->comm);
}
static int allreduce_right(call *c)
{
    c->written = c->n;
    return gives(c, c->n, 0, c->size - 1, 0);
}

static int reduce(call *c)
{
    if (!at_root(c))
        return MPI_Reduce(c->l->send, bare(c) ? NULL : c->l->recv, operands(c, c->n), operand(c), operator(c), c->root, c->comm);
    const void *s = from(c, c->n);
    return MPI_Reduce(s, c->l->recv, operands(c, c->n), operand(c), operator(c), c->root, c->comm);
}
static int reduce_right(call *c)
{
    if (at_root(c))
        return allreduce_right(c);
    c->written = bare(c) ? 0 : c->room; /* may be used, though it does not count */
    return 1;
}

static int reduce_scatter(call *c)
{
    int64_t all = 0;
    for (int i = 0; i < c->size; i++) {
        c->l->counts[i] = operands(c, uneven(c, i));
        all += uneven(c, i);
    }
    const void *s = from(c, all);
    return MPI_Reduce_scatter(s, c->l->recv, c->l->counts, operand(c), operator(c), c->comm);
}
static int reduce_scatter_right(call *c)
{
    int64_t before = 0, all = 0;
    for (int i = 0; i < c->size; i++) {
        before += i < c->rank ? uneven(c, i) : 0;
        all += uneven(c, i);
    }
    c->written = in_place(c) ? all : uneven(c, c->rank);
    return gives(c, uneven(c, c->rank), 0, c->size - 1, before);
}

static int reduce_scatter_block(call *c)
{
    const void *s = from(c, (int64_t)c->size * c->n);
    return MPI_Reduce_scatter_block(s, c->l->recv, operands(c, c->n), operand(c), operator(c), c->comm);
}
static int reduce_scatter_block_right(call *c)
{
    c->written = in_place(c) ? (int64_t)c->size * c->n : c->n;
    return gives(c, c->n, 0, c->size - 1, (int64_t)c->rank * c->n);
}

static int scan(call *c)
{
    const void *s = from(c, c->n);
    return MPI_Scan(s, c->l->recv, operands(c, c->n), operand(c), operator(c), c->comm);
}
static int scan_right(call *c)
{
    c->written = c->n;
    return gives(c, c->n, 0, c->rank, 0);
}

static int exscan(call *c)
{
    const void *s = from(c, c->n);
    return MPI_Exscan(s, c->l->recv, operands(c, c->n), operand(c), operator(c), c->comm);
}
static int exscan_right(call *c)
{
    c->written = c->n;
    return c->rank == 0 ? 1 : gives(c, c->n, 0, c->rank - 1, 0);
}

/* --- Messages --- */

/* Several in a row, each shorter than the one before, from each rank to the next or from all to one. They must come in
 * their order to receives from anybody, with any tag, of which the first is there before them. */
enum { IN_A_ROW = 4 };

/* Looks at a message that has come. For each rank `next` counts which of its messages is next. */
static void came(call *c, MPI_Status *s, int next[])
{
    int from = s->MPI_SOURCE, ints = 0;
    int known = c->how == CROWDED ? from >= 0 && from < c->size : from == (c->rank + c->size - 1) % c->size;
    int i = known ? next[from]++ : 0;
    MPI_Get_count(s, MPI_INT, &ints);
    if (!known || s->MPI_TAG != i || ints != c->n >> i)
        snprintf(c->why, PG_CONFORMANCE_TEXT, "rank %d got message %d, of %d ints from rank %d, where %d of %d ints is next",
                 c->rank, s->MPI_TAG, ints, from, i, c->n >> i);
    else
        has(c, 0, ints, from, i);
}

static int send(call *c)
{
    pg_conformance *l = c->l;
    int to = c->how == CROWDED ? c->root : (c->rank + 1) % c->size, err = MPI_SUCCESS;
    int awaited = c->how == ORDERED ? IN_A_ROW : at_root(c) ? IN_A_ROW * c->size : 0, *next = l->counts;
    MPI_Request sent[IN_A_ROW], first;
    MPI_Status s;
    for (int i = 0; i < c->size; i++)
        next[i] = 0;
    if (awaited > 0)
        err = MPI_Irecv(l->recv, c->n, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, c->comm, &first);
    for (int i = 0; i < IN_A_ROW && err == MPI_SUCCESS; i++)
        err = MPI_Isend(l->send + i, c->n >> i, MPI_INT, to, i, c->comm, &sent[i]);
    for (int i = 0; i < awaited && err == MPI_SUCCESS; i++) {
        err = i == 0 ? MPI_Wait(&first, &s) : MPI_Recv(l->recv, c->n, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, c->comm, &s);
        if (err == MPI_SUCCESS && c->why[0] == 0)
            came(c, &s, next);
    }
    for (int i = 0; i < IN_A_ROW && err == MPI_SUCCESS; i++)
        err = MPI_Wait(&sent[i], MPI_STATUS_IGNORE);
    return err;
}
static int send_right(call *c)
{
    c->written = c->how == ORDERED || at_root(c) ? c->n : 0;
    return c->why[0] == 0;
}

/* --- The table --- */

#define ROOTED (1 << ALIKE | 1 << NOTHING | 1 << GARBAGE | 1 << IN_PLACE | 1 << IN_PLACE_GARBAGE | 1 << TYPES | 1 << MIXED | 1 << EMPTY)
#define ALL (1 << ALIKE | 1 << IN_PLACE | 1 << IN_PLACE_GARBAGE | 1 << TYPES | 1 << MIXED | 1 << EMPTY)
#define REDUCES (1 << ALIKE | 1 << IN_PLACE | 1 << ORDER | 1 << ORDER_IN_PLACE | 1 << EMPTY)

static const row rows[] = {
    {"MPI_Allgather", ALL, allgather, all_blocks},
    {"MPI_Allgatherv", ALL, allgatherv, all_parts},
    {"MPI_Allreduce", REDUCES, allreduce, allreduce_right},
    {"MPI_Alltoall", ALL | 1 << SAME, alltoall, alltoall_right},
    {"MPI_Alltoallv", ALL, alltoallv, alltoall_right},
    {"MPI_Alltoallw", 1 << ALIKE | 1 << IN_PLACE | 1 << EMPTY, alltoallw, alltoall_right},
    {"MPI_Barrier", 1 << EMPTY, barrier, nothing},
    {"MPI_Bcast", 1 << ALIKE | 1 << TYPES | 1 << EMPTY, bcast, bcast_right},
    {"MPI_Exscan", REDUCES, exscan, exscan_right},
    {"MPI_Gather", ROOTED, gather, gather_right},
    {"MPI_Gatherv", ROOTED, gatherv, gatherv_right},
    {"MPI_Reduce", REDUCES | 1 << NOTHING, reduce, reduce_right},
    {"MPI_Reduce_scatter", REDUCES, reduce_scatter, reduce_scatter_right},
    {"MPI_Reduce_scatter_block", REDUCES, reduce_scatter_block, reduce_scatter_block_right},
    {"MPI_Scan", REDUCES, scan, scan_right},
    {"MPI_Scatter", ROOTED | 1 << SAME, scatter, scatter_right},
    {"MPI_Scatterv", ROOTED, scatterv, scatterv_right},
    {"MPI_Send", 1 << ORDERED | 1 << CROWDED, send, send_right},
};
enum { ROWS = sizeof rows / sizeof *rows };

static const char *const words[HOWS] = {
    "the same arguments on all ranks",
    "0, NULL and MPI_DATATYPE_NULL where arguments do not count",
    "other arguments on every rank where they do not count",
    "MPI_IN_PLACE, with 0 and MPI_DATATYPE_NULL",
    "MPI_IN_PLACE, with other ignored arguments on every rank",
    "n ints on some ranks, n/4 times a type of 4 ints on the others",
    "n ints on some ranks, n/4 times a type of 4 ints on the others, and the other way round to receive",
    "nothing in it",
    "an operator that does not commute",
    "an operator that does not commute, MPI_IN_PLACE",
    "several in a row, received from anybody",
    "several in a row from all ranks, received by one from anybody",
    "one block for all ranks, by a datatype of extent 0",
};

const row *pg_conformance_nth(int k, how *h)
{
    *h = ALIKE;
    for (int i = 0; i < ROWS; i++)
        for (int j = 0; j < HOWS; j++)
            if (rows[i].hows & 1 << j && k-- == 0) {
                *h = j;
                return &rows[i];
            }
    return NULL;
}

int pg_conformance_calls(void)
{
    how h;
    int n = 0;
    while (pg_conformance_nth(n, &h) != NULL)
        n++;
    return n;
}

const char *pg_conformance_function(int k)
{
    how h;
    return pg_conformance_nth(k, &h)->function;
}

void pg_conformance_name(int k, char *text)
{
    how h;
    pg_conformance_nth(k, &h);
    snprintf(text, PG_CONFORMANCE_TEXT, "%s", words[h]);
}

int pg_conformance_sized(int k)
{
    how h;
    pg_conformance_nth(k, &h);
    return h != EMPTY;
}
