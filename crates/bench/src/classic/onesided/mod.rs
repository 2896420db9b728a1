//! One-sided communication between two ranks, by every synchronisation.

mod operation;

use panto_results::{KernelInfo, Metric, Point, Record, kernel, param};
use panto_transport::{Synchronisation, Transport};

use self::operation::{AccessOperation, Kind};
use super::Options;
use super::pairs::{MinSize, by_size, one_pair, sizes};
use crate::comet::echo::Role;
use crate::comet::pair::{TESTER, partner};
use crate::error::{Error, Result};
use crate::kernel::Pattern;
use crate::measure::{Lab, Timing};
use crate::settings::Settings;

macro_rules! kernels {
    ($($(#[doc = $doc:literal])* $kernel:ident: $kind:ident, $windows:literal, $name:expr;)+) => {$(
        $(#[doc = $doc])*
        #[derive(Debug, Clone, Copy)]
        pub struct $kernel;

        impl Pattern for $kernel {
            fn name(&self) -> &'static str {
                $name
            }

            fn available(&self, settings: &Settings) -> Result<()> {
                available(self.info(), settings)
            }

            fn points(&self, settings: &Settings, _earlier: &[Record]) -> Result<Vec<Point>> {
                points(settings, $windows)
            }

            fn run<T: Transport>(&self, lab: &mut Lab<'_, T>, point: &Point) -> Result<Option<Record>> {
                measure(lab, self.info(), point, Kind::$kind)
            }
        }
    )+};
}

kernels! {
    /// Time of a put with its completion, by synchronisation and size: `osu_put_latency`.
    PutLatency: Put, false, kernel::classic::PUT_LATENCY;
    /// Time of a get with its completion, by synchronisation and size: `osu_get_latency`.
    GetLatency: Get, false, kernel::classic::GET_LATENCY;
    /// Time of an accumulate with its completion, by synchronisation and size: `osu_acc_latency`.
    AccumulateLatency: Accumulate, false, kernel::classic::ACCUMULATE_LATENCY;
    /// Bytes per second of a window of puts, by synchronisation and size: `osu_put_bw`.
    PutBandwidth: Put, true, kernel::classic::PUT_BANDWIDTH;
    /// Bytes per second of a window of gets, by synchronisation and size: `osu_get_bw`.
    GetBandwidth: Get, true, kernel::classic::GET_BANDWIDTH;
}

fn available(info: &KernelInfo, settings: &Settings) -> Result<()> {
    if settings.has_windows {
        return Ok(());
    }
    Err(Error::usage(format!(
        "{} needs one-sided communication, which this transport does not support; run it under MPI: `mpirun -n 2 panto bench {}`",
        info.name, info.name
    )))
}

fn points(settings: &Settings, windows: bool) -> Result<Vec<Point>> {
    let options = settings.options.get::<Options>();
    options.check()?;
    let mut worlds = Vec::new();
    for pair in one_pair(settings)? {
        let window = |point: Point| point.with(param::WINDOW, options.window as u64);
        let pair = if windows { window(pair) } else { pair };
        let by = |how: &Synchronisation| pair.clone().with_text(param::VARIANT, &how.to_string());
        worlds.extend(options.synchronisations.iter().map(by));
    }
    Ok(by_size(&worlds, &sizes(settings, MinSize::One, u64::MAX)))
}

fn measure<T: Transport>(
    lab: &mut Lab<'_, T>,
    info: &KernelInfo,
    point: &Point,
    kind: Kind,
) -> Result<Option<Record>> {
    let how = point.text(param::VARIANT).parse::<Synchronisation>().map_err(Error::usage)?;
    let (bytes, messages) = (point.get(param::BYTES), point.number(param::WINDOW).unwrap_or(1) as usize);
    let role = Role::of(lab.transport.rank(), TESTER, partner(lab, point)?);
    let mut operation = AccessOperation::new(lab.transport, (role, kind, how), bytes, messages)?;
    let samples = lab.measure(Timing::batched(Metric::on(TESTER)), &mut operation)?;
    operation.free()?;
    Ok(samples.map(|samples| Record {
        moved: Some((messages * bytes) as u64),
        messages: (messages > 1).then_some(messages as u64),
        ..Record::new(info.name, point, samples)
    }))
}
