//! From a program to the trace of any number of ranks.
//!
//! What is written is checked: each send has its receive, and the members of a communicator have
//! the same collectives in the same order. Otherwise there is no trace.

mod emit;
mod requests;
mod verify;

use std::path::Path;

use panto_trace::{Ranks, TraceWriter};

use crate::computation::Last;
use crate::error::{Error, Result};
use crate::grid::Grid;
use crate::program::{Count, Loop, Program, Statement};
use crate::series::Step;
use emit::Emitter;
use verify::{Matching, RankMatching};

/// What was written.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Written {
    /// Calls of all ranks.
    pub calls: u64,
    /// Messages between ranks, without those of collectives.
    pub messages: u64,
}

/// The most ranks of a trace that is made.
pub const MOST_RANKS: u32 = 1 << 20;

/// The most calls of a rank, so that a wrong rule ends with an error and not with a full disk.
const MOST_CALLS: u64 = 1 << 32;

/// Writes the trace of a run with this number of ranks.
pub fn write(program: &Program, ranks: u32, target: &Path) -> Result<Written> {
    let grid = checked_grid(program, ranks)?;
    let metadata = program.metadata();
    let mut file = TraceWriter::create(target, ranks, &metadata)?;
    let written = run(program, &grid, |stream| Ok(file.add(&stream)?))?;
    file.finish()?;
    Ok(written)
}

/// Returns whether the rules fit together on more ranks than the largest trace has. Wrong rules
/// that explain the traces by chance rarely do.
pub fn fits_elsewhere(program: &Program) -> bool {
    let largest = program.from().last().copied().unwrap_or(2);
    [2, 4].into_iter().any(|times| {
        let grid = checked_grid(program, largest.saturating_mul(times));
        grid.and_then(|grid| run(program, &grid, |_| Ok(()))).is_ok()
    })
}

/// Executes all ranks, passes on their streams in order, and checks that they match.
fn run(program: &Program, grid: &Grid, mut take: impl FnMut(Vec<u8>) -> Result<()>) -> Result<Written> {
    let world: Ranks = (0..grid.ranks()).collect();
    let mut matching = Matching::default();
    let mut written = Written::default();
    panto_parallel::for_each(
        grid.ranks() as usize,
        panto_parallel::cores(),
        |rank| generate(program, grid, &world, rank as u32),
        |stream| {
            let (stream, calls, own) = stream?;
            take(stream)?;
            written.calls += calls;
            written.messages += own.messages();
            matching.add(own);
            Ok::<(), Error>(())
        },
    )?;
    matching.check(program)?;
    Ok(written)
}

fn checked_grid(program: &Program, ranks: u32) -> Result<Grid> {
    if !(2..=MOST_RANKS).contains(&ranks) {
        return Err(Error::Unsuitable(format!(
            "the number of ranks must be 2 to {MOST_RANKS}, and not {ranks}"
        )));
    }
    program.grid(ranks).ok_or_else(|| {
        Error::Unsuitable(format!("the program runs on {}, which {ranks} ranks do not make", program.grid))
    })
}

/// Returns the stream of a rank, the number of its calls, and what it sends and receives.
fn generate(
    program: &Program,
    grid: &Grid,
    world: &Ranks,
    rank: u32,
) -> Result<(Vec<u8>, u64, RankMatching)> {
    let mut walker = Walker {
        emitter: Emitter::new(program, grid, world, rank),
        steps: vec![Progress::default(); program.loops],
    };
    walker.row(&program.body, Step::default())?;
    Ok(walker.emitter.finish())
}

/// Executes a program as one of its ranks.
struct Walker<'p> {
    emitter: Emitter<'p>,
    /// The progress of each loop.
    steps: Vec<Progress>,
}

#[derive(Debug, Clone, Copy, Default)]
struct Progress {
    executions: u32,
    iterations: u32,
}

impl<'p> Walker<'p> {
    fn row(&mut self, row: &'p [Statement], step: Step) -> Result<()> {
        let mut last = if step.iteration == 0 { Last::Outside } else { Last::End };
        for (place, statement) in row.iter().enumerate() {
            match statement {
                Statement::Call(call) if self.emitter.is_called(call.who) => {
                    self.emitter.call(call, step, last)?;
                }
                Statement::Loop(inner) if self.emitter.is_called(inner.who) => self.repeat(inner, step)?,
                _ => continue,
            }
            last = Last::Place(place);
        }
        Ok(())
    }

    fn repeat(&mut self, repeated: &'p Loop, step: Step) -> Result<()> {
        let count = match &repeated.count {
            Count::Partners(each) => i64::from(each.count(self.emitter.rank(), self.emitter.ranks())),
            Count::Number(series) => self.emitter.number(series, None, step)?,
        };
        let count = u32::try_from(count).unwrap_or(0);
        for iteration in 0..count {
            let Progress { executions, iterations } = self.steps[repeated.number];
            self.steps[repeated.number].iterations += 1;
            let step = Step { iteration, count, execution: executions, position: iterations };
            self.row(&repeated.body, step)?;
            if self.emitter.calls() > MOST_CALLS {
                return Err(Error::Unmatched("a rank would call MPI more than 2^32 times".to_owned()));
            }
        }
        self.steps[repeated.number].executions += 1;
        Ok(())
    }
}
