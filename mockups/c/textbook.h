/* Textbook algorithms: collectives from sends and receives, one file for each shape of algorithm. They share no code
 * with the library's collectives, so that they find what all of these share. Reductions are for operators that commute.
 * docs/sources.md has the papers. */
#ifndef PGMPI_TEXTBOOK_H
#define PGMPI_TEXTBOOK_H

#include "rows.h"

enum { PG_TEXTBOOK = 7 }; /* the tag of all messages */

/* Elements of a buffer. */
typedef struct {
    int64_t from, n;
} pg_range;

static inline pg_range pg_blocks(const pg_ctx *x, int first, int n)
{
    return (pg_range){first * x->count, n * x->count};
}

static inline pg_range pg_block(const pg_ctx *x, int i) { return pg_blocks(x, i, 1); }

/* Without elements its beginning, which is surely the caller's. */
static inline void *pg_place(const pg_ctx *x, const void *buffer, pg_range r)
{
    return pg_at(x, buffer, r.n > 0 ? r.from : 0);
}

/* Elements that are cut into parts; the last ones have fewer than the others, or none. */
typedef struct {
    int64_t each, all;
} pg_cut;

static inline pg_range pg_parts(pg_cut c, int64_t from, int64_t to)
{
    int64_t begin = from * c.each < c.all ? from * c.each : c.all, end = to * c.each < c.all ? to * c.each : c.all;
    return (pg_range){begin, end - begin};
}

static inline pg_range pg_nth(pg_cut c, int64_t i) { return pg_parts(c, i, i + 1); }

/* The rank k above this one; below, if k is negative. */
static inline int pg_above(const pg_ctx *x, int k) { return (x->rank + x->size + k) % x->size; }
static inline int pg_from_root(const pg_ctx *x) { return pg_above(x, -x->root); }

/* Sends one range and receives another. Messages without data are left out, as both sides know their length. An error
 * is kept in *err, and ends nothing: the other ranks wait for what comes after it. */
static inline void pg_exchange(const pg_ctx *x, const void *send, pg_range out, int to, void *recv, pg_range in,
                               int from, int *err)
{
    int gives = to != MPI_PROC_NULL && out.n > 0, gets = from != MPI_PROC_NULL && in.n > 0, rc = MPI_SUCCESS;
    if (gives && gets)
        rc = MPI_Sendrecv(pg_place(x, send, out), (int)out.n, x->type, to, PG_TEXTBOOK, pg_place(x, recv, in),
                          (int)in.n, x->type, from, PG_TEXTBOOK, x->comm, MPI_STATUS_IGNORE);
    else if (gives)
        rc = MPI_Send(pg_place(x, send, out), (int)out.n, x->type, to, PG_TEXTBOOK, x->comm);
    else if (gets)
        rc = MPI_Recv(pg_place(x, recv, in), (int)in.n, x->type, from, PG_TEXTBOOK, x->comm, MPI_STATUS_IGNORE);
    *err = pg_first(*err, rc);
}

static inline void pg_give(const pg_ctx *x, const void *send, pg_range out, int to, int *err)
{
    pg_exchange(x, send, out, to, NULL, out, MPI_PROC_NULL, err);
}

static inline void pg_get(const pg_ctx *x, void *recv, pg_range in, int from, int *err)
{
    pg_exchange(x, NULL, in, MPI_PROC_NULL, recv, in, from, err);
}

/* What goes from one rank to another; all others do nothing. */
static inline void pg_move(const pg_ctx *x, int from, const void *send, pg_range out, int to, void *recv, pg_range in,
                           int *err)
{
    int gives = x->rank == from, gets = x->rank == to;
    if (from != to)
        pg_exchange(x, send, out, gives ? to : MPI_PROC_NULL, recv, in, gets ? from : MPI_PROC_NULL, err);
    else if (gets && recv != send)
        pg_copy(x, pg_place(x, recv, in), pg_place(x, send, out), in.n);
}

