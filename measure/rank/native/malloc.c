#include "rank.h"

#include <stdlib.h>

#ifdef __GLIBC__
#include <malloc.h>

int pg_set_malloc(int64_t mmap, int64_t trim)
{
    int set = mallopt(M_MMAP_THRESHOLD, (int)mmap) && mallopt(M_TRIM_THRESHOLD, (int)trim);
    if (set && trim <= mmap)
        malloc_trim(0); /* what the start of the process has left */
    return set;
}
#else
int pg_set_malloc(int64_t mmap, int64_t trim)
{
    (void)mmap;
    (void)trim;
    return 0;
}
#endif
