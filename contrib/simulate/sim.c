/* Runs collectives and mock-ups of mockups/c, one call of each at each size, on simulated hosts,
 * and prints the simulated time from the common start to the last process's end.
 *
 * smpirun … sim DECISIONS NEAR FAR CACHE FOLD FUNCTIONS SIZES
 *
 * NEAR and FAR are ns per byte that is reduced or copied in pieces of up to CACHE bytes and in
 * larger ones; from FOLD bytes on buffers are shared and data not verified. FUNCTIONS and SIZES
 * have commas between; a size is the bytes of all blocks together. "MPI_Bcast@binomial" forces
 * an algorithm, and "@" stands for all of them. Root is rank 0; elements are unsigned integers of four bytes, the operator is
 * the sum. Prints "function size block ns verified|folded|wrong". */
#include "alg.h"
#include "mockups.h"

#include <stdio.h>
#include <string.h>
#include <time.h>

typedef uint32_t element;

enum blocks { NONE, ONE, VECTOR, AT_ROOT = 4 };

/* What a block of the result has: block b of the data of rank b, …, the sum over all ranks, … */
enum result { GATHERED, EXCHANGED, ROOTS, SCATTERED, REDUCED, OWN_PART, UP_TO_OWN, BEFORE_OWN };

static const struct kind {
    const char *id, *mockups;
    int send, recv;
    enum result result;
} kinds[] = {
    {"MPI_Allgather", "allgather", ONE, VECTOR, GATHERED},
    {"MPI_Allreduce", "allreduce", ONE, ONE, REDUCED},
    {"MPI_Alltoall", "alltoall", VECTOR, VECTOR, EXCHANGED},
    {"MPI_Bcast", "bcast", NONE, ONE, ROOTS},
    {"MPI_Exscan", "exscan", ONE, ONE, BEFORE_OWN},
    {"MPI_Gather", "gather", ONE, VECTOR | AT_ROOT, GATHERED},
    {"MPI_Reduce", "reduce", ONE, ONE | AT_ROOT, REDUCED},
    {"MPI_Reduce_scatter", "reduce_scatter", VECTOR, ONE, OWN_PART},
    {"MPI_Reduce_scatter_block", "reduce_scatter_block", VECTOR, ONE, OWN_PART},
    {"MPI_Scan", "scan", ONE, ONE, UP_TO_OWN},
    {"MPI_Scatter", "scatter", VECTOR | AT_ROOT, ONE, SCATTERED},
};

enum { KINDS = sizeof kinds / sizeof *kinds, ELEMENT = sizeof(element), PERIOD = 1021, POISON = 0x5a };

/* From the start of a case to the next one's, s: longer than any call takes. */
static const double step = 8;

static void refuse(const char *what, const char *which)
{
    fprintf(stderr, "sim: %s: %s\n", what, which);
    exit(2);
}

/* The length of "MPI_Bcast" in "MPI_Bcast@binomial", of "bcast" in "bcast_as_…". */
static const struct kind *kind_of(const char *id)
{
    const char *as = strstr(id, "_as_"), *forced = strchr(id, '@');
    size_t n = as != NULL ? (size_t)(as - id) : forced != NULL ? (size_t)(forced - id) : strlen(id);
    for (int i = 0; i < KINDS; i++) {
        const char *name = as != NULL ? kinds[i].mockups : kinds[i].id;
        if (strlen(name) == n && strncmp(name, id, n) == 0)
            return &kinds[i];
    }
    refuse("no function of GL1 to GL17", id);
    return NULL;
}

static const pg_function *row_of(const char *id)
{
    const char *name = strchr(id, '@') != NULL ? kind_of(id)->id : id;
    int n;
    const pg_function *table = pg_table(&n);
    for (int i = 0; i < n; i++)
        if (strcmp(table[i].id, name) == 0)
            return &table[i];
    refuse("no such function", id);
    return NULL;
}

static int64_t blocks(const pg_ctx *x, int which)
{
    if ((which & AT_ROOT) && x->rank != x->root)
        return 0;
    which &= ~AT_ROOT;
    return which == NONE ? 0 : which == ONE ? 1 : x->size;
}

/* Element i of the data of a rank, and the sum of such elements of ranks 0 to last. Sums may
 * wrap: the operator's do too. */
static element datum(int64_t rank, int64_t i) { return (element)(rank * rank + i % PERIOD); }

static element sum_to(int64_t last, int64_t i)
{
    return (element)(last * (last + 1) * (2 * last + 1) / 6 + (last + 1) * (i % PERIOD));
}

static element expected(const pg_ctx *x, enum result result, int64_t block, int64_t i)
{
    int64_t own = x->rank * x->count + i;
    switch (result) {
    case GATHERED:
        return datum(block, i);
    case EXCHANGED:
        return datum(block, own);
    case ROOTS:
        return datum(x->root, i);
    case SCATTERED:
        return datum(x->root, own);
    case REDUCED:
        return sum_to(x->size - 1, i);
    case OWN_PART:
        return sum_to(x->size - 1, own);
    case UP_TO_OWN:
        return sum_to(x->rank, i);
    case BEFORE_OWN:
        return sum_to(x->rank - 1, i);
    }
    return 0;
}

static void fill(const pg_ctx *x, const struct kind *k)
{
    element *send = x->send, *recv = x->recv;
    int64_t sent = blocks(x, k->send) * x->count, received = blocks(x, k->recv) * x->count;
    for (int64_t i = 0; i < sent; i++)
        send[i] = datum(x->rank, i);
    if (received > 0)
        memset(recv, POISON, (size_t)(received * ELEMENT));
    for (int64_t i = 0; k->result == ROOTS && x->rank == x->root && i < received; i++)
        recv[i] = datum(x->rank, i);
}

