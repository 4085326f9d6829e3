/* Full-lane mock-ups (GL30): the processes of a node divide the data among themselves, and
 * each sends its part to other nodes, on its lane. */
#include "lanes.h"

/* Parts of one block for the processes of a node. */
static int prepare_parts(pg_ctx *x)
{
    int err = pg_need_lanes(x);
    return err == MPI_SUCCESS ? pg_cut_block(x, x->lanes->node_size) : err;
}

/* The place of the own part in a block, as pg_own_part has it. */
static void *own_part(const pg_ctx *x, void *block)
{
    int at = x->lanes->node_rank;
    return x->counts[at] > 0 ? pg_at(x, block, x->displs[at]) : block;
}

/* All parts of a block, of which each process of the node has its own in place. */
static int join_parts(pg_ctx *x, void *block)
{
    return MPI_Allgatherv(MPI_IN_PLACE, 0, x->type, block, x->counts, x->displs, x->type, x->lanes->node);
}

/* Makes the datatype of the blocks of a lane in a vector: one of each node. The datatype of the
 * next lane begins a block later. */
static int make_lane_blocks(pg_ctx *x)
{
    const pg_lanes *l = x->lanes;
    int n = (int)x->count;
    MPI_Datatype blocks;
    int err = MPI_Type_vector(l->lane_size, n, l->node_size * n, x->type, &blocks);
    if (err != MPI_SUCCESS)
        return err;
    err = MPI_Type_create_resized(blocks, 0, x->count * x->extent, &x->made);
    if (err == MPI_SUCCESS)
        err = MPI_Type_commit(&x->made);
    MPI_Type_free(&blocks);
    return err;
}

/* The number of them that are sent at once: MPICH, where blocks without elements are not sent, takes
 * a datatype without elements for something. */
static int lane_blocks(const pg_ctx *x) { return x->count > 0; }

/* The datatype, and a temporary of some elements. */
static int prepare_blocks(pg_ctx *x, int64_t elements)
{
    int err = pg_check_count(x->size * x->count);
    if (err == MPI_SUCCESS)
        err = pg_temp(x, 0, elements);
    return err == MPI_SUCCESS ? make_lane_blocks(x) : err;
}

static void release_blocks(pg_ctx *x)
{
    MPI_Type_free(&x->made);
    pg_release(x);
}

static int prepare_lane(pg_ctx *x)
{
    int err = pg_need_lanes(x);
    return err == MPI_SUCCESS ? prepare_blocks(x, x->lanes->lane_size * x->count) : err;
}

/* The temporary is on the root's node. */
static int prepare_rooted(pg_ctx *x)
{
    int err = pg_need_lanes(x);
    if (err != MPI_SUCCESS)
        return err;
    int has = x->lanes->lane_rank == pg_root_node(x);
    return prepare_blocks(x, has ? x->lanes->lane_size * x->count : 0);
}

static int prepare_vector(pg_ctx *x)
{
    int err = pg_need_lanes(x);
    return err == MPI_SUCCESS ? prepare_blocks(x, x->size * x->count) : err;
}

static int allgather(pg_ctx *x)
{
    const pg_lanes *l = x->lanes;
    int n = (int)x->count;
    int err = MPI_Allgather(x->send, n, x->type, x->temp[0], n, x->type, l->lane);
    if (err != MPI_SUCCESS)
        return err;
    return MPI_Allgather(x->temp[0], l->lane_size * n, x->type, x->recv, lane_blocks(x), x->made, l->node);
}

static int allreduce(pg_ctx *x)
{
    const pg_lanes *l = x->lanes;
    void *own = own_part(x, x->recv);
    int err = MPI_Reduce_scatter(x->send, own, x->counts, x->type, x->op, l->node);
    if (err == MPI_SUCCESS)
        err = MPI_Allreduce(MPI_IN_PLACE, own, x->counts[l->node_rank], x->type, x->op, l->lane);
    return err == MPI_SUCCESS ? join_parts(x, x->recv) : err;
}

/* First to the node, on the own lane, then to the place there. */
static int alltoall(pg_ctx *x)
{
    const pg_lanes *l = x->lanes;
    int n = l->node_size * (int)x->count;
    int err = MPI_Alltoall(x->send, n, x->type, x->temp[0], n, x->type, l->lane);
    if (err != MPI_SUCCESS)
        return err;
    return MPI_Alltoall(x->temp[0], lane_blocks(x), x->made, x->recv, lane_blocks(x), x->made, l->node);
}

static int bcast(pg_ctx *x)
{
    const pg_lanes *l = x->lanes;
    int part = x->counts[l->node_rank], node = pg_root_node(x), place = pg_root_place(x), err = MPI_SUCCESS;
    void *own = own_part(x, x->recv);
    if (x->rank == x->root)
        err = MPI_Scatterv(x->recv, x->counts, x->displs, x->type, MPI_IN_PLACE, part, x->type, place, l->node);
    else if (l->lane_rank == node)
        err = MPI_Scatterv(NULL, x->counts, x->displs, x->type, own, part, x->type, place, l->node);
    if (err == MPI_SUCCESS)
        err = MPI_Bcast(own, part, x->type, node, l->lane);
    return err == MPI_SUCCESS ? join_parts(x, x->recv) : err;
}

static int gather(pg_ctx *x)
{
    const pg_lanes *l = x->lanes;
    int n = (int)x->count, node = pg_root_node(x);
    int err = MPI_Gather(x->send, n, x->type, x->temp[0], n, x->type, node, l->lane);
    if (err != MPI_SUCCESS || l->lane_rank != node)
        return err;
    return MPI_Gather(x->temp[0], l->lane_size * n, x->type, x->recv, lane_blocks(x), x->made, pg_root_place(x),
                      l->node);
}

