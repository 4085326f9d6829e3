/* What a program calls, with counts and times, in memory that does not grow: one table
 * of cells for each process, merged in MPI_Finalize. */
#define _GNU_SOURCE
#include "preload.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdarg.h>
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
};

/* That a rank lives on for others to write: MPICH's launcher kills them as soon as one has ended. Open MPI's does so a
 * second after its SIGTERM, and must not wait: told again by then, it would leave its files. */
#ifdef OPEN_MPI
enum { LAST_SECONDS = 0 };
#else
enum { LAST_SECONDS = 1 };
#endif

typedef enum { WORLD, SELF, PART, INTER } communicator;
static const char *const communicator_names[] = {"world", "self", "part", "inter"};

/* Times are counts of the clock in the table of a process, and nanoseconds in what is merged. */
typedef struct {
    uint64_t what; /* function, communicator, datatype, operator, processes */
    int64_t bytes, calls, in_place, other_root, sum, least, sampled, faults, faulting;
    int64_t ranks, least_sum, most_sum; /* over ranks */
} cell;

typedef struct {
    int64_t used, lost_calls, lost_ns, rounded, wall_ns, ranks;
    cell cells[CELLS];
} table;

int profiling;
static table mine;
static atomic_flag lock = ATOMIC_FLAG_INIT;
static const char *path;
static pid_t process; /* whose table it is: a fork has a copy */
static int rank, processes, finished, parts;
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
    {MPI_PACKED, "MPI_PACKED", BYTES},
    {MPI_DATATYPE_NULL, "", TYPE_NONE}, {MPI_DATATYPE_NULL, "derived", DERIVED}, {MPI_DATATYPE_NULL, "derived with holes", SPARSE},
};
enum { TYPES = sizeof types / sizeof *types, NO_TYPE = TYPES - 3 };

static const known_op ops[] = {
    {MPI_OP_NULL, ""}, {MPI_SUM, "MPI_SUM"}, {MPI_MAX, "MPI_MAX"}, {MPI_MIN, "MPI_MIN"}, {MPI_PROD, "MPI_PROD"}, {MPI_LAND, "MPI_LAND"},
    {MPI_BAND, "MPI_BAND"}, {MPI_LOR, "MPI_LOR"}, {MPI_BOR, "MPI_BOR"}, {MPI_LXOR, "MPI_LXOR"}, {MPI_BXOR, "MPI_BXOR"},
    {MPI_MAXLOC, "MPI_MAXLOC"}, {MPI_MINLOC, "MPI_MINLOC"}, {MPI_OP_NULL, "user"},
};
enum { OPS = sizeof ops / sizeof *ops };

