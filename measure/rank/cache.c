/* What is done to the caches before a repetition. */
#include "loop.h"

#include <string.h>

/* The buffers stay as the repetition before has left them. */
static void warm(pg_loop *l) { (void)l; }

/* Overwrites as much memory as the cache holds (S-REVISITED §5.8). */
static void cold(pg_loop *l) { memset(l->cold, (int)(l->turn++ & 0xff), (size_t)l->cold_bytes); }

/* Sends and receives at another place (mpptest's way, S-REVISITED §5.8). */
static void rotate(pg_loop *l)
{
    l->x->send = l->send.base + l->turn % l->send.positions * l->send.stride;
    l->x->recv = l->recv.base + l->turn % l->recv.positions * l->recv.stride;
    l->turn++;
}

static const struct {
    const char *name; /* as in results.Caches */
    void (*touch)(pg_loop *);
} caches[] = {{"warm", warm}, {"cold", cold}, {"rotate", rotate}};

void (*pg_cache_get(const char *name))(pg_loop *)
{
    for (size_t i = 0; i < sizeof caches / sizeof *caches; i++) {
        if (strcmp(caches[i].name, name) == 0)
            return caches[i].touch;
    }
    return NULL;
}
