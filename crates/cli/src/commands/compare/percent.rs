//! Shares as people write them.

/// `5%` is 0.05. A bare number would be ambiguous: 0.05 might be a part of one, or of a hundred.
pub fn parse(text: &str) -> Result<f64, String> {
    let number = text.strip_suffix('%').and_then(|number| number.trim().parse::<f64>().ok());
    let number = number.filter(|number| number.is_finite());
    number.map(|percent| percent / 100.0).ok_or_else(|| format!("`{text}` is no share such as 5% or 99.5%"))
}

#[cfg(test)]
mod tests {
    use super::parse;

    #[test]
    fn per_cent_must_be_said() {
        assert_eq!(parse("5%"), Ok(0.05));
        assert_eq!(parse("0%"), Ok(0.0));
        for text in ["5", "0.05", "%", "five%", "nan%", "inf%", ""] {
            assert!(parse(text).is_err(), "{text}");
        }
    }
}
