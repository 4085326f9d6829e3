/* Faults for tests of real mpiruns, preloaded (LD_PRELOAD) into every rank and
 * chosen by PGMPI_FAULT. It is compiled without mpi.h, so that one object
 * serves every library:
 *   init-kill   rank 1 dies inside MPI_Init, by SIGKILL
 *   init-exit   rank 1 leaves inside MPI_Init, with exit status 0
 *   linger      every rank spends 3 s more in MPI_Init, and makes a file lingers-PID in PGMPI_LINGERS first
 *   forks       rank 1 leaves a process that has its standard output
 *   half-line   rank 0 dies inside its first line of samples
 *   clock       the monotonic clock of rank 1 reads 1 ms too little at every 101st call
 *   banner      every rank prints lines to standard output, before main and in MPI_Init
 *   one-thread  MPI_Query_thread says MPI_THREAD_SINGLE, which is 0 with every library
 *   pages       MPI_Allgather of pgmpi's cases touches 32 fresh pages at rank 1
 *   stops       MPI_Allgather of pgmpi's cases stops rank 1, which then hears no signal but SIGKILL
 *   counter-lost  no counter of repetitions can be read at rank 1 after its first 50 readings
 *   cvar-lost   MPI_T_cvar_write says that it has written, and has not
 *   switches    getrusage counts 7 more involuntary switches every time, at rank 1, and none elsewhere
 * or MPI_Comm_split_type finds other nodes than there are:
 *   nodes-of-1, -of-2, …  each with as many processes, in a row
 *   nodes-dealt  one with every other process, and one with the others
 * or MPI_Allgather gives wrong data (to pgmpi's cases, not to what it says itself):
 *   wrong-every, -64-bytes, -rank-1, -second  in every call; of blocks of 64 B; at rank 1; every second time
 *   wrong-after-100, -after-170, -1-in-100, -1-in-10000, -first-2  in these calls only
 *   wrong-idle-after-100  does nothing after 100 calls
 *   wrong-stale-after-100  gives after 100 calls what call 100 has given
 *   wrong-swap  parts that lie 8191 bytes apart change places
 *   wrong-send, wrong-behind  the data are right, and a byte of the send buffer, or behind the receive buffer, is not
 * or other calls are wrong:
 *   wrong-ulp, wrong-single  MPI_Allreduce of doubles: the last bit of the first element at rank 1; sums in single precision
 *   wrong-start  MPI_Allreduce_init gives from start 101 of a request on what start 100 has given
 *   wrong-31-bits, wrong-16-bits  MPI_Bcast_c cuts its count
 *   wrong-post  MPI_Iallreduce waits for all ranks
 *   wrong-barrier  MPI_Barrier waits for nobody after 50 calls
 *   spoiled-NAME  a bit of what NAME receives, in every call, the ranks' own too: spoiled-MPI_Bcast
 * Several are separated by commas.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <pthread.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

static int is(const char *fault)
{
    size_t length = strlen(fault);
    const char *chosen = getenv("PGMPI_FAULT"), *at = chosen;
    while (at != NULL && (at = strstr(at, fault)) != NULL) {
        int begins = at == chosen || at[-1] == ',';
        at += length;
        if (begins && (*at == '\0' || *at == ','))
            return 1;
    }
    return 0;
}

/* -1 outside an mpirun, such as in the driver's own children. */
static int rank(void)
{
    const char *names[] = {"OMPI_COMM_WORLD_RANK", "PMI_RANK"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        const char *text = getenv(names[i]);
        if (text)
            return atoi(text);
    }
    return -1;
}

static void all(int fd, const char *text, size_t n)
{
    while (n > 0) {
        ssize_t wrote = write(fd, text, n);
        if (wrote <= 0)
            return;
        text += wrote;
        n -= (size_t)wrote;
    }
}

static void print(const char *line) { all(STDOUT_FILENO, line, strlen(line)); }

static int from, to;

/* Passes standard output on until the first samples, and dies behind their
 * first characters. */
static void *relay(void *unused)
{
    enum { HALF = 25 };
    static char text[1 << 16];
    ssize_t n;
    while ((n = read(from, text, sizeof text)) > 0) {
        char *samples = memmem(text, (size_t)n, "\nsamples ", strlen("\nsamples "));
        all(to, text, samples ? (size_t)(samples - text) + HALF : (size_t)n);
        if (samples)
            kill(getpid(), SIGKILL);
    }
    return unused;
}

