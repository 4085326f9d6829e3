/* Hierarchical mock-ups (GL31): one process of every node, its leader, sends to other nodes
 * for all of them. It is at the root's place, else the first one, in Scan and Exscan the
 * last one, which knows what its whole node gives. */
#include "lanes.h"

static int leads(const pg_ctx *x, int place) { return x->lanes->node_rank == place; }
static int last(const pg_ctx *x) { return x->lanes->node_size - 1; }

/* The elements of a node's blocks, and the place of the own node's in a vector. */
static int64_t node_elements(const pg_ctx *x) { return x->lanes->node_size * x->count; }
static void *node_blocks(const pg_ctx *x, void *vector)
{
    return pg_at(x, vector, x->lanes->lane_rank * node_elements(x));
}

/* A temporary at the leader. */
static int prepare_at(pg_ctx *x, int place, int64_t elements)
{
    return leads(x, place) ? pg_temp(x, 0, elements) : MPI_SUCCESS;
}

/* The blocks of a node at its leader; the root has them in place. */
static int prepare_node(pg_ctx *x)
{
    int err = pg_need_lanes(x);
    if (err != MPI_SUCCESS || x->rank == x->root)
        return err;
    return prepare_at(x, pg_root_place(x), node_elements(x));
}

static int allgather(pg_ctx *x)
{
    const pg_lanes *l = x->lanes;
    int n = (int)x->count, of_node = (int)node_elements(x);
    void *node = leads(x, 0) ? node_blocks(x, x->recv) : NULL;
    int err = MPI_Gather(x->send, n, x->type, node, n, x->type, 0, l->node);
    if (err == MPI_SUCCESS && leads(x, 0))
        err = MPI_Allgather(MPI_IN_PLACE, of_node, x->type, x->recv, of_node, x->type, l->lane);
    return err == MPI_SUCCESS ? MPI_Bcast(x->recv, x->size * n, x->type, 0, l->node) : err;
}

static int allreduce(pg_ctx *x)
{
    const pg_lanes *l = x->lanes;
    int n = (int)x->count;
    int err = MPI_Reduce(x->send, leads(x, 0) ? x->recv : NULL, n, x->type, x->op, 0, l->node);
    if (err == MPI_SUCCESS && leads(x, 0))
        err = MPI_Allreduce(MPI_IN_PLACE, x->recv, n, x->type, x->op, l->lane);
    return err == MPI_SUCCESS ? MPI_Bcast(x->recv, n, x->type, 0, l->node) : err;
}

static int bcast(pg_ctx *x)
{
    const pg_lanes *l = x->lanes;
    int n = (int)x->count, place = pg_root_place(x), err = MPI_SUCCESS;
    if (leads(x, place))
        err = MPI_Bcast(x->recv, n, x->type, pg_root_node(x), l->lane);
    return err == MPI_SUCCESS ? MPI_Bcast(x->recv, n, x->type, place, l->node) : err;
}

static int gather(pg_ctx *x)
{
    const pg_lanes *l = x->lanes;
    int n = (int)x->count, of_node = (int)node_elements(x), place = pg_root_place(x), is_root = x->rank == x->root;
    void *node = is_root ? node_blocks(x, x->recv) : x->temp[0];
    int err = MPI_Gather(x->send, n, x->type, node, n, x->type, place, l->node);
    if (err != MPI_SUCCESS || !leads(x, place))
        return err;
    return MPI_Gather(is_root ? MPI_IN_PLACE : node, of_node, x->type, is_root ? x->recv : NULL, of_node, x->type,
                      pg_root_node(x), l->lane);
}

static int prepare_reduce(pg_ctx *x)
{
    int err = pg_need_lanes(x);
    return err == MPI_SUCCESS ? prepare_at(x, pg_root_place(x), x->count) : err;
}

static int reduce(pg_ctx *x)
{
    const pg_lanes *l = x->lanes;
    int n = (int)x->count, place = pg_root_place(x);
    int err = MPI_Reduce(x->send, x->temp[0], n, x->type, x->op, place, l->node);
    if (err != MPI_SUCCESS || !leads(x, place))
        return err;
    return MPI_Reduce(x->temp[0], x->rank == x->root ? x->recv : NULL, n, x->type, x->op, pg_root_node(x), l->lane);
}

/* At the leader temp[0] holds the vector reduced on the node, temp[1] the node's blocks of
 * the result. */
