#include "conformance_call.h"

#include <stdlib.h>

int pg_conformance_comms(const pg_conformance *l) { return l->n_parts; }
const char *pg_conformance_comm(const pg_conformance *l, int i) { return l->parts[i].name; }
int pg_conformance_size(const pg_conformance *l, int i) { return l->parts[i].size; }

/* Ranks that give the same color are together, in the order of their keys. */
static int add(pg_conformance *l, const char *name, int color, int key)
{
    part *p = &l->parts[l->n_parts++];
    p->name = name;
    int rc = MPI_Comm_split(l->world, color, key, &p->comm);
    if (rc == MPI_SUCCESS)
        rc = MPI_Comm_set_errhandler(p->comm, MPI_ERRORS_RETURN);
    if (rc == MPI_SUCCESS)
        rc = MPI_Comm_rank(p->comm, &p->rank);
    if (rc == MPI_SUCCESS)
        rc = MPI_Comm_size(p->comm, &p->size);
    return rc;
}

static int communicators(pg_conformance *l)
{
    int rc = add(l, "the world", 0, l->rank);
    if (rc == MPI_SUCCESS && l->size > 1)
        rc = add(l, "the world in reverse order", 0, -l->rank);
    if (rc == MPI_SUCCESS && l->size > 2) /* of 4, 8, … ranks a number that is no power of two */
        rc = add(l, "all but the last rank, and this alone", l->rank < l->size - 1, l->rank);
    if (rc == MPI_SUCCESS && l->size > 3)
        rc = add(l, "the even and the odd ranks", l->rank % 2, l->rank);
    if (rc == MPI_SUCCESS && l->size > 1)
        rc = add(l, "each rank alone", l->rank, 0);
    return rc;
}

/* Two ints are a function x -> a*x + b; one behind the other, which does not commute. */
static void compose(void *in, void *inout, int *n, MPI_Datatype *of)
{
    (void)of;
    uint32_t *f = in, *g = inout;
    for (int i = 0; i < *n; i++, f += 2, g += 2) {
        g[1] = f[0] * g[1] + f[1];
        g[0] = f[0] * g[0];
    }
}

int pg_conformance_open(MPI_Comm world, long bytes, pg_conformance **out)
{
    pg_conformance *l = *out = calloc(1, sizeof *l);
    if (l == NULL)
        return MPI_ERR_NO_MEM;
    l->world = world;
    MPI_Comm_rank(world, &l->rank);
    MPI_Comm_size(world, &l->size);
    l->room = (int64_t)l->size * (bytes / (long)sizeof(int) + 4);
    size_t all = (size_t)(l->room + BEHIND) * sizeof(int), ints = 2 * (size_t)l->size * sizeof(int);
    l->send = malloc(all);
    l->recv = malloc(all);
    l->counts = malloc(ints);
    l->displs = malloc(ints);
    l->zeros = malloc(ints);
    l->types = malloc((size_t)l->size * sizeof *l->types);
    if (!l->send || !l->recv || !l->counts || !l->displs || !l->zeros || !l->types)
        return MPI_ERR_NO_MEM;
    MPI_Type_contiguous(4, MPI_INT, &l->quad);
    MPI_Type_contiguous(2, MPI_INT, &l->pair);
    MPI_Type_commit(&l->quad);
    MPI_Type_commit(&l->pair);
    MPI_Op_create(compose, 0, &l->compose);
    return communicators(l);
}

void pg_conformance_close(pg_conformance *l)
{
    for (int i = 0; i < l->n_parts; i++)
        MPI_Comm_free(&l->parts[i].comm);
    MPI_Op_free(&l->compose);
    MPI_Type_free(&l->pair);
    MPI_Type_free(&l->quad);
    free(l->send);
    free(l->recv);
    free(l->counts);
    free(l->displs);
    free(l->zeros);
    free(l->types);
    free(l);
}

