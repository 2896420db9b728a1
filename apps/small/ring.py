"""A ring, collectives and objects with mpi4py."""

import sys
from array import array

from mpi4py import MPI

CELLS = 10
ROUNDS = 5

comm = MPI.COMM_WORLD
rank = comm.Get_rank()
ranks = comm.Get_size()
following = (rank + 1) % ranks
last = (rank + ranks - 1) % ranks


def expect(condition, what):
    """Aborts the job with exit code 1 if a result is wrong."""
    if not condition:
        print(f"ring.py: rank {rank}: wrong result: {what}", file=sys.stderr, flush=True)
        comm.Abort(1)


def buffers():
    """Numbers, sent directly from their buffers."""
    received = array("i", [0] * CELLS)
    for turn in range(ROUNDS):
        sent = array("i", [1000 * rank + 10 * turn + i for i in range(CELLS)])
        requests = [comm.Irecv(received, last, turn), comm.Isend(sent, following, turn)]
        MPI.Request.Waitall(requests)
        expect(list(received) == [1000 * last + 10 * turn + i for i in range(CELLS)], "the ring")


def objects():
    """Pickled objects: the receiver probes for their length."""
    request = comm.isend({"from": rank, "list": [rank] * 3}, following, 20)
    got = comm.recv(source=MPI.ANY_SOURCE, tag=20)
    request.wait()
    expect(got == {"from": last, "list": [last] * 3}, "an object")
    expect(comm.sendrecv(str(rank), following, 21, source=last) == str(last), "an exchange of objects")


def collectives():
    """Collectives of buffers and of pickled objects."""
    numbers = array("d", [0.5 * i if rank == 0 else 0 for i in range(CELLS)])
    comm.Bcast(numbers, 0)
    expect(list(numbers) == [0.5 * i for i in range(CELLS)], "the broadcast")
    total = array("i", [0])
    comm.Allreduce(array("i", [rank]), total)
    expect(total[0] == ranks * (ranks - 1) // 2, "the sum")
    expect(comm.allgather(rank * "x") == [i * "x" for i in range(ranks)], "all objects")
    expect(comm.bcast("hello" if rank == ranks - 1 else None, ranks - 1) == "hello", "an object for all")
    comm.Barrier()


buffers()
objects()
collectives()
if rank == 0:
    print(f"ring.py: {ranks} ranks")
