#define _POSIX_C_SOURCE 200809L
#include "probes.h"
#include "rank.h"

#include <fcntl.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

enum { COPIED = 256 << 10, REDUCED = 16 << 10, SHORT = 8, LONG = 64 << 10 }; /* bytes */

enum {
    MOST = 16,         /* times that count; one before them does not */
    PART_NS = 200000,  /* after which no other is begun */
    REDUCTIONS = 4,    /* in a row, for one time */
    ROUND_TRIPS = 15,  /* of a line, the same */
    LINE_NS = 1000000, /* the most that a neighbour is waited for */
};

enum { TAG = 7 }; /* not one of clocksync.c or the synchronisations */

/* Two cache lines that neighbours share, one for each direction; apart, because
 * processors fetch lines in pairs. How long a line takes depends on where it is
 * in memory, so there are MOST of them, each on another page and elsewhere in it. */
typedef struct line {
    _Atomic uint64_t ping; /* written by the first of the pair */
    char apart[120];
    _Atomic uint64_t pong; /* by the second */
    char rest[4096 + 256 - 136];
} line;

enum { SHARED = MOST * sizeof(line) };

struct pg_probes {
    char *a, *b; /* COPIED bytes each, all zero between readings */
    line *lines; /* NULL without a neighbour, or where none may spin */
    int first;   /* of the pair */
    uint64_t turn;
};

enum { NAME = 64 };

