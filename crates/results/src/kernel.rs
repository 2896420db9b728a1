//! The catalogue of kernels: the name under which each stands in results files, and what a reader
//! should know of it.
//!
//! A record names its kernel as `suite/name`. The constants here are the only place where these
//! names are written out: suites take theirs from here, and everything that reads records
//! (findings, reports, fits) compares with the same constants. Names are part of the file format
//! and never change.
//!
//! ```
//! use panto_results::kernel::{self, KernelInfo};
//! let echo = KernelInfo::find(kernel::comet::ECHO).expect("a known kernel");
//! assert_eq!((echo.suite(), echo.short_name(), echo.axis), ("comet", "echo", "bytes"));
//! ```

use crate::param;

/// The description of a kernel.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct KernelInfo {
    /// Suite and kernel, such as `comet/echo`.
    pub name: &'static str,
    /// What it measures, in one line without a period.
    pub summary: &'static str,
    /// The parameter on the x axis of its graph (C18).
    pub axis: &'static str,
    /// The least number of ranks that it can run on.
    pub min_ranks: usize,
    /// The kernel whose records it needs, which is measured before it.
    pub needs: Option<&'static str>,
}

impl KernelInfo {
    /// Returns the description of the kernel with this name; `None` if the name is unknown, as in a
    /// file of a newer version.
    pub fn find(name: &str) -> Option<&'static Self> {
        Self::all().find(|info| info.name == name)
    }

    /// Iterates over all kernels, in the order in which they run and are presented.
    pub fn all() -> impl Iterator<Item = &'static Self> {
        [comet::KERNELS, swap::KERNELS, cm5::KERNELS, calibrate::KERNELS, classic::KERNELS, scenario::KERNELS]
            .into_iter()
            .flatten()
    }

    /// Returns the suite that the kernel belongs to.
    pub fn suite(&self) -> &'static str {
        suite_of(self.name)
    }

    /// Returns the name within the suite.
    pub fn short_name(&self) -> &'static str {
        self.name.split_once('/').map_or(self.name, |(_, short)| short)
    }
}

/// Returns the suite of a kernel's name: what precedes the slash.
pub fn suite_of(name: &str) -> &str {
    name.split_once('/').map_or(name, |(suite, _)| suite)
}

/// The OSU micro-benchmarks, whose output Panto reads: those with a counterpart among the kernels.
pub mod osu {
    /// The name of the suite.
    pub const SUITE: &str = "osu";
    /// `osu_latency`.
    pub const LATENCY: &str = "osu/latency";
    /// `osu_barrier`.
    pub const BARRIER: &str = "osu/barrier-latency";
    /// `osu_bcast`.
    pub const BROADCAST: &str = "osu/broadcast-latency";
    /// `osu_allreduce`.
    pub const ALLREDUCE: &str = "osu/allreduce-latency";
}

/// The Intel MPI Benchmarks, whose output Panto reads: those with a counterpart among the kernels.
pub mod imb {
    /// The name of the suite.
    pub const SUITE: &str = "imb";
    /// `PingPong`.
    pub const PINGPONG: &str = "imb/pingpong";
    /// `Sendrecv`.
    pub const SENDRECV: &str = "imb/sendrecv";
    /// `Exchange`.
    pub const EXCHANGE: &str = "imb/exchange";
    /// `Barrier`.
    pub const BARRIER: &str = "imb/barrier";
    /// `Bcast`.
    pub const BROADCAST: &str = "imb/bcast";
    /// `Allreduce`.
    pub const ALLREDUCE: &str = "imb/allreduce";
}

