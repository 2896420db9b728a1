//! Reading results files, which may be damaged or of another version.

use std::fs::File;
use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};

use panto_container::line;

use crate::launch::LaunchId;
use crate::{Error, FORMAT, Line, Manifest, Record, Result, RunEnd};

/// The contents of a results file.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Results {
    /// The manifests, one per launch.
    pub manifests: Vec<Manifest>,
    /// The records of all launches.
    pub records: Vec<Record>,
    /// How the launches ended; launches that were killed have no entry.
    pub ends: Vec<RunEnd>,
    /// Number of records before each manifest.
    pub starts: Vec<usize>,
    /// The error after which [`salvage`] stopped reading.
    pub damage: Option<String>,
}

/// Reads a file; an error if any line is damaged.
pub fn read(path: &Path) -> Result<Results> {
    let (results, error) = read_until_error(path)?;
    error.map_or(Ok(results), Err)
}

/// Reads a file up to the first damaged line.
pub fn salvage(path: &Path) -> Result<Results> {
    let (mut results, error) = read_until_error(path)?;
    results.damage = error.map(|error| error.to_string());
    Ok(results)
}

impl Results {
    /// Iterates over the launches: the manifest and the records of each.
    pub fn launches(&self) -> impl Iterator<Item = (&Manifest, &[Record])> {
        let ends = self.starts.iter().skip(1).copied().chain([self.records.len()]);
        let spans = self.starts.iter().zip(ends).map(|(&start, end)| &self.records[start..end]);
        self.manifests.iter().zip(spans)
    }

    /// Returns whether a launch ended before it had measured every point.
    pub fn is_incomplete(&self) -> bool {
        self.ends.len() < self.manifests.len() || self.ends.iter().any(|end| !end.complete)
    }
}

fn read_until_error(path: &Path) -> Result<(Results, Option<Error>)> {
    let file =
        File::open(path).map_err(|source| Error::Io { failure: "cannot read", path: path.into(), source })?;
    let mut reader = Reader { path: path.into(), input: BufReader::new(file), line: 0 };
    let mut launches = Launches::default();
    let error = loop {
        match reader.next().and_then(|line| line.map(|line| launches.add(line, &reader)).transpose()) {
            Ok(Some(())) => {}
            Ok(None) => break None,
            Err(error) => break Some(error),
        }
    };
    Ok((launches.join(), error))
}

/// A line with the launch that it names; lines of earlier versions name none.
struct TaggedLine {
    launch: Option<LaunchId>,
    line: Line,
}

/// The launches of a file, whose lines may alternate.
#[derive(Default)]
struct Launches {
    launches: Vec<Launch>,
    ends: Vec<RunEnd>,
}

/// What a file has of one launch.
struct Launch {
    id: Option<LaunchId>,
    manifest: Manifest,
    records: Vec<Record>,
    /// First passes of points whose other passes have not followed.
    provisional: Vec<Record>,
}

impl Launch {
    fn add(&mut self, record: Record) {
        if record.provisional {
            return self.provisional.push(record);
        }
        let is_same = |other: &Record| other.kernel == record.kernel && other.point == record.point;
        if let Some(place) = self.provisional.iter().position(is_same) {
            self.provisional.remove(place);
        }
        self.records.push(record);
    }
}

impl Launches {
    fn add(&mut self, tagged: TaggedLine, reader: &Reader) -> Result<()> {
        let TaggedLine { launch, line } = tagged;
        match line {
            Line::Manifest(manifest) => {
                let (records, provisional) = (Vec::new(), Vec::new());
                self.launches.push(Launch { id: launch, manifest: *manifest, records, provisional });
            }
            Line::Point(record) => self.launch(launch, reader)?.add(*record),
            Line::End(end) => self.ends.push(end),
        }
        Ok(())
    }

    /// Returns a launch; the last one if the line names none.
    fn launch(&mut self, id: Option<LaunchId>, reader: &Reader) -> Result<&mut Launch> {
        let mut latest = self.launches.iter_mut().rev();
        latest.find(|launch| id.is_none() || launch.id == id).ok_or_else(|| {
            reader.bad("the manifest of this line's launch is missing; the file was replaced while another run wrote to it")
        })
    }

    /// Returns the launches one after the other.
    fn join(self) -> Results {
        let mut results =
            Results { manifests: vec![], records: vec![], ends: self.ends, starts: vec![], damage: None };
        for Launch { manifest, records, provisional, .. } in self.launches {
            results.starts.push(results.records.len());
            results.manifests.push(manifest);
            results.records.extend(records.into_iter().chain(provisional));
        }
        results
    }
}

struct Reader {
    path: PathBuf,
    input: BufReader<File>,
    line: usize,
}

/// Maximum length of a line in bytes. A record of 2000 samples takes about 30,000.
const LONGEST_LINE: u64 = 64 << 20;

impl Reader {
    fn next(&mut self) -> Result<Option<TaggedLine>> {
        let mut text = Vec::new();
        let mut limited = std::io::Read::take(&mut self.input, LONGEST_LINE);
        let read = limited.read_until(b'\n', &mut text);
        self.line += 1;
        read.map_err(|source| Error::Io { failure: "cannot read", path: self.path.clone(), source })?;
        if text.is_empty() {
            return if self.line == 1 { Err(self.bad("the file is empty")) } else { Ok(None) };
        }
        if text.last() != Some(&b'\n') {
            return Err(self.bad("the line is cut off; `panto info --salvage` shows what came before it, and without this line the file can be added to"));
        }
        self.parse(&text).map(Some)
    }

    fn parse(&self, text: &[u8]) -> Result<TaggedLine> {
        let is_sealed = line::check(text).map_err(|what| {
            self.bad(&format!(
                "{what}: the file is damaged, or was edited; `panto info --salvage` shows what came before this line, and \
                 without its field `crc` the line is read unchecked"
            ))
        })?;
        if self.line == 1 {
            self.check_version(text)?;
        }
        let line = serde_json::from_slice(text).map_err(|error| {
            self.bad(&format!("{error}; `panto info --salvage` shows what came before this line"))
        })?;
        self.check(&line)?;
        Ok(TaggedLine { launch: if is_sealed { LaunchId::of(text) } else { None }, line })
    }

    /// Checks the version before the line is parsed, since a newer manifest may have another form.
    fn check_version(&self, text: &[u8]) -> Result<()> {
        let value: serde_json::Value = serde_json::from_slice(text).unwrap_or_default();
        match value.get("format").and_then(serde_json::Value::as_u64) {
            None => Err(self.bad("not a results file of `panto bench -o`")),
            Some(format) if format > u64::from(FORMAT) => Err(self.bad(&format!(
                "the file has format {format}, this program reads up to {FORMAT}; use a newer panto"
            ))),
            Some(_) => Ok(()),
        }
    }

    fn check(&self, line: &Line) -> Result<()> {
        let Line::Point(record) = line else { return Ok(()) };
        if record.samples_ns.iter().all(|nanos| nanos.is_finite() && *nanos >= 0.0) {
            return Ok(());
        }
        Err(self.bad("a sample is negative or not a number; the file was changed by something else"))
    }

    fn bad(&self, reason: &str) -> Error {
        Error::BadFile { path: self.path.clone(), line: self.line, reason: reason.into() }
    }
}
