//! The metadata of a timeline: ranks, names, and how it was made.

use panto_container::varint;

/// The most ranks and helpers together.
pub const MOST_RANKS: u32 = 1 << 24;

/// The most names of calls, and the most facts. Names of message kinds are at most 65,536.
pub const MOST_NAMES: usize = 1 << 20;

/// Names of facts with the call site of a call begin so; the number of the call follows.
const SITE: &str = "call_site.";

/// The metadata of a timeline.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct TimelineInfo {
    /// The number of ranks of the program.
    pub ranks: u32,
    /// The rank of each helper. Helpers are numbered after the ranks and have states
    /// and messages of their own, because they run concurrently with their rank.
    pub helper_ranks: Vec<u32>,
    /// Facts of the run, names with values: the program, the machine, how the timeline was made.
    pub facts: Vec<(String, String)>,
    /// Names of functions, to which states refer by number; more than once if a function is called
    /// from several call sites.
    pub calls: Vec<String>,
    /// Names of the kinds of messages, to which messages refer by number.
    pub message_kinds: Vec<String>,
}

impl TimelineInfo {
    /// Returns the value of a fact.
    pub fn fact(&self, name: &str) -> Option<&str> {
        self.facts.iter().find_map(|(fact, value)| (fact == name).then_some(value.as_str()))
    }

    /// Adds the call sites of calls, in their order: places in the source, such as `solve
    /// (stencil.c:42)`. They are facts, which readers that do not know them ignore.
    pub fn set_sites(&mut self, sites: impl IntoIterator<Item = Option<String>>) {
        let sites = (0_u32..).zip(sites).filter_map(|(call, site)| Some((format!("{SITE}{call}"), site?)));
        self.facts.extend(sites);
    }

    /// Returns the call site of each call, where it is known.
    pub fn sites(&self) -> Vec<Option<&str>> {
        let mut sites = vec![None; self.calls.len()];
        for (name, site) in &self.facts {
            let call = name.strip_prefix(SITE).and_then(|call| call.parse::<usize>().ok());
            if let Some(place) = call.and_then(|call| sites.get_mut(call)) {
                *place = Some(site.as_str());
            }
        }
        sites
    }

    /// Returns the facts of the run, without the call sites.
    pub fn run_facts(&self) -> impl Iterator<Item = &(String, String)> {
        self.facts.iter().filter(|(name, _)| !name.starts_with(SITE))
    }

    /// Returns the rank of a line: itself, or the one to which a helper belongs.
    pub fn home(&self, line: u32) -> Option<u32> {
        match line.checked_sub(self.ranks) {
            None => Some(line),
            Some(helper) => self.helper_ranks.get(helper as usize).copied(),
        }
    }

    /// Returns what no timeline can hold, if there is anything.
    pub(crate) fn limit_exceeded(&self) -> Option<String> {
        let lines = self.ranks as usize + self.helper_ranks.len();
        if lines > MOST_RANKS as usize {
            return Some(format!("{lines} ranks and helpers, and a timeline has at most {MOST_RANKS}"));
        }
        if let Some(rank) = self.helper_ranks.iter().find(|rank| **rank >= self.ranks) {
            return Some(format!("a helper of rank {rank}, and there are {} ranks", self.ranks));
        }
        let lists = [
            ("calls", self.calls.len(), MOST_NAMES),
            ("facts", self.facts.len(), MOST_NAMES),
            ("message kinds", self.message_kinds.len(), MOST_MESSAGE_KINDS),
        ];
        let (what, length, most) = lists.into_iter().find(|(_, length, most)| length > most)?;
        Some(format!("{length} {what}, and a timeline has at most {most}"))
    }

    pub(crate) fn put(&self, out: &mut Vec<u8>) {
        varint::put(out, self.facts.len() as u64);
        for (name, value) in &self.facts {
            varint::put_text(out, name);
            varint::put_text(out, value);
        }
        for names in [&self.calls, &self.message_kinds] {
            varint::put(out, names.len() as u64);
            for name in names {
                varint::put_text(out, name);
            }
        }
        let mut last = 0;
        for rank in &self.helper_ranks {
            varint::put_change(out, last, u64::from(*rank));
            last = u64::from(*rank);
        }
    }

    /// Reads it back; none if it is invalid.
    pub(crate) fn take(mut bytes: &[u8], ranks: u32, helpers: u32) -> Option<Self> {
        let bytes = &mut bytes;
        let facts = take_many(bytes, MOST_NAMES, |bytes| {
            Some((varint::take_text(bytes)?, varint::take_text(bytes)?))
        })?;
        let calls = take_many(bytes, MOST_NAMES, varint::take_text)?;
        let message_kinds = take_many(bytes, MOST_MESSAGE_KINDS, varint::take_text)?;
        let mut last = 0;
        let helper_ranks = (0..helpers).map(|_| {
            last = varint::take_change(bytes, last)?;
            u32::try_from(last).ok().filter(|rank| *rank < ranks)
        });
        let helper_ranks = helper_ranks.collect::<Option<_>>()?;
        bytes.is_empty().then_some(Self { ranks, helper_ranks, facts, calls, message_kinds })
    }
}

const MOST_MESSAGE_KINDS: usize = 1 << 16;

/// Takes a list after its length.
fn take_many<T>(
    bytes: &mut &[u8],
    most: usize,
    mut take: impl FnMut(&mut &[u8]) -> Option<T>,
) -> Option<Vec<T>> {
    let length = usize::try_from(varint::take(bytes)?).ok().filter(|length| *length <= most)?;
    (0..length).map(|_| take(bytes)).collect()
}
