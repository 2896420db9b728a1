//! Collectives between the entry of the first rank and the return of the last.

use panto_trace::Collective;
use panto_units::Time;
use rustc_hash::FxHashMap;

/// A collective: its communicator and its place among the collectives of that.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct CollectiveId {
    /// The communicator.
    pub comm: u32,
    /// Its number: of a persistent collective, that of its definition.
    pub number: u64,
    /// Of a persistent collective, how often it was started before.
    pub start: Option<u64>,
}

/// For whom a rank waits in a collective.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Awaited {
    /// All others.
    All,
    /// The root.
    Root,
    /// No rank, as far as is known.
    None,
}

impl Awaited {
    /// Returns for whom the root or another rank waits.
    pub fn in_collective(collective: Collective, is_root: bool) -> Self {
        use Collective::{
            Allgather, Allreduce, Alltoall, Barrier, Broadcast, Exscan, Gather, Reduce, ReduceScatter, Scan,
            Scatter,
        };
        match collective {
            Barrier | Allgather | Alltoall | Allreduce | ReduceScatter => Self::All,
            Gather | Reduce if is_root => Self::All,
            Broadcast | Scatter if !is_root => Self::Root,
            Broadcast | Scatter | Gather | Reduce | Scan | Exscan => Self::None,
        }
    }
}

/// A rank enters a collective.
#[derive(Debug, Clone, Copy)]
pub struct Entry {
    pub rank: u32,
    /// The number of its host.
    pub host: usize,
    pub is_root: bool,
    pub at: Time,
}

/// When the ranks of a host were in a collective.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct HostSpan {
    /// When the last of them entered.
    pub entered: Option<Time>,
    /// When the first of them returned.
    pub left: Option<Time>,
}

/// Who entered a collective so far, and who left it.
#[derive(Debug, Default)]
struct Entries {
    /// The last rank that entered, and when.
    last: Option<(u32, Time)>,
    root: Option<(u32, Time)>,
    entered: u32,
    left: u32,
    /// By host, if there are several.
    hosts: Vec<HostSpan>,
}

/// Collectives that some ranks have not left.
pub struct Collectives {
    entries: FxHashMap<CollectiveId, Entries>,
    hosts: usize,
}

impl Collectives {
    /// No collective of ranks on this number of hosts.
    pub fn new(hosts: usize) -> Self {
        Self { entries: FxHashMap::default(), hosts: if hosts > 1 { hosts } else { 0 } }
    }

    /// A rank enters. Ranks enter in the order of time.
    pub fn enter(&mut self, id: CollectiveId, entry: Entry) {
        let hosts = self.hosts;
        let new = || Entries { hosts: vec![HostSpan::default(); hosts], ..Entries::default() };
        let entries = self.entries.entry(id).or_insert_with(new);
        entries.entered += 1;
        entries.last = Some((entry.rank, entry.at));
        if entry.is_root {
            entries.root = entries.last;
        }
        if let Some(span) = entries.hosts.get_mut(entry.host) {
            span.entered = span.entered.max(Some(entry.at));
        }
    }

    /// A rank of `size` returns, on a host. Returns the rank that it waited for, and when that
    /// entered; and, if it was the last to return, when each host was there.
    pub fn leave(
        &mut self,
        id: CollectiveId,
        awaited: Awaited,
        size: u32,
        (host, at): (usize, Time),
    ) -> (Option<(u32, Time)>, Vec<HostSpan>) {
        let Some(entries) = self.entries.get_mut(&id) else { return (None, Vec::new()) };
        let cause = match awaited {
            // Before all have entered by their clocks, it is not known who is last.
            Awaited::All => entries.last.filter(|_| entries.entered >= size),
            Awaited::Root => entries.root,
            Awaited::None => None,
        };
        if let Some(span) = entries.hosts.get_mut(host) {
            span.left = Some(span.left.map_or(at, |left| left.min(at)));
        }
        entries.left += 1;
        if entries.left < size {
            return (cause, Vec::new());
        }
        let hosts = self.entries.remove(&id).map(|entries| entries.hosts);
        (cause, hosts.filter(|_| awaited == Awaited::All).unwrap_or_default())
    }
}
