/* Calls that go through a mock-up of mockups/c in place of the library.
 *
 * A rule names the collective, the processes, the first and last size in bytes of one
 * block, the mock-up, and for reductions the datatypes:
 *
 *     MPI_Scan 2 32769 65536 scan_as_exscan+reduce_local all
 *
 * all: predefined datatypes with MPI's operators; exact: only those for which the order
 * of the operations does not change a bit; -: not a reduction.
 *
 * What decides is the same on all ranks by the standard: the size of the communicator,
 * the bytes of arguments that count there, of reductions also datatype and operator.
 * Where memory is needed, the ranks agree on it once for each communicator, and it ends
 * with the communicator. All else goes to the library. */
#define _GNU_SOURCE
#include "preload.h"

#include "../../mockups/c/mockups.h"

#include <limits.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_RULES = 256, EXACT = 1 };

typedef struct {
    function f;
    int processes, exact;
    int64_t from, to;
    const pg_function *row;
    atomic_long hits;
} rule;

int ruled[FUNCTIONS];
static rule rules[MOST_RULES];
static int n_rules;
static int memory_key = MPI_KEYVAL_INVALID;

/* Memory of a communicator: what the row works on, and copies of both buffers. */
typedef struct {
    pg_ctx x;
    int agreed; /* every rank has its memory */
    int64_t room;
    char *arena, *send, *recv;
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
static int is_on_nodes(const char *id)
{
    size_t length = strlen(id);
    return length > 8 && (strcmp(id + length - 8, "_as_lane") == 0 || strcmp(id + length - 8, "_as_hier") == 0);
}

static const function replaceable[] = {ALLGATHER, ALLREDUCE, ALLTOALL, BCAST, EXSCAN, GATHER, REDUCE, REDUCE_SCATTER_BLOCK, SCAN, SCATTER};

/* Never silently something else than what was asked for. */
static void refuse(const char *file, int line, const char *what)
{
    fprintf(stderr, "pgmpi: %s:%d: %s\n", file, line, what);
    PMPI_Abort(MPI_COMM_WORLD, 2);
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
    size_t length = strlen(name) - 4;
    int reduces = r->f == ALLREDUCE || r->f == EXSCAN || r->f == REDUCE || r->f == REDUCE_SCATTER_BLOCK || r->f == SCAN;
    return found && r->row != NULL && !is_on_nodes(id) && strncasecmp(id, name + 4, length) == 0 && strncmp(id + length, "_as_", 4) == 0 &&
           r->processes >= 2 && from >= 0 && to >= from && to <= INT_MAX / r->processes &&
           (reduces ? r->exact || strcmp(types, "all") == 0 : strcmp(types, "-") == 0);
}

static uint64_t read_rules(const char *file, FILE *f)
{
    char text[512];
    uint64_t sum = 14695981039346656037u;
    for (int line = 1; fgets(text, sizeof text, f) != NULL; line++) {
        for (const char *c = text; *c != '\0'; c++)
            sum = (sum ^ (unsigned char)*c) * 1099511628211u;
        text[strcspn(text, "#\n")] = '\0';
        if (text[strspn(text, " \t")] == '\0')
            continue;
        if (n_rules == MOST_RULES || !read_rule(text, &rules[n_rules]))
            refuse(file, line, "not a rule: MPI_Name PROCESSES FROM TO mock-up all|exact|-");
        n_rules++;
    }
    return sum;
}

static int drop(MPI_Comm comm, int key, void *value, void *extra)
{
    (void)comm, (void)key, (void)extra;
    memory *m = value;
    free(m->arena), free(m->send), free(m->recv), free(m->x.counts), free(m->x.displs), free(m);
    return MPI_SUCCESS;
}

/* Every rank comes here, in MPI_Init. */
void apply_start(void)
{
    const char *file = getenv("PGMPI_APPLY");
    if (file == NULL || *file == '\0' || n_rules > 0)
        return;
    FILE *f = fopen(file, "r");
    if (f == NULL)
        refuse(file, 0, "cannot be read");
    uint64_t sum = read_rules(file, f), both[2] = {sum, ~sum}, least[2];
    fclose(f);
    PMPI_Allreduce(both, least, 2, MPI_UINT64_T, MPI_MIN, MPI_COMM_WORLD);
    if (least[0] != ~least[1])
        refuse(file, 0, "is not the same file on all ranks");
    if (PMPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, drop, &memory_key, NULL) != MPI_SUCCESS)
        return;
    for (int i = 0; i < n_rules; i++)
        ruled[rules[i].f] = 1;
}

/* How many calls of all ranks went through each rule: "HITS" and the rule. */
void apply_finish(void)
{
    const char *file = getenv("PGMPI_APPLIED");
    long hits[MOST_RULES], sum[MOST_RULES];
    int rank;
    if (n_rules == 0 || file == NULL)
        return;
    for (int i = 0; i < n_rules; i++)
        hits[i] = rules[i].hits;
    PMPI_Reduce(hits, sum, n_rules, MPI_LONG, MPI_SUM, 0, MPI_COMM_WORLD);
    PMPI_Comm_rank(MPI_COMM_WORLD, &rank);
    FILE *f = rank == 0 ? fopen(file, "a") : NULL;
    for (int i = 0; i < n_rules && f != NULL; i++)
        fprintf(f, "%ld %s %d %lld %lld %s\n", sum[i], function_names[rules[i].f], rules[i].processes, (long long)rules[i].from,
                (long long)rules[i].to, rules[i].row->id);
    if (f != NULL)
        fclose(f);
}