__attribute__((constructor)) static void before_main(void)
{
    pthread_t thread;
    int ends[2];
    if (rank() < 0)
        return;
    if (is("banner"))
        print("*** a preloaded tool says good day ***\nversion 1\n");
    if (is("forks") && rank() == 1 && fork() == 0) {
        sleep(120);
        _exit(0);
    }
    if (is("half-line") && rank() == 0 && pipe(ends) == 0) {
        from = ends[0];
        to = dup(STDOUT_FILENO);
        dup2(ends[1], STDOUT_FILENO);
        close(ends[1]);
        pthread_create(&thread, NULL, relay, NULL);
    }
}

static void says_that_it_lingers(void)
{
    char path[4096];
    snprintf(path, sizeof path, "%s/lingers-%ld", getenv("PGMPI_LINGERS"), (long)getpid());
    FILE *f = fopen(path, "w");
    if (f)
        fclose(f);
}

int MPI_Init(int *argc, char ***argv)
{
    int (*real)(int *, char ***);
    /* The standard's own cast from an object to a function pointer. */
    *(void **)&real = dlsym(RTLD_NEXT, "MPI_Init");
    if (is("init-kill") && rank() == 1)
        raise(SIGKILL);
    if (is("init-exit") && rank() == 1)
        _exit(0);
    if (is("banner"))
        print("*** the library initialises ***\n");
    int rc = real(argc, argv);
    if (is("banner"))
        print("*** the library is ready ***\n");
    if (is("linger")) {
        says_that_it_lingers();
        sleep(3);
    }
    return rc;
}

int MPI_Query_thread(int *provided)
{
    int (*real)(int *);
    *(void **)&real = dlsym(RTLD_NEXT, "MPI_Query_thread");
    int rc = real(provided);
    if (is("one-thread"))
        *provided = 0;
    return rc;
}

/* One address of a function of the library, whatever its handles are: an int or
 * a pointer, which both travel in a word. */
static void *real(const char *name)
{
    void *at = dlsym(RTLD_NEXT, name);
    if (!at)
        abort();
    return at;
}

static size_t bytes_of(int n, void *type)
{
    int (*type_size)(void *, int *), size;
    *(void **)&type_size = real("PMPI_Type_size");
    type_size(type, &size);
    return (size_t)n * (size_t)size;
}

/* Which calls are wrong that change the last byte of the result. */
static int is_spoiled(long call, size_t block)
{
    return is("wrong-every") || (is("wrong-64-bytes") && block == 64) || (is("wrong-rank-1") && rank() == 1) ||
           (is("wrong-second") && call % 2 == 0) || (is("wrong-after-100") && call > 100) || (is("wrong-after-170") && call > 170) ||
           (is("wrong-1-in-100") && call % 100 == 0) || (is("wrong-1-in-10000") && call % 10000 == 0) ||
           (is("wrong-first-2") && call <= 2);
}

