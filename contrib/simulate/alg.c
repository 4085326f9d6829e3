/* Textbook algorithms of the collectives over Isend and Irecv, with the names that Open MPI
 * gives them, and the decisions which of them serves. Written from the descriptions in
 * R. Thakur, R. Rabenseifner, W. Gropp: Optimization of Collective Communication Operations
 * in MPICH, IJHPCA 2005, and E. Chan, M. Heimlich, A. Purkayastha, R. van de Geijn:
 * Collective communication: theory, practice, and experience, CCPE 2007.
 *
 * Data are bytes, cut into one part for every rank: at[i] is where part i begins, and at[size]
 * their number. Operators must commute. */
#include "alg.h"

#include <assert.h>
#include <limits.h>
#include <smpi/smpi.h>
#include <stdio.h>
#include <string.h>

/* One call. */
typedef struct on {
    MPI_Comm comm;
    int rank, size, root;
    int v; /* the rank counted from the root */
    MPI_Datatype type;
    MPI_Op op;
    int64_t extent; /* bytes of one element of what is reduced */
    int64_t stride; /* Alltoall: from one block that is sent to the next */
    struct tree (*shape)(const struct on *);
} on;

typedef void algorithm(const on *c, const char *in, char *out, const int64_t *at);

enum { TAG = 77 };

static sim_costs cost;
static int is_folded;

void *sim_take(int64_t bytes)
{
    size_t n = (size_t)(bytes > 0 ? bytes : 1);
    return is_folded ? SMPI_SHARED_MALLOC(n) : (malloc)(n);
}

void sim_give(void *memory)
{
    if (is_folded)
        SMPI_SHARED_FREE(memory);
    else
        (free)(memory);
}

void sim_fold(int folded) { is_folded = folded; }

/* The simulated host does one flop in a ns. */
static void work(int64_t bytes)
{
    if (bytes > 0)
        smpi_execute_flops((double)bytes * (bytes > cost.cache ? cost.far : cost.near));
}

/* What a program cannot avoid to have in place already is moved without a cost. */
static void move(void *to, const void *from, int64_t bytes)
{
    if (!is_folded && bytes > 0 && to != from)
        memmove(to, from, (size_t)bytes);
}

static void copy(void *to, const void *from, int64_t bytes)
{
    move(to, from, bytes);
    if (to != from)
        work(bytes);
}

static void combine(const on *c, const void *in, void *inout, int64_t bytes)
{
    if (!is_folded && bytes > 0)
        PMPI_Reduce_local(in, inout, (int)(bytes / c->extent), c->type, c->op);
    work(bytes);
}

/* Messages. */

static int real(const on *c, int v) { return (v + c->root) % c->size; }

static MPI_Request post_send(const on *c, const void *from, int64_t bytes, int to)
{
    MPI_Request q;
    assert(bytes <= INT_MAX);
    MPI_Isend(from, (int)bytes, MPI_BYTE, to, TAG, c->comm, &q);
    return q;
}

static MPI_Request post_recv(const on *c, void *to, int64_t bytes, int from)
{
    MPI_Request q;
    assert(bytes <= INT_MAX);
    MPI_Irecv(to, (int)bytes, MPI_BYTE, from, TAG, c->comm, &q);
    return q;
}

static void wait_for(MPI_Request q) { MPI_Wait(&q, MPI_STATUS_IGNORE); }

static void send_to(const on *c, const void *from, int64_t bytes, int to) { wait_for(post_send(c, from, bytes, to)); }

static void recv_from(const on *c, void *to, int64_t bytes, int from) { wait_for(post_recv(c, to, bytes, from)); }

static void swap(const on *c, int to, const void *out, int64_t out_bytes, int from, void *in, int64_t in_bytes)
{
    MPI_Request q[2] = {post_recv(c, in, in_bytes, from), post_send(c, out, out_bytes, to)};
    MPI_Waitall(2, q, MPI_STATUSES_IGNORE);
}

/* Trees, of ranks counted from the root. */

typedef struct tree {
    int parent, n, *child;
} tree;

static tree no_tree(const on *c) { return (tree){-1, 0, (malloc)((size_t)c->size * sizeof(int))}; }

static void add(const on *c, tree *t, int child)
{
    if (child < c->size)
        t->child[t->n++] = child;
}

static tree flat(const on *c)
{
    tree t = no_tree(c);
    t.parent = c->v == 0 ? -1 : 0;
    for (int i = 1; c->v == 0 && i < c->size; i++)
        add(c, &t, i);
    return t;
}

static tree chain(const on *c)
{
    tree t = no_tree(c);
    t.parent = c->v - 1;
    add(c, &t, c->v + 1);
    return t;
}

/* Level l has 2^l nodes; the left halves of a level are the children 1. */
static tree binary(const on *c)
{
    tree t = no_tree(c);
    int level = 1; /* nodes on this level, and one more than those above */
    while (2 * level - 1 <= c->v)
        level *= 2;
    if (c->v > 0)
        t.parent = c->v - level / 2 >= level - 1 ? c->v - level : c->v - level / 2;
    add(c, &t, c->v + level);
    add(c, &t, c->v + 2 * level);
    return t;
}

/* The last rank is the parent; the lower half of the others is one subtree, the upper the other. */
static tree in_order(const on *c)
{
    tree t = no_tree(c);
    int first = 0, size = c->size, v = c->v;
    while (v != first + size - 1) {
        int lower = size / 2, last = first + size - 1;
        if (v < first + lower) {
            size = lower;
        } else {
            first += lower;
            size -= lower + 1;
        }
        t.parent = last;
    }
    if (size > 1)
        add(c, &t, first + size - 2);
    if (size / 2 > 0 && size > 2)
        add(c, &t, first + size / 2 - 1);
    return t;
}

/* Distances grow: the first child has the largest subtree. */
static tree binomial(const on *c)
{
    tree t = no_tree(c);
    int mask = 1;
    while (mask <= c->v)
        mask *= 2;
    t.parent = c->v == 0 ? -1 : c->v ^ mask / 2;
    for (; mask < c->size; mask *= 2)
        add(c, &t, c->v + mask);
    return t;
}