int type_of(MPI_Datatype type)
{
    for (int i = 0; i <= NO_TYPE; i++)
        if (types[i].type == type)
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
    int i = 0, rc = MPI_SUCCESS;
    while (i < NO_TYPE && types[i].type != type)
        i++;
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

enum { F_BITS = 5, TYPE_BITS = 6, OP_BITS = 5 };

static uint64_t packed(const call *c, communicator kind, int p)
{
    uint64_t what = (uint64_t)p;
    what = what << OP_BITS | (uint64_t)op_of(c->op);
    what = what << TYPE_BITS | (uint64_t)type_of(c->type);
    what = what << 3 | (uint64_t)kind << 1 | (uint64_t)c->uneven;
    return what << F_BITS | (uint64_t)c->f;
}

static int64_t rounded(int64_t bytes)
{
    return bytes < 2 ? bytes : (int64_t)1 << (63 - __builtin_clzll((unsigned long long)bytes));
}

/* Returns the cell of a kind of call, a new one if need be, or NULL where there is no room. */
static cell *find(table *t, uint64_t what, int64_t bytes)
{
    uint64_t h = (what * 0x9e3779b97f4a7c15u ^ (uint64_t)bytes * 0xc2b2ae3d27d4eb4fu) >> 32;
    for (int i = 0; i < TRIES; i++, h++) {
        cell *k = &t->cells[h % CELLS];
        if (k->calls > 0 && k->what == what && k->bytes == bytes)
            return k;
        if (k->calls == 0) {
            *k = (cell){.what = what, .bytes = bytes, .least = INT64_MAX, .least_sum = INT64_MAX};
            t->used++;
            return k;
        }
    }
    return NULL;
}

static cell *place(table *t, uint64_t what, int64_t bytes)
{
    if (t->used >= CROWDED && rounded(bytes) != bytes) {
        bytes = rounded(bytes);
        t->rounded++;
    }
    return find(t, what, bytes);
}

static int64_t page_faults(void)
{
    struct rusage u;
    return getrusage(RUSAGE_THREAD, &u) == 0 ? u.ru_minflt : -1;
}

static void start(void);

void profile_begin(call *c)
{
    static _Thread_local unsigned large;
    if (process == 0)
        start();
    c->faults = c->bytes >= FAULTS_FROM && large++ % ONE_IN == 0 ? page_faults() : -1;
    c->begin = count_now();
}

void profile_end(const call *c)
{
    int64_t spent = (int64_t)(count_now() - c->begin);
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
        k->calls++;
        k->sum += spent;
        k->least = spent < k->least ? spent : k->least;
        k->in_place += c->in_place;
        k->other_root += c->root > 0;
        k->sampled += c->faults >= 0;
        k->faults += faults;
        k->faulting += faults > FEW_FAULTS;
    } else {
        mine.lost_calls++;
        mine.lost_ns += spent;
    }
    static int64_t calls;
    int look = (++calls & 63) == 0;
    atomic_flag_clear_explicit(&lock, memory_order_release);
    if (look && now_ns() - last_part_ns > (int64_t)PART_SECONDS * 1000000000) {
        last_part_ns = now_ns();
        profile_part();
    }
}

/* ---- writing: without memory of malloc's, as a signal may come inside of it ---- */

typedef struct {
    int fd, failed;
    size_t n;
    char text[4096];
} writer;

static void flush(writer *w)
{
    for (size_t at = 0; at < w->n && !w->failed;) {
        ssize_t wrote = write(w->fd, w->text + at, w->n - at);
        if (wrote < 0 && errno != EINTR)
            w->failed = 1;
        at += wrote > 0 ? (size_t)wrote : 0;
    }
    w->n = 0;
}

__attribute__((format(printf, 2, 3))) static void put(writer *w, const char *format, ...)
{
    if (w->n > sizeof w->text - 1024)
        flush(w);
    va_list args;
    va_start(args, format);
    int n = vsnprintf(w->text + w->n, 1024, format, args);
    va_end(args);
    w->n += n < 1024 ? (size_t)n : 1023;
}

/* A string of JSON: what is not plain in it is left out. */
static void put_text(writer *w, const char *name, const char *text)
{
    char plain[400];
    size_t n = 0;
    for (; text != NULL && *text != '\0' && *text != '\n' && n < sizeof plain - 1; text++)
        if (*text == '\t')
            plain[n++] = ' ';
        else if (*text >= ' ' && *text < 127 && *text != '"' && *text != '\\')
            plain[n++] = *text;
    plain[n] = '\0';
    put(w, "\"%s\":\"%s\",", name, plain);
}

