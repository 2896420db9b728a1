//! The records of one kernel, sorted for presentation.

use std::collections::{BTreeMap, BTreeSet};

use panto_results::{KernelInfo, Record, Value, param};

use super::param::{ALGORITHM, MACHINE, RANKS, place, value};

/// The records of one kernel, sorted.
pub(super) struct Group<'a> {
    pub kernel: &'a str,
    /// Description of the kernel; `None` for kernels of another version.
    pub info: Option<&'static KernelInfo>,
    /// Parameter on the x axis.
    pub axis: String,
    pub records: Vec<&'a Record>,
    /// All records of the run.
    all: &'a [Record],
}

/// Records that differ only in the parameter on the x axis.
pub(super) struct Curve<'a> {
    /// Values of the other parameters, in the requested order.
    pub key: Vec<Option<Value>>,
    pub records: Vec<&'a Record>,
}

/// Returns one group per kernel, in the order of the suites.
pub(super) fn groups(records: &[Record]) -> Vec<Group<'_>> {
    let kernels: BTreeSet<(usize, &str)> = records.iter().map(|record| sort_key(&record.kernel)).collect();
    kernels.into_iter().map(|(_, kernel)| Group::of(kernel, records)).collect()
}

/// Returns the records of each kernel, in the order of the suites.
pub fn by_kernel(records: &[Record]) -> Vec<(String, Vec<Record>)> {
    let owned = |group: &Group| (group.kernel.to_owned(), group.records.iter().copied().cloned().collect());
    groups(records).iter().map(owned).collect()
}

/// Returns the sort key of a kernel: unknown ones are last, by name.
fn sort_key(kernel: &str) -> (usize, &str) {
    let known = KernelInfo::all().position(|known| known.name == kernel);
    (known.unwrap_or(usize::MAX), kernel)
}

impl<'a> Group<'a> {
    pub fn of(kernel: &'a str, records: &'a [Record]) -> Self {
        Self::against(None, kernel, records)
    }

    /// Groups with another parameter on the x axis, if one is given.
    pub fn against(axis: Option<&str>, kernel: &'a str, records: &'a [Record]) -> Self {
        let info = KernelInfo::find(kernel);
        let all = records;
        let mut records: Vec<&Record> = all.iter().filter(|record| record.kernel == kernel).collect();
        let names = names(&records);
        let usual = || info.map_or_else(|| likely_axis(&names), |info| info.axis);
        let axis = axis.unwrap_or_else(usual).to_owned();
        let others = names.into_iter().filter(|name| *name != axis);
        let order: Vec<String> = others.chain([axis.as_str()]).map(str::to_owned).collect();
        // The sort is stable: the launches of a file keep their order.
        records.sort_by_cached_key(|record| places(record, &order));
        Self { kernel, info, axis, records, all }
    }

    /// Returns the index of a record among all.
    pub fn number(&self, record: &Record) -> Option<u32> {
        self.all.iter().position(|each| std::ptr::eq(each, record)).map(|place| place as u32)
    }

    /// Returns the name without its suite.
    pub fn short_name(&self) -> &'a str {
        self.kernel.rsplit('/').next().unwrap_or(self.kernel)
    }

    /// Returns the parameters other than the axis that vary.
    pub fn varying(&self) -> Vec<&'a str> {
        self.others().into_iter().filter(|name| self.values(name).len() > 1).collect()
    }

    /// Returns the parameters other than the axis that are constant.
    pub fn fixed(&self) -> Vec<&'a str> {
        self.others().into_iter().filter(|name| self.values(name).len() == 1).collect()
    }

    /// Returns the parameters that distinguish curves: the varying ones, the algorithm if a point
    /// was measured with several, and the machine if points come from several. An algorithm that
    /// changes along the axis does not split a curve.
    pub fn curve_names(&self) -> Vec<&'a str> {
        let mut names = self.varying();
        if names.contains(&param::LOAD) {
            // The load is determined by its message size.
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

    /// Returns one curve per combination of these parameters.
    pub fn curves(&self, names: &[&str]) -> Vec<Curve<'a>> {
        let mut curves: BTreeMap<Places, Vec<&'a Record>> = BTreeMap::new();
        for &record in &self.records {
            curves.entry(places(record, names)).or_default().push(record);
        }
        let key = |places: Places| places.into_iter().map(|(_, value)| value).collect();
        curves.into_iter().map(|(places, records)| Curve { key: key(places), records }).collect()
    }

    /// Returns whether any point was measured more than once.
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

/// Values of some parameters with their sort keys.
type Places = Vec<(usize, Option<Value>)>;

fn places(record: &Record, names: &[impl AsRef<str>]) -> Places {
    names.iter().map(|name| place(name.as_ref(), value(record, name.as_ref()))).collect()
}

/// Returns the ranks, then every parameter that occurs, by name.
fn names<'a>(records: &[&'a Record]) -> Vec<&'a str> {
    let params: BTreeSet<&str> =
        records.iter().flat_map(|r| r.point.params.keys().map(String::as_str)).collect();
    std::iter::once(RANKS).chain(params).collect()
}

/// Returns the most likely axis of an unknown kernel.
fn likely_axis(names: &[&str]) -> &'static str {
    let usual = [param::BYTES, param::LENGTH, param::DIM, param::BLOCK];
    usual.into_iter().find(|axis| names.contains(axis)).unwrap_or(RANKS)
}