/* Subtrees of ranks in a row, the nearest child first. */
static tree near_binomial(const on *c)
{
    tree t = no_tree(c);
    for (int mask = 1; mask < c->size; mask *= 2) {
        if (c->v & mask) {
            t.parent = c->v - mask;
            break;
        }
        add(c, &t, c->v + mask);
    }
    return t;
}

static tree knomial(const on *c)
{
    enum { radix = 4 };
    tree t = no_tree(c);
    int mask = 1;
    while (mask < c->size && c->v % (radix * mask) == 0)
        mask *= radix;
    if (mask < c->size)
        t.parent = c->v / (radix * mask) * (radix * mask);
    for (mask /= radix; mask > 0; mask /= radix)
        for (int i = 1; i < radix; i++)
            add(c, &t, c->v + i * mask);
    return t;
}

/* Down a tree in segments (0: one): the next one is received while one is sent. */
static void down(const on *c, tree t, char *data, int64_t bytes, int64_t segment)
{
    if (segment <= 0 || segment > bytes)
        segment = bytes;
    MPI_Request next = MPI_REQUEST_NULL, *q = (malloc)((size_t)(t.n + 1) * sizeof *q);
    if (t.parent >= 0 && bytes > 0)
        next = post_recv(c, data, segment, real(c, t.parent));
    for (int64_t i = 0; i < bytes; i += segment) {
        int64_t n = i + segment < bytes ? segment : bytes - i, rest = bytes - i - n;
        wait_for(next);
        if (t.parent >= 0 && rest > 0)
            next = post_recv(c, data + i + n, rest < segment ? rest : segment, real(c, t.parent));
        for (int k = 0; k < t.n; k++)
            q[k] = post_send(c, data + i, n, real(c, t.child[k]));
        MPI_Waitall(t.n, q, MPI_STATUSES_IGNORE);
    }
    (free)(q);
    (free)(t.child);
}

/* Up a tree in segments: one message is received while the one before is reduced. */
static void up(const on *c, tree t, const char *in, char *out, int64_t bytes, int64_t segment)
{
    if (segment <= 0 || segment > bytes)
        segment = bytes;
    int64_t all = bytes > 0 ? (bytes + segment - 1) / segment * t.n : 0;
    char *sum = t.parent < 0 ? out : t.n == 0 ? (char *)in : sim_take(bytes);
    char *from[2] = {sim_take(segment), sim_take(segment)};
    MPI_Request q[2] = {MPI_REQUEST_NULL, MPI_REQUEST_NULL};
    move(sum, in, bytes);
    for (int64_t k = 0; k <= all && t.n > 0; k++) {
        int64_t i = k / t.n * segment, before = (k - 1) / t.n * segment;
        if (k < all)
            q[k % 2] = post_recv(c, from[k % 2], bytes - i < segment ? bytes - i : segment, real(c, t.child[k % t.n]));
        if (k == 0)
            continue;
        int64_t n = bytes - before < segment ? bytes - before : segment;
        wait_for(q[(k - 1) % 2]);
        combine(c, from[(k - 1) % 2], sum + before, n);
        if (t.parent >= 0 && k % t.n == 0)
            send_to(c, sum + before, n, real(c, t.parent));
    }
    for (int64_t i = 0; i < bytes && t.n == 0 && t.parent >= 0; i += segment)
        send_to(c, sum + i, bytes - i < segment ? bytes - i : segment, real(c, t.parent));
    if (t.parent >= 0 && t.n > 0)
        sim_give(sum);
    sim_give(from[0]);
    sim_give(from[1]);
    (free)(t.child);
}

/* The largest power of two up to the size, for what needs one: the first ranks pair up, and an
 * odd one leaves its data to the even one below. Those that stay are counted from 0. */
typedef struct square {
    int size, pairs, id; /* id < 0: this rank left */
} square;

static square squared(const on *c)
{
    square s = {1, 0, 0};
    while (2 * s.size <= c->size)
        s.size *= 2;
    s.pairs = c->size - s.size;
    s.id = c->v >= 2 * s.pairs ? c->v - s.pairs : c->v % 2 == 0 ? c->v / 2 : -1;
    return s;
}

static int first_of(square s, int id) { return id < s.pairs ? 2 * id : id + s.pairs; }

static void pair_up(const on *c, square s, char *sum, int64_t bytes)
{
    if (s.id < 0)
        send_to(c, sum, bytes, real(c, c->v - 1));
    if (s.id < 0 || s.id >= s.pairs)
        return;
    char *other = sim_take(bytes);
    recv_from(c, other, bytes, real(c, c->v + 1));
    combine(c, other, sum, bytes);
    sim_give(other);
}

static void give_back(const on *c, square s, char *sum, int64_t bytes)
{
    if (s.id < 0)
        recv_from(c, sum, bytes, real(c, c->v - 1));
    else if (s.id < s.pairs)
        send_to(c, sum, bytes, real(c, c->v + 1));
}

/* Parts from everywhere to everywhere, of ranks counted from the root. */

static void parts_ring(const on *c, char *all, const int64_t *at)
{
    int p = c->size;
    for (int k = 1; k < p; k++) {
        int out = (c->v - k + 1 + p) % p, in = (c->v - k + p) % p;
        swap(c, real(c, c->v + 1), all + at[out], at[out + 1] - at[out], real(c, c->v - 1 + p), all + at[in],
             at[in + 1] - at[in]);
    }
}

/* With a power of two; else a ring. */
static void parts_doubling(const on *c, char *all, const int64_t *at)
{
    if (c->size & (c->size - 1)) {
        parts_ring(c, all, at);
        return;
    }
    for (int mask = 1; mask < c->size; mask *= 2) {
        int mine = c->v & ~(mask - 1), theirs = mine ^ mask, other = real(c, c->v ^ mask);
        swap(c, other, all + at[mine], at[mine + mask] - at[mine], other, all + at[theirs],
             at[theirs + mask] - at[theirs]);
    }
}

