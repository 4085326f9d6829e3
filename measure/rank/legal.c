#include "legal.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { COMMS = 5, BEHIND = 16, POISON = 0x5a5a5a5a };

/* One communicator to call on. */
typedef struct part {
    const char *name;
    MPI_Comm comm;
    int rank, size;
} part;

struct pg_legal {
    MPI_Comm world;
    int rank, size;
    part parts[COMMS];
    int n_parts;
    int64_t room; /* ints in send and recv, without what is behind */
    int *send, *recv, *counts, *displs, *zeros;
    MPI_Datatype *types;
    MPI_Datatype quad, pair; /* 4 ints and 2 ints */
    MPI_Op compose;
};

/* How arguments are, where MPI leaves a choice. */
typedef enum how {
    ALIKE,    /* the same on all ranks */
    NOTHING,  /* what does not count is 0, NULL or MPI_DATATYPE_NULL */
    GARBAGE,  /* what does not count differs from rank to rank */
    IN_PLACE, /* MPI_IN_PLACE, and what then does not count is 0 or MPI_DATATYPE_NULL */
    IN_PLACE_GARBAGE,
    TYPES, /* n ints on some ranks, n/4 times 4 ints on the others */
    MIXED, /* the same, and the other one for what a rank receives */
    EMPTY, /* of nothing */
    ORDER, /* an operator that does not commute */
    ORDER_IN_PLACE,
    HOWS
} how;

/* A call: what it is made with, all of it known to who checks. */
typedef struct call {
    pg_legal *l;
    MPI_Comm comm;
    how how;
    int rank, size, root, n; /* n: ints in a block */
    int64_t room;            /* ints of the buffers that this call has */
    int64_t written;         /* ints that recv may have got */
    char *why;
} call;

static int value(int rank, int64_t i) { return (int)((uint32_t)(rank + 1) * 2654435761u + (uint32_t)i * 40503u); }

static int in_place(const call *c) { return c->how == IN_PLACE || c->how == IN_PLACE_GARBAGE || c->how == ORDER_IN_PLACE; }
static int at_root(const call *c) { return c->rank == c->root; }

/* Of an argument that does not count. */
static int no_count(const call *c)
{
    static const int any[] = {0, 1 << 20, 1, 1 << 10};
    return c->how == GARBAGE || c->how == IN_PLACE_GARBAGE ? any[c->rank % 4] : 0;
}
static MPI_Datatype no_type(const call *c)
{
    MPI_Datatype any[] = {MPI_DATATYPE_NULL, MPI_INT, MPI_BYTE, c->l->quad};
    return c->how == GARBAGE || c->how == IN_PLACE_GARBAGE ? any[c->rank % 4] : MPI_DATATYPE_NULL;
}
static int *no_buffer(const call *c) { return c->how == GARBAGE ? c->l->recv : NULL; }

/* Whether this rank gives no more than it must. */
static int bare(const call *c) { return c->how != ALIKE && c->how != TYPES && c->how != MIXED && c->how != EMPTY; }

/* What n ints are for this rank: itself as sender (0) or receiver (1). */
static MPI_Datatype type(const call *c, int receives)
{
    int turn = c->how == MIXED ? receives : 0;
    return (c->how == TYPES || c->how == MIXED) && (c->rank + turn) % 2 ? c->l->quad : MPI_INT;
}
static int many(const call *c, int receives, int n) { return type(c, receives) == c->l->quad ? n / 4 : n; }

static int wrong(const call *c, int64_t i, int got, int want)
{
    snprintf(c->why, PG_LEGAL_TEXT, "rank %d, int %lld of its result: %d, and %d is right", c->rank, (long long)i, got, want);
    return 0;
}

/* Compares ints of recv from `at` on with values that a rank has from `first` on. */
static int has(const call *c, int64_t at, int64_t n, int from, int64_t first)
{
    for (int64_t i = 0; i < n; i++)
        if (c->l->recv[at + i] != value(from, first + i))
            return wrong(c, at + i, c->l->recv[at + i], value(from, first + i));
    return 1;
}

static int untouched(const call *c, int64_t from)
{
    for (int64_t i = from; i < c->room + BEHIND; i++)
        if (c->l->recv[i] != POISON)
            return wrong(c, i, c->l->recv[i], POISON);
    return 1;
}

/* Own data where a call in place takes them from. */
static void put(const call *c, int64_t at, int64_t n, int64_t first)
{
    for (int64_t i = 0; i < n; i++)
        c->l->recv[at + i] = value(c->rank, first + i);
}

/* Parts of different sizes, one of them empty, with gaps between them. */
static int uneven(const call *c, int rank) { return rank % 3 == 1 ? 0 : c->n / (1 + rank % 2); }
static void parts(const call *c, int kind)
{
    int at = 0;
    for (int i = 0; i < c->size; i++) {
        int n = uneven(c, i);
        c->l->counts[i] = kind ? n / 4 : n;
        c->l->displs[i] = kind ? at / 4 : at;
        at += n + (n < c->n ? 4 : 0);
    }
}
static int64_t place(const call *c, int rank)
{
    int64_t at = 0;
    for (int i = 0; i < rank; i++)
        at += uneven(c, i) + (uneven(c, i) < c->n ? 4 : 0);
    return at;
}

