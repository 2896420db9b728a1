//! One-sided communication between two ranks, by every synchronisation.

mod operation;

use panto_transport::{Synchronisation, Transport};

use self::operation::{Accessing, Kind};
use super::SUITE;
use super::pairs::{Least, by_size, one_pair, sizes};
use crate::comet::echo::Role;
use crate::comet::pair::{TESTER, partner};
use crate::error::{Error, Result};
use crate::kernel::{About, Pattern};
use crate::measure::{Lab, Metric, Timing};
use crate::point::{Point, param};
use crate::results::Record;
use crate::settings::Settings;

macro_rules! kernels {
    ($($(#[doc = $doc:literal])* $kernel:ident: $kind:ident, $windows:literal, $name:literal, $line:literal;)+) => {$(
        $(#[doc = $doc])*
        #[derive(Debug, Clone, Copy)]
        pub struct $kernel;

        impl Pattern for $kernel {
            fn about(&self) -> About {
                About { suite: SUITE, name: $name, line: $line, axis: param::BYTES, least_ranks: 2, needs: None }
            }

            fn available(&self, settings: &Settings) -> Result<()> {
                available(&self.about(), settings)
            }

            fn points(&self, settings: &Settings, _earlier: &[Record]) -> Result<Vec<Point>> {
                points(settings, $windows)
            }

            fn run<T: Transport>(&self, lab: &mut Lab<'_, T>, point: &Point) -> Result<Option<Record>> {
                measure(lab, &self.about(), point, Kind::$kind)
            }
        }
    )+};
}

kernels! {
    /// Time of a put and of what completes it, by synchronisation and size: `osu_put_latency`.
    PutLatency: Put, false, "put-latency", "one put and its synchronisation, by message size (osu_put_latency)";
    /// Time of a get and of what completes it, by synchronisation and size: `osu_get_latency`.
    GetLatency: Get, false, "get-latency", "one get and its synchronisation, by message size (osu_get_latency)";
    /// Time of an accumulate and of what completes it, by synchronisation and size: `osu_acc_latency`.
    AccumulateLatency: Accumulate, false, "accumulate-latency",
        "one accumulate (sum of bytes) and its synchronisation, by message size (osu_acc_latency)";
    /// Bytes a second of a window of puts, by synchronisation and size: `osu_put_bw`.
    PutBandwidth: Put, true, "put-bandwidth", "a window of puts and its synchronisation, by message size (osu_put_bw)";
    /// Bytes a second of a window of gets, by synchronisation and size: `osu_get_bw`.
    GetBandwidth: Get, true, "get-bandwidth", "a window of gets and its synchronisation, by message size (osu_get_bw)";
}

fn available(about: &About, settings: &Settings) -> Result<()> {
    if settings.has_windows {
        return Ok(());
    }
    Err(Error::usage(format!(
        "{} needs one-sided communication, which this transport has not; run it under MPI: `mpirun -n 2 panto bench {}`",
        about.full_name(),
        about.full_name()
    )))
}

fn points(settings: &Settings, windows: bool) -> Result<Vec<Point>> {
    settings.classic.check()?;
    let mut worlds = Vec::new();
    for pair in one_pair(settings)? {
        let window = |point: Point| point.with(param::WINDOW, settings.classic.window as u64);
        let pair = if windows { window(pair) } else { pair };
        let by = |how: &Synchronisation| pair.clone().with_text(param::VARIANT, &how.to_string());
        worlds.extend(settings.classic.synchronisations.iter().map(by));
    }
    Ok(by_size(&worlds, &sizes(settings, Least::One, u64::MAX)))
}

fn measure<T: Transport>(
    lab: &mut Lab<'_, T>,
    about: &About,
    point: &Point,
    kind: Kind,
) -> Result<Option<Record>> {
    let how = point.text(param::VARIANT).parse::<Synchronisation>().map_err(Error::usage)?;
    let (bytes, messages) = (point.get(param::BYTES), point.number(param::WINDOW).unwrap_or(1) as usize);
    let role = Role::of(lab.transport.rank(), TESTER, partner(lab, point)?);
    let mut operation = Accessing::new(lab.transport, (role, kind, how), bytes, messages)?;
    let samples = lab.measure(Timing::batched(Metric::on(TESTER)), &mut operation)?;
    operation.free()?;
    Ok(samples.map(|samples| Record {
        moved: Some((messages * bytes) as u64),
        messages: (messages > 1).then_some(messages as u64),
        ..Record::new(&about.full_name(), point, samples)
    }))
}
