#define _GNU_SOURCE
#include "counters.h"
#include "exchange.h"
#include "messages.h"

#include <errno.h>
#include <linux/perf_event.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#define CACHE_MISSES(which) ((which) | PERF_COUNT_HW_CACHE_OP_READ << 8 | PERF_COUNT_HW_CACHE_RESULT_MISS << 16)

enum { FAULTS = 1, SWITCHES, MESSAGES, SENT_BYTES };

static const struct event {
    const char *name;
    uint32_t type;
    uint64_t config;
    int usage; /* what getrusage, or the library's layer for messages, counts of it, or 0 for nothing */
} events[] = {
    {"page-faults", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_PAGE_FAULTS, FAULTS},
    {"context-switches", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_CONTEXT_SWITCHES, SWITCHES},
    {"cpu-migrations", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_CPU_MIGRATIONS, 0},
    {"cycles", PERF_TYPE_HARDWARE, PERF_COUNT_HW_CPU_CYCLES, 0},
    {"instructions", PERF_TYPE_HARDWARE, PERF_COUNT_HW_INSTRUCTIONS, 0},
    {"cache-references", PERF_TYPE_HARDWARE, PERF_COUNT_HW_CACHE_REFERENCES, 0},
    {"cache-misses", PERF_TYPE_HARDWARE, PERF_COUNT_HW_CACHE_MISSES, 0},
    {"branch-misses", PERF_TYPE_HARDWARE, PERF_COUNT_HW_BRANCH_MISSES, 0},
    {"dTLB-load-misses", PERF_TYPE_HW_CACHE, CACHE_MISSES(PERF_COUNT_HW_CACHE_DTLB), 0},
    {"L1-dcache-load-misses", PERF_TYPE_HW_CACHE, CACHE_MISSES(PERF_COUNT_HW_CACHE_L1D), 0},
    {"L1-icache-load-misses", PERF_TYPE_HW_CACHE, CACHE_MISSES(PERF_COUNT_HW_CACHE_L1I), 0},
    {"messages", 0, 0, MESSAGES},
    {"sent-bytes", 0, 0, SENT_BYTES},
};

enum { EVENTS = sizeof events / sizeof *events, MAX_VALUES = 4096 };

const char *pg_counter_name(int i) { return i < EVENTS ? events[i].name : NULL; }

/* One of the four ways to read a counter. */
typedef struct counter {
    int fd;    /* of perf_event_open, or -1 for another way */
    int usage; /* of getrusage, or of messages; 0 for another way */
    MPI_T_pvar_handle handle;
    MPI_Datatype type;
    int values;   /* of a performance variable, which are added up */
    int is_level; /* its value after a call counts, not what it has grown by */
} counter;

struct pg_counters {
    int n;
    counter of[PG_COUNTERS];
    MPI_T_pvar_session session;
    int in_session;
    int64_t room, before[PG_COUNTERS];
    int64_t *counted; /* by repetition and counter */
    long long scratch[MAX_VALUES];
};

pg_counters *pg_counters_new(int64_t repetitions)
{
    pg_counters *c = calloc(1, sizeof *c);
    if (c == NULL)
        return NULL;
    c->room = repetitions;
    c->counted = calloc((size_t)repetitions * PG_COUNTERS, sizeof *c->counted);
    if (c->counted == NULL) {
        free(c);
        return NULL;
    }
    return c;
}

static int fails(char *text, const char *why)
{
    snprintf(text, PG_COUNTER_WHY, "%s", why);
    return 0;
}

static int perf(const struct event *e, int user_only)
{
    struct perf_event_attr a = {.type = e->type, .size = sizeof a, .config = e->config, .exclude_kernel = user_only != 0,
                                .exclude_hv = user_only != 0, .pinned = e->type != PERF_TYPE_SOFTWARE};
    return (int)syscall(SYS_perf_event_open, &a, 0, -1, -1, PERF_FLAG_FD_CLOEXEC);
}

static int paranoid(void)
{
    int level = -9;
    FILE *f = fopen("/proc/sys/kernel/perf_event_paranoid", "r");
    if (f != NULL) {
        if (fscanf(f, "%d", &level) != 1)
            level = -9;
        fclose(f);
    }
    return level;
}

