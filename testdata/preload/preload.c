/* Calls every collective in ways that are legal and easy to get wrong between a program
 * and its library: by its MPI_ name, which a preloaded library may have taken, and by its
 * PMPI_ name, and compares what comes out, byte by byte. Prints "No Errors", or what
 * differs.
 *
 *     preload calls      buffers, datatypes, operators, roots, communicators, errors
 *     preload messages   the program's own messages under way during all of them
 *     preload buffers    MPI_BOTTOM, NULL where it is allowed, attributes and error handlers
 *     preload bits       numbers whose results depend on the order of operations
 *     preload threads    three threads, each on a communicator of its own
 *     preload many N     N communicators made, used and freed: memory must not grow
 *     preload wait       calls until it is ended by a signal; after 100 calls, makes the file PGMPI_CALLS */
#define _GNU_SOURCE
#include <mpi.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { MOST = 4096, GAP = 64, THREADS = 3 };

static int rank, size, errors, compared;

static void calls_now(int n)
{
    const char *path = getenv("PGMPI_CALLS");
    FILE *f = rank == 0 && n == 100 && path ? fopen(path, "w") : NULL;
    if (f)
        fclose(f);
}

static void differs(const char *call, const char *where, int n, int way)
{
    if (errors++ < 5)
        printf("%s on %s differs: %d elements, way %d, rank %d\n", call, where, n, way, rank);
}

static void same(const char *call, const char *where, int n, int way, const void *a, const void *b, size_t bytes)
{
    compared++;
    if (memcmp(a, b, bytes) != 0)
        differs(call, where, n, way);
}

/* Neither commutes nor overflows: x -> u x + v, composed in the order of the ranks. */
static void affine(void *in, void *inout, int *n, MPI_Datatype *type)
{
    unsigned *a = in, *b = inout;
    (void)type;
    for (int i = 0; i < 2 * *n; i += 2) { /* each element is a pair */
        unsigned u = a[i] * b[i], v = a[i + 1] * b[i] + b[i + 1];
        b[i] = u, b[i + 1] = v;
    }
}

/* An operator may call MPI, here on a communicator of its own. */
static void nested(void *in, void *inout, int *n, MPI_Datatype *type)
{
    int one = 1, got, *a = in, *b = inout;
    (void)type;
    MPI_Allreduce(&one, &got, 1, MPI_INT, MPI_SUM, MPI_COMM_SELF);
    for (int i = 0; i < *n; i++)
        b[i] += a[i];
}

static int *sent, *got, *want;
static MPI_Datatype with_holes, swapped, pairs; /* all of two int */

static void make_types(void)
{
    static const int backwards[] = {1, 0};
    MPI_Type_vector(2, 1, 2, MPI_INT, &with_holes);
    MPI_Type_commit(&with_holes);
    MPI_Type_create_indexed_block(2, 1, backwards, MPI_INT, &swapped);
    MPI_Type_commit(&swapped);
    MPI_Type_contiguous(2, MPI_INT, &pairs);
    MPI_Type_commit(&pairs);
}

static void free_types(void)
{
    MPI_Type_free(&with_holes);
    MPI_Type_free(&swapped);
    MPI_Type_free(&pairs);
}

static void fill(MPI_Comm comm)
{
    int p, me;
    MPI_Comm_size(comm, &p);
    MPI_Comm_rank(comm, &me);
    size_t all = (size_t)p * MOST + GAP;
    for (size_t i = 0; i < all; i++) {
        sent[i] = (int)((i * 70001u + (unsigned)me * 130003u) * 7u + 1u);
        got[i] = want[i] = sent[i];
    }
}

