/* Calls of MPI for the Go side of the rank program. Return values are MPI error codes unless stated
 * otherwise. */
#ifndef PGMPI_RANK_H
#define PGMPI_RANK_H

#include "exchange.h"
#include "loop.h"
#include "messages.h"

/* The library family that the headers belong to ("openmpi", "mpich", "intel",
 * "mvapich", "abi", "unknown") and what they call themselves. */
const char *pg_built_family(void);
const char *pg_built_for(void);
const char *pg_compiler(void);

/* The name of the point-to-point messaging layer (PML) that Open MPI chose in MPI_Init. It is ""
 * with other libraries, and where it cannot be told. */
const char *pg_pml(void);

/* The path of the shared object that MPI is in, or "" where it cannot be told. */
const char *pg_library_file(void);

/* Starts MPI with a level of threads, as numbered in protocol.ThreadLevels: 0 is MPI_Init. *provided
 * gets the level that the library has then, or -1 for none of these. Makes the communicator of the
 * context and sets MPI_ERRORS_RETURN. */
int pg_start(pg_ctx *x, int level, int *provided);
int pg_stop(pg_ctx *x);
void pg_abort(int code);

/* Chooses datatype and operator by their names in gl.toml. Returns 0 when unknown. */
int pg_choose(pg_ctx *x, const char *type, const char *op);

/* Page-aligned memory with a guard of PG_GUARD_BYTES after it, touched. NULL when there is none. */
char *pg_alloc(int64_t bytes);

/* The lists of a context, for `size` processes, or NULL when there is no memory. */
pg_lists *pg_make_lists(int size);
void pg_free_lists(pg_lists *l);

/* A row whose run is `calls` calls of f in a row. It fills *many, which must
 * live as long as it is used, and returns it; f itself for one call, so that
 * nothing comes between the clock and a single call. */
const pg_function *pg_in_a_row(pg_function *many, const pg_function *f, pg_ctx *x, int64_t calls);

/* Calls f n times without timing. */
int pg_call(const pg_function *f, pg_ctx *x, int64_t n);

/* Calls f once where rank `late` enters last: it sleeps before this. *early gets,
 * at that rank, the rank of a process that had left f before it entered, or -1;
 * -1 at the others. */
int pg_call_late(const pg_function *f, pg_ctx *x, int late, int *early);

/* Makes one nonblocking or persistent call whose post has to return at all other ranks before
 * rank `late` posts: this waits for them, up to `limit` seconds. *stuck gets, at that rank, a
 * rank that had not returned by then, or -1; -1 at the others. */
int pg_post_late(const char *id, pg_ctx *x, int late, double limit, int *stuck);

/* The nodes that the ranks are on, and how many ranks are on nodes with fewer
 * cores, by the ranks' affinity masks together, than ranks. */
int pg_topology(pg_ctx *x, int *nodes, int *crowded);

/* Has malloc take blocks of this many bytes and more from the kernel for each call, and give back free
 * memory at the end of its heap from `trim` bytes on. glibc moves neither from then on. Returns 0 where
 * malloc cannot be told so. */
int pg_set_malloc(int64_t mmap, int64_t trim);

/* Takes, touches and frees a block: malloc then has it for others, where it gives nothing back. */
void pg_free_large_block(int64_t bytes);

/* Keeps for good what is free in the heap in blocks of `bytes` or more: it would serve a call that
 * takes such memory from the kernel in a fresh process, and it depends on the calls before. */
void pg_hold_free_blocks(int64_t bytes);

void pg_library_version(char *text, int *length);
void pg_error_text(int code, char *text);

#endif
