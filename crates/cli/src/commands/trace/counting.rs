//! Whether instructions can be counted, before the program runs.

use panto_counter::{Counter, Event, Refusal};
use panto_mpi::launch;

use crate::failure::Failure;
use crate::{mpi, print};

/// Fails if this host does not count instructions. Of a job in which each rank is a `panto trace`,
/// the first rank on each such host prints why.
pub fn require_instructions() -> Result<(), Failure> {
    let Err(refusal) = Counter::open(Event::Instructions) else { return Ok(()) };
    let text = sentence(&refusal);
    let rank = mpi::launched().and_then(|launch| launch.rank).unwrap_or(0);
    if print::is_mute() && launch::local_rank().is_some_and(|local| local == 0) {
        print::alarm(format_args!("panto: rank {rank}: {text}"));
    }
    Err(Failure::Usage(text))
}

/// Returns the cause and what the user can do.
fn sentence(refusal: &Refusal) -> String {
    let remedy = refusal.remedy().map_or_else(String::new, |remedy| format!("{remedy}, or "));
    format!("cannot count instructions: {refusal}; {remedy}use --clock cpu")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn causes_have_remedies() {
        assert_eq!(
            sentence(&Refusal::NoHardware),
            "cannot count instructions: this kernel offers no hardware counters (often so in virtual machines); use \
             --clock cpu"
        );
        assert_eq!(
            sentence(&Refusal::Forbidden(Some(3))),
            "cannot count instructions: kernel.perf_event_paranoid is 3; set it to 2 or less, or use --clock cpu"
        );
    }
}
