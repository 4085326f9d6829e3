/* Calls that go through a mock-up of mockups/c instead of the library.
 *
 * A rule names the collective, the processes, the first and last size in bytes of one
 * block, the mock-up, and for reductions the datatypes:
 *
 *     MPI_Scan 2 32769 65536 scan_as_exscan+reduce_local all
 *
 * all: predefined datatypes with MPI's operators; exact: only those for which neither the
 * order of the operations nor how they are cut into vectors changes a bit; -: not a reduction.
 *
 * What decides is the same on all ranks by the standard: the size of the communicator,
 * the bytes of arguments that count there, of reductions also datatype and operator.
 * Where memory is needed, the ranks agree on it once for each communicator, and it ends
 * with the communicator. So does a communicator of our own, on which all mock-ups run: they
 * meet no message of the program's. All else goes to the library. */
#define _GNU_SOURCE
#include "preload.h"

#include "../../mockups/c/mockups.h"

#include <limits.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum { MOST_RULES = 256, EXACT_BYTES = 4, RINGS = 2 };

typedef struct {
    function f;
    int processes, exact, ring;
    int64_t from, to;
    const pg_function *row;
    atomic_long hits;
} rule;

int ruled[FUNCTIONS];
static rule rules[MOST_RULES];
static int n_rules;
static uint64_t rules_sum;
static int memory_key = MPI_KEYVAL_INVALID, same_key = MPI_KEYVAL_INVALID;
static int late; /* MPI_Init was not seen: what it asks all ranks is asked on each communicator */
static atomic_int waiting; /* there are rules to be read */
static atomic_flag starting = ATOMIC_FLAG_INIT;
static int finished;

/* Memory of a communicator: what the row works on, and copies of both buffers. */
typedef struct {
    pg_ctx x;
    int agreed; /* every rank has its memory */
    int64_t room;
    char *arena, *send, *recv;
    MPI_Comm rings[RINGS];
} memory;

static const pg_function *row_of(const char *id)
{
    int n;
    const pg_function *table = pg_table(&n);
    for (int i = 0; i < n; i++)
        if (strcmp(table[i].id, id) == 0)
            return &table[i];
    return NULL;
}

/* Rows that divide their work among nodes need communicators of their own. */
static int has_parts(const char *id)
{
    size_t length = strlen(id);
    return length > 8 && (strcmp(id + length - 8, "_as_lane") == 0 || strcmp(id + length - 8, "_as_hier") == 0);
}

/* The communicator that a row makes its call on, of all but one or of a power of two; -1 where it is the whole. */
static int ring_of(const char *id) { return strstr(id, "_as_fewer@") == NULL ? -1 : strstr(id, "@power_of_two") != NULL; }

static const function replaceable[] = {ALLGATHER, ALLREDUCE, ALLTOALL, BCAST, EXSCAN, GATHER, REDUCE, REDUCE_SCATTER_BLOCK, SCAN, SCATTER};

/* Refuses to do silently something else than what was asked for. Line 0 stands for the whole file. */
static void refuse(MPI_Comm comm, const char *file, int line, const char *what)
{
    if (line > 0)
        fprintf(stderr, "pgmpi: %s:%d: %s\n", file, line, what);
    else
        fprintf(stderr, "pgmpi: PGMPI_APPLY=%s: %s\n", file, what);
    PMPI_Abort(comm, 2);
    exit(2);
}

static int read_rule(const char *text, rule *r)
{
    char name[64], id[96], types[16], rest[2];
    long long from, to;
    if (sscanf(text, "%63s %d %lld %lld %95s %15s %1s", name, &r->processes, &from, &to, id, types, rest) != 6)
        return 0;
    int found = 0;
    for (size_t i = 0; i < sizeof replaceable / sizeof *replaceable; i++)
        if (strcmp(function_names[replaceable[i]], name) == 0)
            found = 1, r->f = replaceable[i];
    r->from = from, r->to = to, r->row = row_of(id), r->exact = strcmp(types, "exact") == 0;
    r->ring = ring_of(id);
    size_t length = strlen(name) - 4;
    int reduces = r->f == ALLREDUCE || r->f == EXSCAN || r->f == REDUCE || r->f == REDUCE_SCATTER_BLOCK || r->f == SCAN;
    return found && r->row != NULL && !has_parts(id) && strncasecmp(id, name + 4, length) == 0 && strncmp(id + length, "_as_", 4) == 0 &&
           r->processes >= 2 && from >= 0 && to >= from && to <= INT_MAX / r->processes &&
           (reduces ? r->exact || strcmp(types, "all") == 0 : strcmp(types, "-") == 0);
}

