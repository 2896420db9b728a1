//! Tests of the suite `scenario`.

mod arrival;
mod drawing;
mod language;
mod simulated;
mod threads;

use std::path::Path;

use panto_bench::scenario::{Scenario, Script, Times, Values};
use panto_transport::Time;

/// Returns a scenario in which all participants perform these actions.
fn all_do(actions: &str) -> Scenario {
    let text = format!("[[participants]]\nwho = \"all\"\ndo = [{actions}]\n");
    parse(&text).expect("a scenario")
}

fn parse(text: &str) -> panto_bench::Result<Scenario> {
    Scenario::parse(text, Path::new("test.toml"), None)
}

/// Returns values with this number of participants, and 50 us for each swept time.
fn values(ranks: usize) -> Values {
    let time = Time::from_nanos(50_000);
    let times = Times { delay: time, computation: time };
    let call = "allreduce".parse().expect("a collective");
    Values { ranks, call, bytes: 8, times, late: panto_bench::scenario::Late::Last, form: None, seed: 1 }
}

fn script(scenario: &Scenario, ranks: usize) -> panto_bench::Result<Script<'_>> {
    Script::new(scenario, values(ranks))
}