/* Bcast. */

static void bcast_tree(const on *c, const char *in, char *out, const int64_t *at)
{
    (void)in;
    down(c, c->shape(c), out, at[c->size], 0);
}

static void bcast_segments(const on *c, const char *in, char *out, const int64_t *at)
{
    enum { SEGMENT = 64 << 10 };
    (void)in;
    down(c, c->shape(c), out, at[c->size], SEGMENT);
}

/* One half goes down the odd ranks of a binary tree, the other down the even ones; then
 * neighbors exchange them. */
static void bcast_split_binary(const on *c, const char *in, char *out, const int64_t *at)
{
    (void)in;
    int v = c->v, last = c->size - 1, lonely = last % 2 == 1;
    int64_t half = at[(c->size + 1) / 2], rest = at[c->size] - half;
    tree t = binary(c);
    if (v == 0) {
        if (t.n > 0)
            send_to(c, out, half, real(c, t.child[0]));
        if (t.n > 1 && rest > 0) /* down sends nothing of nothing */
            send_to(c, out + half, rest, real(c, t.child[1]));
        if (lonely)
            send_to(c, out + half, rest, real(c, last));
        (free)(t.child);
        return;
    }
    if (v % 2 == 1)
        down(c, t, out, half, 0);
    else
        down(c, t, out + half, rest, 0);
    if (v == last && lonely)
        recv_from(c, out + half, rest, c->root);
    else if (v % 2 == 1)
        swap(c, real(c, v + 1), out, half, real(c, v + 1), out + half, rest);
    else
        swap(c, real(c, v - 1), out + half, rest, real(c, v - 1), out, half);
}

static int64_t between(const on *c, const int64_t *at, int from, int to)
{
    return at[to < c->size ? to : c->size] - at[from];
}

/* Down a binomial tree, each rank getting the parts of its subtree. */
static void parts_down(const on *c, char *all, const int64_t *at)
{
    int mask = 1;
    for (; mask < c->size && !(c->v & mask); mask *= 2)
        ;
    if (c->v > 0)
        recv_from(c, all + at[c->v], between(c, at, c->v, c->v + mask), real(c, c->v - mask));
    for (mask /= 2; mask > 0; mask /= 2)
        if (c->v + mask < c->size)
            send_to(c, all + at[c->v + mask], between(c, at, c->v + mask, c->v + 2 * mask), real(c, c->v + mask));
}

static void bcast_scatter_allgather(const on *c, const char *in, char *out, const int64_t *at)
{
    (void)in;
    if (at[c->size] / c->extent < c->size) {
        down(c, flat(c), out, at[c->size], 0);
        return;
    }
    parts_down(c, out, at);
    parts_doubling(c, out, at);
}

static void bcast_scatter_ring(const on *c, const char *in, char *out, const int64_t *at)
{
    (void)in;
    if (at[c->size] / c->extent < c->size) {
        down(c, flat(c), out, at[c->size], 0);
        return;
    }
    parts_down(c, out, at);
    parts_ring(c, out, at);
}

/* Reduce. */

static void reduce_tree(const on *c, const char *in, char *out, const int64_t *at)
{
    up(c, c->shape(c), in, out, at[c->size], 0);
}

/* Ends at the last rank, who sends to the root. */
static void reduce_in_order(const on *c, const char *in, char *out, const int64_t *at)
{
    int64_t bytes = at[c->size];
    on d = *c;
    d.root = 0;
    d.v = c->rank;
    int last = c->size - 1, is_last = c->rank == last;
    char *own = is_last && c->root != last ? sim_take(bytes) : out;
    up(&d, in_order(&d), in, own, bytes, 0);
    if (c->root != last && is_last)
        send_to(c, own, bytes, c->root);
    if (c->root != last && c->rank == c->root)
        recv_from(c, out, bytes, last);
    if (own != out)
        sim_give(own);
}

/* Halves of halves are reduced, the distance doubling; the windows are left in begin and end.
 * Returns how many. */
static int halve(const on *c, square s, char *sum, int64_t bytes, int64_t *begin, int64_t *end)
{
    char *other = sim_take((bytes + 1) / 2 + c->extent);
    int steps = 0;
    begin[0] = 0;
    end[0] = bytes;
    for (int mask = 1; mask < s.size; mask *= 2, steps++) {
        int to = real(c, first_of(s, s.id ^ mask)), lower = (s.id & mask) == 0;
        int64_t b = begin[steps], e = end[steps], mid = b + (e - b) / c->extent / 2 * c->extent;
        int64_t keep = lower ? b : mid, stop = lower ? mid : e;
        swap(c, to, sum + (lower ? mid : b), (e - b) - (stop - keep), to, other, stop - keep);
        combine(c, other, sum + keep, stop - keep);
        begin[steps + 1] = keep;
        end[steps + 1] = stop;
    }
    sim_give(other);
    return steps;
}

enum { STEPS = 32 };

static void reduce_rabenseifner(const on *c, const char *in, char *out, const int64_t *at)
{
    square s = squared(c);
    int64_t bytes = at[c->size], begin[STEPS], end[STEPS];
    if (bytes / c->extent < s.size) {
        up(c, flat(c), in, out, bytes, 0);
        return;
    }
    char *sum = c->v == 0 ? out : sim_take(bytes);
    copy(sum, in, bytes);
    pair_up(c, s, sum, bytes);
    int k = s.id < 0 ? 0 : halve(c, s, sum, bytes, begin, end);
    for (int mask = s.size / 2; s.id >= 0 && mask > 0; mask /= 2, k--) {
        int other = real(c, first_of(s, s.id ^ mask));
        if (s.id & mask) {
            send_to(c, sum + begin[k], end[k] - begin[k], other);
            break;
        }
        recv_from(c, sum + end[k], end[k - 1] - end[k], other);
    }
    if (c->v != 0)
        sim_give(sum);
}

/* Gather and Scatter, with equal parts. */

