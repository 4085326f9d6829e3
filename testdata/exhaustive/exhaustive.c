/* Every collective and every mock-up against its definition in the MPI standard:
 * counts 0 to 97 and large ones, every root, 19 datatypes, 14 operators (2 of them
 * are not MPI's and do not commute), on MPI_COMM_WORLD and with the ranks the other
 * way round. Each is called twice, with another poison in its receive buffer;
 * guards behind the buffers and the send buffer must stay as they are. It shares
 * neither data nor results with measure/rank. As the collectives are called by
 * their PMPI_ names too, a mock-up that differs from its library is seen, and so is
 * a library that differs from the standard. Mock-ups that divide their work among
 * nodes get nodes of this program's own making, where the processes can be divided.
 *
 *     exhaustive [EVERY]
 *
 * EVERY: only one of so many combinations, spread over all of them. Prints at rank
 * 0 how many calls it compared, and what is wrong on any rank; ends with 1 then. */
#define _POSIX_C_SOURCE 200809L
#include "../../mockups/c/lanes.h"

#include <complex.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_EXTENT = 16, MOST_ROWS = 128, SAID = 3, GUARD = 0xc3 };

/* The collectives as the standard has them: the blocks of a buffer, p for PER_RANK,
 * and where a block of the result comes from. */
enum { NONE, ONE, PER_RANK };

typedef enum { GATHERED, EXCHANGED, FROM_ROOT, SCATTERED, REDUCED, OWN_PART, UP_TO_OWN, BEFORE_OWN } result;

typedef struct {
    const char *name; /* behind MPI_; mock-ups begin with it */
    int send, recv;
    result result;
    int rooted, reduces;
    int send_at_root, recv_at_root; /* a buffer that counts there alone */
} collective;

static const collective collectives[] = {
    {"Allgather", ONE, PER_RANK, GATHERED, 0, 0, 0, 0},
    {"Allgatherv", ONE, PER_RANK, GATHERED, 0, 0, 0, 0},
    {"Allreduce", ONE, ONE, REDUCED, 0, 1, 0, 0},
    {"Alltoall", PER_RANK, PER_RANK, EXCHANGED, 0, 0, 0, 0},
    {"Alltoallv", PER_RANK, PER_RANK, EXCHANGED, 0, 0, 0, 0},
    {"Bcast", NONE, ONE, FROM_ROOT, 1, 0, 0, 0},
    {"Exscan", ONE, ONE, BEFORE_OWN, 0, 1, 0, 0},
    {"Gather", ONE, PER_RANK, GATHERED, 1, 0, 0, 1},
    {"Gatherv", ONE, PER_RANK, GATHERED, 1, 0, 0, 1},
    {"Reduce", ONE, ONE, REDUCED, 1, 1, 0, 1},
    {"Reduce_scatter", PER_RANK, ONE, OWN_PART, 0, 1, 0, 0},
    {"Reduce_scatter_block", PER_RANK, ONE, OWN_PART, 0, 1, 0, 0},
    {"Scan", ONE, ONE, UP_TO_OWN, 0, 1, 0, 0},
    {"Scatter", PER_RANK, ONE, SCATTERED, 1, 0, 1, 0},
    {"Scatterv", PER_RANK, ONE, SCATTERED, 1, 0, 1, 0},
};

/* What elements are, for filling and comparing them. */
typedef enum { RAW, INTEGER, TRUTH, REAL, COMPLEX, PAIR } kind;

