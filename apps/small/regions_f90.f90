! A region by the Fortran module, around a barrier.
include '../../include/panto.f90'

program regions_f90
  use mpi
  use panto
  implicit none
  integer :: rank, error
  call MPI_Init(error)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, error)
  call panto_region_begin('solve')
  call MPI_Barrier(MPI_COMM_WORLD, error)
  call panto_region_end()
  if (rank == 0) print '(a)', 'regions_f90'
  call MPI_Finalize(error)
end program regions_f90
