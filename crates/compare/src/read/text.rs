//! Reads the output of the OSU and Intel benchmarks, possibly among other lines of a log.
//!
//! These benchmarks print one value per size, so a repeated table counts as another launch.

use std::collections::BTreeMap;
use std::path::Path;

use panto_results::{Error, Result, Value, kernel, param};

use super::columns::{Columns, Line};
use super::{imb, osu};
use crate::key::Key;
use crate::run::Run;

/// The table that is being read.
#[derive(Default)]
struct Table {
    kernel: String,
    ranks: Option<usize>,
    mode: Option<String>,
    columns: Option<Columns>,
}

struct Reader {
    run: Run,
    table: Table,
    /// The number of rows without a time: sizes at which the benchmark gave up.
    untimed: usize,
}

pub(super) fn read(path: &Path, bytes: &[u8]) -> Result<Run> {
    let mut reader = Reader { run: Run::default(), table: Table::default(), untimed: 0 };
    for (place, line) in String::from_utf8_lossy(bytes).lines().enumerate() {
        reader.line(line.trim_end(), (path, place + 1))?;
    }
    let Reader { mut run, untimed, .. } = reader;
    if run.points.is_empty() {
        return Err(Error::BadFile {
            path: path.into(),
            line: 1,
            reason: "neither a results file of `panto bench` nor output of the OSU or Intel MPI benchmarks with a table of \
                   times"
                .into(),
        });
    }
    if untimed > 0 {
        run.notes.push(format!("{}: {untimed} rows have no time and are skipped", path.display()));
    }
    Ok(run)
}

impl Reader {
    fn line(&mut self, line: &str, at: (&Path, usize)) -> Result<()> {
        let text = line.trim_start();
        if let Some((kernel, version)) = osu::title(text) {
            self.run.facts.add("benchmark", format!("OSU {version}"));
            self.table = Table { kernel, ..Table::default() };
        } else if let Some(kernel) = imb::title(text) {
            self.table = Table { kernel, ..Table::default() };
        } else if text.starts_with('#') {
            self.comment(text);
        } else {
            self.row(text, at)?;
        }
        Ok(())
    }

    fn comment(&mut self, text: &str) {
        let is_osu = kernel::suite_of(&self.table.kernel) == kernel::osu::SUITE;
        let columns = if is_osu { osu::header(text) } else { imb::header(text) };
        if columns.is_some() {
            self.table.columns = columns;
        } else if is_osu {
            self.table.ranks = self.table.ranks.or_else(|| osu::ranks(text));
            self.table.mode = osu::mode(text).map(str::to_owned).or(self.table.mode.take());
        } else if let Some((what, value)) = imb::fact(text) {
            let value = if what == "benchmark" { format!("IMB {value}") } else { value.to_owned() };
            self.run.facts.add(what, value);
        } else {
            self.table.ranks = imb::ranks(text).or(self.table.ranks);
            self.table.mode = imb::mode(text).map(str::to_owned).or(self.table.mode.take());
        }
    }

    fn row(&mut self, text: &str, at: (&Path, usize)) -> Result<()> {
        let Some(columns) = &self.table.columns else { return Ok(()) };
        match columns.read(text, at)? {
            Line::Other => {}
            Line::Untimed => self.untimed += 1,
            Line::Row(row) => {
                for (variant, nanos) in row.times {
                    self.run.push(self.table.key(row.bytes, variant), vec![nanos]);
                }
            }
        }
        Ok(())
    }
}

impl Table {
    fn key(&self, bytes: Option<u64>, variant: Option<&str>) -> Key {
        let mut params = BTreeMap::new();
        let mut add = |name: &str, value| drop(params.insert(name.to_owned(), value));
        if let Some(bytes) = bytes {
            add(param::BYTES, Value::Number(bytes));
        }
        let variant = variant.or(self.mode.as_deref());
        if let Some(variant) = variant {
            add(param::VARIANT, Value::Text(variant.to_ascii_lowercase()));
        }
        Key::foreign(self.kernel.clone(), self.ranks, params)
    }
}
