//! Roots that move: panels along the rows and columns of a mesh, cyclic and block owners.

use panto_trace::{Action, Builder, CallForm, Collective, Comm, Communicator, Data, Peer, Ranks};

use crate::common::is_exact;

/// A mesh of ranks, as square as it can be, with communicators along its rows and columns.
struct Mesh {
    dims: [u32; 2],
    at: [u32; 2],
}

const ALONG_ROW: Comm = Comm(2);
const ALONG_COLUMN: Comm = Comm(3);

impl Mesh {
    fn new(builder: &mut Builder, ranks: u32) -> Self {
        let columns =
            (1..=ranks).filter(|columns| ranks.is_multiple_of(*columns) && columns * columns <= ranks).max();
        let columns = columns.expect("one column is possible");
        let dims = [ranks / columns, columns];
        let at = [builder.rank() / columns, builder.rank() % columns];
        let row: Ranks = (0..columns).map(|column| at[0] * columns + column).collect();
        let column: Ranks = (0..dims[0]).map(|row| row * columns + at[1]).collect();
        for (tag, rank, members) in [(0, at[1], row), (1, at[0], column)] {
            let made_by = builder.recorder().name("MPI_Comm_split");
            let parent = Some(Builder::WORLD);
            let (sources, destinations) = (Ranks::default(), Ranks::default());
            let comm = Communicator {
                made_by,
                parent,
                ordinal: tag,
                tag: 0,
                rank,
                members,
                others: None,
                sources,
                destinations,
            };
            let comm = builder.recorder().communicator(&comm);
            let action = Action::Communicator { parent: Builder::WORLD, comm: Some(comm), request: None };
            builder.call("MPI_Comm_split", &action);
        }
        Self { dims, at }
    }

    fn piece(&self, side: u64, dimension: usize, at: u32) -> u64 {
        side * u64::from(at) / u64::from(self.dims[dimension])
    }

    fn owner(&self, side: u64, dimension: usize, element: u64) -> u32 {
        let mut places = 0..self.dims[dimension];
        places.find(|at| self.piece(side, dimension, at + 1) > element).expect("the last")
    }

    /// The elements of this rank's block that are not before one.
    fn below(&self, side: u64, dimension: usize, from: u64) -> u64 {
        let at = self.at[dimension];
        let [start, end] = [at, at + 1].map(|at| self.piece(side, dimension, at));
        end - from.clamp(start, end)
    }
}

/// A collective with a root, whose place in the communicator is given.
fn rooted(builder: &mut Builder, collective: Collective, comm: Comm, own: u32, root: u32, bytes: u64) {
    let action = Action::Collective {
        pattern: collective.into(),
        form: CallForm::Blocking,
        comm,
        root: Peer::Relative(root as i32 - own as i32),
        datatype: Some(Builder::ELEMENT),
        receive_type: None,
        commutes: true,
        in_place: false,
        bytes,
        receive_bytes: 0,
        request: None,
        send_sizes: &[],
        receive_sizes: &[],
    };
    let name = if collective == Collective::Broadcast { "MPI_Bcast" } else { "MPI_Reduce" };
    builder.call(name, &action);
}

/// SUMMA of a matrix of this side in panels of this width; of the lower triangle, if wanted.
fn summa<const SIDE: u64, const WIDTH: u64, const TRIANGLE: bool>(builder: &mut Builder, ranks: u32) {
    let mesh = Mesh::new(builder, ranks);
    let sweep = |builder: &mut Builder, last: Collective| {
        let mut start = 0;
        while start < SIDE {
            let [row, column] = [0, 1].map(|dimension| mesh.owner(SIDE, dimension, start));
            let ends = [mesh.piece(SIDE, 0, row + 1), mesh.piece(SIDE, 1, column + 1)];
            let end = (start + WIDTH).min(ends[0]).min(ends[1]);
            let from = if TRIANGLE { start } else { 0 };
            let left = 8 * (end - start) * mesh.below(SIDE, 0, from);
            let right = 8 * (end - start) * mesh.below(SIDE, 1, 0);
            rooted(builder, Collective::Broadcast, ALONG_ROW, mesh.at[1], column, left);
            rooted(builder, last, ALONG_COLUMN, mesh.at[0], row, right);
            start = end;
        }
    };
    sweep(builder, Collective::Broadcast);
    if TRIANGLE {
        sweep(builder, Collective::Reduce);
        sweep(builder, Collective::Reduce);
    }
}

#[test]
fn panels_move_along_rows_and_columns() {
    is_exact(summa::<256, 32, false>, &[4, 8, 16], &[64, 36, 128]);
    is_exact(summa::<250, 24, false>, &[4, 9, 16], &[64]);
}

#[test]
fn panels_of_a_triangle_shrink() {
    is_exact(summa::<300, 32, true>, &[4, 8, 16], &[64]);
}

/// Row `k` of a graph's matrix is broadcast by its owner (Floyd and Warshall).
fn rows<const CYCLIC: bool>(builder: &mut Builder, ranks: u32) {
    for k in 0..120_u32 {
        let owner = (0..ranks).find(|rank| 120 * (rank + 1) / ranks > k).expect("the last");
        let root = if CYCLIC { k / 2 % ranks } else { owner };
        builder.collective(
            "MPI_Bcast",
            Collective::Broadcast,
            Some(root),
            8,
            &Data::Same(960),
            &Data::Nothing,
        );
        builder.compute(1000);
    }
}

#[test]
fn owners_of_rows_take_turns() {
    is_exact(rows::<true>, &[4, 6, 9], &[15, 40]);
    is_exact(rows::<false>, &[4, 6, 9], &[15, 40]);
}
