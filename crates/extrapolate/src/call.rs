//! A call without its numbers: what two ranks, or two runs, may have in common.

use panto_trace::{CallForm, CollectiveKind, CompletionKind, SendMode};

/// What a call does, apart from partners, bytes and tags.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum What {
    /// `MPI_Init`.
    Initialise { threads: u32 },
    /// `MPI_Finalize`.
    Finalise,
    /// A send.
    Send { mode: SendMode, form: CallForm },
    /// A receive; whether its source and its tag are wildcards.
    Receive { form: CallForm, any_source: bool, any_tag: bool },
    /// A send and a receive in one call.
    SendReceive { replace: bool, has_request: bool, any_source: bool, any_tag: bool },
    /// Persistent requests are started.
    Start,
    /// Requests are completed.
    Complete { until: CompletionKind },
    /// `MPI_Request_free`.
    Free,
    /// A collective; whether it has lists of sizes.
    Collective(Collective),
    /// A communicator is made; whether this rank is a member.
    Communicator { made: Option<u32>, has_request: bool },
    /// A communicator is freed.
    Release { comm: u32 },
    /// `MPI_Pcontrol`.
    Control { level: i32 },
}

/// What a collective does, apart from root and sizes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Collective {
    pub kind: CollectiveKind,
    pub form: CallForm,
    pub commutes: bool,
    pub in_place: bool,
    pub has_type: [bool; 2],
    pub has_list: [bool; 2],
}

/// A call without partners and numbers. Ranks and runs of a program have equal shapes where they
/// execute the same line.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Shape {
    pub function: String,
    pub what: What,
    /// The communicator, as the rank numbers it.
    pub comm: Option<u32>,
    /// Whether the datatypes are derived.
    pub is_derived: [bool; 2],
    /// Whether the partner changes from call to call: it is the last of the numbers, its place in
    /// the communicator.
    pub moves: bool,
}

impl Shape {
    /// The names of the numbers of such a call, in their order.
    pub fn numbers(&self) -> impl Iterator<Item = &'static str> {
        self.what.numbers().iter().copied().chain(self.moves.then_some(PARTNER))
    }
}

/// The name of a partner that is a number.
pub const PARTNER: &str = "partner";

impl What {
    /// The names of the numbers of such a call, in their order.
    pub fn numbers(&self) -> &'static [&'static str] {
        match self {
            Self::Send { .. } => &["bytes", "tag", "element", "extent"],
            Self::Receive { .. } => &["bytes", "tag", "element", "extent", "matched bytes"],
            Self::SendReceive { .. } => &[
                "bytes",
                "tag",
                "element",
                "extent",
                "receive bytes",
                "receive tag",
                "receive element",
                "receive extent",
                "matched bytes",
            ],
            Self::Collective(_) => {
                &["bytes", "element", "extent", "receive bytes", "receive element", "receive extent"]
            }
            _ => &[],
        }
    }

    /// The number of partners: destination and source, or root.
    pub fn partners(&self) -> usize {
        match self {
            Self::Send { .. } | Self::Receive { .. } | Self::Collective(_) => 1,
            Self::SendReceive { .. } => 2,
            _ => 0,
        }
    }

    /// Whether the call makes a request.
    pub fn makes_request(&self) -> bool {
        match self {
            Self::Send { form, .. }
            | Self::Receive { form, .. }
            | Self::Collective(Collective { form, .. }) => *form != CallForm::Blocking,
            Self::SendReceive { has_request, .. } | Self::Communicator { has_request, .. } => *has_request,
            _ => false,
        }
    }

    /// Whether the request of such a call stays when its operation is complete.
    pub fn is_persistent(&self) -> bool {
        match self {
            Self::Send { form, .. }
            | Self::Receive { form, .. }
            | Self::Collective(Collective { form, .. }) => *form == CallForm::Persistent,
            _ => false,
        }
    }
}

/// A partner of a call.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Partner {
    /// A rank of the program.
    Rank(u32),
    /// `MPI_PROC_NULL`, or a collective without a root.
    Null,
}