static struct {
    const char *name;
    MPI_Datatype type;
    int extent;
    kind kind;
} types[] = {
    {"MPI_CHAR", MPI_CHAR, 1, RAW},
    {"MPI_BYTE", MPI_BYTE, 1, RAW},
    {"MPI_SIGNED_CHAR", MPI_SIGNED_CHAR, sizeof(signed char), INTEGER},
    {"MPI_UNSIGNED_CHAR", MPI_UNSIGNED_CHAR, sizeof(unsigned char), INTEGER},
    {"MPI_SHORT", MPI_SHORT, sizeof(short), INTEGER},
    {"MPI_UNSIGNED_SHORT", MPI_UNSIGNED_SHORT, sizeof(unsigned short), INTEGER},
    {"MPI_INT", MPI_INT, sizeof(int), INTEGER},
    {"MPI_UNSIGNED", MPI_UNSIGNED, sizeof(unsigned), INTEGER},
    {"MPI_LONG", MPI_LONG, sizeof(long), INTEGER},
    {"MPI_UNSIGNED_LONG", MPI_UNSIGNED_LONG, sizeof(unsigned long), INTEGER},
    {"MPI_LONG_LONG", MPI_LONG_LONG, sizeof(long long), INTEGER},
    {"MPI_UNSIGNED_LONG_LONG", MPI_UNSIGNED_LONG_LONG, sizeof(unsigned long long), INTEGER},
    {"MPI_C_BOOL", MPI_C_BOOL, sizeof(bool), TRUTH},
    {"MPI_FLOAT", MPI_FLOAT, sizeof(float), REAL},
    {"MPI_DOUBLE", MPI_DOUBLE, sizeof(double), REAL},
    {"MPI_LONG_DOUBLE", MPI_LONG_DOUBLE, sizeof(long double), REAL},
    {"MPI_C_FLOAT_COMPLEX", MPI_C_FLOAT_COMPLEX, sizeof(float complex), COMPLEX},
    {"MPI_C_DOUBLE_COMPLEX", MPI_C_DOUBLE_COMPLEX, sizeof(double complex), COMPLEX},
    {"MPI_2INT", MPI_2INT, 2 * sizeof(int), PAIR},
};

/* The datatypes that an operator is defined on (MPI 4.0, section 6.9.2). */
static struct {
    const char *name;
    MPI_Op op;
    unsigned kinds; /* bits 1 << kind */
    int bytes;      /* also MPI_BYTE */
    const char *only; /* of our own: the one datatype */
} ops[] = { /* in the order of the names below */
    {"MPI_SUM", MPI_SUM, 1 << INTEGER | 1 << REAL | 1 << COMPLEX, 0, NULL},
    {"MPI_PROD", MPI_PROD, 1 << INTEGER | 1 << REAL | 1 << COMPLEX, 0, NULL},
    {"MPI_MAX", MPI_MAX, 1 << INTEGER | 1 << REAL, 0, NULL},
    {"MPI_MIN", MPI_MIN, 1 << INTEGER | 1 << REAL, 0, NULL},
    {"MPI_LAND", MPI_LAND, 1 << INTEGER | 1 << TRUTH, 0, NULL},
    {"MPI_LOR", MPI_LOR, 1 << INTEGER | 1 << TRUTH, 0, NULL},
    {"MPI_LXOR", MPI_LXOR, 1 << INTEGER | 1 << TRUTH, 0, NULL},
    {"MPI_BAND", MPI_BAND, 1 << INTEGER, 1, NULL},
    {"MPI_BOR", MPI_BOR, 1 << INTEGER, 1, NULL},
    {"MPI_BXOR", MPI_BXOR, 1 << INTEGER, 1, NULL},
    {"MPI_MAXLOC", MPI_MAXLOC, 1 << PAIR, 0, NULL},
    {"MPI_MINLOC", MPI_MINLOC, 1 << PAIR, 0, NULL},
    {.name = "matrix product", .only = "MPI_UNSIGNED"},
    {.name = "affine maps", .only = "MPI_2INT"},
};

enum { SUM, PROD, MAX, MIN, LAND, LOR, LXOR, BAND, BOR, BXOR, MAXLOC, MINLOC, MATRICES, MAPS, OPS };
enum { TYPES = sizeof types / sizeof *types };

