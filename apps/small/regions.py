"""A region by the Python package, around a barrier: usage PACKAGE_FOLDER."""

import sys

sys.path.insert(0, sys.argv[1])

from mpi4py import MPI  # noqa: E402

from panto.regions import region  # noqa: E402

with region("solve"):
    MPI.COMM_WORLD.Barrier()
if MPI.COMM_WORLD.Get_rank() == 0:
    print("regions.py")
