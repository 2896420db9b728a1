//! Percentages on the command line.

/// Parses `5%` as 0.05. A number without a percent sign is rejected: 0.05 could mean 0.05% or 5%.
pub fn parse(text: &str) -> Result<f64, String> {
    let number = text.strip_suffix('%').and_then(|number| number.trim().parse::<f64>().ok());
    let number = number.filter(|number| number.is_finite());
    number
        .map(|percent| percent / 100.0)
        .ok_or_else(|| format!("`{text}` is not a percentage such as 5% or 99.5%"))
}

#[cfg(test)]
mod tests {
    use super::parse;

    #[test]
    fn the_percent_sign_is_required() {
        assert_eq!(parse("5%"), Ok(0.05));
        assert_eq!(parse("0%"), Ok(0.0));
        for text in ["5", "0.05", "%", "five%", "nan%", "inf%", ""] {
            assert!(parse(text).is_err(), "{text}");
        }
    }
}
