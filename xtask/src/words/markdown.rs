//! Markdown is wrapped at 100 columns, except for tables, code and what cannot be broken.

use super::{MAX_COLUMNS, Violation};

pub(super) fn check(text: &str) -> Vec<Violation> {
    let mut found = Vec::new();
    let mut in_code = false;
    for (index, line) in text.lines().enumerate() {
        let trimmed = line.trim();
        if trimmed.starts_with("```") {
            in_code = !in_code;
        }
        let columns = line.chars().count();
        if columns > MAX_COLUMNS && !in_code && !trimmed.starts_with('|') && can_be_broken(trimmed) {
            let message = format!("line has {columns} columns; Markdown is wrapped at {MAX_COLUMNS}");
            found.push(Violation::new(index + 1, message));
        }
    }
    found
}

/// Returns whether the line has a space at which it could be broken, after a list marker.
fn can_be_broken(line: &str) -> bool {
    line.trim_start_matches("- ").contains(' ') && !line.starts_with("![")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_prose_is_found_and_long_code_is_not() {
        let long = "word ".repeat(30);
        let text = format!("{long}\n\n```\n{long}\n```\n\n| {long} |\n");
        assert_eq!(check(&text).iter().map(|violation| violation.line).collect::<Vec<_>>(), [1]);
    }

    #[test]
    fn a_long_address_cannot_be_broken() {
        assert_eq!(check(&format!("- https://example.org/{}", "x".repeat(120))), []);
    }
}
