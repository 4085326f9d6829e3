/* Probes tell how fast the machine is at a moment, outside of every timed region. */
#ifndef PGMPI_PROBES_H
#define PGMPI_PROBES_H

#include "clock.h"
#include "mockups.h"

/* The values of protocol.Probes, ns, or 0 if not read. */
enum { PG_LINE, PG_MEMCPY, PG_REDUCE_LOCAL, PG_PINGPONG_8, PG_PINGPONG_64K, PG_PROBES };

typedef struct pg_probes pg_probes;

/* All ranks together: buffers, and memory that each rank shares with its
 * neighbour on the node, unless ranks share cores. Stays until the process ends. */
int pg_probes_open(pg_ctx *x, pg_probes **y);

/* All ranks together: a reading, which takes about a millisecond. At rank 0 each
 * value is the slowest of all ranks' or pairs'. */
int pg_probes_read(pg_ctx *x, pg_probes *y, pg_clock *now, double *values);

#endif
