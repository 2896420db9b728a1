//! The records of one kernel, in the order in which people look for them.

use std::collections::{BTreeMap, BTreeSet};
use std::str::FromStr;

use panto_bench::results::Record;
use panto_bench::{About, Kernel, Value, param};

use super::param::{ALGORITHM, MACHINE, RANKS, place, value};

/// The records of one kernel, sorted.
pub(super) struct Group<'a> {
    pub kernel: &'a str,
    /// What is known of the kernel; a file of another version may have kernels that are not.
    pub about: Option<About>,
    /// The parameter on the x axis.
    pub axis: String,
    pub records: Vec<&'a Record>,
    /// All records that these are of.
    all: &'a [Record],
}

/// Records that differ in the parameter on the x axis alone.
pub(super) struct Curve<'a> {
    /// The values of the other parameters, in the order in which they were asked for.
    pub key: Vec<Option<Value>>,
    pub records: Vec<&'a Record>,
}

/// One group a kernel, in the order of the suite.
pub(super) fn groups(records: &[Record]) -> Vec<Group<'_>> {
    let kernels: BTreeSet<(usize, &str)> = records.iter().map(|record| standing(&record.kernel)).collect();
    kernels.into_iter().map(|(_, kernel)| Group::of(kernel, records)).collect()
}

/// The records of each kernel, in the order of the suite.
pub fn by_kernel(records: &[Record]) -> Vec<(String, Vec<Record>)> {
    let owned = |group: &Group| (group.kernel.to_owned(), group.records.iter().copied().cloned().collect());
    groups(records).iter().map(owned).collect()
}

/// Unknown kernels come last, by name.
fn standing(kernel: &str) -> (usize, &str) {
    let known = Kernel::ALL.iter().position(|known| known.about().full_name() == kernel);
    (known.unwrap_or(usize::MAX), kernel)
}

impl<'a> Group<'a> {
    pub fn of(kernel: &'a str, records: &'a [Record]) -> Self {
        Self::against(None, kernel, records)
    }

    /// The same with another parameter on the x axis, if one is given.
    pub fn against(axis: Option<&str>, kernel: &'a str, records: &'a [Record]) -> Self {
        let about = Kernel::from_str(kernel).ok().map(Kernel::about);
        let all = records;
        let mut records: Vec<&Record> = all.iter().filter(|record| record.kernel == kernel).collect();
        let names = names(&records);
        let usual = || about.map_or_else(|| likely_axis(&names), |about| about.axis);
        let axis = axis.unwrap_or_else(usual).to_owned();
        let others = names.into_iter().filter(|name| *name != axis);
        let order: Vec<String> = others.chain([axis.as_str()]).map(str::to_owned).collect();
        // The sort is stable: the launches of a file stay in their order.
        records.sort_by_cached_key(|record| places(record, &order));
        Self { kernel, about, axis, records, all }
    }

    /// The place of a record among all.
    pub fn number(&self, record: &Record) -> Option<u32> {
        self.all.iter().position(|each| std::ptr::eq(each, record)).map(|place| place as u32)
    }

    /// The name without its suite.
    pub fn short_name(&self) -> &'a str {
        self.kernel.rsplit('/').next().unwrap_or(self.kernel)
    }

    /// The parameters beside the axis that are not the same everywhere.
    pub fn varying(&self) -> Vec<&'a str> {
        self.others().into_iter().filter(|name| self.values(name).len() > 1).collect()
    }

    /// The parameters beside the axis that are the same everywhere.
    pub fn fixed(&self) -> Vec<&'a str> {
        self.others().into_iter().filter(|name| self.values(name).len() == 1).collect()
    }

    /// What tells curves apart: the varying parameters, the algorithm if a point was measured with several, and the
    /// machine if not all points come from the same one.
    /// An algorithm that changes along the axis makes no curve of its own.
    pub fn curve_names(&self) -> Vec<&'a str> {
        let mut names = self.varying();
        if names.contains(&param::LOAD) {
            // The size is what makes the load.
            names.retain(|name| *name != param::LOAD_BYTES);
        }
        let again =
            |pair: &[&Record]| pair[0].point == pair[1].point && pair[0].algorithm != pair[1].algorithm;
        if self.records.windows(2).any(again) {
            names.push(ALGORITHM);
        }
        if self.values(MACHINE).len() > 1 {
            names.push(MACHINE);
        }
        names
    }

    /// One curve for each combination of these parameters.
    pub fn curves(&self, names: &[&str]) -> Vec<Curve<'a>> {
        let mut curves: BTreeMap<Places, Vec<&'a Record>> = BTreeMap::new();
        for &record in &self.records {
            curves.entry(places(record, names)).or_default().push(record);
        }
        let key = |places: Places| places.into_iter().map(|(_, value)| value).collect();
        curves.into_iter().map(|(places, records)| Curve { key: key(places), records }).collect()
    }

    /// Was any point measured more than once?
    pub fn has_launches(&self) -> bool {
        self.records.windows(2).any(|pair| pair[0].point == pair[1].point)
    }

    fn others(&self) -> Vec<&'a str> {
        names(&self.records).into_iter().filter(|name| *name != self.axis).collect()
    }

    fn values(&self, name: &str) -> BTreeSet<Option<Value>> {
        self.records.iter().map(|record| value(record, name)).collect()
    }
}

/// The values of some parameters, in the order in which people look for them.
type Places = Vec<(usize, Option<Value>)>;

fn places(record: &Record, names: &[impl AsRef<str>]) -> Places {
    names.iter().map(|name| place(name.as_ref(), value(record, name.as_ref()))).collect()
}

/// The ranks, then every parameter that occurs, by name.
fn names<'a>(records: &[&'a Record]) -> Vec<&'a str> {
    let params: BTreeSet<&str> =
        records.iter().flat_map(|r| r.point.params.keys().map(String::as_str)).collect();
    std::iter::once(RANKS).chain(params).collect()
}

/// What a kernel that is not known is most likely plotted against.
fn likely_axis(names: &[&str]) -> &'static str {
    let usual = [param::BYTES, param::LENGTH, param::DIM, param::BLOCK];
    usual.into_iter().find(|axis| names.contains(axis)).unwrap_or(RANKS)
}
