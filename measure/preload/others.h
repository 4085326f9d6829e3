/* The calls that others.c counts: FEW of those with 8 arguments at most, MANY of all others. */
#ifndef PGMPI_OTHERS_H
#define PGMPI_OTHERS_H

#define OTHER_MESSAGES(FEW, MANY)                                                                                      \
    FEW(Send) FEW(Bsend) FEW(Ssend) FEW(Rsend) FEW(Recv) FEW(Mrecv) MANY(Sendrecv) MANY(Sendrecv_replace)              \
    FEW(Isend) FEW(Ibsend) FEW(Issend) FEW(Irsend) FEW(Irecv) FEW(Imrecv)                                              \
    FEW(Wait) FEW(Waitall) FEW(Waitany) FEW(Waitsome)                                                                  \
    FEW(Test) FEW(Testall) FEW(Testany) FEW(Testsome) FEW(Buffer_detach)                                               \
    FEW(Request_get_status) FEW(Request_free) FEW(Cancel)                                                              \
    FEW(Probe) FEW(Iprobe) FEW(Mprobe) FEW(Improbe)                                                                    \
    FEW(Send_init) FEW(Bsend_init) FEW(Ssend_init) FEW(Rsend_init) FEW(Recv_init) FEW(Start) FEW(Startall)             \
    FEW(Pack) FEW(Unpack) FEW(Pack_external) FEW(Unpack_external)

#define OTHER_NEIGHBORS(FEW, MANY)                                                                                     \
    FEW(Neighbor_allgather) FEW(Neighbor_allgatherv) FEW(Neighbor_alltoall) MANY(Neighbor_alltoallv)                   \
    MANY(Neighbor_alltoallw) FEW(Ineighbor_allgather) MANY(Ineighbor_allgatherv) FEW(Ineighbor_alltoall)               \
    MANY(Ineighbor_alltoallv) MANY(Ineighbor_alltoallw)

#define OTHER_WINDOWS(FEW, MANY)                                                                                       \
    FEW(Win_create) FEW(Win_allocate) FEW(Win_allocate_shared) FEW(Win_create_dynamic) FEW(Win_attach)                 \
    FEW(Win_detach) FEW(Win_free) FEW(Win_fence) FEW(Win_start) FEW(Win_complete) FEW(Win_post) FEW(Win_wait)          \
    FEW(Win_test) FEW(Win_lock) FEW(Win_unlock) FEW(Win_lock_all) FEW(Win_unlock_all) FEW(Win_flush)                   \
    FEW(Win_flush_all) FEW(Win_flush_local) FEW(Win_flush_local_all) FEW(Win_sync) FEW(Put) FEW(Get)                   \
    MANY(Accumulate) MANY(Get_accumulate) FEW(Fetch_and_op) FEW(Compare_and_swap) MANY(Rput) MANY(Rget)                \
    MANY(Raccumulate) MANY(Rget_accumulate)

#define OTHER_FILES(FEW, MANY)                                                                                         \
    FEW(File_open) FEW(File_close) FEW(File_delete) FEW(File_set_size) FEW(File_preallocate) FEW(File_set_view)        \
    FEW(File_read_at) FEW(File_read_at_all) FEW(File_write_at) FEW(File_write_at_all) FEW(File_iread_at)               \
    FEW(File_iwrite_at) FEW(File_iread_at_all) FEW(File_iwrite_at_all) FEW(File_read) FEW(File_read_all)               \
    FEW(File_write) FEW(File_write_all) FEW(File_iread) FEW(File_iwrite) FEW(File_iread_all) FEW(File_iwrite_all)      \
    FEW(File_seek) FEW(File_read_shared) FEW(File_write_shared) FEW(File_iread_shared) FEW(File_iwrite_shared)         \
    FEW(File_read_ordered) FEW(File_write_ordered) FEW(File_seek_shared) FEW(File_sync)                                \
    FEW(File_read_at_all_begin) FEW(File_read_at_all_end) FEW(File_write_at_all_begin) FEW(File_write_at_all_end)      \
    FEW(File_read_all_begin) FEW(File_read_all_end) FEW(File_write_all_begin) FEW(File_write_all_end)                  \
    FEW(File_read_ordered_begin) FEW(File_read_ordered_end) FEW(File_write_ordered_begin)                              \
    FEW(File_write_ordered_end)

#define OTHER_COMMUNICATORS(FEW, MANY)                                                                                 \
    FEW(Comm_dup) FEW(Comm_dup_with_info) FEW(Comm_idup) FEW(Comm_create) FEW(Comm_create_group) FEW(Comm_split)       \
    FEW(Comm_split_type) FEW(Comm_free) FEW(Intercomm_create) FEW(Intercomm_merge) FEW(Cart_create) FEW(Cart_sub)      \
    FEW(Graph_create) MANY(Dist_graph_create) MANY(Dist_graph_create_adjacent)                                         \
    FEW(Comm_spawn) MANY(Comm_spawn_multiple) FEW(Comm_accept) FEW(Comm_connect) FEW(Comm_disconnect) FEW(Comm_join)

