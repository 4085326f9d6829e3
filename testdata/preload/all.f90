! Calls each of the 17 blocking collectives, the first once, the next one twice and so on; -DMODULE=1 by
! "use mpi_f08", 2 by "use mpi", 3 by mpif.h.
program all
#if MODULE == 1
  use mpi_f08
#elif MODULE == 2
  use mpi
#endif
  implicit none
#if MODULE == 3
  include 'mpif.h'
#endif
  double precision :: a(64), b(64)
  integer :: counts(16), places(16), bytes(16), error, i
#if MODULE == 1
  type(MPI_Datatype) :: types(16)
#else
  integer :: types(16)
#endif
  a = 1
  counts = 4
  places = [(4 * (i - 1), i = 1, 16)]
  bytes = 8 * places
  call MPI_Init(error)
  types = MPI_DOUBLE_PRECISION
  do i = 1, 1
    call MPI_Allgather(a, 4, MPI_DOUBLE_PRECISION, b, 4, MPI_DOUBLE_PRECISION, MPI_COMM_WORLD, error)
  end do
  do i = 1, 2
    call MPI_Allgatherv(a, 4, MPI_DOUBLE_PRECISION, b, counts, places, MPI_DOUBLE_PRECISION, MPI_COMM_WORLD, error)
  end do
  do i = 1, 3
    call MPI_Allreduce(a, b, 4, MPI_DOUBLE_PRECISION, MPI_SUM, MPI_COMM_WORLD, error)
  end do
  do i = 1, 4
    call MPI_Alltoall(a, 4, MPI_DOUBLE_PRECISION, b, 4, MPI_DOUBLE_PRECISION, MPI_COMM_WORLD, error)
  end do
  do i = 1, 5
    call MPI_Alltoallv(a, counts, places, MPI_DOUBLE_PRECISION, b, counts, places, MPI_DOUBLE_PRECISION, MPI_COMM_WORLD, error)
  end do
  do i = 1, 6
    call MPI_Alltoallw(a, counts, bytes, types, b, counts, bytes, types, MPI_COMM_WORLD, error)
  end do
  do i = 1, 7
    call MPI_Barrier(MPI_COMM_WORLD, error)
  end do
  do i = 1, 8
    call MPI_Bcast(a, 4, MPI_DOUBLE_PRECISION, 0, MPI_COMM_WORLD, error)
  end do
  do i = 1, 9
    call MPI_Exscan(a, b, 4, MPI_DOUBLE_PRECISION, MPI_SUM, MPI_COMM_WORLD, error)
  end do
  do i = 1, 10
    call MPI_Gather(a, 4, MPI_DOUBLE_PRECISION, b, 4, MPI_DOUBLE_PRECISION, 0, MPI_COMM_WORLD, error)
  end do
  do i = 1, 11
    call MPI_Gatherv(a, 4, MPI_DOUBLE_PRECISION, b, counts, places, MPI_DOUBLE_PRECISION, 0, MPI_COMM_WORLD, error)
  end do
  do i = 1, 12
    call MPI_Reduce(a, b, 4, MPI_DOUBLE_PRECISION, MPI_SUM, 0, MPI_COMM_WORLD, error)
  end do
  do i = 1, 13
    call MPI_Reduce_scatter(a, b, counts, MPI_DOUBLE_PRECISION, MPI_SUM, MPI_COMM_WORLD, error)
  end do
  do i = 1, 14
    call MPI_Reduce_scatter_block(a, b, 4, MPI_DOUBLE_PRECISION, MPI_SUM, MPI_COMM_WORLD, error)
  end do
  do i = 1, 15
    call MPI_Scan(a, b, 4, MPI_DOUBLE_PRECISION, MPI_SUM, MPI_COMM_WORLD, error)
  end do
  do i = 1, 16
    call MPI_Scatter(a, 4, MPI_DOUBLE_PRECISION, b, 4, MPI_DOUBLE_PRECISION, 0, MPI_COMM_WORLD, error)
  end do
  do i = 1, 17
    call MPI_Scatterv(a, counts, places, MPI_DOUBLE_PRECISION, b, 4, MPI_DOUBLE_PRECISION, 0, MPI_COMM_WORLD, error)
  end do
  call MPI_Finalize(error)
end program
