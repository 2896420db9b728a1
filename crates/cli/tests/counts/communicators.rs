//! A communicator is the same for all its members, and has the members that the program gave it.

use std::collections::BTreeMap;

use panto_trace::{Ranks, SharedComm, World};

use crate::COUNTED;
use crate::scene::Scene;

/// An even and an odd number of ranks: sides of equal and of different size, and meshes of both
/// shapes.
const RANKS: [u32; 2] = [4, 5];

/// The function that created a communicator, its members, and those of the other side.
type Made = (String, Vec<u32>, Option<Vec<u32>>);

/// How often each communicator is created.
#[derive(Default)]
struct Expected(BTreeMap<Made, u32>);

impl Expected {
    fn add(&mut self, made_by: &str, members: impl IntoIterator<Item = u32>) {
        self.add_pair(made_by, members, None);
    }

    fn add_pair(&mut self, made_by: &str, members: impl IntoIterator<Item = u32>, others: Option<Vec<u32>>) {
        let members: Vec<u32> = members.into_iter().collect();
        if !members.is_empty() {
            *self.0.entry((made_by.to_owned(), members, others)).or_default() += 1;
        }
    }

    /// Returns the communicators that `communicators.c` creates, in its order.
    fn of(ranks: u32) -> Self {
        let mut all = Self::default();
        all.add("MPI_COMM_WORLD", 0..ranks);
        (0..ranks).for_each(|rank| all.add("MPI_COMM_SELF", [rank]));
        all.splits(ranks);
        all.copies(ranks);
        all.groups(ranks);
        all.topologies(ranks);
        all.across(ranks);
        all
    }

    /// Splits by parity in reverse order without the last rank, and splits each part again.
    fn splits(&mut self, ranks: u32) {
        for parity in [0, 1] {
            let side = || (0..ranks - 1).filter(move |rank| rank % 2 == parity);
            self.add("MPI_Comm_split", side().rev());
            self.add("MPI_Comm_split", side().filter(|rank| rank % 4 < 2));
            self.add("MPI_Comm_split", side().filter(|rank| rank % 4 >= 2));
        }
        self.add("MPI_Comm_split_type", 0..ranks);
    }

    fn copies(&mut self, ranks: u32) {
        for made_by in ["MPI_Comm_dup", "MPI_Comm_idup", "MPI_Comm_dup_with_info"] {
            self.add(made_by, 0..ranks);
        }
        (0..ranks).for_each(|rank| self.add("MPI_Comm_dup", [rank]));
        for last in 0..3 {
            self.add("MPI_Comm_split", 0..=last);
            self.add("MPI_Comm_split", last + 1..ranks);
        }
    }

    /// Groups of every second rank from the last down, and of the remaining ranks.
    fn groups(&mut self, ranks: u32) {
        let part: Vec<u32> = (0..ranks).rev().step_by(2).collect();
        self.add("MPI_Comm_create", part.clone());
        self.add("MPI_Comm_create_group", part.clone());
        self.add("MPI_Comm_create", (0..ranks).filter(|rank| !part.contains(rank)));
    }

    fn topologies(&mut self, ranks: u32) {
        for made_by in ["MPI_Cart_create", "MPI_Graph_create", "MPI_Dist_graph_create"] {
            self.add(made_by, 0..ranks);
        }
        // The squarest mesh with at least as many rows as columns.
        let columns =
            (1..=ranks).filter(|columns| ranks.is_multiple_of(*columns) && columns * columns <= ranks);
        let columns = columns.max().expect("one column always fits");
        (0..ranks).step_by(columns as usize).for_each(|row| self.add("MPI_Cart_sub", row..row + columns));
    }

    /// An intercommunicator between even and odd ranks; in the merged one, odd ranks come first.
    fn across(&mut self, ranks: u32) {
        let even = || (0..ranks).step_by(2);
        let odd = || (1..ranks).step_by(2);
        self.add("MPI_Comm_split", even());
        self.add("MPI_Comm_split", odd());
        self.add_pair("MPI_Intercomm_create", even(), Some(odd().collect()));
        self.add_pair("MPI_Comm_dup", even(), Some(odd().collect()));
        self.add("MPI_Intercomm_merge", odd().chain(even()));
    }
}

fn made(comm: &SharedComm) -> Made {
    let list = |ranks: &Ranks| ranks.iter().collect::<Vec<_>>();
    (comm.made_by.clone(), list(&comm.members), comm.others.as_ref().map(list))
}

#[test]
fn each_is_one_for_all_its_members() {
    for mpi in COUNTED {
        for ranks in RANKS {
            let Some(app) = mpi.app("communicators") else { continue };
            let scene = Scene::new();
            scene.trace("", &mpi, ranks as usize, &app).run().succeeds();
            let world = World::new(&scene.traced()).unwrap_or_else(|error| panic!("{}: {error}", mpi.name));
            let mut found = BTreeMap::new();
            for comm in world.comms() {
                *found.entry(made(comm)).or_default() += 1;
            }
            assert_eq!(found, Expected::of(ranks).0, "{ranks} ranks on {}", mpi.name);
        }
    }
}
