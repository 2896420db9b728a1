//! Times of a location on the clock of the archive, in nanoseconds since its beginning.

/// The clock of all locations.
#[derive(Debug, Clone, Copy)]
pub struct ArchiveClock {
    pub ticks_per_second: u64,
    /// The first moment, in ticks.
    pub start: u64,
}

impl Default for ArchiveClock {
    fn default() -> Self {
        Self { ticks_per_second: 1_000_000_000, start: 0 }
    }
}

impl ArchiveClock {
    fn nanos(self, ticks: u64) -> u64 {
        let since = u128::from(ticks.saturating_sub(self.start));
        u64::try_from(since * 1_000_000_000 / u128::from(self.ticks_per_second.max(1))).unwrap_or(u64::MAX)
    }
}

/// The clock of one location: how far it is from the common one, at some moments. Between them the
/// difference is interpolated, and beyond them extrapolated, as OTF2's library does.
#[derive(Debug, Clone)]
pub struct LocationClock {
    common: ArchiveClock,
    /// Moments in ticks, with the offset at each.
    offsets: Vec<(u64, i64)>,
}

impl LocationClock {
    pub fn new(common: ArchiveClock, offsets: Vec<(u64, i64)>) -> Self {
        Self { common, offsets }
    }

    /// Returns the time of a moment, in nanoseconds.
    pub fn nanos(&self, ticks: u64) -> u64 {
        self.common.nanos(ticks.saturating_add_signed(self.offset(ticks)))
    }

    fn offset(&self, ticks: u64) -> i64 {
        let next = self.offsets.partition_point(|(at, _)| *at < ticks);
        let last = self.offsets.len().saturating_sub(1);
        let (left, right) = match next.clamp(1.min(last), last) {
            0 => return self.offsets.first().map_or(0, |(_, offset)| *offset),
            right => (self.offsets[right - 1], self.offsets[right]),
        };
        let (span, rise) = ((right.0 as f64) - (left.0 as f64), right.1 as f64 - left.1 as f64);
        let slope = if span > 0.0 { rise / span } else { 0.0 };
        left.1.saturating_add((slope * (ticks as f64 - left.0 as f64)).round() as i64)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn offsets_are_interpolated_and_extrapolated() {
        let common = ArchiveClock { ticks_per_second: 1_000_000_000, start: 100 };
        let clock = |offsets: &[(u64, i64)]| LocationClock::new(common, offsets.to_vec());
        assert_eq!(clock(&[]).nanos(150), 50);
        assert_eq!(clock(&[(100, 7)]).nanos(150), 57);
        let drifting = clock(&[(1000, 0), (2000, 100), (3000, 100)]);
        let moments = [500, 1000, 1500, 2500, 9000].map(|ticks| drifting.nanos(ticks));
        assert_eq!(moments, [350, 900, 1450, 2500, 9000]);
        let pico = ArchiveClock { ticks_per_second: 1_000_000_000_000, start: 0 };
        assert_eq!(LocationClock::new(pico, Vec::new()).nanos(1999), 1);
    }
}