macro_rules! suite {
    (
        $(#[$doc:meta])* mod $suite:ident = $prefix:literal;
        $($constant:ident = $short:literal, $axis:expr, $min_ranks:literal, $needs:expr, $summary:literal;)+
    ) => {
        $(#[$doc])*
        pub mod $suite {
            use super::{KernelInfo, param};

            /// The name of the suite.
            pub const SUITE: &str = $prefix;
            $(
                #[doc = concat!("`", $prefix, "/", $short, "`: ", $summary, ".")]
                pub const $constant: &str = concat!($prefix, "/", $short);
            )+

            pub(super) const KERNELS: &[KernelInfo] = &[$(
                KernelInfo {
                    name: $constant,
                    summary: $summary,
                    axis: $axis,
                    min_ranks: $min_ranks,
                    needs: $needs,
                }
            ),+];
        }
    };
}

suite! {
    /// The kernels of the CoMet thesis.
    mod comet = "comet";
    ECHO = "echo", param::BYTES, 1, None, "one-way time between two ranks, by distance and message size";
    EXCHANGE = "exchange", param::BYTES, 2, None, "time in which two ranks exchange messages, by distance and message size";
    BROADCAST = "broadcast", param::BYTES, 2, None, "one rank to all, by message size and number of ranks";
    REDUCTION = "reduction", param::LENGTH, 2, None, "sum of a vector of doubles over all ranks, known to all, by length and number of ranks";
    BARRIER = "barrier", param::RANKS, 2, None, "the least time to synchronise all ranks, by number of ranks";
    CONTENTION = "contention", param::BYTES, 4, Some(ECHO), "one-way time between two ranks while two others load the links, by load and message size";
    OVERLAP = "overlap", param::LENGTH, 2, None, "pairwise exchange and DAXPY, one after the other and overlapped, by size and length";
    DAXPY = "daxpy", param::LENGTH, 1, None, "y += a x on one rank, by vector length";
    GUARD = "guard", param::DIM, 1, None, "update of the guard wrapper of a block-decomposed matrix, by matrix dimension";
    SHIFT = "shift", param::DIM, 1, None, "shift of a matrix by one block to the north or to the east, by matrix dimension";
    TRANSPOSE = "transpose", param::DIM, 1, None, "transposition of a matrix by exchange of blocks or divide and conquer, by matrix dimension";
    ROW_BROADCAST = "row-broadcast", param::DIM, 4, None, "a matrix row to every row of the mesh, by matrix dimension";
    COLUMN_BROADCAST = "column-broadcast", param::DIM, 4, None, "a matrix column to every column of the mesh, by matrix dimension";
    HANDLER = "handler", param::BYTES, 2, None, "time from a send to the handler of a rank that computes, by message size";
    HANDLER_REPLY = "handler-reply", param::BYTES, 2, None, "round trip to the handler of a rank that computes, and back by a message that the handler sends, by message size";
    IO = "io", param::BLOCK, 1, None, "time in which all ranks write or read files, own and shared, by block size and ranks";
}

suite! {
    /// COMMTEST: two ranks exchange a volume by every protocol.
    mod swap = "swap";
    SWAP = "swap", param::BYTES, 2, None, "time in which pairs swap a volume, by protocol, loop, cache and message size";
    SENDRECV = "sendrecv", param::BYTES, 4, None, "time in which ranks send a volume to the next in a ring and receive one, by protocol";
}

suite! {
    /// The experiments of the CM-5 paper.
    mod cm5 = "cm5";
    MESSAGE_SET = "message-set", param::BYTES, 2, None, "one-way time of messages that go at once, the slowest of the set, by set and message size";
    SIMPLE_SEND = "simple-send", param::BYTES, 2, None, "one-way time between ranks 0 and 1, byte by byte to 100 and on to 10 KB";
    PATH_LENGTH = "path-length", param::LEVEL, 2, None, "one-way time from rank 0 by path length, from the nearest rank (1) to the farthest, and message size";
    EXCHANGE = "exchange", param::BYTES, 2, None, "complete exchange by LEX, PEX, REX and the library's alltoall, by block size and number of ranks";
    BROADCAST = "broadcast", param::BYTES, 2, None, "broadcast by LIB, REB, REB in segments and the library's own, by message size and number of ranks";
}

suite! {
    /// What a machine model needs beyond the other suites.
    mod calibrate = "calibrate";
    OVERHEAD = "overhead", param::BYTES, 2, None, "what sending and receiving cost the processor, by call and message size";
    GAP = "gap", param::BYTES, 2, None, "time of messages in a row that are answered once, by number and message size";
    EAGER = "eager", param::BYTES, 2, None, "the largest message whose send does not wait for the receive, to the byte; and what starting it takes";
    PAIRS = "pairs", param::BYTES, 2, None, "one-way time while several pairs across the same cut talk at once, by pairs and message size";
    RATES = "rates", param::BYTES, 1, None, "time of copying, packing, summing and DAXPY on one rank, by amount";
}

suite! {
    /// The benchmarks of OSU and Intel MPI Benchmarks.
    mod classic = "classic";
    LATENCY = "latency", param::BYTES, 2, None, "one-way time between two ranks, by message size (osu_latency, IMB PingPong)";
    BANDWIDTH = "bandwidth", param::BYTES, 2, None, "a window of messages from one rank to another, answered once, by message size (osu_bw)";
    BIDIRECTIONAL = "bidirectional", param::BYTES, 2, None, "windows of messages between two ranks, both ways at once, by message size (osu_bibw)";
    MULTI_LATENCY = "multi-latency", param::BYTES, 2, None, "one-way time of the slowest of all pairs at once, by message size and ranks (osu_multi_lat)";
    MULTI_BANDWIDTH = "multi-bandwidth", param::BYTES, 2, None, "bandwidth and message rate of all pairs at once, by message size and ranks (osu_mbw_mr)";
    SENDRECV = "sendrecv", param::BYTES, 2, None, "every rank sends to the right and receives from the left, by message size and ranks (IMB Sendrecv)";
    EXCHANGE = "exchange", param::BYTES, 2, None, "every rank exchanges with both its neighbours, by message size and ranks (IMB Exchange)";
    HALO_2D = "halo-2d", param::SIDE, 1, None, "exchange of the edges of each rank's square with its four neighbours, by the square's side";
    HALO_3D = "halo-3d", param::SIDE, 1, None, "exchange of the faces of each rank's cube with its six neighbours, by the cube's side";
    PUT_LATENCY = "put-latency", param::BYTES, 2, None, "one put and its synchronisation, by message size (osu_put_latency)";
    GET_LATENCY = "get-latency", param::BYTES, 2, None, "one get and its synchronisation, by message size (osu_get_latency)";
    ACCUMULATE_LATENCY = "accumulate-latency", param::BYTES, 2, None, "one accumulate (sum of bytes) and its synchronisation, by message size (osu_acc_latency)";
    PUT_BANDWIDTH = "put-bandwidth", param::BYTES, 2, None, "a window of puts and its synchronisation, by message size (osu_put_bw)";
    GET_BANDWIDTH = "get-bandwidth", param::BYTES, 2, None, "a window of gets and its synchronisation, by message size (osu_get_bw)";
}

suite! {
    /// Collectives in the context of computation and delays.
    mod scenario = "scenario";
    ONLY = "only", param::BYTES, 2, None, "a collective alone, from the first start to the last end, by size and participants";
    DELAY = "delay", param::DELAY, 2, None, "a collective to which one participant comes late, by the delay";
    OVERLAP = "overlap", param::COMPUTATION, 2, None, "a collective in flight while all compute, by the computation";
    OWN = "own", param::BYTES, 2, None, "a scenario of a file, or another that is built in, by --scenario";
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn names_are_unique_and_complete() {
        let names: BTreeSet<&str> = KernelInfo::all().map(|info| info.name).collect();
        assert_eq!(names.len(), KernelInfo::all().count());
        for info in KernelInfo::all() {
            assert_eq!(format!("{}/{}", info.suite(), info.short_name()), info.name);
            assert!(info.needs.is_none_or(|needed| KernelInfo::find(needed).is_some()));
        }
    }
}
