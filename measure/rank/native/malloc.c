#include "rank.h"

#include <stdlib.h>
#include <string.h>

#ifdef __GLIBC__
#include <malloc.h>

int pg_set_malloc(int64_t mmap, int64_t trim)
{
    int set = mallopt(M_MMAP_THRESHOLD, (int)mmap) && mallopt(M_TRIM_THRESHOLD, (int)trim);
    if (set && trim <= mmap)
        malloc_trim(0); /* what the start of the process has left */
    return set;
}

void pg_free_large_block(int64_t bytes)
{
    char *volatile at = malloc((size_t)bytes);
    if (at != NULL)
        memset(at, 1, (size_t)bytes);
    free(at);
}

static size_t mapped_blocks(void)
{
#if __GLIBC_PREREQ(2, 33)
    return mallinfo2().hblks;
#else
    return (size_t)mallinfo().hblks;
#endif
}

void pg_hold_free_blocks(int64_t bytes)
{
    enum { MOST = 1024 };
    static void *volatile held[MOST];
    static int other; /* malloc is not glibc's */
    int n = 0;
    while (!other && n < MOST) {
        size_t before = mapped_blocks();
        held[n] = malloc((size_t)bytes);
        if (held[n] == NULL)
            return;
        if (mapped_blocks() > before) {
            free(held[n]);
            return;
        }
        n++;
    }
    for (other = 1; n > 0; n--)
        free(held[n - 1]);
}
#else
int pg_set_malloc(int64_t mmap, int64_t trim)
{
    (void)mmap;
    (void)trim;
    return 0;
}

void pg_free_large_block(int64_t bytes) { (void)bytes; }

void pg_hold_free_blocks(int64_t bytes) { (void)bytes; }
#endif
