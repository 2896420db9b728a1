//! Words that the project no longer uses, each with the word of the field that took its place.
//!
//! A phrase is looked for in names (`so_many`, `WildCard`), comments, docs and strings alike, in
//! the singular and in the plural.

use std::path::Path;

use super::Violation;
use super::tokens::{Token, tokens};

/// Retired phrases in lower case, and what to write instead.
const RETIRED: &[(&str, &str)] = &[
    ("anybody", "any rank, any source, any process"),
    ("as it likes", "what decides, and how"),
    ("asker", "sender, request to send"),
    ("binary digit", "bit"),
    ("cache of the second", "L2 cache"),
    ("deed", "operation"),
    ("flaw", "error, invalid value, mismatch"),
    ("for ever", "indefinitely, without bound"),
    ("go on", "continue, proceed"),
    ("goes on", "continues, proceeds"),
    ("is said", "is printed, is reported, is stated"),
    ("is told", "receives, is passed, is notified"),
    ("large page", "huge page"),
    ("line of the cache", "cache line"),
    ("mood", "suspect point, interference"),
    ("nobody", "no rank, no process, none"),
    ("on its way", "in flight"),
    ("pile", "radix heap, queue, stack"),
    ("seat", "slot, position, index"),
    ("so many", "the number of"),
    ("somebody", "another rank, a user, a process"),
    ("stranger", "third-party, user's, newcomer"),
    ("weather", "core speed, interference"),
    ("whoever", "the caller, the rank that"),
    ("wild card", "wildcard"),
];

/// Returns whether a file may use the words: this check lists them and tests with them.
pub(super) fn is_exempt(path: &Path) -> bool {
    path.starts_with("xtask/src/words")
}

pub(super) fn check(path: &Path, text: &str) -> Vec<Violation> {
    let name = tokens(&path.to_string_lossy().replace('/', " . "));
    let in_name = matches(&name).map(|(_, message)| Violation::new(1, format!("file name: {message}")));
    let all = tokens(text);
    let in_text = matches(&all).map(|(line, message)| Violation::new(line, message));
    in_name.chain(in_text).collect()
}

fn matches(tokens: &[Token]) -> impl Iterator<Item = (usize, String)> + '_ {
    (0..tokens.len()).filter_map(|at| {
        let (phrase, instead) = RETIRED.iter().find(|(phrase, _)| stands_at(&tokens[at..], phrase))?;
        Some((tokens[at].line, format!("`{phrase}` is retired; use: {instead}")))
    })
}

/// Returns whether the tokens begin with the phrase, its last word in the singular or the plural.
fn stands_at(tokens: &[Token], phrase: &str) -> bool {
    let words: Vec<&str> = phrase.split(' ').collect();
    if tokens.len() < words.len() {
        return false;
    }
    let (last, before) = words.split_last().expect("a phrase has a word");
    let same = before.iter().zip(tokens).all(|(word, token)| token.text == *word);
    let end = &tokens[before.len()];
    let joined = tokens[1..words.len()].iter().all(|token| token.continues);
    same && joined && (end.text == *last || end.text.strip_suffix('s') == Some(last))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lines(text: &str) -> Vec<usize> {
        check(Path::new("a.rs"), text).iter().map(|violation| violation.line).collect()
    }

    #[test]
    fn phrases_are_found_in_prose_and_names() {
        assert_eq!(lines("// Nobody waits.\nlet so_many = 1;\nstruct WildCards;\n"), [1, 2, 3]);
    }

    #[test]
    fn a_phrase_may_be_wrapped() {
        assert_eq!(lines("/// It takes so\n/// many steps.\n"), [1]);
    }

    #[test]
    fn words_of_two_sentences_are_no_phrase() {
        assert!(lines("// It is so. Many agree. A compiled word.\n").is_empty());
    }

    #[test]
    fn the_list_is_sorted_and_in_lower_case() {
        assert!(RETIRED.is_sorted());
        assert!(RETIRED.iter().all(|(phrase, _)| *phrase == phrase.to_lowercase()));
    }

    #[test]
    fn file_names_count() {
        assert_eq!(check(Path::new("src/moods.rs"), "").len(), 1);
    }
}