static void put_cell(writer *w, const cell *k, const char *before)
{
    uint64_t what = k->what;
    int f = (int)(what & ((1 << F_BITS) - 1));
    what >>= F_BITS;
    int uneven = (int)(what & 1), kind = (int)(what >> 1 & 3);
    what >>= 3;
    int type = (int)(what & ((1 << TYPE_BITS) - 1));
    what >>= TYPE_BITS;
    int op = (int)(what & ((1 << OP_BITS) - 1));
    put(w, "%s{\"function\":\"%s\",\"bytes\":%lld,\"processes\":%lld,\"communicator\":\"%s\",\"datatype\":\"%s\",\"op\":\"%s\",\"uneven\":%s,",
        before, function_names[f], (long long)k->bytes, (long long)(what >> OP_BITS), communicator_names[kind], types[type].name, ops[op].name,
        uneven ? "true" : "false");
    put(w, "\"calls\":%lld,\"in_place\":%lld,\"other_root\":%lld,\"ranks\":%lld,\"sum_ns\":%lld,\"least_rank_ns\":%lld,\"most_rank_ns\":%lld,",
        (long long)k->calls, (long long)k->in_place, (long long)k->other_root, (long long)k->ranks, (long long)k->sum,
        (long long)k->least_sum, (long long)k->most_sum);
    put(w, "\"least_call_ns\":%lld,\"sampled\":%lld,\"faults\":%lld,\"faulting\":%lld}", (long long)k->least, (long long)k->sampled,
        (long long)k->faults, (long long)k->faulting);
}

static void put_table(writer *w, const table *t, int whole)
{
    static const char *const levels[] = {"single", "funneled", "serialized", "multiple"};
    static const int values[] = {MPI_THREAD_SINGLE, MPI_THREAD_FUNNELED, MPI_THREAD_SERIALIZED, MPI_THREAD_MULTIPLE};
    static char version[MPI_MAX_LIBRARY_VERSION_STRING];
    char host[256] = "";
    int n, level = MPI_THREAD_SINGLE;
    if (whole) {
        PMPI_Query_thread(&level);
        PMPI_Get_library_version(version, &n);
    }
    gethostname(host, sizeof host - 1);
    put(w, "{\"schema\":\"pgmpi-profile/1\",");
    put_text(w, "program", program_invocation_short_name);
    put_text(w, "library", version);
    put_text(w, "host", host);
    put_text(w, "malloc_mmap_threshold", getenv("MALLOC_MMAP_THRESHOLD_"));
    put_text(w, "malloc_trim_threshold", getenv("MALLOC_TRIM_THRESHOLD_"));
    for (int i = 0; i < 4; i++)
        if (values[i] == level && whole)
            put_text(w, "thread_level", levels[i]);
    put(w, "\"created\":%lld,\"processes\":%d,\"ranks\":%lld,\"finished\":%s,\"wall_ns\":%lld,", (long long)time(NULL), processes,
        (long long)t->ranks, whole ? "true" : "false", (long long)t->wall_ns);
    put(w, "\"rounded\":%lld,\"lost_calls\":%lld,\"lost_ns\":%lld,\"calls\":[", (long long)t->rounded, (long long)t->lost_calls,
        (long long)t->lost_ns);
    const char *before = "\n";
    for (int i = 0; i < CELLS; i++)
        if (t->cells[i].calls > 0) {
            put_cell(w, &t->cells[i], before);
            before = ",\n";
        }
    put(w, "\n]}\n");
}

/* Whole or not there. A second job of one command gets a name of its own: FILE.2. */
static void store(const table *t, const char *name, int whole)
{
    static writer w;
    char made[PATH_MAX], taken[PATH_MAX];
    snprintf(made, sizeof made, "%s.%d.new", name, (int)getpid());
    w = (writer){.fd = open(made, O_WRONLY | O_CREAT | O_TRUNC, 0666)};
    if (w.fd < 0)
        return;
    put_table(&w, t, whole);
    flush(&w);
    w.failed |= close(w.fd) != 0;
    if (!whole && !w.failed) {
        w.failed = rename(made, name) != 0;
    } else if (!w.failed) {
        snprintf(taken, sizeof taken, "%s", name);
        int i = 2, err;
        while ((err = link(made, taken)) != 0 && errno == EEXIST && i < 1000)
            snprintf(taken, sizeof taken, "%s.%d", name, i++);
        if (err != 0) /* a file system without links */
            rename(made, taken);
    }
    if (whole || w.failed)
        unlink(made);
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
    for (cell *k = t->cells; k < t->cells + CELLS; k++) {
        if (k->calls == 0)
            continue;
        k->sum = (int64_t)((double)k->sum * each);
        k->least = (int64_t)((double)k->least * each);
        k->ranks = 1;
        k->least_sum = k->most_sum = k->sum;
    }
}

