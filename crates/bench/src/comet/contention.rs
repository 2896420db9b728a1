//! Echo while others load the links (C9).

use panto_schedule::HopShape;
use panto_stats::Bandwidth;
use panto_transport::Transport;

use super::SUITE;
use super::echo::{Echo, EchoOperation, Role};
use super::load::Load;
use crate::error::{Error, Result};
use crate::kernel::{About, Pattern};
use crate::measure::{Checked, Lab, Metric, Operation, Timing};
use crate::point::{Point, param};
use crate::results::Record;
use crate::settings::Settings;

/// Fewer than an echo alone has: each is measured under every load.
const SIZES: [u64; 11] = [0, 8, 64, 256, 1 << 10, 4 << 10, 16 << 10, 64 << 10, 256 << 10, 1 << 20, 4 << 20];

/// Time one way between two ranks under background load, by load and size.
#[derive(Debug, Clone, Copy)]
pub struct Contention;

impl Pattern for Contention {
    fn about(&self) -> About {
        About {
            suite: SUITE,
            name: "contention",
            line: "one-way time between two ranks while two others load the links, by load and message size",
            axis: param::BYTES,
            least_ranks: 4,
            needs: Some("comet/echo"),
        }
    }

    fn available(&self, settings: &Settings) -> Result<()> {
        let settings = settings.with_least_ranks(self.about().least_ranks);
        Places::find(settings.shape_or(HopShape::Complete), settings.world()).map(drop)
    }

    fn points(&self, settings: &Settings, earlier: &[Record]) -> Result<Vec<Point>> {
        let loads = loads(&settings.loads, &echo_curve(earlier))?;
        let sizes = settings.sizes.clone().unwrap_or_else(|| SIZES.to_vec());
        let idle = Point::new(settings.world());
        let point = |&(load, bytes)| idle.clone().with(param::LOAD, load).with(param::LOAD_BYTES, bytes);
        let loaded = loads.iter().map(point);
        Ok(loaded
            .flat_map(|point| sizes.iter().map(move |&bytes| point.clone().with(param::BYTES, bytes)))
            .collect())
    }

    fn run<T: Transport>(&self, lab: &mut Lab<'_, T>, point: &Point) -> Result<Option<Record>> {
        let places = Places::find(lab.settings.shape_or(lab.transport.shape()), point.ranks)?;
        let bytes = point.get(param::BYTES);
        let role = Role::of(lab.transport.rank(), places.tester, places.partner);
        let mut operation = ContentionOperation {
            echo: EchoOperation::new(lab.transport, role, bytes),
            load: Load::new(lab.transport, places, point.get(param::LOAD_BYTES)),
        };
        let samples = lab.measure(Timing::long(Metric::one_way(places.tester)), &mut operation)?;
        Ok(samples.map(|samples| Record {
            moved: Some(bytes as u64),
            ..Record::new(&self.about().full_name(), point, samples)
        }))
    }
}

/// Who does what.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Places {
    /// Sends the load.
    pub(super) source: usize,
    /// Receives the load.
    pub(super) sink: usize,
    /// Runs the echo and is timed.
    pub(super) tester: usize,
    /// Echoes.
    pub(super) partner: usize,
}

impl Places {
    /// On a hypercube the thesis's choice: routes change the lowest bit first, so the load from 0 to 7 goes
    /// through 1 and 3, and shares the link between them with the echo. Elsewhere the load from 0 to 3 goes
    /// through 1 and 2 where ranks stand in a row of four, and no way round is as short. Where every pair has a
    /// link of its own, what they share is the memory, and the cores. `None`: no four ranks of which we know it.
    fn on(shape: HopShape, ranks: usize) -> Option<Self> {
        let in_a_row = Self { source: 0, sink: 3, tester: 1, partner: 2 };
        let shared = match shape {
            HopShape::Hypercube if ranks >= 8 => {
                return Some(Self { source: 0, sink: 7, tester: 1, partner: 3 });
            }
            HopShape::Hypercube => false,
            HopShape::Complete | HopShape::Linear | HopShape::FromFirst(_) => true,
            HopShape::Ring => ranks > 6,
            HopShape::Mesh { cols, .. } => cols > 3,
            HopShape::Torus { cols, .. } => cols > 6,
        };
        shared.then_some(in_a_row)
    }

