//! Encoding of communicators in tags, since the format has only `MPI_COMM_WORLD`.

use panto_trace::{Comm, World};

/// Numbers of communicators in tags: 0 is `MPI_COMM_WORLD`, 1 is `MPI_COMM_SELF`, others follow.
pub struct TagSpaces<'a> {
    world: &'a World,
    numbers: Vec<u32>,
    /// Number of communicators beyond these two.
    pub others: u32,
}

impl<'a> TagSpaces<'a> {
    pub fn new(world: &'a World) -> Self {
        let mut spaces = Self { world, numbers: Vec::new(), others: 0 };
        for comm in world.comms() {
            let number = match comm.made_by.as_str() {
                "MPI_COMM_WORLD" => 0,
                "MPI_COMM_SELF" => 1,
                _ => {
                    spaces.others += 1;
                    spaces.others + 1
                }
            };
            spaces.numbers.push(number);
        }
        spaces
    }

    /// Returns the number of a rank's communicator.
    pub fn number(&self, rank: u32, comm: Comm) -> u32 {
        let shared = self.world.shared(rank, comm);
        shared.and_then(|shared| self.numbers.get(shared.0 as usize).copied()).unwrap_or(0)
    }
}
