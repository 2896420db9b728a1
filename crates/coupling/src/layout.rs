//! The layout of the shared memory: a header, then one block for each rank.

use std::sync::atomic::{AtomicU32, AtomicU64};

use crate::futex::Sleeper;

/// Identifies the file and this version of its layout: "PANTORUN" and a version, as bytes.
pub const MAGIC: u64 = u64::from_le_bytes(*b"PANTRUN1");

/// The most ranks of a job. The file has room for all of them, since their number is known when
/// the job has started; only the part that is used takes memory, up to 130 KiB for a rank.
pub const MAX_RANKS: u32 = 1_024;

/// Words of a rank's ring: some hundred calls, so that a rank runs ahead while the hub sleeps. A
/// power of two.
pub const RING: usize = 8_192;

/// Words of a reply.
pub const REPLY: usize = 8_192;

/// What all ranks share.
#[repr(C, align(64))]
pub struct Header {
    /// [`MAGIC`], written last.
    pub magic: AtomicU64,
    /// The number of ranks, once the first is attached.
    pub ranks: AtomicU32,
    /// The number of ranks that make no more calls.
    pub ended: AtomicU32,
    /// Whether ranks must end: the simulation has failed or was interrupted.
    pub is_over: AtomicU32,
    /// Where the hub sleeps.
    pub hub: Sleeper,
}

/// One rank.
#[repr(C, align(64))]
pub struct RankBlock {
    /// The process, once it is attached.
    pub process: AtomicU32,
    /// How many times as fast its processor is as this host's, as the bits of a 64-bit
    /// floating-point number; 0 until it is known.
    pub speed: AtomicU64,
    /// Words that the rank has written. Increases without end.
    pub written: PaddedCount,
    /// Words that the hub has taken.
    pub taken: PaddedCount,
    /// Replies that the hub has written.
    pub replies: PaddedCount,
    /// Where the rank sleeps until the hub replies or makes room.
    pub sleeper: Sleeper,
    /// Where it sleeps until another rank sends it something by the real MPI.
    pub mail: Sleeper,
    pub reply_length: AtomicU64,
    pub reply: [AtomicU64; REPLY],
    pub ring: [AtomicU64; RING],
}

/// A count on a cache line of its own, since each is written by one side.
#[repr(C, align(64))]
pub struct PaddedCount(pub AtomicU64);

/// Bytes of the file.
pub const SIZE: usize = size_of::<Header>() + MAX_RANKS as usize * size_of::<RankBlock>();
