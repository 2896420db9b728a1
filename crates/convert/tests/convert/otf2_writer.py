"""Writes an archive as Score-P does, with Debian's library: usage FOLDER."""

import sys

import otf2
from otf2.enums import CollectiveOp, GroupType, Paradigm, RegionRole

FLAG = otf2.enums.GroupFlag.NONE
UNDEFINED = 0xFFFFFFFF


def main(folder):
    with otf2.writer.open(folder, timer_resolution=1_000_000_000) as archive:
        definitions = archive.definitions
        node = definitions.system_tree_node("node")
        groups = [definitions.location_group(f"MPI Rank {rank}", system_tree_parent=node) for rank in range(3)]
        ranks = [definitions.location("Master thread", group=group) for group in groups]
        definitions.location("OMP thread 1", group=groups[0])
        definitions.group("", group_type=GroupType.COMM_LOCATIONS, paradigm=Paradigm.MPI, members=ranks, group_flags=FLAG)

        def comm(name, members, parent=None):
            group = definitions.group("", group_type=GroupType.COMM_GROUP, paradigm=Paradigm.MPI, members=members, group_flags=FLAG)
            return definitions.comm(name, group=group, parent=parent)

        world = comm("MPI_COMM_WORLD", [0, 1, 2])
        pair = comm("pair", [2, 0], parent=world)

        def region(name):
            return definitions.region(name, region_role=RegionRole.POINT2POINT, paradigm=Paradigm.MPI)

        solve = definitions.region("solve", region_role=RegionRole.FUNCTION, paradigm=Paradigm.USER)
        names = "Init Finalize Isend Irecv Waitall Test Ssend Recv Sendrecv Allreduce Gatherv Ibarrier Comm_rank"
        regions = {name: region("MPI_" + name) for name in names.split()}
        for rank, location in enumerate(ranks):
            Rank(archive.event_writer_from_location(location), regions, solve).run(rank, world, pair)


class Rank:
    """The events of one rank; each call takes 100 ns, after 1000 ns of computation."""

    def __init__(self, writer, regions, solve):
        self.writer, self.regions, self.solve, self.time = writer, regions, solve, 5000

    def call(self, name, *events):
        self.time += 1000
        self.writer.enter(self.time, self.regions[name])
        for event, *arguments in events:
            getattr(self.writer, event)(self.time + 50, *arguments)
        self.time += 100
        self.writer.leave(self.time, self.regions[name])

    def run(self, rank, world, pair):
        self.call("Init")
        self.writer.enter(self.time, self.solve)
        self.call("Comm_rank")
        left, right = (rank + 2) % 3, (rank + 1) % 3
        self.call("Irecv", ("mpi_irecv_request", 7))
        self.call("Isend", ("mpi_isend", right, world, 11, 300, 8))
        self.call("Test", ("mpi_request_test", 7))
        self.call("Waitall", ("mpi_irecv", left, world, 11, 300, 7), ("mpi_isend_complete", 8))
        if rank == 0:
            self.call("Ssend", ("mpi_send", 0, pair, 5, 64))
        elif rank == 2:
            self.call("Recv", ("mpi_recv", 1, pair, 5, 64))
        self.call("Sendrecv", ("mpi_send", right, world, 1, 8), ("mpi_recv", left, world, 1, 8))
        self.collective("Allreduce", CollectiveOp.ALLREDUCE, world, UNDEFINED, 3 * 16, 3 * 16)
        self.collective("Gatherv", CollectiveOp.GATHERV, world, 1, 10 * (rank + 1), 60 if rank == 1 else 0)
        self.call("Ibarrier", ("non_blocking_collective_request", 9))
        self.call("Waitall", ("non_blocking_collective_complete", CollectiveOp.BARRIER, world, UNDEFINED, 0, 0, 9))
        self.writer.leave(self.time, self.solve)
        self.call("Finalize")

    def collective(self, name, operation, comm, root, sent, received):
        self.call(name, ("mpi_collective_begin",), ("mpi_collective_end", operation, comm, root, sent, received))


main(sys.argv[1])