/* 32 page faults: the kernel may join neither these pages nor their faults. */
static void touch_pages(void)
{
    enum { PAGE = 4096, PAGES = 32 };
    char *fresh = mmap(NULL, PAGES * PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (fresh == MAP_FAILED)
        abort();
    madvise(fresh, PAGES * PAGE, MADV_NOHUGEPAGE);
    for (int i = 0; i < PAGES; i++)
        *(volatile char *)(fresh + i * PAGE) = 1;
    munmap(fresh, PAGES * PAGE);
}

/* Only the buffers of cases begin a page. */
static int is_case(const void *buffer)
{
    enum { PAGE = 4096 };
    return (uintptr_t)buffer % PAGE == 0;
}

/* What a call has given once, of few bytes. */
typedef struct memory {
    char of[1 << 16];
    size_t bytes;
} memory;

static void keep(memory *m, const void *result, size_t bytes)
{
    m->bytes = bytes <= sizeof m->of ? bytes : 0;
    memcpy(m->of, result, m->bytes);
}

/* MPI_IN_PLACE is the first or the last address, and where nothing is received may be none. */
static int spoil(int rc, const char *name, void *received)
{
    enum { NO_ADDRESS = 4096 };
    char fault[64];
    snprintf(fault, sizeof fault, "spoiled-%s", name);
    if ((uintptr_t)received + NO_ADDRESS > 2 * NO_ADDRESS && is(fault))
        *(char *)received ^= 1;
    return rc;
}

/* A call that is only spoiled. All arguments travel in words. */
#define SPOILED(name, received, parameters, arguments) \
    int name parameters                                \
    {                                                  \
        int(*its) parameters;                          \
        *(void **)&its = real(#name);                  \
        return spoil(its arguments, #name, received);  \
    }

typedef void *word;
SPOILED(MPI_Allgatherv, r, (word s, int n, word t, word r, word m, word d, word u, word c), (s, n, t, r, m, d, u, c))
SPOILED(MPI_Alltoall, r, (word s, int n, word t, word r, int m, word u, word c), (s, n, t, r, m, u, c))
SPOILED(MPI_Alltoallv, r, (word s, word n, word e, word t, word r, word m, word d, word u, word c), (s, n, e, t, r, m, d, u, c))
SPOILED(MPI_Bcast, r, (word r, int n, word t, int root, word c), (r, n, t, root, c))
SPOILED(MPI_Exscan, r, (word s, word r, int n, word t, word o, word c), (s, r, n, t, o, c))
SPOILED(MPI_Gather, r, (word s, int n, word t, word r, int m, word u, int root, word c), (s, n, t, r, m, u, root, c))
SPOILED(MPI_Gatherv, r, (word s, int n, word t, word r, word m, word d, word u, int root, word c), (s, n, t, r, m, d, u, root, c))
SPOILED(MPI_Reduce, r, (word s, word r, int n, word t, word o, int root, word c), (s, r, n, t, o, root, c))
SPOILED(MPI_Reduce_scatter, r, (word s, word r, word n, word t, word o, word c), (s, r, n, t, o, c))
SPOILED(MPI_Reduce_scatter_block, r, (word s, word r, int n, word t, word o, word c), (s, r, n, t, o, c))
SPOILED(MPI_Scan, r, (word s, word r, int n, word t, word o, word c), (s, r, n, t, o, c))
SPOILED(MPI_Scatter, r, (word s, int n, word t, word r, int m, word u, int root, word c), (s, n, t, r, m, u, root, c))
SPOILED(MPI_Scatterv, r, (word s, word n, word d, word t, word r, int m, word u, int root, word c), (s, n, d, t, r, m, u, root, c))

int MPI_Allgather(const void *send, int n, void *type, void *recv, int m, void *into, void *comm)
{
    enum { APART = 8191 };
    static long call;
    static memory last;
    int (*allgather)(const void *, int, void *, void *, int, void *, void *), (*comm_size)(void *, int *), size;
    char *result = recv;

    *(void **)&allgather = real("MPI_Allgather");
    if (!is_case(recv) || n == 0)
        return spoil(allgather(send, n, type, recv, m, into, comm), __func__, recv);
    *(void **)&comm_size = real("PMPI_Comm_size");
    comm_size(comm, &size);
    size_t block = bytes_of(n, type), all = block * (size_t)size;
    if (++call > 100 && is("wrong-idle-after-100"))
        return 0;
    if (call > 100 && is("wrong-stale-after-100")) {
        memcpy(recv, last.of, last.bytes);
        return 0;
    }
    if (is("pages") && rank() == 1)
        touch_pages();
    if (is("stops") && rank() == 1)
        raise(SIGSTOP);
    int rc = spoil(allgather(send, n, type, recv, m, into, comm), __func__, recv);
    keep(&last, recv, all);
    if (is_spoiled(call, block))
        result[all - 1] ^= 1;
    if (is("wrong-send"))
        *(char *)send ^= 1;
    if (is("wrong-behind"))
        result[all]++;
    for (size_t i = 0; is("wrong-swap") && i < APART && i + APART < block; i++) {
        char was = result[i];
        result[i] = result[i + APART];
        result[i + APART] = was;
    }
    return rc;
}

int MPI_Allreduce(const void *send, void *recv, int n, void *type, void *op, void *comm)
{
    int (*allreduce)(const void *, void *, int, void *, void *, void *);
    double *result = recv;
    *(void **)&allreduce = real("MPI_Allreduce");
    int rc = spoil(allreduce(send, recv, n, type, op, comm), __func__, recv);
    if (!is_case(recv))
        return rc;
    if (is("wrong-ulp") && rank() == 1 && n > 0)
        *(uint64_t *)recv += 1;
    for (int i = 0; is("wrong-single") && i < n; i++)
        result[i] = (float)result[i];
    return rc;
}

int MPI_Iallreduce(const void *send, void *recv, int n, void *type, void *op, void *comm, void *request)
{
    int (*iallreduce)(const void *, void *, int, void *, void *, void *, void *), (*barrier)(void *);
    *(void **)&iallreduce = real("MPI_Iallreduce");
    *(void **)&barrier = real("PMPI_Barrier");
    if (is("wrong-post"))
        barrier(comm);
    return iallreduce(send, recv, n, type, op, comm, request);
}

int MPI_Bcast_c(void *data, long long n, void *type, int root, void *comm)
{
    int (*bcast)(void *, long long, void *, int, void *);
    *(void **)&bcast = real("MPI_Bcast_c");
    long long bits = is("wrong-31-bits") ? 31 : is("wrong-16-bits") ? 16 : 63;
    return bcast(data, bits < 63 ? n % (1LL << bits) : n, type, root, comm);
}

int MPI_Barrier(void *comm)
{
    static long call;
    int (*barrier)(void *);
    *(void **)&barrier = real("PMPI_Barrier");
    return is("wrong-barrier") && ++call > 50 ? 0 : barrier(comm);
}

/* The persistent request that was made last. */
static struct {
    void *request, *recv;
    size_t bytes;
    long starts;
    memory last;
} made;

static int allreduce_init(const char *name, const void *send, void *recv, int n, void *type, void *op, void *comm, void *info, void *request)
{
    int (*init)(const void *, void *, int, void *, void *, void *, void *, void *);
    *(void **)&init = real(name);
    made.request = request;
    made.recv = recv;
    made.bytes = bytes_of(n, type);
    made.starts = 0;
    return init(send, recv, n, type, op, comm, info, request);
}

int MPI_Allreduce_init(const void *send, void *recv, int n, void *type, void *op, void *comm, void *info, void *request)
{
    return allreduce_init(__func__, send, recv, n, type, op, comm, info, request);
}

/* Its name in Open MPI 4. */
int MPIX_Allreduce_init(const void *send, void *recv, int n, void *type, void *op, void *comm, void *info, void *request)
{
    return allreduce_init(__func__, send, recv, n, type, op, comm, info, request);
}

int MPI_Start(void *request)
{
    int (*start)(void *);
    *(void **)&start = real("MPI_Start");
    if (!is("wrong-start") || request != made.request)
        return start(request);
    if (++made.starts == 101)
        keep(&made.last, made.recv, made.bytes); /* start 100 has ended */
    if (made.starts <= 100)
        return start(request);
    memcpy(made.recv, made.last.of, made.last.bytes);
    return 0;
}

/* Whether this reading of a counter fails. */
static int loses(void)
{
    static int bad = -1, readings;
    if (bad < 0)
        bad = is("counter-lost") && rank() == 1;
    return bad && ++readings > 50;
}

static int is_counter(int fd)
{
    char name[32], of[64] = "";
    snprintf(name, sizeof name, "/proc/self/fd/%d", fd);
    return readlink(name, of, sizeof of - 1) > 0 && strstr(of, "[perf_event]") != NULL;
}

ssize_t read(int fd, void *to, size_t n)
{
    static ssize_t (*real)(int, void *, size_t);
    if (!real)
        *(void **)&real = dlsym(RTLD_NEXT, "read");
    if (n == sizeof(uint64_t) && is("counter-lost") && is_counter(fd) && loses())
        return 0;
    return real(fd, to, n);
}

int MPI_Comm_split_type(void *comm, int type, int key, void *info, void *made)
{
    static const char row[] = "nodes-of-";
    int (*split_type)(void *, int, int, void *, void *), (*split)(void *, int, int, void *), (*comm_rank)(void *, int *), at;
    const char *chosen = getenv("PGMPI_FAULT");
    int of = chosen && strncmp(chosen, row, strlen(row)) == 0 ? atoi(chosen + strlen(row)) : 0;

    *(void **)&split_type = real("MPI_Comm_split_type");
    if (of == 0 && !is("nodes-dealt"))
        return split_type(comm, type, key, info, made);
    *(void **)&split = real("PMPI_Comm_split");
    *(void **)&comm_rank = real("PMPI_Comm_rank");
    comm_rank(comm, &at);
    return split(comm, of > 0 ? at / of : at % 2, key, made);
}

int getrusage(__rusage_who_t who, struct rusage *usage)
{
    static int (*real)(int, struct rusage *), calls;
    if (!real)
        *(void **)&real = dlsym(RTLD_NEXT, "getrusage");
    int rc = real((int)who, usage);
    if (who == RUSAGE_THREAD && loses())
        return -1;
    if (is("switches"))
        usage->ru_nivcsw = rank() == 1 ? 7 * ++calls : 0;
    return rc;
}

int clock_gettime(clockid_t clock, struct timespec *t)
{
    enum { EVERY = 101, STEP_NS = 1000000, SECOND_NS = 1000000000 };
    static int (*real)(clockid_t, struct timespec *);
    static int bad = -1, calls;
    if (!real)
        *(void **)&real = dlsym(RTLD_NEXT, "clock_gettime");
    if (bad < 0)
        bad = is("clock") && rank() == 1;
    int rc = real(clock, t);
    if (bad && clock == CLOCK_MONOTONIC && ++calls % EVERY == 0) {
        t->tv_nsec -= STEP_NS;
        if (t->tv_nsec < 0) {
            t->tv_nsec += SECOND_NS;
            t->tv_sec--;
        }
    }
    return rc;
}

int MPI_T_cvar_write(void *handle, const void *value)
{
    int (*write_it)(void *, const void *);
    *(void **)&write_it = real("MPI_T_cvar_write");
    return is("cvar-lost") ? 0 : write_it(handle, value);
}
