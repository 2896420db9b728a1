//! Doc comments stand alone: a reader meets each of them without its neighbours, in an editor's
//! hover or on a page of rustdoc. So each begins with a capital letter (or code, a link, a digit),
//! and each of its paragraphs of prose ends as a sentence ends.

use super::Violation;

/// One doc comment: consecutive lines with the same marker.
struct DocComment<'a> {
    /// The line of the file where it starts, counted from 1.
    line: usize,
    /// Its lines without the marker.
    lines: Vec<&'a str>,
}

pub(super) fn check(text: &str) -> Vec<Violation> {
    doc_comments(text).iter().flat_map(check_one).collect()
}

fn doc_comments(text: &str) -> Vec<DocComment<'_>> {
    let mut comments: Vec<DocComment<'_>> = Vec::new();
    let mut marker = "";
    for (index, line) in text.lines().enumerate() {
        let line = line.trim_start();
        let Some(this) = ["///", "//!"].into_iter().find(|this| line.starts_with(this)) else {
            marker = "";
            continue;
        };
        // Four slashes are an ordinary comment.
        if line.starts_with("////") {
            continue;
        }
        let content = &line[this.len()..];
        match comments.last_mut() {
            Some(last) if marker == this => last.lines.push(content),
            _ => comments.push(DocComment { line: index + 1, lines: vec![content] }),
        }
        marker = this;
    }
    comments
}

fn check_one(comment: &DocComment<'_>) -> Vec<Violation> {
    let mut found = Vec::new();
    let first = comment.lines.iter().find(|line| !line.trim().is_empty());
    if first.is_some_and(|line| !begins_well(line.trim())) {
        found.push(Violation::new(comment.line, "doc comment does not begin with a capital letter"));
    }
    for (offset, last) in paragraph_ends(&comment.lines) {
        if !ends_well(last) {
            let message = "paragraph of a doc comment does not end with a period";
            found.push(Violation::new(comment.line + offset, message));
        }
    }
    found
}

fn begins_well(line: &str) -> bool {
    line.chars().next().is_none_or(|first| !first.is_lowercase() && !",;.)".contains(first))
}

/// Returns the last line of each paragraph of prose, with its index. Code, tables, headings and
/// link definitions are not prose; a list item ends as its author likes.
fn paragraph_ends<'a>(lines: &[&'a str]) -> Vec<(usize, &'a str)> {
    let mut ends = Vec::new();
    let (mut in_code, mut in_list) = (false, false);
    for (index, line) in lines.iter().enumerate() {
        let trimmed = line.trim();
        if trimmed.starts_with("```") {
            in_code = !in_code;
            continue;
        }
        if trimmed.is_empty() {
            in_list = false;
            continue;
        }
        in_list |= starts_list_item(trimmed);
        let is_prose = !in_code && !in_list && !line.starts_with("     ") && !is_markup(trimmed);
        let next = lines.get(index + 1).map_or("", |next| next.trim());
        if is_prose && (next.is_empty() || next.starts_with("```") || starts_list_item(next)) {
            ends.push((index, trimmed));
        }
    }
    ends
}

fn starts_list_item(line: &str) -> bool {
    let after_number = line.trim_start_matches(|c: char| c.is_ascii_digit());
    line.starts_with("- ")
        || line.starts_with("* ")
        || (after_number.len() < line.len() && after_number.starts_with(". "))
}

fn is_markup(line: &str) -> bool {
    let is_link_definition = line.starts_with('[') && line.contains("]: ");
    line.starts_with('|') || line.starts_with('#') || line.starts_with('<') || is_link_definition
}

fn ends_well(line: &str) -> bool {
    line.trim_end_matches([')', '"', '*', '_', '`', ']']).ends_with(['.', '?', '!', ':'])
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lines(text: &str) -> Vec<usize> {
        check(text).iter().map(|violation| violation.line).collect()
    }

    #[test]
    fn sentences_pass() {
        assert!(lines("/// Returns the rank.\nfn a() {}\n\n//! `code` first, with (an aside.)").is_empty());
        assert!(lines("/// Sizes:\n/// - one\n/// - two\n").is_empty());
    }

    #[test]
    fn a_second_half_of_a_sentence_is_found() {
        assert_eq!(lines("fn a() {}\n    /// and its channel.\n"), [2]);
    }

    #[test]
    fn a_missing_period_is_found_where_it_is_missing() {
        assert_eq!(lines("/// One\n/// two\n///\n/// Three.\n"), [2]);
    }

    #[test]
    fn code_tables_and_headings_are_not_prose() {
        let text =
            "/// Example:\n///\n/// ```\n/// let x = 1;\n/// ```\n///\n/// # Safety\n///\n/// | a | b |\n";
        assert!(lines(text).is_empty());
    }

    #[test]
    fn comments_of_two_kinds_are_two_comments() {
        assert_eq!(lines("//! module\n/// Function.\n"), [1, 1]);
    }
}
