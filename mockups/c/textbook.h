/* Textbook algorithms: collectives from sends and receives, one file for each shape of algorithm. They share no code
 * with the library's collectives, so that they find what all of these share. docs/sources.md has the papers. */
#ifndef PGMPI_TEXTBOOK_H
#define PGMPI_TEXTBOOK_H

#include "rows.h"

/* PG_ORDERED is not NULL where the operator does not commute; its slot is not the arena's. */
enum { PG_ORDERED = PG_TEMPS - 1, PG_TEXTBOOK = 7 };

/* Messages without data are left out: both sides know their length. */
static inline int pg_exchange(const pg_ctx *x, const void *out, int64_t n_out, int to, void *in, int64_t n_in, int from)
{
    if (n_out == 0)
        to = MPI_PROC_NULL;
    if (n_in == 0)
        from = MPI_PROC_NULL;
    return MPI_Sendrecv(out, (int)n_out, x->type, to, PG_TEXTBOOK, in, (int)n_in, x->type, from, PG_TEXTBOOK, x->comm,
                        MPI_STATUS_IGNORE);
}

static inline int pg_give(const pg_ctx *x, const void *data, int64_t n, int to)
{
    return n == 0 ? MPI_SUCCESS : MPI_Send(data, (int)n, x->type, to, PG_TEXTBOOK, x->comm);
}

static inline int pg_get(const pg_ctx *x, void *data, int64_t n, int from)
{
    return n == 0 ? MPI_SUCCESS : MPI_Recv(data, (int)n, x->type, from, PG_TEXTBOOK, x->comm, MPI_STATUS_IGNORE);
}

/* The first call of a prepare whose row keeps the order of the ranks. */
static inline int pg_prepare_order(pg_ctx *x)
{
    int commutes = 0, err = MPI_Op_commutative(x->op, &commutes);
    x->temp[PG_ORDERED] = commutes ? NULL : x;
    return err;
}

/* Likewise of one whose row does not: it is for operators that commute. */
static inline int pg_prepare_no_order(pg_ctx *x)
{
    int err = pg_prepare_order(x);
    return err == MPI_SUCCESS && x->temp[PG_ORDERED] != NULL ? PG_LACKS : err;
}

/* The prepare of a row that keeps the order and needs one block. */
static inline int pg_prepare_block(pg_ctx *x)
{
    int err = pg_prepare_order(x);
    return err == MPI_SUCCESS ? pg_temp(x, 0, x->count) : err;
}

static inline int pg_local(const pg_ctx *x, const void *in, void *inout, int64_t n)
{
    return n == 0 ? MPI_SUCCESS : MPI_Reduce_local(in, inout, (int)n, x->type, x->op);
}

/* Combines what this rank has in acc with `other`, of ranks that are all lower or all higher; other may be spoiled. */
static inline int pg_combine(const pg_ctx *x, void *acc, void *other, int64_t n, int lower)
{
    if (lower || x->temp[PG_ORDERED] == NULL)
        return pg_local(x, other, acc, n);
    int err = pg_local(x, acc, other, n);
    pg_copy(x, acc, other, n);
    return err;
}

/* Likewise where acc has what came from others, and this rank's data stay as they are. It saves copying them. */
static inline int pg_add_own(const pg_ctx *x, void *acc, const void *own, int64_t n, int lower, void *spare)
{
    if (!lower || x->temp[PG_ORDERED] == NULL)
        return pg_local(x, own, acc, n);
    pg_copy(x, spare, own, n);
    int err = pg_local(x, acc, spare, n);
    pg_copy(x, acc, spare, n);
    return err;
}

/* The place of n elements of a buffer; without elements its beginning, which is surely the caller's. */
static inline void *pg_piece(const pg_ctx *x, const void *base, int64_t i, int64_t n)
{
    return pg_at(x, base, n > 0 ? i : 0);
}

/* Processes that are no power of two are folded (Thakur 2005): of the first ones each even rank gives its data to
 * the next, so that 2^k places are left. */
typedef struct {
    int places, folded; /* and how many of the first places stand for two ranks */
    int place;          /* of this rank; -1 if its data went to the next */
    const void *mine;   /* the data of this place: the send buffer, or acc */
} pg_folded;

static inline int pg_rank_at(const pg_folded *f, int place)
{
    return place < f->folded ? 2 * place + 1 : place + f->folded;
}

/* Folds n elements of the send buffer, with acc for what two ranks give. */
int pg_fold(pg_ctx *x, pg_folded *f, void *acc, int64_t n);

/* Gives a partner one part of the data, and reduces another with what comes from there. */
int pg_swap(pg_ctx *x, pg_folded *f, void *acc, void *temp, int peer, int64_t give, int64_t n_give, int64_t keep,
            int64_t n);

/* Gives n elements at acc back to ranks whose data went to the next. */
int pg_unfold(const pg_ctx *x, const pg_folded *f, void *acc, int64_t n);

#endif