/* Way 0: two buffers, 1: MPI_IN_PLACE where it may be, 2: it at odd ranks alone, where ranks may differ. */
static void reductions(MPI_Comm comm, const char *where, int n, MPI_Datatype type, MPI_Op op, int way)
{
    int p, me;
    MPI_Comm_size(comm, &p);
    MPI_Comm_rank(comm, &me);
    size_t bytes = (size_t)n * (type == MPI_INT ? 4 : 8), all = bytes * (size_t)p;
    void *s = way == 1 || (way == 2 && me % 2 == 1) ? MPI_IN_PLACE : (void *)sent;
#define BOTH(name, prefix, ...)                         \
    fill(comm);                                         \
    MPI_##name(s, got, __VA_ARGS__);                    \
    PMPI_##name(s, want, __VA_ARGS__);                  \
    same("MPI_" #name, where, n, way, got, want, prefix)
    BOTH(Scan, bytes, n, type, op, comm);
    if (me > 0) {
        BOTH(Exscan, bytes, n, type, op, comm);
    } else { /* rank 0 receives nothing that is defined */
        fill(comm);
        MPI_Exscan(s, got, n, type, op, comm);
        PMPI_Exscan(s, want, n, type, op, comm);
    }
    if (way == 2)
        return;
    BOTH(Allreduce, bytes, n, type, op, comm);
    BOTH(Reduce_scatter_block, s == MPI_IN_PLACE ? bytes : all, n, type, op, comm);
#undef BOTH
    /* MPICH 4.0 and 4.1 crash in place at another root than 0, also without a library between. */
    for (int root = 0; root < (way == 1 ? 1 : p); root++) {
        fill(comm);
        MPI_Reduce(me == root ? s : sent, me == root ? got : NULL, n, type, op, root, comm);
        PMPI_Reduce(me == root ? s : sent, me == root ? want : NULL, n, type, op, root, comm);
        same("MPI_Reduce", where, n, way, got, want, bytes);
    }
}

/* n elements of int, as int, as a vector with holes, or as two in the other order, by the rank. */
static MPI_Datatype own_type(int me, int n, int *count)
{
    int kind = n % 2 != 0 ? 0 : (me + n / 2) % 3;
    *count = kind == 0 ? n : n / 2;
    return kind == 0 ? MPI_INT : kind == 1 ? with_holes : swapped;
}

static void movements(MPI_Comm comm, const char *where, int n, int way)
{
    int p, me, count;
    MPI_Comm_size(comm, &p);
    MPI_Comm_rank(comm, &me);
    MPI_Datatype type = own_type(me, n, &count);
    size_t all = ((size_t)p * MOST + GAP) * 4;
    void *s = way == 1 ? MPI_IN_PLACE : (void *)sent;
    fill(comm);
    MPI_Allgather(s, count, type, got, count, type, comm);
    PMPI_Allgather(s, count, type, want, count, type, comm);
    same("MPI_Allgather", where, n, way, got, want, all);
    fill(comm);
    MPI_Alltoall(s, count, type, got, count, type, comm);
    PMPI_Alltoall(s, count, type, want, count, type, comm);
    same("MPI_Alltoall", where, n, way, got, want, all);
    for (int root = 0; root < p; root++) {
        int at = me == root;
        fill(comm);
        MPI_Bcast(got, count, type, root, comm);
        PMPI_Bcast(want, count, type, root, comm);
        same("MPI_Bcast", where, n, way, got, want, all);
        fill(comm);
        MPI_Gather(at ? s : sent, count, type, at ? got : NULL, at ? count : 0, at ? type : MPI_DATATYPE_NULL, root, comm);
        PMPI_Gather(at ? s : sent, count, type, at ? want : NULL, at ? count : 0, at ? type : MPI_DATATYPE_NULL, root, comm);
        same("MPI_Gather", where, n, way, got, want, all);
        fill(comm);
        MPI_Scatter(at ? sent : NULL, count, at ? type : MPI_DATATYPE_NULL, at && way == 1 ? MPI_IN_PLACE : got, count, type, root, comm);
        PMPI_Scatter(at ? sent : NULL, count, at ? type : MPI_DATATYPE_NULL, at && way == 1 ? MPI_IN_PLACE : want, count, type, root, comm);
        same("MPI_Scatter", where, n, way, got, want, all);
    }
}

/* What lies between the parts of a pair is nobody's, and stays. */
static void padded(MPI_Comm comm, const char *where, int n)
{
    int p, all;
    MPI_Comm_size(comm, &p);
    all = p * MOST * 4;
    fill(comm);
    MPI_Bcast(got, n, MPI_DOUBLE_INT, p - 1, comm);
    PMPI_Bcast(want, n, MPI_DOUBLE_INT, p - 1, comm);
    same("MPI_Bcast", where, n, 3, got, want, (size_t)all);
    fill(comm);
    MPI_Allgather(sent, n, MPI_DOUBLE_INT, got, n, MPI_DOUBLE_INT, comm);
    PMPI_Allgather(sent, n, MPI_DOUBLE_INT, want, n, MPI_DOUBLE_INT, comm);
    same("MPI_Allgather", where, n, 3, got, want, (size_t)all);
}

static void on(MPI_Comm comm, const char *where)
{
    padded(comm, where, 1);
    padded(comm, where, MOST / 4);
    static const int counts[] = {0, 1, 2, 5, 64, 1000, MOST / 2};
    MPI_Op ordered, calling;
    MPI_Op_create(affine, 0, &ordered);
    MPI_Op_create(nested, 1, &calling);
    MPI_Op ops[] = {MPI_SUM, MPI_BXOR, MPI_MAX, calling};
    for (int c = 0; c < 7; c++)
        for (int way = 0; way < 3; way++) {
            for (int o = 0; o < 4; o++)
                reductions(comm, where, counts[c], MPI_INT, ops[o], way);
            reductions(comm, where, counts[c] / 2, pairs, ordered, way);
            if (way < 2)
                movements(comm, where, counts[c], way);
        }
    MPI_Op_free(&calling);
    MPI_Op_free(&ordered);
}

/* Two groups that talk to each other: nothing there is for a mock-up. */
static void between_groups(void)
{
    MPI_Comm group, both;
    int side = rank == 0;
    if (size < 2)
        return;
    MPI_Comm_split(MPI_COMM_WORLD, side, rank, &group);
    MPI_Intercomm_create(group, 0, MPI_COMM_WORLD, side ? 1 : 0, 3, &both);
    fill(MPI_COMM_WORLD);
    MPI_Allreduce(sent, got, 100, MPI_INT, MPI_SUM, both);
    PMPI_Allreduce(sent, want, 100, MPI_INT, MPI_SUM, both);
    same("MPI_Allreduce", "two groups", 100, 0, got, want, 400);
    int root = side ? MPI_ROOT : 0;
    MPI_Bcast(side ? sent : got, 100, MPI_INT, root, both);
    PMPI_Bcast(side ? sent : want, 100, MPI_INT, root, both);
    MPI_Gather(sent, 10, MPI_INT, side ? got : NULL, 10, MPI_INT, root, both);
    PMPI_Gather(sent, 10, MPI_INT, side ? want : NULL, 10, MPI_INT, root, both);
    same("MPI_Bcast and MPI_Gather", "two groups", 100, 0, got, want, 400);
    MPI_Comm_free(&both);
    MPI_Comm_free(&group);
}

/* An error comes back to the program by the error handler of its communicator, of the same class. Debian's
 * MPICH looks for no errors, and crashes. */
static void mistakes(void)
{
#ifndef MPICH_VERSION
    MPI_Comm comm;
    int by_name[2], by_other[2], class[2];
    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN);
    by_name[0] = MPI_Allreduce(sent, got, -1, MPI_INT, MPI_SUM, comm);
    by_other[0] = PMPI_Allreduce(sent, want, -1, MPI_INT, MPI_SUM, comm);
    by_name[1] = MPI_Allreduce(sent, got, 100, MPI_INT, MPI_OP_NULL, comm);
    by_other[1] = PMPI_Allreduce(sent, want, 100, MPI_INT, MPI_OP_NULL, comm);
    for (int i = 0; i < 2; i++) {
        MPI_Error_class(by_name[i], &class[0]);
        MPI_Error_class(by_other[i], &class[1]);
        same("a wrong MPI_Allreduce", "dup", 0, i, &class[0], &class[1], sizeof(int));
    }
    MPI_Comm_free(&comm);
#endif
}

