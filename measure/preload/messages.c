/* Messages by function, power of two of the bytes, and kind of pair. A place is found by these three alone, so that a
 * message costs little more than a call that is counted by its name. */
#define _GNU_SOURCE
#include "preload.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

/* Communicators whose pairs are kept, where a job has several nodes. */
enum { KEPT = 16 };

static struct {
    MPI_Comm comm;
    unsigned char *pairs; /* of its ranks, or NULL */
} kept[KEPT];
static atomic_flag keeping = ATOMIC_FLAG_INIT;
static unsigned char *of_world; /* NULL where all of MPI_COMM_WORLD is on this node, or nothing is known */
static int one_node, strangers; /* processes of other jobs may be in communicators */
static MPI_Group world = MPI_GROUP_NULL, node = MPI_GROUP_NULL;

/* What this thread waits for next: the largest message that it has started to send since it waited last, or else to
 * receive, of which only the room is known. */
static _Thread_local struct {
    int64_t sent, room;
    pair_kind to, from;
    int others, waited; /* what is no message was started, too */
} started __attribute__((tls_model("initial-exec"))) = {.sent = -1, .room = -1};

/* Returns the kind of pair with each process of a group, or NULL. */
static unsigned char *pairs_with(MPI_Group group)
{
    int n;
    PMPI_Group_size(group, &n);
    unsigned char *pairs = malloc((size_t)n + 1);
    int *ranks = malloc(3 * ((size_t)n + 1) * sizeof *ranks), *here = ranks + n, *there = here + n;
    if (pairs == NULL || ranks == NULL) {
        free(pairs), free(ranks);
        return NULL;
    }
    for (int i = 0; i < n; i++)
        ranks[i] = i;
    PMPI_Group_translate_ranks(group, n, ranks, node, here);
    PMPI_Group_translate_ranks(group, n, ranks, world, there);
    for (int i = 0; i < n; i++)
        pairs[i] = here[i] != MPI_UNDEFINED ? ON_NODE : there[i] != MPI_UNDEFINED ? BETWEEN_NODES : SOME_PAIR;
    free(ranks);
    return pairs;
}

/* All ranks call it together, in MPI_Init. */
void messages_start(void)
{
    MPI_Comm shared, parent;
    int p, here;
    if (!profiling ||
        PMPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &shared) != MPI_SUCCESS)
        return;
    strangers = PMPI_Comm_get_parent(&parent) == MPI_SUCCESS && parent != MPI_COMM_NULL;
    PMPI_Comm_size(MPI_COMM_WORLD, &p);
    PMPI_Comm_size(shared, &here);
    PMPI_Comm_group(MPI_COMM_WORLD, &world);
    PMPI_Comm_group(shared, &node);
    PMPI_Comm_free(&shared);
    if (p == here)
        one_node = 1;
    else
        of_world = pairs_with(world);
}

void messages_finish(void)
{
    if (world != MPI_GROUP_NULL)
        PMPI_Group_free(&world);
    if (node != MPI_GROUP_NULL)
        PMPI_Group_free(&node);
    one_node = 0;
    of_world = NULL; /* a call in another thread may read it */
}

/* A communicator that is made after one was freed may have its handle. */
static void forget(void)
{
    while (atomic_flag_test_and_set_explicit(&keeping, memory_order_acquire))
        ;
    for (int i = 0; i < KEPT; i++) {
        free(kept[i].pairs);
        kept[i].pairs = NULL;
    }
    atomic_flag_clear_explicit(&keeping, memory_order_release);
}

static pair_kind kept_pair(MPI_Comm comm, int inter, int peer)
{
    int at = (int)((uint64_t)(uintptr_t)comm * 0x9e3779b97f4a7c15u >> 60);
    pair_kind kind = SOME_PAIR;
    while (atomic_flag_test_and_set_explicit(&keeping, memory_order_acquire))
        ;
    if (kept[at].pairs == NULL || kept[at].comm != comm) {
        MPI_Group group;
        int rc = inter ? PMPI_Comm_remote_group(comm, &group) : PMPI_Comm_group(comm, &group);
        free(kept[at].pairs);
        kept[at].comm = comm;
        kept[at].pairs = rc == MPI_SUCCESS ? pairs_with(group) : NULL;
        if (rc == MPI_SUCCESS)
            PMPI_Group_free(&group);
    }
    if (kept[at].pairs != NULL)
        kind = (pair_kind)kept[at].pairs[peer];
    atomic_flag_clear_explicit(&keeping, memory_order_release);
    return kind;
}