static void gather_linear(const on *c, const char *in, char *out, const int64_t *at)
{
    if (c->v != 0) {
        send_to(c, in, at[1], c->root);
        return;
    }
    for (int i = 0; i < c->size; i++)
        if (i != c->rank)
            recv_from(c, out + at[i], at[1], i);
    copy(out + at[c->rank], in, at[1]);
}

/* The root asks one rank after the other. */
static void gather_linear_sync(const on *c, const char *in, char *out, const int64_t *at)
{
    if (c->v != 0)
        recv_from(c, NULL, 0, c->root);
    for (int i = 0; c->v == 0 && i < c->size; i++) {
        if (i == c->rank)
            continue;
        MPI_Request q = post_recv(c, out + at[i], at[1], i);
        send_to(c, NULL, 0, i);
        wait_for(q);
    }
    if (c->v != 0)
        send_to(c, in, at[1], c->root);
    else
        copy(out + at[c->rank], in, at[1]);
}

static void gather_binomial(const on *c, const char *in, char *out, const int64_t *at)
{
    int64_t bytes = at[c->size], m = at[1];
    char *all = c->rank == 0 && c->root == 0 ? out : sim_take(bytes);
    copy(all, in, m);
    for (int mask = 1; mask < c->size; mask *= 2) {
        if (c->v & mask) {
            send_to(c, all, between(c, at, c->v, c->v + mask), real(c, c->v - mask));
            break;
        }
        if (c->v + mask < c->size)
            recv_from(c, all + mask * m, between(c, at, c->v + mask, c->v + 2 * mask), real(c, c->v + mask));
    }
    if (all == out)
        return;
    if (c->v == 0) {
        copy(out + c->root * m, all, bytes - c->root * m);
        copy(out, all + bytes - c->root * m, c->root * m);
    }
    sim_give(all);
}

static void scatter_linear(const on *c, const char *in, char *out, const int64_t *at)
{
    if (c->v != 0) {
        recv_from(c, out, at[c->rank + 1] - at[c->rank], c->root);
        return;
    }
    for (int i = 0; i < c->size; i++)
        if (i != c->rank)
            send_to(c, in + at[i], at[i + 1] - at[i], i);
    copy(out, in + at[c->rank], at[c->rank + 1] - at[c->rank]);
}

static void scatter_linear_nb(const on *c, const char *in, char *out, const int64_t *at)
{
    if (c->v != 0) {
        recv_from(c, out, at[1], c->root);
        return;
    }
    MPI_Request *q = (malloc)((size_t)c->size * sizeof *q);
    for (int i = 0; i < c->size; i++)
        q[i] = i == c->rank ? MPI_REQUEST_NULL : post_send(c, in + at[i], at[1], i);
    copy(out, in + at[c->rank], at[1]);
    MPI_Waitall(c->size, q, MPI_STATUSES_IGNORE);
    (free)(q);
}

static void scatter_binomial(const on *c, const char *in, char *out, const int64_t *at)
{
    int64_t bytes = at[c->size], m = at[1];
    char *all = c->root == 0 && c->rank == 0 ? (char *)in : sim_take(bytes);
    if (c->v == 0 && all != in) {
        copy(all, in + c->root * m, bytes - c->root * m);
        copy(all + bytes - c->root * m, in, c->root * m);
    }
    parts_down(c, all, at);
    copy(out, all + c->v * m, m);
    if (all != in)
        sim_give(all);
}

/* Allgather: in is where the own part is in out already. */

static void allgather_bruck(const on *c, const char *in, char *out, const int64_t *at)
{
    int p = c->size;
    int64_t m = at[1];
    char *all = sim_take(at[p]);
    move(all, in, m);
    for (int far = 1; far < p; far *= 2) {
        int blocks = far < p - far ? far : p - far;
        swap(c, (c->rank - far + p) % p, all, blocks * m, (c->rank + far) % p, all + far * m, blocks * m);
    }
    copy(out + c->rank * m, all, (p - c->rank) * m);
    copy(out, all + (p - c->rank) * m, c->rank * m);
    sim_give(all);
}

static void allgather_doubling(const on *c, const char *in, char *out, const int64_t *at)
{
    if (c->size & (c->size - 1))
        allgather_bruck(c, in, out, at);
    else
        parts_doubling(c, out, at);
}

static void allgather_ring(const on *c, const char *in, char *out, const int64_t *at)
{
    (void)in;
    parts_ring(c, out, at);
}

/* Pairs of ranks exchange pairs of blocks, to the right and to the left in turn. */
static void allgather_neighbor(const on *c, const char *in, char *out, const int64_t *at)
{
    int p = c->size, even = c->rank % 2 == 0, turn = even ? 1 : -1;
    if (p % 2 == 1) {
        allgather_ring(c, in, out, at);
        return;
    }
    int64_t m = at[1];
    int other[2] = {(c->rank + turn + p) % p, (c->rank - turn + p) % p};
    int pair = c->rank / 2 * 2, from[2] = {pair, pair};
    swap(c, other[0], out + at[c->rank], m, other[0], out + at[other[0]], m);
    for (int k = 1, sent = pair; k < p / 2; k++) {
        int side = k % 2, *f = &from[side];
        *f = (*f + (side == 0 ? 2 : -2) * turn + p) % p;
        swap(c, other[side], out + at[sent], 2 * m, other[side], out + at[*f], 2 * m);
        sent = *f;
    }
}

static void allgather_linear(const on *c, const char *in, char *out, const int64_t *at)
{
    gather_linear(c, in, out, at);
    down(c, flat(c), out, at[c->size], 0);
}

/* Alltoall. */

static void alltoall_linear(const on *c, const char *in, char *out, const int64_t *at)
{
    int p = c->size, n = 0;
    MPI_Request *q = (malloc)((size_t)(2 * p) * sizeof *q);
    copy(out + at[c->rank], in + c->rank * c->stride, at[1]);
    for (int k = 1; k < p; k++)
        q[n++] = post_recv(c, out + at[(c->rank + k) % p], at[1], (c->rank + k) % p);
    for (int k = 1; k < p; k++)
        q[n++] = post_send(c, in + (c->rank - k + p) % p * c->stride, at[1], (c->rank - k + p) % p);
    MPI_Waitall(n, q, MPI_STATUSES_IGNORE);
    (free)(q);
}

