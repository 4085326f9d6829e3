/* How fast the machine is at a moment, outside of every timed region. */
#ifndef PGMPI_YARDSTICK_H
#define PGMPI_YARDSTICK_H

#include "clock.h"
#include "mockups.h"

/* The values of protocol.Yardstick, ns; 0: not read. */
enum { PG_LINE, PG_MEMCPY, PG_REDUCE_LOCAL, PG_PINGPONG_8, PG_PINGPONG_64K, PG_YARDS };

typedef struct pg_yardstick pg_yardstick;

/* All ranks together: buffers, and memory that each rank shares with its
 * neighbour on the node, unless ranks share cores. Stays until the process ends. */
int pg_yardstick_open(pg_ctx *x, pg_yardstick **y);

/* All ranks together: a reading, which takes about a millisecond. At rank 0 each
 * value is the slowest of all ranks' or pairs'. */
int pg_yardstick_read(pg_ctx *x, pg_yardstick *y, pg_clock *now, double *values);

#endif
