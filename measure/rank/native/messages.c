#define _GNU_SOURCE /* dl_iterate_phdr, RTLD_DEFAULT */
#include "messages.h"
#include "exchange.h"
#include "rows.h"

#include <dlfcn.h>
#include <link.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

static atomic_llong messages, bytes;
static atomic_ullong pattern;
static int from;

/* The last step of splitmix64 (Steele, Lea, Flood 2014). */
static uint64_t mixed(uint64_t x)
{
    x += 0x9e3779b97f4a7c15;
    x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9;
    x = (x ^ (x >> 27)) * 0x94d049bb133111eb;
    return x ^ (x >> 31);
}

static void sent(int to, size_t size)
{
    atomic_fetch_add(&messages, 1);
    atomic_fetch_add(&bytes, (long long)size);
    atomic_fetch_add(&pattern, mixed(mixed(mixed((uint64_t)from) + (uint64_t)to) + size));
}

typedef void record(int to, size_t size, int tag);

/* Keeps the path of Open MPI's library for monitoring, if it is loaded. */
static int monitoring(struct dl_phdr_info *of, size_t size, void *path)
{
    (void)size;
    if (strstr(of->dlpi_name, "libmca_common_monitoring") == NULL)
        return 0;
    snprintf(path, 4096, "%s", of->dlpi_name);
    return 1;
}

/* The library's own function: in 4 it is in no namespace that the program shares. */
static record *theirs(const char *name)
{
    char path[4096];
    record *found;
    *(void **)&found = dlsym(RTLD_NEXT, name);
    if (found != NULL || !dl_iterate_phdr(monitoring, path))
        return found;
    void *library = dlopen(path, RTLD_LAZY | RTLD_NOLOAD);
    if (library == NULL)
        return found;
    *(void **)&found = dlsym(library, name);
    dlclose(library);
    return found;
}

/* If it is asked for (OMPI_MCA_pml_monitoring_enable=1), Open MPI puts its layer "monitoring"
 * before the one that sends, which calls this function of its own library for every message
 * (ompi/mca/common/monitoring, versions 3.1 to 5.0). The program's comes before the library's, and
 * hands on what it has counted. The library's counters cannot be read by MPI_T: 4.1.4 takes them back
 * when the layer is in place. */
record mca_common_monitoring_record_pml;
void mca_common_monitoring_record_pml(int to, size_t size, int tag)
{
    static _Atomic(record *) next;
    static atomic_int sought;
    if (!atomic_load(&sought)) {
        atomic_store(&next, theirs(__func__));
        atomic_store(&sought, 1);
    }
    record *f = atomic_load(&next);
    if (f != NULL && f != mca_common_monitoring_record_pml)
        f(to, size, tag);
    sent(to, size);
}

/* Open MPI 6.0.0rc2 crashes with that layer. There, while messages are counted, two functions of the table by which
 * collectives send are ours, and one that prepares a message, which they start once (mca_pml, in ompi/mca/pml/pml.h;
 * its entries have moved in 5.0, so that their names tell which they are). A receiver is counted by its rank in the
 * communicator. */
typedef int pml_isend(const void *, size_t, const char *type, int to, int tag, int mode, void *comm, void **request);
typedef int pml_send(const void *, size_t, const char *type, int to, int tag, int mode, void *comm);
struct sends {
    pml_isend *isend_init, *isend;
    pml_send *send;
};
static struct sends own;

/* Its datatypes begin with a header of 16 bytes, flags, a number and a length: then comes the size in bytes
 * (opal/datatype/opal_datatype.h). MPI_Type_size would want the handle of this program's ABI. */
static size_t all_of(const char *type, size_t count)
{
    size_t size;
    memcpy(&size, type + 24, sizeof size);
    return count * size;
}

static int by_isend_init(const void *data, size_t count, const char *type, int to, int tag, int mode, void *comm,
                         void **request)
{
    sent(to, all_of(type, count));
    return own.isend_init(data, count, type, to, tag, mode, comm, request);
}

static int by_isend(const void *data, size_t count, const char *type, int to, int tag, int mode, void *comm, void **request)
{
    sent(to, all_of(type, count));
    return own.isend(data, count, type, to, tag, mode, comm, request);
}

static int by_send(const void *data, size_t count, const char *type, int to, int tag, int mode, void *comm)
{
    sent(to, all_of(type, count));
    return own.send(data, count, type, to, tag, mode, comm);
}

/* UCX's request parameters (ucp.h, 1.9 and later), as far as a message's size needs them. */
struct parameters {
    uint32_t mask, flags;
    void *request, *callback;
    uint64_t datatype;
};
enum { HAS_DATATYPE = 1 << 3, CLASS = 7, SHIFT = 3 };

typedef void *tag_send(void *, const void *, size_t, uint64_t, const struct parameters *);
static tag_send *ucx;

