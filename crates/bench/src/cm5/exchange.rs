//! Complete exchange by several algorithms (M6).

use panto_results::{Point, Record, kernel, param};
use panto_schedule::{Algorithm, Collective, Problem};
use panto_transport::{Buffers, NO_REDUCTION, PreparedCollective, Transport};

use super::candidates::{Candidate, ROOT, candidate, candidates, measure, name, points, same};
use super::mark;
use crate::error::Result;
use crate::kernel::Pattern;
use crate::measure::{Checked, Lab, Operation};
use crate::memory::fits_memory;
use crate::pattern;
use crate::settings::Settings;

/// Default sizes of a block in bytes: the paper's, and beyond.
const SIZES: [u64; 9] = [0, 16, 64, 256, 512, 1_024, 1_920, 8_192, 65_536];
/// Linear, pairwise and recursive exchange; the first also with non-blocking messages, as the paper
/// suggests (4.1).
const CANDIDATES: [Algorithm; 4] = [Algorithm::Lex, Algorithm::LexAsync, Algorithm::Pex, Algorithm::Rex];

/// Every rank has a block for every other: by LEX, PEX, REX and the message layer's own algorithm,
/// by size of a block and ranks.
#[derive(Debug, Clone, Copy)]
pub(crate) struct CompleteExchange;

impl Pattern for CompleteExchange {
    fn name(&self) -> &'static str {
        kernel::cm5::EXCHANGE
    }

    /// Checks the memory: a rank holds a block for every other, more than the size of a point.
    fn available(&self, settings: &Settings) -> Result<()> {
        let settings = settings.with_least_ranks(self.info().min_ranks);
        let whole = |point: Point| {
            let blocks = point.get(param::BYTES).saturating_mul(point.ranks);
            point.with(param::BYTES, blocks as u64)
        };
        let vectors: Vec<Point> = self.points(&settings, &[])?.into_iter().map(whole).collect();
        fits_memory(&vectors, &settings)
    }

    fn points(&self, settings: &Settings, _earlier: &[Record]) -> Result<Vec<Point>> {
        let sizes = settings.sizes.clone().unwrap_or_else(|| SIZES.to_vec());
        let names = candidates(&CANDIDATES, Collective::Alltoall, settings)?;
        Ok(points(settings, &sizes, &names, |_, _| true))
    }

    fn run<T: Transport>(&self, lab: &mut Lab<'_, T>, point: &Point) -> Result<Option<Record>> {
        let (bytes, ranks) = (point.get(param::BYTES), lab.transport.size());
        let names = candidates(&CANDIDATES, Collective::Alltoall, lab.settings)?;
        let problem = Problem { collective: Collective::Alltoall, ranks, root: ROOT, count: bytes };
        let kernel = self.name();
        let exchange = match candidate(lab, point, problem, &names)? {
            Candidate::Ready(prepared) => prepared,
            Candidate::SameAs(other) => return Ok(same(lab, kernel, point, &other)),
        };
        let algorithm = name(&exchange);
        let mut operation = ExchangeOperation {
            transport: lab.transport,
            exchange,
            bytes,
            input: vec![0; ranks * bytes],
            output: vec![0; ranks * bytes],
            round: 0,
        };
        let moved = (ranks * (ranks - 1) * bytes) as u64;
        measure(lab, kernel, point, (moved, algorithm), &mut operation)
    }
}

struct ExchangeOperation<'a, T> {
    transport: &'a T,
    exchange: PreparedCollective,
    bytes: usize,
    input: Vec<u8>,
    output: Vec<u8>,
    round: u64,
}

impl<T: Transport> Operation for ExchangeOperation<'_, T> {
    fn prepare(&mut self, round: u64) {
        self.round = round;
        self.output.fill(0);
        let this = self.transport.rank();
        for (destination, block) in self.input.chunks_mut(self.bytes.max(1)).enumerate() {
            pattern::fill(block, this, mark(round, destination));
        }
    }

    fn run(&mut self) -> panto_transport::Result<()> {
        let buffers =
            Buffers { input: &self.input, output: &mut self.output, element: 1, combine: NO_REDUCTION };
        self.exchange.run(self.transport, buffers)
    }

    fn end(&mut self) -> panto_transport::Result<()> {
        pattern::write_anew(&mut self.input);
        Ok(())
    }

    fn verify(&mut self) -> Checked {
        let mine = mark(self.round, self.transport.rank());
        let mut blocks = self.output.chunks(self.bytes.max(1)).enumerate();
        blocks.try_for_each(|(source, block)| pattern::check(block, source, mine))
    }
}
