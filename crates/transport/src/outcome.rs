//! How the ranks of a world ended.

use std::any::Any;

use crate::error::Error;

/// Why a rank has no result.
pub(crate) enum RankFailure<E> {
    /// Its own error.
    Own(E),
    /// The error of the world, which another rank may have caused.
    World(Error),
}

/// Returns all results, or the error of the rank that failed first: errors of the others are
/// consequences. A world that failed has no results, even if no rank returned an error.
pub(crate) fn first_failure<R, E: From<Error>>(
    outcomes: impl IntoIterator<Item = Result<R, RankFailure<E>>>,
    failure: Option<Error>,
) -> Result<Vec<R>, E> {
    let mut results = Vec::new();
    let mut world = failure;
    for outcome in outcomes {
        match outcome {
            Ok(result) => results.push(result),
            Err(RankFailure::Own(error)) => return Err(error),
            Err(RankFailure::World(error)) => world = Some(error),
        }
    }
    world.map_or(Ok(results), |error| Err(error.into()))
}

/// Returns the message of a panic.
pub(crate) fn panic_text(panic: &(dyn Any + Send)) -> &str {
    let text = panic.downcast_ref::<&str>().copied();
    text.or_else(|| panic.downcast_ref::<String>().map(String::as_str)).unwrap_or("no message")
}
