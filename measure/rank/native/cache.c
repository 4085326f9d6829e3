/* Treats the caches before a repetition. */
#include "loop.h"

#include <string.h>

/* The buffers stay as the repetition before has left them. */
static void warm(pg_loop *l) { (void)l; }

/* Overwrites as much memory as the cache holds (S-REVISITED §5.8). */
static void cold(pg_loop *l) { memset(l->cold, (int)(l->turn++ & 0xff), (size_t)l->cold_bytes); }

/* Sends and receives elsewhere (mpptest's way, S-REVISITED §5.8). */
static void rotate(pg_loop *l)
{
    l->x->send = l->send.base + l->turn % l->send.positions * l->send.stride;
    l->x->recv = l->recv.base + l->turn % l->recv.positions * l->recv.stride;
    l->turn++;
}

const pg_cache pg_cache_warm = {.name = "warm", .touch = warm};
const pg_cache pg_cache_cold = {.name = "cold", .overwrites = 1, .touch = cold};
const pg_cache pg_cache_rotate = {.name = "rotate", .rotates = 1, .touch = rotate};

const pg_cache *pg_cache_at(int i)
{
    static const pg_cache *const caches[] = {&pg_cache_warm, &pg_cache_cold, &pg_cache_rotate};
    return (size_t)i < sizeof caches / sizeof *caches ? caches[i] : NULL;
}
