//! What a machine model needs and no other suite measures: overheads, gaps, limits and rates (P16).

/// What the user asked of calibration.
#[derive(Debug, Clone, Default)]
pub struct Options {}