/* Maps a file that other processes map too. */
static line *map(int fd)
{
    void *at = fd < 0 ? MAP_FAILED : mmap(NULL, SHARED, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    if (fd >= 0)
        close(fd);
    return at == MAP_FAILED ? NULL : at;
}

/* A new file with room that is certain to be there: a page that a full file
 * system does not have would be a SIGBUS. */
static int create(const char *name)
{
    int fd = open(name, O_RDWR | O_CREAT | O_EXCL, 0600);
    if (fd >= 0 && posix_fallocate(fd, 0, SHARED) != 0) {
        close(fd);
        unlink(name);
        fd = -1;
    }
    return fd;
}

/* Shares memory with the neighbour on the node: ranks 0 and 1, 2 and 3, … of it.
 * Where that fails for one of the two, neither has it. */
static int share(pg_probes *y, MPI_Comm node)
{
    char name[NAME] = "";
    int rank, size, has = 0, rc;
    MPI_Comm_rank(node, &rank);
    MPI_Comm_size(node, &size);
    int neighbour = rank ^ 1;
    if (neighbour >= size)
        return MPI_SUCCESS;
    y->first = neighbour > rank;
    if (y->first) {
        struct timespec t;
        clock_gettime(CLOCK_REALTIME, &t);
        snprintf(name, sizeof name, "/dev/shm/pgmpi-%ld-%ld-%ld", (long)getpid(), (long)t.tv_sec, t.tv_nsec);
        int fd = create(name);
        if (fd < 0)
            name[0] = '\0';
        y->lines = map(fd);
        rc = MPI_Send(name, sizeof name, MPI_CHAR, neighbour, TAG, node);
        if (rc == MPI_SUCCESS)
            rc = MPI_Recv(&has, 1, MPI_INT, neighbour, TAG, node, MPI_STATUS_IGNORE);
        if (name[0] != '\0')
            unlink(name);
        if (!has)
            y->lines = NULL;
        return rc;
    }
    rc = MPI_Recv(name, sizeof name, MPI_CHAR, neighbour, TAG, node, MPI_STATUS_IGNORE);
    if (rc == MPI_SUCCESS && name[0] != '\0')
        y->lines = map(open(name, O_RDWR));
    has = y->lines != NULL;
    return rc == MPI_SUCCESS ? MPI_Send(&has, 1, MPI_INT, neighbour, TAG, node) : rc;
}

int pg_probes_open(pg_ctx *x, pg_probes **made)
{
    pg_probes *y = calloc(1, sizeof *y);
    int nodes, crowded, rc = pg_topology(x, &nodes, &crowded);
    if (rc != MPI_SUCCESS)
        return rc;
    if (y == NULL || (y->a = pg_alloc(COPIED)) == NULL || (y->b = pg_alloc(COPIED)) == NULL)
        return MPI_ERR_NO_MEM;
    *made = y;
    if (crowded > 0)
        return MPI_SUCCESS; /* a rank that spins may keep the neighbour from its core */
    MPI_Comm node;
    rc = MPI_Comm_split_type(x->own, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &node);
    if (rc != MPI_SUCCESS)
        return rc;
    rc = share(y, node);
    int freed = MPI_Comm_free(&node);
    return rc != MPI_SUCCESS ? rc : freed;
}

static int by_size(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* The value that a part of n has not above it: 2 is the median, 4 the lower quartile. It is 0 if n
 * is 0. */
static double least(double *times, int n, int part)
{
    if (n <= 0)
        return 0;
    qsort(times, (size_t)n, sizeof *times, by_size);
    return times[(n - 1) / part];
}

/* Spins until a counter that only grows has reached a value; 0 when the time is
 * over before. */
static int reached(_Atomic uint64_t *counter, uint64_t value, pg_clock *now, int64_t end)
{
    enum { LOOKS = 256 };
    do {
        for (int i = 0; i < LOOKS; i++)
            if (atomic_load_explicit(counter, memory_order_acquire) >= value)
                return 1;
    } while (now() < end);
    return 0;
}

/* The first burst waits for the neighbour, and does not count. Counters begin again in every
 * reading, above all of the one before, so that a neighbour that was left behind does harm to no
 * other. */
static double read_line(pg_probes *y, pg_clock *now)
{
    double times[MOST];
    int n = -1, there = y->lines != NULL;
    uint64_t at = ++y->turn << 32;
    int64_t end = now() + LINE_NS;
    while (there && n < MOST) {
        line *l = &y->lines[(n + 1) % MOST];
        int64_t start = now();
        for (int i = 0; i < ROUND_TRIPS && there; i++) {
            at++;
            if (y->first)
                atomic_store_explicit(&l->ping, at, memory_order_release);
            there = reached(y->first ? &l->pong : &l->ping, at, now, end);
            if (!y->first && there)
                atomic_store_explicit(&l->pong, at, memory_order_release);
        }
        if (there && n >= 0)
            times[n] = (double)(now() - start) / ROUND_TRIPS;
        n += there;
    }
    return least(times, n, 4);
}

static double read_memcpy(pg_probes *y, pg_clock *now)
{
    double times[MOST];
    int n = -1;
    for (int64_t end = now() + PART_NS; n < MOST && (n < 1 || now() < end); n++) {
        int64_t start = now();
        memcpy(y->b, y->a, COPIED);
        if (n >= 0)
            times[n] = (double)(now() - start);
    }
    return least(times, n, 2);
}

static int read_reduce_local(pg_probes *y, pg_clock *now, double *value)
{
    double times[MOST];
    int n = -1, rc = MPI_SUCCESS;
    for (int64_t end = now() + PART_NS; rc == MPI_SUCCESS && n < MOST && (n < 1 || now() < end); n++) {
        int64_t start = now();
        for (int i = 0; i < REDUCTIONS && rc == MPI_SUCCESS; i++)
            rc = MPI_Reduce_local(y->a, y->b, REDUCED / (int)sizeof(int), MPI_INT, MPI_SUM);
        if (n >= 0)
            times[n] = (double)(now() - start) / REDUCTIONS;
    }
    *value = least(times, n, 2);
    return rc;
}

/* Ranks 0 and 1, 2 and 3, … of the world. The first of a pair says in every
 * message whether it is the last. */
static int read_pingpong(pg_ctx *x, pg_probes *y, pg_clock *now, int bytes, double *value)
{
    double times[MOST];
    int peer = x->rank ^ 1, n = -1, rc = MPI_SUCCESS;
    int64_t last = 0, end = now() + PART_NS;
    if (peer >= x->size)
        return MPI_SUCCESS;
    for (; rc == MPI_SUCCESS && !last; n++) {
        int64_t start = now();
        if (peer > x->rank) {
            last = n + 1 == MOST || (n >= 0 && start >= end);
            memcpy(y->a, &last, sizeof last);
            rc = MPI_Send(y->a, bytes, MPI_BYTE, peer, TAG, x->own);
        }
        if (rc == MPI_SUCCESS)
            rc = MPI_Recv(y->a, bytes, MPI_BYTE, peer, TAG, x->own, MPI_STATUS_IGNORE);
        if (peer < x->rank && rc == MPI_SUCCESS) {
            memcpy(&last, y->a, sizeof last);
            rc = MPI_Send(y->a, bytes, MPI_BYTE, peer, TAG, x->own);
        }
        if (n >= 0)
            times[n] = (double)(now() - start);
    }
    memset(y->a, 0, sizeof last);
    *value = peer > x->rank ? least(times, n, 2) : 0;
    return rc;
}

int pg_probes_read(pg_ctx *x, pg_probes *y, pg_clock *now, double *values)
{
    double own[PG_PROBES] = {0};
    int rc = pg_disseminate(x);
    if (rc != MPI_SUCCESS)
        return rc;
    own[PG_LINE] = read_line(y, now);
    own[PG_MEMCPY] = read_memcpy(y, now);
    rc = read_reduce_local(y, now, &own[PG_REDUCE_LOCAL]);
    if (rc == MPI_SUCCESS)
        rc = read_pingpong(x, y, now, SHORT, &own[PG_PINGPONG_8]);
    if (rc == MPI_SUCCESS)
        rc = read_pingpong(x, y, now, LONG, &own[PG_PINGPONG_64K]);
    int64_t bits[PG_PROBES]; /* as whole numbers, which are in the order of numbers that are not negative */
    memcpy(bits, own, sizeof bits);
    if (rc == MPI_SUCCESS)
        rc = pg_combine(x, bits, bits, PG_PROBES, pg_most_of);
    memcpy(values, bits, sizeof bits);
    return rc;
}