static void calls(void)
{
    MPI_Comm comm;
    make_types();
    on(MPI_COMM_WORLD, "the world");
    MPI_Comm_split(MPI_COMM_WORLD, 0, -rank, &comm);
    on(comm, "the world reversed");
    MPI_Comm_free(&comm);
    MPI_Comm_split(MPI_COMM_WORLD, rank % 2, rank, &comm);
    on(comm, "a half");
    MPI_Comm_free(&comm);
    on(MPI_COMM_SELF, "itself");
    between_groups();
    mistakes();
    free_types();
}

/* A message of any tag that is sent before the calls and received behind them, and one that a posted receive from
 * anybody waits for meanwhile. A mock-up that meets them hangs, or exchanges data. */
static void messages(void)
{
    enum { TAGS = 16 };
    int next = (rank + 1) % size, below = (rank + size - 1) % size, mine, other, it;
    MPI_Request request;
    MPI_Status s;
    alarm(120); /* not for ever */
    make_types();
    for (int tag = 0; tag < 2 * TAGS; tag++) {
        mine = 1000 * rank + tag, other = -1, it = 1000 * below + tag;
        if (tag < TAGS)
            MPI_Isend(&mine, 1, MPI_INT, next, tag, MPI_COMM_WORLD, &request);
        else
            MPI_Irecv(&other, 1, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &request);
        reductions(MPI_COMM_WORLD, "the world with messages", 64, MPI_INT, MPI_SUM, 0);
        movements(MPI_COMM_WORLD, "the world with messages", 64, 0);
        if (tag < TAGS)
            MPI_Recv(&other, 1, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &s);
        else
            MPI_Send(&mine, 1, MPI_INT, next, tag, MPI_COMM_WORLD);
        MPI_Wait(&request, tag < TAGS ? MPI_STATUS_IGNORE : &s);
        same("the message", "the world", 1, tag, &other, &it, sizeof it);
        same("the tag of the message", "the world", 1, tag, &s.MPI_TAG, &tag, sizeof tag);
    }
    alarm(0);
    free_types();
}