/* A barrier of our own, by dissemination: the library's may be what a setting breaks. */
static int meet(const pg_conformance *l)
{
    int rc = MPI_SUCCESS;
    for (int d = 1; d < l->size && rc == MPI_SUCCESS; d *= 2)
        rc = MPI_Sendrecv(NULL, 0, MPI_BYTE, (l->rank + d) % l->size, 7, NULL, 0, MPI_BYTE, (l->rank - d + l->size) % l->size, 7,
                          l->world, MPI_STATUS_IGNORE);
    return rc;
}

static int unchanged(call *c, int64_t n)
{
    for (int64_t i = 0; i < n; i++)
        if (c->l->send[i] != value(c->rank, i)) {
            snprintf(c->why, PG_CONFORMANCE_TEXT, "rank %d, int %lld of its send buffer was changed", c->rank, (long long)i);
            return 0;
        }
    return 1;
}

/* A message to the next rank of the communicator, which the call must not meet: sent before it and received after it,
 * or the other way round, by a receive from anybody that is posted before it. None on one process, where MPI_Alltoall
 * and MPI_Alltoallv of MPICH 4.0.2 do meet it, and hang. */
typedef struct message {
    MPI_Request request;
    int is_awaited, tag, sent, got;
} message;

/* Calls by messages would take it themselves. */
static int is_spared(const call *c) { return c->size == 1 || c->how == ORDERED || c->how == CROWDED; }

static int begin_message(const call *c, message *m, int k)
{
    if (is_spared(c))
        return MPI_SUCCESS;
    enum { TAGS = 16 }; /* such as calls by messages may have */
    *m = (message){.is_awaited = k % 2, .tag = k / 2 % TAGS, .sent = value(c->rank, k), .got = POISON};
    if (m->is_awaited)
        return MPI_Irecv(&m->got, 1, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, c->comm, &m->request);
    return MPI_Isend(&m->sent, 1, MPI_INT, (c->rank + 1) % c->size, m->tag, c->comm, &m->request);
}

static int end_message(const call *c, message *m, int k)
{
    int below = (c->rank + c->size - 1) % c->size, rc;
    MPI_Status s;
    if (is_spared(c))
        return MPI_SUCCESS;
    if (m->is_awaited) {
        rc = MPI_Send(&m->sent, 1, MPI_INT, (c->rank + 1) % c->size, m->tag, c->comm);
        rc = rc == MPI_SUCCESS ? MPI_Wait(&m->request, &s) : rc;
    } else {
        rc = MPI_Recv(&m->got, 1, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, c->comm, &s);
        rc = rc == MPI_SUCCESS ? MPI_Wait(&m->request, MPI_STATUS_IGNORE) : rc;
    }
    if (rc == MPI_SUCCESS && (m->got != value(below, k) || s.MPI_SOURCE != below || s.MPI_TAG != m->tag))
        snprintf(c->why, PG_CONFORMANCE_TEXT, "rank %d got %d by a message under way during the call, and %d is right", c->rank, m->got,
                 value(below, k));
    return rc;
}

int pg_conformance_make(pg_conformance *l, int comm, int k, int ints, char *text)
{
    const part *p = &l->parts[comm];
    how h;
    const row *r = pg_conformance_nth(k, &h);
    text[0] = 0;
    call c = {l, p->comm, h, p->rank, p->size, k % 2 ? p->size - 1 : 0, h == EMPTY ? 0 : ints, 0, 0, text};
    c.room = (int64_t)p->size * (c.n + 4);
    for (int64_t i = 0; i < c.room; i++)
        l->send[i] = value(p->rank, i);
    for (int64_t i = 0; i < c.room + BEHIND; i++)
        l->recv[i] = POISON;
    message m;
    int rc = begin_message(&c, &m, k + comm);
    if (rc == MPI_SUCCESS)
        rc = r->make(&c);
    if (rc == MPI_SUCCESS)
        rc = end_message(&c, &m, k + comm);
    if (rc != MPI_SUCCESS)
        return rc;
    if (r->right(&c) && unchanged(&c, c.room))
        untouched(&c, c.written);
    return meet(l);
}
