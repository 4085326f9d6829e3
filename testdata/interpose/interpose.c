/* Preloaded (LD_PRELOAD) into the ranks of any MPI program, this sends its
 * collectives through a mock-up of mockups/c:
 *
 *     PGMPI_MOCKUP=gather_as_reduce   through this one
 *     PGMPI_MOCKUP=all                through all of each collective, by turns
 *     PGMPI_MOCKUP=none               nowhere: it only counts what could go through
 *
 * It is built with the compiler wrapper of the program's library, together with
 * mockups/c. Mock-ups have no notion of MPI_IN_PLACE, derived datatypes,
 * intercommunicators, unequal counts, or datatypes that differ between sending and
 * receiving: where any rank has one of these, all fall back to the call itself. So
 * they do when the program is inside MPI already, as mock-ups are. Those that divide
 * their work among nodes are left out: they need communicators of their own.
 *
 * The send buffer, and what lies behind the temporaries, must be as it was. In
 * MPI_Finalize rank 0 appends to the file of PGMPI_INTERPOSED one line for each
 * mock-up that could have been used, over all ranks:
 *
 *     ID through FELL_BACK failed
 */
#include "../../mockups/c/mockups.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST = 128, MOST_OF_ONE = 8 };

typedef enum { ALLGATHER, ALLREDUCE, ALLTOALL, BARRIER, BCAST, EXSCAN, GATHER, REDUCE, REDUCE_SCATTER, REDUCE_SCATTER_BLOCK,
               SCAN, SCATTER, COLLECTIVES } which;

static const char *const names[COLLECTIVES] = {"allgather", "allreduce", "alltoall", "barrier", "bcast", "exscan", "gather", "reduce",
                                               "reduce_scatter", "reduce_scatter_block", "scan", "scatter"};

/* The mock-ups of each collective that are in use, and what became of their calls. */
static struct {
    int n, turn;
    int row[MOST_OF_ONE];
} of[COLLECTIVES];
enum { THROUGH, FELL_BACK, FAILED, COUNTS };
static long counted[MOST][COUNTS];
static const pg_function *table;
static int rows;
static int only_counts;
static int inside; /* MPI calls that mock-ups make are their own */

static int is_on_nodes(const char *id)
{
    size_t length = strlen(id);
    return length > 8 && (strcmp(id + length - 8, "_as_lane") == 0 || strcmp(id + length - 8, "_as_hier") == 0);
}

static void choose(void)
{
    const char *chosen = getenv("PGMPI_MOCKUP");
    if (table != NULL)
        return;
    table = pg_table(&rows);
    if (chosen == NULL || rows > MOST)
        return;
    only_counts = strcmp(chosen, "none") == 0;
    int all = only_counts || strcmp(chosen, "all") == 0, found = 0;
    for (int i = 0; i < rows; i++) {
        for (int c = 0; c < COLLECTIVES; c++) {
            size_t length = strlen(names[c]);
            if (strncmp(table[i].id, names[c], length) != 0 || strncmp(table[i].id + length, "_as_", 4) != 0 ||
                is_on_nodes(table[i].id) ||
                (!all && strcmp(table[i].id, chosen) != 0) || of[c].n == MOST_OF_ONE)
                continue;
            of[c].row[of[c].n++] = i;
            found = 1;
        }
    }
    if (!found) {
        fprintf(stderr, "interpose: there is no mock-up %s\n", chosen);
        exit(2);
    }
}

/* A call as the program makes it. What does not count at this rank is NULL or
 * MPI_DATATYPE_NULL. */
typedef struct {
    which what;
    const void *send;
    void *recv;
    int64_t send_elements; /* of all blocks */
    MPI_Datatype send_type, recv_type;
    int64_t count; /* of one block; -1: the two sides differ */
    MPI_Op op;
    int root;
    MPI_Comm comm;
} call;

static int is_plain(MPI_Datatype type, int64_t *extent)
{
    int integers, addresses, types, combiner, size;
    MPI_Aint lower, whole;
    if (PMPI_Type_get_envelope(type, &integers, &addresses, &types, &combiner) != MPI_SUCCESS ||
        combiner != MPI_COMBINER_NAMED || PMPI_Type_size(type, &size) != MPI_SUCCESS ||
        PMPI_Type_get_extent(type, &lower, &whole) != MPI_SUCCESS || lower != 0 || whole != size)
        return 0;
    *extent = whole;
    return 1;
}

/* 1 if the ranks agree that a mock-up can do it. All of them call it. */
static int suits(const call *c, MPI_Datatype *type, int64_t *extent)
{
    int64_t mine[3] = {1, 0, 0}, all[3];
    MPI_Datatype one = c->send_type != MPI_DATATYPE_NULL ? c->send_type : c->recv_type;

    *extent = 1;
    *type = one;
    if (c->send == MPI_IN_PLACE || c->recv == MPI_IN_PLACE)
        mine[0] = 0;
    else if (c->what != BARRIER) {
        int both = c->send_type != MPI_DATATYPE_NULL && c->recv_type != MPI_DATATYPE_NULL;
        mine[0] = c->count >= 0 && is_plain(one, extent) && (!both || c->send_type == c->recv_type);
    }
    /* The least and the most bytes of a block. */
    mine[1] = c->count * *extent;
    mine[2] = -mine[1];
    if (PMPI_Allreduce(mine, all, 3, MPI_INT64_T, MPI_MIN, c->comm) != MPI_SUCCESS)
        return 0;
    return all[0] && all[1] == -all[2];
}

