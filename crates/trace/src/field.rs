//! The parts of an action, each of which is a number in the file.

use panto_calls::SendMode;

/// A part of an action, which is stored as one number.
pub trait Field: Sized + Copy {
    /// Returns the number that is stored.
    fn put(self) -> i64;
    /// Returns the value of a stored number; none if it is invalid.
    fn get(number: i64) -> Option<Self>;
}

/// Enums whose numbers are part of the format: they never change, and new items are added at the
/// end.
macro_rules! numbered {
    ($($(#[$about:meta])* pub enum $name:ident { $($(#[$what:meta])* $number:literal $item:ident,)+ })+) => {$(
        $(#[$about])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
        pub enum $name { $($(#[$what])* $item = $number,)+ }

        impl $name {
            /// All items.
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

/// Bytes and counts are below 2^63, so the conversion is exact in both directions.
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

/// Numbers of definitions, counted from zero in the order in which the rank made them.
macro_rules! counted {
    ($($(#[$about:meta])* $name:ident)+) => {$(
        $(#[$about])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
        pub struct $name(pub u32);

        impl $name {
            /// Returns the number as an index.
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
    /// The number of a communicator of this rank. 0 is `MPI_COMM_WORLD`, 1 is `MPI_COMM_SELF`.
    Comm
    /// The number of a datatype of this rank.
    Type
    /// The slot of a request. The lowest free slot is taken, so that a loop uses the same slots in
    /// each iteration.
    Slot
    /// The number of a window or of an open file of this rank.
    WindowOrFileId
    /// The number of a name: that of a function.
    Name
    /// The number of a call site of this rank.
    Site
}

/// Another rank of a communicator.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Peer {
    /// Its rank in the communicator minus the own one, so that all ranks of a stencil have equal
    /// calls. On an intercommunicator: its rank in the remote group minus the own one in the local
    /// group.
    Relative(i32),
    /// `MPI_ANY_SOURCE`.
    Any,
    /// `MPI_PROC_NULL`: no rank.
    Null,
    /// `MPI_ROOT`: this rank is the root of a collective on an intercommunicator.
    Root,
}

impl Peer {
    const ANY: i64 = 1 << 40;
    const NULL: i64 = Self::ANY + 1;
    const ROOT: i64 = Self::ANY + 2;

    /// Returns its rank in the communicator, in which this rank has the number `own`.
    pub fn rank(self, own: u32) -> Option<u32> {
        match self {
            Self::Relative(far) => own.checked_add_signed(far),
            Self::Any | Self::Null | Self::Root => None,
        }
    }
}

impl Field for Peer {
    #[inline]
    fn put(self) -> i64 {
        match self {
            Self::Relative(far) => far.into(),
            Self::Any => Self::ANY,
            Self::Null => Self::NULL,
            Self::Root => Self::ROOT,
        }
    }
    #[inline]
    fn get(number: i64) -> Option<Self> {
        match number {
            Self::ANY => Some(Self::Any),
            Self::NULL => Some(Self::Null),
            Self::ROOT => Some(Self::Root),
            far => i32::try_from(far).ok().map(Self::Relative),
        }
    }
}

numbered! {
    /// How a call relates to its operation.
    pub enum CallForm {
        /// Returns when the operation is complete.
        0 Blocking,
        /// Starts the operation, which is complete when its request is.
        1 Immediate,
        /// Makes a request that can be started any number of times.
        2 Persistent,
        /// Makes a request that can be started any number of times, whose data are sent in
        /// partitions.
        3 Partitioned,
    }

    /// The functions that complete requests.
    pub enum CompletionKind {
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

    /// The functions that probe for a message.
    pub enum ProbeKind {
        /// `MPI_Probe`: waits for a message.
        0 Probe,
        /// `MPI_Iprobe`: returns at once, with or without a message.
        1 Iprobe,
        /// `MPI_Mprobe`: waits for a message and removes it from matching.
        2 Mprobe,
        /// `MPI_Improbe`: returns at once; a message that is found is removed from matching.
        3 Improbe,
    }
}

/// Gives codes of the format to the items of an enum that is defined elsewhere. Codes never change.
macro_rules! coded {
    ($name:ident { $($number:literal $item:ident,)+ }) => {
        impl Field for $name {
            #[inline]
            fn put(self) -> i64 {
                match self {
                    $(Self::$item => $number,)+
                }
            }
            #[inline]
            fn get(number: i64) -> Option<Self> {
                match number {
                    $($number => Some(Self::$item),)+
                    _ => None,
                }
            }
        }
    };
}
pub(crate) use coded;

coded! {
    SendMode {
        0 Standard,
        1 Buffered,
        2 Synchronous,
        3 Ready,
    }
}
