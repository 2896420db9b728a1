! A ring, a pair, a broadcast and a sum by the module mpi.
program ring_mpi
  use mpi
  implicit none
  character(len=*), parameter :: name = 'ring_mpi'
  integer :: requests(2)
  include 'ring_body.inc'
end program ring_mpi
