//! Echo under background load (C9).

use panto_results::{Metric, Point, Record, Separation, kernel, param};
use panto_schedule::HopShape;
use panto_stats::Bandwidth;
use panto_transport::{Distance, Transport};

use super::Options;
use super::contention_roles::ContentionRoles;
use super::echo::{EchoOperation, Role};
use super::load::Load;
use super::pair::selected;
use crate::error::{Error, Result};
use crate::kernel::Pattern;
use crate::measure::{Checked, Lab, Operation, Timing};
use crate::settings::{Settings, SharedLink};

/// Default message sizes in bytes; fewer than the echo's, since each is measured under every load.
const SIZES: [u64; 11] = [0, 8, 64, 256, 1 << 10, 4 << 10, 16 << 10, 64 << 10, 256 << 10, 1 << 20, 4 << 20];

/// One-way time between two ranks under background load, by load and size.
#[derive(Debug, Clone, Copy)]
pub struct Contention;

impl Pattern for Contention {
    fn name(&self) -> &'static str {
        kernel::comet::CONTENTION
    }

    fn available(&self, settings: &Settings) -> Result<()> {
        let settings = settings.with_least_ranks(self.info().min_ranks);
        pairs(&settings).map(drop)
    }

    fn points(&self, settings: &Settings, earlier: &[Record]) -> Result<Vec<Point>> {
        let sizes = settings.sizes.clone().unwrap_or_else(|| SIZES.to_vec());
        let options = settings.options.get::<Options>();
        let mut points = Vec::new();
        for pair in pairs(settings)? {
            for (load, load_bytes) in loads(&options.loads, &echo_curve(earlier, pair.separation()))? {
                let point = pair.clone().with(param::LOAD, load).with(param::LOAD_BYTES, load_bytes);
                points.extend(sizes.iter().map(|&bytes| point.clone().with(param::BYTES, bytes)));
            }
        }
        Ok(points)
    }

    fn run<T: Transport>(&self, lab: &mut Lab<'_, T>, point: &Point) -> Result<Option<Record>> {
        let (settings, ranks) = (lab.settings, point.ranks);
        let cast = match (named(settings), point.separation()) {
            (Some(roles), _) => roles,
            (None, Some(Separation::Placed(distance))) => placed(settings, ranks, distance)?,
            (None, _) => wired(settings, settings.shape_or(lab.transport.shape()), ranks)?,
        };
        let bytes = point.get(param::BYTES);
        let role = Role::of(lab.transport.rank(), cast.tester, cast.partner);
        let mut operation = ContentionOperation {
            echo: EchoOperation::new(lab.transport, role, bytes),
            load: Load::new(lab.transport, cast, point.get(param::LOAD_BYTES)),
        };
        let samples = lab.measure(Timing::long(Metric::one_way(cast.tester)), &mut operation)?;
        Ok(samples
            .map(|samples| Record { moved: Some(bytes as u64), ..Record::new(self.name(), point, samples) }))
    }
}

/// Returns the roles that the user named.
fn named(settings: &Settings) -> Option<ContentionRoles> {
    settings.options.get::<Options>().contention
}

/// Returns the points without load and size: of the ranks that the user named; or where distances
/// have names, the farthest at which echo and load share a path, or those that the user named.
fn pairs(settings: &Settings) -> Result<Vec<Point>> {
    let (ranks, point) = (settings.world(), Point::new(settings.world()));
    if let Some(roles) = named(settings) {
        roles.check(ranks)?;
        return Ok(vec![point.with_text(param::BETWEEN, &roles.to_string())]);
    }
    if !settings.names_distances() {
        return wired(settings, settings.shape_or(HopShape::Complete), ranks).map(|_| vec![point]);
    }
    let shared = |distance: &Distance| placed(settings, ranks, *distance).is_ok();
    let there: Vec<Distance> = Distance::ALL.into_iter().filter(shared).collect();
    let Some(farthest) = there.last() else { return Err(no_shared_path(ranks)) };
    let chosen = match settings.distances {
        Some(_) => selected(settings, &there, false)?,
        None => vec![*farthest],
    };
    Ok(chosen.into_iter().map(|distance| point.clone().apart(Separation::Placed(distance))).collect())
}

/// Returns ranks whose routes share a link: by the routes of the machine where its shape has no
/// name, and by the shape elsewhere.
fn wired(settings: &Settings, shape: HopShape, ranks: usize) -> Result<ContentionRoles> {
    let has_name = !matches!(shape, HopShape::Complete | HopShape::FromFirst(_));
    match &settings.shared_link {
        SharedLink::Nowhere(why) => return Err(Error::usage(format!("comet/contention: {why}"))),
        SharedLink::Between { load, echo } if !has_name => {
            return Ok(ContentionRoles::between(*load, *echo));
        }
        SharedLink::Between { .. } | SharedLink::Unknown => {}
    }
    ContentionRoles::on(shape, ranks).ok_or_else(|| {
        Error::usage(format!(
            "no load shares a link with an echo on {ranks} ranks in the shape `{shape}`; use 8 ranks of a \
             hypercube, 7 of a ring, or a mesh of 4 columns"
        ))
    })
}

fn placed(settings: &Settings, ranks: usize, distance: Distance) -> Result<ContentionRoles> {
    ContentionRoles::placed(settings.places_of(ranks), distance).ok_or_else(|| no_shared_path(ranks))
}

fn no_shared_path(ranks: usize) -> Error {
    Error::usage(format!(
        "no load shares a path with an echo on these {ranks} ranks; start the job with four ranks on one host, or with two \
         on one and two on others"
    ))
}

/// Returns size and median time of the echo at this distance, or at the smallest distance to
/// another rank.
fn echo_curve(earlier: &[Record], wanted: Option<Separation>) -> Vec<(f64, f64)> {
    let echo = kernel::comet::ECHO;
    let apart = |record: &Record| record.point.separation().filter(|separation| !separation.is_itself());
    let records = || earlier.iter().filter(|record| record.kernel == echo);
    let all = || records().filter_map(apart);
    let chosen = all().find(|separation| Some(*separation) == wanted).or_else(|| all().min());
    let point =
        |record: &Record| Some((record.point.number(param::BYTES)? as f64, record.summary()?.median * 1e-9));
    // A time of 0 has no bandwidth.
    let near = records().filter(|record| chosen.is_some() && apart(record) == chosen);
    near.filter_map(point).filter(|&(_, seconds)| seconds > 0.0).collect()
}

/// Returns each load with its message size; the first is no load, for comparison.
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
        return Err(Error::usage(format!("a load of {load} % exceeds 100 % of the peak bandwidth")));
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
