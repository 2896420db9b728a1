//! Reduction operators.

use panto_schedule::Order;

/// A reduction operator.
#[derive(Debug, Clone, Copy)]
pub struct ReduceOp {
    /// Which operator it is, for message layers that have it built in.
    pub kind: ReduceKind,
    /// Combines the elements of `from` into those of `into`, in the given order.
    pub apply: fn(from: &[u8], into: &mut [u8], order: Order),
}

/// Operators that a message layer may have built in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ReduceKind {
    /// No reduction.
    None,
    /// The sum of doubles.
    SumF64,
    /// The maximum of unsigned 64-bit integers.
    MaxU64,
    /// An operator that only `apply` defines.
    UserDefined,
}

impl ReduceOp {
    /// Returns an operator that is not built into any message layer. It must be associative; where
    /// it does not commute, the order of elements matters.
    pub const fn user_defined(apply: fn(from: &[u8], into: &mut [u8], order: Order)) -> Self {
        Self { kind: ReduceKind::UserDefined, apply }
    }
}

/// The operator of collectives that do not reduce.
pub const NO_REDUCTION: ReduceOp = ReduceOp { kind: ReduceKind::None, apply: |_, _, _| {} };

/// The sum of doubles (C7).
pub const SUM_F64: ReduceOp = ReduceOp { kind: ReduceKind::SumF64, apply: sum_f64 };

/// The maximum of unsigned 64-bit integers.
pub const MAX_U64: ReduceOp = ReduceOp { kind: ReduceKind::MaxU64, apply: max_u64 };

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