#if MPI_VERSION >= 4
#define OTHER_NEW(FEW, MANY)                                                                                           \
    FEW(Session_init) FEW(Session_finalize) FEW(Comm_create_from_group) FEW(Intercomm_create_from_groups)              \
    FEW(Comm_idup_with_info) MANY(Isendrecv) MANY(Isendrecv_replace)                                                   \
    MANY(Psend_init) MANY(Precv_init) FEW(Pready) FEW(Pready_range) FEW(Pready_list) FEW(Parrived)                     \
    MANY(Allgather_init) MANY(Allgatherv_init) MANY(Allreduce_init) MANY(Alltoall_init) MANY(Alltoallv_init)           \
    MANY(Alltoallw_init) FEW(Barrier_init) MANY(Bcast_init) MANY(Exscan_init) MANY(Gather_init) MANY(Gatherv_init)     \
    MANY(Reduce_init) MANY(Reduce_scatter_init) MANY(Reduce_scatter_block_init) MANY(Scan_init) MANY(Scatter_init)     \
    MANY(Scatterv_init) MANY(Neighbor_allgather_init) MANY(Neighbor_allgatherv_init) MANY(Neighbor_alltoall_init)      \
    MANY(Neighbor_alltoallv_init) MANY(Neighbor_alltoallw_init)                                                        \
    FEW(Send_c) FEW(Bsend_c) FEW(Ssend_c) FEW(Rsend_c) FEW(Recv_c) FEW(Mrecv_c) MANY(Sendrecv_c)                       \
    MANY(Sendrecv_replace_c) FEW(Isend_c) FEW(Ibsend_c) FEW(Issend_c) FEW(Irsend_c) FEW(Irecv_c) FEW(Imrecv_c)         \
    MANY(Isendrecv_c) MANY(Isendrecv_replace_c) FEW(Buffer_detach_c) FEW(Send_init_c) FEW(Bsend_init_c)                \
    FEW(Ssend_init_c) FEW(Rsend_init_c) FEW(Recv_init_c) FEW(Pack_c) FEW(Unpack_c) FEW(Pack_external_c)                \
    FEW(Unpack_external_c) FEW(Neighbor_allgather_c) FEW(Neighbor_allgatherv_c) FEW(Neighbor_alltoall_c)               \
    MANY(Neighbor_alltoallv_c) MANY(Neighbor_alltoallw_c) FEW(Ineighbor_allgather_c) MANY(Ineighbor_allgatherv_c)      \
    FEW(Ineighbor_alltoall_c) MANY(Ineighbor_alltoallv_c) MANY(Ineighbor_alltoallw_c)                                  \
    FEW(Win_create_c) FEW(Win_allocate_c) FEW(Win_allocate_shared_c) FEW(Put_c) FEW(Get_c) MANY(Accumulate_c)          \
    MANY(Get_accumulate_c) MANY(Rput_c) MANY(Rget_c) MANY(Raccumulate_c) MANY(Rget_accumulate_c)                       \
    FEW(File_read_at_c) FEW(File_read_at_all_c) FEW(File_write_at_c) FEW(File_write_at_all_c) FEW(File_iread_at_c)     \
    FEW(File_iwrite_at_c) FEW(File_iread_at_all_c) FEW(File_iwrite_at_all_c) FEW(File_read_c) FEW(File_read_all_c)     \
    FEW(File_write_c) FEW(File_write_all_c) FEW(File_iread_c) FEW(File_iwrite_c) FEW(File_iread_all_c)                 \
    FEW(File_iwrite_all_c) FEW(File_read_shared_c) FEW(File_write_shared_c) FEW(File_iread_shared_c)                   \
    FEW(File_iwrite_shared_c) FEW(File_read_ordered_c) FEW(File_write_ordered_c) FEW(File_read_at_all_begin_c)         \
    FEW(File_write_at_all_begin_c) FEW(File_read_all_begin_c) FEW(File_write_all_begin_c)                              \
    FEW(File_read_ordered_begin_c) FEW(File_write_ordered_begin_c)                                                     \
    MANY(Allgather_init_c) MANY(Allgatherv_init_c) MANY(Allreduce_init_c) MANY(Alltoall_init_c)                        \
    MANY(Alltoallv_init_c) MANY(Alltoallw_init_c) MANY(Bcast_init_c) MANY(Exscan_init_c) MANY(Gather_init_c)           \
    MANY(Gatherv_init_c) MANY(Reduce_init_c) MANY(Reduce_scatter_init_c) MANY(Reduce_scatter_block_init_c)             \
    MANY(Scan_init_c) MANY(Scatter_init_c) MANY(Scatterv_init_c)
#else
#define OTHER_NEW(FEW, MANY)
#endif

#define OTHER_CALLS(FEW, MANY)                                                                                         \
    OTHER_MESSAGES(FEW, MANY) OTHER_NEIGHBORS(FEW, MANY) OTHER_WINDOWS(FEW, MANY) OTHER_FILES(FEW, MANY)               \
    OTHER_COMMUNICATORS(FEW, MANY) OTHER_NEW(FEW, MANY)

#define OTHER_INDEX(Name) OTHER_##Name,
typedef enum { OTHER_Init, OTHER_Init_thread, OTHER_CALLS(OTHER_INDEX, OTHER_INDEX) OTHERS } other;

#endif
