//! The launch to which a line belongs. Several processes may append to one file at the same time,
//! so that the lines of their launches alternate; each line names its own.

use std::fmt;
use std::hash::{BuildHasher, Hasher, RandomState};
use std::time::{SystemTime, UNIX_EPOCH};

/// A number that no other launch has, with 64 random bits.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct LaunchId(u64);

const START: &str = ",\"launch\":\"";
const DIGITS: usize = 16;

impl LaunchId {
    /// Returns the id of a new launch.
    pub fn new() -> Self {
        // The keys of the hash are random numbers of the system.
        let mut hasher = RandomState::new().build_hasher();
        hasher.write_u32(std::process::id());
        hasher.write_u128(SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |since| since.as_nanos()));
        Self(hasher.finish())
    }

    /// Returns an object of JSON with this id as its last field.
    pub fn tag(self, object: &str) -> String {
        format!("{}{START}{self}\"}}", object.strip_suffix('}').unwrap_or(object))
    }

    /// Returns the id of a line, which is before its checksum.
    pub fn of(line: &[u8]) -> Option<Self> {
        let text = std::str::from_utf8(line).ok()?;
        let (_, rest) = text.rsplit_once(START)?;
        let digits = rest.get(..DIGITS).filter(|_| rest[DIGITS..].starts_with('"'))?;
        u64::from_str_radix(digits, 16).ok().map(Self)
    }
}

impl fmt::Display for LaunchId {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "{:016x}", self.0)
    }
}
