//! One access, or a window of them, with its synchronisation.

use panto_transport::{Access, AccessPattern, Result, Synchronisation, Transport, Window};

use super::super::stream::{STEP, check_window, overlapping};
use crate::comet::echo::Role;
use crate::measure::{Checked, Operation};
use crate::pattern;

/// Kind of access to the partner's memory.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    Put,
    Get,
    Accumulate,
}

impl Kind {
    /// Returns the buffers of an access. Those that are read overlap, so that each message differs
    /// from the next without memory of its own; those that are written do not.
    fn parts(self, bytes: usize, count: usize) -> AccessPattern {
        let (here, there) = if self == Self::Get { (bytes, STEP) } else { (STEP, bytes) };
        AccessPattern { count, bytes, local_stride: here, remote_stride: there }
    }
}

/// Accesses of one rank.
pub(super) struct AccessOperation {
    role: Role,
    kind: Kind,
    how: Synchronisation,
    parts: AccessPattern,
    /// `None` on idle ranks.
    window: Option<Box<dyn Window>>,
    /// Local buffer of the accesses on the origin, initial content of the window on the target.
    data: Vec<u8>,
    /// A failure to create the window, until it can be reported.
    set_up: Result<()>,
    rank: usize,
    round: u64,
}

impl AccessOperation {
    pub(super) fn new<T: Transport>(
        transport: &T,
        (role, kind, how): (Role, Kind, Synchronisation),
        bytes: usize,
        count: usize,
    ) -> Result<Self> {
        let with = match role {
            Role::Tester(other) | Role::Partner(other) => Some(other),
            Role::Alone | Role::Idle => None,
        };
        let (close, apart) = (overlapping(bytes, count), bytes * count);
        let (here, there) = if kind == Kind::Get { (apart, close) } else { (close, apart) };
        let window = transport.window(with, there)?;
        let data = match role {
            Role::Tester(_) => vec![0; here],
            Role::Partner(_) => vec![0; there],
            Role::Alone | Role::Idle => Vec::new(),
        };
        let (parts, rank) = (kind.parts(bytes, count), transport.rank());
        Ok(Self { role, kind, how, parts, window, data, set_up: Ok(()), rank, round: 0 })
    }

    /// Frees the window. Collective: all ranks must call it.
    pub(super) fn free(self) -> Result<()> {
        self.window.map_or(Ok(()), Window::free)
    }

    fn accesses(&self) -> bool {
        matches!(self.role, Role::Tester(_))
    }

    /// Checks what the partner's window holds after one access.
    fn check_written(&mut self, origin: usize) -> Checked {
        let Some(window) = &mut self.window else { return Ok(()) };
        let mut found = vec![0; self.data.len()];
        window.load(&mut found).map_err(|error| error.to_string())?;
        if self.kind == Kind::Accumulate {
            return self.check_sums(&found, origin);
        }
        check_window(&found, self.parts.bytes, self.parts.count, origin, self.round)
    }

    fn check_sums(&self, found: &[u8], origin: usize) -> Checked {
        let mut added = vec![0; found.len()];
        fill_summands(&mut added, origin, self.round);
        let is_wrong = |place: &usize| found[*place] != self.data[*place] + added[*place];
        match (0..found.len()).find(is_wrong) {
            None => Ok(()),
            Some(place) => Err(format!(
                "byte {place} of the window is {} after rank {origin} has added {} to {}",
                found[place], added[place], self.data[place]
            )),
        }
    }
}

/// Fills the operands, halved so that no sum exceeds a byte: where the processor has AVX, Open MPI
/// 4.1 saturates at 255 instead of wrapping around.
fn fill_summands(bytes: &mut [u8], rank: usize, round: u64) {
    pattern::fill(bytes, rank, round);
    for byte in bytes {
        *byte /= 2;
    }
}

impl Operation for AccessOperation {
    fn prepare(&mut self, round: u64) {
        self.round = round;
        let is_read = match self.role {
            Role::Tester(_) => self.kind != Kind::Get,
            _ => self.kind != Kind::Put,
        };
        if self.kind == Kind::Accumulate {
            fill_summands(&mut self.data, self.rank, round);
        } else if is_read {
            pattern::fill(&mut self.data, self.rank, round);
        } else {
            self.data.fill(0);
        }
        if let (Role::Partner(_), Some(window)) = (self.role, &mut self.window) {
            self.set_up = window.store(&self.data);
        }
    }

    fn begin(&mut self) -> Result<()> {
        self.set_up.clone()?;
        let (how, accesses) = (self.how, self.accesses());
        self.window.as_mut().map_or(Ok(()), |window| window.open(how, accesses))
    }

    fn run(&mut self) -> Result<()> {
        let Self { role, kind, how, parts, window, data, .. } = self;
        let Some(window) = window else { return Ok(()) };
        if !matches!(role, Role::Tester(_)) {
            return window.expose(*how);
        }
        let access = match kind {
            Kind::Put => Access::Put(data),
            Kind::Get => Access::Get(data),
            Kind::Accumulate => Access::Accumulate(data),
        };
        window.access(*how, access, *parts)
    }

    fn end(&mut self) -> Result<()> {
        let (how, accesses) = (self.how, self.accesses());
        self.window.as_mut().map_or(Ok(()), |window| window.close(how, accesses))
    }

    fn verify(&mut self) -> Checked {
        match (self.role, self.kind) {
            (Role::Tester(from), Kind::Get) => {
                check_window(&self.data, self.parts.bytes, self.parts.count, from, self.round)
            }
            (Role::Partner(origin), Kind::Put | Kind::Accumulate) => self.check_written(origin),
            _ => Ok(()),
        }
    }
}