/* Anything else than a regular file may have no end, or never begin. */
static FILE *opened(MPI_Comm comm, const char *file)
{
    struct stat is;
    if (stat(file, &is) == 0 && !S_ISREG(is.st_mode))
        refuse(comm, file, 0, "is no regular file; it must name the mockups.txt of a setting of `pgmpi apply`");
    FILE *f = fopen(file, "r");
    if (f == NULL)
        refuse(comm, file, 0, "cannot be read");
    return f;
}

static void read_rules(MPI_Comm comm)
{
    const char *file = getenv("PGMPI_APPLY");
    char text[512];
    if (file == NULL) /* the program has taken it away since */
        return;
    FILE *f = opened(comm, file);
    rules_sum = 14695981039346656037u;
    for (int line = 1; fgets(text, sizeof text, f) != NULL; line++) {
        for (const char *c = text; *c != '\0'; c++)
            rules_sum = (rules_sum ^ (unsigned char)*c) * 1099511628211u;
        text[strcspn(text, "#\n")] = '\0';
        if (text[strspn(text, " \t")] == '\0')
            continue;
        if (n_rules == MOST_RULES || !read_rule(text, &rules[n_rules]))
            refuse(comm, file, line, "not a rule: MPI_Name PROCESSES FROM TO mock-up all|exact|-");
        n_rules++;
    }
    if (ferror(f))
        refuse(comm, file, 0, "cannot be read to its end");
    fclose(f);
}

/* Of two ranks with different rules one would wait for the other. */
static int agree(MPI_Comm comm)
{
    uint64_t both[2] = {rules_sum, ~rules_sum}, least[2];
    if (PMPI_Allreduce(both, least, 2, MPI_UINT64_T, MPI_MIN, comm) != MPI_SUCCESS)
        return 0;
    if (least[0] != ~least[1])
        refuse(comm, getenv("PGMPI_APPLY"), 0, "is not the same file on all ranks");
    return 1;
}

static int drop(MPI_Comm comm, int key, void *value, void *extra)
{
    (void)comm, (void)key, (void)extra;
    memory *m = value;
    int rc = MPI_SUCCESS;
    for (int i = 0; i < RINGS && !finished; i++)
        if (m->rings[i] != MPI_COMM_NULL && m->rings[i] != m->x.comm)
            PMPI_Comm_free(&m->rings[i]);
    if (m->x.comm != MPI_COMM_NULL && !finished)
        rc = PMPI_Comm_free(&m->x.comm);
    free(m->arena), free(m->send), free(m->recv), free(m->x.counts), free(m->x.displs), free(m);
    return rc;
}

static int make_keys(void)
{
    return PMPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, drop, &memory_key, NULL) == MPI_SUCCESS &&
           PMPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, MPI_COMM_NULL_DELETE_FN, &same_key, NULL) == MPI_SUCCESS;
}

/* Every rank comes here, in MPI_Init. */
void apply_start(void)
{
    if (!waiting)
        return;
    read_rules(MPI_COMM_WORLD);
    memset(ruled, 0, sizeof ruled);
    waiting = 0;
    if (!agree(MPI_COMM_WORLD) || !make_keys())
        return;
    for (int i = 0; i < n_rules; i++)
        ruled[rules[i].f] = 1;
}

/* At the first call that is seen, of any thread. All that may be replaced is looked at from then on: ranks with
 * different rules must meet to see it. */
static void start_late(MPI_Comm comm)
{
    while (atomic_flag_test_and_set(&starting))
        ;
    if (waiting) {
        read_rules(comm);
        late = 1;
        if (!make_keys())
            n_rules = 0;
        waiting = 0;
    }
    atomic_flag_clear(&starting);
}

static int is_agreed(MPI_Comm comm)
{
    void *agreed;
    int there;
    if (PMPI_Comm_get_attr(comm, same_key, &agreed, &there) != MPI_SUCCESS)
        return 0;
    return there || (agree(comm) && PMPI_Comm_set_attr(comm, same_key, &late) == MPI_SUCCESS);
}

__attribute__((constructor)) static void planned(void)
{
    const char *file = getenv("PGMPI_APPLY");
    waiting = file != NULL && *file != '\0';
    for (size_t i = 0; waiting && i < sizeof replaceable / sizeof *replaceable; i++)
        ruled[replaceable[i]] = 1;
}

