//! Reads the ranks in parallel and adds up their statistics.

use std::collections::BTreeMap;
use std::panic::resume_unwind;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};

use rustc_hash::FxHashMap;

use super::scan::{Counts, Scan, add};
use super::{Collectives, Function, Pair, Region, SiteCalls, Summary};
use crate::collective::CollectiveKind;
use crate::error::Result;
use crate::ranks::Ranks;
use crate::read::{RankTrace, Trace};
use crate::site::{CallSite, Places};

#[derive(Default)]
struct Gathered {
    summary: Summary,
    functions: FxHashMap<String, Function>,
    /// By function and call site.
    sites: FxHashMap<(String, CallSite), SiteCalls>,
    pairs: BTreeMap<(u32, u32), (u64, u64)>,
    collectives: BTreeMap<(CollectiveKind, u32), (u64, u64)>,
    /// By path, so that each follows the one that it is in.
    regions: BTreeMap<String, Region>,
}

impl Summary {
    /// Reads all events of a trace; of damaged ranks those that are sound.
    pub fn of(trace: &Trace) -> Result<Self> {
        let gathered = Mutex::new(Gathered::default());
        let next = AtomicUsize::new(0);
        let work = || -> Result<()> {
            while let Some(rank) = trace.ranks().get(next.fetch_add(1, Ordering::Relaxed)) {
                let scan = Scan::of(rank)?;
                gathered.lock().unwrap_or_else(PoisonError::into_inner).add(scan);
            }
            Ok(())
        };
        let readers =
            std::thread::available_parallelism().map_or(1, usize::from).min(trace.ranks().len().max(1));
        std::thread::scope(|scope| {
            let readers: Vec<_> = (0..readers).map(|_| scope.spawn(work)).collect();
            readers
                .into_iter()
                .try_for_each(|reader| reader.join().unwrap_or_else(|panic| resume_unwind(panic)))
        })?;
        let mut summary =
            gathered.into_inner().unwrap_or_else(PoisonError::into_inner).finish(&trace.places());
        summary.size = trace.size();
        summary.missing = trace.missing();
        summary.has_stamps = trace.ranks().iter().any(RankTrace::has_stamps);
        summary.damage.splice(..0, trace.outline_damage().map(ToString::to_string));
        Ok(summary)
    }
}

impl Gathered {
    fn add(&mut self, scan: Scan) {
        for counts in &scan.signatures {
            self.add_counts(scan.rank.rank, counts);
        }
        for region in scan.regions.regions {
            let sum = self.regions.entry(region.path.clone()).or_default();
            sum.merge(&region);
            sum.path = region.path;
        }
        self.summary.blocks.merge(&scan.blocks);
        self.summary.damage.extend(scan.damage.map(|error| error.to_string()));
        self.summary.ranks.push(scan.rank);
    }

    fn add_counts(&mut self, rank: u32, counts: &Counts) {
        if counts.calls > 0 {
            let function = self.functions.entry(counts.name.clone()).or_default();
            add(&mut function.calls, counts.calls);
            add(&mut function.bytes, counts.bytes);
            add(&mut function.inside, counts.inside);
        }
        if let Some(site) = counts.site.as_ref().filter(|_| counts.calls > 0) {
            let sum = self.sites.entry((counts.name.clone(), site.clone())).or_default();
            for (sum, more) in [
                (&mut sum.calls, counts.calls),
                (&mut sum.bytes, counts.bytes),
                (&mut sum.computation, counts.computation),
                (&mut sum.inside, counts.inside),
            ] {
                add(sum, more);
            }
        }
        if counts.operations == 0 {
            return;
        }
        let sum = match (counts.meaning.to.filter(|to| *to != Ranks::OUTSIDE), counts.meaning.collective) {
            (Some(to), _) => self.pairs.entry((rank, to)).or_default(),
            (None, Some(key)) => self.collectives.entry(key).or_default(),
            (None, None) => return,
        };
        add(&mut sum.0, counts.operations);
        add(&mut sum.1, counts.operation_bytes);
    }

    /// Orders the results independently of which rank was read first.
    fn finish(self, places: &Places) -> Summary {
        let mut summary = self.summary;
        summary.ranks.sort_by_key(|rank| rank.rank);
        summary.damage.sort();
        let functions = self.functions.into_iter().map(|(name, function)| Function { name, ..function });
        summary.functions = functions.collect();
        summary.functions.sort_by(|one, other| (other.calls, &one.name).cmp(&(one.calls, &other.name)));
        summary.sites = sites(self.sites, places);
        summary.regions = self.regions.into_values().collect();
        let pairs = self.pairs.into_iter();
        summary.pairs =
            pairs.map(|((from, to), (messages, bytes))| Pair { from, to, messages, bytes }).collect();
        let collectives = self.collectives.into_iter();
        let collectives =
            collectives.map(|((pattern, size), (calls, bytes))| Collectives { pattern, size, calls, bytes });
        summary.collectives = collectives.collect();
        summary
    }
}

/// Names and orders call sites.
fn sites(sites: FxHashMap<(String, CallSite), SiteCalls>, places: &Places) -> Vec<SiteCalls> {
    let sites = sites.into_iter();
    let mut sites: Vec<SiteCalls> = sites
        .map(|((function, site), sum)| SiteCalls { place: places.name(&site), function, ..sum })
        .collect();
    sites.sort_by(|one, other| {
        let rank = |site: &SiteCalls| (site.inside, site.calls);
        rank(other)
            .cmp(&rank(one))
            .then_with(|| (&one.place, &one.function).cmp(&(&other.place, &other.function)))
    });
    sites
}