static int run(const pg_function *f, pg_ctx *x, const call *c)
{
    size_t sent = (size_t)(c->send_elements * x->extent);
    char *copy = malloc(sent + 1);
    int64_t room = 4 * (x->size * (x->count + x->size) * x->extent + 2 * PG_ALIGN);
    char *arena = malloc((size_t)room);
    int *counts = calloc((size_t)(2 * x->size), sizeof *counts);
    int rc = MPI_ERR_NO_MEM, failed = 1;

    if (copy != NULL && arena != NULL && counts != NULL) {
        if (c->send != NULL)
            memcpy(copy, c->send, sent);
        x->arena = arena;
        x->arena_bytes = room;
        x->temp_elements = INT64_MAX;
        x->counts = counts;
        x->displs = counts + x->size;
        rc = f->prepare(x);
        if (rc == MPI_SUCCESS) {
            rc = f->run(x);
            failed = rc != MPI_SUCCESS || !pg_temps_intact(x) || (c->send != NULL && memcmp(copy, c->send, sent) != 0);
            f->release(x);
        }
    }
    counted[f - table][FAILED] += failed && rc != MPI_ERR_UNSUPPORTED_OPERATION;
    free(copy);
    free(arena);
    free(counts);
    return rc;
}

/* Does the call through a mock-up; 0: it is to be made itself. */
static int through(const call *c, int *rc)
{
    pg_ctx x = {.comm = c->comm, .root = c->root, .count = c->count, .op = c->op, .send = (void *)c->send, .recv = c->recv};
    int inter;

    choose();
    if (inside || of[c->what].n == 0 || c->comm == MPI_COMM_NULL || PMPI_Comm_test_inter(c->comm, &inter) != MPI_SUCCESS)
        return 0;
    int can = !inter && suits(c, &x.type, &x.extent);
    int row = of[c->what].row[of[c->what].turn];
    if (can)
        of[c->what].turn = (of[c->what].turn + 1) % of[c->what].n;
    counted[row][can ? THROUGH : FELL_BACK]++;
    if (!can || only_counts)
        return 0;
    PMPI_Comm_rank(c->comm, &x.rank);
    PMPI_Comm_size(c->comm, &x.size);
    inside = 1;
    *rc = run(&table[row], &x, c);
    inside = 0;
    if (*rc != MPI_ERR_UNSUPPORTED_OPERATION) /* such as an operator that does not commute: all ranks say so */
        return 1;
    counted[row][THROUGH]--;
    counted[row][FELL_BACK]++;
    return 0;
}

static int size_of(MPI_Comm comm)
{
    int size = 1;
    if (comm != MPI_COMM_NULL)
        PMPI_Comm_size(comm, &size);
    return size;
}

static int is_root(int root, MPI_Comm comm)
{
    int rank = -1;
    if (comm != MPI_COMM_NULL)
        PMPI_Comm_rank(comm, &rank);
    return rank == root;
}

int MPI_Allgather(const void *send, int n, MPI_Datatype type, void *recv, int m, MPI_Datatype into, MPI_Comm comm)
{
    int rc;
    call c = {.what = ALLGATHER, .send = send, .recv = recv, .send_elements = n, .send_type = type, .recv_type = into,
              .count = n == m ? n : -1, .comm = comm};
    return through(&c, &rc) ? rc : PMPI_Allgather(send, n, type, recv, m, into, comm);
}

int MPI_Allreduce(const void *send, void *recv, int n, MPI_Datatype type, MPI_Op op, MPI_Comm comm)
{
    int rc;
    call c = {.what = ALLREDUCE, .send = send, .recv = recv, .send_elements = n, .send_type = type, .recv_type = type,
              .count = n, .op = op, .comm = comm};
    return through(&c, &rc) ? rc : PMPI_Allreduce(send, recv, n, type, op, comm);
}

int MPI_Alltoall(const void *send, int n, MPI_Datatype type, void *recv, int m, MPI_Datatype into, MPI_Comm comm)
{
    int rc;
    call c = {.what = ALLTOALL, .send = send, .recv = recv, .send_elements = (int64_t)n * size_of(comm), .send_type = type,
              .recv_type = into, .count = n == m ? n : -1, .comm = comm};
    return through(&c, &rc) ? rc : PMPI_Alltoall(send, n, type, recv, m, into, comm);
}

int MPI_Barrier(MPI_Comm comm)
{
    int rc;
    call c = {.what = BARRIER, .send_type = MPI_DATATYPE_NULL, .recv_type = MPI_DATATYPE_NULL, .comm = comm};
    return through(&c, &rc) ? rc : PMPI_Barrier(comm);
}

