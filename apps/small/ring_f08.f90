! A ring, a pair, a broadcast and a sum by the module mpi_f08.
program ring_f08
  use mpi_f08
  implicit none
  character(len=*), parameter :: name = 'ring_f08'
  type(MPI_Request) :: requests(2)
  include 'ring_body.inc'
end program ring_f08
