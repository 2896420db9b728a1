//! How the ranks of a world ended.

use std::any::Any;

use crate::error::Error;

/// Why a rank has no result.
pub(crate) enum Stopped<E> {
    /// It failed by itself.
    Failed(E),
    /// It stopped because the world did.
    World(Error),
}

/// All results, or the error of the rank that failed first: the others only echo it. A world that failed has no
/// results, even if no rank says so.
pub(crate) fn first_cause<R, E: From<Error>>(
    outcomes: impl IntoIterator<Item = Result<R, Stopped<E>>>,
    failure: Option<Error>,
) -> Result<Vec<R>, E> {
    let mut results = Vec::new();
    let mut world = failure;
    for outcome in outcomes {
        match outcome {
            Ok(result) => results.push(result),
            Err(Stopped::Failed(error)) => return Err(error),
            Err(Stopped::World(error)) => world = Some(error),
        }
    }
    world.map_or(Ok(results), |error| Err(error.into()))
}

/// What a panic said.
pub(crate) fn panic_text(panic: &(dyn Any + Send)) -> &str {
    let text = panic.downcast_ref::<&str>().copied();
    text.or_else(|| panic.downcast_ref::<String>().map(String::as_str)).unwrap_or("without words")
}
