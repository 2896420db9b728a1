//! Numbers of the format: kinds of records, and the values of enumerations.

/// The first string of an anchor file, with its terminating zero.
pub const MAGIC: &[u8] = b"OTF2\0";

/// The version of the anchor file's layout.
pub const ANCHOR_FORMAT: u8 = 3;

/// The version of the layout of all other files.
pub const TRACE_FORMAT: u8 = 2;

/// The version of the library whose layout is written: major, minor, bugfix.
pub const LIBRARY_VERSION: [u8; 3] = [3, 0, 2];

/// Each location has files of its own.
pub const SUBSTRATE_POSIX: u8 = 1;

/// Files are not compressed.
pub const COMPRESSION_NONE: u8 = 1;

/// Bytes of the smallest and the largest chunk.
pub const CHUNK_BYTES: std::ops::RangeInclusive<u64> = (256 << 10)..=(16 << 20);

/// A number that is not defined.
pub const UNDEFINED: u32 = u32::MAX;

// What is not a record, in any file.
pub const END_OF_CHUNK: u8 = 0;
pub const END_OF_BUFFER: u8 = 1;
pub const END_OF_FILE: u8 = 2;
pub const CHUNK_HEADER: u8 = 3;
pub const TIMESTAMP: u8 = 5;

/// Bytes of a chunk's header: its kind, the byte order, and its first and last event.
pub const HEADER_BYTES: usize = 18;

/// The byte order of a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ByteOrder {
    Little,
    Big,
}

impl ByteOrder {
    /// Returns the order that a byte of the header stands for.
    pub fn of(byte: u8) -> Option<Self> {
        match byte {
            LITTLE_ENDIAN => Some(Self::Little),
            0x23 => Some(Self::Big),
            _ => None,
        }
    }
}

/// The byte of a header that says that numbers begin with their lowest byte.
pub const LITTLE_ENDIAN: u8 = 0x42;

/// Kinds of definitions.
pub mod definition {
    /// Local: how numbers of this location map to global ones.
    pub const MAPPING_TABLE: u8 = 5;
    /// Local: how far the location's clock is from the common one.
    pub const CLOCK_OFFSET: u8 = 6;
    pub const CLOCK_PROPERTIES: u8 = 5;
    pub const STRING: u8 = 10;
    pub const SYSTEM_TREE_NODE: u8 = 12;
    pub const LOCATION_GROUP: u8 = 13;
    pub const LOCATION: u8 = 14;
    pub const REGION: u8 = 15;
    pub const GROUP: u8 = 18;
    pub const COMM: u8 = 22;
    pub const INTER_COMM: u8 = 43;
}

/// Kinds of events.
pub mod event {
    pub const ENTER: u8 = 12;
    pub const LEAVE: u8 = 13;
    pub const MPI_SEND: u8 = 14;
    pub const MPI_ISEND: u8 = 15;
    pub const MPI_ISEND_COMPLETE: u8 = 16;
    pub const MPI_IRECV_REQUEST: u8 = 17;
    pub const MPI_RECV: u8 = 18;
    pub const MPI_IRECV: u8 = 19;
    pub const MPI_REQUEST_TEST: u8 = 20;
    pub const MPI_REQUEST_CANCELLED: u8 = 21;
    pub const MPI_COLLECTIVE_END: u8 = 23;
    pub const RMA: std::ops::RangeInclusive<u8> = 35..=52;
    pub const NON_BLOCKING_COLLECTIVE_REQUEST: u8 = 85;
    pub const NON_BLOCKING_COLLECTIVE_COMPLETE: u8 = 86;

    /// Events that are one number, without the length that other records have.
    pub fn is_one_number(kind: u8) -> bool {
        const OMP_FORK: u8 = 24;
        const OMP_TASK_CREATE: u8 = 28;
        const OMP_TASK_COMPLETE: u8 = 30;
        let is_request =
            matches!(kind, MPI_ISEND_COMPLETE | MPI_IRECV_REQUEST | MPI_REQUEST_TEST | MPI_REQUEST_CANCELLED);
        is_request || matches!(kind, ENTER | LEAVE | OMP_FORK | OMP_TASK_CREATE..=OMP_TASK_COMPLETE)
    }
}

/// Kinds of groups.
pub mod group {
    /// The locations that are ranks, in the order of their ranks.
    pub const COMM_LOCATIONS: u8 = 4;
    /// Ranks of a communicator, as positions in the group of locations.
    pub const COMM_GROUP: u8 = 5;
    /// Each rank by itself.
    pub const COMM_SELF: u8 = 6;
    /// A flag: members are locations instead of positions.
    pub const GLOBAL_MEMBERS: u32 = 1;
}

/// What a region belongs to.
pub mod paradigm {
    pub const USER: u8 = 1;
    pub const MPI: u8 = 4;
}

/// What a region does.
pub mod role {
    pub const FUNCTION: u8 = 1;
    pub const CODE: u8 = 4;
    pub const BARRIER: u8 = 15;
    pub const COLL_ONE2ALL: u8 = 23;
    pub const COLL_ALL2ONE: u8 = 24;
    pub const COLL_ALL2ALL: u8 = 25;
    pub const COLL_OTHER: u8 = 26;
    pub const FILE_IO: u8 = 27;
    pub const POINT2POINT: u8 = 28;
    pub const RMA: u8 = 29;
}

/// Which numbers a mapping table maps.
pub mod mapping {
    pub const REGION: u8 = 3;
    pub const COMM: u8 = 6;
}
