//! How reductions combine elements.

use panto_schedule::Order;

/// How a reduction combines elements.
#[derive(Debug, Clone, Copy)]
pub struct Combine {
    /// What it means, for message layers that have it built in.
    pub meaning: Meaning,
    /// Combines elements of `from` into those of `into`, in the given order.
    pub apply: fn(from: &[u8], into: &mut [u8], order: Order),
}

/// What an operation is, where a message layer may have it built in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Meaning {
    /// Nothing is combined.
    Nothing,
    /// Doubles are added.
    SumF64,
    /// The larger of unsigned 64-bit numbers is kept.
    MaxU64,
    /// Only `apply` knows.
    Own,
}

impl Combine {
    /// An operation that no message layer knows. It must be associative; where it does not commute, the order counts.
    pub const fn own(apply: fn(from: &[u8], into: &mut [u8], order: Order)) -> Self {
        Self { meaning: Meaning::Own, apply }
    }
}

/// For collectives that do not reduce.
pub const NO_COMBINE: Combine = Combine { meaning: Meaning::Nothing, apply: |_, _, _| {} };

/// Adds doubles (C7).
pub const SUM_F64: Combine = Combine { meaning: Meaning::SumF64, apply: sum_f64 };

/// Keeps the larger of unsigned numbers.
pub const MAX_U64: Combine = Combine { meaning: Meaning::MaxU64, apply: max_u64 };

fn sum_f64(from: &[u8], into: &mut [u8], _order: Order) {
    for (from, into) in from.as_chunks::<8>().0.iter().zip(into.as_chunks_mut::<8>().0) {
        *into = (f64::from_ne_bytes(*from) + f64::from_ne_bytes(*into)).to_ne_bytes();
    }
}

fn max_u64(from: &[u8], into: &mut [u8], _order: Order) {
    for (from, into) in from.as_chunks::<8>().0.iter().zip(into.as_chunks_mut::<8>().0) {
        *into = u64::from_ne_bytes(*from).max(u64::from_ne_bytes(*into)).to_ne_bytes();
    }
}
