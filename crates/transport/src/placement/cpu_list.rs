//! Linux's CPU list format: `0-3,8`.

/// Larger numbers of cores or nodes are taken for corrupt input, which might exhaust memory.
const LIMIT: usize = 1 << 16;

/// Formats ascending numbers as ranges, such as `0-3,8`.
pub(super) fn ranges(numbers: &[usize]) -> String {
    let runs = numbers.chunk_by(|a, b| a.checked_add(1) == Some(*b));
    let words = runs.map(|run| match run {
        [first, .., last] => format!("{first}-{last}"),
        only => only[0].to_string(),
    });
    words.collect::<Vec<_>>().join(",")
}

/// Parses a list of ascending numbers; `None` if it is malformed.
pub fn parse(text: &str) -> Option<Vec<usize>> {
    let mut numbers: Vec<usize> = Vec::new();
    for word in text.trim().split(',').filter(|_| !text.trim().is_empty()) {
        let (first, last) = word.split_once('-').unwrap_or((word, word));
        let (first, last): (usize, usize) = (first.parse().ok()?, last.parse().ok()?);
        let follows = numbers.last().is_none_or(|before| *before < first);
        if !follows || first > last || last >= LIMIT {
            return None;
        }
        numbers.extend(first..=last);
    }
    Some(numbers)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_are_read_and_written() {
        for (text, numbers) in
            [("", vec![]), ("5", vec![5]), ("0-3,8", vec![0, 1, 2, 3, 8]), ("0,2,4-5", vec![0, 2, 4, 5])]
        {
            assert_eq!(parse(text), Some(numbers.clone()), "{text}");
            assert_eq!(ranges(&numbers), text);
        }
        assert_eq!(parse("0-1\n"), Some(vec![0, 1]), "files end with a new line");
    }

    #[test]
    fn malformed_lists_are_rejected() {
        for text in
            ["a", "1-", "-1", "3-1", "1,1", "2,1", "0-18446744073709551615", "70000", ",", "1,", "0-6:2"]
        {
            assert_eq!(parse(text), None, "{text}");
        }
    }
}