/* --- Collectives without an operator --- */

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
    pg_legal *l = c->l;
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
    pg_legal *l = c->l;
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
    pg_legal *l = c->l;
    if (at_root(c) && in_place(c))
        return MPI_Scatter(l->send, c->n, MPI_INT, MPI_IN_PLACE, no_count(c), no_type(c), c->root, c->comm);
    if (!at_root(c) && bare(c))
        return MPI_Scatter(c->how == GARBAGE ? l->send : NULL, no_count(c), no_type(c), l->recv, c->n, MPI_INT, c->root, c->comm);
    return MPI_Scatter(l->send, many(c, 0, c->n), type(c, 0), l->recv, many(c, 1, c->n), type(c, 1), c->root, c->comm);
}
static int scatter_right(call *c)
{
    if (at_root(c) && in_place(c))
        return 1;
    c->written = c->n;
    return has(c, 0, c->n, c->root, (int64_t)c->rank * c->n);
}

static int scatterv(call *c)
{
    pg_legal *l = c->l;
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
    pg_legal *l = c->l;
    if (in_place(c)) {
        put(c, (int64_t)c->rank * c->n, c->n, 0);
        return MPI_Allgather(MPI_IN_PLACE, no_count(c), no_type(c), l->recv, c->n, MPI_INT, c->comm);
    }
    return MPI_Allgather(l->send, many(c, 0, c->n), type(c, 0), l->recv, many(c, 1, c->n), type(c, 1), c->comm);
}

