#include "lanes.h"

/* *all gets the least of each of three numbers. */
static int least(MPI_Comm comm, const int mine[3], int all[3])
{
    return MPI_Allreduce(mine, all, 3, MPI_INT, MPI_MIN, comm);
}

/* Splits off the lane that a process of its node is in. */
static int find_lane(MPI_Comm comm, int rank, pg_lanes *l)
{
    int err = MPI_Comm_split(comm, l->node_rank, rank, &l->lane);
    if (err == MPI_SUCCESS)
        err = MPI_Comm_set_errhandler(l->lane, MPI_ERRORS_RETURN);
    if (err == MPI_SUCCESS)
        err = MPI_Comm_rank(l->lane, &l->lane_rank);
    return err == MPI_SUCCESS ? MPI_Comm_size(l->lane, &l->lane_size) : err;
}

int pg_find_lanes(MPI_Comm comm, pg_lanes *l)
{
    int rank, first, leads, all[3];

    l->node = l->lane = MPI_COMM_NULL;
    int err = MPI_Comm_rank(comm, &rank);
    if (err == MPI_SUCCESS)
        err = MPI_Comm_split_type(comm, MPI_COMM_TYPE_SHARED, rank, MPI_INFO_NULL, &l->node);
    if (err == MPI_SUCCESS)
        err = MPI_Comm_set_errhandler(l->node, MPI_ERRORS_RETURN);
    if (err == MPI_SUCCESS)
        err = MPI_Comm_rank(l->node, &l->node_rank);
    if (err == MPI_SUCCESS)
        err = MPI_Comm_size(l->node, &l->node_size);
    first = rank;
    if (err == MPI_SUCCESS)
        err = MPI_Bcast(&first, 1, MPI_INT, 0, l->node);
    if (err != MPI_SUCCESS)
        return err;
    leads = l->node_rank == 0;
    err = MPI_Allreduce(&leads, &l->nodes, 1, MPI_INT, MPI_SUM, comm);
    if (err == MPI_SUCCESS)
        err = least(comm, (int[]){l->node_size, -l->node_size, rank == first + l->node_rank}, all);
    if (err != MPI_SUCCESS)
        return err;
    l->fewest = all[0];
    l->most = -all[1];
    l->in_order = all[2];
    return pg_has_lanes(l) ? find_lane(comm, rank, l) : MPI_SUCCESS;
}

int pg_free_lanes(pg_lanes *l)
{
    int lane = l->lane != MPI_COMM_NULL ? MPI_Comm_free(&l->lane) : MPI_SUCCESS;
    int node = l->node != MPI_COMM_NULL ? MPI_Comm_free(&l->node) : MPI_SUCCESS;
    return lane != MPI_SUCCESS ? lane : node;
}
