//! Which processors have links: distances and routes.

/// A directed link, numbered from 0 without large holes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct LinkId(pub u64);

/// Which processors have links.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Topology {
    /// A link from each to each.
    Complete(u32),
}

impl Topology {
    /// How many processors ranks can run on.
    pub fn processors(&self) -> usize {
        match self {
            Self::Complete(n) => *n as usize,
        }
    }

    /// How many links the shortest way has.
    #[inline]
    pub fn distance(&self, from: u32, to: u32) -> u32 {
        match self {
            Self::Complete(_) => u32::from(from != to),
        }
    }

    /// Visits the links of the way that a message takes, in order. None if both are one.
    pub fn route(&self, from: u32, to: u32, mut visit: impl FnMut(LinkId)) {
        match self {
            Self::Complete(n) => {
                if from != to {
                    visit(LinkId(u64::from(from) * u64::from(*n) + u64::from(to)));
                }
            }
        }
    }

    /// Link numbers are below this.
    pub fn links(&self) -> u64 {
        match self {
            Self::Complete(n) => u64::from(*n) * u64::from(*n),
        }
    }

    /// How many messages a link carries at once: more than one where a level of a fat tree is a pool.
    pub fn width(&self, link: LinkId) -> u32 {
        let _ = link;
        1
    }
}
