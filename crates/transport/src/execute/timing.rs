//! Times repeated runs of a program: each starts with a barrier, and the first rank gathers the
//! times.

use panto_schedule::{Collective, Problem};

use super::{Computation, Execution, Executor};
use crate::error::Result;
use crate::{
    AlgorithmChoice, Buffers, NO_REDUCTION, PreparedCollective, Selector, SendMode, Tag, Transport, World,
};

/// The tag of the messages that carry times to the first rank.
const TAG: Tag = 23;

/// Seconds of each rank, for each repetition.
pub type Times = Vec<Vec<f64>>;

/// Runs the program `repetitions` times. Returns the times in the first process, and nothing in
/// others. The world must have enough ranks.
pub fn time<W: World>(
    world: &W,
    execution: &Execution<'_>,
    computation: Computation,
    repetitions: u32,
) -> Result<Times> {
    let times: Vec<Times> = world.run(execution.ranks(), |transport| -> Result<Times> {
        let mut executor = execution.executor(transport, computation);
        (0..repetitions).map(|_| time_once(transport, &mut executor)).collect()
    })?;
    Ok(times.into_iter().next().unwrap_or_default())
}

/// Returns the time of the last rank of each repetition, in seconds.
pub fn makespans(times: &Times) -> Vec<f64> {
    times.iter().map(|ranks| ranks.iter().copied().fold(0.0, f64::max)).collect()
}

/// Returns the seconds of all ranks on the first one, and nothing on others.
fn time_once<T: Transport>(transport: &T, executor: &mut Executor<'_, T>) -> Result<Vec<f64>> {
    let problem = Problem { collective: Collective::Barrier, ranks: transport.size(), root: 0, count: 0 };
    let mut barrier = PreparedCollective::new(transport, problem, 1, AlgorithmChoice::Library)?;
    executor.prepare();
    barrier.run(transport, Buffers { input: &[], output: &mut [], element: 1, combine: NO_REDUCTION })?;
    let start = transport.now();
    executor.run()?;
    let own = transport.now().since(start).as_secs();
    if transport.rank() > 0 {
        transport.send(SendMode::Standard, &own.to_le_bytes(), 0, TAG)?;
        return Ok(Vec::new());
    }
    let mut times = vec![own];
    for rank in 1..transport.size() {
        let mut bytes = [0; 8];
        transport.receive(&mut bytes, Selector::new(rank, TAG))?;
        times.push(f64::from_le_bytes(bytes));
    }
    Ok(times)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_makespan_is_the_longest_time() {
        assert_eq!(makespans(&vec![vec![1.0, 3.0], vec![2.5, 2.0]]), [3.0, 2.5]);
    }
}
