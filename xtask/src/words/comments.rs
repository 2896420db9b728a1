//! Comments are wrapped at 100 columns, except for tables, code blocks and addresses. Code may be
//! wider: rustfmt breaks it, and a comment that follows code on its line belongs to the code.

use super::{MAX_COLUMNS, Violation};

pub(super) fn check(text: &str) -> Vec<Violation> {
    let mut found = Vec::new();
    let mut in_code = false;
    for (index, line) in text.lines().enumerate() {
        let Some(content) = comment(line) else {
            in_code = false;
            continue;
        };
        if content.starts_with("```") {
            in_code = !in_code;
        }
        let columns = line.chars().count();
        if columns > MAX_COLUMNS && !in_code && can_be_broken(content) {
            let message = format!("line has {columns} columns; comments are wrapped at {MAX_COLUMNS}");
            found.push(Violation::new(index + 1, message));
        }
    }
    found
}

/// Returns the text of a line that is only a comment, without its marker.
fn comment(line: &str) -> Option<&str> {
    let rest = line.trim_start().strip_prefix("//")?;
    Some(rest.trim_start_matches(['/', '!']).trim())
}

fn can_be_broken(content: &str) -> bool {
    !content.starts_with('|') && !content.starts_with("```") && !content.contains("://")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lines(text: &str) -> Vec<usize> {
        check(text).iter().map(|violation| violation.line).collect()
    }

    #[test]
    fn long_comments_of_every_kind_are_found() {
        let long = "word ".repeat(25);
        assert_eq!(lines(&format!("//! {long}\n/// {long}\n    // {long}\n")), [1, 2, 3]);
    }

    #[test]
    fn the_indentation_counts() {
        let words = format!("/// {}", "x ".repeat(48).trim());
        assert!(lines(&words).is_empty());
        assert_eq!(lines(&format!("    {words}")), [1]);
    }

    #[test]
    fn code_tables_and_addresses_may_be_long() {
        let long = "word ".repeat(25);
        let text = format!("/// ```\n/// {long}\n/// ```\n/// | {long} |\n// https://example.org/ {long}\n");
        assert!(lines(&text).is_empty());
    }

    #[test]
    fn code_with_a_comment_behind_it_is_not_a_comment() {
        assert!(lines(&format!("let a = 1; // {}\n", "word ".repeat(25))).is_empty());
    }
}
