/* A library whose nonblocking Bcast has a known overlap: preloaded into the ranks
 * (LD_PRELOAD), it takes the place of MPI_Ibcast, and of MPI_Test and MPI_Wait for its
 * requests.
 *
 *     PGMPI_OVERLAP=helper:5000000   the data come as they would, and a thread that sleeps
 *                                    for 5 ms completes the call: all of it can be hidden
 *     PGMPI_OVERLAP=wait:5000000     the processor is busy for 5 ms in Wait, or in the first
 *                                    test, and then the data come: none of it can be
 *     PGMPI_OVERLAP=spoil:0          right, unless it is tested: then a byte is wrong at
 *                                    all ranks but the root
 *     PGMPI_OVERLAP=late:0           right, unless it is tested up to five times, and then waited for: likewise
 *
 * It refers to no MPI data, so that a launcher that it is preloaded into does not mind. */
#define _POSIX_C_SOURCE 200809L
#include <mpi.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { HELPER, WAIT, SPOIL, LATE, NONE };

static int mode = NONE;
static int64_t length; /* ns */

/* The call that is posted. */
static struct {
    int active, tested, spoiled;
    MPI_Request request, real;
    void *buffer;
    int count, root;
    MPI_Datatype type;
    MPI_Comm comm;
} call;

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t posted = PTHREAD_COND_INITIALIZER;
static int wanted;
static atomic_int slept;

static int64_t now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

static void *helper(void *unused)
{
    struct timespec t = {(time_t)(length / 1000000000), (long)(length % 1000000000)};
    (void)unused;
    for (;;) {
        pthread_mutex_lock(&lock);
        while (!wanted)
            pthread_cond_wait(&posted, &lock);
        wanted = 0;
        pthread_mutex_unlock(&lock);
        nanosleep(&t, NULL);
        atomic_store(&slept, 1);
    }
    return NULL;
}

static void begin(void)
{
    static const char *const names[] = {"helper:", "wait:", "spoil:", "late:"};
    const char *text = getenv("PGMPI_OVERLAP");
    pthread_t thread;
    for (int i = 0; text != NULL && i < NONE; i++)
        if (strncmp(text, names[i], strlen(names[i])) == 0) {
            mode = i;
            length = strtoll(text + strlen(names[i]), NULL, 10);
        }
    if (mode == HELPER && pthread_create(&thread, NULL, helper, NULL) != 0)
        abort();
}

static int query(void *unused, MPI_Status *status)
{
    (void)unused;
    return PMPI_Status_set_cancelled(status, 0);
}

static int release(void *unused)
{
    (void)unused;
    return MPI_SUCCESS;
}

static int cancel(void *unused, int complete)
{
    (void)unused;
    (void)complete;
    return MPI_SUCCESS;
}

int MPI_Ibcast(void *buffer, int count, MPI_Datatype type, int root, MPI_Comm comm, MPI_Request *request)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    int rc = MPI_SUCCESS;
    pthread_once(&once, begin);
    if (mode == NONE)
        return PMPI_Ibcast(buffer, count, type, root, comm, request);
    if (mode != WAIT)
        rc = PMPI_Ibcast(buffer, count, type, root, comm, &call.real);
    if (rc == MPI_SUCCESS)
        rc = PMPI_Grequest_start(query, release, cancel, NULL, request);
    call.active = 1;
    call.tested = call.spoiled = 0;
    call.request = *request;
    call.buffer = buffer;
    call.count = count;
    call.type = type;
    call.root = root;
    call.comm = comm;
    atomic_store(&slept, 0);
    if (mode == HELPER) {
        pthread_mutex_lock(&lock);
        wanted = 1;
        pthread_cond_signal(&posted);
        pthread_mutex_unlock(&lock);
    }
    return rc;
}

static void spoil(void)
{
    int rank;
    PMPI_Comm_rank(call.comm, &rank);
    if (rank != call.root && call.count > 0)
        *(char *)call.buffer ^= 1;
}

/* Ends the call that is posted. */
static int finish(void)
{
    int rc = MPI_SUCCESS;
    if (mode == WAIT) {
        int64_t until = now() + length;
        while (now() < until)
            ;
        rc = PMPI_Bcast(call.buffer, call.count, call.type, call.root, call.comm);
    } else {
        rc = PMPI_Wait(&call.real, MPI_STATUS_IGNORE);
    }
    if (call.spoiled)
        spoil();
    call.active = 0;
    return rc == MPI_SUCCESS ? PMPI_Grequest_complete(call.request) : rc;
}

static int is_ours(const MPI_Request *request) { return call.active && *request == call.request; }

int MPI_Wait(MPI_Request *request, MPI_Status *status)
{
    int rc = MPI_SUCCESS;
    if (is_ours(request)) {
        while (mode == HELPER && !atomic_load(&slept))
            sched_yield();
        call.spoiled |= mode == LATE && call.tested;
        rc = finish();
    }
    return rc == MPI_SUCCESS ? PMPI_Wait(request, status) : rc;
}

int MPI_Test(MPI_Request *request, int *flag, MPI_Status *status)
{
    int rc = MPI_SUCCESS;
    if (is_ours(request)) {
        call.spoiled |= mode == SPOIL;
        if ((mode == HELPER && !atomic_load(&slept)) || (mode == SPOIL && !call.tested) || (mode == LATE && call.tested < 5)) {
            call.tested++;
            *flag = 0;
            return MPI_SUCCESS;
        }
        rc = finish();
    }
    return rc == MPI_SUCCESS ? PMPI_Test(request, flag, status) : rc;
}
