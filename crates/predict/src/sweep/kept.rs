//! The file of a sweep: a line for each setting, written as each ends. A sweep goes on where its file ends.

use std::collections::HashMap;
use std::fs::{File, OpenOptions};
use std::io::{Read, Write};
use std::path::{Path, PathBuf};

use super::outcome::{Outcome, Row};
use crate::error::Error;

/// What a file has, and the file, to add to it.
#[derive(Debug)]
pub struct Kept {
    path: PathBuf,
    file: File,
    outcomes: HashMap<String, Outcome>,
}

impl Kept {
    /// Opens a file, or begins one. The beginning of a line that a killed run left is taken away.
    pub fn open(path: &Path) -> Result<Self, Error> {
        let opened = OpenOptions::new().read(true).append(true).create(true).open(path);
        let mut file = opened.map_err(|error| cannot_write(path, &error))?;
        let mut text = Vec::new();
        file.read_to_end(&mut text).map_err(|error| Error::read(path, &error))?;
        let whole = text.iter().rposition(|byte| *byte == b'\n').map_or(0, |end| end + 1);
        let outcomes = read(&text[..whole], path)?;
        if whole < text.len() {
            if outcomes.is_empty() && !is_torn_row(&text[whole..]) {
                return Err(stranger(path, 1));
            }
            file.set_len(whole as u64).map_err(|error| cannot_write(path, &error))?;
        }
        Ok(Self { path: path.to_owned(), file, outcomes })
    }

    /// What came of the setting of this key, if it is there.
    pub fn get(&self, key: &str) -> Option<&Outcome> {
        self.outcomes.get(key)
    }

    /// Adds a setting.
    pub fn add(&mut self, row: &Row) -> Result<(), Error> {
        // One write a line: a run that is killed leaves whole lines, but for the last at most.
        let written = self.file.write_all(format!("{}\n", row.json()).as_bytes());
        written.map_err(|error| cannot_write(&self.path, &error))?;
        self.outcomes.insert(row.key.clone(), row.outcome.clone());
        Ok(())
    }
}

/// Can this be the beginning of a row?
fn is_torn_row(text: &[u8]) -> bool {
    let begins = |row: &&[u8]| text.starts_with(row) || row.starts_with(text);
    [b"{\"key\":".as_slice(), b"{\"error\":"].iter().any(begins)
}

fn read(text: &[u8], path: &Path) -> Result<HashMap<String, Outcome>, Error> {
    let lines = (1..).zip(text.split(|byte| *byte == b'\n')).filter(|(_, line)| !line.is_empty());
    let row = |(number, line): (usize, &[u8])| {
        let value = serde_json::from_slice(line).ok();
        value.as_ref().and_then(Row::read).ok_or_else(|| stranger(path, number))
    };
    lines.map(row).collect()
}

fn cannot_write(path: &Path, error: &std::io::Error) -> Error {
    Error::new(format!("cannot write {}: {error}", path.display()))
}

fn stranger(path: &Path, line: usize) -> Error {
    Error::new(format!(
        "{}:{line}: this is no line that `panto sweep` wrote, and so nothing is added to the file; name another one",
        path.display()
    ))
}

#[cfg(test)]
mod tests {
    use super::super::knob::Variant;
    use super::*;

    fn row(key: &str) -> Row {
        Row { key: key.into(), variant: Variant::default(), outcome: Err("why".into()) }
    }

    #[test]
    fn a_torn_line_is_taken_away() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("sweep.jsonl");
        Kept::open(&path).unwrap().add(&row("1")).unwrap();
        let whole = std::fs::read(&path).unwrap();
        std::fs::write(&path, [&whole[..], &whole[..20]].concat()).unwrap();
        let mut kept = Kept::open(&path).unwrap();
        assert_eq!((kept.get("1"), kept.get("2")), (Some(&Err("why".into())), None));
        kept.add(&row("2")).unwrap();
        assert_eq!(std::fs::read_to_string(&path).unwrap().lines().count(), 2);
        assert!(Kept::open(&path).unwrap().get("2").is_some());
        std::fs::write(&path, &whole[..20]).unwrap();
        assert!(Kept::open(&path).unwrap().get("1").is_none());
    }

    #[test]
    fn files_of_others_are_left_alone() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("notes");
        for text in ["my notes", "my notes\n", "{\"kind\":\"manifest\"}\n", "\u{0}\n"] {
            std::fs::write(&path, text).unwrap();
            let error = Kept::open(&path).unwrap_err().to_string();
            assert!(error.contains(":1: this is no line that `panto sweep` wrote"), "{error}");
            assert_eq!(std::fs::read_to_string(&path).unwrap(), text);
        }
        let error = Kept::open(folder.path()).unwrap_err().to_string();
        assert!(error.starts_with("cannot write"), "{error}");
    }
}
