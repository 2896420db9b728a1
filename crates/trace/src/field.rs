//! The parts of a call, each a number in the file.

/// Something that a call has, kept as one number.
pub trait Field: Sized + Copy {
    /// The number.
    fn put(self) -> i64;
    /// What the number stands for; none if nothing.
    fn get(number: i64) -> Option<Self>;
}

/// Enums whose numbers stand in files: they never change, new ones come at the end.
macro_rules! numbered {
    ($($(#[$about:meta])* pub enum $name:ident { $($(#[$what:meta])* $number:literal $item:ident,)+ })+) => {$(
        $(#[$about])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
        pub enum $name { $($(#[$what])* $item = $number,)+ }

        impl $name {
            /// All of them.
            pub const ALL: &[Self] = &[$(Self::$item,)+];
        }

        impl Field for $name {
            #[inline]
            fn put(self) -> i64 {
                self as i64
            }
            #[inline]
            fn get(number: i64) -> Option<Self> {
                match number {
                    $($number => Some(Self::$item),)+
                    _ => None,
                }
            }
        }
    )+};
}
pub(crate) use numbered;

macro_rules! plain {
    ($($type:ty),+) => {$(
        impl Field for $type {
            #[inline]
            fn put(self) -> i64 {
                self.into()
            }
            #[inline]
            fn get(number: i64) -> Option<Self> {
                Self::try_from(number).ok()
            }
        }
    )+};
}

plain!(i64, i32, u32);

/// Bytes and counts never reach 2^63; the conversion is exact both ways.
impl Field for u64 {
    #[inline]
    fn put(self) -> i64 {
        self as i64
    }
    #[inline]
    fn get(number: i64) -> Option<Self> {
        Some(number as Self)
    }
}

impl Field for bool {
    #[inline]
    fn put(self) -> i64 {
        self.into()
    }
    #[inline]
    fn get(number: i64) -> Option<Self> {
        match number {
            0 => Some(false),
            1 => Some(true),
            _ => None,
        }
    }
}

/// Numbers that count things from zero, in the order in which the rank made them.
macro_rules! counted {
    ($($(#[$about:meta])* $name:ident)+) => {$(
        $(#[$about])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
        pub struct $name(pub u32);

        impl $name {
            /// As an index.
            pub fn index(self) -> usize {
                self.0 as usize
            }
        }

        impl Field for $name {
            #[inline]
            fn put(self) -> i64 {
                self.0.into()
            }
            #[inline]
            fn get(number: i64) -> Option<Self> {
                u32::try_from(number).ok().map(Self)
            }
        }

        impl Field for Option<$name> {
            #[inline]
            fn put(self) -> i64 {
                self.map_or(-1, Field::put)
            }
            #[inline]
            fn get(number: i64) -> Option<Self> {
                if number == -1 { Some(None) } else { $name::get(number).map(Some) }
            }
        }
    )+};
}

counted! {
    /// A communicator of this rank. 0 is `MPI_COMM_WORLD`, 1 is `MPI_COMM_SELF`.
    Comm
    /// A datatype of this rank.
    Type
    /// The place of a request. The lowest free place is taken, so that a loop uses the same places in each round.
    Slot
    /// A window for one-sided communication, or an open file.
    Object
    /// A name: of a function.
    Name
}

/// Another rank of a communicator.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Peer {
    /// Its number in the communicator less one's own. On an intercommunicator: its number among the others, less one's own among one's own.
    Relative(i32),
    /// `MPI_ANY_SOURCE`.
    Any,
    /// `MPI_PROC_NULL`: nobody.
    Nobody,
    /// `MPI_ROOT`: on an intercommunicator, this very rank is the root.
    Here,
}

impl Peer {
    const ANY: i64 = 1 << 40;
    const NOBODY: i64 = Self::ANY + 1;
    const HERE: i64 = Self::ANY + 2;

    /// Its number in the communicator, as seen by this rank of it.
    pub fn rank(self, own: u32) -> Option<u32> {
        match self {
            Self::Relative(far) => own.checked_add_signed(far),
            Self::Any | Self::Nobody | Self::Here => None,
        }
    }
}

impl Field for Peer {
    #[inline]
    fn put(self) -> i64 {
        match self {
            Self::Relative(far) => far.into(),
            Self::Any => Self::ANY,
            Self::Nobody => Self::NOBODY,
            Self::Here => Self::HERE,
        }
    }
    #[inline]
    fn get(number: i64) -> Option<Self> {
        match number {
            Self::ANY => Some(Self::Any),
            Self::NOBODY => Some(Self::Nobody),
            Self::HERE => Some(Self::Here),
            far => i32::try_from(far).ok().map(Self::Relative),
        }
    }
}

numbered! {
    /// When a send may end.
    pub enum Mode {
        /// As the library likes.
        0 Standard,
        /// At once: the message was copied.
        1 Buffered,
        /// When the receive has begun.
        2 Synchronous,
        /// The receive was posted before.
        3 Ready,
    }

    /// How a call relates to its operation.
    pub enum Form {
        /// Returns when it is done.
        0 Blocking,
        /// Starts it; a request tells when it is done.
        1 Immediate,
        /// Describes it, to be started often.
        2 Persistent,
        /// Describes it, to be started often and filled part by part.
        3 Partitioned,
    }

    /// Which requests a completing call wants.
    pub enum Until {
        /// `MPI_Wait`.
        0 Wait,
        /// `MPI_Waitall`.
        1 WaitAll,
        /// `MPI_Waitany`.
        2 WaitAny,
        /// `MPI_Waitsome`.
        3 WaitSome,
        /// `MPI_Test`.
        4 Test,
        /// `MPI_Testall`.
        5 TestAll,
        /// `MPI_Testany`.
        6 TestAny,
        /// `MPI_Testsome`.
        7 TestSome,
    }

    /// What a probe does with what it finds.
    pub enum Look {
        /// `MPI_Probe`: waits for a message.
        0 Wait,
        /// `MPI_Iprobe`: looks whether there is one.
        1 Peek,
        /// `MPI_Mprobe`: waits for a message and takes it out of matching.
        2 WaitAndTake,
        /// `MPI_Improbe`: looks for one and takes it out of matching.
        3 PeekAndTake,
    }

    /// Collective operations.
    pub enum Pattern {
        /// `MPI_Barrier`.
        0 Barrier,
        /// `MPI_Bcast`.
        1 Broadcast,
        /// `MPI_Gather`, `MPI_Gatherv`.
        2 Gather,
        /// `MPI_Scatter`, `MPI_Scatterv`.
        3 Scatter,
        /// `MPI_Allgather`, `MPI_Allgatherv`.
        4 AllGather,
        /// `MPI_Alltoall`, `MPI_Alltoallv`, `MPI_Alltoallw`.
        5 AllToAll,
        /// `MPI_Reduce`.
        6 Reduce,
        /// `MPI_Allreduce`.
        7 AllReduce,
        /// `MPI_Reduce_scatter`, `MPI_Reduce_scatter_block`.
        8 ReduceScatter,
        /// `MPI_Scan`.
        9 Scan,
        /// `MPI_Exscan`.
        10 ExclusiveScan,
        /// `MPI_Neighbor_allgather`, `MPI_Neighbor_allgatherv`.
        11 NeighbourAllGather,
        /// `MPI_Neighbor_alltoall`, `MPI_Neighbor_alltoallv`, `MPI_Neighbor_alltoallw`.
        12 NeighbourAllToAll,
    }
}
