#include "lanes.h"

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
    int rank, size;

    l->node = l->lane = MPI_COMM_NULL;
    int err = MPI_Comm_rank(comm, &rank);
    if (err == MPI_SUCCESS)
        err = MPI_Comm_size(comm, &size);
    if (err == MPI_SUCCESS)
        err = MPI_Comm_split_type(comm, MPI_COMM_TYPE_SHARED, rank, MPI_INFO_NULL, &l->node);
    if (err == MPI_SUCCESS)
        err = MPI_Comm_set_errhandler(l->node, MPI_ERRORS_RETURN);
    if (err == MPI_SUCCESS)
        err = MPI_Comm_rank(l->node, &l->node_rank);
    if (err == MPI_SUCCESS)
        err = MPI_Comm_size(l->node, &l->node_size);
    if (err != MPI_SUCCESS)
        return err;
    /* The third holds on all processes of nodes as large as each other only where ranks are in a row. */
    int numbers[3] = {l->node_size, -l->node_size, rank % l->node_size == l->node_rank};
    err = pg_least(comm, rank, size, numbers);
    if (err != MPI_SUCCESS)
        return err;
    l->fewest = numbers[0];
    l->most = -numbers[1];
    l->in_order = numbers[2];
    l->nodes = (size + l->most - 1) / l->most;
    return pg_has_lanes(l) ? find_lane(comm, rank, l) : MPI_SUCCESS;
}

int pg_free_lanes(pg_lanes *l)
{
    int lane = l->lane != MPI_COMM_NULL ? MPI_Comm_free(&l->lane) : MPI_SUCCESS;
    int node = l->node != MPI_COMM_NULL ? MPI_Comm_free(&l->node) : MPI_SUCCESS;
    return lane != MPI_SUCCESS ? lane : node;
}