/* Says why perf_event_open has failed. */
static int refused(int error, char *text)
{
    switch (error) {
    case EACCES:
    case EPERM:
        snprintf(text, PG_COUNTER_WHY, "perf_event_open: %s; kernel.perf_event_paranoid is %d, and 1 or CAP_PERFMON allows it unless a container forbids it", strerror(error), paranoid());
        break;
    case ENOENT:
    case EOPNOTSUPP:
    case ENODEV:
        snprintf(text, PG_COUNTER_WHY, "the processor has no such counter, or the virtual machine hides it (perf_event_open: %s)", strerror(error));
        break;
    case ENOSYS:
        snprintf(text, PG_COUNTER_WHY, "this kernel, or the container, has no perf_event_open");
        break;
    default:
        snprintf(text, PG_COUNTER_WHY, "perf_event_open: %s", strerror(error));
    }
    return 0;
}

static int open_event(counter *k, const struct event *e, char *text)
{
    uint64_t value;
    snprintf(text, PG_COUNTER_WHY, "perf_event_open");
    k->fd = perf(e, 0);
    int error = errno;
    if (k->fd < 0 && e->usage != 0) {
        k->usage = e->usage;
        snprintf(text, PG_COUNTER_WHY, "getrusage");
        return 1;
    }
    if (k->fd < 0 && (error == EACCES || error == EPERM) && e->type != PERF_TYPE_SOFTWARE) {
        k->fd = perf(e, 1);
        snprintf(text, PG_COUNTER_WHY, "perf_event_open, without the kernel");
    }
    if (k->fd < 0)
        return refused(error, text);
    if (read(k->fd, &value, sizeof value) != sizeof value) {
        close(k->fd);
        return fails(text, "the processor cannot count all these events at a time");
    }
    return 1;
}

static int open_messages(counter *k, int usage, pg_ctx *x, char *text)
{
    if (!pg_messages_open(x))
        return fails(text, "its messages cannot be counted here: that is known of Open MPI 4 to 6, and of MPICH where it sends by UCX");
    k->usage = usage;
    snprintf(text, PG_COUNTER_WHY, "the library's messages");
    return 1;
}

/* Returns the number of a performance variable, and what it is, or -1 if there is none. */
static int find(const char *name, int *class, MPI_Datatype *type, int *bind, int *continuous)
{
    int n = 0;
    if (MPI_T_pvar_get_num(&n) != MPI_SUCCESS)
        return -1;
    for (int i = 0; i < n; i++) {
        char its[256] = "", text[8] = "";
        int length = sizeof its, text_length = sizeof text, verbosity, readonly, atomic;
        MPI_T_enum names;
        if (MPI_T_pvar_get_info(i, its, &length, &verbosity, class, type, &names, text, &text_length, bind, &readonly, continuous, &atomic) == MPI_SUCCESS &&
            strcmp(its, name) == 0)
            return i;
    }
    return -1;
}

static int is_integer(MPI_Datatype type)
{
    return type == MPI_INT || type == MPI_UNSIGNED || type == MPI_UNSIGNED_LONG || type == MPI_UNSIGNED_LONG_LONG || type == MPI_COUNT;
}

static int open_variable(pg_counters *c, counter *k, pg_ctx *x, const char *name, char *text)
{
    int provided, class, bind, continuous, index;
    if (!c->in_session && MPI_T_init_thread(MPI_THREAD_SINGLE, &provided) == MPI_SUCCESS)
        c->in_session = MPI_T_pvar_session_create(&c->session) == MPI_SUCCESS;
    if (!c->in_session)
        return fails(text, "MPI_T does not start");
    index = find(name, &class, &k->type, &bind, &continuous);
    if (index < 0)
        return fails(text, "this library has no such performance variable (MPI_T)");
    if (!is_integer(k->type))
        return fails(text, "its values are no whole numbers");
    if (bind != MPI_T_BIND_NO_OBJECT && bind != MPI_T_BIND_MPI_COMM)
        return fails(text, "it is about an object that is not measured; only counters of the library and of a communicator are read");
    if (MPI_T_pvar_handle_alloc(c->session, index, bind == MPI_T_BIND_MPI_COMM ? (void *)&x->comm : NULL, &k->handle, &k->values) != MPI_SUCCESS)
        return fails(text, "MPI_T gives no handle for it");
    if (k->values < 1 || k->values > MAX_VALUES || (!continuous && MPI_T_pvar_start(c->session, k->handle) != MPI_SUCCESS) ||
        MPI_T_pvar_read(c->session, k->handle, c->scratch) != MPI_SUCCESS) {
        MPI_T_pvar_handle_free(c->session, &k->handle);
        return fails(text, "MPI_T does not let it be read");
    }
    k->is_level = class != MPI_T_PVAR_CLASS_COUNTER && class != MPI_T_PVAR_CLASS_AGGREGATE && class != MPI_T_PVAR_CLASS_TIMER;
    snprintf(text, PG_COUNTER_WHY, "%s", k->is_level ? "MPI_T, its value behind the call" : "MPI_T");
    return 1;
}