/* An unsigned is a 2×2 matrix of bytes, and the operator their product mod 256. */
static void multiply(void *in, void *inout, int *n, MPI_Datatype *type)
{
    const unsigned char *a = in;
    unsigned char *b = inout;
    (void)type;
    for (int i = 0; i < *n; i++, a += 4, b += 4) {
        unsigned char c[4] = {(unsigned char)(a[0] * b[0] + a[1] * b[2]), (unsigned char)(a[0] * b[1] + a[1] * b[3]),
                              (unsigned char)(a[2] * b[0] + a[3] * b[2]), (unsigned char)(a[2] * b[1] + a[3] * b[3])};
        memcpy(b, c, 4);
    }
}

/* A pair (a, b) is x → a·x + b mod 2^32, and the operator the composition. */
static void compose(void *in, void *inout, int *n, MPI_Datatype *type)
{
    const unsigned *f = in;
    unsigned *g = inout;
    (void)type;
    for (int i = 0; i < *n; i++, f += 2, g += 2) {
        g[1] = f[0] * g[1] + f[1];
        g[0] = f[0] * g[0];
    }
}

static unsigned hash(int rank, int64_t i)
{
    unsigned h = (unsigned)(rank + 1) * 0x9e3779b1u ^ (unsigned)i * 0xc2b2ae35u;
    h ^= h >> 15;
    h *= 0x2c1b3c6du;
    return h ^ h >> 12;
}

/* An element. They are small integers, so that floating-point numbers are exact in
 * any order; `at` is the second of a pair. */
typedef struct {
    long long v;
    int at;
} value;

static value value_of(int rank, int64_t i, kind k, int op)
{
    unsigned h = hash(rank, i), bits = h >> 8;
    value a = {bits & 15, (int)(h >> 20)};
    if (op == MATRICES) /* of determinant 1, so that no product is 0 */
        a.v = i % 2 ? 0x01000001 | (bits & 255) << 8 : 0x01000001 | (bits & 255) << 16;
    else if (k == RAW)
        a.v = bits & 255;
    else if (k == PAIR)
        a.v |= 1; /* the same for affine maps */
    else if (op == PROD)
        a.v = 1 + (bits & 1);
    else if (k == TRUTH || op == LAND || op == LOR || op == LXOR)
        a.v = (bits & 3) != 0;
    return a;
}

static value combine(value a, value b, int op)
{
    unsigned in[2] = {(unsigned)a.v, (unsigned)a.at}, inout[2] = {(unsigned)b.v, (unsigned)b.at};
    int one = 1;
    switch (op) {
    case SUM: return (value){a.v + b.v, 0};
    case PROD: return (value){a.v * b.v, 0};
    case MAX: return a.v > b.v ? a : b;
    case MIN: return a.v < b.v ? a : b;
    case LAND: return (value){a.v && b.v, 0};
    case LOR: return (value){a.v || b.v, 0};
    case LXOR: return (value){!a.v != !b.v, 0};
    case BAND: return (value){a.v & b.v, 0};
    case BOR: return (value){a.v | b.v, 0};
    case BXOR: return (value){a.v ^ b.v, 0};
    case MAXLOC: return a.v > b.v || (a.v == b.v && a.at < b.at) ? a : b;
    case MINLOC: return a.v < b.v || (a.v == b.v && a.at < b.at) ? a : b;
    case MATRICES: multiply(in, inout, &one, NULL); break;
    case MAPS: compose(in, inout, &one, NULL); break;
    }
    return (value){inout[0], (int)inout[1]};
}

static void store(void *at, int extent, kind k, value a)
{
    int v = (int)a.v;
    switch (k) {
    case RAW:
    case INTEGER:
        if (extent == 1)
            *(signed char *)at = (signed char)v;
        else if (extent == sizeof(short))
            *(short *)at = (short)v;
        else if (extent == sizeof(int))
            *(int *)at = v;
        else
            *(long long *)at = a.v;
        return;
    case TRUTH:
        *(bool *)at = v != 0;
        return;
    case REAL:
        if (extent == sizeof(float))
            *(float *)at = (float)v;
        else if (extent == sizeof(double))
            *(double *)at = v;
        else
            *(long double *)at = v;
        return;
    case COMPLEX:
        if (extent == sizeof(float complex))
            *(float complex *)at = (float)v;
        else
            *(double complex *)at = v;
        return;
    case PAIR:
        ((int *)at)[0] = v;
        ((int *)at)[1] = a.at;
        return;
    }
}