static void merge(table *into, const table *from)
{
    for (const cell *k = from->cells; k < from->cells + CELLS; k++) {
        if (k->calls == 0)
            continue;
        cell *to = place(into, k->what, k->bytes);
        if (to == NULL) {
            into->lost_calls += k->calls;
            into->lost_ns += k->sum;
            continue;
        }
        to->calls += k->calls, to->in_place += k->in_place, to->other_root += k->other_root;
        to->sum += k->sum, to->sampled += k->sampled, to->faults += k->faults, to->faulting += k->faulting, to->ranks += k->ranks;
        to->least = k->least < to->least ? k->least : to->least;
        to->least_sum = k->least_sum < to->least_sum ? k->least_sum : to->least_sum;
        to->most_sum = k->most_sum > to->most_sum ? k->most_sum : to->most_sum;
    }
    into->lost_calls += from->lost_calls, into->lost_ns += from->lost_ns, into->rounded += from->rounded;
    into->ranks += from->ranks;
    into->wall_ns = from->wall_ns > into->wall_ns ? from->wall_ns : into->wall_ns;
}

/* All tables go up a binomial tree to rank 0. Every rank comes here, in MPI_Finalize. */
static void gather(table *sum)
{
    enum { TAG = 7 };
    MPI_Comm own;
    table *other = malloc(sizeof *other);
    if (other == NULL || PMPI_Comm_dup(MPI_COMM_WORLD, &own) != MPI_SUCCESS)
        PMPI_Abort(MPI_COMM_WORLD, 1); /* others wait for this rank */
    for (int step = 1; step < processes; step *= 2) {
        if (rank & step) {
            PMPI_Send(sum, sizeof *sum, MPI_BYTE, rank - step, TAG, own);
            break;
        }
        if (rank + step < processes) {
            PMPI_Recv(other, sizeof *other, MPI_BYTE, rank + step, TAG, own, MPI_STATUS_IGNORE);
            merge(sum, other);
        }
    }
    PMPI_Comm_free(&own);
    free(other);
}

static void part_name(char *name, size_t n) { snprintf(name, n, "%s.rank%d", path, rank); }

void profile_part(void)
{
    static table copy;
    char name[PATH_MAX];
    if (!profiling || finished || process == 0 || process != getpid())
        return;
    copy = mine;
    settle(&copy);
    part_name(name, sizeof name);
    store(&copy, name, 0);
    parts = 1;
}

void profile_finish(void)
{
    char name[PATH_MAX];
    if (!profiling)
        return;
    if (process == 0)
        start();
    finished = 1;
    settle(&mine);
    gather(&mine);
    if (rank == 0)
        store(&mine, path, 1);
    if (parts) {
        part_name(name, sizeof name);
        unlink(name);
    }
}

static void on_signal(int number)
{
    int before = errno;
    profile_part();
    if (number != SIGUSR2 && number != SIGCONT) {
        nanosleep(&(struct timespec){.tv_sec = LAST_SECONDS}, NULL);
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
    struct sigaction old, ours = {.sa_handler = on_signal, .sa_flags = SA_RESTART};
    process = getpid();
    PMPI_Comm_rank(MPI_COMM_WORLD, &rank);
    PMPI_Comm_size(MPI_COMM_WORLD, &processes);
    last_part_ns = now_ns();
    sigfillset(&ours.sa_mask); /* one part is written at a time */
    for (int i = 0; i < 4; i++)
        if (sigaction(numbers[i], NULL, &old) == 0 && old.sa_handler == SIG_DFL)
            sigaction(numbers[i], &ours, NULL);
}

__attribute__((constructor)) static void loaded(void)
{
    path = getenv("PGMPI_PROFILE");
    profiling = path != NULL && *path != '\0';
    find_counter();
    first_ns = now_ns();
    first_count = count_now();
}

__attribute__((destructor)) static void unloaded(void) { profile_part(); }
