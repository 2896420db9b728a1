//! The I/O subsystem: write and read, own files and a shared one (C19).

mod operation;
mod scratch;

use std::path::PathBuf;

use panto_results::{Metric, Point, Record, kernel, param};
use panto_transport::Transport;

use super::Options;
use crate::error::{Error, Result};
use crate::kernel::Pattern;
use crate::measure::{Lab, Timing};
use crate::settings::Settings;
use operation::{IoOperation, Layout};
use scratch::Scratch;

const BLOCKS: [u64; 3] = [4 << 10, 64 << 10, 1 << 20];

/// Operation and kind of file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Variant {
    name: &'static str,
    reads: bool,
    shared: bool,
}

const VARIANTS: [Variant; 4] = [
    Variant { name: "write", reads: false, shared: false },
    Variant { name: "read", reads: true, shared: false },
    Variant { name: "shared-write", reads: false, shared: true },
    Variant { name: "shared-read", reads: true, shared: true },
];

impl Variant {
    fn named(name: &str) -> Self {
        // A point names one of them: `points` put it there.
        VARIANTS.into_iter().find(|variant| variant.name == name).unwrap_or(VARIANTS[0])
    }
}

/// Time in which all ranks write or read their own files, or one shared file, by block size and
/// ranks.
#[derive(Debug, Clone, Copy)]
pub struct Io;

impl Pattern for Io {
    fn name(&self) -> &'static str {
        kernel::comet::IO
    }

    fn available(&self, settings: &Settings) -> Result<()> {
        directory(settings).map(drop)
    }

    fn points(&self, settings: &Settings, _earlier: &[Record]) -> Result<Vec<Point>> {
        scratch::check_directory(&directory(settings)?)?;
        let mut points = Vec::new();
        for ranks in settings.rank_sweep() {
            for variant in VARIANTS {
                let point = Point::new(ranks).with_text(param::VARIANT, variant.name);
                points.extend(BLOCKS.map(|block| point.clone().with(param::BLOCK, block)));
            }
        }
        Ok(points)
    }

    fn run<T: Transport>(&self, lab: &mut Lab<'_, T>, point: &Point) -> Result<Option<Record>> {
        let (bytes, block) = (lab.settings.options.get::<Options>().io_bytes, point.get(param::BLOCK));
        let variant = Variant::named(point.text(param::VARIANT));
        let scratch = Scratch::create(lab.transport, &directory(lab.settings)?, variant.shared)?;
        let layout = Layout::new(block, lab.transport, variant.shared);
        let mut operation = IoOperation::new(lab.transport, scratch, layout, variant.reads, bytes as usize);
        let samples = lab.measure(Timing::checked(Metric::longest()), &mut operation)?;
        Ok(samples.map(|samples| Record {
            moved: Some(bytes * point.ranks as u64),
            ..Record::new(self.name(), point, samples)
        }))
    }
}

/// Returns the bytes of the files that a rank writes at a point; 0 at points of other kernels.
pub(crate) fn file_bytes(point: &Point, settings: &Settings) -> u64 {
    let writes = point.number(param::BLOCK).is_some_and(|block| block > 0);
    if writes { settings.options.get::<Options>().io_bytes } else { 0 }
}

fn directory(settings: &Settings) -> Result<PathBuf> {
    if let Some(machine) = &settings.machine {
        return Err(Error::usage(format!(
            "comet/io writes files, which the simulated {machine} does not have; omit the kernel, or run it on threads"
        )));
    }
    let missing = || Error::usage("comet/io writes files and needs a directory: use --io-dir DIR");
    settings.options.get::<Options>().io_dir.clone().ok_or_else(missing)
}
