//! Matrix operations of the user's, between the same set-up and check as Panto's own (C16).

use panto_implementation::matrix::{Direction, Operation};
use panto_results::{Point, param};
use panto_transport::Transport;
use panto_transport::user_implementation::{MatrixMemory, MatrixProblem, MatrixSession, UserMatrix};

use super::block::{Block, Double};
use super::layout::Layout;
use super::rect::Rect;
use super::verified::MatrixKernel;
use crate::comet::{Options, tag};
use crate::error::{Error, Result};
use crate::scenario::operation::Implementation;
use crate::settings::Settings;

/// Arrays that fit into the working memory.
const WORK_ARRAYS: usize = 4;

/// What an operation is to do on one rank, as the interface describes it.
#[derive(Debug, Clone, Copy)]
pub(in crate::comet) struct Task {
    pub(in crate::comet) operation: Operation,
    pub(in crate::comet) direction: Direction,
    /// Rank that sends the line of a broadcast.
    pub(in crate::comet) owner: usize,
    /// Line of the local array that is sent or replaced.
    pub(in crate::comet) place: usize,
}

impl Task {
    /// Returns the task of an operation that needs no more than its name.
    pub(in crate::comet) fn of(operation: Operation) -> Self {
        Self { operation, direction: Direction::North, owner: 0, place: 0 }
    }
}

/// Returns the implementations to measure; none where the user gave none. Each is loaded, and must
/// have the operation.
pub(super) fn implementations(settings: &Settings, operation: Operation) -> Result<Vec<Implementation>> {
    let chosen = settings.options.get::<Options>().implementations.clone().unwrap_or_default();
    for one in &chosen {
        load(one)?
            .map_or(Ok(()), |user| user.check(operation))
            .map_err(|error| Error::usage(error.to_string()))?;
    }
    Ok(chosen)
}

/// Returns the user's code that a point measures, if it does.
pub(super) fn of_point(settings: &Settings, point: &Point) -> Result<Option<UserMatrix>> {
    if !point.params.contains_key(param::IMPLEMENTATION) {
        return Ok(None);
    }
    let time_limit = settings.options.get::<Options>().patience;
    Ok(load(&point.text(param::IMPLEMENTATION).parse()?)?.map(|user| user.with_time_limit(time_limit)))
}

fn load(implementation: &Implementation) -> Result<Option<UserMatrix>> {
    match implementation {
        Implementation::Library => Ok(None),
        Implementation::UserSupplied { path, name } => {
            UserMatrix::load(path, name).map(Some).map_err(|error| Error::usage(error.to_string()))
        }
        other => Err(Error::usage(format!(
            "{other} is an algorithm of collectives; matrix kernels have --impl library, which is Panto's own, and \
             implementations of yours, such as ./libmine.so:name"
        ))),
    }
}

/// A user-supplied operation on one rank. Panto's own kernel for the same operation defines the
/// correct result.
pub(super) struct UserKernel<'t, T: Transport, K> {
    session: MatrixSession<'t, T>,
    definition: K,
    own: Rect,
}

impl<'t, T: Transport, K: MatrixKernel> UserKernel<'t, T, K> {
    pub(super) fn new(transport: &'t T, user: UserMatrix, layout: &Layout, definition: K) -> Result<Self> {
        let problem = problem(layout, transport.rank(), definition.task());
        let session = MatrixSession::new(transport, user, &problem, tag::DATA)?;
        Ok(Self { session, definition, own: layout.rect(transport.rank()) })
    }

    fn moves_blocks(&self) -> bool {
        self.definition.task().operation == Operation::Shift
    }
}

fn problem(layout: &Layout, rank: usize, task: Task) -> MatrixProblem {
    let (mesh, around) = (&layout.mesh, layout.around(rank));
    let cells = (0..mesh.rows()).flat_map(|row| (0..mesh.cols()).map(move |col| (row, col)));
    let row_start = |row| layout.rect(mesh.rank_at(row, 0)).rows.start;
    let col_start = |col| layout.rect(mesh.rank_at(0, col)).cols.start;
    MatrixProblem {
        operation: task.operation,
        direction: task.direction,
        mesh: [mesh.rows(), mesh.cols()],
        cell: [around.row, around.col],
        ranks: cells.map(|(row, col)| mesh.rank_at(row, col)).collect(),
        row_starts: (0..mesh.rows()).map(row_start).chain([layout.dim]).collect(),
        col_starts: (0..mesh.cols()).map(col_start).chain([layout.dim]).collect(),
        owner: task.owner,
        place: task.place,
    }
}

impl<T: Transport, K: MatrixKernel> MatrixKernel for UserKernel<'_, T, K> {
    fn buffers(&self) -> Vec<usize> {
        let holds = self.holds(&self.own).array_len();
        let work = WORK_ARRAYS * holds.max(self.own.array_len());
        if self.moves_blocks() { vec![work, holds] } else { vec![work] }
    }

    fn run<U: Transport>(
        &self,
        _transport: &U,
        block: &mut Block,
        buffers: &mut [Vec<Double>],
    ) -> panto_transport::Result<()> {
        let (work, results) = buffers.split_at_mut(1);
        let result = results.first_mut().map(Vec::as_mut_slice);
        self.session.run(MatrixMemory { array: block.doubles_mut(), result, work: &mut work[0] })?;
        if let Some(result) = results.first_mut() {
            block.replace(self.definition.holds(&self.own), result);
        }
        Ok(())
    }

    fn sends(&self) -> usize {
        self.definition.sends()
    }

    fn task(&self) -> Task {
        self.definition.task()
    }

    fn holds(&self, own: &Rect) -> Rect {
        self.definition.holds(own)
    }

    fn origin(&self, row: usize, col: usize) -> (usize, usize) {
        self.definition.origin(row, col)
    }

    fn fills_guard(&self) -> bool {
        self.definition.fills_guard()
    }
}
