//! The regions that a program named, as a profile.

use rustc_hash::FxHashMap;

use super::scan::add;
use crate::region::RegionMark;

/// What stands between the names of a region and the one inside it.
const INSIDE: &str = " > ";

/// What ranks did in a region, with the regions inside it; all ranks together.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Region {
    /// Its name, after those of the regions that it is in: `step > exchange`.
    pub path: String,
    /// How often it began.
    pub entered: u64,
    /// Calls of MPI in it.
    pub calls: u64,
    /// Computation, in nanoseconds.
    pub computation: u64,
    /// Wall-clock time inside these calls, if it was recorded, in nanoseconds.
    pub inside: u64,
}

/// The regions of one rank while its events are read.
#[derive(Debug, Default)]
pub struct RegionScan {
    pub regions: Vec<Region>,
    /// Numbers of regions, by the one that they are in and by name.
    known: FxHashMap<(Option<usize>, String), usize>,
    open: Vec<usize>,
}

impl RegionScan {
    /// Takes the times of an event: the computation before it, and the time inside it.
    #[inline]
    pub fn event(&mut self, mark: Option<RegionMark<'_>>, before: u64, inside: u64, calls: u64) {
        for region in &self.open {
            let region = &mut self.regions[*region];
            add(&mut region.computation, before);
            if mark.is_none() {
                add(&mut region.inside, inside);
                add(&mut region.calls, calls);
            }
        }
        match mark {
            Some(RegionMark::Begin(name)) => self.begin(name),
            Some(RegionMark::End(_)) => {
                self.open.pop();
            }
            None => {}
        }
    }

    fn begin(&mut self, name: &str) {
        let parent = self.open.last().copied();
        let regions = &mut self.regions;
        let number = *self.known.entry((parent, name.to_owned())).or_insert_with(|| {
            let path = parent.map(|parent| regions[parent].path.clone() + INSIDE).unwrap_or_default() + name;
            regions.push(Region { path, ..Region::default() });
            regions.len() - 1
        });
        self.regions[number].entered += 1;
        self.open.push(number);
    }
}

impl Region {
    /// Adds what another rank did in it.
    pub fn merge(&mut self, other: &Self) {
        add(&mut self.entered, other.entered);
        add(&mut self.calls, other.calls);
        add(&mut self.computation, other.computation);
        add(&mut self.inside, other.inside);
    }
}