static int allgatherv(call *c)
{
    pg_legal *l = c->l;
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
    pg_legal *l = c->l;
    if (in_place(c)) {
        put(c, 0, (int64_t)c->size * c->n, 0);
        return MPI_Alltoall(MPI_IN_PLACE, no_count(c), no_type(c), l->recv, c->n, MPI_INT, c->comm);
    }
    return MPI_Alltoall(l->send, many(c, 0, c->n), type(c, 0), l->recv, many(c, 1, c->n), type(c, 1), c->comm);
}
static int alltoall_right(call *c)
{
    int right = 1;
    for (int i = 0; i < c->size && right; i++)
        right = has(c, (int64_t)i * c->n, c->n, i, (int64_t)c->rank * c->n);
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
    pg_legal *l = c->l;
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
    pg_legal *l = c->l;
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

/* Two ints are a function x -> a*x + b; one behind the other, which does not commute. */
static void compose(void *in, void *inout, int *n, MPI_Datatype *of)
{
    (void)of;
    uint32_t *f = in, *g = inout;
    for (int i = 0; i < *n; i++, f += 2, g += 2) {
        g[1] = f[0] * g[1] + f[1];
        g[0] = f[0] * g[0];
    }
}

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

/* The send buffer, or MPI_IN_PLACE with so many ints of it in recv. */
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

/* --- The table --- */

#define ROOTED (1 << ALIKE | 1 << NOTHING | 1 << GARBAGE | 1 << IN_PLACE | 1 << IN_PLACE_GARBAGE | 1 << TYPES | 1 << MIXED | 1 << EMPTY)
#define ALL (1 << ALIKE | 1 << IN_PLACE | 1 << IN_PLACE_GARBAGE | 1 << TYPES | 1 << MIXED | 1 << EMPTY)
#define REDUCES (1 << ALIKE | 1 << IN_PLACE | 1 << ORDER | 1 << ORDER_IN_PLACE | 1 << EMPTY)

static const struct row {
    const char *function;
    int hows; /* a bit for each */
    int (*make)(call *);
    int (*right)(call *);
} rows[] = {
    {"MPI_Allgather", ALL, allgather, all_blocks},
    {"MPI_Allgatherv", ALL, allgatherv, all_parts},
    {"MPI_Allreduce", REDUCES, allreduce, allreduce_right},
    {"MPI_Alltoall", ALL, alltoall, alltoall_right},
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
    {"MPI_Scatter", ROOTED, scatter, scatter_right},
    {"MPI_Scatterv", ROOTED, scatterv, scatterv_right},
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
};

/* The k-th call of the table. */
static const struct row *nth(int k, how *h)
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

int pg_legal_calls(void)
{
    how h;
    int n = 0;
    while (nth(n, &h) != NULL)
        n++;
    return n;
}

const char *pg_legal_function(int k)
{
    how h;
    return nth(k, &h)->function;
}

void pg_legal_name(int k, char *text)
{
    how h;
    nth(k, &h);
    snprintf(text, PG_LEGAL_TEXT, "%s", words[h]);
}

int pg_legal_sized(int k)
{
    how h;
    nth(k, &h);
    return h != EMPTY;
}

int pg_legal_comms(const pg_legal *l) { return l->n_parts; }
const char *pg_legal_comm(const pg_legal *l, int i) { return l->parts[i].name; }
int pg_legal_size(const pg_legal *l, int i) { return l->parts[i].size; }

/* Ranks that give the same color are together, in the order of their keys. */
static int add(pg_legal *l, const char *name, int color, int key)
{
    part *p = &l->parts[l->n_parts++];
    p->name = name;
    int rc = MPI_Comm_split(l->world, color, key, &p->comm);
    if (rc == MPI_SUCCESS)
        rc = MPI_Comm_set_errhandler(p->comm, MPI_ERRORS_RETURN);
    if (rc == MPI_SUCCESS)
        rc = MPI_Comm_rank(p->comm, &p->rank);
    if (rc == MPI_SUCCESS)
        rc = MPI_Comm_size(p->comm, &p->size);
    return rc;
}

static int communicators(pg_legal *l)
{
    int rc = add(l, "the world", 0, l->rank);
    if (rc == MPI_SUCCESS && l->size > 1)
        rc = add(l, "the world in reverse order", 0, -l->rank);
    if (rc == MPI_SUCCESS && l->size > 2)
        rc = add(l, "each half", l->rank < (l->size + 1) / 2, l->rank);
    if (rc == MPI_SUCCESS && l->size > 3)
        rc = add(l, "the even and the odd ranks", l->rank % 2, l->rank);
    if (rc == MPI_SUCCESS && l->size > 1)
        rc = add(l, "each rank alone", l->rank, 0);
    return rc;
}

int pg_legal_open(MPI_Comm world, long bytes, pg_legal **out)
{
    pg_legal *l = *out = calloc(1, sizeof *l);
    if (l == NULL)
        return MPI_ERR_NO_MEM;
    l->world = world;
    MPI_Comm_rank(world, &l->rank);
    MPI_Comm_size(world, &l->size);
    l->room = (int64_t)l->size * (bytes / (long)sizeof(int) + 4);
    size_t all = (size_t)(l->room + BEHIND) * sizeof(int), ints = 2 * (size_t)l->size * sizeof(int);
    l->send = malloc(all);
    l->recv = malloc(all);
    l->counts = malloc(ints);
    l->displs = malloc(ints);
    l->zeros = malloc(ints);
    l->types = malloc((size_t)l->size * sizeof *l->types);
    if (!l->send || !l->recv || !l->counts || !l->displs || !l->zeros || !l->types)
        return MPI_ERR_NO_MEM;
    MPI_Type_contiguous(4, MPI_INT, &l->quad);
    MPI_Type_contiguous(2, MPI_INT, &l->pair);
    MPI_Type_commit(&l->quad);
    MPI_Type_commit(&l->pair);
    MPI_Op_create(compose, 0, &l->compose);
    return communicators(l);
}

void pg_legal_close(pg_legal *l)
{
    for (int i = 0; i < l->n_parts; i++)
        MPI_Comm_free(&l->parts[i].comm);
    MPI_Op_free(&l->compose);
    MPI_Type_free(&l->pair);
    MPI_Type_free(&l->quad);
    free(l->send);
    free(l->recv);
    free(l->counts);
    free(l->displs);
    free(l->zeros);
    free(l->types);
    free(l);
}

/* A barrier of our own, by dissemination: the library's may be what a setting breaks. */
static int meet(const pg_legal *l)
{
    int rc = MPI_SUCCESS;
    for (int d = 1; d < l->size && rc == MPI_SUCCESS; d *= 2)
        rc = MPI_Sendrecv(NULL, 0, MPI_BYTE, (l->rank + d) % l->size, 7, NULL, 0, MPI_BYTE, (l->rank - d + l->size) % l->size, 7,
                          l->world, MPI_STATUS_IGNORE);
    return rc;
}

static int unchanged(call *c, int64_t n)
{
    for (int64_t i = 0; i < n; i++)
        if (c->l->send[i] != value(c->rank, i)) {
            snprintf(c->why, PG_LEGAL_TEXT, "rank %d, int %lld of its send buffer was changed", c->rank, (long long)i);
            return 0;
        }
    return 1;
}

int pg_legal_make(pg_legal *l, int comm, int k, int ints, char *text)
{
    const part *p = &l->parts[comm];
    how h;
    const struct row *r = nth(k, &h);
    text[0] = 0;
    call c = {l, p->comm, h, p->rank, p->size, k % 2 ? p->size - 1 : 0, h == EMPTY ? 0 : ints, 0, 0, text};
    c.room = (int64_t)p->size * (c.n + 4);
    for (int64_t i = 0; i < c.room; i++)
        l->send[i] = value(p->rank, i);
    for (int64_t i = 0; i < c.room + BEHIND; i++)
        l->recv[i] = POISON;
    int rc = r->make(&c);
    if (rc != MPI_SUCCESS)
        return rc;
    if (r->right(&c) && unchanged(&c, c.room))
        untouched(&c, c.written);
    return meet(l);
}