    fn find(shape: HopShape, ranks: usize) -> Result<Self> {
        Self::on(shape, ranks).ok_or_else(|| {
            Error::usage(format!(
                "no load shares a link with an echo on {ranks} ranks in the shape `{shape}`; use 8 ranks of a \
                 hypercube, 7 of a ring, or a mesh of 4 columns"
            ))
        })
    }
}

/// Size and median time of the echo at the smallest distance to another rank.
fn echo_curve(earlier: &[Record]) -> Vec<(f64, f64)> {
    let echo = Echo.about().full_name();
    let hops = |record: &Record| record.point.number(param::HOPS).filter(|&hops| hops >= 1);
    let records = || earlier.iter().filter(|record| record.kernel == echo);
    let nearest = records().filter_map(hops).min();
    let point =
        |record: &Record| Some((record.point.number(param::BYTES)? as f64, record.summary()?.median * 1e-9));
    // A time of nothing has no bandwidth.
    let near = records().filter(|record| nearest.is_some() && hops(record) == nearest);
    near.filter_map(point).filter(|&(_, seconds)| seconds > 0.0).collect()
}

/// Each load with the size of its messages; the first is none at all, to compare with.
fn loads(wanted: &[u64], echo: &[(f64, f64)]) -> Result<Vec<(u64, u64)>> {
    let mut loads = vec![(0, 0)];
    for &load in wanted.iter().filter(|&&load| load > 0) {
        loads.push((load, load_bytes(load, echo)?));
    }
    loads.sort_unstable();
    loads.dedup();
    Ok(loads)
}

fn load_bytes(load: u64, echo: &[(f64, f64)]) -> Result<u64> {
    if load > 100 {
        return Err(Error::usage(format!(
            "a load of {load} %: there is no more than 100 % of the peak bandwidth"
        )));
    }
    let size = Bandwidth::size_reaching(echo, load as f64 / 100.0);
    let size = size.map_err(|_| {
        Error::usage(
            "comet/contention takes its load from the bandwidth of comet/echo, which measured no message of at \
             least 1 byte to another rank; give --sizes and --hops at least one above 0",
        )
    })?;
    Ok(size.round().max(1.0) as u64)
}

struct ContentionOperation<'a, T> {
    echo: EchoOperation<'a, T>,
    load: Load<'a, T>,
}

impl<T: Transport> Operation for ContentionOperation<'_, T> {
    fn prepare(&mut self, round: u64) {
        self.echo.prepare(round);
        self.load.prepare(round);
    }

    fn begin(&mut self) -> panto_transport::Result<()> {
        self.load.begin()
    }

    fn run(&mut self) -> panto_transport::Result<()> {
        self.load.run()?;
        self.echo.run()
    }

    fn end(&mut self) -> panto_transport::Result<()> {
        self.load.end()
    }

    fn verify(&mut self) -> Checked {
        self.load.verify()?;
        self.echo.verify()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_load_of_the_thesis_passes_the_echo() {
        let places = Places::on(HopShape::Hypercube, 8).expect("a cube");
        assert_eq!((places.source, places.tester, places.partner, places.sink), (0, 1, 3, 7));
        let places = Places::on(HopShape::Linear, 8).expect("a row");
        assert_eq!((places.source, places.tester, places.partner, places.sink), (0, 1, 2, 3));
        assert_eq!(Places::on(HopShape::Hypercube, 4), None);
    }

    #[test]
    fn loads_have_the_sizes_of_their_bandwidth() {
        // Time = 2 + x / 100, Hockney's half size is 200 and nine tenths are reached at 1800.
        let curve: Vec<(f64, f64)> =
            (0..200).map(|i| 2_f64.powf(f64::from(i) / 6.0)).map(|x| (x, 2.0 + x / 100.0)).collect();
        let found = loads(&[90, 50, 0, 50], &curve).unwrap();
        assert_eq!(found.iter().map(|load| load.0).collect::<Vec<_>>(), [0, 50, 90]);
        assert!(found[1].1.abs_diff(200) < 5 && found[2].1.abs_diff(1800) < 40, "{found:?}");
        assert!(loads(&[101], &curve).is_err());
        assert!(loads(&[50], &[]).is_err() && loads(&[50], &[(0.0, 1.0)]).is_err());
        assert_eq!(loads(&[], &[]).unwrap(), [(0, 0)]);
    }
}
