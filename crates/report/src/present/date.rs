//! Formatting of dates.

const DAY: u64 = 86_400;

/// Formats seconds since 1970 as `YYYY-MM-DD HH:MM UTC`.
pub(super) fn utc(seconds: u64) -> String {
    let (year, month, day) = civil(seconds / DAY);
    let minutes = seconds % DAY / 60;
    format!("{year:04}-{month:02}-{day:02} {:02}:{:02} UTC", minutes / 60, minutes % 60)
}

/// Returns year, month and day of a number of days since 1970, in the Gregorian calendar. Years
/// begin in March, so that the leap day is the last of a year; 400 years have 146,097 days (H.
/// Hinnant, "chrono-compatible low-level date algorithms", 2013).
fn civil(days: u64) -> (u64, u64, u64) {
    const FROM_MARCH_OF_YEAR_0: u64 = 719_468;
    const ERA: u64 = 146_097;
    let days = days + FROM_MARCH_OF_YEAR_0;
    let (era, day_of_era) = (days / ERA, days % ERA);
    let year_of_era = (day_of_era - day_of_era / 1_460 + day_of_era / 36_524 - day_of_era / 146_096) / 365;
    let day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let month = (5 * day_of_year + 2) / 153;
    let day = day_of_year - (153 * month + 2) / 5 + 1;
    let year = era * 400 + year_of_era + u64::from(month >= 10);
    (year, if month < 10 { month + 3 } else { month - 9 }, day)
}

#[cfg(test)]
mod tests {
    use super::utc;

    #[test]
    fn known_dates() {
        assert_eq!(utc(0), "1970-01-01 00:00 UTC");
        assert_eq!(utc(951_782_400), "2000-02-29 00:00 UTC");
        assert_eq!(utc(1_000_000_000), "2001-09-09 01:46 UTC");
        assert_eq!(utc(4_107_542_399), "2100-02-28 23:59 UTC");
        assert_eq!(utc(4_107_542_400), "2100-03-01 00:00 UTC");
    }

    #[test]
    fn any_number_is_a_date() {
        assert!(utc(u64::MAX).ends_with("UTC"));
    }
}
