//! COMMTEST: the peak point-to-point performance of a pair, by every protocol that a programmer can choose (T1-T9).

/// What the user asked of COMMTEST.
#[derive(Debug, Clone, Default)]
pub struct Options {}
