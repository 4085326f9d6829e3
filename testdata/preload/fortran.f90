! Calls three collectives by the names of "use mpi", ten times each. Prints "No Errors".
program fortran
  use mpi
  implicit none
  integer :: rank, processes, error, i, errors
  double precision :: mine(100), sum(100)
  integer :: one
  errors = 0
  call MPI_Init(error)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, error)
  call MPI_Comm_size(MPI_COMM_WORLD, processes, error)
  do i = 1, 10
    mine = rank + 1
    call MPI_Scan(mine, sum, 100, MPI_DOUBLE_PRECISION, MPI_SUM, MPI_COMM_WORLD, error)
    if (sum(100) /= (rank + 1) * (rank + 2) / 2) errors = errors + 1
    call MPI_Allreduce(MPI_IN_PLACE, mine, 100, MPI_DOUBLE_PRECISION, MPI_SUM, MPI_COMM_WORLD, error)
    if (mine(1) /= processes * (processes + 1) / 2) errors = errors + 1
    one = rank
    call MPI_Bcast(one, 1, MPI_INTEGER, processes - 1, MPI_COMM_WORLD, error)
    if (one /= processes - 1) errors = errors + 1
  end do
  if (rank == 0 .and. errors == 0) print *, "No Errors"
  call MPI_Finalize(error)
end program