static void alltoall_pairwise(const on *c, const char *in, char *out, const int64_t *at)
{
    int p = c->size;
    copy(out + at[c->rank], in + c->rank * c->stride, at[1]);
    for (int k = 1; k < p; k++) {
        int to = (c->rank + k) % p, from = (c->rank - k + p) % p;
        swap(c, to, in + to * c->stride, at[1], from, out + at[from], at[1]);
    }
}

static void alltoall_bruck(const on *c, const char *in, char *out, const int64_t *at)
{
    int p = c->size;
    int64_t m = at[1];
    char *all = sim_take(p * m), *pack[2] = {sim_take(p * m), sim_take(p * m)};
    for (int i = 0; i < p; i++)
        move(all + i * m, in + (c->rank + i) % p * c->stride, m);
    work(p * m);
    for (int far = 1; far < p; far *= 2) {
        int64_t n = 0;
        for (int i = 1; i < p; i++)
            if (i & far)
                move(pack[0] + n++ * m, all + i * m, m);
        work(n * m);
        swap(c, (c->rank + far) % p, pack[0], n * m, (c->rank - far + p) % p, pack[1], n * m);
        n = 0;
        for (int i = 1; i < p; i++)
            if (i & far)
                move(all + i * m, pack[1] + n++ * m, m);
        work(n * m);
    }
    for (int i = 0; i < p; i++)
        move(out + (c->rank - i + p) % p * m, all + i * m, m);
    work(p * m);
    sim_give(all);
    sim_give(pack[0]);
    sim_give(pack[1]);
}

/* Allreduce. */

static void serve(const char *collective, const on *c, int64_t size, const char *in, char *out, const int64_t *at);

static void allreduce_linear(const on *c, const char *in, char *out, const int64_t *at)
{
    up(c, flat(c), in, out, at[c->size], 0);
    down(c, flat(c), out, at[c->size], 0);
}

static void allreduce_nonoverlapping(const on *c, const char *in, char *out, const int64_t *at)
{
    serve("MPI_Reduce", c, at[c->size], in, out, at);
    serve("MPI_Bcast", c, at[c->size], NULL, out, at);
}

static void allreduce_doubling(const on *c, const char *in, char *out, const int64_t *at)
{
    square s = squared(c);
    int64_t bytes = at[c->size];
    char *other = sim_take(bytes);
    copy(out, in, bytes);
    pair_up(c, s, out, bytes);
    for (int mask = 1; s.id >= 0 && mask < s.size; mask *= 2) {
        int to = real(c, first_of(s, s.id ^ mask));
        swap(c, to, out, bytes, to, other, bytes);
        combine(c, other, out, bytes);
    }
    give_back(c, s, out, bytes);
    sim_give(other);
}

/* Each part goes round the ring and ends, reduced, at its rank. */
static void reduce_parts_ring(const on *c, char *sum, const int64_t *at)
{
    int p = c->size;
    int64_t most = 0;
    for (int i = 0; i < p; i++)
        most = at[i + 1] - at[i] > most ? at[i + 1] - at[i] : most;
    char *other = sim_take(most);
    for (int k = 1; k < p; k++) {
        int out = (c->v - k + p) % p, in = (c->v - k - 1 + p) % p;
        swap(c, real(c, c->v + 1), sum + at[out], at[out + 1] - at[out], real(c, c->v - 1 + p), other,
             at[in + 1] - at[in]);
        combine(c, other, sum + at[in], at[in + 1] - at[in]);
    }
    sim_give(other);
}

static void allreduce_ring(const on *c, const char *in, char *out, const int64_t *at)
{
    if (at[c->size] / c->extent < c->size) {
        allreduce_doubling(c, in, out, at);
        return;
    }
    copy(out, in, at[c->size]);
    reduce_parts_ring(c, out, at);
    parts_ring(c, out, at);
}

static void allreduce_rabenseifner(const on *c, const char *in, char *out, const int64_t *at)
{
    square s = squared(c);
    int64_t bytes = at[c->size], begin[STEPS], end[STEPS];
    if (bytes / c->extent < s.size) {
        allreduce_linear(c, in, out, at);
        return;
    }
    copy(out, in, bytes);
    pair_up(c, s, out, bytes);
    int k = s.id < 0 ? 0 : halve(c, s, out, bytes, begin, end);
    for (int mask = s.size / 2; s.id >= 0 && mask > 0; mask /= 2, k--) {
        int to = real(c, first_of(s, s.id ^ mask)), lower = (s.id & mask) == 0;
        int64_t b = lower ? end[k] : begin[k - 1], n = (end[k - 1] - begin[k - 1]) - (end[k] - begin[k]);
        swap(c, to, out + begin[k], end[k] - begin[k], to, out + b, n);
    }
    give_back(c, s, out, bytes);
}

/* Reduce_scatter. */

static void scatter_nonoverlapping(const on *c, const char *in, char *out, const int64_t *at)
{
    char *all = sim_take(at[c->size]);
    serve("MPI_Reduce", c, at[c->size], in, all, at);
    scatter_linear(c, all, out, at);
    sim_give(all);
}

static void scatter_basic(const on *c, const char *in, char *out, const int64_t *at)
{
    char *all = sim_take(at[c->size]);
    serve("MPI_Reduce", c, at[c->size], in, all, at);
    serve("MPI_Scatter", c, at[1], all, out, at);
    sim_give(all);
}

static void scatter_ring(const on *c, const char *in, char *out, const int64_t *at)
{
    char *all = sim_take(at[c->size]);
    copy(all, in, at[c->size]);
    reduce_parts_ring(c, all, at);
    copy(out, all + at[c->rank], at[c->rank + 1] - at[c->rank]);
    sim_give(all);
}

static void scatter_doubling(const on *c, const char *in, char *out, const int64_t *at)
{
    char *all = sim_take(at[c->size]);
    allreduce_doubling(c, in, all, at);
    copy(out, all + at[c->rank], at[c->rank + 1] - at[c->rank]);
    sim_give(all);
}