int pg_counters_open(pg_counters *c, pg_ctx *x, const char *name, char text[PG_COUNTER_WHY])
{
    static const char prefix[] = "mpi_t:", raw[] = "raw:";
    counter k = {.fd = -1};
    int found = 0;
    if (c->n == PG_COUNTERS)
        return fails(text, "there are too many");
    if (strncmp(name, prefix, sizeof prefix - 1) == 0) {
        found = open_variable(c, &k, x, name + sizeof prefix - 1, text);
    } else if (strncmp(name, raw, sizeof raw - 1) == 0) {
        struct event of = {name, PERF_TYPE_RAW, strtoull(name + sizeof raw - 1, NULL, 16), 0};
        found = open_event(&k, &of, text);
    } else {
        int i = 0;
        while (i < EVENTS && strcmp(events[i].name, name) != 0)
            i++;
        found = i == EVENTS                   ? fails(text, "this rank program has no such counter")
                : events[i].usage >= MESSAGES ? open_messages(&k, events[i].usage, x, text)
                                              : open_event(&k, &events[i], text);
    }
    if (found)
        c->of[c->n++] = k;
    return found;
}

void pg_counters_close_last(pg_counters *c)
{
    counter *k = &c->of[--c->n];
    if (k->fd >= 0)
        close(k->fd);
    else if (k->usage == 0)
        MPI_T_pvar_handle_free(c->session, &k->handle);
}

static int64_t sum(const pg_counters *c, const counter *k)
{
    int64_t all = 0;
    for (int i = 0; i < k->values; i++)
        all += k->type == MPI_INT ? ((const int *)c->scratch)[i] : k->type == MPI_UNSIGNED ? (int64_t)((const unsigned *)c->scratch)[i]
             : k->type == MPI_COUNT ? (int64_t)((const MPI_Count *)c->scratch)[i] : k->type == MPI_UNSIGNED_LONG ? (int64_t)((const unsigned long *)c->scratch)[i]
                                                                                                               : c->scratch[i];
    return all;
}

/* Returns what a counter shows now. The kernel takes a counter of the processor away where it must. */
static int64_t value(pg_counters *c, counter *k)
{
    uint64_t v = 0;
    struct rusage usage;
    if (k->fd >= 0)
        return read(k->fd, &v, sizeof v) == sizeof v ? (int64_t)v : PG_COUNTER_LOST;
    if (k->usage == 0)
        return MPI_T_pvar_read(c->session, k->handle, c->scratch) == MPI_SUCCESS ? sum(c, k) : PG_COUNTER_LOST;
    if (k->usage >= MESSAGES)
        return k->usage == MESSAGES ? pg_messages_now().messages : pg_messages_now().bytes;
    if (getrusage(RUSAGE_THREAD, &usage) != 0)
        return PG_COUNTER_LOST;
    return k->usage == FAULTS ? usage.ru_minflt + usage.ru_majflt : usage.ru_nvcsw + usage.ru_nivcsw;
}

void pg_counters_before(pg_counters *c)
{
    for (int k = 0; k < c->n; k++)
        c->before[k] = value(c, &c->of[k]);
}

void pg_counters_after(pg_counters *c, int64_t i)
{
    for (int k = 0; k < c->n && i < c->room; k++) {
        int64_t now = value(c, &c->of[k]), before = c->of[k].is_level ? 0 : c->before[k];
        int lost = now == PG_COUNTER_LOST || before == PG_COUNTER_LOST;
        c->counted[i * c->n + k] = lost ? PG_COUNTER_LOST : now > before ? now - before : 0;
    }
}

int pg_counters_most(pg_counters *c, pg_ctx *x, int64_t n, int64_t *all)
{
    return pg_combine(x, c->counted, all, n * c->n, pg_most_of);
}