/* temp[0] holds the part reduced on the node, temp[1] the part reduced on all nodes, on the root's node:
 * the root has it in place. */
static int prepare_reduce(pg_ctx *x)
{
    int err = prepare_parts(x);
    if (err == MPI_SUCCESS)
        err = pg_temp(x, 0, x->counts[x->lanes->node_rank]);
    if (err != MPI_SUCCESS || x->rank == x->root || x->lanes->lane_rank != pg_root_node(x))
        return err;
    return pg_temp(x, 1, x->counts[x->lanes->node_rank]);
}

static int reduce(pg_ctx *x)
{
    const pg_lanes *l = x->lanes;
    int part = x->counts[l->node_rank], node = pg_root_node(x), is_root = x->rank == x->root;
    void *own = is_root ? own_part(x, x->recv) : x->temp[1];
    int err = MPI_Reduce_scatter(x->send, x->temp[0], x->counts, x->type, x->op, l->node);
    if (err == MPI_SUCCESS)
        err = MPI_Reduce(x->temp[0], own, part, x->type, x->op, node, l->lane);
    if (err != MPI_SUCCESS || l->lane_rank != node)
        return err;
    return MPI_Gatherv(is_root ? MPI_IN_PLACE : own, part, x->type, x->recv, x->counts, x->displs, x->type,
                       pg_root_place(x), l->node);
}

/* temp[0] is the send buffer with the blocks of each lane side by side, temp[1] the blocks of the
 * own lane, reduced on the node. */
static int prepare_reduce_scatter_block(pg_ctx *x)
{
    int err = pg_need_lanes(x);
    if (err == MPI_SUCCESS)
        err = pg_temp(x, 0, x->size * x->count);
    return err == MPI_SUCCESS ? pg_temp(x, 1, x->lanes->lane_size * x->count) : err;
}

static int reduce_scatter_block(pg_ctx *x)
{
    const pg_lanes *l = x->lanes;
    int n = (int)x->count;
    for (int i = 0; i < x->size; i++) {
        int to = i % l->node_size * l->lane_size + i / l->node_size;
        pg_copy(x, pg_at(x, x->temp[0], to * x->count), pg_at(x, x->send, i * x->count), x->count);
    }
    int err = MPI_Reduce_scatter_block(x->temp[0], x->temp[1], l->lane_size * n, x->type, x->op, l->node);
    if (err != MPI_SUCCESS)
        return err;
    return MPI_Reduce_scatter_block(x->temp[1], x->recv, n, x->type, x->op, l->lane);
}

/* temp[0] holds the part reduced on the node, temp[1] what the nodes before give together. */
static int prepare_scan(pg_ctx *x)
{
    int err = prepare_parts(x);
    if (err == MPI_SUCCESS)
        err = pg_temp(x, 0, x->counts[x->lanes->node_rank]);
    return err == MPI_SUCCESS ? pg_temp(x, 1, x->count) : err;
}

/* Of the first node nothing. */
static int nodes_before(pg_ctx *x)
{
    const pg_lanes *l = x->lanes;
    int err = MPI_Reduce_scatter(x->send, x->temp[0], x->counts, x->type, x->op, l->node);
    if (err == MPI_SUCCESS)
        err = MPI_Exscan(x->temp[0], own_part(x, x->temp[1]), x->counts[l->node_rank], x->type, x->op, l->lane);
    return err == MPI_SUCCESS && l->lane_rank > 0 ? join_parts(x, x->temp[1]) : err;
}

static int scan(pg_ctx *x)
{
    int err = MPI_Scan(x->send, x->recv, (int)x->count, x->type, x->op, x->lanes->node);
    if (err == MPI_SUCCESS)
        err = nodes_before(x);
    return err == MPI_SUCCESS ? pg_behind(x, x->temp[1], 1) : err;
}

static int exscan(pg_ctx *x)
{
    int err = MPI_Exscan(x->send, x->recv, (int)x->count, x->type, x->op, x->lanes->node);
    if (err == MPI_SUCCESS)
        err = nodes_before(x);
    return err == MPI_SUCCESS ? pg_behind(x, x->temp[1], x->lanes->node_rank > 0) : err;
}

static int scatter(pg_ctx *x)
{
    const pg_lanes *l = x->lanes;
    int n = (int)x->count, node = pg_root_node(x), err = MPI_SUCCESS;
    if (l->lane_rank == node)
        err = MPI_Scatter(x->send, lane_blocks(x), x->made, x->temp[0], l->lane_size * n, x->type, pg_root_place(x),
                          l->node);
    if (err != MPI_SUCCESS)
        return err;
    return MPI_Scatter(x->temp[0], n, x->type, x->recv, n, x->type, node, l->lane);
}

const pg_function pg_lane[] = {
    {"allgather_as_lane", prepare_lane, allgather, release_blocks},
    {"allreduce_as_lane", prepare_parts, allreduce, pg_release},
    {"alltoall_as_lane", prepare_vector, alltoall, release_blocks},
    {"bcast_as_lane", prepare_parts, bcast, pg_release},
    {"exscan_as_lane", prepare_scan, exscan, pg_release},
    {"gather_as_lane", prepare_rooted, gather, release_blocks},
    {"reduce_as_lane", prepare_reduce, reduce, pg_release},
    {"reduce_scatter_block_as_lane", prepare_reduce_scatter_block, reduce_scatter_block, pg_release},
    {"scan_as_lane", prepare_scan, scan, pg_release},
    {"scatter_as_lane", prepare_rooted, scatter, release_blocks},
    {NULL},
};
