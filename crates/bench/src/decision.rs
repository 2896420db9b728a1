//! Decisions that the first process takes for all.
//!
//! Where ranks are processes, each runs the whole program. Whatever depends on time, on the memory
//! or files of a host, on Ctrl-C or on earlier results may differ between processes, and processes
//! that take different branches deadlock. So the first process decides alone and announces the
//! decision, or its error.

use panto_transport::World;
use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::error::{Error, Kind, Result};

/// Returns in all processes what `decision` returns in the first; the others get an error as
/// [`Error::Remote`]. All processes must call this together. Where all ranks are in one process,
/// it only calls `decision`.
///
/// ```
/// use panto_transport::threads::Threads;
/// let ranks = panto_bench::decide(&Threads::default(), || Ok(vec![2, 4]))?;
/// assert_eq!(ranks, [2, 4]);
/// # Ok::<_, panto_bench::Error>(())
/// ```
///
/// # Panics
/// Panics if the decision cannot be written as JSON, which is a bug of the caller.
pub fn decide<W, D>(world: &W, decision: impl FnOnce() -> Result<D>) -> Result<D>
where
    W: World,
    D: Serialize + DeserializeOwned,
{
    if world.is_first() {
        let outcome = decision();
        world.broadcast(encode(&outcome))?;
        return outcome;
    }
    decode(&world.broadcast(Vec::new())?)
}

/// A decision as announced: of an error only its kind and text.
type Announced<D> = std::result::Result<D, (Kind, String)>;

fn encode<D: Serialize>(outcome: &Result<D>) -> Vec<u8> {
    let announced: Announced<&D> = outcome.as_ref().map_err(|error| (error.kind(), error.to_string()));
    serde_json::to_vec(&announced).expect("a decision is plain data")
}

fn decode<D: DeserializeOwned>(words: &[u8]) -> Result<D> {
    let announced: Announced<D> = serde_json::from_slice(words).map_err(|error| {
        // Only this process knows of the error, so it must end the job.
        Error::Transport(panto_transport::Error::Start(format!(
            "this process does not understand what the first one says ({error}); use the same panto on all hosts"
        )))
    })?;
    announced.map_err(|(kind, text)| Error::Remote { kind, text })
}

#[cfg(test)]
mod tests {
    use panto_results::{Point, param};

    use super::*;

    #[test]
    fn decisions_and_errors_survive_their_announcement() {
        let points = vec![Point::new(3).with(param::BYTES, u64::MAX).with_text(param::VARIANT, "a \"b\"")];
        assert_eq!(decode::<Vec<Point>>(&encode(&Ok(points.clone()))).unwrap(), points);
        decode::<()>(&encode(&Ok(()))).unwrap();
        let why = panto_transport::Error::TimeOverflow;
        let failed: Result<()> = Err(why.clone().into());
        let Err(Error::Remote { kind, text }) = decode::<()>(&encode(&failed)) else { panic!("an error") };
        assert_eq!((kind, text), (Kind::Transport, why.to_string()));
        let error = decode::<u64>(b"{\"Ok\":true}").unwrap_err().to_string();
        assert!(error.contains("same panto"), "{error}");
    }
}
