//! The I/O subsystem: write and read, own files and a shared one (C19).

mod operation;
mod scratch;

use std::path::Path;

use panto_transport::Transport;

use super::SUITE;
use crate::error::{Error, Result};
use crate::kernel::{About, Pattern};
use crate::measure::{Lab, Metric, Timing};
use crate::point::{Point, param};
use crate::results::Record;
use crate::settings::Settings;
use operation::{IoOperation, Layout};
use scratch::Scratch;

const BLOCKS: [u64; 3] = [4 << 10, 64 << 10, 1 << 20];

/// What is done with which file.
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

/// Time in which all ranks write or read their files, or one that they share, by block size and ranks.
#[derive(Debug, Clone, Copy)]
pub struct Io;

impl Pattern for Io {
    fn about(&self) -> About {
        About {
            suite: SUITE,
            name: "io",
            line: "time in which all ranks write or read files, own and shared, by block size and ranks",
            axis: param::BLOCK,
            least_ranks: 1,
            needs: None,
        }
    }

    fn available(&self, settings: &Settings) -> Result<()> {
        directory(settings).map(drop)
    }

    fn points(&self, settings: &Settings, _earlier: &[Record]) -> Result<Vec<Point>> {
        scratch::check_directory(directory(settings)?)?;
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
        let (bytes, block) = (lab.settings.io_bytes, point.get(param::BLOCK));
        let variant = Variant::named(point.text(param::VARIANT));
        let scratch = Scratch::create(lab.transport, directory(lab.settings)?, variant.shared)?;
        let layout = Layout::new(block, lab.transport, variant.shared);
        let mut operation = IoOperation::new(lab.transport, scratch, layout, variant.reads, bytes as usize);
        let samples = lab.measure(Timing::checked(Metric::longest()), &mut operation)?;
        Ok(samples.map(|samples| Record {
            moved: Some(bytes * point.ranks as u64),
            ..Record::new(&self.about().full_name(), point, samples)
        }))
    }
}

fn directory(settings: &Settings) -> Result<&Path> {
    if let Some(machine) = &settings.machine {
        return Err(Error::usage(format!(
            "comet/io writes files, and the simulated {machine} has none; leave the kernel out, or run it on threads"
        )));
    }
    let missing = || Error::usage("comet/io writes files and must be told where: use --io-dir DIR");
    settings.io_dir.as_deref().ok_or_else(missing)
}