static inline void pg_add(const pg_ctx *x, const void *in, void *sum, int64_t n, int *err)
{
    if (n > 0)
        *err = pg_first(*err, MPI_Reduce_local(in, sum, (int)n, x->type, x->op));
}

/* What a process has reduced: at first its send buffer, which stays as it is, then acc. */
typedef struct {
    void *mine, *acc, *spare;
} pg_sum;

/* Gives one range of it away, and reduces another with what comes. The first data to come are received in acc, so that
 * none need to be copied. */
static inline void pg_reduce_with(const pg_ctx *x, pg_sum *s, pg_range out, int to, pg_range in, int from, int *err)
{
    void *other = s->mine == s->acc ? s->spare : s->acc;
    pg_exchange(x, s->mine, out, to, other, in, from, err);
    if (from == MPI_PROC_NULL)
        return;
    pg_add(x, pg_place(x, other == s->acc ? s->mine : other, in), pg_place(x, s->acc, in), in.n, err);
    s->mine = s->acc;
}

/* Puts a block into the receive buffer, unless it is there. */
static inline void pg_result(const pg_ctx *x, const void *block)
{
    if (block != x->recv)
        pg_copy(x, x->recv, block, x->count);
}

/* Puts blocks of which the first is a certain rank's into the order of the ranks. */
static inline void pg_rotate(const pg_ctx *x, void *to, const void *from, int first)
{
    pg_copy(x, pg_at(x, to, first * x->count), from, (x->size - first) * x->count);
    pg_copy(x, to, pg_at(x, from, (x->size - first) * x->count), first * x->count);
}

/* Down a binomial tree each place, counted from the root, gets its part and the parts of all places that it serves; up
 * the tree it gives them. With parts of 0 elements these are always all data. */
void pg_walk(const pg_ctx *x, void *data, pg_cut cut, int down, int *err);

/* Prepares a reduction with temporaries of n elements, at most two. */
static inline int pg_to_reduce(pg_ctx *x, int temporaries, int64_t n)
{
    int commutes = 0, err = MPI_Op_commutative(x->op, &commutes);
    if (err == MPI_SUCCESS && !commutes)
        return PG_LACKS;
    for (int i = 0; i < temporaries && err == MPI_SUCCESS; i++)
        err = pg_temp(x, i, n);
    return err;
}

static inline int pg_need_nothing(pg_ctx *x) { return pg_to_reduce(x, 0, 0); }
static inline int pg_need_block(pg_ctx *x) { return pg_to_reduce(x, 1, x->count); }
static inline int pg_need_two(pg_ctx *x) { return pg_to_reduce(x, 2, x->count); }

/* Prepares what has all blocks in one message or temporary. */
static inline int pg_need_vector(pg_ctx *x)
{
    int err = pg_check_count(x->size * x->count);
    return err == MPI_SUCCESS ? pg_prepare_vector(x) : err;
}

/* Gather or scatter blocks of the ranks from `first` on, straight to or from the root. */
int pg_gather_from(const pg_ctx *x, int first);
int pg_scatter_from(const pg_ctx *x, int first);

/* Processes that are no power of two are folded (Thakur 2005): of the first ones each even rank gives its data to
 * the next, so that 2^k places are left. */
typedef struct {
    int places, folded; /* and how many of the first places stand for two ranks */
    int place;          /* of this rank; -1 if its data went to the next */
    pg_sum sum;
} pg_folded;

/* Folds a range of the send buffer. */
pg_folded pg_fold(const pg_ctx *x, void *acc, void *spare, pg_range all, int *err);

/* The rank of the place whose number differs in one bit. */
static inline int pg_partner(const pg_folded *f, int bit)
{
    int place = f->place ^ bit;
    return place < f->folded ? 2 * place + 1 : place + f->folded;
}

/* Gives the result, in the receive buffer, to the ranks that were folded. */
void pg_unfold(const pg_ctx *x, const pg_folded *f, int *err);

#endif
