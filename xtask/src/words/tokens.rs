//! The words of a file, whatever they are written in: prose, `snake_case`, `CamelCase` or
//! `kebab-case`.

/// A word in lower case, with its place.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Token {
    pub(super) text: String,
    /// The line, counted from 1.
    pub(super) line: usize,
    /// Whether only spaces, `_`, `-`, a change of case or a line break of a comment stand between
    /// this word and the one before it.
    pub(super) continues: bool,
}

pub(super) fn tokens(text: &str) -> Vec<Token> {
    let mut tokens = Vec::new();
    for (index, line) in text.lines().enumerate() {
        let content = line.trim_start().trim_start_matches(['/', '!', '#', '*', ' ']);
        split_line(content, index + 1, &mut tokens);
    }
    tokens
}

fn split_line(line: &str, number: usize, tokens: &mut Vec<Token>) {
    let mut word = String::new();
    let mut continues = true;
    let mut next_continues = true;
    let mut before = ' ';
    for c in line.chars() {
        let is_hump = c.is_uppercase() && before.is_lowercase();
        if !word.is_empty() && (!c.is_alphabetic() || is_hump) {
            let text = std::mem::take(&mut word);
            tokens.push(Token { text, line: number, continues });
            next_continues = true;
        }
        if c.is_alphabetic() {
            if word.is_empty() {
                continues = next_continues;
            }
            word.extend(c.to_lowercase());
        } else {
            next_continues &= matches!(c, ' ' | '_' | '-');
        }
        before = c;
    }
    if !word.is_empty() {
        tokens.push(Token { text: word, line: number, continues });
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(text: &str) -> Vec<String> {
        tokens(text).into_iter().map(|token| token.text).collect()
    }

    #[test]
    fn names_fall_into_their_words() {
        assert_eq!(words("fn so_many(WildCards: u8)"), ["fn", "so", "many", "wild", "cards", "u"]);
    }

    #[test]
    fn a_comment_continues_on_its_next_line() {
        let all = tokens("/// waits so\n    /// many times. Then");
        assert!(all.iter().all(|token| token.continues == (token.text != "then")), "{all:?}");
    }
}
