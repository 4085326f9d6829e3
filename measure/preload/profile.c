/* Counts and times what a program calls, in memory that does not grow: one table for each process, with a cell
 * for each kind of collective call and a place for each other function, merged in MPI_Finalize. */
#define _GNU_SOURCE
#include "preload.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>
#if defined(__x86_64__)
#include <cpuid.h>
#include <x86intrin.h>
#endif

enum {
    CELLS = 4096,
    CROWDED = CELLS * 3 / 4, /* cells in use from which sizes are rounded */
    TRIES = 64,
    PART_SECONDS = 60,
    FAULTS_FROM = 64 << 10, /* bytes: below, memory is malloc's own */
    ONE_IN = 8,             /* of such calls: to ask for page faults costs more than to count */
    FEW_FAULTS = 8,         /* that a call meets by chance */
    PLACES = OTHERS + MESSAGES * SIZES * PAIRS_KINDS,
};

/* A rank lives on for others to write: MPICH's launcher kills them as soon as one has ended. Open MPI's does so a
 * second after its SIGTERM, and must not wait: told again by then, it would leave its files. */
static time_t last_seconds = 1;

typedef enum { WORLD, SELF, PART, INTER } communicator;
static const char *const communicator_names[] = {"world", "self", "part", "inter"};
static const char *const pair_names[] = {"node", "nodes", ""};

/* Times are counts of the clock in the table of a process, and nanoseconds in what is merged. */
typedef struct {
    uint64_t what; /* function, communicator, datatype, operator, whether the root is rank 0, processes */
    int64_t bytes, calls, in_place, other_root, sum, least, waited, sampled, faults, faulting;
    int64_t ranks, least_sum, most_sum; /* over ranks */
    int64_t root;                       /* of all these calls, or one of the next two */
} cell;

typedef struct {
    int64_t calls, spent;
} called_other;

typedef struct {
    int64_t used, lost_calls, lost_ns, rounded, wall_ns, ranks;
    called_other others[PLACES]; /* each function, then messages by function, size and pair */
    cell cells[CELLS];
} table;

int profiling, watching;
static int syncing; /* a barrier before each blocking collective tells waiting from the call */
_Thread_local int inside;
static table mine;
static atomic_flag lock = ATOMIC_FLAG_INIT;
static pid_t process; /* whose table it is: a fork has a copy */
static volatile sig_atomic_t finished;
static int rank, processes, parts, spawned, level = -1;
/* Copied when this library is loaded: a program may write over its arguments and its environment. */
static char path[PATH_MAX], program[256], malloc_mmap[64], malloc_trim[64];
static char called[PATH_MAX], version[MPI_MAX_LIBRARY_VERSION_STRING];
_Atomic int64_t calls_made;
static uint64_t first_count;
static int64_t first_ns, last_part_ns;

