/* The nodes that processes are on, and the lanes across them: a lane has the processes at
 * the same place of every node. J. L. Träff, S. Hunold: Decomposing MPI Collectives for
 * Exploiting Multi-lane Communication, CLUSTER 2020 (arXiv 1910.13373). */
#ifndef PGMPI_LANES_H
#define PGMPI_LANES_H

#include "rows.h"

typedef struct pg_lanes {
    /* The findings, the same on all processes. */
    int nodes;        /* at least, where some are larger */
    int fewest, most; /* processes on a node */
    int in_order;     /* where all are as large: the processes of each have ranks in a row */

    /* Of this process, where pg_has_lanes. A node's number is its rank in a lane. */
    MPI_Comm node, lane;
    int node_rank, node_size;
    int lane_rank, lane_size;
} pg_lanes;

/* Finds the nodes of a communicator by MPI_COMM_TYPE_SHARED, all its processes together. */
int pg_find_lanes(MPI_Comm comm, pg_lanes *l);
int pg_free_lanes(pg_lanes *l);

/* 1 if there are several nodes, with as many processes each, several, in order: rank r is
 * process r mod node_size of node r / node_size. */
static inline int pg_has_lanes(const pg_lanes *l)
{
    return l->nodes > 1 && l->fewest > 1 && l->fewest == l->most && l->in_order;
}

/* Every prepare here begins with this. */
static inline int pg_need_lanes(const pg_ctx *x)
{
    return x->lanes != NULL && pg_has_lanes(x->lanes) ? MPI_SUCCESS : PG_LACKS;
}

/* The root's node, and its place there. */
static inline int pg_root_node(const pg_ctx *x) { return x->root / x->lanes->node_size; }
static inline int pg_root_place(const pg_ctx *x) { return x->root % x->lanes->node_size; }

/* The end of Scan and Exscan, where recv has the result of the own node alone, if any. The common
 * result of the nodes before comes before it. */
static inline int pg_behind(pg_ctx *x, void *before, int any)
{
    if (x->lanes->lane_rank == 0)
        return MPI_SUCCESS;
    if (any)
        return MPI_Reduce_local(before, x->recv, (int)x->count, x->type, x->op);
    pg_copy(x, x->recv, before, x->count);
    return MPI_SUCCESS;
}

#endif
