! Calls collectives by the names of a Fortran module, ten times each, Bcast also at MPI_BOTTOM. Prints "No Errors".
program fortran
  use MODULE
  implicit none
  integer :: rank, processes, error, i, errors
  double precision :: mine(100), sum(100)
  integer :: one, counts(16), places(16), from(16), to(16)
  integer(kind=MPI_ADDRESS_KIND) :: where(1)
#define mpi_f08 1
#define mpi 2
#if MODULE == 1
  type(MPI_Datatype) :: absolute, types(16)
#else
  integer :: absolute, types(16)
#endif
#undef mpi
#undef mpi_f08
  errors = 0
  call MPI_Init(error)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, error)
  call MPI_Comm_size(MPI_COMM_WORLD, processes, error)
  call MPI_Get_address(mine, where(1), error)
  call MPI_Type_create_hindexed(1, [100], where, MPI_DOUBLE_PRECISION, absolute, error)
  call MPI_Type_commit(absolute, error)
  counts = 1
  places = [(4 * (i - 1), i = 1, 16)]
  types = MPI_INTEGER
  do i = 1, 10
    mine = rank + 1
    call MPI_Scan(mine, sum, 100, MPI_DOUBLE_PRECISION, MPI_SUM, MPI_COMM_WORLD, error)
    if (sum(100) /= (rank + 1) * (rank + 2) / 2) errors = errors + 1
    call MPI_Allreduce(MPI_IN_PLACE, mine, 100, MPI_DOUBLE_PRECISION, MPI_SUM, MPI_COMM_WORLD, error)
    if (mine(1) /= processes * (processes + 1) / 2) errors = errors + 1
    one = rank
    call MPI_Bcast(one, 1, MPI_INTEGER, processes - 1, MPI_COMM_WORLD, error)
    if (one /= processes - 1) errors = errors + 1
    mine = 10 * rank + i
    call MPI_Bcast(MPI_BOTTOM, 1, absolute, processes - 1, MPI_COMM_WORLD, error)
    if (any(mine /= 10 * (processes - 1) + i)) errors = errors + 1
    from = rank
    call MPI_Alltoallw(from, counts, places, types, to, counts, places, types, MPI_COMM_WORLD, error)
    if (to(processes) /= processes - 1) errors = errors + 1
  end do
  call MPI_Type_free(absolute, error)
  if (rank == 0 .and. errors == 0) print *, "No Errors"
  call MPI_Finalize(error)
end program