/* The bytes of the ids from one up to, but without, another: the parts of all their ranks. */
static int64_t of_ids(square s, const int64_t *at, int from, int to)
{
    return at[first_of(s, to)] - at[first_of(s, from)];
}

/* Hands out the parts of the ids that holders have, each to its one or two ranks. */
static void hand_out(const on *c, square s, int held, int holder, char *all, char *out, const int64_t *at)
{
    int64_t mine = at[c->rank + 1] - at[c->rank];
    MPI_Request q[3] = {MPI_REQUEST_NULL, MPI_REQUEST_NULL, MPI_REQUEST_NULL};
    int keeps = held >= 0 && held == s.id;
    if (!keeps)
        q[0] = post_recv(c, out, mine, first_of(s, holder));
    if (held >= 0) {
        int first = first_of(s, held);
        if (keeps)
            copy(out, all + at[first], mine);
        else
            q[1] = post_send(c, all + at[first], at[first + 1] - at[first], first);
        if (held < s.pairs)
            q[2] = post_send(c, all + at[first + 1], at[first + 2] - at[first + 1], first + 1);
    }
    MPI_Waitall(3, q, MPI_STATUSES_IGNORE);
}

/* With halves of the ids; the distance halves (recursive halving), or doubles (butterfly), after
 * which the part that an id holds is the mirror image of its own. */
static void scatter_halves(const on *c, int butterfly, const char *in, char *out, const int64_t *at)
{
    square s = squared(c);
    int64_t bytes = at[c->size];
    char *all = sim_take(bytes), *other = sim_take(bytes);
    copy(all, in, bytes);
    pair_up(c, s, all, bytes);
    int first = 0;
    for (int n = s.size / 2, mask = butterfly ? 1 : n; s.id >= 0 && n > 0; n /= 2) {
        int to = first_of(s, s.id ^ mask), upper = (s.id & mask) != 0;
        int keep = upper ? first + n : first, leave = upper ? first : first + n;
        char *at_keep = all + at[first_of(s, keep)];
        int64_t kept = of_ids(s, at, keep, keep + n);
        swap(c, to, all + at[first_of(s, leave)], of_ids(s, at, leave, leave + n), to, other, kept);
        combine(c, other, at_keep, kept);
        first = keep;
        mask = butterfly ? mask * 2 : mask / 2;
    }
    int own = s.id >= 0 ? s.id : c->v / 2, mirror = 0;
    for (int mask = 1; mask < s.size; mask *= 2)
        mirror = 2 * mirror + ((own & mask) != 0);
    hand_out(c, s, s.id < 0 ? -1 : first, butterfly ? mirror : own, all, out, at);
    sim_give(all);
    sim_give(other);
}

static void scatter_halving(const on *c, const char *in, char *out, const int64_t *at)
{
    scatter_halves(c, 0, in, out, at);
}

static void scatter_butterfly(const on *c, const char *in, char *out, const int64_t *at)
{
    scatter_halves(c, 1, in, out, at);
}

/* Scan and Exscan. */

static void scan_linear(const on *c, const char *in, char *out, const int64_t *at)
{
    int64_t bytes = at[c->size];
    copy(out, in, bytes);
    if (c->rank > 0) {
        char *before = sim_take(bytes);
        recv_from(c, before, bytes, c->rank - 1);
        combine(c, before, out, bytes);
        sim_give(before);
    }
    if (c->rank < c->size - 1)
        send_to(c, out, bytes, c->rank + 1);
}

static void exscan_linear(const on *c, const char *in, char *out, const int64_t *at)
{
    int64_t bytes = at[c->size];
    if (c->rank > 0)
        recv_from(c, out, bytes, c->rank - 1);
    if (c->rank == c->size - 1)
        return;
    char *sum = sim_take(bytes);
    copy(sum, in, bytes);
    if (c->rank > 0)
        combine(c, out, sum, bytes);
    send_to(c, sum, bytes, c->rank + 1);
    sim_give(sum);
}

/* Which algorithm serves. */