static int is_right(const pg_ctx *x, const struct kind *k)
{
    const element *recv = x->recv, *send = x->send;
    if (k->result == BEFORE_OWN && x->rank == 0)
        return 1;
    for (int64_t b = 0; b < blocks(x, k->recv); b++)
        for (int64_t i = 0; i < x->count; i++)
            if (recv[b * x->count + i] != expected(x, k->result, b, i))
                return 0;
    for (int64_t i = 0; i < blocks(x, k->send) * x->count; i++)
        if (send[i] != datum(x->rank, i))
            return 0;
    return 1;
}

static void sleep_until(double then)
{
    double left = then - MPI_Wtime();
    if (left <= 0)
        refuse("a call took longer", "than the time between two cases");
    struct timespec t = {(time_t)left, (long)((left - (double)(time_t)left) * 1e9)};
    nanosleep(&t, NULL);
}

/* Whether all processes' blocks together are the data. */
static int is_cut(const struct kind *k) { return ((k->send | k->recv) & VECTOR) != 0; }

/* Memory of a case, for blocks of x->count elements: no mock-up takes more than twice the data,
 * and collectives take none. */
static void take(pg_ctx *x, const struct kind *k, int is_mockup)
{
    int64_t data = x->count * (is_cut(k) ? x->size : 1);
    x->send = sim_take(blocks(x, k->send) * x->count * ELEMENT);
    x->recv = sim_take(blocks(x, k->recv) * x->count * ELEMENT);
    x->temp_elements = is_mockup ? 2 * (data + x->size) : 0;
    x->arena_bytes = x->temp_elements * ELEMENT + (PG_TEMPS + 1) * (PG_GUARD_BYTES + PG_ALIGN);
    x->arena = sim_take(x->arena_bytes);
    x->arena_used = 0;
}

static void give(pg_ctx *x)
{
    sim_give(x->send);
    sim_give(x->recv);
    sim_give(x->arena);
}

/* One call, started by all at a time; the time until the last one's end on rank 0, s. */
static double timed(pg_ctx *x, const pg_function *f, const struct kind *k, int folded, double start, int *wrong)
{
    sim_fold(folded);
    take(x, k, strstr(f->id, "_as_") != NULL);
    if (!folded)
        fill(x, k);
    if (f->prepare(x) != MPI_SUCCESS)
        refuse("cannot be prepared", f->id);
    sleep_until(start);
    int failed = f->run(x) != MPI_SUCCESS;
    double mine[2] = {MPI_Wtime() - start, 0}, all[2];
    mine[1] = failed || (!folded && (!is_right(x, k) || !pg_temps_intact(x)));
    f->release(x);
    give(x);
    PMPI_Reduce(mine, all, 2, MPI_DOUBLE, MPI_MAX, 0, MPI_COMM_WORLD);
    *wrong = all[1] > 0;
    return all[0];
}

/* "MPI_Bcast@binomial" in force; "MPI_Bcast" and mock-ups by the decisions. */
static void force(const char *id, const struct kind *k)
{
    const char *algorithm = strchr(id, '@');
    sim_force(NULL, NULL);
    if (algorithm != NULL && !sim_force(k->id, algorithm + 1))
        refuse("no such algorithm", id);
}

/* All algorithms, by their ids. */
static char *algorithms(void)
{
    enum { ROOM = 8 << 10 };
    char *all = (calloc)(1, ROOM);
    const char *name, *collective;
    for (int i = 0, n = 0; n < ROOM && (name = sim_algorithm(i, &collective)) != NULL; i++)
        if (strcmp(collective, "MPI_Scatterv") != 0)
            n += snprintf(all + n, (size_t)(ROOM - n), "%s@%s,", collective, name);
    return all;
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    pg_ctx x = {.comm = MPI_COMM_WORLD, .own = MPI_COMM_WORLD, .type = MPI_UNSIGNED, .extent = ELEMENT, .op = MPI_SUM};
    MPI_Comm_rank(x.comm, &x.rank);
    MPI_Comm_size(x.comm, &x.size);
    if (argc != 8)
        refuse("usage", "sim DECISIONS NEAR FAR CACHE FOLD FUNCTIONS SIZES");
    sim_begin((sim_costs){atof(argv[2]), atof(argv[3]), atoll(argv[4])}, argv[1], x.size);
    int64_t fold = atoll(argv[5]);
    x.counts = (malloc)((size_t)x.size * sizeof *x.counts);
    x.displs = (malloc)((size_t)x.size * sizeof *x.displs);

    double start = step;
    char *functions = strcmp(argv[6], "@") == 0 ? algorithms() : argv[6];
    for (char *rest = NULL, *id = strtok_r(functions, ",", &rest); id != NULL; id = strtok_r(NULL, ",", &rest)) {
        const struct kind *k = kind_of(id);
        const pg_function *f = row_of(id);
        force(id, k);
        for (char *s = argv[7]; s != NULL && *s != '\0'; s = strchr(s, ',') != NULL ? strchr(s, ',') + 1 : NULL) {
            int64_t size = atoll(s);
            x.count = size / ELEMENT / (is_cut(k) ? x.size : 1);
            if (x.count == 0)
                continue;
            int wrong, folded = size >= fold;
            double took = timed(&x, f, k, folded, start, &wrong);
            if (x.rank == 0)
                printf("%s %lld %lld %.0f %s\n", id, (long long)size, (long long)x.count * ELEMENT, took * 1e9,
                       wrong ? "wrong" : folded ? "folded" : "verified");
            start += step;
        }
    }
    MPI_Finalize();
    return 0;
}
