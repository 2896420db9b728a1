//! The collectives of each communicator, on which its members must agree.
//!
//! MPI requires that all members of a communicator call the same collectives in the same order.
//! Ranks are read one after the other, so the first member that is read defines the sequence, and
//! the others are compared with it.

use rustc_hash::FxHashMap;

use panto_trace::CollectiveKind;

/// What the members do.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum InstanceKind {
    /// A collective operation.
    Collective(CollectiveKind),
    /// A collective with blocks of different lengths, such as `MPI_Gatherv`.
    Vector(CollectiveKind),
    /// The creation of a communicator.
    CommCreation,
    /// The synchronisation of a window.
    WindowSync,
}

/// A collective as its members agree on it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct CollectiveInstance {
    /// What the members do.
    pub kind: InstanceKind,
    /// Whether it is completed by another call.
    pub started: bool,
    /// The root's rank in the communicator, if there is one root that all know.
    pub root: Option<u32>,
    /// Elements of the vector, or of one block.
    pub count: u64,
    /// Bytes of an element.
    pub element: u64,
    /// Whether the reduction operation is commutative.
    pub commutes: bool,
    /// The function that the first member called.
    pub call: u32,
}

/// The result of comparing a collective with the sequence of its communicator.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Agreement {
    /// It matches the instance with this number.
    Match(u32),
    /// The first member has this other instance here.
    Mismatch(u32),
    /// The first member has no more collectives.
    Exhausted,
}

/// The collectives of one communicator.
#[derive(Default)]
struct Sequence {
    /// The rank that was read first, which defines the sequence.
    first: u32,
    instances: Vec<u32>,
}

/// The collectives of all communicators.
#[derive(Default)]
pub struct CollectiveLog {
    sequences: FxHashMap<u32, Sequence>,
    instances: Vec<CollectiveInstance>,
    numbers: FxHashMap<CollectiveInstance, u32>,
    /// Whether any member extends the sequence: the first one may end too early.
    may_all_extend: bool,
}

impl CollectiveLog {
    /// No collectives, of ranks that may end too early: any member extends the sequence.
    pub fn of_incomplete() -> Self {
        Self { may_all_extend: true, ..Self::default() }
    }

    /// Compares the `nth` collective of a rank on a communicator with the sequence, which it
    /// extends if the rank is the one that was read first.
    pub fn join(&mut self, comm: u32, rank: u32, nth: usize, own: CollectiveInstance) -> Agreement {
        let sequence =
            self.sequences.entry(comm).or_insert_with(|| Sequence { first: rank, instances: Vec::new() });
        if let Some(number) = sequence.instances.get(nth) {
            let agreed = &self.instances[*number as usize];
            return if agreed.is_compatible(&own) {
                Agreement::Match(*number)
            } else {
                Agreement::Mismatch(*number)
            };
        }
        if sequence.first != rank && !self.may_all_extend {
            return Agreement::Exhausted;
        }
        let number = self.number(own);
        if let Some(sequence) = self.sequences.get_mut(&comm) {
            sequence.instances.push(number);
        }
        Agreement::Match(number)
    }

    /// Returns how many times a rank may repeat its last collectives on a communicator, which
    /// matched instances of these numbers: as often as the sequence has them from the `nth` on, or
    /// any number of times if the rank defines it.
    pub fn repetitions(&self, comm: u32, rank: u32, nth: usize, numbers: &[u32]) -> u64 {
        let Some(sequence) = self.sequences.get(&comm) else { return 0 };
        if sequence.first == rank && sequence.instances.len() == nth {
            return u64::MAX;
        }
        let follows = sequence.instances.get(nth..).unwrap_or_default();
        follows.chunks_exact(numbers.len()).take_while(|chunk| *chunk == numbers).count() as u64
    }

    /// Repeats the last collectives of a rank on a communicator, which matched instances of these
    /// numbers.
    pub fn repeat(&mut self, comm: u32, rank: u32, nth: usize, numbers: &[u32], times: u64) {
        let Some(sequence) = self.sequences.get_mut(&comm) else { return };
        if sequence.first == rank && sequence.instances.len() == nth {
            (0..times).for_each(|_| sequence.instances.extend_from_slice(numbers));
        }
    }

    /// Adds the collectives of ranks that were read apart, which are higher than the ranks here.
    /// Returns false, with nothing to be relied on, if they would have to be compared one by one:
    /// where members differ, the lowest rank decides.
    pub fn merge(&mut self, other: &Self) -> bool {
        for (comm, sequence) in &other.sequences {
            let Some(known) = self.sequences.get(comm) else {
                let first = sequence.first;
                let numbers = sequence.instances.iter().map(|number| self.number(other.instance(*number)));
                let instances = numbers.collect();
                self.sequences.insert(*comm, Sequence { first, instances });
                continue;
            };
            let is_equal = |(own, others): (&u32, &u32)| {
                let (own, others) = (self.instance(*own), other.instance(*others));
                own == CollectiveInstance { call: own.call, ..others }
            };
            let has_same_length = known.instances.len() == sequence.instances.len();
            if !has_same_length || !known.instances.iter().zip(&sequence.instances).all(is_equal) {
                return false;
            }
        }
        true
    }

    /// Returns the number of an instance, and adds it at its first use.
    fn number(&mut self, instance: CollectiveInstance) -> u32 {
        let next = self.instances.len() as u32;
        *self.numbers.entry(instance).or_insert_with(|| {
            self.instances.push(instance);
            next
        })
    }

    /// The instance with a number.
    pub fn instance(&self, number: u32) -> CollectiveInstance {
        self.instances[number as usize]
    }

    /// The rank that was read first of a communicator.
    pub fn first(&self, comm: u32) -> u32 {
        self.sequences.get(&comm).map_or(0, |sequence| sequence.first)
    }

    /// The `nth` collective of a communicator.
    pub fn nth(&self, comm: u32, nth: usize) -> Option<CollectiveInstance> {
        self.sequences.get(&comm)?.instances.get(nth).map(|number| self.instance(*number))
    }

    /// The communicators that have collectives, each with the rank that was read first.
    pub fn comms(&self) -> impl Iterator<Item = (u32, u32)> {
        self.sequences.iter().map(|(comm, sequence)| (*comm, sequence.first))
    }
}

impl CollectiveInstance {
    /// Returns whether two members describe the same collective. Their lengths may differ, which is
    /// only a warning.
    fn is_compatible(&self, other: &Self) -> bool {
        self.kind == other.kind && self.started == other.started && self.root == other.root
    }

    /// Describes the call, as in `calls MPI_Bcast with root 0`.
    pub fn describe(&self, call: &str) -> String {
        self.root.map_or_else(|| format!("calls {call}"), |root| format!("calls {call} with root {root}"))
    }

    /// Bytes of the vector, or of one block.
    pub fn bytes(&self) -> u64 {
        self.count.saturating_mul(self.element)
    }
}
