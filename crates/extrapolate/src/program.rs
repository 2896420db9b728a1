//! The program that all traces are runs of: calls and loops with rules for everything in them.

use panto_trace::{Metadata, key};
use smallvec::SmallVec;

use crate::call::Shape;
use crate::comms::Comm;
use crate::computation::Computation;
use crate::grid::{self, Grid};
use crate::lists::List;
use crate::partner::{Each, Rule};
use crate::series::Series;
use crate::who::Who;

/// A program of any number of ranks.
#[derive(Debug)]
pub struct Program {
    pub(crate) shapes: Vec<Shape>,
    pub(crate) comms: Vec<Comm>,
    pub(crate) grid: grid::Shape,
    pub(crate) is_periodic: bool,
    pub(crate) body: Vec<Statement>,
    /// The number of loops, the whole program among them.
    pub(crate) loops: usize,
    /// The ranks of the traces.
    pub(crate) from: Vec<u32>,
    /// The computation of all ranks in each trace, in nanoseconds.
    pub(crate) computation: Vec<f64>,
    pub(crate) metadata: Metadata,
    /// Places where the traces follow no rule, and what comes near is used.
    pub approximate: Vec<String>,
    /// What is assumed because the traces cannot show it: how a master deals out work.
    pub assumed: Vec<String>,
}

/// A call or a loop.
#[derive(Debug)]
pub enum Statement {
    Call(Box<Call>),
    Loop(Box<Loop>),
}

/// A call.
#[derive(Debug)]
pub struct Call {
    pub who: Who,
    pub shape: u32,
    pub partners: SmallVec<[Rule; 2]>,
    /// The number of calls with equal shapes and rules.
    pub class: usize,
    pub takes: Takes,
    pub numbers: Vec<Series>,
    pub lists: [Option<List>; 2],
    pub computation: Computation,
}

/// Requests that a call completes, starts or frees.
#[derive(Debug, Clone, Default)]
pub struct Takes {
    pub is_all: bool,
    /// The class of the calls that made them, and the place among those.
    pub requests: Vec<(usize, u32)>,
}

/// A loop.
#[derive(Debug)]
pub struct Loop {
    pub who: Who,
    /// Its number among the loops of the program.
    pub number: usize,
    pub count: Count,
    pub body: Vec<Statement>,
}

/// How often a loop is repeated.
#[derive(Debug)]
pub enum Count {
    Number(Series),
    /// Once for each partner.
    Partners(Each),
}

impl Program {
    /// Returns the numbers of ranks of the traces, ascending.
    pub fn from(&self) -> &[u32] {
        &self.from
    }

    /// Returns how ranks are arranged, for a number of them: "8 x 8".
    pub fn arrangement(&self, ranks: u32) -> Option<String> {
        self.grid(ranks).map(|grid| grid.to_string())
    }

    /// Returns the grid of a number of ranks.
    pub(crate) fn grid(&self, ranks: u32) -> Option<Grid> {
        self.grid.grid(ranks, self.is_periodic)
    }

    /// Returns how far the laws of computation miss what they were not fitted to, as a share of all
    /// computation: the mean over all calls. None from two traces, which leave nothing to be
    /// predicted from the rest.
    pub fn computation_error(&self) -> Option<f64> {
        let validations = calls(&self.body).map(|call| call.computation.validation());
        let (total, missed) =
            validations.fold((0.0, 0.0), |(total, missed), (own, error)| (total + own, missed + error));
        (total > 0.0).then(|| missed / total)
    }

    /// Returns where it comes from, in words: "4, 8, 16 ranks".
    pub fn origin(&self) -> String {
        let from: Vec<String> = self.from.iter().map(u32::to_string).collect();
        let assumed = if self.assumed.is_empty() { "" } else { ", work dealt in turn (assumed)" };
        format!("{} ranks{assumed}", from.join(", "))
    }

    /// Returns the metadata of a trace that is made from it.
    pub(crate) fn metadata(&self) -> Metadata {
        let mut metadata = self.metadata.clone();
        metadata.set(key::EXTRAPOLATED, &self.origin());
        metadata
    }
}

/// Returns all calls of a row and its loops.
fn calls(row: &[Statement]) -> Box<dyn Iterator<Item = &Call> + '_> {
    Box::new(row.iter().flat_map(|statement| match statement {
        Statement::Call(call) => Box::new(std::iter::once(&**call)) as Box<dyn Iterator<Item = &Call>>,
        Statement::Loop(repeated) => calls(&repeated.body),
    }))
}
