//! Broadcast by several algorithms, whole and in segments (M7).

use panto_results::{Point, Record, kernel, param};
use panto_schedule::{Algorithm, Collective, Problem};
use panto_transport::{Buffers, NO_REDUCTION, PreparedCollective, Transport};

use super::Options;
use super::candidates::{Candidate, ROOT, candidate, candidates, measure, name, points, same};
use crate::error::Result;
use crate::kernel::Pattern;
use crate::measure::{Checked, Lab, Operation};
use crate::pattern;
use crate::settings::Settings;

/// Default sizes in bytes: the paper's, and beyond, since segments are for large messages.
const SIZES: [u64; 9] = [0, 16, 256, 1_024, 2_048, 4_096, 16_384, 65_536, 262_144];
/// Default numbers of segments of REB.
const SEGMENTS: [usize; 5] = [2, 4, 8, 16, 32];
/// Smallest segment in bytes that is tried by default: smaller ones never pay.
const MIN_SEGMENT: u64 = 64;

/// One rank to all by LIB, REB, REB in segments and the message layer's own algorithm, by size and
/// ranks.
#[derive(Debug, Clone, Copy)]
pub(crate) struct BroadcastContest;

impl Pattern for BroadcastContest {
    fn name(&self) -> &'static str {
        kernel::cm5::BROADCAST
    }

    fn points(&self, settings: &Settings, _earlier: &[Record]) -> Result<Vec<Point>> {
        let sizes = settings.sizes.clone().unwrap_or_else(|| SIZES.to_vec());
        let names = candidates(&usual_candidates(settings), Collective::Broadcast, settings)?;
        let least = if settings.options.get::<Options>().segments.is_empty() { MIN_SEGMENT } else { 1 };
        let takes_part = |name: &str, bytes: u64| is_worth_it(name, bytes, least);
        Ok(points(settings, &sizes, &names, takes_part))
    }

    fn run<T: Transport>(&self, lab: &mut Lab<'_, T>, point: &Point) -> Result<Option<Record>> {
        let bytes = point.get(param::BYTES);
        let names = candidates(&usual_candidates(lab.settings), Collective::Broadcast, lab.settings)?;
        let problem = Problem {
            collective: Collective::Broadcast,
            ranks: lab.transport.size(),
            root: ROOT,
            count: bytes,
        };
        let kernel = self.name();
        let broadcast = match candidate(lab, point, problem, &names)? {
            Candidate::Ready(prepared) => prepared,
            Candidate::SameAs(other) => return Ok(same(lab, kernel, point, &other)),
        };
        let algorithm = name(&broadcast);
        let mut operation =
            BroadcastOperation { transport: lab.transport, broadcast, data: vec![0; bytes], round: 0 };
        measure(lab, kernel, point, (bytes as u64, algorithm), &mut operation)
    }
}

/// Returns linear and recursive broadcast, and the latter in segments.
fn usual_candidates(settings: &Settings) -> Vec<Algorithm> {
    let options = settings.options.get::<Options>();
    let named = options.segments.as_slice();
    let segments = if named.is_empty() { &SEGMENTS } else { named };
    let in_segments = segments.iter().map(|&segments| Algorithm::SegmentedHalving { segments });
    [Algorithm::Linear, Algorithm::RecursiveHalving].into_iter().chain(in_segments).collect()
}

/// Returns whether the message has enough bytes for its segments.
fn is_worth_it(name: &str, bytes: u64, least: u64) -> bool {
    match name.parse() {
        Ok(Algorithm::SegmentedHalving { segments }) => bytes >= least.saturating_mul(segments as u64),
        _ => true,
    }
}

struct BroadcastOperation<'a, T> {
    transport: &'a T,
    broadcast: PreparedCollective,
    data: Vec<u8>,
    round: u64,
}

impl<T: Transport> Operation for BroadcastOperation<'_, T> {
    fn prepare(&mut self, round: u64) {
        self.round = round;
        self.data.fill(0);
        if self.transport.rank() == ROOT {
            pattern::fill(&mut self.data, ROOT, round);
        }
    }

    fn run(&mut self) -> panto_transport::Result<()> {
        let buffers = Buffers { input: &[], output: &mut self.data, element: 1, combine: NO_REDUCTION };
        self.broadcast.run(self.transport, buffers)
    }

    fn end(&mut self) -> panto_transport::Result<()> {
        if self.transport.rank() == ROOT {
            pattern::write_anew(&mut self.data);
        }
        Ok(())
    }

    fn verify(&mut self) -> Checked {
        pattern::check(&self.data, ROOT, self.round)
    }
}

#[cfg(test)]
mod tests {
    use panto_results::cm5::broadcast_segments;

    use super::super::candidates::short_name;
    use super::*;

    #[test]
    fn candidates_are_known_by_their_short_names() {
        let names: Vec<String> = usual_candidates(&Settings::default()).into_iter().map(short_name).collect();
        assert_eq!(names, ["lib", "reb", "reb:2", "reb:4", "reb:8", "reb:16", "reb:32"]);
        assert_eq!(
            names.iter().map(|name| broadcast_segments(name)).collect::<Vec<_>>()[..3],
            [None, Some(1), Some(2)]
        );
        assert!(is_worth_it("reb:4", 256, 64) && !is_worth_it("reb:4", 255, 64) && is_worth_it("reb", 0, 64));
    }
}
