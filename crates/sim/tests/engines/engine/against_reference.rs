//! The event engine equals the reference simulator.

use panto_machine::Machine;
use panto_sim::Sharing;
use proptest::prelude::*;
use proptest::test_runner::TestCaseError;

use super::driver::drive;
use crate::machines::{Grain, Placement, machines};
use crate::program::Program;
use crate::programs::{Features, broken_programs, programs, settings};
use crate::reference::{Report, simulate};

const NO_WILDCARDS: Features = Features { wildcards: false, any_tag: false, tests: false, overtaking: false };
const WILDCARDS: Features = Features { wildcards: true, ..NO_WILDCARDS };
const ALL_NAMED: Features = Features { overtaking: true, any_tag: true, tests: true, ..NO_WILDCARDS };
const ALL: Features = Features { wildcards: true, any_tag: true, tests: true, overtaking: false };

/// Compares both runs exactly.
fn check(machine: &Machine, model: Sharing, program: &Program) -> Result<Report, TestCaseError> {
    let report = simulate(machine, model, program);
    let run = drive(machine, model, program);
    // Where messages overtake each other, the engine may match a wildcard differently.
    prop_assume!(!report.overtaken);
    prop_assert_eq!(&run, &report.run);
    Ok(report)
}

/// Compares both runs with a tolerance: shares of a processor are rounded, each by less than a
/// picosecond.
fn check_sharing(machine: &Machine, program: &Program) -> Result<Report, TestCaseError> {
    let report = simulate(machine, Sharing::None, program);
    let run = drive(machine, Sharing::None, program);
    prop_assume!(!report.overtaken);
    let tolerance = 50;
    if !run.is_near(&report.run, tolerance) {
        prop_assume!(report.closest > tolerance);
        prop_assert_eq!(&run, &report.run);
    }
    Ok(report)
}

proptest! {
    #![proptest_config(settings(2_000))]

    #[test]
    fn named_sources(
        machine in machines(Grain::Coarse, Placement::Dedicated),
        program in programs(Grain::Coarse, NO_WILDCARDS),
    ) {
        let report = check(&machine, Sharing::None, &program)?;
        prop_assert!(report.run.exits.iter().all(Option::is_some));
    }

    /// Messages that overtake each other are matched in the order of sending.
    #[test]
    fn named_sources_with_overtaking(
        machine in machines(Grain::Coarse, Placement::Dedicated),
        program in programs(Grain::Coarse, ALL_NAMED),
    ) {
        let report = simulate(&machine, Sharing::None, &program);
        prop_assert_eq!(drive(&machine, Sharing::None, &program), report.run);
    }

    #[test]
    fn wildcards(
        machine in machines(Grain::Coarse, Placement::Dedicated),
        program in programs(Grain::Coarse, WILDCARDS),
    ) {
        check(&machine, Sharing::None, &program)?;
    }

    #[test]
    fn all_features(
        machine in machines(Grain::Coarse, Placement::Dedicated),
        program in programs(Grain::Coarse, ALL),
    ) {
        check(&machine, Sharing::None, &program)?;
    }

    #[test]
    fn deadlocks_block_the_same_ranks(
        machine in machines(Grain::Coarse, Placement::Dedicated),
        program in broken_programs(Grain::Coarse, ALL),
    ) {
        check(&machine, Sharing::None, &program)?;
    }

    #[test]
    fn shared_processors(
        machine in machines(Grain::Fine, Placement::Shared),
        program in programs(Grain::Fine, NO_WILDCARDS),
    ) {
        let report = check_sharing(&machine, &program)?;
        prop_assert!(report.run.exits.iter().all(Option::is_some));
    }

    #[test]
    fn shared_processors_with_all_features(
        machine in machines(Grain::Fine, Placement::Shared),
        program in broken_programs(Grain::Fine, ALL),
    ) {
        check_sharing(&machine, &program)?;
    }

    /// Both simulators use the same model of shared links, which is tested elsewhere; this tests
    /// its use by the engine.
    #[test]
    fn shared_links(
        machine in machines(Grain::Coarse, Placement::Dedicated),
        program in programs(Grain::Coarse, NO_WILDCARDS),
    ) {
        let report = simulate(&machine, Sharing::Links, &program);
        prop_assert_eq!(drive(&machine, Sharing::Links, &program), report.run);
    }

    #[test]
    fn shared_endpoints(
        machine in machines(Grain::Coarse, Placement::Dedicated),
        program in programs(Grain::Coarse, NO_WILDCARDS),
    ) {
        let report = simulate(&machine, Sharing::Endpoints, &program);
        prop_assert_eq!(drive(&machine, Sharing::Endpoints, &program), report.run);
    }

    #[test]
    fn shared_links_with_all_features(
        machine in machines(Grain::Coarse, Placement::Dedicated),
        program in broken_programs(Grain::Coarse, ALL),
    ) {
        check(&machine, Sharing::Links, &program)?;
    }
}