/* n ints at their absolute address, for MPI_BOTTOM; the next one is n ints behind. */
static MPI_Datatype absolute(void *at, int n)
{
    MPI_Aint where;
    MPI_Datatype block, all;
    MPI_Get_address(at, &where);
    MPI_Type_create_hindexed(1, &n, &where, MPI_INT, &block);
    MPI_Type_create_resized(block, 0, n * (MPI_Aint)sizeof(int), &all);
    MPI_Type_free(&block);
    MPI_Type_commit(&all);
    return all;
}

static void at_bottom(int n)
{
    size_t all = ((size_t)size * MOST + GAP) * 4;
    MPI_Datatype s = absolute(sent, n), g = absolute(got, n), w = absolute(want, n);
    for (int root = 0; root < size; root++) {
        fill(MPI_COMM_WORLD);
        MPI_Bcast(MPI_BOTTOM, 1, g, root, MPI_COMM_WORLD);
        PMPI_Bcast(want, n, MPI_INT, root, MPI_COMM_WORLD);
        same("MPI_Bcast", "MPI_BOTTOM", n, root, got, want, all);
        fill(MPI_COMM_WORLD);
        MPI_Gather(MPI_BOTTOM, 1, s, MPI_BOTTOM, 1, g, root, MPI_COMM_WORLD);
        PMPI_Gather(sent, n, MPI_INT, want, n, MPI_INT, root, MPI_COMM_WORLD);
        same("MPI_Gather", "MPI_BOTTOM", n, root, got, want, all);
        fill(MPI_COMM_WORLD);
        MPI_Scatter(MPI_BOTTOM, 1, s, MPI_BOTTOM, 1, g, root, MPI_COMM_WORLD);
        PMPI_Scatter(sent, n, MPI_INT, want, n, MPI_INT, root, MPI_COMM_WORLD);
        same("MPI_Scatter", "MPI_BOTTOM", n, root, got, want, all);
    }
    fill(MPI_COMM_WORLD);
    MPI_Allgather(MPI_BOTTOM, 1, s, MPI_BOTTOM, 1, g, MPI_COMM_WORLD);
    PMPI_Allgather(sent, n, MPI_INT, want, n, MPI_INT, MPI_COMM_WORLD);
    same("MPI_Allgather", "MPI_BOTTOM", n, 0, got, want, all);
    fill(MPI_COMM_WORLD);
    MPI_Alltoall(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, MPI_BOTTOM, 1, g, MPI_COMM_WORLD);
    PMPI_Alltoall(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, want, n, MPI_INT, MPI_COMM_WORLD);
    same("MPI_Alltoall", "MPI_BOTTOM", n, 0, got, want, all);
    MPI_Type_free(&s), MPI_Type_free(&g), MPI_Type_free(&w);
}

