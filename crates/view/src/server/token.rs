//! The secret part of the server's address. Every user of a host can connect to a port on loopback;
//! only those who were given the address can read what is served.

use std::fmt;
use std::fs::File;
use std::io::Read;

/// Random bytes of a token: 128 bits cannot be guessed.
const BYTES: usize = 16;

/// A random token, 32 hexadecimal digits.
pub struct Token(String);

impl Token {
    /// Returns a token by the system's random numbers.
    pub fn new() -> std::io::Result<Self> {
        let mut bytes = [0; BYTES];
        File::open("/dev/urandom")?.read_exact(&mut bytes)?;
        Ok(Self(format!("{:032x}", u128::from_ne_bytes(bytes))))
    }

    /// Returns whether a text is this token. The time that it takes does not depend on how many
    /// characters are right, so the token cannot be guessed one by one.
    pub fn is(&self, text: &str) -> bool {
        let pairs = self.0.bytes().zip(text.bytes());
        let difference = pairs.fold(0, |difference, (one, other)| difference | (one ^ other));
        self.0.len() == text.len() && std::hint::black_box(difference) == 0
    }
}

impl fmt::Display for Token {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(&self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::Token;

    #[test]
    fn a_token_is_equal_to_itself_only() {
        let (token, other) = (Token::new().expect("random"), Token::new().expect("random"));
        let text = token.to_string();
        assert!(text.len() == 32 && text.bytes().all(|digit| digit.is_ascii_hexdigit()), "{text}");
        assert!(token.is(&text) && !token.is(&other.to_string()));
        for wrong in ["", &text[1..], &text[..31], &format!("{text}0"), &text.replace(&text[..1], "g")] {
            assert!(!token.is(wrong), "{wrong}");
        }
    }
}
