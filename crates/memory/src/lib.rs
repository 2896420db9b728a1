//! Memory layout for simulations that are limited by memory latency: vectors in huge pages, and
//! prefetching.
//!
//! A simulation with tens of thousands of ranks visits one rank after the other, and little of what
//! a rank needs is in a cache. Two things then take the time:
//!
//! - *Address translation.* The processor keeps the translations of recently used pages in its TLB.
//!   With 4 KiB pages, a TLB of some thousand entries covers a few megabytes; beyond that, most
//!   accesses walk the page table first, which can take longer than the access itself. A huge page
//!   (2 MiB on x86-64) needs one entry for 512 times as much memory. [`HugeVec`] asks the operating
//!   system for them.
//! - *Latency.* An access that misses all caches takes as long as hundreds of instructions. If the
//!   program knows the address some turns before it needs the data, [`prefetch`] lets the processor
//!   load the cache lines meanwhile.
//!
//! Both are hints. They change how long a run takes, never what it computes, and a system without
//! huge pages or a processor without the instruction runs the same program.
//!
//! This is the only unsafe code that the simulator needs, which is why it is a crate of its own:
//! `panto-sim` forbids unsafe code.

mod huge_vec;
mod prefetch;

pub use huge_vec::HugeVec;
pub use prefetch::prefetch;