/* Writes how many calls of all ranks went through each rule: "HITS" and the rule. */
void apply_finish(void)
{
    const char *file = getenv("PGMPI_APPLIED");
    long hits[MOST_RULES], sum[MOST_RULES];
    int rank, there;
    void *m;
    if (n_rules > 0 && PMPI_Comm_get_attr(MPI_COMM_WORLD, memory_key, &m, &there) == MPI_SUCCESS && there)
        PMPI_Comm_delete_attr(MPI_COMM_WORLD, memory_key);
    finished = 1;
    if (n_rules == 0 || file == NULL)
        return;
    for (int i = 0; i < n_rules; i++)
        hits[i] = rules[i].hits;
    if (PMPI_Reduce(hits, sum, n_rules, MPI_LONG, MPI_SUM, 0, MPI_COMM_WORLD) != MPI_SUCCESS ||
        PMPI_Comm_rank(MPI_COMM_WORLD, &rank) != MPI_SUCCESS)
        return;
    FILE *f = rank == 0 ? fopen(file, "a") : NULL;
    for (int i = 0; i < n_rules && f != NULL; i++)
        fprintf(f, "%ld %s %d %lld %lld %s\n", sum[i], function_names[rules[i].f], rules[i].processes, (long long)rules[i].from,
                (long long)rules[i].to, rules[i].row->id);
    if (f != NULL)
        fclose(f);
}

static rule *wanted(const call *c)
{
    int p, inter;
    if (waiting)
        start_late(c->comm);
    if (late && (PMPI_Comm_test_inter(c->comm, &inter) != MPI_SUCCESS || inter || !is_agreed(c->comm)))
        return NULL;
    p = size_of(c->comm);
    for (rule *r = rules; r < rules + n_rules; r++) {
        if (r->f != c->f || r->processes != p || c->bytes < r->from || c->bytes > r->to || c->bytes == 0)
            continue;
        return PMPI_Comm_test_inter(c->comm, &inter) != MPI_SUCCESS || inter ? NULL : r;
    }
    return NULL;
}

/* Whether the bits are the same in any order. For floating-point numbers MAX and MIN of ±0 and NaN
 * are not, and integers below 32 bits overflow in Open MPI's vectors otherwise than after them. */
static int is_exact(MPI_Datatype type, type_class class)
{
    int size;
    return class != FLOATS && class != COMPLEXES && size_of_type(type, &size) == MPI_SUCCESS && size >= EXACT_BYTES;
}

/* The operators that MPI defines for a class, without those whose result has a place in it. */
static int may_reduce(MPI_Datatype type, MPI_Op op, int exact)
{
    type_class class = type_at(type_of(type))->class;
    int sums = op == MPI_SUM || op == MPI_PROD, orders = op == MPI_MAX || op == MPI_MIN;
    int bits = op == MPI_BAND || op == MPI_BOR || op == MPI_BXOR, truths = op == MPI_LAND || op == MPI_LOR || op == MPI_LXOR;
    if (exact && !is_exact(type, class))
        return 0;
    switch (class) {
    case INTEGERS:
        return sums || orders || bits || truths;
    case FLOATS:
        return orders || sums;
    case COMPLEXES:
        return sums;
    case LOGICALS:
        return truths;
    case BYTES:
        return bits && type == MPI_BYTE;
    default:
        return 0;
    }
}

/* ---- memory ---- */

/* The longest call that a rule sends to a communicator of p processes, all blocks. */
static int64_t longest(int p)
{
    int64_t most = 0;
    for (const rule *r = rules; r < rules + n_rules; r++)
        if (r->processes == p && r->to > most)
            most = r->to;
    enum { PADDING = 64 }; /* a block rounded up to a multiple of the processes, whatever its elements */
    return (most + PADDING) * p;
}

/* Makes what the rows of p processes call on, by preparing each without data. */
static int make_rings(memory *m, int p)
{
    int rc = MPI_SUCCESS;
    for (const rule *r = rules; r < rules + n_rules && rc == MPI_SUCCESS; r++) {
        if (r->processes != p || r->ring < 0)
            continue;
        pg_ctx *x = &m->x;
        x->count = 0, x->type = MPI_INT, x->extent = sizeof(int), x->op = MPI_SUM, x->root = 0, x->ring = m->rings[r->ring];
        rc = r->row->prepare(x);
        m->rings[r->ring] = x->ring;
        pg_release(x);
    }
    return rc == MPI_SUCCESS;
}

static int all_have(MPI_Comm comm, int have)
{
    int all = 0;
    return PMPI_Allreduce(&have, &all, 1, MPI_INT, MPI_MIN, comm) == MPI_SUCCESS && all;
}

