//! The file of a mapping, as `--map` reads it.

use std::fmt::Write;

/// Ranks of a line.
const LINE: usize = 16;

/// One processor for each rank, below lines that say what it is.
pub fn written(places: &[u32], about: &[String]) -> String {
    let mut text = String::new();
    for line in about {
        let _ = writeln!(text, "# {line}");
    }
    for line in places.chunks(LINE) {
        let words: Vec<String> = line.iter().map(ToString::to_string).collect();
        let _ = writeln!(text, "{}", words.join(" "));
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_written_is_read() {
        let places: Vec<u32> = (0..40).map(|rank| rank % 7).collect();
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("best.map");
        std::fs::write(&path, written(&places, &["for app.panto".into(), "3.5s".into()])).unwrap();
        let mapping = panto_predict::Mapping::parse(path.to_str().unwrap()).unwrap();
        assert_eq!(mapping.places(40, 7).unwrap().unwrap(), places);
    }
}