static const struct row {
    const char *collective, *name;
    algorithm *run;
    tree (*shape)(const on *);
} rows[] = {
    {"MPI_Allgather", "linear", allgather_linear, NULL},
    {"MPI_Allgather", "bruck", allgather_bruck, NULL},
    {"MPI_Allgather", "recursive_doubling", allgather_doubling, NULL},
    {"MPI_Allgather", "ring", allgather_ring, NULL},
    {"MPI_Allgather", "neighbor", allgather_neighbor, NULL},
    {"MPI_Allgather", "two_proc", allgather_ring, NULL},
    {"MPI_Allreduce", "basic_linear", allreduce_linear, NULL},
    {"MPI_Allreduce", "nonoverlapping", allreduce_nonoverlapping, NULL},
    {"MPI_Allreduce", "recursive_doubling", allreduce_doubling, NULL},
    {"MPI_Allreduce", "ring", allreduce_ring, NULL},
    {"MPI_Allreduce", "segmented_ring", allreduce_ring, NULL}, /* the decisions make no segments */
    {"MPI_Allreduce", "rabenseifner", allreduce_rabenseifner, NULL},
    {"MPI_Alltoall", "linear", alltoall_linear, NULL},
    {"MPI_Alltoall", "pairwise", alltoall_pairwise, NULL},
    {"MPI_Alltoall", "modified_bruck", alltoall_bruck, NULL},
    {"MPI_Alltoall", "linear_sync", alltoall_linear, NULL}, /* the decisions limit no requests */
    {"MPI_Alltoall", "two_proc", alltoall_pairwise, NULL},
    {"MPI_Bcast", "basic_linear", bcast_tree, flat},
    {"MPI_Bcast", "chain", bcast_tree, chain},
    {"MPI_Bcast", "pipeline", bcast_tree, chain}, /* the decisions make no segments */
    {"MPI_Bcast", "pipeline_64k", bcast_segments, chain},
    {"MPI_Bcast", "split_binary_tree", bcast_split_binary, binary},
    {"MPI_Bcast", "binary_tree", bcast_tree, binary},
    {"MPI_Bcast", "binomial", bcast_tree, binomial},
    {"MPI_Bcast", "knomial", bcast_tree, knomial},
    {"MPI_Bcast", "scatter_allgather", bcast_scatter_allgather, NULL},
    {"MPI_Bcast", "scatter_allgather_ring", bcast_scatter_ring, NULL},
    {"MPI_Exscan", "linear", exscan_linear, NULL},
    {"MPI_Gather", "basic_linear", gather_linear, NULL},
    {"MPI_Gather", "binomial", gather_binomial, NULL},
    {"MPI_Gather", "linear_sync", gather_linear_sync, NULL},
    {"MPI_Reduce", "linear", reduce_tree, flat},
    {"MPI_Reduce", "chain", reduce_tree, chain},
    {"MPI_Reduce", "pipeline", reduce_tree, chain},
    {"MPI_Reduce", "binary", reduce_tree, binary},
    {"MPI_Reduce", "binomial", reduce_tree, near_binomial},
    {"MPI_Reduce", "in-order_binary", reduce_in_order, NULL},
    {"MPI_Reduce", "rabenseifner", reduce_rabenseifner, NULL},
    {"MPI_Reduce_scatter", "non-overlapping", scatter_nonoverlapping, NULL},
    {"MPI_Reduce_scatter", "recursive_halving", scatter_halving, NULL},
    {"MPI_Reduce_scatter", "ring", scatter_ring, NULL},
    {"MPI_Reduce_scatter", "butterfly", scatter_butterfly, NULL},
    {"MPI_Reduce_scatter_block", "basic_linear", scatter_basic, NULL},
    {"MPI_Reduce_scatter_block", "recursive_doubling", scatter_doubling, NULL},
    {"MPI_Reduce_scatter_block", "recursive_halving", scatter_halving, NULL},
    {"MPI_Reduce_scatter_block", "butterfly", scatter_butterfly, NULL},
    {"MPI_Scan", "linear", scan_linear, NULL},
    {"MPI_Scatter", "basic_linear", scatter_linear, NULL},
    {"MPI_Scatter", "binomial", scatter_binomial, NULL},
    {"MPI_Scatter", "linear_nb", scatter_linear_nb, NULL},
    {"MPI_Scatterv", "linear", scatter_linear, NULL},
};

enum { ROWS = sizeof rows / sizeof *rows };

/* Of one communicator size: a row serves its collective below some bytes. */
static struct decision {
    const struct row *row;
    int64_t below;
} decisions[16 * ROWS];
static int decided;
static const struct row *forced;

static const struct row *find(const char *collective, const char *name)
{
    for (int i = 0; i < ROWS; i++)
        if (strcmp(rows[i].collective, collective) == 0 && (name == NULL || strcmp(rows[i].name, name) == 0))
            return &rows[i];
    return NULL;
}

const char *sim_algorithm(int i, const char **collective)
{
    if (i >= ROWS)
        return NULL;
    *collective = rows[i].collective;
    return rows[i].name;
}

int sim_force(const char *collective, const char *name)
{
    forced = name == NULL ? NULL : find(collective, name);
    return name == NULL || forced != NULL;
}

static void refuse(const char *file, int line, const char *why)
{
    fprintf(stderr, "%s:%d: %s\n", file, line, why);
    exit(2);
}

/* The algorithms of a line, each with "<BYTES" behind it but for the last. */
static void decide(const char *file, int line, const char *collective, char *words)
{
    char *rest = words, *name = strtok_r(NULL, " \t\n", &rest);
    while (name != NULL) {
        char *below = strtok_r(NULL, " \t\n", &rest);
        const struct row *r = find(collective, name);
        if (r == NULL || (below != NULL && *below != '<') || decided == (int)(sizeof decisions / sizeof *decisions))
            refuse(file, line, "not ALGORITHM <BYTES …, or an algorithm that alg.c does not have");
        decisions[decided++] = (struct decision){r, below == NULL ? INT64_MAX : atoll(below + 1)};
        name = below == NULL ? NULL : strtok_r(NULL, " \t\n", &rest);
    }
}

/* A collective's name begins a line; the lines below it begin with "<PROCESSES" or "*", and the
 * first that fits holds. All else is not read. */
void sim_begin(sim_costs costs, const char *file, int size)
{
    cost = costs;
    FILE *f = fopen(file, "r");
    if (f == NULL)
        refuse(file, 0, "cannot be read");
    char text[512], collective[64] = "";
    for (int line = 1; fgets(text, sizeof text, f) != NULL; line++) {
        char word[64] = "";
        int n = 0, known = find(collective, NULL) != NULL;
        sscanf(text, "%63s%n", word, &n);
        if (text[0] != ' ')
            snprintf(collective, sizeof collective, "%s", word);
        else if (known && (*word == '*' || (*word == '<' && size < atol(word + 1)))) {
            decide(file, line, collective, text + n);
            *collective = '\0';
        }
    }
    fclose(f);
}

/* Where a file decides nothing, the first row serves. */
static void serve(const char *collective, const on *c, int64_t size, const char *in, char *out, const int64_t *at)
{
    const struct row *r = find(collective, NULL);
    for (int i = decided - 1; i >= 0; i--)
        if (strcmp(decisions[i].row->collective, collective) == 0 && size < decisions[i].below)
            r = decisions[i].row;
    if (forced != NULL && strcmp(forced->collective, collective) == 0)
        r = forced;
    on d = *c;
    d.shape = r->shape;
    r->run(&d, in, out, at);
}

/* The calls. */

static on call(MPI_Comm comm, MPI_Datatype type, MPI_Op op, int root)
{
    on c = {.comm = comm, .root = root, .type = type, .op = op};
    int bytes;
    MPI_Comm_rank(comm, &c.rank);
    MPI_Comm_size(comm, &c.size);
    MPI_Type_size(type, &bytes);
    c.extent = bytes;
    c.v = (c.rank - root + c.size) % c.size;
    return c;
}

