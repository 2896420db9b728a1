//! The computation before each call of a rank.

use panto_units::Time;

/// Times in the order of calls. As long as all are equal, none is stored.
#[derive(Default)]
pub struct CallTimes {
    count: usize,
    first: Time,
    /// All times; empty as long as they are equal.
    list: Vec<Time>,
}

impl CallTimes {
    /// Appends a time.
    #[inline]
    pub fn push(&mut self, time: Time) {
        if !self.list.is_empty() {
            self.list.push(time);
        } else if self.count == 0 || time == self.first {
            self.first = time;
            self.count += 1;
        } else {
            self.list.resize(self.count, self.first);
            self.list.push(time);
        }
    }

    /// Returns the time of all calls, if there are any and they took the same.
    pub fn uniform(&self) -> Option<Time> {
        (self.count > 0 && self.list.is_empty()).then_some(self.first)
    }

    /// Returns all times; none if they are equal.
    pub fn into_list(mut self) -> Vec<Time> {
        self.list.shrink_to_fit();
        self.list
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn times(nanos: &[u64]) -> CallTimes {
        let mut times = CallTimes::default();
        for nanos in nanos {
            times.push(Time::from_nanos(*nanos));
        }
        times
    }

    #[test]
    fn equal_times_are_not_stored() {
        assert_eq!(times(&[]).uniform(), None);
        assert_eq!(times(&[7, 7, 7]).uniform(), Some(Time::from_nanos(7)));
        assert!(times(&[7, 7, 7]).into_list().is_empty());
    }

    #[test]
    fn different_times_are_stored_in_order() {
        let different = times(&[7, 7, 8, 7]);
        assert_eq!(different.uniform(), None);
        assert_eq!(different.into_list(), [7, 7, 8, 7].map(Time::from_nanos));
    }
}
