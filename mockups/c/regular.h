/* The regular collectives, in alphabetical order: the ones that have an identity
 * (identity.c) and that a slowdown can be planted in (measure/delay). The Go
 * table marks the same ones. X gets the name and the prepare of its row. */
#ifndef PGMPI_REGULAR_H
#define PGMPI_REGULAR_H

#define PG_REGULAR(X)                      \
    X(Allgather, pg_prepare_nothing)       \
    X(Allreduce, pg_prepare_nothing)       \
    X(Alltoall, pg_prepare_nothing)        \
    X(Bcast, pg_prepare_nothing)           \
    X(Exscan, pg_prepare_nothing)          \
    X(Gather, pg_prepare_nothing)          \
    X(Reduce, pg_prepare_nothing)          \
    X(Reduce_scatter, pg_equal_parts)      \
    X(Reduce_scatter_block, pg_prepare_nothing) \
    X(Scan, pg_prepare_nothing)            \
    X(Scatter, pg_prepare_nothing)

#endif