/* Takes the memory of a communicator, and a communicator for it, and asks the others whether they have theirs. */
static memory *take(MPI_Comm comm, int p)
{
    memory *m = calloc(1, sizeof *m);
    if (m == NULL || PMPI_Comm_set_attr(comm, memory_key, m) != MPI_SUCCESS)
        PMPI_Abort(comm, 1); /* some hundred bytes */
    for (int i = 0; i < RINGS; i++)
        m->rings[i] = MPI_COMM_NULL;
    m->room = longest(p);
    int64_t arena = 2 * m->room + 4 * (PG_ALIGN + PG_GUARD_BYTES); /* no row has more than two temporaries */
    m->x = (pg_ctx){.comm = own_comm(comm), .size = p, .arena_bytes = (arena + PG_ALIGN - 1) / PG_ALIGN * PG_ALIGN};
    m->x.counts = malloc((size_t)p * sizeof(int)), m->x.displs = malloc((size_t)p * sizeof(int));
    m->arena = aligned_alloc(PG_ALIGN, (size_t)m->x.arena_bytes);
    m->send = malloc((size_t)m->room), m->recv = malloc((size_t)m->room);
    m->x.arena = m->arena;
    int have = m->x.counts != NULL && m->x.displs != NULL && m->arena != NULL && m->send != NULL && m->recv != NULL;
    have &= m->x.comm != MPI_COMM_NULL && PMPI_Comm_rank(m->x.comm, &m->x.rank) == MPI_SUCCESS;
    m->agreed = all_have(comm, have);
    int parts = 0;
    for (const rule *r = rules; r < rules + n_rules; r++)
        parts |= r->processes == p && r->ring >= 0;
    if (m->agreed && parts)
        m->agreed = all_have(comm, make_rings(m, p));
    return m;
}

/* Returns NULL if all ranks go to the library. */
static memory *memory_of(MPI_Comm comm, int p)
{
    memory *m;
    int there;
    if (PMPI_Comm_get_attr(comm, memory_key, &m, &there) != MPI_SUCCESS)
        return NULL;
    if (!there)
        m = take(comm, p);
    return m->agreed ? m : NULL;
}

/* Returns 0 if the row cannot do it. That rests on counts and processes alone, so that all ranks go
 * to the library. */
static int run(rule *r, memory *m, int64_t count, MPI_Datatype type, int64_t extent, MPI_Op op, int root, int *rc)
{
    pg_ctx *x = &m->x;
    x->count = count, x->type = type, x->extent = extent, x->op = op, x->root = root;
    x->arena_used = 0, x->temp_elements = INT64_MAX;
    if (r->ring >= 0)
        x->ring = m->rings[r->ring];
    *rc = r->row->prepare(x);
    if (*rc != MPI_SUCCESS) {
        pg_release(x);
        return *rc != MPI_ERR_NO_MEM && *rc != MPI_ERR_COUNT;
    }
    atomic_fetch_add_explicit(&r->hits, 1, memory_order_relaxed);
    *rc = r->row->run(x);
    r->row->release(x);
    return 1;
}

/* The program hears of an error on our communicator by its own error handler, once. */
static int told(MPI_Comm comm, int rc)
{
    if (rc != MPI_SUCCESS)
        PMPI_Comm_call_errhandler(comm, rc);
    return rc;
}

/* ---- the calls ---- */

int apply_reduction(const call *c, const void *send, void *recv, int count, int *rc)
{
    rule *r = wanted(c);
    if (r == NULL || !may_reduce(c->type, c->op, r->exact))
        return 0;
    memory *m = memory_of(c->comm, r->processes);
    if (m == NULL)
        return 0;
    int64_t all = c->f == REDUCE_SCATTER_BLOCK ? c->bytes * r->processes : c->bytes;
    if (send == MPI_IN_PLACE) { /* rows read the one buffer while they write the other */
        memcpy(m->send, recv, (size_t)all);
        send = m->send;
    }
    int counts_not = c->f == EXSCAN ? m->x.rank == 0 : c->f == REDUCE && m->x.rank != c->root;
    m->x.send = (void *)send, m->x.recv = counts_not ? m->recv : recv;
    if (!run(r, m, count, c->type, c->bytes / count, c->op, c->root, rc))
        return 0;
    told(c->comm, *rc);
    return 1;
}

/* Whether the bytes lie side by side in the order in which they are sent: a derived datatype may
 * have another order without a hole, and MPI_DOUBLE_INT has a hole. */
