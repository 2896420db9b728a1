//! Suggestions for misspelled names.

/// Returns the name with the smallest edit distance, if that is small enough for a misspelling.
pub fn nearest<'a>(word: &str, names: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    // A long word is not a misspelled name, and the comparison is quadratic.
    if word.len() > 40 {
        return None;
    }
    let nearest = names.into_iter().map(|name| (distance(word, name), name)).min_by_key(|(n, _)| *n)?;
    (nearest.0 <= 1 + word.chars().count() / 4).then_some(nearest.1)
}

/// Returns `, did you mean `X`?`, or an empty string.
pub fn hint<'a>(word: &str, names: impl IntoIterator<Item = &'a str>) -> String {
    nearest(word, names).map_or_else(String::new, |name| format!(", did you mean `{name}`?"))
}

/// Returns the optimal string alignment distance: insertions, deletions, substitutions and
/// transpositions of adjacent letters.
fn distance(a: &str, b: &str) -> usize {
    let (a, b): (Vec<char>, Vec<char>) = (a.chars().collect(), b.chars().collect());
    let mut before: Vec<usize> = Vec::new();
    let mut row: Vec<usize> = (0..=b.len()).collect();
    for i in 0..a.len() {
        let mut next = vec![i + 1; b.len() + 1];
        for j in 0..b.len() {
            let change = row[j] + usize::from(a[i] != b[j]);
            next[j + 1] = change.min(row[j + 1] + 1).min(next[j] + 1);
            if i > 0 && j > 0 && a[i] == b[j - 1] && a[i - 1] == b[j] {
                next[j + 1] = next[j + 1].min(before[j - 1] + 1);
            }
        }
        before = std::mem::replace(&mut row, next);
    }
    row[b.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn misspellings_are_corrected() {
        let names = ["latency", "bandwidth", "per-byte", "packet"];
        assert_eq!(nearest("latncy", names), Some("latency"));
        assert_eq!(nearest("bandwith", names), Some("bandwidth"));
        assert_eq!(nearest("perbyte", names), Some("per-byte"));
        assert_eq!(nearest("pakcet", names), Some("packet"));
        assert_eq!(nearest("colour", names), None);
        assert_eq!(nearest(&"x".repeat(1_000_000), names), None);
    }
}
