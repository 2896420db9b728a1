//! How far the figures of a model can be believed.

/// The grade of a model that was fitted to measurements.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Quality {
    /// The measurements were undisturbed, and the model follows them.
    Good,
    /// They were disturbed in part, or the model follows them roughly.
    Fair,
    /// No prediction should rest on it.
    Poor,
}

impl Quality {
    /// All grades, best first.
    pub const ALL: [Self; 3] = [Self::Good, Self::Fair, Self::Poor];

    /// The name in model files.
    pub fn name(self) -> &'static str {
        match self {
            Self::Good => "good",
            Self::Fair => "fair",
            Self::Poor => "poor",
        }
    }
}
