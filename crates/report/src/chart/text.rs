//! Text metrics, estimated without a font.

/// Returns the width of `text` at a font size of `size` pixels. The estimate is on the wide side
/// (near `DejaVu Sans`, wider than Arial, Segoe or San Francisco), because too much room looks
/// better than too little.
pub(super) fn width(text: &str, size: f64) -> f64 {
    text.chars().map(advance).sum::<f64>() * size
}

/// Breaks `text` into lines of at most `room` pixels. A word that is too long has a line of its
/// own.
pub(super) fn wrap(text: &str, size: f64, room: f64) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    for word in text.split_whitespace() {
        match lines.last_mut() {
            Some(line) if width(line, size) + width(word, size) + size * 0.3 <= room => {
                line.push(' ');
                line.push_str(word);
            }
            _ => lines.push(word.to_string()),
        }
    }
    lines
}

/// Returns `text`, or as much of its beginning as fits into `room` pixels with an ellipsis.
pub(super) fn shorten(text: &str, size: f64, room: f64) -> String {
    if width(text, size) <= room {
        return text.to_string();
    }
    let mut left = room - width("\u{2026}", size);
    let fits = |c: &char| {
        left -= advance(*c) * size;
        left >= 0.0
    };
    let kept: String = text.chars().take_while(fits).collect();
    kept.trim_end().to_string() + "\u{2026}"
}

/// Returns the width of a character in units of the font size.
fn advance(c: char) -> f64 {
    match c {
        'i' | 'j' | 'l' | '.' | ',' | ':' | ';' | '\'' | '|' | ' ' | '!' => 0.32,
        'f' | 'r' | 't' | 'I' | '(' | ')' | '[' | ']' | '/' | '-' => 0.4,
        'm' | 'w' | 'M' | 'W' | '%' | '@' | '\u{2026}' => 0.95,
        'A'..='Z' | '=' | '+' | '<' | '>' | '&' => 0.72,
        c if c.is_ascii() => 0.61,
        // East Asian wide scripts take a whole em.
        c if c >= '\u{1100}' => 1.0,
        _ => 0.65,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn wrapped_lines_fit() {
        let lines = wrap("the quick brown fox jumps over the lazy dog", 10.0, 100.0);
        assert!(lines.len() > 1 && lines.iter().all(|line| width(line, 10.0) <= 100.0), "{lines:?}");
        assert_eq!(lines.join(" "), "the quick brown fox jumps over the lazy dog");
    }

    #[test]
    fn shortened_text_fits() {
        let short = shorten("a rather long name of a series", 12.0, 100.0);
        assert!(short.ends_with('\u{2026}') && width(&short, 12.0) <= 100.0, "{short}");
        assert_eq!(shorten("short", 12.0, 100.0), "short");
    }
}