static pair_kind pair_of(MPI_Comm comm, int peer)
{
    int inter = 1;
    if (comm == MPI_COMM_WORLD && one_node)
        return ON_NODE;
    if (!one_node && (peer < 0 || of_world == NULL))
        return SOME_PAIR;
    if (comm == MPI_COMM_WORLD)
        return (pair_kind)of_world[peer];
    if (PMPI_Comm_test_inter(comm, &inter) != MPI_SUCCESS)
        return SOME_PAIR;
    if (!one_node)
        return kept_pair(comm, inter, peer);
    return inter || strangers ? SOME_PAIR : ON_NODE;
}

static int64_t bytes_at(const word *w, int large)
{
    int size;
    int64_t n = large ? (int64_t)w[0] : (int64_t)(int)w[0];
    MPI_Datatype type = (MPI_Datatype)w[1];
    return n < 0 || type == MPI_DATATYPE_NULL || size_of_type(type, &size) != MPI_SUCCESS ? -1 : n * size;
}

static void next(void)
{
    if (started.waited)
        started.sent = started.room = -1, started.others = started.waited = 0;
}

/* Requests that are no messages make a wait one for something else. */
void messages_mixed(void)
{
    next();
    started.others = 1;
}

static void start(int what, int64_t bytes, pair_kind pair)
{
    next();
    if (what == STARTS && bytes > started.sent)
        started.sent = bytes, started.to = pair;
    if (what == EXPECTS && bytes > started.room)
        started.room = bytes, started.from = pair;
}

static void count(const sized *as, int64_t bytes, pair_kind pair, int64_t spent)
{
    int size = bytes == 0 ? 0 : 64 - __builtin_clzll((unsigned long long)bytes);
    profile_message(as->of - FIRST_MESSAGE, size < SIZES ? size : SIZES - 1, pair, spent);
}

/* A received message has the size and the source that its status tells, not those that would be received. */
static void count_received(const sized *as, const word *w, int64_t spent)
{
    MPI_Status *status = (MPI_Status *)w[6];
    int bytes;
    if (status->MPI_SOURCE == MPI_PROC_NULL)
        return;
    if (PMPI_Get_count(status, MPI_BYTE, &bytes) != MPI_SUCCESS || bytes < 0)
        return;
    count(as, bytes, pair_of((MPI_Comm)w[as->comm], status->MPI_SOURCE), spent);
}

/* The words of a message are its buffer, count, datatype and peer; the communicator stands elsewhere in each. */
static void count_message(const sized *as, const word *w, int64_t spent)
{
    const word *of = w + 1;
    int peer = as->comm > 0 ? (int)w[3] : MPI_ANY_SOURCE;
    if (as->what == EXCHANGES && peer == MPI_PROC_NULL) { /* then it only receives */
        of = as->source == 8 ? w + 6 : of;
        peer = (int)w[as->source];
    }
    int64_t bytes = bytes_at(of, as->large);
    if (peer == MPI_PROC_NULL || bytes < 0)
        return;
    pair_kind pair = as->comm > 0 ? pair_of((MPI_Comm)w[as->comm], peer) : one_node && !strangers ? ON_NODE : SOME_PAIR;
    if (as->what == STARTS || as->what == EXPECTS)
        start(as->what, bytes, pair);
    count(as, bytes, pair, spent);
}

void message_end(const sized *as, const word *w, int64_t spent)
{
    if (!profiling)
        return;
    switch (as->what) {
    case RECEIVES:
        count_received(as, w, spent);
        break;
    case WAITS:
        started.waited = 1;
        if (!started.others && started.sent >= 0)
            count(as, started.sent, started.to, spent);
        else if (!started.others && started.room >= 0)
            count(as, started.room, started.from, spent);
        break;
    case MIXES:
        messages_mixed();
        break;
    case FREES:
        forget();
        break;
    case MEETS:
        strangers = 1;
        break;
    default:
        count_message(as, w, spent);
    }
}
