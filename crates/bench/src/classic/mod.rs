//! What users of OSU's and Intel's benchmarks expect to find.

/// What the user asked of the classic benchmarks.
#[derive(Debug, Clone, Default)]
pub struct Options {}