int MPI_Bcast(void *buffer, int n, MPI_Datatype type, int root, MPI_Comm comm)
{
    int rc;
    call c = {.what = BCAST, .recv = buffer, .send_type = MPI_DATATYPE_NULL, .recv_type = type, .count = n, .root = root,
              .comm = comm};
    return through(&c, &rc) ? rc : PMPI_Bcast(buffer, n, type, root, comm);
}

/* What counts at the root alone is left out elsewhere. */
int MPI_Gather(const void *send, int n, MPI_Datatype type, void *recv, int m, MPI_Datatype into, int root, MPI_Comm comm)
{
    int rc, at_root = is_root(root, comm);
    call c = {.what = GATHER, .send = send, .recv = at_root ? recv : NULL, .send_elements = n, .send_type = type,
              .recv_type = at_root ? into : MPI_DATATYPE_NULL, .count = !at_root || n == m ? n : -1, .root = root, .comm = comm};
    return through(&c, &rc) ? rc : PMPI_Gather(send, n, type, recv, m, into, root, comm);
}

int MPI_Reduce(const void *send, void *recv, int n, MPI_Datatype type, MPI_Op op, int root, MPI_Comm comm)
{
    int rc;
    call c = {.what = REDUCE, .send = send, .recv = is_root(root, comm) ? recv : NULL, .send_elements = n, .send_type = type,
              .recv_type = type, .count = n, .op = op, .root = root, .comm = comm};
    return through(&c, &rc) ? rc : PMPI_Reduce(send, recv, n, type, op, root, comm);
}

int MPI_Reduce_scatter(const void *send, void *recv, const int *counts, MPI_Datatype type, MPI_Op op, MPI_Comm comm)
{
    int rc, size = size_of(comm), equal = 1;
    for (int i = 1; i < size; i++)
        equal = equal && counts[i] == counts[0];
    call c = {.what = REDUCE_SCATTER, .send = send, .recv = recv, .send_elements = (int64_t)counts[0] * size, .send_type = type,
              .recv_type = type, .count = equal ? counts[0] : -1, .op = op, .comm = comm};
    return through(&c, &rc) ? rc : PMPI_Reduce_scatter(send, recv, counts, type, op, comm);
}

int MPI_Reduce_scatter_block(const void *send, void *recv, int n, MPI_Datatype type, MPI_Op op, MPI_Comm comm)
{
    int rc;
    call c = {.what = REDUCE_SCATTER_BLOCK, .send = send, .recv = recv, .send_elements = (int64_t)n * size_of(comm),
              .send_type = type, .recv_type = type, .count = n, .op = op, .comm = comm};
    return through(&c, &rc) ? rc : PMPI_Reduce_scatter_block(send, recv, n, type, op, comm);
}

int MPI_Exscan(const void *send, void *recv, int n, MPI_Datatype type, MPI_Op op, MPI_Comm comm)
{
    int rc;
    call c = {.what = EXSCAN, .send = send, .recv = recv, .send_elements = n, .send_type = type, .recv_type = type, .count = n,
              .op = op, .comm = comm};
    return through(&c, &rc) ? rc : PMPI_Exscan(send, recv, n, type, op, comm);
}

int MPI_Scan(const void *send, void *recv, int n, MPI_Datatype type, MPI_Op op, MPI_Comm comm)
{
    int rc;
    call c = {.what = SCAN, .send = send, .recv = recv, .send_elements = n, .send_type = type, .recv_type = type, .count = n,
              .op = op, .comm = comm};
    return through(&c, &rc) ? rc : PMPI_Scan(send, recv, n, type, op, comm);
}

int MPI_Scatter(const void *send, int n, MPI_Datatype type, void *recv, int m, MPI_Datatype into, int root, MPI_Comm comm)
{
    int rc, at_root = is_root(root, comm);
    call c = {.what = SCATTER, .send = at_root ? send : NULL, .recv = recv, .send_elements = at_root ? (int64_t)n * size_of(comm) : 0,
              .send_type = at_root ? type : MPI_DATATYPE_NULL, .recv_type = into, .count = !at_root || n == m ? m : -1,
              .root = root, .comm = comm};
    return through(&c, &rc) ? rc : PMPI_Scatter(send, n, type, recv, m, into, root, comm);
}

int MPI_Finalize(void)
{
    static long all[MOST][COUNTS];
    const char *path = getenv("PGMPI_INTERPOSED");

    choose();
    PMPI_Reduce(counted, all, MOST * COUNTS, MPI_LONG, MPI_SUM, 0, MPI_COMM_WORLD);
    if (is_root(0, MPI_COMM_WORLD) && path != NULL) {
        FILE *file = fopen(path, "a");
        for (int i = 0; file != NULL && i < rows; i++)
            if (all[i][THROUGH] + all[i][FELL_BACK] > 0)
                fprintf(file, "%s %ld %ld %ld\n", table[i].id, all[i][THROUGH], all[i][FELL_BACK], all[i][FAILED]);
        if (file == NULL || fclose(file) != 0)
            perror("interpose: PGMPI_INTERPOSED");
    }
    return PMPI_Finalize();
}