/* 1 if two elements are the same value: +0 and −0 are, and padding does not count. */
static int same(const void *a, const void *b, int extent, kind k)
{
    if (memcmp(a, b, (size_t)extent) == 0)
        return 1;
    if (k == REAL && extent == sizeof(float))
        return *(const float *)a == *(const float *)b;
    if (k == REAL && extent == sizeof(double))
        return *(const double *)a == *(const double *)b;
    if (k == REAL)
        return *(const long double *)a == *(const long double *)b;
    if (k == COMPLEX && extent == sizeof(float complex))
        return *(const float complex *)a == *(const float complex *)b;
    if (k == COMPLEX)
        return *(const double complex *)a == *(const double complex *)b;
    return 0;
}

/* Nodes are as many processes in a row as the least divisor says that leaves several. */
int MPI_Comm_split_type(MPI_Comm comm, int type, int key, MPI_Info info, MPI_Comm *made)
{
    int rank, size, of = 2;
    (void)type;
    (void)info;
    MPI_Comm_rank(comm, &rank);
    MPI_Comm_size(comm, &size);
    while (of < size && size % of != 0)
        of++;
    return MPI_Comm_split(comm, rank / of, key, made);
}

/* What all combinations work on. */
static pg_ctx x;
static pg_lanes lanes;
static const pg_function *table;
static int rows;
static char *expected, *sent; /* what recv and send are to hold */
static long calls, faults;
static int every = 1;

/* Says the first faults of each row. */
static void fault(const pg_function *f, const char *of, const char *format, ...)
{
    static int said[MOST_ROWS];
    char text[200];
    va_list args;
    faults++;
    if (said[f - table]++ >= SAID)
        return;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    fprintf(stderr, "p = %d, rank %d: %s: %s: %s\n", x.size, x.rank, f->id, of, text);
}

/* One combination is one of `every`, at places that no loop has a rhythm with; of
 * those that tell the order of the ranks eight times as many. */
static int is_chosen(int op)
{
    static unsigned n;
    unsigned of = (unsigned)(op >= MATRICES && every > 8 ? every / 8 : every);
    return hash(7, n++) % of == 0;
}

static int64_t blocks(int which, int at_root)
{
    if (at_root && x.rank != x.root)
        return 0;
    return which == NONE ? 0 : which == ONE ? 1 : x.size;
}

/* 1 if a row is the collective c, by either name, or a mock-up of it. */
static int is_row_of(const pg_function *f, const collective *c)
{
    const char *name = strncmp(f->id, "identity:", 9) == 0 ? f->id + 9 : f->id;
    size_t n = strlen(c->name);
    if (strncmp(name, "MPI_", 4) == 0)
        return strcmp(name + 4, c->name) == 0;
    return (name[0] | 0x20) == (c->name[0] | 0x20) && strncmp(name + 1, c->name + 1, n - 1) == 0 &&
           strncmp(name + n, "_as_", 4) == 0;
}

/* Runs a row once; the buffers are poisoned and filled. */
static int run(const pg_function *f, const char *of)
{
    x.arena_used = 0;
    x.temp_elements = INT64_MAX;
    int rc = f->prepare(&x);
    if (rc != MPI_SUCCESS)
        return rc;
    calls++;
    rc = f->run(&x);
    if (!pg_temps_intact(&x))
        fault(f, of, "memory behind a temporary was overwritten");
    f->release(&x);
    return rc;
}

/* The first and the last rank whose data give a block of the result, and which of
 * their blocks; no rank where the result is undefined. */
