/* Messages among the ranks, on the communicator `own` of a context. Functions return MPI error codes. */
#ifndef PGMPI_EXCHANGE_H
#define PGMPI_EXCHANGE_H

#include "mockups.h"

/* Gives data of a root to all. */
int pg_share(pg_ctx *x, void *data, int bytes, int root);

/* Gathers a block of every rank, at rank 0 or at all. */
int pg_bring(pg_ctx *x, const void *mine, int64_t bytes, void *all);
int pg_all_gather(pg_ctx *x, const void *mine, int bytes, void *all);

/* Gathers texts of different lengths, which rank 0 knows, at rank 0. */
int pg_texts(pg_ctx *x, const void *mine, int length, void *all, const int *lengths, const int *displs);

/* Combines n numbers of every rank at rank 0, where `all` may be `mine`. */
int pg_combine(pg_ctx *x, const int64_t *mine, int64_t *all, int64_t n, int64_t (*combine)(int64_t, int64_t));
int64_t pg_most_of(int64_t a, int64_t b);
int64_t pg_least_of(int64_t a, int64_t b);
int64_t pg_sum_of(int64_t a, int64_t b);
int64_t pg_union_of(int64_t a, int64_t b);

#endif