static int copied, told;

static int on_copy(MPI_Comm comm, int key, void *extra, void *in, void *out, int *flag)
{
    (void)comm, (void)key, (void)extra, (void)in, (void)out;
    copied++;
    return *flag = 0, MPI_SUCCESS;
}

static void on_error(MPI_Comm *comm, int *code, ...)
{
    (void)comm, (void)code;
    told++;
}

/* The program hears of no communicator but its own, and of an error once. */
static void callbacks(void)
{
    MPI_Comm comm;
    MPI_Errhandler mine, after;
    MPI_Datatype uncommitted;
    int key, none = 0, as_before;
    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    MPI_Comm_create_keyval(on_copy, MPI_COMM_NULL_DELETE_FN, &key, NULL);
    MPI_Comm_set_attr(comm, key, &copied);
    MPI_Comm_create_errhandler(on_error, &mine);
    MPI_Comm_set_errhandler(comm, mine);
    reductions(comm, "one with an attribute", 64, MPI_INT, MPI_SUM, 0);
    movements(comm, "one with an attribute", 64, 0);
    same("calls of the attribute's copy function", "dup", 0, 0, &copied, &none, sizeof none);
    MPI_Comm_get_errhandler(comm, &after);
    as_before = after == mine;
    same("the error handler being another one", "dup", 0, 0, &as_before, &(int){1}, sizeof(int));
    MPI_Errhandler_free(&after);
#ifdef OPEN_MPI /* Debian's MPICH looks for no errors */
    MPI_Type_vector(4, 1, 2, MPI_INT, &uncommitted);
    int failed = MPI_Bcast(got, 1, uncommitted, 0, comm) != MPI_SUCCESS;
    same("MPI_SUCCESS of a wrong datatype", "dup", 1, 0, &failed, &(int){1}, sizeof(int));
    same("calls of the error handler", "dup", 1, 0, &told, &(int){1}, sizeof(int));
    MPI_Type_free(&uncommitted);
#else
    (void)uncommitted;
#endif
    MPI_Errhandler_free(&mine);
    MPI_Comm_free(&comm);
    MPI_Comm_free_keyval(&key);
}

