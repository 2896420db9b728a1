//! Labels of one rank's operations.
//!
//! Nearly all schedules are written by programs that number their labels: `l1`, `l2`, `l3`. Labels
//! of one name and consecutive numbers are kept in a table that is indexed by the number; all
//! others are in a hash map. The table has at most [`SPARE`] entries more than four times the
//! number of labels, so a label such as `l4000000000` costs no memory.

use rustc_hash::FxHashMap;

use super::word::{decimal, first_bytes, low_bytes};

/// Entries of the table that need no labels to justify them.
const SPARE: usize = 1024;

/// Marks a label without an operation: operation numbers are below 2^31.
const UNUSED: u32 = u32::MAX;

/// Labels of one rank, with the numbers of their operations.
#[derive(Default)]
pub struct Labels<'a> {
    /// The name before the number, from the first numbered label of the rank, and its first bytes.
    name: Option<(&'a [u8], u64)>,
    /// The number of the first entry of the table.
    first: u64,
    table: Vec<u32>,
    others: FxHashMap<&'a [u8], u32>,
    count: usize,
}

impl<'a> Labels<'a> {
    /// Forgets all labels.
    pub fn clear(&mut self) {
        self.name = None;
        self.table.clear();
        self.others.clear();
        self.count = 0;
    }

    /// Returns the operation with this label; `bytes` are the label's first bytes.
    #[inline]
    pub fn get(&self, label: &[u8], bytes: u64) -> Option<u32> {
        let known = self.place(label, bytes).and_then(|place| self.table.get(place));
        match known {
            Some(operation) if *operation != UNUSED => Some(*operation),
            _ if self.others.is_empty() => None,
            _ => self.others.get(label).copied(),
        }
    }

    /// Adds a label; returns false if it is in use.
    #[inline]
    pub fn insert(&mut self, label: &'a [u8], bytes: u64, operation: u32) -> bool {
        if self.get(label, bytes).is_some() {
            return false;
        }
        if self.name.is_none()
            && let Some((name, number)) = numbered(label)
        {
            (self.name, self.first) = (Some((name, first_bytes(name, name.len()))), number);
        }
        self.count += 1;
        match self.place(label, bytes) {
            Some(place) if place < 4 * self.count + SPARE => {
                if place >= self.table.len() {
                    self.table.resize(place + 1, UNUSED);
                }
                self.table[place] = operation;
            }
            _ => {
                self.others.insert(label, operation);
            }
        }
        true
    }

    /// Returns the place of a label in the table, which may be behind its end.
    #[inline]
    fn place(&self, label: &[u8], bytes: u64) -> Option<usize> {
        let (name, name_bytes) = self.name?;
        let digits = if label.len() <= 8 {
            (bytes & low_bytes(name.len().min(8)) == name_bytes).then(|| label.get(name.len()..))??
        } else {
            label.strip_prefix(name)?
        };
        if digits.is_empty() || digits.len() > 1 && digits[0] == b'0' {
            return None;
        }
        let first =
            if label.len() <= 8 { bytes >> (8 * name.len()) } else { first_bytes(digits, digits.len()) };
        usize::try_from(decimal(digits, first)?.checked_sub(self.first)?).ok()
    }
}

/// Splits a label into its name and its number, which has no leading zeros.
fn numbered(label: &[u8]) -> Option<(&[u8], u64)> {
    let digits = label.iter().rev().take_while(|byte| byte.is_ascii_digit()).count();
    let (name, number) = label.split_at(label.len() - digits);
    if digits > 1 && number[0] == b'0' {
        return None;
    }
    Some((name, decimal(number, first_bytes(number, number.len()))?))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn get(labels: &Labels<'_>, label: &str) -> Option<u32> {
        labels.get(label.as_bytes(), first_bytes(label.as_bytes(), label.len()))
    }

    fn insert<'a>(labels: &mut Labels<'a>, label: &'a str, operation: u32) -> bool {
        labels.insert(label.as_bytes(), first_bytes(label.as_bytes(), label.len()), operation)
    }

    #[test]
    fn all_labels_are_found() {
        let names = [
            "l7",
            "l8",
            "l9",
            "l3",
            "l07",
            "l007",
            "l0",
            "x",
            "x1",
            "l",
            "l4000000000",
            "l99999999999999999999",
            "l18446744073709551615",
            "l10",
            "ll7",
            "l2000",
            "abcdefgh",
        ];
        let mut labels = Labels::default();
        for round in 0..2 {
            for (number, name) in (0..).zip(names) {
                assert_eq!(get(&labels, name), None, "{name}");
                assert!(insert(&mut labels, name, number), "{name}");
                assert!(!insert(&mut labels, name, 99), "{name}, round {round}");
            }
            for (number, name) in (0..).zip(names) {
                assert_eq!(get(&labels, name), Some(number), "{name}");
            }
            assert!(labels.table.len() < SPARE + 4 * names.len());
            labels.clear();
        }
    }

    /// A label that was too far away when it was defined is found after the table has grown.
    #[test]
    fn labels_stay_where_they_are() {
        let mut labels = Labels::default();
        let names: Vec<String> = (0..10_000).map(|number| format!("op_{number}")).collect();
        assert!(insert(&mut labels, &names[0], 0) && insert(&mut labels, &names[9_000], 9_000));
        for (number, name) in (0..).zip(&names).skip(1) {
            assert_eq!(insert(&mut labels, name, number), number != 9_000);
        }
        assert!((0..).zip(&names).all(|(number, name)| get(&labels, name) == Some(number)));
        assert_eq!(labels.others.len(), 1);
    }
}
