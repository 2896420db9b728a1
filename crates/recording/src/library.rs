//! What is asked of an MPI library.

use panto_trace::{Communicator, Datatype};

use crate::comms::Origin;

/// What an MPI library says of its handles. No method communicates.
pub trait Library {
    /// Returns the members and the topology of a communicator.
    fn communicator(&self, handle: usize, origin: Origin) -> Communicator;

    /// Returns the size and extent of a datatype.
    fn datatype(&self, handle: usize) -> Datatype;

    /// Returns whether a reduction operation is commutative.
    fn is_commutative(&self, op: usize) -> bool;
}

#[cfg(test)]
pub mod tests {
    use std::cell::Cell;

    use panto_trace::Ranks;

    use super::*;

    /// A library with four ranks whose handles are sizes of datatypes, and which counts its calls.
    #[derive(Default)]
    pub struct FakeLibrary {
        pub calls: Cell<u32>,
    }

    impl FakeLibrary {
        fn count(&self) {
            self.calls.set(self.calls.get() + 1);
        }
    }

    impl Library for FakeLibrary {
        fn communicator(&self, _handle: usize, origin: Origin) -> Communicator {
            self.count();
            Communicator {
                made_by: origin.made_by,
                parent: origin.parent,
                ordinal: origin.ordinal,
                tag: origin.tag,
                rank: 2,
                members: (0..4).collect(),
                others: None,
                sources: Ranks::default(),
                destinations: Ranks::default(),
            }
        }

        fn datatype(&self, handle: usize) -> Datatype {
            self.count();
            Datatype { size: handle as u64 % 16, extent: 16, is_derived: false }
        }

        fn is_commutative(&self, op: usize) -> bool {
            self.count();
            op == 0
        }
    }
}