static void buffers(void)
{
    make_types();
    at_bottom(4);
    at_bottom(1000);
#ifdef OPEN_MPI /* MPICH refuses NULL, though it does not count */
    fill(MPI_COMM_WORLD);
    MPI_Exscan(sent, rank == 0 ? NULL : got, 100, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    PMPI_Exscan(sent, rank == 0 ? NULL : want, 100, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    same("MPI_Exscan", "NULL at rank 0", 100, 0, got, want, 400);
#endif
    callbacks();
    free_types();
}

/* Zeros of both signs, NaN, and small integers that overflow: under rules for exact reductions all bits are the library's. */
static void bits(void)
{
    enum { N = 216 };
    static const double numbers[] = {0.0, -0.0, __builtin_nan(""), 1.0, -__builtin_nan(""), __builtin_inf()};
    static const int digits[] = {1, 6, 36};
    static const MPI_Op ops[] = {MPI_MAX, MPI_MIN, MPI_SUM};
    double x[N], a[N], b[N];
    unsigned short y[N], c[N], d[N];
    for (int i = 0; i < N; i++)
        x[i] = numbers[i / digits[rank % 3] % 6], y[i] = (unsigned short)(65000 + i % 7);
    for (int o = 0; o < 3; o++) {
#define BOTH(n, ...)                                                       \
    memset(a, 0, sizeof a), memset(b, 0, sizeof b);                        \
    memset(c, 0, sizeof c), memset(d, 0, sizeof d);                        \
    MPI_##n(x, a, N, MPI_DOUBLE, ops[o], __VA_ARGS__);                     \
    PMPI_##n(x, b, N, MPI_DOUBLE, ops[o], __VA_ARGS__);                    \
    MPI_##n(y, c, N, MPI_UNSIGNED_SHORT, ops[o], __VA_ARGS__);             \
    PMPI_##n(y, d, N, MPI_UNSIGNED_SHORT, ops[o], __VA_ARGS__);            \
    same("MPI_" #n " of MPI_DOUBLE", "the world", N, o, a, b, sizeof a);   \
    same("MPI_" #n " of MPI_UNSIGNED_SHORT", "the world", N, o, c, d, sizeof c)
        BOTH(Allreduce, MPI_COMM_WORLD);
        BOTH(Reduce, 0, MPI_COMM_WORLD);
        BOTH(Scan, MPI_COMM_WORLD);
#undef BOTH
    }
}

static MPI_Comm of_thread[THREADS];

static void *in_thread(void *number)
{
    int t = (int)(intptr_t)number, n = 1000 + 100 * t, p, me;
    int *a = malloc((size_t)n * 4), *b = malloc((size_t)n * 4);
    MPI_Comm_size(of_thread[t], &p);
    MPI_Comm_rank(of_thread[t], &me);
    for (int round = 0; round < 50; round++) {
        for (int i = 0; i < n; i++)
            a[i] = i + round + me;
        MPI_Scan(a, b, n, MPI_INT, MPI_SUM, of_thread[t]);
        for (int i = 0; i < n; i++)
            if (b[i] != (me + 1) * (i + round) + me * (me + 1) / 2)
                __sync_fetch_and_add(&errors, 1);
        MPI_Allreduce(a, b, n, MPI_INT, MPI_MAX, of_thread[t]);
        for (int i = 0; i < n; i++)
            if (b[i] != i + round + p - 1)
                __sync_fetch_and_add(&errors, 1);
    }
    free(a), free(b);
    return NULL;
}

static void threads(void)
{
    pthread_t all[THREADS];
    for (int t = 0; t < THREADS; t++)
        MPI_Comm_dup(MPI_COMM_WORLD, &of_thread[t]);
    for (intptr_t t = 0; t < THREADS; t++)
        pthread_create(&all[t], NULL, in_thread, (void *)t);
    for (int t = 0; t < THREADS; t++)
        pthread_join(all[t], NULL);
    for (int t = 0; t < THREADS; t++)
        MPI_Comm_free(&of_thread[t]);
}

static long pages(void)
{
    long total = 0, resident = 0;
    FILE *f = fopen("/proc/self/statm", "r");
    if (f == NULL || fscanf(f, "%ld %ld", &total, &resident) != 2)
        resident = -1;
    if (f != NULL)
        fclose(f);
    return resident;
}

/* The first tenth is for what libraries keep. */
static void many(int n)
{
    long before = 0;
    for (int i = 0; i < n; i++) {
        MPI_Comm comm;
        MPI_Comm_dup(MPI_COMM_WORLD, &comm);
        MPI_Allreduce(sent, got, 100, MPI_INT, MPI_SUM, comm);
        MPI_Comm_free(&comm);
        if (i == n / 10)
            before = pages();
    }
    long after = pages();
    printf("rank %d: %ld pages after %d communicators, %ld after %d\n", rank, before, n / 10, after, n);
    errors += after > before + 256;
}

int main(int argc, char **argv)
{
    int provided, all;
    const char *what = argc > 1 ? argv[1] : "calls";
    MPI_Init_thread(&argc, &argv, strcmp(what, "threads") == 0 ? MPI_THREAD_MULTIPLE : MPI_THREAD_SINGLE, &provided);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    size_t room = ((size_t)size * MOST + GAP) * sizeof(int);
    sent = malloc(room), got = malloc(room), want = malloc(room);
    memset(sent, 0, room);
    if (strcmp(what, "threads") == 0)
        threads();
    else if (strcmp(what, "messages") == 0)
        messages();
    else if (strcmp(what, "buffers") == 0)
        buffers();
    else if (strcmp(what, "bits") == 0)
        bits();
    else if (strcmp(what, "many") == 0)
        many(argc > 2 ? atoi(argv[2]) : 1000);
    else if (strcmp(what, "wait") == 0)
        for (int n = 1;; n += n <= 100, usleep(1000)) {
            MPI_Allreduce(sent, got, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
            calls_now(n);
        }
    else
        calls();
    PMPI_Allreduce(&errors, &all, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    if (rank == 0 && all == 0)
        printf(" No Errors\n%d comparisons\n", compared);
    MPI_Finalize();
    return all != 0;
}
