//! The results file of a sweep: one JSON object per line, appended as settings complete, so that an
//! interrupted sweep continues from it.

use std::collections::HashMap;
use std::fs::{File, OpenOptions};
use std::io::{Read, Write};
use std::path::{Path, PathBuf};

use panto_container::line::{check, seal};

use super::outcome::{Outcome, Row};
use crate::error::{Error, SweepError};

/// An open results file with the outcomes it holds.
#[derive(Debug)]
pub struct SweepFile {
    path: PathBuf,
    file: File,
    outcomes: HashMap<String, Outcome>,
}

impl SweepFile {
    /// Opens or creates a file. An incomplete last line, left by a killed run, is removed.
    pub fn open(path: &Path) -> Result<Self, Error> {
        let opened = OpenOptions::new().read(true).append(true).create(true).open(path);
        let mut file = opened.map_err(|error| Error::write(path, &error))?;
        let mut text = Vec::new();
        file.read_to_end(&mut text).map_err(|error| Error::read(path, &error))?;
        let whole = text.iter().rposition(|byte| *byte == b'\n').map_or(0, |end| end + 1);
        let outcomes = read(&text[..whole], path)?;
        if whole < text.len() {
            if outcomes.is_empty() && !is_torn_row(&text[whole..]) {
                return Err(foreign(path, 1));
            }
            file.set_len(whole as u64).map_err(|error| Error::write(path, &error))?;
        }
        Ok(Self { path: path.to_owned(), file, outcomes })
    }

    /// Returns the outcome of the setting with this key.
    pub fn get(&self, key: &str) -> Option<&Outcome> {
        self.outcomes.get(key)
    }

    /// Appends a setting.
    pub fn add(&mut self, row: &Row) -> Result<(), Error> {
        // One write per line: a killed run leaves at most the last line incomplete.
        let written = self.file.write_all(seal(&row.json().to_string()).as_bytes());
        written.map_err(|error| Error::write(&self.path, &error))?;
        self.outcomes.insert(row.key.clone(), row.outcome.clone());
        Ok(())
    }
}

/// Returns whether a text can be the beginning of a row.
fn is_torn_row(text: &[u8]) -> bool {
    let begins = |row: &&[u8]| text.starts_with(row) || row.starts_with(text);
    [b"{\"key\":".as_slice(), b"{\"error\":"].iter().any(begins)
}

fn read(text: &[u8], path: &Path) -> Result<HashMap<String, Outcome>, Error> {
    let lines = (1..).zip(text.split(|byte| *byte == b'\n')).filter(|(_, line)| !line.is_empty());
    let row = |(number, line): (usize, &[u8])| {
        check(line).map_err(|_| SweepError::DamagedLine { path: path.to_owned(), line: number })?;
        let value = serde_json::from_slice(line).ok();
        value.as_ref().and_then(Row::read).ok_or_else(|| foreign(path, number))
    };
    lines.map(row).collect()
}

fn foreign(path: &Path, line: usize) -> Error {
    SweepError::ForeignFile { path: path.to_owned(), line }.into()
}

#[cfg(test)]
mod tests {
    use super::super::parameter::Variant;
    use super::*;

    fn row(key: &str) -> Row {
        let outcome = Err(Error::Recorded("why".into()));
        Row { key: key.into(), variant: Variant::default(), outcome, assessment: None, cost: None }
    }

    #[test]
    fn an_incomplete_line_is_removed() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("sweep.jsonl");
        SweepFile::open(&path).unwrap().add(&row("1")).unwrap();
        let whole = std::fs::read(&path).unwrap();
        std::fs::write(&path, [&whole[..], &whole[..20]].concat()).unwrap();
        let mut file = SweepFile::open(&path).unwrap();
        assert_eq!((file.get("1"), file.get("2")), (Some(&Err(Error::Recorded("why".into()))), None));
        file.add(&row("2")).unwrap();
        assert_eq!(std::fs::read_to_string(&path).unwrap().lines().count(), 2);
        assert!(SweepFile::open(&path).unwrap().get("2").is_some());
        std::fs::write(&path, &whole[..20]).unwrap();
        assert!(SweepFile::open(&path).unwrap().get("1").is_none());
    }

    #[test]
    fn every_flipped_bit_is_found() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("sweep.jsonl");
        SweepFile::open(&path).unwrap().add(&row("1")).unwrap();
        let sound = std::fs::read(&path).unwrap();
        // Without the end of its line a row is incomplete, and removed.
        for bit in 0..8 * (sound.len() - 1) {
            let mut damaged = [&sound[..], &sound[..]].concat();
            damaged[sound.len() + bit / 8] ^= 1 << (bit % 8);
            std::fs::write(&path, &damaged).unwrap();
            let error = SweepFile::open(&path).unwrap_err().to_string();
            assert!(error.contains("sweep.jsonl:2: "), "bit {bit}: {error}");
            assert_eq!(std::fs::read(&path).unwrap(), damaged);
        }
    }

    #[test]
    fn rows_without_a_checksum_are_read() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("sweep.jsonl");
        std::fs::write(&path, format!("{}\n", row("1").json())).unwrap();
        let mut file = SweepFile::open(&path).unwrap();
        file.add(&row("2")).unwrap();
        let file = SweepFile::open(&path).unwrap();
        assert!(file.get("1").is_some() && file.get("2").is_some());
    }

    #[test]
    fn other_files_are_left_alone() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("notes");
        for text in ["my notes", "my notes\n", "{\"kind\":\"manifest\"}\n", "\u{0}\n"] {
            std::fs::write(&path, text).unwrap();
            let error = SweepFile::open(&path).unwrap_err().to_string();
            assert!(error.contains(":1: not a line of `panto sweep`"), "{error}");
            assert_eq!(std::fs::read_to_string(&path).unwrap(), text);
        }
        let error = SweepFile::open(folder.path()).unwrap_err().to_string();
        assert!(error.starts_with("cannot write"), "{error}");
    }
}
