//! The experiments of the CM-5 paper: message sets, and algorithms that compete (M1-M7).

/// What the user asked of the experiments of the CM-5 paper.
#[derive(Debug, Clone, Default)]
pub struct Options {}