/* Parts of n elements each. */
static int64_t *equal(const on *c, int64_t n)
{
    int64_t *at = (malloc)((size_t)(c->size + 1) * sizeof *at);
    for (int i = 0; i <= c->size; i++)
        at[i] = i * n * c->extent;
    return at;
}

/* n elements cut into parts that differ by at most one. */
static int64_t *cut(const on *c, int64_t n)
{
    int64_t *at = equal(c, n / c->size);
    for (int i = 1; i <= c->size; i++)
        at[i] += (i < n % c->size ? i : n % c->size) * c->extent;
    return at;
}

static int done(int64_t *at)
{
    (free)(at);
    return MPI_SUCCESS;
}

int sim_Allgather(const void *in, int n, MPI_Datatype type, void *out, int m, MPI_Datatype to, MPI_Comm comm)
{
    (void)n, (void)type;
    on c = call(comm, to, MPI_OP_NULL, 0);
    int64_t *at = equal(&c, m);
    char *own = (char *)out + at[c.rank];
    if (in != MPI_IN_PLACE)
        copy(own, in, at[1]);
    serve("MPI_Allgather", &c, at[1], own, out, at);
    return done(at);
}

int sim_Allreduce(const void *in, void *out, int n, MPI_Datatype type, MPI_Op op, MPI_Comm comm)
{
    on c = call(comm, type, op, 0);
    int64_t *at = cut(&c, n);
    serve("MPI_Allreduce", &c, at[c.size], in == MPI_IN_PLACE ? out : in, out, at);
    return done(at);
}

int sim_Alltoall(const void *in, int n, MPI_Datatype type, void *out, int m, MPI_Datatype to, MPI_Comm comm)
{
    on c = call(comm, to, MPI_OP_NULL, 0);
    int64_t *at = equal(&c, m);
    MPI_Aint first, extent;
    MPI_Type_get_extent(type, &first, &extent);
    c.stride = n * extent;
    serve("MPI_Alltoall", &c, at[1], in, out, at);
    return done(at);
}

int sim_Bcast(void *data, int n, MPI_Datatype type, int root, MPI_Comm comm)
{
    on c = call(comm, type, MPI_OP_NULL, root);
    int64_t *at = cut(&c, n);
    serve("MPI_Bcast", &c, at[c.size], NULL, data, at);
    return done(at);
}

int sim_Exscan(const void *in, void *out, int n, MPI_Datatype type, MPI_Op op, MPI_Comm comm)
{
    on c = call(comm, type, op, 0);
    int64_t *at = cut(&c, n);
    serve("MPI_Exscan", &c, at[c.size], in, out, at);
    return done(at);
}

int sim_Gather(const void *in, int n, MPI_Datatype type, void *out, int m, MPI_Datatype to, int root, MPI_Comm comm)
{
    on c = call(comm, type, MPI_OP_NULL, root);
    if (c.v == 0) {
        c = call(comm, to, MPI_OP_NULL, root);
        n = m;
    }
    int64_t *at = equal(&c, n);
    serve("MPI_Gather", &c, at[1], in == MPI_IN_PLACE ? (char *)out + at[c.rank] : in, out, at);
    return done(at);
}

int sim_Reduce(const void *in, void *out, int n, MPI_Datatype type, MPI_Op op, int root, MPI_Comm comm)
{
    on c = call(comm, type, op, root);
    int64_t *at = cut(&c, n);
    serve("MPI_Reduce", &c, at[c.size], in == MPI_IN_PLACE ? out : in, out, at);
    return done(at);
}

int sim_Reduce_scatter(const void *in, void *out, const int *n, MPI_Datatype type, MPI_Op op, MPI_Comm comm)
{
    on c = call(comm, type, op, 0);
    int64_t *at = equal(&c, 0);
    for (int i = 0; i < c.size; i++)
        at[i + 1] = at[i] + n[i] * c.extent;
    serve("MPI_Reduce_scatter", &c, at[c.size], in, out, at);
    return done(at);
}

int sim_Reduce_scatter_block(const void *in, void *out, int n, MPI_Datatype type, MPI_Op op, MPI_Comm comm)
{
    on c = call(comm, type, op, 0);
    int64_t *at = equal(&c, n);
    serve("MPI_Reduce_scatter_block", &c, at[1], in, out, at);
    return done(at);
}

int sim_Scan(const void *in, void *out, int n, MPI_Datatype type, MPI_Op op, MPI_Comm comm)
{
    on c = call(comm, type, op, 0);
    int64_t *at = cut(&c, n);
    serve("MPI_Scan", &c, at[c.size], in, out, at);
    return done(at);
}

int sim_Scatter(const void *in, int n, MPI_Datatype type, void *out, int m, MPI_Datatype to, int root, MPI_Comm comm)
{
    on c = call(comm, to, MPI_OP_NULL, root);
    if (c.v == 0) {
        c = call(comm, type, MPI_OP_NULL, root);
        m = n;
    }
    int64_t *at = equal(&c, m);
    serve("MPI_Scatter", &c, at[1], in, out == MPI_IN_PLACE ? (char *)in + at[c.rank] : out, at);
    return done(at);
}

int sim_Reduce_local(const void *in, void *inout, int n, MPI_Datatype type, MPI_Op op)
{
    on c = call(MPI_COMM_SELF, type, op, 0);
    combine(&c, in, inout, n * c.extent);
    return MPI_SUCCESS;
}

/* Parts in a row, as the mock-ups have them. */
int sim_Scatterv(const void *in, const int *n, const int *displs, MPI_Datatype type, void *out, int m, MPI_Datatype to,
                 int root, MPI_Comm comm)
{
    (void)type, (void)displs;
    on c = call(comm, to, MPI_OP_NULL, root);
    int64_t *at = equal(&c, m);
    for (int i = 0; c.v == 0 && i < c.size; i++)
        at[i + 1] = at[i] + n[i] * c.extent;
    serve("MPI_Scatterv", &c, at[c.size], in, out, at);
    return done(at);
}
