//! Regions: parts of a program that it has named itself.
//!
//! A region begins and ends with an event of [`Action::Control`](crate::Action::Control), whose
//! name tells which one: `begin solve` and `end solve`. No function of MPI has such a name. Regions
//! nest; an end closes the innermost one. Readers that know no regions see calls that do nothing.

/// The level of `MPI_Pcontrol` that begins a region; its negative ends one.
pub const REGION_LEVEL: i32 = 4;

const BEGIN: &str = "begin ";
const END: &str = "end ";

/// Returns the name of the event that begins a region.
pub fn region_begin(region: &str) -> String {
    format!("{BEGIN}{region}")
}

/// Returns the name of the event that ends a region.
pub fn region_end(region: &str) -> String {
    format!("{END}{region}")
}

/// What an event does with regions.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RegionMark<'a> {
    /// A region of this name begins.
    Begin(&'a str),
    /// The innermost region ends.
    End(&'a str),
}

impl<'a> RegionMark<'a> {
    /// Returns what an event of this name does; none if it is a function.
    pub fn of(name: &'a str) -> Option<Self> {
        name.strip_prefix(BEGIN).map(Self::Begin).or_else(|| name.strip_prefix(END).map(Self::End))
    }
}

/// The names of a program's functions and regions, as timelines show them.
///
/// Events are numbered by their names. The number of the event that begins a region stands for the
/// region itself.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RegionNames {
    /// The name of each number: a function, or a region.
    pub names: Vec<String>,
    begins: Vec<Option<bool>>,
}

impl RegionNames {
    /// Takes the names of events.
    pub fn new(mut names: Vec<String>) -> Self {
        let begins = |name: &String| match RegionMark::of(name)? {
            RegionMark::Begin(_) => Some(true),
            RegionMark::End(_) => Some(false),
        };
        let begins = names.iter().map(begins).collect();
        for name in &mut names {
            if let Some(RegionMark::Begin(region) | RegionMark::End(region)) = RegionMark::of(name) {
                *name = region.to_owned();
            }
        }
        Self { names, begins }
    }

    /// Returns whether an event of this number begins (true) or ends a region; none for functions.
    pub fn begins(&self, number: u32) -> Option<bool> {
        self.begins.get(number as usize).copied().flatten()
    }
}

/// The regions that one rank is in, by number, the innermost last.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct OpenRegions(Vec<u32>);

impl OpenRegions {
    /// Takes an event. Returns whether it was the mark of a region, and not a call.
    pub fn event(&mut self, names: &RegionNames, number: u32) -> bool {
        match names.begins(number) {
            Some(true) => self.0.push(number),
            Some(false) => {
                self.0.pop();
            }
            None => return false,
        }
        true
    }

    /// Returns the number of the innermost region.
    pub fn innermost(&self) -> Option<u32> {
        self.0.last().copied()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn regions_nest_and_are_named_by_their_beginning() {
        let events = [region_begin("solve"), "MPI_Send".into(), region_end("solve"), region_begin("end")];
        let names = RegionNames::new(events.to_vec());
        assert_eq!(names.names, ["solve", "MPI_Send", "solve", "end"]);
        let mut open = OpenRegions::default();
        let innermost = [2, 0, 1, 3, 2, 2].map(|number| {
            let is_mark = open.event(&names, number);
            assert_eq!(is_mark, number != 1);
            open.innermost()
        });
        assert_eq!(innermost, [None, Some(0), Some(0), Some(3), Some(0), None]);
    }
}