static void source(result r, int block, int *first, int *last, int *of)
{
    *first = *last = r == GATHERED || r == EXCHANGED ? block : x.root;
    *of = r == EXCHANGED || r == SCATTERED || r == OWN_PART ? x.rank : 0;
    if (r >= REDUCED) {
        *first = 0;
        *last = r == UP_TO_OWN ? x.rank : r == BEFORE_OWN ? x.rank - 1 : x.size - 1;
    }
}

/* Fills `sent`, and returns how many elements are defined in `expected`. */
static int64_t define(const collective *c, int64_t in, int64_t out, int type, int op)
{
    kind k = types[type].kind;
    for (int64_t i = 0; i < in; i++)
        store(sent + i * x.extent, (int)x.extent, k, value_of(x.rank, i, k, op));
    for (int64_t i = 0; i < out; i++) {
        int first, last, of;
        source(c->result, (int)(i / x.count), &first, &last, &of);
        if (last < first)
            return 0;
        int64_t at = of * x.count + i % x.count;
        value a = value_of(first, at, k, op);
        for (int r = first + 1; r <= last; r++)
            a = combine(a, value_of(r, at, k, op), op);
        store(expected + i * x.extent, (int)x.extent, k, a);
    }
    return out;
}

/* Looks at the buffers after a call of f; the first elements of the result are defined. */
static void check(const pg_function *f, const char *of, int type, int64_t in, int64_t out, int64_t defined)
{
    const char *recv = x.recv, *send = x.send;
    const unsigned char *behind[] = {pg_at(&x, recv, out), pg_at(&x, send, in)};

    for (int64_t i = 0; i < defined; i++) {
        if (!same(recv + i * x.extent, expected + i * x.extent, (int)x.extent, types[type].kind)) {
            fault(f, of, "element %lld is wrong", (long long)i);
            break;
        }
    }
    if (memcmp(send, sent, (size_t)(in * x.extent)) != 0)
        fault(f, of, "the send buffer was changed");
    for (int i = 0; i < 2 * PG_GUARD_BYTES; i++) {
        if (behind[i / PG_GUARD_BYTES][i % PG_GUARD_BYTES] != GUARD) {
            fault(f, of, "byte %d behind the %s buffer was overwritten", i % PG_GUARD_BYTES,
                  i < PG_GUARD_BYTES ? "receive" : "send");
            break;
        }
    }
}

/* Compares the rows of c with it in one combination. */
static void compare(const collective *c, int type, int op)
{
    static const int poisons[] = {0x5a, 0xa5};
    int is_input = c->send == NONE && x.rank == x.root; /* Bcast, whose one buffer is recv */
    int64_t in = blocks(c->send, c->send_at_root) * x.count, out = blocks(c->recv, c->recv_at_root) * x.count;
    size_t in_bytes = (size_t)(in * x.extent), out_bytes = (size_t)(out * x.extent);
    char *send = x.send, *recv = x.recv, of[200];

    snprintf(of, sizeof of, "%lld of %s%s%s, root %d", (long long)x.count, types[type].name, c->reduces ? ", " : "",
             c->reduces ? ops[op].name : "", x.root);
    int64_t defined = define(c, in, out, type, op);
    for (int n = 0; n < rows; n++) {
        for (int i = 0; is_row_of(&table[n], c) && i < 2; i++) {
            memcpy(send, sent, in_bytes);
            memset(send + in_bytes, GUARD, PG_GUARD_BYTES);
            memset(recv, poisons[i], out_bytes);
            memset(recv + out_bytes, GUARD, PG_GUARD_BYTES);
            if (is_input)
                memcpy(recv, expected, out_bytes);
            int rc = run(&table[n], of);
            if (rc == PG_LACKS && (op >= MATRICES || !pg_has_lanes(&lanes)))
                break;
            if (rc != MPI_SUCCESS)
                fault(&table[n], of, "an error");
            check(&table[n], of, type, in, out, defined);
        }
    }
}