static int prepare_reduce_scatter_block(pg_ctx *x)
{
    int err = pg_need_lanes(x);
    if (err == MPI_SUCCESS)
        err = pg_check_count(x->size * x->count);
    if (err == MPI_SUCCESS)
        err = prepare_at(x, 0, x->size * x->count);
    return err == MPI_SUCCESS && leads(x, 0) ? pg_temp(x, 1, node_elements(x)) : err;
}

static int reduce_scatter_block(pg_ctx *x)
{
    const pg_lanes *l = x->lanes;
    int n = (int)x->count;
    int err = MPI_Reduce(x->send, x->temp[0], x->size * n, x->type, x->op, 0, l->node);
    if (err == MPI_SUCCESS && leads(x, 0))
        err = MPI_Reduce_scatter_block(x->temp[0], x->temp[1], (int)node_elements(x), x->type, x->op, l->lane);
    return err == MPI_SUCCESS ? MPI_Scatter(x->temp[1], n, x->type, x->recv, n, x->type, 0, l->node) : err;
}

/* Puts into temp[0] what the nodes before give together, where the leader has what its own gives;
 * nothing on the first node. */
static int nodes_before(pg_ctx *x, const void *node)
{
    const pg_lanes *l = x->lanes;
    int n = (int)x->count, err = MPI_SUCCESS;
    if (leads(x, last(x)))
        err = MPI_Exscan(node, x->temp[0], n, x->type, x->op, l->lane);
    return err == MPI_SUCCESS && l->lane_rank > 0 ? MPI_Bcast(x->temp[0], n, x->type, last(x), l->node) : err;
}

static int prepare_scan(pg_ctx *x)
{
    int err = pg_need_lanes(x);
    return err == MPI_SUCCESS ? pg_temp(x, 0, x->count) : err;
}

static int scan(pg_ctx *x)
{
    int err = MPI_Scan(x->send, x->recv, (int)x->count, x->type, x->op, x->lanes->node);
    if (err == MPI_SUCCESS)
        err = nodes_before(x, x->recv);
    return err == MPI_SUCCESS ? pg_behind(x, x->temp[0], 1) : err;
}

/* temp[1], at the leader, holds what its node gives. */
static int prepare_exscan(pg_ctx *x)
{
    int err = prepare_scan(x);
    return err == MPI_SUCCESS && leads(x, last(x)) ? pg_temp(x, 1, x->count) : err;
}

static int exscan(pg_ctx *x)
{
    int n = (int)x->count;
    int err = MPI_Exscan(x->send, x->recv, n, x->type, x->op, x->lanes->node);
    if (err == MPI_SUCCESS && leads(x, last(x))) {
        pg_copy(x, x->temp[1], x->send, x->count);
        err = MPI_Reduce_local(x->recv, x->temp[1], n, x->type, x->op);
    }
    if (err == MPI_SUCCESS)
        err = nodes_before(x, x->temp[1]);
    return err == MPI_SUCCESS ? pg_behind(x, x->temp[0], x->lanes->node_rank > 0) : err;
}

static int scatter(pg_ctx *x)
{
    const pg_lanes *l = x->lanes;
    int n = (int)x->count, of_node = (int)node_elements(x), place = pg_root_place(x), is_root = x->rank == x->root;
    void *node = is_root ? node_blocks(x, x->send) : x->temp[0];
    int err = MPI_SUCCESS;
    if (leads(x, place))
        err = MPI_Scatter(is_root ? x->send : NULL, of_node, x->type, is_root ? MPI_IN_PLACE : node, of_node, x->type,
                          pg_root_node(x), l->lane);
    return err == MPI_SUCCESS ? MPI_Scatter(node, n, x->type, x->recv, n, x->type, place, l->node) : err;
}

static int prepare_nothing(pg_ctx *x) { return pg_need_lanes(x); }

const pg_function pg_hier[] = {
    {"allgather_as_hier", prepare_nothing, allgather, pg_release},
    {"allreduce_as_hier", prepare_nothing, allreduce, pg_release},
    {"bcast_as_hier", prepare_nothing, bcast, pg_release},
    {"exscan_as_hier", prepare_exscan, exscan, pg_release},
    {"gather_as_hier", prepare_node, gather, pg_release},
    {"reduce_as_hier", prepare_reduce, reduce, pg_release},
    {"reduce_scatter_block_as_hier", prepare_reduce_scatter_block, reduce_scatter_block, pg_release},
    {"scan_as_hier", prepare_scan, scan, pg_release},
    {"scatter_as_hier", prepare_node, scatter, pg_release},
    {NULL},
};
