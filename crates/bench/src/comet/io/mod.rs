//! The I/O subsystem: write and read, own files and a shared one (C19).

mod operation;
mod scratch;

use std::path::PathBuf;

use panto_results::{Metric, Point, Record, Samples, kernel, param};
use panto_transport::{Transport, Work};

use super::Options;
use crate::error::{Error, Result};
use crate::kernel::Pattern;
use crate::measure::{Checked, Lab, Operation, Timing};
use crate::settings::{Settings, Storage};
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
        match &settings.machine {
            Some(machine) if settings.storage == Storage::Absent => Err(no_storage(machine)),
            Some(_) => Ok(()),
            None => directory(settings).map(drop),
        }
    }

    fn points(&self, settings: &Settings, _earlier: &[Record]) -> Result<Vec<Point>> {
        if settings.machine.is_none() {
            scratch::check_directory(&directory(settings)?)?;
        }
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
        if lab.settings.machine.is_some() {
            let mut operation = SimulatedIo { transport: lab.transport, bytes: bytes as usize, block };
            let samples = lab.measure(Timing::checked(Metric::longest()), &mut operation)?;
            let verified = false;
            return Ok(samples.map(|samples| Record { verified, ..self.record(point, samples, bytes) }));
        }
        let scratch = Scratch::create(lab.transport, &directory(lab.settings)?, variant.shared)?;
        let layout = Layout::new(block, lab.transport, variant.shared);
        let mut operation = IoOperation::new(lab.transport, scratch, layout, variant.reads, bytes as usize);
        let samples = lab.measure(Timing::checked(Metric::longest()), &mut operation)?;
        Ok(samples.map(|samples| self.record(point, samples, bytes)))
    }
}

impl Io {
    fn record(self, point: &Point, samples: Samples, bytes: u64) -> Record {
        let moved = Some(bytes * point.ranks as u64);
        Record { moved, ..Record::new(self.name(), point, samples) }
    }
}

/// Blocks of a file of a simulated machine: each takes the time of its storage. There are no bytes,
/// and ranks do not delay each other.
struct SimulatedIo<'a, T> {
    transport: &'a T,
    bytes: usize,
    block: usize,
}

impl<T: Transport> Operation for SimulatedIo<'_, T> {
    fn prepare(&mut self, _round: u64) {}

    fn run(&mut self) -> panto_transport::Result<()> {
        for start in (0..self.bytes).step_by(self.block) {
            self.transport.charge(Work::File(self.block.min(self.bytes - start)));
        }
        Ok(())
    }

    fn verify(&mut self) -> Checked {
        Ok(())
    }
}

/// Returns the bytes of the files that a rank writes at a point; 0 at points of other kernels.
pub(crate) fn file_bytes(point: &Point, settings: &Settings) -> u64 {
    let writes = point.number(param::BLOCK).is_some_and(|block| block > 0);
    if writes { settings.options.get::<Options>().io_bytes } else { 0 }
}

fn no_storage(machine: &str) -> Error {
    Error::usage(format!(
        "comet/io needs storage, which the model of {machine} lacks; add it, such as --set storage.latency=1ms --set \
         storage.bandwidth=100MB/s, or omit the kernel"
    ))
}

fn directory(settings: &Settings) -> Result<PathBuf> {
    let missing = || Error::usage("comet/io writes files and needs a directory: use --io-dir DIR");
    settings.options.get::<Options>().io_dir.clone().ok_or_else(missing)
}
