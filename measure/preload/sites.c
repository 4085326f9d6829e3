/* Where a program calls from, with PGMPI_SITES: the return addresses of its calls, with function and size. Without it
 * a call pays for the question alone. */
#define _GNU_SOURCE
#include "preload.h"

#include <dlfcn.h>
#include <execinfo.h>
#include <link.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum { TRIES = 32, FRAMES = 8 };

int siting;
_Thread_local const void *call_site __attribute__((tls_model("initial-exec")));

static site sites[SITES];  /* by addresses of this process */
static site places[SITES]; /* the same in all ranks */
static atomic_flag lock = ATOMIC_FLAG_INIT;

/* Asks once, so that the unwinder is loaded before any call. */
void sites_start(void)
{
    void *frames[FRAMES];
    siting = backtrace(frames, FRAMES) > 0;
}

/* The program's own call, if it is of the library's Fortran, which has called us. */
void find_site(const void *caller)
{
    void *frames[FRAMES];
    if (!is_fortran(caller)) {
        call_site = caller;
        return;
    }
    int n = backtrace(frames, FRAMES), i = 1;
    while (i < n && !is_fortran(frames[i]))
        i++;
    while (i < n && is_fortran(frames[i]))
        i++;
    call_site = i < n ? frames[i] : NULL;
}

static site *find(site *table, int what, int64_t bytes, uint64_t at, const char *module)
{
    uint64_t h = (at * 0x9e3779b97f4a7c15u ^ (uint64_t)bytes * 0xc2b2ae3d27d4eb4fu ^ (uint64_t)what) >> 32;
    for (int i = 0; i < TRIES; i++, h++) {
        site *s = &table[h % SITES];
        if (s->calls == 0) {
            *s = (site){.what = what, .bytes = bytes, .at = at};
            snprintf(s->module, sizeof s->module, "%s", module);
        }
        if (s->what == what && s->bytes == bytes && s->at == at && strcmp(s->module, module) == 0)
            return s;
    }
    return NULL;
}

void site_end(int what, int64_t bytes, int64_t spent)
{
    while (atomic_flag_test_and_set_explicit(&lock, memory_order_acquire))
        ;
    site *s = call_site != NULL ? find(sites, what, bytes, (uint64_t)(uintptr_t)call_site, "") : NULL;
    if (s != NULL) {
        s->calls++;
        s->spent += spent;
    }
    atomic_flag_clear_explicit(&lock, memory_order_release);
}

static void add(const site *k, uint64_t at, const char *module)
{
    site *s = find(places, k->what, k->bytes, at, module);
    if (s != NULL) {
        s->calls += k->calls;
        s->spent += k->spent;
    }
}

/* Addresses become places in files. */
void sites_settle(double each)
{
    char self[sizeof sites->module] = "";
    if (readlink("/proc/self/exe", self, sizeof self - 1) < 0)
        self[0] = '\0';
    for (site *s = sites; s < sites + SITES; s++) {
        Dl_info in;
        struct link_map *map = NULL;
        s->spent = (int64_t)((double)s->spent * each);
        if (s->calls > 0 && dladdr1((void *)(uintptr_t)s->at, &in, (void **)&map, RTLD_DL_LINKMAP) != 0 && map != NULL)
            add(s, s->at - (uint64_t)map->l_addr, map->l_name[0] != '\0' ? map->l_name : self);
    }
}

const site *sites_all(void) { return places; }

void sites_merge(const site *from)
{
    for (const site *s = from; s < from + SITES; s++)
        if (s->calls > 0)
            add(s, s->at, s->module);
}