static int fits(int type, int op)
{
    if (ops[op].only != NULL)
        return strcmp(ops[op].only, types[type].name) == 0;
    return (ops[op].kinds >> types[type].kind & 1) || (ops[op].bytes && types[type].type == MPI_BYTE);
}

static void roots(const collective *c, int type, int op)
{
    for (x.root = 0; x.root < (c->rooted ? x.size : 1); x.root++)
        if (is_chosen(op))
            compare(c, type, op);
}

static void all_of(int64_t count)
{
    x.count = count;
    for (int type = 0; type < TYPES; type++) {
        x.type = types[type].type;
        x.extent = types[type].extent;
        for (size_t i = 0; i < sizeof collectives / sizeof *collectives; i++) {
            const collective *c = &collectives[i];
            if (!c->reduces)
                roots(c, type, 0);
            for (int op = 0; c->reduces && op < OPS; op++) {
                x.op = ops[op].op;
                if (fits(type, op))
                    roots(c, type, op);
            }
        }
    }
}

static char *room(size_t bytes)
{
    void *at = NULL;
    if (posix_memalign(&at, PG_ALIGN, bytes) != 0) {
        fputs("no memory\n", stderr);
        exit(2);
    }
    return at;
}

int main(int argc, char **argv)
{
    static const int64_t large[] = {1000, 8191, 40000};
    enum { LARGE = sizeof large / sizeof *large, SMALL = 97 };
    MPI_Comm comms[2];

    if (argc > 1 && (every = atoi(argv[1])) < 1) {
        fputs("usage: exhaustive [EVERY]\n", stderr);
        return 2;
    }
    MPI_Init(&argc, &argv);
    MPI_Op_create(multiply, 0, &ops[MATRICES].op);
    MPI_Op_create(compose, 0, &ops[MAPS].op);
    MPI_Comm_rank(MPI_COMM_WORLD, &x.rank);
    MPI_Comm_size(MPI_COMM_WORLD, &x.size);
    MPI_Comm_dup(MPI_COMM_WORLD, &comms[0]);
    MPI_Comm_split(MPI_COMM_WORLD, 0, -x.rank, &comms[1]);
    table = pg_table(&rows);
    if (rows > MOST_ROWS)
        return 2;

    size_t most = (size_t)x.size * (size_t)large[LARGE - 1] * MOST_EXTENT + PG_GUARD_BYTES;
    x.send = room(most);
    x.recv = room(most);
    expected = room(most);
    sent = room(most);
    x.arena_bytes = (int64_t)(3 * most + 8 * PG_ALIGN);
    x.arena = room((size_t)x.arena_bytes);
    x.counts = calloc((size_t)x.size, sizeof(int));
    x.displs = calloc((size_t)x.size, sizeof(int));
    for (int i = 0; i < 2; i++) {
        x.comm = comms[i];
        MPI_Comm_set_errhandler(x.comm, MPI_ERRORS_RETURN);
        MPI_Comm_rank(x.comm, &x.rank);
        pg_find_lanes(x.comm, &lanes);
        x.lanes = &lanes;
        for (int64_t count = 0; count <= SMALL; count++)
            all_of(count);
        for (int k = 0; k < LARGE; k++)
            all_of(large[k]);
        pg_free_lanes(&lanes);
    }
    long all[2], here[2] = {calls, faults};
    MPI_Reduce(here, all, 2, MPI_LONG, MPI_SUM, 0, MPI_COMM_WORLD);
    MPI_Comm_rank(MPI_COMM_WORLD, &x.rank);
    if (x.rank == 0)
        printf("p = %d: %ld calls, %ld failures\n", x.size, all[0], all[1]);
    fflush(stdout); /* mpirun ends rank 0 when another has failed */
    MPI_Bcast(all, 2, MPI_LONG, 0, MPI_COMM_WORLD);
    MPI_Finalize();
    return all[1] > 0;
}