static int64_t now_ns(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

/* The counter of the processor where it goes on at one speed; else the clock. */
#if defined(__x86_64__)
static int counts;
static inline uint64_t count_now(void) { return counts ? __rdtsc() : (uint64_t)now_ns(); }
static void find_counter(void)
{
    enum { INVARIANT = 1 << 8 };
    unsigned a, b, c, d;
    counts = __get_cpuid(0x80000007, &a, &b, &c, &d) && (d & INVARIANT);
}
#else
static inline uint64_t count_now(void) { return (uint64_t)now_ns(); }
static void find_counter(void) {}
#endif

static const known_type types[] = {
    {MPI_DOUBLE, "MPI_DOUBLE", FLOATS}, {MPI_INT, "MPI_INT", INTEGERS}, {MPI_BYTE, "MPI_BYTE", BYTES}, {MPI_FLOAT, "MPI_FLOAT", FLOATS},
    {MPI_CHAR, "MPI_CHAR", BYTES}, {MPI_LONG, "MPI_LONG", INTEGERS}, {MPI_LONG_LONG_INT, "MPI_LONG_LONG_INT", INTEGERS},
    {MPI_UNSIGNED, "MPI_UNSIGNED", INTEGERS}, {MPI_UNSIGNED_LONG, "MPI_UNSIGNED_LONG", INTEGERS},
    {MPI_UNSIGNED_LONG_LONG, "MPI_UNSIGNED_LONG_LONG", INTEGERS}, {MPI_SHORT, "MPI_SHORT", INTEGERS},
    {MPI_UNSIGNED_SHORT, "MPI_UNSIGNED_SHORT", INTEGERS}, {MPI_UNSIGNED_CHAR, "MPI_UNSIGNED_CHAR", INTEGERS},
    {MPI_SIGNED_CHAR, "MPI_SIGNED_CHAR", INTEGERS}, {MPI_INT32_T, "MPI_INT32_T", INTEGERS}, {MPI_INT64_T, "MPI_INT64_T", INTEGERS},
    {MPI_UINT32_T, "MPI_UINT32_T", INTEGERS}, {MPI_UINT64_T, "MPI_UINT64_T", INTEGERS}, {MPI_LONG_DOUBLE, "MPI_LONG_DOUBLE", FLOATS},
    {MPI_C_DOUBLE_COMPLEX, "MPI_C_DOUBLE_COMPLEX", COMPLEXES}, {MPI_C_FLOAT_COMPLEX, "MPI_C_FLOAT_COMPLEX", COMPLEXES},
    {MPI_C_BOOL, "MPI_C_BOOL", LOGICALS}, {MPI_DOUBLE_INT, "MPI_DOUBLE_INT", PAIRS}, {MPI_2INT, "MPI_2INT", PAIRS},
    {MPI_DOUBLE_PRECISION, "MPI_DOUBLE_PRECISION", FLOATS}, {MPI_INTEGER, "MPI_INTEGER", INTEGERS}, {MPI_REAL, "MPI_REAL", FLOATS},
    {MPI_DOUBLE_COMPLEX, "MPI_DOUBLE_COMPLEX", COMPLEXES}, {MPI_COMPLEX, "MPI_COMPLEX", COMPLEXES}, {MPI_LOGICAL, "MPI_LOGICAL", LOGICALS},
    {MPI_PACKED, "MPI_PACKED", BYTES}, {MPI_REAL4, "MPI_REAL4", FLOATS}, {MPI_REAL8, "MPI_REAL8", FLOATS},
    {MPI_INTEGER1, "MPI_INTEGER1", INTEGERS}, {MPI_INTEGER2, "MPI_INTEGER2", INTEGERS}, {MPI_INTEGER4, "MPI_INTEGER4", INTEGERS},
    {MPI_INTEGER8, "MPI_INTEGER8", INTEGERS}, {MPI_COMPLEX8, "MPI_COMPLEX8", COMPLEXES}, {MPI_COMPLEX16, "MPI_COMPLEX16", COMPLEXES},
    {MPI_CHARACTER, "MPI_CHARACTER", BYTES}, {MPI_2REAL, "MPI_2REAL", PAIRS}, {MPI_2DOUBLE_PRECISION, "MPI_2DOUBLE_PRECISION", PAIRS},
    {MPI_2INTEGER, "MPI_2INTEGER", PAIRS}, {MPI_AINT, "MPI_AINT", INTEGERS}, {MPI_COUNT, "MPI_COUNT", INTEGERS},
    {MPI_OFFSET, "MPI_OFFSET", INTEGERS}, {MPI_INT8_T, "MPI_INT8_T", INTEGERS}, {MPI_INT16_T, "MPI_INT16_T", INTEGERS},
    {MPI_UINT8_T, "MPI_UINT8_T", INTEGERS}, {MPI_UINT16_T, "MPI_UINT16_T", INTEGERS}, {MPI_FLOAT_INT, "MPI_FLOAT_INT", PAIRS},
    {MPI_LONG_INT, "MPI_LONG_INT", PAIRS}, {MPI_SHORT_INT, "MPI_SHORT_INT", PAIRS},
    {MPI_DATATYPE_NULL, "", TYPE_NONE}, {MPI_DATATYPE_NULL, "derived", DERIVED}, {MPI_DATATYPE_NULL, "derived with holes", SPARSE},
};
enum { TYPES = sizeof types / sizeof *types, NO_TYPE = TYPES - 3 };

static const known_op ops[] = {
    {MPI_OP_NULL, ""}, {MPI_SUM, "MPI_SUM"}, {MPI_MAX, "MPI_MAX"}, {MPI_MIN, "MPI_MIN"}, {MPI_PROD, "MPI_PROD"}, {MPI_LAND, "MPI_LAND"},
    {MPI_BAND, "MPI_BAND"}, {MPI_LOR, "MPI_LOR"}, {MPI_BOR, "MPI_BOR"}, {MPI_LXOR, "MPI_LXOR"}, {MPI_BXOR, "MPI_BXOR"},
    {MPI_MAXLOC, "MPI_MAXLOC"}, {MPI_MINLOC, "MPI_MINLOC"}, {MPI_OP_NULL, "user"},
};
enum { OPS = sizeof ops / sizeof *ops };

enum { SLOTS = 256 }; /* some of them stay empty, which ends a search */
static unsigned char in_slot[SLOTS];

static unsigned slot_of(MPI_Datatype type)
{
    return (unsigned)((uint64_t)(uintptr_t)type * 0x9e3779b97f4a7c15u >> 56);
}

/* Where a predefined type is in the table, or NO_TYPE. Most calls would search all of it. */
static int predefined(MPI_Datatype type)
{
    for (unsigned s = slot_of(type); in_slot[s] > 0; s = (s + 1) % SLOTS)
        if (types[in_slot[s] - 1].type == type)
            return in_slot[s] - 1;
    return NO_TYPE;
}

/* A library without Fortran's types has MPI_DATATYPE_NULL in their places. */
static void place_types(void)
{
    for (int i = 0; i < NO_TYPE; i++) {
        unsigned s = slot_of(types[i].type);
        if (types[i].type == MPI_DATATYPE_NULL || predefined(types[i].type) != NO_TYPE)
            continue;
        while (in_slot[s] > 0)
            s = (s + 1) % SLOTS;
        in_slot[s] = (unsigned char)(i + 1);
    }
}

int type_of(MPI_Datatype type)
{
    int i = predefined(type);
    if (i != NO_TYPE || type == MPI_DATATYPE_NULL)
        return i;
    MPI_Aint low, extent, true_low, true_extent;
    int size;
    PMPI_Type_size(type, &size);
    PMPI_Type_get_extent(type, &low, &extent);
    PMPI_Type_get_true_extent(type, &true_low, &true_extent);
    return low == 0 && true_low == 0 && extent == size && true_extent == size ? TYPES - 2 : TYPES - 1;
}

int size_of_type(MPI_Datatype type, int *size)
{
    static int sizes[NO_TYPE];
    int i = predefined(type), rc = MPI_SUCCESS;
    if (i < NO_TYPE && sizes[i] > 0) {
        *size = sizes[i];
        return rc;
    }
    rc = PMPI_Type_size(type, size);
    if (i < NO_TYPE && rc == MPI_SUCCESS)
        sizes[i] = *size;
    return rc;
}

int op_of(MPI_Op op)
{
    int i = 0;
    while (i < OPS - 1 && ops[i].op != op)
        i++;
    return i;
}

const known_type *type_at(int index) { return &types[index]; }
const char *op_name(int index) { return ops[index].name; }

/* ---- the table ---- */

enum { F_BITS = 6, TYPE_BITS = 6, OP_BITS = 5 };

enum { NO_ROOT = -2, SEVERAL_ROOTS = -1 };

static uint64_t packed(const call *c, communicator kind, int p)
{
    uint64_t what = (uint64_t)p;
    what = what << 1 | (uint64_t)(c->root > 0);
    what = what << OP_BITS | (uint64_t)op_of(c->op);
    what = what << TYPE_BITS | (uint64_t)type_of(c->type);
    what = what << 3 | (uint64_t)kind << 1 | (uint64_t)c->uneven;
    return what << F_BITS | (uint64_t)c->f;
}

static int64_t rounded(int64_t bytes)
{
    return bytes < 2 ? bytes : (int64_t)1 << (63 - __builtin_clzll((unsigned long long)bytes));
}

/* Returns the cell of a kind of call, an empty one if there is none, or NULL where there is no room. */
static cell *find(table *t, uint64_t what, int64_t bytes)
{
    uint64_t h = (what * 0x9e3779b97f4a7c15u ^ (uint64_t)bytes * 0xc2b2ae3d27d4eb4fu) >> 32;
    for (int i = 0; i < TRIES; i++, h++) {
        cell *k = &t->cells[h % CELLS];
        if (k->calls == 0 || (k->what == what && k->bytes == bytes))
            return k;
    }
    return NULL;
}

static cell *place(table *t, uint64_t what, int64_t bytes)
{
    cell *k = find(t, what, bytes);
    if (k != NULL && k->calls > 0)
        return k;
    if (t->used >= CROWDED && rounded(bytes) != bytes) {
        bytes = rounded(bytes);
        t->rounded++;
        k = find(t, what, bytes);
    }
    if (k != NULL && k->calls == 0) {
        *k = (cell){.what = what, .bytes = bytes, .least = INT64_MAX, .least_sum = INT64_MAX, .root = NO_ROOT};
        t->used++;
    }
    return k;
}

/* ---- calls that are made by hand ---- */

/* Two calls on one communicator, with nothing between them, that do what one does. Sizes agree: of the second, its
 * blocks are p, or 1/p, of the first's. */
static const struct {
    function first, second;
    const char *whole, *by;
    int times, parts; /* p of the first's blocks are one of the second's, or the other way round */
} made_by[MADES] = {
    {REDUCE, BCAST, "MPI_Allreduce", "MPI_Reduce + MPI_Bcast", 0, 0},
    {GATHER, BCAST, "MPI_Allgather", "MPI_Gather + MPI_Bcast", 1, 0},
    {SCATTER, ALLGATHER, "MPI_Bcast", "MPI_Scatter + MPI_Allgather", 0, 0},
    {REDUCE, SCATTER, "MPI_Reduce_scatter_block", "MPI_Reduce + MPI_Scatter", 0, 1},
};

static int is_made(const cell *k) { return (int)(k->what & ((1 << F_BITS) - 1)) >= FUNCTIONS; }

/* The last call of this thread, if it is the first of a pair. */
static _Thread_local struct {
    function f;
    MPI_Comm comm;
    int root;
    int64_t bytes, spent;
    uint64_t what;
} previous __attribute__((tls_model("initial-exec"))) = {.f = FUNCTIONS};

static void count_in(cell *k, int64_t spent)
{
    k->calls++;
    k->sum += spent;
    k->least = spent < k->least ? spent : k->least;
}

/* Only ranks above 0 have cells of their own, one for all of them: a program may take each in turn. */
static void count_root(cell *k, int root)
{
    int64_t its = root > 0 ? root : 0;
    k->other_root += its > 0;
    k->root = k->root == NO_ROOT || k->root == its ? its : SEVERAL_ROOTS;
}

static void count_made(const call *c, int p, int64_t spent)
{
    for (int i = 0; i < MADES; i++) {
        if (made_by[i].second != c->f || made_by[i].first != previous.f)
            continue;
        int64_t before = previous.bytes * (made_by[i].times ? p : 1);
        int64_t after = c->bytes * (made_by[i].parts ? p : 1);
        if (before != after || before == 0 || (c->f != ALLGATHER && c->root != previous.root))
            continue;
        int64_t bytes = i == MADE_BCAST ? before * p : i == MADE_REDUCE_SCATTER ? c->bytes : previous.bytes;
        uint64_t of = previous.what & ~(uint64_t)((1 << F_BITS) - 1);
        cell *k = place(&mine, of | (uint64_t)(FUNCTIONS + i), bytes);
        if (k != NULL)
            count_in(k, spent + previous.spent), count_root(k, previous.root);
    }
}

static int64_t page_faults(void)
{
    struct rusage u;
    return getrusage(RUSAGE_THREAD, &u) == 0 ? u.ru_minflt : -1;
}

static void start(void);

/* Waits for all who make the call, as it is its turn. Not all of an intercommunicator may make it. */
static void synchronise(call *c)
{
    int inter = 1;
    if (c->f >= IALLGATHER || PMPI_Comm_test_inter(c->comm, &inter) != MPI_SUCCESS || inter)
        return;
    PMPI_Barrier(c->comm);
    uint64_t now = count_now();
    int64_t waited = (int64_t)(now - c->begin);
    c->waited = waited < 0 ? 0 : waited;
    c->begin = now;
}

void profile_begin(call *c)
{
    static _Thread_local unsigned large;
    if (process == 0)
        start();
    c->faults = c->bytes >= FAULTS_FROM && large++ % ONE_IN == 0 ? page_faults() : -1;
    inside = 1;
    c->begin = count_now();
    if (syncing)
        synchronise(c);
}

uint64_t other_begin(void)
{
    inside = 1;
    return count_now();
}

/* Writes a part from time to time. */
static void look(void)
{
    if (now_ns() - last_part_ns > (int64_t)PART_SECONDS * 1000000000) {
        last_part_ns = now_ns();
        profile_part();
    }
}

static void add(int64_t *to, int64_t number)
{
    if (level == MPI_THREAD_MULTIPLE)
        __atomic_fetch_add(to, number, __ATOMIC_RELAXED);
    else
        *to += number;
}

int64_t other_end(other what, uint64_t begun)
{
    int64_t spent = (int64_t)(count_now() - begun);
    inside = 0;
    spent = spent < 0 ? 0 : spent;
    add(&mine.others[what].calls, 1);
    add(&mine.others[what].spent, spent);
    previous.f = FUNCTIONS;
    if (siting)
        site_end(-1 - (int)what, 0, spent);
    if ((mine.others[what].calls & 1023) == 0)
        look();
    return spent;
}

void profile_message(int function, int size, pair_kind pair, int64_t spent)
{
    called_other *m = &mine.others[OTHERS + (function * SIZES + size) * PAIRS_KINDS + (int)pair];
    add(&m->calls, 1);
    add(&m->spent, spent);
}

void profile_end(const call *c)
{
    inside = 0;
    int64_t spent = (int64_t)(count_now() - c->begin);
    spent = spent < 0 ? 0 : spent; /* counters of two processors may differ a little */
    if (c->f >= IALLGATHER)
        messages_mixed();
    int64_t faults = c->faults >= 0 ? page_faults() - c->faults : 0;
    int p = size_of(c->comm), inter;
    if (c->bytes < 0 || p < 0)
        return;
    communicator kind = c->comm == MPI_COMM_WORLD ? WORLD : p == 1 ? SELF : PART;
    if (kind == PART) {
        PMPI_Comm_test_inter(c->comm, &inter);
        kind = inter ? INTER : PART;
    }
    uint64_t what = packed(c, kind, p);
    while (atomic_flag_test_and_set_explicit(&lock, memory_order_acquire))
        ;
    cell *k = place(&mine, what, c->uneven ? rounded(c->bytes) : c->bytes);
    if (k != NULL) {
        count_in(k, spent);
        k->waited += c->waited;
        k->in_place += c->in_place;
        count_root(k, c->root);
        k->sampled += c->faults >= 0;
        k->faults += faults;
        k->faulting += faults > FEW_FAULTS;
    } else {
        mine.lost_calls++;
        mine.lost_ns += spent;
    }
    if (previous.f != FUNCTIONS && kind != INTER && c->comm == previous.comm)
        count_made(c, p, spent);
    static int64_t calls;
    int due = (++calls & 63) == 0;
    atomic_flag_clear_explicit(&lock, memory_order_release);
    if (siting && k != NULL)
        site_end((int)c->f, k->bytes, spent);
    previous.f = FUNCTIONS;
    if ((c->f == REDUCE || c->f == GATHER || c->f == SCATTER) && p > 1) {
        previous.f = c->f, previous.comm = c->comm, previous.root = c->root;
        previous.bytes = c->bytes, previous.spent = spent, previous.what = what;
    }
    if (due)
        look();
}

/* ---- writing: only what a handler of signals may call, on little stack, one part at a time ---- */

typedef struct {
    int fd, failed; /* an errno */
    size_t n;
    char text[4096];
} writer;

static void flush(writer *w)
{
    for (size_t at = 0; at < w->n && !w->failed;) {
        ssize_t wrote = write(w->fd, w->text + at, w->n - at);
        if (wrote < 0 && errno != EINTR)
            w->failed = errno;
        at += wrote > 0 ? (size_t)wrote : 0;
    }
    w->n = 0;
}

static void put(writer *w, const char *text)
{
    for (; *text != '\0'; text++) {
        if (w->n == sizeof w->text)
            flush(w);
        w->text[w->n++] = *text;
    }
}

enum { DIGITS = 24 };

/* Writes a number at the end of a buffer, and returns where it begins. */
static const char *digits(char buffer[DIGITS], int64_t number)
{
    char *at = buffer + DIGITS - 1;
    uint64_t left = number < 0 ? -(uint64_t)number : (uint64_t)number;
    *at = '\0';
    do
        *--at = (char)('0' + left % 10);
    while ((left /= 10) > 0);
    if (number < 0)
        *--at = '-';
    return at;
}

static void put_name(writer *w, const char *name)
{
    put(w, "\""), put(w, name), put(w, "\":");
}

static void put_number(writer *w, const char *name, int64_t number)
{
    char buffer[DIGITS];
    put_name(w, name), put(w, digits(buffer, number)), put(w, ",");
}

/* Writes a string of JSON, without what is not plain in it. */
static void put_text(writer *w, const char *name, const char *text)
{
    put_name(w, name), put(w, "\"");
    for (int n = 0; *text != '\0' && *text != '\n' && n < 400; text++, n++) {
        const char one[] = {*text == '\t' ? ' ' : *text, '\0'};
        if (*one >= ' ' && *one < 127 && *one != '"' && *one != '\\')
            put(w, one);
    }
    put(w, "\",");
}

static void put_flag(writer *w, const char *name, int flag)
{
    put_name(w, name), put(w, flag ? "true," : "false,");
}

static void put_cell(writer *w, const cell *k)
{
    uint64_t what = k->what;
    int f = (int)(what & ((1 << F_BITS) - 1));
    what >>= F_BITS;
    int uneven = (int)(what & 1), kind = (int)(what >> 1 & 3);
    what >>= 3;
    int type = (int)(what & ((1 << TYPE_BITS) - 1));
    what >>= TYPE_BITS;
    int op = (int)(what & ((1 << OP_BITS) - 1));
    put(w, "\n{");
    if (f >= FUNCTIONS)
        put_text(w, "by", made_by[f - FUNCTIONS].by);
    put_text(w, "function", f < FUNCTIONS ? function_names[f] : made_by[f - FUNCTIONS].whole), put_number(w, "bytes", k->bytes), put_number(w, "processes", (int64_t)(what >> OP_BITS >> 1));
    put_text(w, "communicator", communicator_names[kind]), put_text(w, "datatype", types[type].name), put_text(w, "op", ops[op].name);
    put_flag(w, "uneven", uneven), put_number(w, "calls", k->calls), put_number(w, "in_place", k->in_place);
    put_number(w, "other_root", k->other_root), put_number(w, "root", k->root), put_number(w, "ranks", k->ranks);
    put_number(w, "sum_ns", k->sum);
    put_number(w, "least_rank_ns", k->least_sum), put_number(w, "most_rank_ns", k->most_sum), put_number(w, "least_call_ns", k->least);
    if (syncing)
        put_number(w, "waiting_ns", k->waited);
    put_number(w, "sampled", k->sampled), put_number(w, "faults", k->faults), put_number(w, "faulting", k->faulting);
    w->text[w->n - 1] = '}';
    put(w, ",");
}

static void put_others(writer *w, const table *t)
{
    int any = 0;
    put(w, "\"functions\":[");
    for (int i = 0; i < OTHERS; i++)
        if (t->others[i].calls > 0) {
            put(w, "\n{"), put_text(w, "name", other_names[i]), put_number(w, "calls", t->others[i].calls);
            put_number(w, "sum_ns", t->others[i].spent);
            w->text[w->n - 1] = '}';
            put(w, ",");
            any = 1;
        }
    w->n -= any; /* the last comma */
    put(w, "],\n");
}

static void put_messages(writer *w, const table *t)
{
    int any = 0;
    put(w, "\"messages\":[");
    for (int i = 0; i < PLACES - OTHERS; i++) {
        int size = i / PAIRS_KINDS % SIZES;
        const called_other *m = &t->others[OTHERS + i];
        if (m->calls == 0)
            continue;
        put(w, "\n{"), put_text(w, "function", other_names[FIRST_MESSAGE + i / PAIRS_KINDS / SIZES]);
        put_number(w, "bytes", size == 0 ? 0 : (int64_t)1 << (size - 1));
        put_text(w, "pair", pair_names[i % PAIRS_KINDS]);
        put_number(w, "calls", m->calls), put_number(w, "sum_ns", m->spent);
        w->text[w->n - 1] = '}';
        put(w, ",");
        any = 1;
    }
    w->n -= any; /* the last comma */
    put(w, "],\n");
}

/* Writes a list of the program's calls, or of those that it makes by others. */
static void put_cells(writer *w, const table *t, const char *begin, int made)
{
    int any = 0;
    put(w, begin);
    for (const cell *k = t->cells; k < t->cells + CELLS; k++)
        if (k->calls > 0 && is_made(k) == made) {
            put_cell(w, k);
            any = 1;
        }
    w->n -= any; /* the last comma */
    put(w, "\n]");
}

static void put_sites(writer *w)
{
    int any = 0;
    put(w, ",\n\"sites\":[");
    for (const site *s = sites_all(), *end = s + SITES; s < end; s++) {
        if (s->calls == 0)
            continue;
        put(w, "\n{"), put_text(w, "function", s->what >= 0 ? function_names[s->what] : other_names[-1 - s->what]);
        put_number(w, "bytes", s->bytes), put_text(w, "module", s->module), put_number(w, "offset", (int64_t)s->at);
        put_number(w, "calls", s->calls), put_number(w, "sum_ns", s->spent);
        w->text[w->n - 1] = '}';
        put(w, ",");
        any = 1;
    }
    w->n -= any; /* the last comma */
    put(w, "\n]");
}

static void put_table(writer *w, const table *t, int whole)
{
    static const char *const levels[] = {"single", "funneled", "serialized", "multiple"};
    static const int values[] = {MPI_THREAD_SINGLE, MPI_THREAD_FUNNELED, MPI_THREAD_SERIALIZED, MPI_THREAD_MULTIPLE};
    char host[256] = "";
    gethostname(host, sizeof host - 1);
    put(w, "{\"schema\":\"pgmpi-profile/1\",");
    put_text(w, "program", program), put_text(w, "library", version), put_text(w, "host", host);
    put_text(w, "hidden", hidden_names);
    put_text(w, "malloc_mmap_threshold", malloc_mmap), put_text(w, "malloc_trim_threshold", malloc_trim);
    for (int i = 0; i < 4; i++)
        if (values[i] == level)
            put_text(w, "thread_level", levels[i]);
    put_number(w, "created", time(NULL)), put_number(w, "processes", processes), put_number(w, "ranks", t->ranks);
    if (syncing)
        put_flag(w, "sync", 1);
    if (spawned)
        put_flag(w, "spawned", 1);
    put_flag(w, "finished", whole), put_number(w, "wall_ns", t->wall_ns), put_number(w, "rounded", t->rounded);
    put_number(w, "lost_calls", t->lost_calls), put_number(w, "lost_ns", t->lost_ns);
    put_others(w, t);
    put_messages(w, t);
    put_cells(w, t, "\"calls\":[", 0);
    put_cells(w, t, ",\n\"made\":[", 1);
    if (whole && siting)
        put_sites(w);
    put(w, "}\n");
}

/* Joins a path and an ending, and returns 0 if there is no room. */
static int join(char to[PATH_MAX], const char *name, const char *ending, int64_t number, const char *last)
{
    char buffer[DIGITS];
    const char *const pieces[] = {name, ending, digits(buffer, number), last};
    size_t n = 0;
    for (int i = 0; i < 4; i++)
        for (const char *c = pieces[i]; *c != '\0'; c++) {
            if (n == PATH_MAX - 1)
                return 0;
            to[n++] = *c;
        }
    to[n] = '\0';
    return 1;
}

/* A second job of one command gets a name of its own: FILE.2. */
static int take_name(const char *made)
{
    static char taken[PATH_MAX];
    const char *name = path;
    int i = 2, err;
    while ((err = link(made, name)) != 0 && errno == EEXIST && i < 1000) {
        if (!join(taken, path, ".", i++, ""))
            return ENAMETOOLONG;
        name = taken;
    }
    if (err != 0) /* a file system without links */
        err = rename(made, name);
    return err != 0 ? errno : 0;
}

/* Writes a file that is whole or not there: of all ranks with FILE's own name, or the part of this
 * one. Returns an errno. */
static int store(const table *t, int whole)
{
    static writer w;
    static char name[PATH_MAX], made[PATH_MAX];
    if (!join(name, path, ".rank", rank, "") || !join(made, whole ? path : name, ".", getpid(), ".new"))
        return ENAMETOOLONG;
    w.fd = open(made, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666), w.n = 0, w.failed = 0;
    if (w.fd < 0)
        return errno;
    put_table(&w, t, whole);
    flush(&w);
    if (close(w.fd) != 0 && !w.failed)
        w.failed = errno;
    if (whole && !w.failed)
        w.failed = take_name(made);
    else if (!w.failed && rename(made, name) != 0)
        w.failed = errno;
    if (whole || w.failed)
        unlink(made);
    return w.failed;
}

/* ---- over ranks ---- */

/* Counts of the clock become nanoseconds: both have gone on since the start. */
static void settle(table *t)
{
    int64_t ns = now_ns() - first_ns;
    double each = (double)ns / (double)(count_now() - first_count);
    t->wall_ns = ns;
    t->ranks = 1;
    t->lost_ns = (int64_t)((double)t->lost_ns * each);
    for (called_other *o = t->others; o < t->others + PLACES; o++)
        o->spent = (int64_t)((double)o->spent * each);
    for (cell *k = t->cells; k < t->cells + CELLS; k++) {
        if (k->calls == 0)
            continue;
        k->sum = (int64_t)((double)k->sum * each);
        k->least = (int64_t)((double)k->least * each);
        k->waited = (int64_t)((double)k->waited * each);
        k->ranks = 1;
        k->least_sum = k->most_sum = k->sum;
    }
}

/* A rounded cell may get several of one rank: then a rank has spent their sum at most. */
static void merge_ranks(cell *to, const cell *k, int64_t ranks)
{
    int again = to->bytes != k->bytes || to->ranks + k->ranks > ranks;
    to->least_sum = k->least_sum < to->least_sum ? k->least_sum : to->least_sum;
    to->most_sum = again ? to->most_sum + k->most_sum : k->most_sum > to->most_sum ? k->most_sum : to->most_sum;
    to->ranks = to->ranks + k->ranks < ranks ? to->ranks + k->ranks : ranks;
}

static void merge(table *into, const table *from)
{
    for (const cell *k = from->cells; k < from->cells + CELLS; k++) {
        if (k->calls == 0)
            continue;
        cell *to = place(into, k->what, k->bytes);
        if (to == NULL) {
            into->lost_calls += is_made(k) ? 0 : k->calls;
            into->lost_ns += is_made(k) ? 0 : k->sum;
            continue;
        }
        to->calls += k->calls, to->in_place += k->in_place, to->other_root += k->other_root;
        to->sum += k->sum, to->waited += k->waited, to->sampled += k->sampled, to->faults += k->faults, to->faulting += k->faulting;
        to->least = k->least < to->least ? k->least : to->least;
        to->root = to->root == NO_ROOT || to->root == k->root ? k->root : SEVERAL_ROOTS;
        merge_ranks(to, k, into->ranks + from->ranks);
    }
    for (int i = 0; i < PLACES; i++) {
        into->others[i].calls += from->others[i].calls;
        into->others[i].spent += from->others[i].spent;
    }
    into->lost_calls += from->lost_calls, into->lost_ns += from->lost_ns, into->rounded += from->rounded;
    into->ranks += from->ranks;
    into->wall_ns = from->wall_ns > into->wall_ns ? from->wall_ns : into->wall_ns;
}

/* All tables go up a binomial tree to rank 0. Every rank comes here, in MPI_Finalize. */
static void gather(table *sum)
{
    enum { TAG = 7 };
    static site more[SITES];
    MPI_Comm own;
    table *other = malloc(sizeof *other);
    if (other == NULL || (own = own_comm(MPI_COMM_WORLD)) == MPI_COMM_NULL)
        PMPI_Abort(MPI_COMM_WORLD, 1); /* others wait for this rank */
    for (int step = 1; step < processes; step *= 2) {
        if (rank & step) {
            PMPI_Send(sum, sizeof *sum, MPI_BYTE, rank - step, TAG, own);
            if (siting)
                PMPI_Send(sites_all(), SITES * sizeof(site), MPI_BYTE, rank - step, TAG, own);
            break;
        }
        if (rank + step < processes) {
            PMPI_Recv(other, sizeof *other, MPI_BYTE, rank + step, TAG, own, MPI_STATUS_IGNORE);
            merge(sum, other);
            if (siting) {
                PMPI_Recv(more, sizeof more, MPI_BYTE, rank + step, TAG, own, MPI_STATUS_IGNORE);
                sites_merge(more);
            }
        }
    }
    PMPI_Comm_free(&own);
    free(other);
}

static atomic_flag writing = ATOMIC_FLAG_INIT;

static void wait_a_moment(void) { nanosleep(&(struct timespec){.tv_nsec = 1000000}, NULL); }

/* One part is written at a time: a signal to this thread waits until then, by its mask, and one to another
 * thread here, so that none ends the process in the middle. Returns 1 if a part was written. */
static int write_part(void)
{
    static table copy;
    enum { MOST_MOMENTS = 2000 };
    for (int i = 0; atomic_flag_test_and_set_explicit(&writing, memory_order_acquire); i++) {
        if (i == MOST_MOMENTS)
            return 0;
        wait_a_moment();
    }
    int wrote = 0;
    if (!finished) {
        copy = mine;
        settle(&copy);
        wrote = store(&copy, 0) == 0;
        parts |= wrote;
    }
    atomic_flag_clear_explicit(&writing, memory_order_release);
    return wrote;
}

int profile_part(void)
{
    sigset_t all, before;
    if (!profiling || finished || process == 0 || process != getpid())
        return 0;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    int wrote = write_part();
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    return wrote;
}

/* Left where a program ends in a way that nothing sees, such as _exit: then it did call MPI_Init. */
void profile_init(void)
{
    static char name[PATH_MAX];
    if (!profiling || process != 0)
        return;
    start();
    if (rank == 0 && join(name, path, ".begun", processes, ""))
        close(open(name, O_WRONLY | O_CREAT | O_CLOEXEC, 0666));
}

void profile_finish(void)
{
    static char name[PATH_MAX];
    if (!profiling)
        return;
    if (process == 0)
        start();
    finished = 1;
    while (atomic_flag_test_and_set_explicit(&writing, memory_order_acquire))
        wait_a_moment();
    atomic_flag_clear_explicit(&writing, memory_order_release);
    if (siting)
        sites_settle((double)(now_ns() - first_ns) / (double)(count_now() - first_count));
    settle(&mine);
    gather(&mine);
    int failed = rank == 0 ? store(&mine, 1) : 0;
    if (failed != 0)
        fprintf(stderr, "pgmpi: %s: the profile cannot be written: %s\n", path, strerror(failed));
    if (parts && join(name, path, ".rank", rank, ""))
        unlink(name);
}

/* One line for each job: its processes, the calls of all ranks, and its program. */
void calls_finish(void)
{
    int64_t made = calls_made, all = 0;
    int p, r;
    if (called[0] == '\0')
        return;
    PMPI_Comm_size(MPI_COMM_WORLD, &p);
    PMPI_Comm_rank(MPI_COMM_WORLD, &r);
    PMPI_Reduce(&made, &all, 1, MPI_INT64_T, MPI_SUM, 0, MPI_COMM_WORLD);
    int fd = r == 0 ? open(called, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0666) : -1;
    if (fd < 0 ? r == 0 : dprintf(fd, "%d %lld %s\n", p, (long long)all, program) < 0)
        fprintf(stderr, "pgmpi: %s cannot be written: %s\n", called, strerror(errno));
    if (fd >= 0)
        close(fd);
}

static void on_signal(int number)
{
    int before = errno, ends = number != SIGUSR2 && number != SIGCONT;
    if (profile_part() && ends)
        nanosleep(&(struct timespec){.tv_sec = last_seconds}, NULL);
    if (ends) {
        signal(number, SIG_DFL);
        raise(number);
    }
    errno = before;
}

/* At the first call, so that it is of an MPI process; only signals that the program leaves alone. Open MPI's mpirun
 * sends SIGCONT before SIGTERM, and alone where it is told twice to end, as by timeout: its ranks then end by _exit. */
static void start(void)
{
    static const int numbers[] = {SIGTERM, SIGINT, SIGUSR2, SIGCONT};
    struct sigaction old, ours = {.sa_handler = on_signal, .sa_flags = SA_RESTART | SA_ONSTACK};
    int n;
    process = getpid();
    PMPI_Comm_rank(MPI_COMM_WORLD, &rank);
    PMPI_Comm_size(MPI_COMM_WORLD, &processes);
    PMPI_Query_thread(&level);
    MPI_Comm parent;
    spawned = PMPI_Comm_get_parent(&parent) == MPI_SUCCESS && parent != MPI_COMM_NULL;
    PMPI_Get_library_version(version, &n);
    if (strstr(version, "Open MPI") != NULL)
        last_seconds = 0;
    last_part_ns = now_ns();
    sigfillset(&ours.sa_mask);
    for (int i = 0; i < 4; i++)
        if (sigaction(numbers[i], NULL, &old) == 0 && old.sa_handler == SIG_DFL)
            sigaction(numbers[i], &ours, NULL);
}

static void copy_text(char *to, size_t room, const char *text) { snprintf(to, room, "%s", text != NULL ? text : ""); }

/* What Python runs is called as its script is. */
static void name_program(void)
{
    char words[4096] = "";
    const char *name = program_invocation_short_name, *script = words;
    FILE *file = strncmp(name, "python", 6) == 0 ? fopen("/proc/self/cmdline", "r") : NULL;
    if (file != NULL) {
        size_t n = fread(words, 1, sizeof words - 1, file);
        fclose(file);
        script += strlen(words) + 1;
        if (script < words + n && *script != '-')
            name = strrchr(script, '/') != NULL ? strrchr(script, '/') + 1 : script;
    }
    copy_text(program, sizeof program, name);
}

__attribute__((constructor)) static void loaded(void)
{
    copy_text(path, sizeof path, getenv("PGMPI_PROFILE"));
    copy_text(called, sizeof called, getenv("PGMPI_CALLED"));
    name_program();
    copy_text(malloc_mmap, sizeof malloc_mmap, getenv("MALLOC_MMAP_THRESHOLD_"));
    copy_text(malloc_trim, sizeof malloc_trim, getenv("MALLOC_TRIM_THRESHOLD_"));
    profiling = path[0] != '\0';
    watching = profiling || called[0] != '\0';
    syncing = getenv("PGMPI_SYNC") != NULL;
    if (profiling && getenv("PGMPI_SITES") != NULL)
        sites_start();
    find_counter();
    place_types();
    first_ns = now_ns();
    first_count = count_now();
}

__attribute__((destructor)) static void unloaded(void) { profile_part(); }