static rule *wanted(const call *c)
{
    int p = size_of(c->comm), inter;
    for (rule *r = rules; r < rules + n_rules; r++) {
        if (r->f != c->f || r->processes != p || c->bytes < r->from || c->bytes > r->to || c->bytes == 0)
            continue;
        PMPI_Comm_test_inter(c->comm, &inter);
        return inter ? NULL : r;
    }
    return NULL;
}

/* The operators that MPI defines for a class, without those whose result has a place in it. */
static int may_reduce(MPI_Datatype type, MPI_Op op, int exact)
{
    type_class class = type_at(type_of(type))->class;
    int sums = op == MPI_SUM || op == MPI_PROD, orders = op == MPI_MAX || op == MPI_MIN;
    int bits = op == MPI_BAND || op == MPI_BOR || op == MPI_BXOR, truths = op == MPI_LAND || op == MPI_LOR || op == MPI_LXOR;
    switch (class) {
    case INTEGERS:
        return sums || orders || bits || truths;
    case FLOATS:
        return orders || (sums && !exact);
    case COMPLEXES:
        return sums && !exact;
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

/* Takes the memory of a communicator and asks the others whether they have theirs. */
static memory *take(MPI_Comm comm, int p)
{
    memory *m = calloc(1, sizeof *m);
    if (m == NULL)
        PMPI_Abort(comm, 1); /* some hundred bytes */
    m->room = longest(p);
    int64_t arena = 2 * m->room + 4 * (PG_ALIGN + PG_GUARD_BYTES); /* no row has more than two temporaries */
    m->x = (pg_ctx){.comm = comm, .size = p, .arena_bytes = (arena + PG_ALIGN - 1) / PG_ALIGN * PG_ALIGN};
    PMPI_Comm_rank(comm, &m->x.rank);
    m->x.counts = malloc((size_t)p * sizeof(int)), m->x.displs = malloc((size_t)p * sizeof(int));
    m->arena = aligned_alloc(PG_ALIGN, (size_t)m->x.arena_bytes);
    m->send = malloc((size_t)m->room), m->recv = malloc((size_t)m->room);
    m->x.arena = m->arena;
    int have = m->x.counts != NULL && m->x.displs != NULL && m->arena != NULL && m->send != NULL && m->recv != NULL;
    have &= PMPI_Comm_set_attr(comm, memory_key, m) == MPI_SUCCESS;
    PMPI_Allreduce(&have, &m->agreed, 1, MPI_INT, MPI_MIN, comm);
    return m;
}

/* NULL: all ranks go to the library. */
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

/* Whether the row can do it, which rests on counts and processes alone. */
static int run(rule *r, memory *m, int64_t count, MPI_Datatype type, int64_t extent, MPI_Op op, int root, int *rc)
{
    pg_ctx *x = &m->x;
    x->count = count, x->type = type, x->extent = extent, x->op = op, x->root = root;
    x->arena_used = 0, x->temp_elements = INT64_MAX;
    if (r->row->prepare(x) != MPI_SUCCESS) {
        pg_release(x);
        return 0;
    }
    atomic_fetch_add_explicit(&r->hits, 1, memory_order_relaxed);
    *rc = r->row->run(x);
    r->row->release(x);
    return 1;
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
    m->x.send = (void *)send, m->x.recv = recv;
    return run(r, m, count, c->type, c->bytes / count, c->op, c->root, rc);
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

/* What moves data moves bytes: a rank whose datatype has holes packs and unpacks, and
 * the others need not know. */
int apply_movement(const call *c, const void *send, int n, MPI_Datatype type, void *recv, int rn, MPI_Datatype rtype, int *rc)
{
    rule *r = wanted(c);
    memory *m = r != NULL ? memory_of(c->comm, r->processes) : NULL;
    if (m == NULL)
        return 0;
    int p = r->processes, at = 0, at_root = m->x.rank == c->root;
    int64_t from = blocks_of(c->f, 1, at_root, p) * c->bytes, to = blocks_of(c->f, 0, at_root, p) * c->bytes;
    int sparse_to = to > 0 && recv != MPI_IN_PLACE && !is_dense(rtype);
    int64_t blocks = c->bytes > 0 ? to / c->bytes : 0;
    m->x.send = (void *)send, m->x.recv = recv;
    if (sparse_to && (c->f == BCAST ? at_root : send == MPI_IN_PLACE)) /* what is sent lies there */
        PMPI_Pack(recv, (int)(blocks * rn), rtype, m->recv, (int)to, &at, c->comm);
    if (sparse_to || recv == MPI_IN_PLACE)
        m->x.recv = m->recv;
    if (send == MPI_IN_PLACE) {
        int64_t own = c->f == ALLGATHER || c->f == GATHER ? m->x.rank * c->bytes : 0;
        memcpy(m->send, (char *)m->x.recv + own, (size_t)from);
        m->x.send = m->send;
    } else if (from > 0 && !is_dense(type)) {
        at = 0;
        PMPI_Pack(send, (int)(from / c->bytes * n), type, m->send, (int)from, &at, c->comm);
        m->x.send = m->send;
    }
    if (!run(r, m, c->bytes, MPI_BYTE, 1, MPI_OP_NULL, c->root, rc))
        return 0;
    at = 0;
    if (sparse_to && *rc == MPI_SUCCESS && !(c->f == BCAST && at_root))
        PMPI_Unpack(m->recv, (int)to, &at, recv, (int)(blocks * rn), rtype, c->comm);
    return 1;
}
