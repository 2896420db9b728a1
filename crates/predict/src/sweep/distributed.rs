//! What the processes of a distributed sweep tell each other.
//!
//! All processes read the same command line and files. The first announces which settings are
//! pending; they are distributed round robin ([`share`]). Each process sends a message per
//! completed setting ([`Sweep::message`]), which the first reads ([`Sweep::read_message`]). How
//! bytes travel is not known here.

use serde_json::{Value, json};

use super::{Outcome, Row, Sweep};

/// What the first process announces to all.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Announcement {
    /// The settings to simulate, by index.
    Pending(Vec<usize>),
    /// The sweep cannot run.
    Error(String),
}

impl Announcement {
    /// Returns the announcement as a message.
    pub fn to_bytes(&self) -> Vec<u8> {
        let value = match self {
            Self::Pending(pending) => json!({ "pending": pending }),
            Self::Error(error) => json!({ "error": error }),
        };
        value.to_string().into()
    }

    /// Parses a message; `None` if it is not an announcement.
    pub fn from_bytes(bytes: &[u8]) -> Option<Self> {
        let value: Value = serde_json::from_slice(bytes).ok()?;
        if let Some(error) = value["error"].as_str() {
            return Some(Self::Error(error.to_owned()));
        }
        let pending = value["pending"].as_array()?.iter();
        pending.map(|index| usize::try_from(index.as_u64()?).ok()).collect::<Option<_>>().map(Self::Pending)
    }
}

/// Returns the settings of a process, distributed round robin: neighbouring settings take about
/// equally long.
pub fn share(pending: &[usize], rank: usize, size: usize) -> Vec<usize> {
    pending.iter().copied().skip(rank).step_by(size).collect()
}

impl Sweep<'_> {
    /// Returns the outcome of a setting as a message.
    pub fn message(&self, index: usize, outcome: Outcome) -> Vec<u8> {
        json!({ "index": index, "row": self.row(index, outcome).json() }).to_string().into()
    }

    /// Parses an outcome; `None` if the sender's setting of that index is not the one of this
    /// process.
    pub fn read_message(&self, message: &[u8]) -> Option<(usize, Outcome)> {
        let value: Value = serde_json::from_slice(message).ok()?;
        let index = usize::try_from(value["index"].as_u64()?).ok().filter(|index| *index < self.len())?;
        let (key, outcome) = Row::read(&value["row"])?;
        (key == self.key(index)).then_some((index, outcome))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn announcements_are_read_back() {
        for announcement in [
            Announcement::Pending(vec![0, 3, 7]),
            Announcement::Pending(vec![]),
            Announcement::Error("no".into()),
        ] {
            assert_eq!(Announcement::from_bytes(&announcement.to_bytes()), Some(announcement));
        }
        for text in ["", "{}", "{\"pending\": [-1]}"] {
            assert_eq!(Announcement::from_bytes(text.as_bytes()), None);
        }
    }

    #[test]
    fn every_setting_has_one_process() {
        let pending = [2, 3, 5, 7, 11];
        let mut all: Vec<usize> = (0..3).flat_map(|rank| share(&pending, rank, 3)).collect();
        assert_eq!(share(&pending, 1, 3), [3, 11]);
        all.sort_unstable();
        assert_eq!(all, pending);
    }
}
