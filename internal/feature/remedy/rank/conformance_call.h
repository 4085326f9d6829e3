/* What a conformance call is made with, and how its result is looked at. */
#ifndef PGMPI_CONFORMANCE_CALL_H
#define PGMPI_CONFORMANCE_CALL_H

#include <stdint.h>
#include <stdio.h>

#include "conformance.h"

enum { COMMS = 5, BEHIND = 16, POISON = 0x5a5a5a5a };

/* One communicator to call on. */
typedef struct part {
    const char *name;
    MPI_Comm comm;
    int rank, size;
} part;

struct pg_conformance {
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
    ORDERED, /* messages, of which several are under way */
    CROWDED, /* the same from all ranks to one */
    SAME,    /* one block for all ranks, by a datatype that begins again where it began */
    HOWS
} how;

/* A call: what it is made with, all of it known to who checks. */
typedef struct call {
    pg_conformance *l;
    MPI_Comm comm;
    how how;
    int rank, size, root, n; /* n: ints in a block */
    int64_t room;            /* ints of the buffers that this call has */
    int64_t written;         /* ints that recv may have got */
    char *why;
} call;

static inline int value(int rank, int64_t i) { return (int)((uint32_t)(rank + 1) * 2654435761u + (uint32_t)i * 40503u); }

static inline int in_place(const call *c) { return c->how == IN_PLACE || c->how == IN_PLACE_GARBAGE || c->how == ORDER_IN_PLACE; }
static inline int at_root(const call *c) { return c->rank == c->root; }

/* Of an argument that does not count. */
static inline int no_count(const call *c)
{
    static const int any[] = {0, 1 << 20, 1, 1 << 10};
    return c->how == GARBAGE || c->how == IN_PLACE_GARBAGE ? any[c->rank % 4] : 0;
}
static inline MPI_Datatype no_type(const call *c)
{
    MPI_Datatype any[] = {MPI_DATATYPE_NULL, MPI_INT, MPI_BYTE, c->l->quad};
    return c->how == GARBAGE || c->how == IN_PLACE_GARBAGE ? any[c->rank % 4] : MPI_DATATYPE_NULL;
}
static inline int *no_buffer(const call *c) { return c->how == GARBAGE ? c->l->recv : NULL; }

/* Whether this rank gives no more than it must. */
static inline int bare(const call *c) { return c->how != ALIKE && c->how != TYPES && c->how != MIXED && c->how != EMPTY; }

/* What n ints are for this rank: itself as sender (0) or receiver (1). */
static inline MPI_Datatype type(const call *c, int receives)
{
    int turn = c->how == MIXED ? receives : 0;
    return (c->how == TYPES || c->how == MIXED) && (c->rank + turn) % 2 ? c->l->quad : MPI_INT;
}
static inline int many(const call *c, int receives, int n) { return type(c, receives) == c->l->quad ? n / 4 : n; }

static inline int wrong(const call *c, int64_t i, int got, int want)
{
    snprintf(c->why, PG_CONFORMANCE_TEXT, "rank %d, int %lld of its result: %d, and %d is right", c->rank, (long long)i, got, want);
    return 0;
}

/* Compares ints of recv from `at` on with values that a rank has from `first` on. */
static inline int has(const call *c, int64_t at, int64_t n, int from, int64_t first)
{
    for (int64_t i = 0; i < n; i++)
        if (c->l->recv[at + i] != value(from, first + i))
            return wrong(c, at + i, c->l->recv[at + i], value(from, first + i));
    return 1;
}

static inline int untouched(const call *c, int64_t from)
{
    for (int64_t i = from; i < c->room + BEHIND; i++)
        if (c->l->recv[i] != POISON)
            return wrong(c, i, c->l->recv[i], POISON);
    return 1;
}

/* Own data where a call in place takes them from. */
static inline void put(const call *c, int64_t at, int64_t n, int64_t first)
{
    for (int64_t i = 0; i < n; i++)
        c->l->recv[at + i] = value(c->rank, first + i);
}

/* Parts of different sizes, one of them empty, with gaps between them. */
static inline int uneven(const call *c, int rank) { return rank % 3 == 1 ? 0 : c->n / (1 + rank % 2); }
static inline void parts(const call *c, int kind)
{
    int at = 0;
    for (int i = 0; i < c->size; i++) {
        int n = uneven(c, i);
        c->l->counts[i] = kind ? n / 4 : n;
        c->l->displs[i] = kind ? at / 4 : at;
        at += n + (n < c->n ? 4 : 0);
    }
}
static inline int64_t place(const call *c, int rank)
{
    int64_t at = 0;
    for (int i = 0; i < rank; i++)
        at += uneven(c, i) + (uneven(c, i) < c->n ? 4 : 0);
    return at;
}

/* A collective: how it is called, and what looks at its result. */
typedef struct row {
    const char *function;
    int hows; /* a bit for each */
    int (*make)(call *);
    int (*right)(call *);
} row;

/* The k-th call of the table, and how its arguments are. NULL: there are fewer. */
const row *pg_conformance_nth(int k, how *h);

#endif
