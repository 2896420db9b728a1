//! Ticks with names: versions, machines.

use super::{Tick, Ticks};

/// Characters of a name that fit below an axis; longer names are cut.
const MAX_CHARACTERS: usize = 18;

/// Returns ticks at every value, at every second one, and so on.
pub(super) fn candidates(names: &[String]) -> Vec<Ticks> {
    let every = |step: usize| {
        let major = (1_u32..).zip(names).step_by(step);
        let major = major.map(|(place, name)| Tick { value: place.into(), label: cut(name) }).collect();
        Ticks { major, minor: Vec::new() }
    };
    (1..=names.len()).map(every).collect()
}

fn cut(name: &str) -> String {
    if name.chars().count() <= MAX_CHARACTERS {
        return name.to_owned();
    }
    name.chars().take(MAX_CHARACTERS - 1).chain(['\u{2026}']).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn labels(ticks: &Ticks) -> Vec<&str> {
        ticks.major.iter().map(|tick| tick.label.as_str()).collect()
    }

    #[test]
    fn every_value_has_its_name_until_there_is_no_room() {
        let names = ["1.0", "1.1", "2.0", "a name that is too long"].map(String::from);
        let found = candidates(&names);
        assert_eq!(labels(&found[0]), ["1.0", "1.1", "2.0", "a name that is to\u{2026}"]);
        assert_eq!(labels(&found[1]), ["1.0", "2.0"]);
        assert_eq!(labels(&found[3]), ["1.0"]);
    }
}