static int is_dense(MPI_Datatype type)
{
    switch (type_at(type_of(type))->class) {
    case INTEGERS:
    case FLOATS:
    case COMPLEXES:
    case LOGICALS:
    case BYTES:
        return 1;
    default:
        return type == MPI_2INT;
    }
}

/* The blocks of a buffer, all of them at the ranks where they count. */
static int64_t blocks_of(function f, int sends, int at_root, int p)
{
    switch (f) {
    case ALLGATHER:
        return sends ? 1 : p;
    case ALLTOALL:
        return p;
    case BCAST:
        return sends ? 0 : 1;
    case GATHER:
        return sends ? 1 : at_root ? p : 0;
    case SCATTER:
        return !sends ? 1 : at_root ? p : 0;
    default:
        return 0;
    }
}

/* MPI_BOTTOM is NULL, which MPI_Pack of MPICH refuses: the same elements from their first byte on.
 * *made is to be freed. */
static int anchor(const void **at, int *n, MPI_Datatype *type, MPI_Datatype *made)
{
    MPI_Aint low, extent;
    *made = MPI_DATATYPE_NULL;
    if (*at != MPI_BOTTOM)
        return MPI_SUCCESS;
    int rc = PMPI_Type_get_true_extent(*type, &low, &extent);
    MPI_Aint back = -low;
    if (rc == MPI_SUCCESS)
        rc = PMPI_Type_create_hindexed(1, n, &back, *type, made);
    if (rc == MPI_SUCCESS)
        rc = PMPI_Type_commit(made);
    *at = (const char *)*at + low, *n = 1, *type = *made;
    return rc;
}

/* Packs n elements to `bytes` bytes, or unpacks them from there. */
static int repack(const memory *m, int unpacks, const void *at, int64_t elements, MPI_Datatype type, char *bytes, int64_t size)
{
    int place = 0, n = (int)elements;
    MPI_Datatype made;
    int rc = anchor(&at, &n, &type, &made);
    if (rc == MPI_SUCCESS)
        rc = unpacks ? PMPI_Unpack(bytes, (int)size, &place, (void *)at, n, type, m->x.comm)
                     : PMPI_Pack(at, n, type, bytes, (int)size, &place, m->x.comm);
    int freed = made == MPI_DATATYPE_NULL ? MPI_SUCCESS : PMPI_Type_free(&made);
    return rc == MPI_SUCCESS ? freed : rc;
}

/* What moves data moves bytes: a rank whose datatype has holes packs and unpacks, and
 * the others need not know. Where nothing is packed the call is made all the same: the others are in it. */
int apply_movement(const call *c, const void *send, int n, MPI_Datatype type, void *recv, int rn, MPI_Datatype rtype, int *rc)
{
    rule *r = wanted(c);
    memory *m = r != NULL ? memory_of(c->comm, r->processes) : NULL;
    if (m == NULL)
        return 0;
    int p = r->processes, at_root = m->x.rank == c->root, err = MPI_SUCCESS;
    int64_t from = blocks_of(c->f, 1, at_root, p) * c->bytes, to = blocks_of(c->f, 0, at_root, p) * c->bytes;
    int sparse_to = to > 0 && recv != MPI_IN_PLACE && !is_dense(rtype);
    int64_t blocks = to / c->bytes;
    m->x.send = from > 0 ? (void *)send : m->send;
    m->x.recv = to > 0 && recv != MPI_IN_PLACE && !sparse_to ? recv : m->recv;
    if (sparse_to && (c->f == BCAST ? at_root : send == MPI_IN_PLACE)) /* what is sent lies there */
        err = repack(m, 0, recv, blocks * rn, rtype, m->recv, to);
    if (send == MPI_IN_PLACE) {
        int64_t own = c->f == ALLGATHER || c->f == GATHER ? m->x.rank * c->bytes : 0;
        memcpy(m->send, (char *)m->x.recv + own, (size_t)from);
        m->x.send = m->send;
    } else if (from > 0 && !is_dense(type)) {
        err = repack(m, 0, send, from / c->bytes * n, type, m->send, from);
        m->x.send = m->send;
    }
    if (!run(r, m, c->bytes, MPI_BYTE, 1, MPI_OP_NULL, c->root, rc))
        return 0;
    if (sparse_to && err == MPI_SUCCESS && *rc == MPI_SUCCESS && !(c->f == BCAST && at_root))
        err = repack(m, 1, recv, blocks * rn, rtype, m->recv, to);
    *rc = told(c->comm, err != MPI_SUCCESS ? err : *rc);
    return 1;
}
