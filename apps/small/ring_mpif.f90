! A ring, a pair, a broadcast and a sum by mpif.h.
program ring_mpif
  implicit none
  include 'mpif.h'
  character(len=*), parameter :: name = 'ring_mpif'
  integer :: requests(2)
  include 'ring_body.inc'
end program ring_mpif