static void *by_ucx(void *to, const void *data, size_t count, uint64_t tag, const struct parameters *p)
{
    int contiguous = (p->mask & HAS_DATATYPE) && (p->datatype & CLASS) == 0;
    sent(0, contiguous ? count * (p->datatype >> SHIFT) : count); /* the receiver's rank is not known here */
    return ucx(to, data, count, tag, p);
}

/* The loader makes slots read-only that it has filled before the program starts (BIND_NOW), as Debian's since 13. */
static void point(tag_send **slot)
{
    size_t page = (size_t)sysconf(_SC_PAGESIZE);
    if (mprotect((void *)((uintptr_t)slot & ~(page - 1)), page, PROT_READ | PROT_WRITE) == 0)
        *slot = by_ucx;
}

/* Points a library's call of ucp_tag_send_nbx to by_ucx, if it has a slot for it. */
static int redirect(struct dl_phdr_info *of, size_t size, void *none)
{
    (void)size, (void)none;
    const ElfW(Dyn) *d = NULL;
    for (int i = 0; i < of->dlpi_phnum; i++)
        if (of->dlpi_phdr[i].p_type == PT_DYNAMIC)
            d = (const void *)(of->dlpi_addr + of->dlpi_phdr[i].p_vaddr);
    const ElfW(Sym) *symbols = NULL;
    const ElfW(Rela) *slots = NULL;
    const char *names = NULL;
    size_t n = 0;
    for (; d != NULL && d->d_tag != DT_NULL; d++) {
        const void *at = (const void *)d->d_un.d_ptr;
        switch (d->d_tag) {
        case DT_SYMTAB: symbols = at; break;
        case DT_STRTAB: names = at; break;
        case DT_JMPREL: slots = at; break;
        case DT_PLTRELSZ: n = d->d_un.d_val / sizeof *slots; break;
        }
    }
    for (size_t i = 0; slots != NULL && symbols != NULL && names != NULL && i < n; i++)
        if (strcmp(names + symbols[ELF64_R_SYM(slots[i].r_info)].st_name, "ucp_tag_send_nbx") == 0)
            point((tag_send **)(of->dlpi_addr + slots[i].r_offset));
    return 0;
}

static int is_named(const void *function, const char *end)
{
    Dl_info of;
    if (function == NULL || !dladdr(function, &of) || of.dli_saddr != function || of.dli_sname == NULL)
        return 0;
    const char *last = strrchr(of.dli_sname, '_');
    return last != NULL && strcmp(last, end) == 0;
}

/* The entries of Open MPI's table, or NULL where names do not tell them. */
static struct sends *pml_by_names(void)
{
    enum { ENTRIES = 19 };
    void **table = dlsym(RTLD_DEFAULT, "mca_pml");
    for (int i = 0; table != NULL && i < ENTRIES; i++)
        if (is_named(table[i], "_init") && is_named(table[i + 1], "_isend") && is_named(table[i + 2], "_send"))
            return (struct sends *)&table[i];
    return NULL;
}

static int send_on(const pg_ctx *x, int n, MPI_Datatype type)
{
    int out[3] = {0}, in[3];
    return MPI_Sendrecv(out, n, type, (x->rank + 1) % x->size, 0, in, n, type, (x->rank + x->size - 1) % x->size, 0, x->own,
                        MPI_STATUS_IGNORE);
}

/* Whether messages to the next rank, of a byte and of three ints, are counted as what they are: a library of
 * another form has none. */
static int counted(const pg_ctx *x)
{
    pg_sent a = pg_messages_now();
    int rc = send_on(x, 1, MPI_BYTE);
    rc = pg_first(rc, send_on(x, 3, MPI_INT));
    pg_sent b = pg_messages_now();
    return rc == MPI_SUCCESS && b.messages - a.messages == 2 && b.bytes - a.bytes == 1 + 3 * (int64_t)sizeof(int);
}

int pg_messages_open(pg_ctx *x)
{
    from = x->rank;
    if (counted(x))
        return 1;
    struct sends *pml = pml_by_names();
    *(void **)&ucx = dlsym(RTLD_DEFAULT, "ucp_tag_send_nbx");
    if (pml != NULL) {
        own = *pml;
        *pml = (struct sends){by_isend_init, by_isend, by_send};
    } else if (ucx != NULL) {
        dl_iterate_phdr(redirect, NULL);
    }
    if (counted(x))
        return 1;
    if (pml != NULL)
        *pml = own;
    return 0;
}

pg_sent pg_messages_now(void) { return (pg_sent){atomic_load(&messages), atomic_load(&bytes), atomic_load(&pattern)}; }

int pg_messages_sum(pg_ctx *x, pg_sent mine, pg_sent *all)
{
    int64_t in[3] = {mine.messages, mine.bytes, (int64_t)mine.pattern}, out[3] = {0, 0, 0};
    int rc = pg_combine(x, in, out, 3, pg_sum_of);
    *all = (pg_sent){out[0], out[1], (uint64_t)out[2]};
    return rc;
}
